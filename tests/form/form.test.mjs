// The form of the sources, checked without compiling them.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { functions, longFunctions } from "./functions.mjs";
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

/** Rooms whose functions all fit a screen. Those of the others are not there yet. */
const roomsOfShortFunctions = [
  "math", "distance", "ccd", "geometry", "volume", "friction", "collide", "world", "store", "field", "mesh", "problem", "solve", "step", "scene", "record",
  "serve", "study", "cli", "python",
];

test("no function is longer than 60 lines", () => {
  const folders = [...roomsOfShortFunctions.map((room) => `src/${room}`), "include/stickslip"];
  assert.deepEqual(folders.flatMap((folder) => longFunctions(root, folder, 60)), []);
});

test("functions are found with their lengths, whatever stands in them", () => {
  const source = [
    "#define BRACE {",
    "namespace a {",
    "const int table[] = {1, 2};   // not a function {",
    "class Box final : public Shape<double> {",
    " public:",
    "  explicit Box(int x) : x_{x}, y_(x) {",
    "    text = \"}\", sign = '{', big = 1'000;",
    "  }",
    "  int half() const { return x_ / 2; }",
    "};",
    "template <class T>",
    "requires requires(T t) { t.size(); }",
    "auto sum(const T& list) -> decltype(list[0]) {",
    "  const auto add = [&](auto x) {",
    "    return x;",
    "  };",
    "  struct Local { int f() { return 1; } };",
    "  return add(1);",
    "}",
    "}  // namespace a",
  ].join("\n");
  const found = functions(source).map(({ line, lines }) => [line, lines]);
  assert.deepEqual(found, [[6, 3], [9, 1], [13, 7]]);
  assert.throws(() => functions("void f() {"), /braces/);
});
