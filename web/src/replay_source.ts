// A decoded replay as a sequence of frames.

import { forceOn, makeNodes, type BodySeries, type Contacts, type Frame, type JointSeries, type TelemetryTable, type Vec3 } from "./protocol";
import type { Replay } from "./replay_decode";

export class ReplaySource {
  readonly kind = "replay";
  readonly count: number;
  private readonly position_: Float64Array;
  private readonly orientation_: Float32Array;
  private readonly state_: Uint8Array;
  private readonly nodes_: Map<number, Float32Array>;
  private places_ = new Float32Array(0);

  constructor(readonly replay: Replay) {
    const bodies = this.description.bodies.length;
    this.count = this.description.frames;
    this.position_ = new Float64Array(3 * bodies);
    this.orientation_ = new Float32Array(4 * bodies);
    this.state_ = new Uint8Array(bodies);
    this.nodes_ = makeNodes(this.description.bodies);
  }

  get description() {
    return this.replay.description;
  }

  time(index: number): number {
    return this.description.time_of_frame[index] ?? 0;
  }

  /** The last frame that is not after the time. */
  frameAt(time: number): number {
    const times = this.description.time_of_frame;
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle]! <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The arrays of a frame are overwritten by the next call. */
  frame(index: number): Frame {
    const { position, orientation, state, telemetry, histories } = this.replay;
    const quantum = this.description.quantum;
    const frames = this.count;
    const bodies = this.state_.length;
    for (let body = 0, at = index; body < bodies; ++body, at += frames) {
      for (let k = 0; k < 3; ++k) this.position_[3 * body + k] = position[k]![at]! * quantum;
      for (let k = 0; k < 4; ++k) this.orientation_[4 * body + k] = orientation[k]![at]! / 32767;
      this.state_[body] = state[at]!;
    }
    for (const [body, to] of this.nodes_) this.placeNodes(index, body, to);
    return {
      index,
      step: this.description.step_of_frame[index] ?? index,
      time: this.time(index),
      position: this.position_,
      orientation: this.orientation_,
      state: this.state_,
      nodes: this.nodes_,
      fields: this.replay.fields[Math.floor(index / (this.description.field_stride ?? 1))] ?? new Map(),
      telemetry: Float32Array.from(telemetry, (column) => column[index]!),
      contacts: this.contactsAt(index),
      joints: this.replay.joints[Math.floor(index / (this.description.joint_stride ?? 1))] ?? null,
      history: histories[Math.floor(index / this.description.contact_stride)] ?? null,
      velocity: (body) => this.velocity(index, body),
    };
  }

  private placeNodes(index: number, body: number, to: Float32Array): void {
    const quantum = this.description.bodies[body]!.nodes!.quantum;
    const from = this.replay.nodes.get(body)!;
    for (let i = 0, at = index * to.length; i < to.length; ++i, ++at) to[i] = from[at]! * quantum;
  }

  table(): TelemetryTable {
    return { time: this.description.time_of_frame, columns: this.replay.telemetry };
  }

  jointSeries(joint: number): JointSeries {
    const stride = this.description.joint_stride ?? 1;
    const frames = this.replay.joints;
    const size = (v: Float32Array) => Math.hypot(v[3 * joint]!, v[3 * joint + 1]!, v[3 * joint + 2]!);
    const coordinates = (this.description.joints?.[joint]?.free ?? []).map((_, c) => c);
    const values = (name: "position" | "motor") => coordinates.map((c) => frames.map((f) => f[name][f.first[joint]! + c]!));
    return { time: frames.map((_, k) => this.time(k * stride)), position: values("position"), motor: values("motor"),
      force: frames.map((f) => size(f.force)), torque: frames.map((f) => size(f.torque)) };
  }

  /** Contacts of the last frame that kept them; their places move along with body A in between. */
  private contactsAt(index: number): Contacts | null {
    const all = this.replay.contacts;
    let kept = all[Math.floor(index / this.description.contact_stride)];
    // No step leads to the first frame; what touches there is what the first step found.
    if (index === 0 && kept?.count === 0) kept = all[1] ?? kept;
    if (!kept) return null;
    if (this.places_.length < 3 * kept.count) this.places_ = new Float32Array(6 * kept.count);
    const placed = { ...kept, position: this.places_ };
    for (let i = 0; i < kept.count; ++i) {
      const a = kept.a[i]!;
      const fixed = this.description.bodies[a]?.motion === "fixed";
      for (let k = 0; k < 3; ++k)
        placed.position[3 * i + k] = kept.position[3 * i + k]! + (fixed ? 0 : this.position_[3 * a + k]!);
    }
    return placed;
  }

  /** The way of a body until a frame, in at most so many points. */
  trail(body: number, index: number, points: number): Float64Array {
    const { position, state } = this.replay;
    const stride = Math.max(1, Math.ceil((index + 1) / points));
    const places: number[] = [];
    for (let f = index % stride; f <= index; f += stride) {
      const at = body * this.count + f;
      if (state[at] !== 2) for (let k = 0; k < 3; ++k) places.push(position[k]![at]! * this.description.quantum);
    }
    return Float64Array.from(places);
  }

  /** What a body did over time. */
  bodySeries(body: number): BodySeries {
    const { position } = this.replay;
    const quantum = this.description.quantum;
    const time = this.description.time_of_frame;
    const places = [0, 1, 2].map((k) => time.map((_, f) => position[k]![body * this.count + f]! * quantum));
    const speed = time.map((_, f) => Math.hypot(...(this.velocity(f, body) ?? [NaN])));
    const stride = this.description.contact_stride;
    const kept = this.replay.contacts;
    const force = time.map((_, f) => {
      const sum = f > 0 && kept[Math.floor(f / stride)] ? forceOn(kept[Math.floor(f / stride)]!, body) : null;
      return sum ? Math.hypot(...sum.force) : NaN;
    });
    return { time, position: places, speed, force };
  }

  private velocity(index: number, body: number): Vec3 | null {
    if (this.count < 2) return null;
    const later = Math.max(index, 1);
    const at = body * this.count + later;
    const seconds = this.time(later) - this.time(later - 1);
    if (!(seconds > 0) || this.replay.state[at] === 2 || this.replay.state[at - 1] === 2) return null;
    const scale = this.description.quantum / seconds;
    return this.replay.position.map((channel) => (channel[at]! - channel[at - 1]!) * scale) as Vec3;
  }
}
