// Binary frames of the live protocol (docs/viewer-protocol.md), applied to the poses known so far.

import { ABSENT, makeContacts, makeJoints, makeNodes } from "./protocol";
import type { Contacts, Description, Frame, History, Joint, Joints, Vec3 } from "./protocol";

const ALL_BODIES = 1;
const CONTACTS = 2;
const HISTORY = 4;
const JOINTS = 8;
const NODES = 16;
const AREAS = 32;
const FIELDS = 64;
const OVERLAPS = 128;

const CONTACT_BYTES = 80;

export class LiveWorld {
  private readonly position_: Float64Array;
  private readonly before_: Float64Array;
  private readonly orientation_: Float32Array;
  private readonly state_: Uint8Array;
  private readonly nodes_: Map<number, Float32Array>;
  private readonly fields_ = new Map<number, Uint16Array>();
  private time_ = NaN;
  private seconds_ = 0;
  private frames_ = 0;

  constructor(readonly description: Description) {
    const bodies = description.bodies.length;
    this.position_ = new Float64Array(3 * bodies);
    this.before_ = new Float64Array(3 * bodies);
    this.orientation_ = new Float32Array(4 * bodies);
    this.state_ = new Uint8Array(bodies).fill(ABSENT);
    this.nodes_ = makeNodes(description.bodies);
  }

  /** @throws Error if the message is not a frame of this scene. */
  apply(message: ArrayBuffer): Frame {
    const view = new DataView(message);
    if (view.byteLength < 20 || view.getUint8(0) !== 1) throw new Error("The server sent a message that is not a frame.");
    const flags = view.getUint8(1);
    const step = view.getUint32(4, true);
    const time = view.getFloat64(8, true);
    const records = view.getUint32(16, true);
    let at = 20;

    this.before_.set(this.position_);
    for (let r = 0; r < records; ++r, at += 28) {
      const body = view.getUint32(at, true);
      if (body >= this.state_.length) throw new Error(`The server sent body ${body}, the scene has ${this.state_.length}.`);
      for (let k = 0; k < 3; ++k)
        this.position_[3 * body + k] = view.getInt32(at + 4 + 4 * k, true) * this.description.quantum;
      for (let k = 0; k < 4; ++k) this.orientation_[4 * body + k] = view.getInt16(at + 16 + 2 * k, true) / 32767;
      this.state_[body] = view.getUint8(at + 24);
    }
    if ((flags & ALL_BODIES) !== 0 && this.frames_ === 0) this.before_.set(this.position_);

    const columns = view.getUint16(at, true);
    at += 4;
    const telemetry = new Float32Array(columns);
    for (let c = 0; c < columns; ++c, at += 4) telemetry[c] = view.getFloat32(at, true);

    let contacts: Contacts | null = null;
    if (flags & CONTACTS) [contacts, at] = readContacts(view, at);
    let history: History | null = null;
    if (flags & HISTORY) [history, at] = readHistory(view, at);
    let joints: Joints | null = null;
    if (flags & JOINTS) [joints, at] = readJoints(view, at, this.description.joints ?? []);
    if (flags & NODES) at = this.readNodes(view, at);
    if (flags & AREAS && contacts) at = readAreas(view, at, contacts);
    if (flags & FIELDS) at = this.readFields(view, at);
    if (flags & OVERLAPS && contacts) readOverlaps(view, at, contacts);

    this.seconds_ = time - this.time_;
    this.time_ = time;
    return {
      index: this.frames_++,
      step,
      time,
      position: this.position_,
      orientation: this.orientation_,
      state: this.state_,
      nodes: this.nodes_,
      fields: this.fields_,
      telemetry,
      contacts,
      joints,
      history,
      velocity: (body) => this.velocity(body),
    };
  }

  private readNodes(view: DataView, at: number): number {
    const bodies = view.getUint32(at, true);
    at += 4;
    for (let b = 0; b < bodies; ++b) {
      const body = view.getUint32(at, true);
      const to = this.nodes_.get(body);
      const numbers = 3 * view.getUint32(at + 4, true);
      at += 8;
      if (to?.length !== numbers)
        throw new Error(`The server sent ${numbers / 3} nodes of body ${body}, the scene has ${(to?.length ?? 0) / 3}.`);
      if (4 * numbers > view.byteLength - at) throw new Error("The server sent a frame that ends too early.");
      const quantum = this.description.bodies[body]!.nodes!.quantum;
      for (let i = 0; i < numbers; ++i, at += 4) to[i] = view.getInt32(at, true) * quantum;
    }
    return at;
  }

  private readFields(view: DataView, at: number): number {
    const bodies = view.getUint32(at, true);
    at += 4;
    for (let b = 0; b < bodies; ++b) {
      const body = view.getUint32(at, true);
      const nodes = this.description.bodies[body]?.nodes;
      const count = view.getUint32(at + 4, true) * (nodes?.fields?.length ?? 0);
      at += 8;
      if (!nodes?.fields || 2 * count > view.byteLength - at) throw new Error("The server sent a frame that ends too early.");
      const codes = new Uint16Array(count);
      for (let i = 0; i < count; ++i, at += 2) codes[i] = view.getUint16(at, true);
      this.fields_.set(body, codes);
    }
    return at;
  }

