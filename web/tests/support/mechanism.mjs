// A made-up scene with one joint of every type. Bodies move as if the joints held; one joint breaks, one is apart, two
// contradict each other.

const still = { position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] };
const about = ([x, y, z], angle) => [
  Math.cos(angle / 2),
  x * Math.sin(angle / 2),
  y * Math.sin(angle / 2),
  z * Math.sin(angle / 2),
];
/** Joint frames whose z is the y of the world: hinges turn in the plane of the picture. */
const turned = about([1, 0, 0], -Math.PI / 2);
const box = (name, half_extents) => ({
  name,
  motion: "dynamic",
  mass: 2,
  material: "default",
  parts: [{ shape: { type: "box", half_extents }, ...still }],
});
const TYPES = [
  "hinge",
  "prismatic",
  "ball",
  "distance",
  "distance",
  "distance",
  "universal",
  "cylindrical",
  "planar",
  "screw",
  "six-dof",
  "fixed",
];
const ALL = ["x", "y", "z", "turn_x", "turn_y", "turn_z"];
const FREE = {
  hinge: ["turn_z"],
  prismatic: ["z"],
  ball: ["turn_x", "turn_y", "turn_z"],
  distance: ["x"],
  universal: ["turn_x", "turn_z"],
  cylindrical: ["z", "turn_z"],
  planar: ["x", "y", "turn_z"],
  screw: ["z", "turn_z"],
  "six-dof": ["x", "turn_z"],
  fixed: [],
};
const NAMES = ["elbow", "slider", "socket", "rod", "rope", "spring", "cross", "sleeve", "table", "bolt", "free", "weld"];

export const BREAKS_AT = 20;

/** Joint 0 … 11 by name above, then two wheels with a gear between them. */
export function makeMechanism() {
  const joints = NAMES.map((name, i) => {
    const type = TYPES[i];
    const locked = type === "distance" ? [] : ALL.filter((c) => !FREE[type].includes(c));
    const joint = {
      name,
      type,
      a: -1,
      b: i + 1,
      locked,
      free: FREE[type].map((coordinate) => ({ coordinate })),
      frame_a: { position: placeOf(i), orientation_wxyz: type === "hinge" ? turned : [1, 0, 0, 0] },
      frame_b: {
        position: type === "distance" ? [0, 0, 0] : [0, 0, 0.3],
        orientation_wxyz: type === "hinge" ? turned : [1, 0, 0, 0],
      },
    };
    return joint;
  });
  Object.assign(joints[0].free[0], {
    lower: -1,
    upper: 0.7,
    servo: { target: 0.2, stiffness: 100, damping: 5, max_force: 50 },
  });
  Object.assign(joints[1].free[0], { lower: -0.4, upper: 0.3, motor: { speed: 0.5, max_force: 30 } });
  joints[2].swing_limit = 0.7;
  joints[3].free = [];
  joints[3].length = 0.6;
  joints[4].free[0].upper = 0.9;
  joints[5].free[0].spring = { rest: 0.5, stiffness: 50, damping: 1 };
  joints[9].pitch = 0.05;
  const wheel = (name, b, position) => ({
    name,
    type: "hinge",
    a: -1,
    b,
    locked: ALL.slice(0, 5),
    free: [{ coordinate: "turn_z", motor: { speed: 3 } }],
    frame_a: { position, orientation_wxyz: turned },
    frame_b: { position: [0, 0, 0], orientation_wxyz: turned },
  });
  joints.push(wheel("first", 13, [0, 0, 0.6]), wheel("second", 14, [1.2, 0, 0.6]));
  joints.push({
    name: "gear",
    type: "gear",
    free: [],
    locked: [],
    first: { joint: 12, coordinate: "turn_z" },
    second: { joint: 13, coordinate: "turn_z" },
    ratio: -0.5,
  });
  const disc = (name, radius) => ({
    ...box(name, [1, 1, 1]),
    parts: [{ shape: { type: "cylinder", radius, half_height: 0.05 }, position: [0, 0, 0], orientation_wxyz: turned }],
  });
  return {
    protocol: 6,
    program: "stickslip 0.1.0",
    name: "made-up joints",
    look_for: "Every joint does what its type lets it do.",
    h: 0.01,
    gravity: [0, 0, -9.81],
    quantum: 1e-6,
    torque_unit: 0.01,
    solver: "auto",
    solvers: ["auto", "pgs"],
    bodies: [
      { name: "ground", motion: "fixed", mass: 0, material: "default", parts: [{ shape: { type: "half-space" }, ...still }] },
      ...NAMES.map((name) => box(`${name} body`, [0.1, 0.06, 0.16])),
      disc("small wheel", 0.25),
      disc("large wheel", 0.5),
    ],
    joints,
    telemetry: [
      ["h", "s"],
      ["joints", ""],
      ["joint_error_max", "m"],
      ["work_of_motors", "J"],
    ].map(([name, unit]) => ({ name, unit, help: name })),
  };
}

