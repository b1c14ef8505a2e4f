// The replay stream of docs/viewer-protocol.md: bytes in, arrays out.

import { isTurn, makeContacts, makeJoints, openDescription, PROTOCOL, surfaceNodes } from "./protocol";
import type { Contacts, History, Joints, ReplayDescription, Vec3 } from "./protocol";

/** Poses are kept as the integers of the stream: channel by channel, body by body, frame by frame. */
export interface Replay {
  description: ReplayDescription;
  /** Position over quantum, three channels; what leaves 32 bits is held at their limit. */
  position: [Int32Array, Int32Array, Int32Array];
  /** Quaternion times 32767, four channels. */
  orientation: [Int16Array, Int16Array, Int16Array, Int16Array];
  state: Uint8Array;
  /** Of bodies of nodes, by their number: places over the quantum of the body, frame by frame, node by node, three each. */
  nodes: Map<number, Int32Array>;
  /** Per kept frame. Positions are relative to body A, or to the world origin where A is fixed. */
  contacts: Contacts[];
  telemetry: Float32Array[];
  histories: History[];
  /** Per frame that kept them; none in a scene without joints. */
  joints: Joints[];
  /** Per frame that kept them, by number of the body: codes of all fields. */
  fields: Map<number, Uint16Array>[];
}

