// Bounding boxes against points of the surface: no point is outside, and every side is touched.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { importSource, scratch } from "./support/page.mjs";
import { makeDescription, makeFrame } from "./support/scene.mjs";

const folder = scratch(after);
const { extentsOf, niceBelow, readable, readableLength, rotationOf } = await importSource(folder, "math");
const { formOf } = await importSource(folder, "forms");
const { directionOf, regionOf } = await importSource(folder, "region");
const { openDescription } = await importSource(folder, "protocol");

/** Points of the surface, dense enough to touch every side within 1 %. */
function surface(shape) {
  const points = [];
  const ring = (r, z) => {
    for (let k = 0; k < 200; ++k) points.push([r * Math.cos((k * Math.PI) / 100), r * Math.sin((k * Math.PI) / 100), z]);
  };
  const ball = (r, z) => {
    for (let k = 0; k <= 100; ++k) ring(r * Math.sin((k * Math.PI) / 100), z + r * Math.cos((k * Math.PI) / 100));
  };
  if (shape.type === "sphere") ball(shape.radius, 0);
  if (shape.type === "capsule") [-1, 1].forEach((s) => ball(shape.radius, s * shape.half_height));
  if (shape.type === "cylinder") [-1, 1].forEach((s) => ring(shape.radius, s * shape.half_height));
  if (shape.type === "box") for (let c = 0; c < 8; ++c) points.push(shape.half_extents.map((h, k) => ((c >> k) & 1 ? h : -h)));
  if (shape.type === "hull" || shape.type === "mesh") points.push(...shape.vertices);
  return points;
}

/** 2000 points: more than a box is made of. */
function wavyBall() {
  const vertices = Array.from({ length: 2000 }, (_, i) => {
    const z = 1 - (2 * i + 1) / 2000;
    const r = 0.5 + 0.05 * Math.sin(9 * z);
    return [r * Math.sqrt(1 - z * z) * Math.cos(2.4 * i), r * Math.sqrt(1 - z * z) * Math.sin(2.4 * i), r * z];
  });
  return { vertices, faces: [] };
}

const shapes = [
  { type: "sphere", radius: 0.3 },
  { type: "box", half_extents: [0.1, 0.5, 0.2] },
  { type: "capsule", radius: 0.2, half_height: 0.6 },
  { type: "cylinder", radius: 0.4, half_height: 0.1 },
  { type: "hull", vertices: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.1, 0]], faces: [] },
  { type: "mesh", ...wavyBall() },
];
for (const shape of shapes)
  test(`the_box_of_a_turned_${shape.type}_is_tight`, () => {
    for (const q of [[1, 0, 0, 0], [0.5, 0.5, -0.5, 0.5], [0.9, 0.1, -0.3, 0.25]]) {
      const r = new Float64Array(9);
      rotationOf(q, 0, r);
      const half = [0, 0, 0];
      const centre = [0, 0, 0];
      const form = shape.vertices && formOf(shape);
      assert.ok(extentsOf({ ...shape, form }, r, half, centre));
      // Boxes of large meshes are made of the points that reach farthest in some directions.
      const slack = shape.type === "mesh" ? 0.005 : 1e-9;
      for (let i = 0; i < 3; ++i) {
        const along = surface(shape).map((p) => r[3 * i] * p[0] + r[3 * i + 1] * p[1] + r[3 * i + 2] * p[2]);
        const low = Math.min(...along);
        const high = Math.max(...along);
        assert.ok(low >= centre[i] - half[i] - slack && high <= centre[i] + half[i] + slack, "nothing is outside");
        assert.ok(
          Math.abs(low - (centre[i] - half[i])) < 0.01 && Math.abs(high - (centre[i] + half[i])) < 0.01,
          "the sides are touched",
        );
      }
    }
  });

const slab = (name, half_extents, position) => ({ body: { name, motion: "fixed", mass: 0, material: "default",
  parts: [{ shape: { type: "box", half_extents }, position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] }] }, position });

/** The region of ten bodies that go along x, with some things that stand around. */
function regionWith(extra, frames = [0]) {
  const description = openDescription(makeDescription(10), "the test");
  description.bodies.push(...extra.map((e) => e.body));
  const made = frames.map((index) => {
    const frame = makeFrame(description, index);
    extra.forEach((e, k) => (frame.bodies[11 + k].position = e.at?.(index) ?? e.position));
    return {
      position: Float64Array.from(frame.bodies.flatMap((b) => b.position)),
      orientation: Float32Array.from(frame.bodies.flatMap((b, i) => (i > 10 ? [1, 0, 0, 0] : b.orientation))),
      state: new Uint8Array(frame.bodies.length),
    };
  });
  return regionOf(description, made);
}

test("a_container_is_glass_and_a_table_is_not", () => {
  const walls = regionWith([
    slab("left", [0.1, 3, 2], [-1, 0, 1]),
    slab("right", [0.1, 3, 2], [5, 0, 1]),
    slab("back", [3, 0.1, 2], [2, 3, 1]),
    slab("front", [3, 0.1, 2], [2, -3, 1]),
    slab("table", [4, 3, 0.1], [2, 0, -0.05]),
  ]).walls;
  assert.deepEqual([...walls], [11, 12, 13, 14]);
});