  private velocity(body: number): Vec3 | null {
    if (!(this.seconds_ > 0)) return null;
    return [0, 1, 2].map((k) => (this.position_[3 * body + k]! - this.before_[3 * body + k]!) / this.seconds_) as Vec3;
  }
}

function readContacts(view: DataView, at: number): [Contacts, number] {
  const count = view.getUint32(at, true);
  at += 4;
  if (count * CONTACT_BYTES > view.byteLength - at) throw new Error("The server sent a frame that ends too early.");
  const c = makeContacts(count);
  for (let i = 0; i < count; ++i, at += CONTACT_BYTES) {
    c.a[i] = view.getUint32(at, true);
    c.b[i] = view.getUint32(at + 4, true);
    for (let k = 0; k < 3; ++k) {
      c.position[3 * i + k] = view.getFloat32(at + 8 + 4 * k, true);
      c.normal[3 * i + k] = view.getFloat32(at + 20 + 4 * k, true);
      c.force[3 * i + k] = view.getFloat32(at + 32 + 4 * k, true);
      c.slip[3 * i + k] = view.getFloat32(at + 48 + 4 * k, true);
    }
    c.gap[i] = view.getFloat32(at + 44, true);
    c.friction[i] = view.getFloat32(at + 60, true);
    c.facetA[i] = view.getUint32(at + 64, true);
    c.facetB[i] = view.getUint32(at + 68, true);
    c.shapeA[i] = view.getUint16(at + 72, true);
    c.shapeB[i] = view.getUint16(at + 74, true);
    c.touch[i] = view.getUint32(at + 76, true);
  }
  return [c, at];
}

/** Outlines come in the world and are kept from the place of their contact on. */
function readAreas(view: DataView, at: number, c: Contacts): number {
  const count = view.getUint32(at, true);
  at += 4;
  for (let i = 0; i < count; ++i) {
    const contact = view.getUint32(at, true);
    const corners = view.getUint32(at + 4, true);
    const depth = view.getFloat32(at + 8, true);
    at += 12;
    if (contact >= c.count || 12 * (corners + 1) > view.byteLength - at)
      throw new Error("The server sent a frame that ends too early.");
    const place = () => [0, 1, 2].map((k) => view.getFloat32((at += 4) - 4, true) - c.position[3 * contact + k]!) as Vec3;
    const area = { contact, depth, pressure: place(), corners: new Float32Array(3 * corners) };
    for (let k = 0; k < corners; ++k) area.corners.set(place(), 3 * k);
    c.areas.push(area);
  }
  return at;
}

function readOverlaps(view: DataView, at: number, c: Contacts): void {
  const count = view.getUint32(at, true);
  at += 4;
  for (let i = 0; i < count; ++i) {
    const contact = view.getUint32(at, true);
    const vertices = new Float32Array(3 * view.getUint32(at + 4, true));
    const triangles = new Uint32Array(3 * view.getUint32(at + 8, true));
    at += 12;
    if (contact >= c.count || 4 * (vertices.length + triangles.length) > view.byteLength - at)
      throw new Error("The server sent a frame that ends too early.");
    for (let k = 0; k < vertices.length; ++k, at += 4) vertices[k] = view.getFloat32(at, true);
    for (let k = 0; k < triangles.length; ++k, at += 4) triangles[k] = view.getUint32(at, true);
    if (triangles.some((corner) => 3 * corner >= vertices.length)) throw new Error("The server sent a surface without its vertices.");
    c.overlaps.push({ contact, vertices, triangles });
  }
}

function readHistory(view: DataView, at: number): [History, number] {
  const count = view.getUint32(at, true);
  at += 4;
  if (count * 8 > view.byteLength - at) throw new Error("The server sent a frame that ends too early.");
  const history = { iteration: new Uint32Array(count), residual: new Float32Array(count) };
  for (let i = 0; i < count; ++i, at += 8) {
    history.iteration[i] = view.getUint32(at, true);
    history.residual[i] = view.getFloat32(at + 4, true);
  }
  return [history, at];
}

function readJoints(view: DataView, at: number, described: Joint[]): [Joints, number] {
  const count = view.getUint32(at, true);
  at += 4;
  if (count !== described.length) throw new Error(`The server sent ${count} joints, the scene has ${described.length}.`);
  const joints = makeJoints(described);
  const coordinates = joints.position.length;
  if (36 * count + 12 * coordinates > view.byteLength - at) throw new Error("The server sent a frame that ends too early.");
  const next = () => view.getFloat32((at += 4) - 4, true);
  for (let i = 0; i < count; ++i) {
    joints.state[i] = view.getUint8(at);
    at += 4;
    joints.error[i] = next();
    for (let k = 0; k < 3; ++k) joints.force[3 * i + k] = next();
    for (let k = 0; k < 3; ++k) joints.torque[3 * i + k] = next();
    joints.coupling[i] = next();
    for (let c = joints.first[i]!; c < joints.first[i + 1]!; ++c) {
      joints.position[c] = next();
      joints.velocity[c] = next();
      joints.motor[c] = next();
    }
  }
  return [joints, at];
}