/** Undoes zlib with what the browser brings. */
export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
  at = 0;
  private readonly view: DataView;
  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  take(count: number): number {
    const from = this.at;
    if (count < 0 || from + count > this.bytes.length) throw new Error("The replay ends too early.");
    this.at += count;
    return from;
  }
  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  f32(): number {
    return this.view.getFloat32(this.take(4), true);
  }
  text(count: number): string {
    const from = this.take(count);
    return new TextDecoder().decode(this.bytes.subarray(from, from + count));
  }
  /** Zig-zag: 0, −1, 1, −2, … Up to 53 bits. */
  varint(): number {
    const bytes = this.bytes;
    let value = 0;
    let unit = 1;
    for (;;) {
      if (this.at >= bytes.length) throw new Error("The replay ends too early.");
      const byte = bytes[this.at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) break;
      unit *= 128;
      if (unit > 2 ** 56) throw new Error("The replay holds a number that is too long.");
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** Running sums of the differences, frame after frame, for every body. */
function decodeChannel(
  reader: Reader,
  out: Int32Array | Int16Array | Uint8Array,
  bodies: number,
  frames: number,
  limit: number,
): void {
  let at = 0;
  for (let body = 0; body < bodies; ++body) {
    let value = 0;
    for (let frame = 0; frame < frames; ++frame) {
      value += reader.varint();
      out[at++] = value > limit ? limit : value < -limit ? -limit : value;
    }
  }
}

/** Differences from the straight and even way on: where the frame before was, and as far again as it had come. */
function decodeNodes(reader: Reader, description: ReplayDescription): Map<number, Int32Array> {
  const frames = description.frames;
  const all = new Map<number, Int32Array>();
  description.bodies.forEach(({ nodes }, body) => {
    if (!nodes) return;
    const width = 3 * nodes.count;
    if (width * frames > reader.bytes.length - reader.at) throw new Error("The replay ends too early.");
    const places = new Int32Array(width * frames);
    for (let axis = 0; axis < 3; ++axis)
      for (let node = 0; node < nodes.count; ++node) {
        let last = 0;
        let step = 0;
        for (let frame = 0, at = 3 * node + axis; frame < frames; ++frame, at += width) {
          const now = last + step + reader.varint();
          step = frame > 0 ? now - last : 0;
          places[at] = last = now;
        }
      }
    all.set(body, places);
  });
  return all;
}

function decodeContacts(reader: Reader, kept: number, quantum: number, forceUnit: number, features: boolean): Contacts[] {
  const all: Contacts[] = [];
  for (let k = 0; k < kept; ++k) all.push(makeContacts(reader.varint()));
  const channel = (put: (c: Contacts, i: number, value: number) => void) => {
    for (const c of all) for (let i = 0; i < c.count; ++i) put(c, i, reader.varint());
  };
  channel((c, i, v) => (c.a[i] = v));
  channel((c, i, v) => (c.b[i] = v));
  for (let k = 0; k < 3; ++k) channel((c, i, v) => (c.position[3 * i + k] = v * quantum));
  for (let k = 0; k < 3; ++k) channel((c, i, v) => (c.normal[3 * i + k] = v / 127));
  for (let k = 0; k < 3; ++k) channel((c, i, v) => (c.force[3 * i + k] = (v * forceUnit) / 1000));
  channel((c, i, v) => (c.gap[i] = v * quantum));
  for (let k = 0; k < 3; ++k) channel((c, i, v) => (c.slip[3 * i + k] = v * 1e-6));
  channel((c, i, v) => (c.friction[i] = v / 1000));
  if (!features) return all;
  channel((c, i, v) => (c.touch[i] = v));
  channel((c, i, v) => (c.facetA[i] = v));
  channel((c, i, v) => (c.facetB[i] = v));
  channel((c, i, v) => (c.shapeA[i] = v));
  channel((c, i, v) => (c.shapeB[i] = v));
  return all;
}

function decodeAreas(reader: Reader, contacts: Contacts[], quantum: number): void {
  const place = () => [0, 1, 2].map(() => reader.varint() * quantum) as Vec3;
  for (const c of contacts) {
    const count = reader.varint();
    for (let i = 0; i < count; ++i) {
      const contact = reader.varint();
      const corners = reader.varint();
      if (!(contact >= 0 && contact < c.count) || !(corners >= 0 && 3 * corners <= reader.bytes.length - reader.at))
        throw new Error("The replay has an area that belongs to no contact.");
      const depth = (reader.varint() * quantum) / 1000;
      const area = { contact, depth, pressure: place(), corners: new Float32Array(3 * corners) };
      for (let k = 0; k < corners; ++k) area.corners.set(place(), 3 * k);
      c.areas.push(area);
    }
  }
}

function decodeOverlaps(reader: Reader, contacts: Contacts[], quantum: number): void {
  for (const c of contacts) {
    const surfaces = reader.varint();
    for (let i = 0; i < surfaces; ++i) {
      const contact = reader.varint();
      const sized = () => {
        const count = 3 * reader.varint();
        if (!(contact >= 0 && contact < c.count) || !(count >= 0 && count <= reader.bytes.length - reader.at))
          throw new Error("The replay has an overlap that belongs to no contact.");
        return count;
      };
      let value = 0;
      const vertices = new Float32Array(sized());
      const count = vertices.length / 3;
      for (let k = 0; k < 3; ++k)
        for (let v = 0; v < count; ++v) vertices[3 * v + k] = ((value += reader.varint()) * quantum) / 1000;
      value = 0;
      const triangles = Uint32Array.from({ length: sized() }, () => (value += reader.varint()));
      if (triangles.some((corner) => corner >= count)) throw new Error("The replay has a surface without its vertices.");
      c.overlaps.push({ contact, vertices, triangles });
    }
  }
}

function decodeJoints(reader: Reader, description: ReplayDescription): Joints[] {
  const described = description.joints ?? [];
  if (described.length === 0) return [];
  const kept = Math.ceil(description.frames / (description.joint_stride ?? 1));
  const frames = Array.from({ length: kept }, () => makeJoints(described));
  const newton = (description.force_unit ?? 1) / 1000;
  const newtonMetre = (description.torque_unit ?? 1) / 1000;
  const channel = (unit: number, put: (frame: Joints, value: number) => void) => {
    let value = 0;
    for (const frame of frames) {
      value += reader.varint();
      put(frame, value * unit);
    }
  };
  described.forEach((joint, i) => {
    channel(1, (f, v) => (f.state[i] = v));
    channel(description.quantum / 1000, (f, v) => (f.error[i] = v));
    for (let k = 0; k < 3; ++k) channel(newton, (f, v) => (f.force[3 * i + k] = v));
    for (let k = 0; k < 3; ++k) channel(newtonMetre, (f, v) => (f.torque[3 * i + k] = v));
    channel(newton, (f, v) => (f.coupling[i] = v));
    joint.free.forEach(({ coordinate }, c) => {
      const turn = isTurn(coordinate);
      channel(turn ? 1e-5 : description.quantum, (f, v) => (f.position[f.first[i]! + c] = v));
      channel(1e-6, (f, v) => (f.velocity[f.first[i]! + c] = v));
      channel(turn ? newtonMetre : newton, (f, v) => (f.motor[f.first[i]! + c] = v));
    });
  });
  return frames;
}

/** Differences from the frame before, for every field and node of a surface. */
function decodeFields(reader: Reader, description: ReplayDescription): Map<number, Uint16Array>[] {
  if (!description.field_stride) return [];
  const kept = Math.ceil(description.frames / description.field_stride);
  const all = Array.from({ length: kept }, () => new Map<number, Uint16Array>());
  description.bodies.forEach(({ nodes }, body) => {
    if (!nodes?.fields) return;
    const width = nodes.fields.length * surfaceNodes(nodes).length;
    if (width * kept > reader.bytes.length - reader.at) throw new Error("The replay ends too early.");
    for (const frame of all) frame.set(body, new Uint16Array(width));
    for (let k = 0; k < width; ++k) {
      let code = 0;
      for (const frame of all) frame.get(body)![k] = code += reader.varint();
    }
  });
  return all;
}

export function decodeReplay(bytes: Uint8Array): Replay {
  const reader = new Reader(bytes);
  if (reader.text(8) !== "SLREPLAY") throw new Error("This is not a Stickslip replay.");
  const version = reader.u32();
  if (version !== PROTOCOL)
    throw new Error(`This page reads version ${PROTOCOL} of the replay, this one is of version ${version}.`);
  const description = openDescription(JSON.parse(reader.text(reader.u32())) as ReplayDescription, "the replay");

  const bodies = description.bodies.length;
  const frames = description.frames;
  const kept = Math.ceil(frames / description.contact_stride);
  const size = bodies * frames;
  const position = [0, 1, 2].map(() => new Int32Array(size)) as Replay["position"];
  const orientation = [0, 1, 2, 3].map(() => new Int16Array(size)) as Replay["orientation"];
  const state = new Uint8Array(size);
  for (const channel of position) decodeChannel(reader, channel, bodies, frames, 2 ** 31 - 1);
  for (const channel of orientation) decodeChannel(reader, channel, bodies, frames, 32767);
  decodeChannel(reader, state, bodies, frames, 255);
  const nodes = decodeNodes(reader, description);

  const contacts = decodeContacts(reader, kept, description.quantum, description.force_unit ?? 1, description.contact_features ?? false);
  const telemetry = description.telemetry.map(() => {
    const column = new Float32Array(frames);
    for (let f = 0; f < frames; ++f) column[f] = reader.f32();
    return column;
  });
  const histories: History[] = [];
  for (let k = 0; k < kept; ++k) {
    const count = reader.u32();
    if (count * 8 > bytes.length - reader.at) throw new Error("The replay ends too early.");
    const history = { iteration: new Uint32Array(count), residual: new Float32Array(count) };
    for (let i = 0; i < count; ++i) {
      history.iteration[i] = reader.u32();
      history.residual[i] = reader.f32();
    }
    histories.push(history);
  }
  const joints = decodeJoints(reader, description);
  if (description.contact_areas) decodeAreas(reader, contacts, description.quantum);
  if (description.contact_overlaps) decodeOverlaps(reader, contacts, description.quantum);
  const fields = decodeFields(reader, description);
  return { description, position, orientation, state, nodes, contacts, telemetry, histories, joints, fields };
}
