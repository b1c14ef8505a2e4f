// Where the bodies are: axis-aligned boxes per body and the region that the camera should show.

import { extentsOf, multiply, rotationOf } from "./math";
import { ABSENT, type Description, type Frame, type Vec3 } from "./protocol";

export class BodyBounds {
  private readonly partRotation_: Float64Array[][];
  private readonly body_ = new Float64Array(9);
  private readonly both_ = new Float64Array(9);

  constructor(private readonly description_: Description) {
    this.partRotation_ = description_.bodies.map((body) =>
      body.parts.map((part) => {
        const r = new Float64Array(9);
        rotationOf(part.orientation_wxyz, 0, r);
        return r;
      }),
    );
  }

  /** Writes the lower and upper corner to out (six numbers). False for an absent body and for one without an end. */
  of(frame: Frame, index: number, out: Float64Array): boolean {
    if (frame.state[index] === ABSENT) return false;
    const body = this.description_.bodies[index]!;
    if (body.nodes) return boxOfNodes(frame.nodes.get(index)!, body.nodes.radius, out);
    rotationOf(frame.orientation, 4 * index, this.body_);
    const r = this.body_;
    const half: Vec3 = [0, 0, 0];
    const centre: Vec3 = [0, 0, 0];
    out.fill(Infinity, 0, 3);
    out.fill(-Infinity, 3, 6);
    for (let p = 0; p < body.parts.length; ++p) {
      const part = body.parts[p]!;
      multiply(r, this.partRotation_[index]![p]!, this.both_);
      if (!extentsOf(part.shape, this.both_, half, centre)) return false;
      for (let i = 0; i < 3; ++i) {
        const at =
          frame.position[3 * index + i]! + centre[i]! +
          r[3 * i]! * part.position[0] + r[3 * i + 1]! * part.position[1] + r[3 * i + 2]! * part.position[2];
        out[i] = Math.min(out[i]!, at - half[i]!);
        out[3 + i] = Math.max(out[3 + i]!, at + half[i]!);
      }
    }
    return body.parts.length > 0;
  }
}

function boxOfNodes(places: Float32Array, radius: number, out: Float64Array): boolean {
  out.fill(Infinity, 0, 3);
  out.fill(-Infinity, 3, 6);
  for (let i = 0; i < places.length; ++i) {
    out[i % 3] = Math.min(out[i % 3]!, places[i]! - radius);
    out[3 + (i % 3)] = Math.max(out[3 + (i % 3)]!, places[i]! + radius);
  }
  return true;
}

/** The same without the few beads that left for good: nodes go their own ways. */
function boxOfMost(places: Float32Array, radius: number, out: Float64Array): void {
  for (let k = 0; k < 3; ++k) {
    const along = Array.from({ length: places.length / 3 }, (_, n) => places[3 * n + k]!);
    out[k] = rank(along, 0.01) - radius;
    out[3 + k] = rank(along, 0.99) + radius;
  }
}

/** The value below which that part of all lies. Sorts them. */
function rank(values: number[], part: number): number {
  values.sort((a, b) => a - b);
  return values[Math.round(part * (values.length - 1))]!;
}

export interface Region {
  low: Vec3;
  high: Vec3;
  centre: Vec3;
  radius: number;
  /** Edge of a typical body [m]: the scale of marks and arrows. */
  size: number;
  /** Bodies that stand around the moving ones: one must look through them. */
  walls: Set<number>;
}

/** What the moving bodies occupy in the given frames, without the few that left for good. */
export function regionOf(description: Description, frames: Iterable<Frame>): Region {
  const bounds = new BodyBounds(description);
  const box = new Float64Array(6);
  const lows: number[][] = [[], [], []];
  const highs: number[][] = [[], [], []];
  const sizes: number[] = [];
  const moving = description.bodies.some((b) => b.motion === "dynamic");
  let last: Frame | null = null;
  for (const frame of frames) {
    last = frame;
    for (let i = 0; i < description.bodies.length; ++i) {
      if (moving && description.bodies[i]!.motion !== "dynamic") continue;
      if (!bounds.of(frame, i, box)) continue;
      const nodes = description.bodies[i]!.nodes;
      if (nodes) boxOfMost(frame.nodes.get(i)!, nodes.radius, box);
      for (let k = 0; k < 3; ++k) {
        lows[k]!.push(box[k]!);
        highs[k]!.push(box[3 + k]!);
      }
      if (nodes && !nodes.triangles?.length) sizes.push(2 * nodes.radius);
      else sizes.push(Math.cbrt((box[3]! - box[0]!) * (box[4]! - box[1]!) * (box[5]! - box[2]!)));
    }
  }
  if (sizes.length === 0)
    return { low: [-1, -1, 0], high: [1, 1, 1], centre: [0, 0, 0.5], radius: 1.5, size: 0.5, walls: new Set() };
  // A hundredth may be anywhere; with few samples nothing is cut off.
  const low = lows.map((v) => rank(v, 0.01)) as Vec3;
  const high = highs.map((v) => rank(v, 0.99)) as Vec3;
  const centre = low.map((x, k) => (x + high[k]!) / 2) as Vec3;
  const radius = Math.max(1e-6, Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2);
  const walls = last && moving ? wallsOf(description, bounds, last, low, high) : new Set<number>();
  return { low, high, centre, radius, size: Math.max(rank(sizes, 0.5), 1e-3 * radius), walls };
}

/** A wall is broad beside the region, stands above its lower part and does not lie inside it. */
function wallsOf(description: Description, bounds: BodyBounds, frame: Frame, low: Vec3, high: Vec3): Set<number> {
  const box = new Float64Array(6);
  const walls = new Set<number>();
  description.bodies.forEach((body, i) => {
    if (body.motion === "dynamic" || !bounds.of(frame, i, box)) return;
    const broad = [0, 1].some((k) => box[3 + k]! - box[k]! > 0.4 * (high[k]! - low[k]!));
    const tall = box[5]! > low[2] + 0.2 * (high[2] - low[2]) && box[5]! - box[2]! > 0.2 * (high[2] - low[2]);
    if (broad && tall) walls.add(i);
  });
  // Two or more make a container, and so does one body of several parts; a single slab is an obstacle or a step.
  const parts = [...walls].reduce((sum, i) => sum + description.bodies[i]!.parts.length, 0);
  return parts > 1 ? walls : new Set();
}