function placeOf(i) {
  return [(i % 6) * 1.2, i < 6 ? 0 : 1.6, 2.2];
}

export function makeMechanismFrame(description, index) {
  const time = index * 0.02;
  const swing = 0.6 * Math.sin(3 * time);
  const bodies = description.bodies.map((_, b) => {
    if (b === 0) return { position: [0, 0, 0], orientation: [1, 0, 0, 0], state: 0 };
    if (b > 12)
      return {
        position: b === 13 ? [0, 0, 0.6] : [1.2, 0, 0.6],
        orientation: about([0, 1, 0], b === 13 ? 2 * time : -time),
        state: 0,
      };
    const i = b - 1;
    const [x, y, z] = placeOf(i);
    const hang = (angle) => ({
      position: [x - 0.3 * Math.sin(angle), y, z - 0.3 * Math.cos(angle)],
      orientation: about([0, 1, 0], angle),
      state: 0,
    });
    const down = (length, aside = 0) => ({ position: [x + aside, y, z - length], orientation: [1, 0, 0, 0], state: 0 });
    switch (NAMES[i]) {
      case "elbow":
        return hang(swing);
      case "socket": {
        // Apart by 6 cm along x.
        const p = hang(0.5 * swing);
        return { ...p, position: [p.position[0] + 0.06, p.position[1], p.position[2]] };
      }
      case "cross":
        return {
          position: [x, y + 0.3 * Math.sin(swing), z - 0.3 * Math.cos(swing)],
          orientation: about([1, 0, 0], swing),
          state: 0,
        };
      case "slider":
        return down(0.3 - 0.3 * swing);
      case "sleeve":
        return { ...down(0.3 - 0.2 * swing), orientation: about([0, 0, 1], 2 * time) };
      case "bolt":
        return { ...down(0.3), orientation: about([0, 0, 1], 2 * time) };
      case "table":
        return down(0.3, 0.3 * swing);
      case "rod":
        return down(0.6);
      case "rope":
        return down(index < BREAKS_AT ? 0.9 : 0.9 + (index - BREAKS_AT) * 0.01);
      case "spring":
        return down(0.55 + 0.1 * swing);
      default:
        return down(0.3);
    }
  });
  const joints = description.joints.map((joint, i) => {
    const name = joint.name;
    const state = name === "rope" && index >= BREAKS_AT ? 1 : name === "weld" || name === "free" ? 4 : 0;
    const broken = state === 1;
    const position =
      name === "elbow"
        ? [swing]
        : name === "slider"
          ? [0.3 * swing]
          : name === "first"
            ? [2 * time]
            : joint.free.map((_, c) => 0.1 * c);
    return {
      state,
      error: name === "socket" ? 0.06 : 1e-7 * i,
      force: broken ? [0, 0, 0] : [3 * swing, 0, 19.62],
      torque: broken ? [0, 0, 0] : [0, 0.5 * swing, 0],
      coupling: name === "gear" ? 1.5 : 0,
      position,
      velocity: joint.free.map(() => 1.8 * Math.cos(3 * time)),
      motor: joint.free.map((free) => (free.motor || free.servo ? 4 * swing : 0)),
    };
  });
  return { step: index * 2, time, bodies, contacts: [], joints, history: [],
    telemetry: [index === 0 ? 0 : 0.01, joints.length, 0.06, 0.01 * index] };
}

export function makeMechanismFrames(description, count = 60) {
  return Array.from({ length: count }, (_, i) => makeMechanismFrame(description, i));
}
