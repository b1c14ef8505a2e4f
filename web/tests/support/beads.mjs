// A made-up scene of nodes: beads on a grid, a sheet of triangles, and a rigid body with a mesh that is not convex.

const RADIUS = 0.05;
const SIDE = 4;

/** An L of 0.4 m, 0.1 m high: all of the square but its quarter at +x, +y. */
function angle() {
  const outline = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0], [0, 0], [0, 0.2], [-0.2, 0.2]];
  const at = (z) => outline.map(([x, y]) => [x, y, z]);
  const triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]];
  const sides = outline.map((_, i) => [i, (i + 1) % 6, 6 + ((i + 1) % 6), 6 + i]);
  return {
    vertices: [...at(0), ...at(0.1)],
    faces: [...triangles.map((t) => t.map((i) => i + 6)), ...triangles.map((t) => t.toReversed()), ...sides],
  };
}

/** bodies: ground, cloud, sheet, angle. */
export function makeBeads() {
  const still = { position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] };
  const dynamic = { motion: "dynamic", mass: 1, material: "default" };
  const cell = (i, j) => i * SIDE + j;
  const triangles = [];
  for (let i = 0; i + 1 < SIDE; ++i)
    for (let j = 0; j + 1 < SIDE; ++j)
      triangles.push([cell(i, j), cell(i + 1, j), cell(i, j + 1)], [cell(i + 1, j), cell(i + 1, j + 1), cell(i, j + 1)]);
  const nodes = { count: SIDE * SIDE, radius: RADIUS, quantum: 1e-5 };
  return {
    protocol: 6,
    program: "stickslip 0.1.0",
    name: "made-up beads",
    look_for: "Beads move apart.",
    h: 0.01,
    gravity: [0, 0, -9.81],
    quantum: 1e-6,
    solver: "auto",
    solvers: ["auto", "pgs"],
    bodies: [
      { name: "ground", motion: "fixed", mass: 0, material: "default", parts: [{ shape: { type: "half-space" }, ...still }] },
      { name: "cloud", ...dynamic, parts: [], nodes },
      { name: "sheet", ...dynamic, parts: [], nodes: { ...nodes, triangles } },
      { name: "angle", ...dynamic, parts: [{ shape: { type: "mesh", mesh: 0 }, ...still }] },
    ],
    meshes: [angle()],
    telemetry: [{ name: "contacts", unit: "", help: "contacts" }],
  };
}

/** Beads part along x with time, the sheet bends; in the last of the frames both are gone. */
export function makeBeadsFrame(_, index, last = -1) {
  const time = 0.02 * index;
  const grid = (place) => Array.from({ length: SIDE * SIDE }, (_, n) => place(Math.floor(n / SIDE), n % SIDE));
  const cloud = grid((i, j) => [(0.3 + 0.7 * time) * i - 1.5, 0.3 * j, RADIUS]);
  const sheet = grid((i, j) => [0.3 * i + 0.5, 0.3 * j, 0.2 + 0.3 * time * i * i * 0.1]);
  const state = index === last ? 2 : 0;
  const middle = (places) => [0, 1, 2].map((k) => places.reduce((sum, p) => sum + p[k], 0) / places.length);
  const body = (position, s = 0) => ({ position, orientation: [1, 0, 0, 0], state: s });
  return {
    step: index,
    time,
    bodies: [body([0, 0, 0]), body(middle(cloud), state), body(middle(sheet), state), body([0, -1, 0])],
    nodes: { 1: cloud, 2: sheet },
    contacts: [],
    telemetry: [0],
    history: [],
  };
}

export const makeBeadsFrames = (description, count) =>
  Array.from({ length: count }, (_, i) => makeBeadsFrame(description, i, count - 1));
