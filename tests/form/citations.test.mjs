// Every citation in brackets stands in docs/bibliography.md.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bibliography = readFileSync(join(root, "docs/bibliography.md"), "utf8");
const keys = [...bibliography.matchAll(/^\| `([a-z0-9]+)` \|/gm)].map((m) => m[1]);
const works = [...bibliography.matchAll(/^\| ([^|`]+? \d{4}) \|/gm)].map((m) => m[1]);

/// What a text cites: keys with a place, and names with a year.
export function citations(text) {
  const found = [];
  for (const [, inside] of text.matchAll(/\[([^\][\n]+)\](?!\()/g))
    for (const part of inside.split(";").map((p) => p.trim())) {
      const place = part.match(/^([a-z0-9][a-z0-9-]*) (?:[A-C]$|(?:[A-C] )?(?:§|\(|eq\.|Alg\.|Algorithm|Table))/);
      const work = part.match(/^(?:van den )?\p{Lu}[\p{L}]+(?:, \p{Lu}\p{L}+)*(?: et al\.)? \d{4}$/u);
      if (place) found.push({ key: place[1] });
      else if (work) found.push({ work: part });
    }
  return found;
}

test("citations are recognised", () => {
  assert.deepEqual(citations("see [course §3.2.1, Alg. 6; Baraff 1994] and [thesis A (27)], not a[i] or [0, 1] or [N s]"), [
    { key: "course" }, { work: "Baraff 1994" }, { key: "thesis" },
  ]);
});

test("every citation stands in the bibliography", () => {
  assert.ok(keys.includes("course") && works.includes("Baraff 1994"));
  const files = execFileSync("git", ["ls-files", "src", "include", "docs"], { cwd: root, encoding: "utf8" }).split("\n");
  let count = 0;
  for (const file of files.filter((f) => /\.(h|cpp|md)$/.test(f) && f !== "docs/bibliography.md"))
    for (const { key, work } of citations(readFileSync(join(root, file), "utf8"))) {
      ++count;
      assert.ok(key ? keys.includes(key) : works.includes(work), `${file}: [${key ?? work}] is not in docs/bibliography.md`);
    }
  assert.ok(count > 50, `only ${count} citations found`);
});
