// The last frames of a live simulation: one can go back to them, and bodies leave trails.

import { forceOn, type BodySeries, type Frame } from "./protocol";

/** Numbers that are kept at most; a frame of a thousand bodies has about eight thousand. */
const MOST_NUMBERS = 12e6;
const MOST_FRAMES = 1800;

export class PastFrames {
  private frames_: Frame[] = [];
  private numbers_ = 0;

  get count(): number {
    return this.frames_.length;
  }
  frame(index: number): Frame | undefined {
    return this.frames_[index];
  }

  clear(): void {
    this.frames_ = [];
    this.numbers_ = 0;
  }

  /** Keeps a copy. A frame of the same step, with more in it, replaces the one before; one of an earlier step is a new start. */
  add(frame: Frame): void {
    const last = this.frames_.at(-1);
    if (last && frame.step < last.step) this.clear();
    if (last?.step === frame.step) this.numbers_ -= sizeOf(this.frames_.pop()!);
    this.frames_.push(copyOf(frame));
    this.numbers_ += sizeOf(frame);
    while (this.frames_.length > MOST_FRAMES || (this.numbers_ > MOST_NUMBERS && this.frames_.length > 2))
      this.numbers_ -= sizeOf(this.frames_.shift()!);
  }

  /** The way of a body until a step, in at most so many points. */
  trail(body: number, step: number, points: number): Float64Array {
    const until = this.frames_.filter((frame) => frame.step <= step);
    const stride = Math.max(1, Math.ceil(until.length / points));
    const places: number[] = [];
    for (let i = (until.length - 1) % stride; i < until.length; i += stride)
      places.push(...until[i]!.position.subarray(3 * body, 3 * body + 3));
    return Float64Array.from(places);
  }

  bodySeries(body: number): BodySeries {
    const of = this.frames_;
    return {
      time: of.map((f) => f.time),
      position: [0, 1, 2].map((k) => of.map((f) => f.position[3 * body + k]!)),
      speed: of.map((f) => Math.hypot(...(f.velocity(body) ?? [NaN]))),
      force: of.map((f) => (f.contacts ? Math.hypot(...forceOn(f.contacts, body).force) : NaN)),
    };
  }
}

function sizeOf(frame: Frame): number {
  let sum = 8 * frame.state.length + 20 * (frame.contacts?.count ?? 0) + 12 * (frame.joints?.state.length ?? 0);
  for (const places of frame.nodes.values()) sum += places.length;
  return sum;
}

/** The arrays of a live frame are overwritten by the next; contacts and joints are its own. */
function copyOf(frame: Frame): Frame {
  const velocities = Float64Array.from({ length: 3 * frame.state.length }, () => NaN);
  for (let body = 0; body < frame.state.length; ++body) {
    const v = frame.velocity(body);
    if (v) velocities.set(v, 3 * body);
  }
  return {
    ...frame,
    position: frame.position.slice(),
    orientation: frame.orientation.slice(),
    state: frame.state.slice(),
    nodes: new Map([...frame.nodes].map(([body, places]) => [body, places.slice()])),
    fields: new Map(frame.fields),
    velocity: (body) =>
      Number.isNaN(velocities[3 * body]) ? null : [velocities[3 * body]!, velocities[3 * body + 1]!, velocities[3 * body + 2]!],
  };
}
