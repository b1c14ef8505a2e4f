// The form of the sources, checked without compiling them.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { breaches } from "./rooms.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

test("no file includes what its room may not use", () => assert.deepEqual(breaches(root), []));

/** A house of three rooms, of which `cellar` lends one header, with this line in a file of `room`. */
function breachesOf(room, line, manual = "cellar") {
  const house = mkdtempSync(join(tmpdir(), "rooms-"));
  const write = (file, text) => {
    mkdirSync(dirname(join(house, file)), { recursive: true });
    writeFileSync(join(house, file), text);
  };
  const rooms = ["cellar USES LENDS wine", "kitchen CALM USES cellar LIBRARIES x", "roof USES kitchen"];
  write("CMakeLists.txt", rooms.map((room) => `stickslip_room(${room})\n`).join(""));
  const table = [["cellar", "Eigen"], ["kitchen", manual], ["roof", "kitchen"]];
  write("docs/architecture.md", table.map(([name, uses]) => `| \`${name}\` | a story | ${uses} |\n`).join(""));
  write(`src/${room}/file.cpp`, `#include <vector>\n${line}\n`);
  const found = breaches(house);
  rmSync(house, { recursive: true });
  return found;
}

test("the check sees what is forbidden, and only that", () => {
  const allowed = [
    ["kitchen", '#include "kitchen/oven.h"'], ["kitchen", '#include "cellar/wine.h"'],
    ["roof", '#include "stickslip/cellar/ice.h"'], ["roof", "#include <png.h>"], ["cellar", '// #include "stickslip/roof/tiles.h"'],
  ];
  for (const [room, line] of allowed) assert.deepEqual(breachesOf(room, line), [], line);
  const forbidden = [
    ["kitchen", '#include "cellar/potatoes.h"'], ["cellar", '#include "stickslip/kitchen/oven.h"'],
    ["kitchen", "#include <stickslip/roof/tiles.h>"], ["kitchen", '  #  include "cli/main.h"'],
  ];
  for (const [room, line] of forbidden) {
    const [first, ...others] = breachesOf(room, line);
    assert.match(first, new RegExp(`^src/${room}/file.cpp:2: `), line);
    assert.equal(others.length, 0);
  }
  assert.match(breachesOf("roof", "", "roof")[0], /^docs\/architecture.md: room kitchen/);
});
