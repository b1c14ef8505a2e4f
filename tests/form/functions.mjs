// How long functions are, found by their braces.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The text with comments, literals, preprocessor lines and access labels blanked; every character keeps its place. */
function bare(text) {
  const hidden = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*/gm;
  const blank = (found) => found.replace(/[^\n]/g, " ");
  return text.replace(hidden, blank).replace(/\b(public|private|protected)\s*:(?!:)/g, blank);
}

/** What a brace after these words opens: a scope that functions stand in, a function, or something else, such as numbers. */
function opened(words) {
  if (/\brequires\s*(\([^()]*\))?\s*$/.test(words)) return "other";
  if (/^(inline\s+)?namespace\b|^extern\s*$/.test(words)) return "scope";
  const without = words.replace(/template\s*<[^{]*?>\s*(?=(class|struct|union)\b)/, "").replace(/<[^<>]*>/g, "");
  const ends = /\)\s*(const|noexcept|override|final|\s)*$/.test(words);
  if (/\b(class|struct|union)\b/.test(without) && !ends) return "scope";
  return /\)/.test(words) && !/=\s*$/.test(words) && !/\benum\b/.test(words) ? "function" : "other";
}

/** The functions of a C++ source, lambdas and local classes within the function that they stand in: [{line, lines, head}]. */
export function functions(text) {
  const code = bare(text), found = [], open = [];
  const lineOf = (at) => code.slice(0, at).split("\n").length;
  let start = 0;   // of the words before the next brace
  for (let at = 0; at < code.length; ++at) {
    const inside = open.some((one) => one.kind !== "scope");
    if (code[at] === "{") {
      const words = code.slice(start, at);
      open.push({ kind: inside ? "other" : opened(words.trim()), start: start + Math.max(words.search(/\S/), 0), words });
      if (open.at(-1).kind === "scope") start = at + 1;
    } else if (code[at] === "}") {
      const closed = open.pop();
      // A constructor whose members are initialised in braces: its body follows.
      const continues = closed.kind === "function" && /^\s*[{,]/.test(code.slice(at + 1, at + 200));
      if (continues) continue;
      if (closed.kind === "function") {
        const line = lineOf(closed.start);
        found.push({ line, lines: lineOf(at) - line + 1, head: closed.words.trim().replace(/\s+/g, " ") });
      }
      if (!open.some((one) => one.kind !== "scope")) start = at + 1;
    } else if (code[at] === ";" && !inside) {
      start = at + 1;
    }
  }
  if (open.length > 0) throw new Error("braces do not match");
  return found;
}

/** Functions in a folder that are longer than so many lines: ["file:line: 70 lines: head"]. */
export function longFunctions(root, folder, most) {
  const found = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...longFunctions(root, file, most));
    else if (/\.(h|cpp)$/.test(file))
      for (const one of functions(readFileSync(join(root, file), "utf8")))
        if (one.lines > most) found.push(`${file}:${one.line}: ${one.lines} lines: ${one.head.slice(0, 80)}`);
  }
  return found;
}
