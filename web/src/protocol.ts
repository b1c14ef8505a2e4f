// The words of docs/viewer-protocol.md as types. SI units, z up, quaternions w, x, y, z.

import { formOf, type Form } from "./forms";

export const PROTOCOL = 6;

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export type Shape =
  | { type: "sphere"; radius: number }
  | { type: "box"; half_extents: Vec3 }
  | { type: "capsule"; radius: number; half_height: number }
  | { type: "cylinder"; radius: number; half_height: number }
  | { type: "half-space" }
  | MeshShape;

export interface MeshShape {
  type: "hull" | "mesh";
  mesh: number;
  form: Form;
  /** Drawn without the colours that its mesh brings. */
  plain?: boolean;
}

/** A mesh that shapes name by its number: faces that are loops, counter-clockwise from outside, or arrays as base64 text. */
export type Mesh = { vertices: Vec3[]; faces: number[][] } | PackedMesh;

export interface PackedMesh {
  name: string;
  /** f32 × 3 per vertex. */
  positions: string;
  /** i16 × 3 per vertex, times 32767. */
  normals: string;
  /** u32 × 3 per triangle. */
  corners: string;
  /** u32 per triangle; none of a skin. */
  facets?: string;
  /** u8 × 4 per vertex: red, green, blue, opacity. */
  colours?: string;
  /** f32 × 2 per vertex: right, up. */
  on_picture?: string;
  /** u32 per triangle, from 1; 0 for none. */
  picture_of?: string;
  /** Numbers of pictures of the description. */
  pictures?: number[];
  /** Its picture is that of the scene, and multiplies the colour that the scene gives a part. */
  textured?: boolean;
  /** It has no inside, and is seen from both sides. */
  open?: boolean;
}

/** What stays the same about a body of nodes. */
export interface Nodes {
  count: number;
  /** Of the bead at every node [m]. */
  radius: number;
  /** Places in frames are whole multiples of it [m]. */
  quantum: number;
  triangles?: [number, number, number][];
  colour?: string;
  /** Of a soft body: what frames tell about the nodes of its surface. */
  fields?: Field[];
  /** Of a soft body: a picture, and for every corner of its triangles right and up on it (f32). */
  texture?: { picture: number; corners: string };
  /** Of the picture. */
  address?: string;
}

/** A value at nodes, coded as k = round(50 log₂(1 + value / from)). */
export interface Field {
  name: string;
  unit: string;
  from: number;
}

export interface Part {
  shape: Shape;
  position: Vec3;
  orientation_wxyz: Quat;
  /** That the scene shows it in: "#rrggbb" or "#rrggbbaa". */
  colour?: string;
  /** Number of the mesh that it is drawn as: the shape with a picture on it. */
  skin?: number;
  /** How much larger along each axis; 1 if it is not there. */
  skin_scale?: Vec3;
  skinForm?: Form;
  /** Of a half-space: number of its picture, width and height of a copy [m]. */
  texture?: { picture: number; size: [number, number] };
  address?: string;
}

export interface Body {
  name: string;
  motion: "dynamic" | "fixed" | "kinematic";
  mass: number;
  material: string;
  parts: Part[];
  /** Only of a body of nodes, which has no parts. */
  nodes?: Nodes;
}

export interface Column {
  name: string;
  unit: string;
  help: string;
}

export type CoordinateName = "x" | "y" | "z" | "turn_x" | "turn_y" | "turn_z";
export const COORDINATES: CoordinateName[] = ["x", "y", "z", "turn_x", "turn_y", "turn_z"];

export interface Place {
  position: Vec3;
  orientation_wxyz: Quat;
}

/** A coordinate that a joint leaves free. Bounds that are not there are infinite. */
export interface FreeCoordinate {
  coordinate: CoordinateName;
  lower?: number;
  upper?: number;
  friction?: number;
  effort?: { force: number; max_force?: number; follows_path?: boolean };
  motor?: { speed: number; max_force?: number };
  servo?: { target: number; stiffness: number; damping: number; max_force?: number; follows_path?: boolean };
  spring?: { rest: number; stiffness: number; damping: number };
}

