// Small vector arithmetic on plain numbers, where three's objects would only cost allocations.

import type { Shape, Vec3 } from "./protocol";

/** Rotation matrix of the quaternion w, x, y, z at `at`, row by row. */
export function rotationOf(q: ArrayLike<number>, at: number, out: Float64Array): void {
  const w = q[at]!;
  const x = q[at + 1]!;
  const y = q[at + 2]!;
  const z = q[at + 3]!;
  const n = w * w + x * x + y * y + z * z;
  const s = n > 0 ? 2 / n : 0;
  out[0] = 1 - s * (y * y + z * z);
  out[1] = s * (x * y - w * z);
  out[2] = s * (x * z + w * y);
  out[3] = s * (x * y + w * z);
  out[4] = 1 - s * (x * x + z * z);
  out[5] = s * (y * z - w * x);
  out[6] = s * (x * z - w * y);
  out[7] = s * (y * z + w * x);
  out[8] = 1 - s * (x * x + y * y);
}

/** c = a b, 3 × 3. */
export function multiply(a: Float64Array, b: Float64Array, c: Float64Array): void {
  for (let i = 0; i < 3; ++i)
    for (let j = 0; j < 3; ++j) c[3 * i + j] = a[3 * i]! * b[j]! + a[3 * i + 1]! * b[3 + j]! + a[3 * i + 2]! * b[6 + j]!;
}

/** Half extents of the axis-aligned box of a shape with rotation r; for a hull also its centre, which is not at the origin. */
export function extentsOf(shape: Shape, r: Float64Array, half: Vec3, centre: Vec3): boolean {
  centre[0] = centre[1] = centre[2] = 0;
  switch (shape.type) {
    case "sphere":
      half[0] = half[1] = half[2] = shape.radius;
      return true;
    case "box":
      for (let i = 0; i < 3; ++i) {
        const h = shape.half_extents;
        half[i] = Math.abs(r[3 * i]!) * h[0] + Math.abs(r[3 * i + 1]!) * h[1] + Math.abs(r[3 * i + 2]!) * h[2];
      }
      return true;
    case "capsule":
      for (let i = 0; i < 3; ++i) half[i] = Math.abs(r[3 * i + 2]!) * shape.half_height + shape.radius;
      return true;
    case "cylinder":
      for (let i = 0; i < 3; ++i) {
        const along = Math.abs(r[3 * i + 2]!);
        half[i] = along * shape.half_height + Math.sqrt(Math.max(0, 1 - along * along)) * shape.radius;
      }
      return true;
    case "hull":
    case "mesh":
      for (let i = 0; i < 3; ++i) {
        let low = Infinity;
        let high = -Infinity;
        const points = shape.form.outline;
        for (let p = 0; p < points.length; p += 3) {
          const x = r[3 * i]! * points[p]! + r[3 * i + 1]! * points[p + 1]! + r[3 * i + 2]! * points[p + 2]!;
          low = Math.min(low, x);
          high = Math.max(high, x);
        }
        half[i] = (high - low) / 2;
        centre[i] = (high + low) / 2;
      }
      return true;
    case "half-space":
      return false;
  }
}

/** The largest of 1, 2, 5 × 10ᵏ that is at most x. */
export function niceBelow(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const decade = 10 ** Math.floor(Math.log10(x) + 1e-9);
  const lead = x / decade;
  return decade * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/** The smallest of 1, 2, 5 × 10ᵏ that is at least x. */
export function niceAbove(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const decade = 10 ** Math.floor(Math.log10(x) - 1e-9);
  const lead = x / decade;
  return decade * (lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/** A value with its unit in thousands: 20 kPa. */
export function readableUnit(x: number, unit: string): string {
  const sizes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];
  const [size, prefix] = sizes.find(([s]) => Math.abs(x) >= s) ?? [1, ""];
  return `${readable(x / size, 3)} ${prefix}${unit}`;
}

/** A number for people: four significant digits, no needless zeros, e-notation only where it helps. */
export function readable(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e6) return x.toExponential(2).replaceAll("-", "−");
  return String(Number(x.toPrecision(digits))).replace("-", "−");
}

/** A length with the unit that suits it. */
export function readableLength(metres: number): string {
  const size = Math.abs(metres);
  if (size > 0 && size < 1e-3) return `${readable(metres * 1e6, 3)} µm`;
  if (size > 0 && size < 0.01) return `${readable(metres * 1e3, 3)} mm`;
  if (size > 0 && size < 1) return `${readable(metres * 1e2, 3)} cm`;
  return `${readable(metres, 3)} m`;
}