test("what_hides_nothing_is_no_container", () => {
  assert.deepEqual([...regionWith([slab("left", [0.5, 3, 1], [-9, 0, 1]), slab("right", [0.5, 3, 1], [14, 0, 1])]).walls], []);
});

test("fixed_things_beside_the_motion_are_part_of_the_picture_and_floors_are_not", () => {
  const alone = regionWith([]);
  const post = regionWith([slab("post", [0.2, 0.2, 3], [2, 2, 3])]);
  assert.ok(alone.high[2] < 3 && Math.abs(post.high[2] - 6) < 1e-9, `${post.high[2]} m high`);
  assert.equal(regionWith([slab("floor", [40, 40, 0.1], [0, 0, -0.1])]).high[0], alone.high[0]);
  // What holds all that moves counts from farther away than what stands beside it, but not from anywhere.
  const length = Math.max(...[0, 1, 2].map((k) => alone.high[k] - alone.low[k]));
  const room = (times) => slab("room", [times * length, times * length, times * length], alone.centre);
  assert.ok(Math.abs(regionWith([room(5)]).high[0] - (alone.centre[0] + 5 * length)) < 1e-6);
  assert.equal(regionWith([room(12)]).high[0], alone.high[0]);
  assert.equal(regionWith([slab("shed", [length, length, length], [alone.centre[0] + 5 * length, 0, 0])]).high[0], alone.high[0]);
});

test("what_goes_far_is_accompanied_but_on_a_hill_or_table_that_it_stays_on", () => {
  const ball = { name: "ball", motion: "dynamic", mass: 1, material: "default",
    parts: [{ shape: { type: "sphere", radius: 0.1 }, position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] }] };
  const region = (...others) => {
    const description = openDescription({ ...makeDescription(0), bodies: [ball, ...others.map((o) => o.body)] }, "the test");
    return regionOf(description, [0, 1, 2, 3].map((x) => ({
      position: Float64Array.from([x - 1.5, 0, 1.1 + x / 10, ...others.flatMap((o) => o.position)]),
      orientation: Float32Array.from([0, ...others].flatMap(() => [1, 0, 0, 0])),
      state: new Uint8Array(1 + others.length),
    })));
  };
  assert.ok(region().travels && region(slab("floor", [40, 40, 0.5], [0, 0, 0.5])).travels);
  const hill = region(slab("hill", [3, 2, 0.5], [0, 0, 0.5]));
  assert.ok(!hill.travels && Math.abs(hill.high[0] - 3) < 1e-9 && Math.abs(hill.low[1] + 2) < 1e-9, `${hill.low} to ${hill.high}`);
  assert.ok(region(slab("short", [1, 2, 0.5], [0, 0, 0.5])).travels, "of what it leaves");
  assert.ok(region(slab("land", [15, 15, 3], [0, 0, -2])).travels, "of what would make it small");
});

test("a_row_of_things_is_not_cut_where_all_of_it_makes_the_picture_little_longer", () => {
  const alone = regionWith([]);
  const length = Math.max(...[0, 1, 2].map((k) => alone.high[k] - alone.low[k]));
  const stone = (times) => slab("stone", [0.01, 0.01, 0.01], [alone.high[0] + times * length, 0, 0.01]);
  const row = [0.5, 1, 1.5, 1.9, 2.2, 2.5].map(stone);
  assert.ok(Math.abs(regionWith(row).high[0] - (alone.high[0] + 2.5 * length + 0.01)) < 1e-6, "the last stone is shown");
  assert.ok(regionWith([...row, stone(5)]).high[0] < alone.high[0] + 3 * length, "what stands far beyond is not");
});

test("what_a_script_moves_is_in_the_picture_wherever_it_goes", () => {
  const lift = slab("lift", [0.2, 0.2, 0.2], [2, 0, 1]);
  lift.body.motion = "kinematic";
  lift.at = (index) => [2, 0, 1 + index / 10];
  assert.ok(Math.abs(regionWith([lift], [0, 20, 40]).high[2] - 5.2) < 1e-6);
});

test("the_camera_stands_where_its_angles_say", () => {
  const near = (a, b) => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-12, `${a} is not ${b}`));
  near(directionOf(0, 0), [0, -1, 0]);
  near(directionOf(90, 0), [1, 0, 0]);
  near(directionOf(17, 90), [0, 0, 1]);
});

test("scales_are_round_and_numbers_readable", () => {
  assert.deepEqual([0.03, 0.9, 1, 7, 1234].map(niceBelow), [0.02, 0.5, 1, 5, 1000]);
  assert.equal(readable(0.1234567), "0.1235");
  assert.equal(readable(-2.5e-7), "−2.50e−7");
  assert.deepEqual([0.00005, 0.005, 0.2, 3].map(readableLength), ["50 µm", "5 mm", "20 cm", "3 m"]);
});
