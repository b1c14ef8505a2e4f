// Colours of bodies, without a page.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { importSource, scratch } from "./support/page.mjs";

const { BodyColours } = await importSource(scratch(after), "body_colours");
const palette = { bodies: [0xff0000, 0x00ff00, 0x0000ff, 0xffff00, 0xff00ff, 0x00ffff, 0x800000, 0x008000], fixed: 0x808080, kinematic: 0x404040 };

/** Colours of so many bodies of one material, the first of them fixed, without the variation of lightness. */
function huesOf(count) {
  const bodies = Array.from({ length: count + 1 }, (_, i) => ({ motion: i ? "dynamic" : "fixed", material: 0 }));
  const colours = new BodyColours({ bodies });
  colours.paint(palette);
  const near = (tint) => palette.bodies.map((hex) => [16, 8, 0].reduce((d, shift, k) => d + ([tint.r, tint.g, tint.b][k] - ((hex >> shift) & 255) / 255) ** 2, 0));
  return bodies.slice(1).map((_, i) => {
    const distances = near(colours.of(i + 1, 0, Object.create(Object.getPrototypeOf(colours.tints_[0]))).convertLinearToSRGB());
    return distances.indexOf(Math.min(...distances));
  });
}

test("as_many_bodies_as_there_are_colours_all_look_different", () => {
  assert.equal(new Set(huesOf(8)).size, 8);
  const hues = huesOf(80);
  for (let i = 0; i < 80; i += 8) assert.equal(new Set(hues.slice(i, i + 8)).size, 8, `bodies ${i} to ${i + 7}`);
});

test("equal_rows_make_no_stripes", () => {
  const hues = huesOf(64);
  const starts = new Set(Array.from({ length: 8 }, (_, row) => hues[8 * row]));
  assert.ok(starts.size > 3, `rows of eight begin with ${[...starts]}`);
});
