// Colours for slip speed and penetration, the same in marks and legend.

/** Below this contacts count as sticking [m/s]. */
export const STICK_BELOW = 1e-3;
/** From here on slip is as red as it gets [m/s]. */
export const SLIP_FULL = 1;

export type Rgb = [number, number, number];

const STICK: Rgb = [0.13, 0.68, 0.34];
const SLIP: Rgb[] = [[0.98, 0.8, 0.2], [0.96, 0.5, 0.14], [0.86, 0.12, 0.14]];
const HEAT: Rgb[] = [[0.2, 0.45, 0.85], [0.2, 0.75, 0.75], [0.98, 0.85, 0.25], [0.86, 0.12, 0.14]];
const APART: Rgb = [0.58, 0.63, 0.69];

function along(stops: Rgb[], t: number): Rgb {
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2);
  const f = x - i;
  return [0, 1, 2].map((k) => stops[i]![k]! * (1 - f) + stops[i + 1]![k]! * f) as Rgb;
}

/** Green while it sticks; from yellow to red with the logarithm of the slip speed. */
export function slipColour(speed: number): Rgb {
  if (speed < STICK_BELOW) return STICK;
  return along(SLIP, Math.log(speed / STICK_BELOW) / Math.log(SLIP_FULL / STICK_BELOW));
}

/** Blue to red with the depth; grey where the bodies do not touch yet. */
export function heatColour(gap: number, full: number): Rgb {
  return gap > 0 ? APART : along(HEAT, -gap / full);
}

const TOUCH: Rgb[] = [[0.58, 0.63, 0.69], [0.13, 0.45, 0.9], [0.05, 0.65, 0.6], [0.9, 0.2, 0.55], [0.75, 0.6, 0.1]];

/** What of meshes touches, by the numbers of the protocol; grey where there is no mesh. */
export function touchColour(touch: number): Rgb {
  return TOUCH[touch] ?? TOUCH[4]!;
}

// Dark blue to yellow, evenly in lightness, so that it reads without colours too.
const FIELD: Rgb[] = [[0.19, 0.13, 0.46], [0.2, 0.38, 0.66], [0.12, 0.6, 0.6], [0.42, 0.78, 0.35], [0.98, 0.9, 0.25]];

/** A value inside soft bodies, as a part of the full scale. */
export function fieldColour(part: number): Rgb {
  return along(FIELD, part);
}

const FORCE: Rgb[] = [[0.98, 0.75, 0.2], [0.93, 0.45, 0.08], [0.76, 0.17, 0.08], [0.45, 0.03, 0.1]];

/** The size of a force, as a part of the full scale. */
export function forceColour(part: number): Rgb {
  return along(FORCE, part);
}

export function css([r, g, b]: Rgb): string {
  return `rgb(${Math.round(255 * r)}, ${Math.round(255 * g)}, ${Math.round(255 * b)})`;
}
