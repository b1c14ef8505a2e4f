// What bodies can be coloured by: values of each of them in a frame, and the range that the colours stand for.

import { niceAbove } from "./math";
import { ABSENT, type Description, type Frame } from "./protocol";
import type { Region } from "./region";

export const COLOURINGS = ["usual", "material", "body", "mechanism", "speed", "force", "height"] as const;
export type Colouring = (typeof COLOURINGS)[number];
/** Those that come from numbers. */
export type ValueName = "speed" | "force" | "height";

const TITLES: Record<ValueName, [title: string, unit: string]> = {
  speed: ["Speed", "m/s"],
  force: ["Sum of contact forces", "N"],
  height: ["Height", "m"],
};

export interface Range {
  title: string;
  unit: string;
  low: number;
  high: number;
}

export function isValue(by: Colouring): by is ValueName {
  return by in TITLES;
}

export class BodyValues {
  private readonly most_ = { speed: 0, force: 0 };

  constructor(private readonly description_: Description, private readonly region_: Region) {}

  /** Learns the range from frames that are to be seen: it only ever grows. */
  see(frame: Frame): void {
    for (const name of ["speed", "force"] as const) for (const x of this.of(frame, name)) this.most_[name] = Math.max(this.most_[name], x);
  }

  /** The values of all bodies; 0 where nothing is known. */
  of(frame: Frame, name: ValueName): Float64Array {
    const values = new Float64Array(this.description_.bodies.length);
    if (name === "force") {
      const c = frame.contacts;
      for (let i = 0; c && i < c.count; ++i) {
        const size = Math.hypot(c.force[3 * i]!, c.force[3 * i + 1]!, c.force[3 * i + 2]!);
        values[c.a[i]!]! += size;
        values[c.b[i]!]! += size;
      }
      this.description_.bodies.forEach((body, i) => body.motion !== "dynamic" && (values[i] = 0));
    } else
      values.forEach((_, i) => {
        if (frame.state[i] === ABSENT || this.description_.bodies[i]!.motion === "fixed") return;
        values[i] = name === "height" ? frame.position[3 * i + 2]! : Math.hypot(...(frame.velocity(i) ?? [0]));
      });
    return values;
  }

  range(name: ValueName): Range {
    const [title, unit] = TITLES[name];
    if (name === "height") return { title, unit, low: this.region_.low[2], high: this.region_.high[2] };
    return { title, unit, low: 0, high: this.most_[name] > 0 ? niceAbove(this.most_[name]) : 1 };
  }
}

/** Which bodies joints hold together: a number for each, the same within a mechanism. */
export function mechanismsOf(d: Description): number[] {
  const of = d.bodies.map((_, i) => i);
  const root = (i: number): number => (of[i] === i ? i : (of[i] = root(of[i]!)));
  for (const { a, b } of d.joints ?? [])
    if (d.bodies[a ?? -1]?.motion === "dynamic" && d.bodies[b ?? -1]?.motion === "dynamic") of[root(a!)] = root(b!);
  return of.map((_, i) => root(i));
}
