// The page that is kept in the repository, so that building the program needs no node, is the one that the sources make.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { bundlePage, scratch, web } from "./support/page.mjs";

const page = bundlePage(scratch(after));

test("the kept page is what the sources make", () => {
  const kept = process.env.STICKSLIP_VIEWER_PAGE ?? join(web, "viewer.html");
  assert.ok(readFileSync(kept, "utf8") === page,
    `${kept} is not what web/ makes now. Renew it: ninja -C build/release viewer`);
});

test("the page brings the licences of what it contains", () => {
  for (const name of ["three", "uplot"]) assert.match(page, new RegExp(`\\n${name}: [^]*Permission is hereby granted`));
});
