// The pages of the tutorial quote the programs as they are, link what is there, and have what each page is to have.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = join(root, "docs/tutorial"), programs = join(root, "examples/tutorial");
const steps = [1, 2, 3, 4, 5, 6, 7, 8];
const page = (name) => readFileSync(join(pages, name), "utf8");

/// Pieces of C++ with the file that the line above names: [file or null, code].
export function quotes(text) {
  return [...text.matchAll(/(?:`(step-\d\/\w+\.\w+)`\n\n)?```cpp\n([\s\S]*?)\n```/g)].map(([, file, code]) => [file ?? null, code]);
}

test("quotes are found with their files", () => {
  assert.deepEqual(quotes("`step-1/body.h`\n\n```cpp\nint a;\nint b;\n```\n\n```\nno\n```\n```cpp\nint c;\n```"), [
    ["step-1/body.h", "int a;\nint b;"], [null, "int c;"],
  ]);
});

for (const step of steps)
  test(`the code on the page of step ${step} stands in its program`, () => {
    const found = quotes(page(`step-${step}.md`));
    assert.ok(found.length > 0);
    for (const [file, code] of found) {
      assert.ok(file?.startsWith(`step-${step}/`), `a quote does not say where in step-${step} it is from: ${code}`);
      assert.ok(`\n${readFileSync(join(programs, file), "utf8")}`.includes(`\n${code}\n`), `${file} has not: ${code}`);
    }
  });

test("every page has a picture, three things to try with answers, and says where the library goes on", () => {
  for (const step of steps) {
    const text = page(`step-${step}.md`);
    const picture = text.match(/!\[[^\]]+\]\((pictures\/[^)]+\.png)\)/);
    assert.ok(picture, `step ${step} has no picture`);
    assert.ok(statSync(join(pages, picture[1])).size < 60_000, picture[1]);
    const tries = text.split("## Try\n")[1].split("\n## ")[0];
    assert.equal([...tries.matchAll(/^\d\. [\s\S]*?\*Answer: /gm)].length, 3, `step ${step}`);
    assert.match(text.split("## Where the library goes on")[1], /\]\(\.\.\/\.\.\/(src|include)\//);
  }
});

test("every link of the tutorial leads to something", () => {
  for (const name of readdirSync(pages).filter((n) => n.endsWith(".md")))
    for (const [, to] of page(name).replace(/```[\s\S]*?```/g, "").matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
      assert.ok(existsSync(normalize(join(dirname(join(pages, name)), to))), `docs/tutorial/${name}: ${to}`);
});