export interface Joint {
  name: string;
  type:
    | "fixed"
    | "ball"
    | "hinge"
    | "prismatic"
    | "cylindrical"
    | "universal"
    | "planar"
    | "six-dof"
    | "screw"
    | "distance"
    | "gear";
  free: FreeCoordinate[];
  locked: CoordinateName[];
  /** Numbers of the bodies, −1 for the world; not of a gear. */
  a?: number;
  b?: number;
  /** From the centre of mass, in body axes; in the world where there is no body. */
  frame_a?: Place;
  frame_b?: Place;
  length?: number;
  pitch?: number;
  swing_limit?: number;
  break_force?: number;
  break_torque?: number;
  first?: { joint: number; coordinate: CoordinateName };
  second?: { joint: number; coordinate: CoordinateName };
  ratio?: number;
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
  /** Live only: what can be opened in place of this scene. */
  scenes?: SceneEntry[];
  bodies: Body[];
  meshes?: Mesh[];
  /** data: addresses of PNG and JPEG files. */
  pictures?: string[];
  /** Absent in scenes without joints. */
  joints?: Joint[];
  telemetry: Column[];
}

export interface ReplayDescription extends Description {
  frames: number;
  contact_stride: number;
  force_unit: number;
  torque_unit?: number;
  /** Joints are kept in every such frame, from frame 0 on. */
  joint_stride?: number;
  /** Whether contacts tell what of meshes touches. */
  contact_features?: boolean;
  /** Whether contacts that stand for areas have outlines. */
  contact_areas?: boolean;
  /** Whether frames bring the surfaces of what bodies share. */
  contact_overlaps?: boolean;
  /** Fields of soft bodies are kept in every such frame, from frame 0 on. */
  field_stride?: number;
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
  /** What of meshes touches: 1 vertex of A on face of B, 2 face of A under vertex of B, 3 edges, 4 other; 0: no mesh. */
  touch: Uint8Array;
  /** Facets from 1, 0 for none, and the parts of the bodies that they belong to. */
  facetA: Uint32Array;
  facetB: Uint32Array;
  shapeA: Uint16Array;
  shapeB: Uint16Array;
  /** Contacts that stand for areas. */
  areas: ContactArea[];
  /** Surfaces of what bodies share there, if they are known: of each contact none, one or more. */
  overlaps: ContactOverlap[];
}

/** A closed surface around what the bodies of a contact share, from the place of the contact on. */
export interface ContactOverlap {
  contact: number;
  /** Three numbers to a vertex [m]. */
  vertices: Float32Array;
  /** Three vertices to a triangle. */
  triangles: Uint32Array;
}

/** The area of a contact, from the place of the contact on. */
export interface ContactArea {
  contact: number;
  /** Of the volume that the bodies share, in the mean over the area [m]. */
  depth: number;
  /** Centre of the pressure [m]. */
  pressure: Vec3;
  /** Once around, three numbers each [m]. */
  corners: Float32Array;
}

export const JOINT_ACTS = 0;
export const JOINT_BROKEN = 1;
export const JOINT_ABSENT = 2;
export const JOINT_RESTS = 3;
export const JOINT_CONFLICTS = 4;

/**
 * Joints as arrays, in the order of the description. Forces are those on body B at the origin of frame B, world axes [N, N
 * m].
 */
export interface Joints {
  state: Uint8Array;
  error: Float32Array;
  force: Float32Array;
  torque: Float32Array;
  coupling: Float32Array;
  /** Of the free coordinates of all joints, one after the other: those of joint i begin at `first[i]`. */
  first: Uint32Array;
  position: Float32Array;
  velocity: Float32Array;
  motor: Float32Array;
}

/** One joint over time. The arrays of coordinates are one for each free coordinate. */
export interface JointSeries {
  time: ArrayLike<number>;
  position: ArrayLike<number>[];
  motor: ArrayLike<number>[];
  force: ArrayLike<number>;
  torque: ArrayLike<number>;
}

/** One body over time: its centre of mass and the size of the sum of its contact forces. */
export interface BodySeries {
  time: ArrayLike<number>;
  position: ArrayLike<number>[];
  speed: ArrayLike<number>;
  force: ArrayLike<number>;
}

/** Sum of the contact forces on a body [N]: those on B, and their opposites on A. */
export function forceOn(c: Contacts, body: number): { count: number; force: Vec3 } {
  const force: Vec3 = [0, 0, 0];
  let count = 0;
  for (let i = 0; i < c.count; ++i) {
    const sign = (c.b[i] === body ? 1 : 0) - (c.a[i] === body ? 1 : 0);
    if (sign === 0) continue;
    ++count;
    for (let k = 0; k < 3; ++k) force[k]! += sign * c.force[3 * i + k]!;
  }
  return { count, force };
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
  /** Of bodies of nodes, by their number: where the nodes are, three numbers each [m]. */
  nodes: ReadonlyMap<number, Float32Array>;
  /** Of soft bodies, by their number: codes of all fields at the nodes of the surface, field by field; empty: not known. */
  fields: ReadonlyMap<number, Uint16Array>;
  telemetry: Float32Array;
  /** null: this frame brings none. */
  contacts: Contacts | null;
  joints: Joints | null;
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
  /** What would be taken back or done again, in words; empty: nothing. */
  undo?: string;
  redo?: string;
}

