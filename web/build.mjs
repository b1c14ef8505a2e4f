// Builds viewer.html: one page with script and style inside, which makes no request of its own.
// node build.mjs [output]

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "viewer.html");

const bundle = await build({
  entryPoints: [join(here, "src", "main.ts")],
  outdir: "memory",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});
const text = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = text(".css").replaceAll("</style", "<\\/style");

// Only this script and this style may run; nothing may be fetched but the live connection.
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src data: blob:",
  "connect-src 'self' ws:", "base-uri 'none'", "form-action 'none'",
].join("; ");

// The packages inside ask that their licences go with them.
const package_of = (file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
const packages = new Set(Object.keys(bundle.metafile.inputs).map(package_of).filter(Boolean));
const licence = (name) => {
  const file = join(here, "node_modules", name, "LICENSE");
  if (!existsSync(file)) throw new Error(`${name} brings no LICENSE that could go into the page.`);
  return `${name}: ${readFileSync(file, "utf8").trim().replaceAll("--", "- -")}`;
};
const licences = `<!--\nContains these packages.\n\n${[...packages].sort().map(licence).join("\n\n")}\n-->`;

const parts = { policy, style, script, licences };
const frame = readFileSync(join(here, "src", "page.html"), "utf8");
const page = frame.replace(/@(policy|style|script|licences)@/g, (_, name) => parts[name]);

const slot = '<script id="replay" type="text/plain"></script>';
if (page.split(slot).length !== 2) throw new Error("The page must hold the slot for a replay exactly once.");
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}: ${(page.length / 1024).toFixed(0)} kB`);
