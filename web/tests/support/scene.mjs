// A small made-up scene: one body of every shape falls onto the ground and slides along x.

const still = { position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] };
const octahedron = {
  vertices: [[0.3, 0, 0], [-0.3, 0, 0], [0, 0.3, 0], [0, -0.3, 0], [0, 0, 0.3], [0, 0, -0.3]],
  faces: [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]],
};
const shapes = [
  { type: "box", half_extents: [0.3, 0.2, 0.2] },
  { type: "sphere", radius: 0.25 },
  { type: "capsule", radius: 0.15, half_height: 0.25 },
  { type: "cylinder", radius: 0.2, half_height: 0.25 },
  { type: "hull", mesh: 0 },
];
const columns = [
  ["contacts", ""],
  ["iterations", ""],
  ["tolerance", "m/s"],
  ["residual", "m/s"],
  ["residual_cone", "m/s"],
  ["kinetic_energy", "J"],
  ["potential_energy", "J"],
  ["dissipated_by_friction", "J"],
  ["momentum_x", "kg m/s"],
  ["momentum_z", "kg m/s"],
  ["seconds_solve", "s"],
  ["seconds_narrow", "s"],
];

/** bodies: ground, then `count` bodies whose shapes take turns. */
export function makeDescription(count = 10) {
  return {
    protocol: 6,
    program: "stickslip 0.1.0",
    name: "made-up",
    look_for: "Every body falls, lands and slides along x.",
    h: 0.01,
    gravity: [0, 0, -9.81],
    quantum: 1e-6,
    solver: "auto",
    solvers: ["auto", "accelerated-nsgs", "pgs"],
    bodies: [
      { name: "ground", motion: "fixed", mass: 0, material: "default", parts: [{ shape: { type: "half-space" }, ...still }] },
      ...Array.from({ length: count }, (_, i) => ({
        name: `${shapes[i % 5].type}-${i}`,
        motion: "dynamic",
        mass: 1 + i,
        material: "default",
        parts: [{ shape: shapes[i % 5], ...still }],
      })),
    ],
    meshes: [octahedron],
    telemetry: columns.map(([name, unit]) => ({ name, unit, help: name })),
  };
}

const columnsOfGrid = 5;

export function makeFrame(description, index) {
  const time = index * 0.02;
  const bodies = description.bodies.map((_, b) => {
    if (b === 0) return { position: [0, 0, 0], orientation: [1, 0, 0, 0], state: 0 };
    const i = b - 1;
    const start = 0.9 + 0.1 * (i % 3);
    const z = Math.max(0.3, start - 4.9 * time * time);
    const landed = z === 0.3;
    const angle = 0.4 * time * (i % 5);
    return {
      position: [(i % columnsOfGrid) * 0.9 + 0.8 * time, Math.floor(i / columnsOfGrid) * 0.9, z],
      orientation: [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)],
      state: landed && i === 3 ? 1 : 0,
    };
  });
  const contacts = description.bodies.flatMap((body, b) => {
    if (b === 0 || bodies[b].position[2] > 0.3) return [];
    const weight = body.mass * 9.81;
    const [x, y] = bodies[b].position;
    const slide = b % 2 === 0 ? 0.3 : 0;
    return [-1, 0, 1].map((k) => ({
      a: 0,
      b,
      position: [x + 0.2 * k, y + (k === 0 ? 0.15 : -0.1), 0],
      normal: [0, 0, 1],
      force: [(-0.1 * weight) / 3, 0, weight / 3],
      gap: -1e-4 * (k + 2),
      slip: [slide, 0, 0],
      friction: 0.5,
    }));
  });
  const telemetry = [
    contacts.length,
    10 + (index % 7),
    1e-6,
    1e-7 * (1 + (index % 5)),
    5e-8,
    10 * time,
    50 - 9 * time,
    0.01 * time,
    3,
    -2 * time,
    2e-4,
    1e-4,
  ];
  const history = Array.from({ length: 10 + (index % 7) }, (_, i) => [i, 10 ** (-1 - 0.5 * i)]);
  return { step: index * 2, time, bodies, contacts, telemetry, history };
}

export function makeFrames(description, count = 60) {
  return Array.from({ length: count }, (_, i) => makeFrame(description, i));
}
