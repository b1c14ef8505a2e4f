// Which colour a body has: by material, mechanism or a value, by what moves it, asleep, selected.

import * as THREE from "three";
import { isValue, mechanismsOf, type BodyValues, type Colouring } from "./body_values";
import { fieldColour } from "./colour_scales";
import { ASLEEP, type Description, type Frame } from "./protocol";
import type { Palette } from "./theme";

export class BodyColours {
  selected = -1;
  by: Colouring = "usual";
  /** Part of the range of the value that bodies are coloured by. */
  private parts_: Float64Array | null = null;
  private tints_: THREE.Color[] = [];
  private readonly asleep_ = new THREE.Color();
  private readonly selectedTint_ = new THREE.Color();

  constructor(private readonly description_: Description) {}

  /**
   * Usually: several materials, a colour for each; one, bodies take the colours in turn. Lightness varies a little from body
   * to body.
   */
  paint(palette: Palette): void {
    const bodies = this.description_.bodies;
    const names = [...new Set(bodies.filter((b) => b.motion === "dynamic").map((b) => b.material))];
    const groups = this.by === "mechanism" ? mechanismsOf(this.description_) : [];
    const mechanisms = [...new Set(groups.filter((_, i) => bodies[i]!.motion === "dynamic"))];
    let moving = 0;   // bodies so far
    this.tints_ = bodies.map((body, index) => {
      if (body.motion === "fixed") return new THREE.Color(palette.fixed);
      if (body.motion === "kinematic") return new THREE.Color(palette.kinematic);
      const mixed = scramble(index);
      const turn = inTurn(moving++, palette.bodies.length);
      const perMaterial = this.by === "material" || (this.by === "usual" && names.length > 1);
      const which =
        this.by === "mechanism" ? mechanisms.indexOf(groups[index]!) : perMaterial ? names.indexOf(body.material) : turn;
      const tint = new THREE.Color(palette.bodies[which % palette.bodies.length]!);
      return tint.offsetHSL(0, 0, ((mixed & 255) / 255 - 0.5) * 0.07);
    });
    this.asleep_.set(palette.asleep);
    this.selectedTint_.set(palette.selected);
  }

  /** Before `of`, where colours come from values. @returns whether they do */
  update(frame: Frame, values: BodyValues): boolean {
    if (!isValue(this.by)) {
      this.parts_ = null;
      return false;
    }
    const { low, high } = values.range(this.by);
    this.parts_ = values.of(frame, this.by).map((x) => (x - low) / Math.max(high - low, 1e-300));
    return true;
  }

  /** `own`: the shape brings its own colours, which this only tints. `said`: the colour that the scene gives it, if it does. */
  of(body: number, state: number, out: THREE.Color, own = false, said?: ArrayLike<number>): THREE.Color {
    if (body === this.selected) return out.copy(this.selectedTint_);
    if (this.parts_ && this.description_.bodies[body]!.motion !== "fixed")
      return out.setRGB(...fieldColour(this.parts_[body]!), THREE.SRGBColorSpace);
    if (said && said[0]! >= 0 && this.by === "usual") out.setRGB(said[0]!, said[1]!, said[2]!);
    else if (own && this.by === "usual") out.set(0xffffff);
    else out.copy(this.tints_[body]!);
    return state === ASLEEP ? out.lerp(this.asleep_, 0.62) : out;
  }
}

/**
 * Which of so many colours the next body takes: as many bodies, one after the other, have all of them. Where the turn begins
 * changes, so that equal rows make no stripes.
 */
function inTurn(body: number, colours: number): number {
  return (body + (scramble(Math.floor(body / colours)) >>> 13)) % colours;
}

/** Bits that look unlike those of the next number. */
export function scramble(index: number): number {
  const mixed = Math.imul(index + 1, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
}
