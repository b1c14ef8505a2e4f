// Which value the last colour of a field stands for.
//
// In a replay it stays the same for the whole run: the value that one in a hundred lies beyond, so that a blow of one instant
// does not darken all the rest. Live it grows with what is seen, and shrinks when hardly a tenth of it is used any more.

import type { FieldName } from "./layers";
import { niceAbove } from "./math";
import { decodedField, type Description, type Field, type Frame } from "./protocol";

const BEYOND = 1e-2;
const HARDLY_USED = 0.1;
/** Frames of a replay that are looked at. */
const SAMPLES = 200;

export class FieldScale {
  private readonly full_ = new Map<FieldName, number>();

  constructor(private readonly description_: Description) {}

  /** Takes the scales from a whole run: codes by number of the body, frame by frame. */
  fit(frames: ReadonlyMap<number, Uint16Array>[]): void {
    const stride = Math.max(1, Math.ceil(frames.length / SAMPLES));
    this.fields().forEach(({ name }, f) => {
      const values: number[] = [];
      for (let k = 0; k < frames.length; k += stride) this.collect(frames[k]!, f, values);
      values.sort((a, b) => a - b);
      const most = values[Math.min(values.length - 1, Math.floor((1 - BEYOND) * values.length))] ?? 0;
      if (most > 0) this.full_.set(name as FieldName, niceAbove(most));
    });
  }

  /** Of a live view. */
  see(frame: Frame): void {
    this.fields().forEach(({ name }, f) => {
      const values: number[] = [];
      this.collect(frame.fields, f, values);
      const most = values.reduce((a, b) => Math.max(a, b), 0);
      const full = this.full_.get(name as FieldName) ?? 0;
      if (most > 0 && (most > full || most < HARDLY_USED * full)) this.full_.set(name as FieldName, niceAbove(most));
    });
  }

  /** Whether the scene has soft bodies. */
  get known(): boolean {
    return this.fields().length > 0;
  }

  /** The value that the last colour stands for, and its unit. */
  of(name: FieldName): { full: number; unit: string } {
    return { full: this.full_.get(name) ?? 1, unit: this.fields().find((field) => field.name === name)?.unit ?? "" };
  }

  private fields(): Field[] {
    return this.description_.bodies.find((body) => body.nodes?.fields)?.nodes!.fields ?? [];
  }

  private collect(codes: ReadonlyMap<number, Uint16Array>, field: number, values: number[]): void {
    for (const [body, list] of codes) {
      const fields = this.description_.bodies[body]!.nodes!.fields!;
      const width = list.length / fields.length;
      const from = fields[field]!.from;
      for (let i = 0; i < width; ++i) {
        const code = list[field * width + i]!;
        if (code > 0) values.push(decodedField(code, from));
      }
    }
  }
}
