// Which colour a body has: by material, by what moves it, asleep, selected.

import * as THREE from "three";
import { ASLEEP, type Description } from "./protocol";
import type { Palette } from "./theme";

export class BodyColours {
  selected = -1;
  private tints_: THREE.Color[] = [];
  private readonly asleep_ = new THREE.Color();
  private readonly selectedTint_ = new THREE.Color();

  constructor(private readonly description_: Description) {}

  /**
   * Several materials: a colour for each. One: bodies take the colours in turn. Lightness varies a little from body to body.
   */
  paint(palette: Palette): void {
    const bodies = this.description_.bodies;
    const names = [...new Set(bodies.filter((b) => b.motion === "dynamic").map((b) => b.material))];
    this.tints_ = bodies.map((body, index) => {
      if (body.motion === "fixed") return new THREE.Color(palette.fixed);
      if (body.motion === "kinematic") return new THREE.Color(palette.kinematic);
      const mixed = scramble(index);
      const which = names.length > 1 ? names.indexOf(body.material) : mixed >>> 13;
      const tint = new THREE.Color(palette.bodies[which % palette.bodies.length]!);
      return tint.offsetHSL(0, 0, ((mixed & 255) / 255 - 0.5) * 0.07);
    });
    this.asleep_.set(palette.asleep);
    this.selectedTint_.set(palette.selected);
  }

  /** `own`: the shape brings its own colours, which this only tints. */
  of(body: number, state: number, out: THREE.Color, own = false): THREE.Color {
    if (body === this.selected) return out.copy(this.selectedTint_);
    if (own) out.set(0xffffff);
    else out.copy(this.tints_[body]!);
    return state === ASLEEP ? out.lerp(this.asleep_, 0.62) : out;
  }
}

/** Bits that look unlike those of the next number. */
export function scramble(index: number): number {
  const mixed = Math.imul(index + 1, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
}
