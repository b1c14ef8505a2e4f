// The colours of a field with their values, drawn into a picture.

import { css, fieldColour } from "./colour_scales";
import type { Range } from "./body_values";
import { LAYERS, type FieldName } from "./layers";
import { readableUnit } from "./math";

export const STOPS = [0, 0.25, 0.5, 0.75, 1];

export function titleOf(name: FieldName): string {
  return LAYERS.find((layer) => layer.name === name)!.help;
}

/** The value at a part of the range. */
export function stopText({ low, high, unit }: Range, part: number): string {
  const value = low + part * (high - low);
  return value === 0 ? "0" : readableUnit(value, unit);
}

/** In the lower left corner, with five values. */
export function drawColourBar(
  pen: CanvasRenderingContext2D,
  range: Range,
  width: number,
  height: number,
  dark: boolean,
): void {
  const unit = Math.max(height / 720, 0.5);
  const long = Math.min(360 * unit, 0.6 * width);
  const high = 14 * unit;
  const left = 28 * unit;
  const top = height - 56 * unit;
  pen.fillStyle = dark ? "rgba(20, 24, 30, 0.8)" : "rgba(255, 255, 255, 0.85)";
  pen.fillRect(left - 16 * unit, top - 34 * unit, long + 76 * unit, 78 * unit);
  const ramp = pen.createLinearGradient(left, 0, left + long, 0);
  for (const stop of STOPS) ramp.addColorStop(stop, css(fieldColour(stop)));
  pen.fillStyle = ramp;
  pen.fillRect(left, top, long, high);
  pen.fillStyle = dark ? "#e8ecf2" : "#1c2430";
  pen.font = `${13 * unit}px system-ui, sans-serif`;
  pen.textBaseline = "alphabetic";
  pen.fillText(range.title, left, top - 12 * unit);
  for (const stop of STOPS) {
    pen.textAlign = stop === 0 ? "left" : "center";
    pen.fillRect(left + stop * long - 0.5 * unit, top + high, unit, 4 * unit);
    pen.fillText(stopText(range, stop), left + stop * long, top + high + 19 * unit);
  }
}
