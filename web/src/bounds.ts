// Where the bodies are: axis-aligned boxes of bodies and of their parts.

import { extentsOf, multiply, rotationOf } from "./math";
import { ABSENT, type Description, type Frame, type Vec3 } from "./protocol";

export class BodyBounds {
  private readonly partRotation_: Float64Array[][];
  private readonly body_ = new Float64Array(9);
  private readonly both_ = new Float64Array(9);
  private readonly part_ = new Float64Array(6);
  private readonly half_: Vec3 = [0, 0, 0];
  private readonly centre_: Vec3 = [0, 0, 0];

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
    out.fill(Infinity, 0, 3);
    out.fill(-Infinity, 3, 6);
    const box = this.part_;
    for (let p = 0; p < body.parts.length; ++p) {
      if (!this.ofPart(frame, index, p, box)) return false;
      for (let k = 0; k < 3; ++k) {
        out[k] = Math.min(out[k]!, box[k]!);
        out[3 + k] = Math.max(out[3 + k]!, box[3 + k]!);
      }
    }
    return body.parts.length > 0;
  }

  /** The same of one part of a rigid body that is there. */
  ofPart(frame: Frame, index: number, p: number, out: Float64Array): boolean {
    const part = this.description_.bodies[index]!.parts[p]!;
    const r = this.body_;
    rotationOf(frame.orientation, 4 * index, r);
    multiply(r, this.partRotation_[index]![p]!, this.both_);
    if (!extentsOf(part.shape, this.both_, this.half_, this.centre_)) return false;
    for (let i = 0; i < 3; ++i) {
      const at =
        frame.position[3 * index + i]! + this.centre_[i]! +
        r[3 * i]! * part.position[0] + r[3 * i + 1]! * part.position[1] + r[3 * i + 2]! * part.position[2];
      out[i] = at - this.half_[i]!;
      out[3 + i] = at + this.half_[i]!;
    }
    return true;
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
