// The pieces of meshes that touch: flat facets, their edges and corners.

import type { Form } from "./forms";
import { multiply, rotationOf } from "./math";
import type { Contacts, Description, Frame, Vec3 } from "./protocol";

/** What touches, by the numbers of the protocol. The words are those of a body that is A; of one that is B: `AS_B`. */
export const TOUCHES = ["", "vertex on face", "face under vertex", "edge on edge", "other"] as const;
const AS_B = [0, 2, 1, 3, 4];

/** "2 vertex on face, 1 edge on edge": how a body touches others; empty if no mesh takes part. */
export function touchesOf(c: Contacts, body: number): string {
  const counts = new Array<number>(TOUCHES.length).fill(0);
  for (let i = 0; i < c.count; ++i) {
    if (c.a[i] === body) ++counts[c.touch[i]!]!;
    else if (c.b[i] === body) ++counts[AS_B[c.touch[i]!]!]!;
  }
  return TOUCHES.flatMap((name, k) => (k > 0 && counts[k]! > 0 ? [`${counts[k]} ${name}`] : [])).join(", ");
}

/** One facet in the frame of its mesh, nine numbers per triangle and six per edge of its rim. */
interface Facet {
  triangles: Float32Array;
  rim: Float32Array;
}

/** Finds facets of a mesh; what was found once is kept. */
export class Facets {
  private readonly first_: Uint32Array;
  private readonly triangles_: Uint32Array;
  private readonly known_ = new Map<number, Facet>();

  constructor(private readonly form_: Form) {
    const facets = form_.facets!;
    const count = facets.reduce((most, f) => Math.max(most, f + 1), 0);
    this.first_ = new Uint32Array(count + 1);
    for (const f of facets) ++this.first_[f + 1]!;
    for (let f = 0; f < count; ++f) this.first_[f + 1]! += this.first_[f]!;
    const next = this.first_.slice();
    this.triangles_ = new Uint32Array(facets.length);
    facets.forEach((f, t) => (this.triangles_[next[f]!++] = t));
  }

  /** Null if there is no such facet. */
  of(facet: number): Facet | null {
    if (facet + 1 >= this.first_.length) return null;
    let found = this.known_.get(facet);
    if (!found) this.known_.set(facet, (found = this.find(this.triangles_.subarray(this.first_[facet]!, this.first_[facet + 1]!))));
    return found;
  }

  private find(triangles: Uint32Array): Facet {
    const { positions, corners } = this.form_;
    const at = (vertex: number) => [...positions.subarray(3 * vertex, 3 * vertex + 3)];
    const points: number[] = [];
    const edges = new Map<string, number[] | null>();
    for (const t of triangles) {
      const [a, b, c] = [0, 1, 2].map((k) => at(corners[3 * t + k]!)) as [number[], number[], number[]];
      points.push(...a, ...b, ...c);
      // An edge within the facet comes a second time, the other way round.
      for (const [from, to] of [[a, b], [b, c], [c, a]] as const) {
        const back = `${to};${from}`;
        if (edges.has(back)) edges.set(back, null);
        else edges.set(`${from};${to}`, [...from, ...to]);
      }
    }
    const rim = [...edges.values()].flatMap((edge) => edge ?? []);
    return { triangles: Float32Array.from(points), rim: Float32Array.from(rim) };
  }
}

/** The end of a rim's edge that is nearest to a point: where it starts in the rim. */
export function nearestCorner(rim: Float32Array, p: Vec3): number {
  let best = 0;
  let nearest = Infinity;
  for (let at = 0; at < rim.length; at += 3) {
    const d = Math.hypot(rim[at]! - p[0], rim[at + 1]! - p[1], rim[at + 2]! - p[2]);
    if (d < nearest) [best, nearest] = [at, d];
  }
  return best;
}

/** The edge of a rim that is nearest to a point: where it starts in the rim. */
export function nearestEdge(rim: Float32Array, p: Vec3): number {
  let best = 0;
  let nearest = Infinity;
  for (let at = 0; at < rim.length; at += 6) {
    const along = [0, 1, 2].map((k) => rim[at + 3 + k]! - rim[at + k]!);
    const from = [0, 1, 2].map((k) => p[k]! - rim[at + k]!);
    const dot = (u: number[], v: number[]) => u[0]! * v[0]! + u[1]! * v[1]! + u[2]! * v[2]!;
    const t = Math.min(1, Math.max(0, dot(from, along) / (dot(along, along) || 1)));
    const d = Math.hypot(...from.map((x, k) => x - t * along[k]!));
    if (d < nearest) [best, nearest] = [at, d];
  }
  return best;
}

/** From the frame of a shape to the world. */
export class ShapePlace {
  private readonly r_ = new Float64Array(9);
  private readonly body_ = new Float64Array(9);
  private readonly part_ = new Float64Array(9);
  private readonly x_: Vec3 = [0, 0, 0];

  set(frame: Frame, description: Description, body: number, shape: number): void {
    const part = description.bodies[body]!.parts[shape]!;
    rotationOf(frame.orientation, 4 * body, this.body_);
    rotationOf(part.orientation_wxyz, 0, this.part_);
    multiply(this.body_, this.part_, this.r_);
    for (let i = 0; i < 3; ++i)
      this.x_[i] =
        frame.position[3 * body + i]! +
        [0, 1, 2].reduce((sum, k) => sum + this.body_[3 * i + k]! * part.position[k]!, 0);
  }
  toWorld(from: Float32Array, at: number): Vec3 {
    return [0, 1, 2].map(
      (i) => this.x_[i]! + [0, 1, 2].reduce((sum, k) => sum + this.r_[3 * i + k]! * from[at + k]!, 0),
    ) as Vec3;
  }
  toLocal(p: Vec3): Vec3 {
    return [0, 1, 2].map((k) => [0, 1, 2].reduce((sum, i) => sum + this.r_[3 * i + k]! * (p[i]! - this.x_[i]!), 0)) as Vec3;
  }
}