/** A command to a live server. */
export type Send = (message: { type: string; [key: string]: unknown }) => void;

export interface SceneEntry {
  name: string;
  look_for: string;
}

export interface Coefficients {
  friction: number;
  restitution: number;
  tangential_restitution: number;
  /** In place of Coulomb's. */
  law?: string;
}

/** What can be changed about a live scene as a whole. */
export interface Surroundings {
  gravity: Vec3;
  materials: (Coefficients & { name: string })[];
  pairs: (Coefficients & { between: [string, string] })[];
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
    touch: new Uint8Array(count),
    facetA: new Uint32Array(count),
    facetB: new Uint32Array(count),
    shapeA: new Uint16Array(count),
    shapeB: new Uint16Array(count),
    areas: [],
    overlaps: [],
  };
}

export function makeJoints(joints: Joint[]): Joints {
  const count = joints.length;
  const first = new Uint32Array(count + 1);
  joints.forEach((joint, i) => (first[i + 1] = first[i]! + joint.free.length));
  const coordinates = first[count]!;
  return {
    state: new Uint8Array(count),
    error: new Float32Array(count),
    force: new Float32Array(3 * count),
    torque: new Float32Array(3 * count),
    coupling: new Float32Array(count),
    first,
    position: new Float32Array(coordinates),
    velocity: new Float32Array(coordinates),
    motor: new Float32Array(coordinates),
  };
}

export function isTurn(coordinate: CoordinateName): boolean {
  return coordinate.startsWith("turn");
}

/** Checks a description, and gives the shapes that name a mesh its numbers. @throws Error */
export function openDescription<D extends Description>(d: D, from: string): D {
  if (d.protocol !== PROTOCOL)
    throw new Error(`This page reads version ${PROTOCOL} of the viewer protocol, ${from} is of version ${d.protocol}.`);
  const pictures = d.pictures ?? [];
  const forms = (d.meshes ?? []).map((mesh) => formOf(mesh, pictures));
  for (const body of d.bodies) {
    const formOfMesh = (mesh: number) => {
      if (forms[mesh]) return forms[mesh];
      throw new Error(`'${body.name}' has mesh ${mesh}, which the description does not bring.`);
    };
    const addressOf = (picture: number) => {
      if (pictures[picture] !== undefined) return pictures[picture];
      throw new Error(`'${body.name}' has picture ${picture}, which the description does not bring.`);
    };
    if (body.nodes?.texture) body.nodes.address = addressOf(body.nodes.texture.picture);
    for (const part of body.parts) {
      const { shape, skin, texture } = part;
      if (shape.type === "hull" || shape.type === "mesh") shape.form = formOfMesh(shape.mesh);
      if (skin !== undefined) part.skinForm = formOfMesh(skin);
      if (texture) part.address = addressOf(texture.picture);
    }
  }
  return d;
}

/** A replay knows whether contacts stand for areas; in a live simulation they may at any time. */
export function mayHaveAreas(d: Description): boolean {
  return !("frames" in d) || (d as ReplayDescription).contact_areas === true;
}

/** Whether contacts of the scene can tell what of meshes touches. */
export function hasMeshes(d: Description): boolean {
  return d.bodies.some((body) => body.parts.some((part) => part.shape.type === "mesh"));
}

/** Places of the nodes of all bodies, to be filled. */
export function makeNodes(bodies: Body[]): Map<number, Float32Array> {
  return new Map(
    bodies.flatMap((body, index) => (body.nodes ? [[index, new Float32Array(3 * body.nodes.count)] as const] : [])),
  );
}

/** Nodes of the surface, ascending: those that fields tell about. */
export function surfaceNodes(nodes: Nodes): Uint32Array {
  return Uint32Array.from(new Set(nodes.triangles?.flat() ?? [])).sort();
}

/** Whether a body of the scene is soft. */
export function hasFields(d: Description): boolean {
  return d.bodies.some((body) => body.nodes?.fields);
}

export function decodedField(code: number, from: number): number {
  return from * (2 ** (code / 50) - 1);
}
