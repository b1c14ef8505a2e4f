// The words of docs/viewer-protocol.md as types. SI units, z up, quaternions w, x, y, z.

export const PROTOCOL = 1;

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export type Shape =
  | { type: "sphere"; radius: number }
  | { type: "box"; half_extents: Vec3 }
  | { type: "capsule"; radius: number; half_height: number }
  | { type: "cylinder"; radius: number; half_height: number }
  | { type: "half-space" }
  | { type: "hull"; vertices: Vec3[]; faces: number[][] };

export interface Part {
  shape: Shape;
  position: Vec3;
  orientation_wxyz: Quat;
}

export interface Body {
  name: string;
  motion: "dynamic" | "fixed" | "kinematic";
  mass: number;
  material: string;
  parts: Part[];
}

export interface Column {
  name: string;
  unit: string;
  help: string;
}

export interface Description {
  protocol: number;
  program: string;
  name: string;
  look_for: string;
  h: number;
  gravity: Vec3;
  quantum: number;
  solver: string;
  /** Live only: the names that `set` and `compare` accept. */
  solvers?: string[];
  bodies: Body[];
  telemetry: Column[];
}

export interface ReplayDescription extends Description {
  frames: number;
  contact_stride: number;
  force_unit: number;
  step_of_frame: number[];
  time_of_frame: number[];
}

export const AWAKE = 0;
export const ASLEEP = 1;
export const ABSENT = 2;

/** Contacts as arrays; three numbers to a vector. The normal points from A to B, force [N] and slip [m/s] are those of B. */
export interface Contacts {
  count: number;
  a: Uint32Array;
  b: Uint32Array;
  position: Float32Array;
  normal: Float32Array;
  force: Float32Array;
  gap: Float32Array;
  slip: Float32Array;
  friction: Float32Array;
}

/** Residual [m/s] against iteration of one solve. */
export interface History {
  iteration: Uint32Array;
  residual: Float32Array;
}

/** What the view shows at one instant, from a replay and from a live server alike. */
export interface Frame {
  index: number;
  step: number;
  time: number;
  position: Float64Array;
  orientation: Float32Array;
  state: Uint8Array;
  telemetry: Float32Array;
  /** null: this frame brings none. */
  contacts: Contacts | null;
  history: History | null;
  /** Of the centre of mass, from the difference of two frames [m/s]; null where there is only one. */
  velocity(body: number): Vec3 | null;
}

/** Every frame's telemetry so far: columns in the order of the description. */
export interface TelemetryTable {
  time: ArrayLike<number>;
  columns: ArrayLike<number>[];
}

export interface LiveState {
  running: boolean;
  speed: number;
  solver: string;
  h: number;
  friction: number | null;
  steps_per_second: number;
  viewers: number;
}

export interface Comparison {
  step: number;
  solvers: {
    name: string;
    status: string;
    iterations: number;
    seconds: number;
    residual: number;
    history: [number, number][];
  }[];
}

export function makeContacts(count: number): Contacts {
  return {
    count,
    a: new Uint32Array(count),
    b: new Uint32Array(count),
    position: new Float32Array(3 * count),
    normal: new Float32Array(3 * count),
    force: new Float32Array(3 * count),
    gap: new Float32Array(count),
    slip: new Float32Array(3 * count),
    friction: new Float32Array(count),
  };
}

export function checkDescription(d: Description): void {
  if (d.protocol !== PROTOCOL)
    throw new Error(`This page reads version ${PROTOCOL} of the viewer protocol, the data is of version ${d.protocol}.`);
}
