// Meshes of a description as arrays that a graphics card takes.

import type { Mesh, Vec3 } from "./protocol";

export interface Form {
  /** Three numbers per vertex. */
  positions: Float32Array;
  normals: Float32Array;
  /** Three vertices per triangle. */
  corners: Uint32Array;
  /** The flat piece of the surface that each triangle belongs to, from 0; null if nobody says. */
  facets: Uint32Array | null;
  /** Red, green, blue, opacity per vertex as screens show them; null if the mesh has no colours of its own. */
  colours: Uint8Array | null;
  /** Per vertex: right, up from the lower left corner of the picture; null without pictures. */
  onPicture: Float32Array | null;
  /** Per triangle: number of its picture from 1, 0 for none. */
  pictureOf: Uint32Array | null;
  /** Addresses. */
  pictures: string[];
  /** The picture is that of the scene, and multiplies the colour that the scene gives a part. */
  textured: boolean;
  /** Seen from both sides. */
  open: boolean;
  /** Points that reach as far as the surface in every direction, or nearly: boxes are made of them. */
  outline: Float64Array;
}

/** More points than this are thinned out to those that reach farthest in about as many directions. */
const OUTLINE = 256;

/** Text of base64 → bytes. Whitespace is skipped. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s+/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export const floatsOfBase64 = (text: string) => new Float32Array(bytesOfBase64(text).buffer);

/** `pictures`: addresses that the description brings. @throws Error if the mesh does not hold together. */
export function formOf(mesh: Mesh, pictures: string[] = []): Form {
  return "faces" in mesh ? formOfFaces(mesh.vertices, mesh.faces) : unpacked(mesh, pictures);
}

function unpacked(mesh: Exclude<Mesh, { faces: number[][] }>, pictures: string[]): Form {
  const floats = floatsOfBase64;
  const wholes = (text: string) => new Uint32Array(bytesOfBase64(text).buffer);
  const positions = floats(mesh.positions);
  const corners = wholes(mesh.corners);
  const form: Form = {
    positions,
    normals: Float32Array.from(new Int16Array(bytesOfBase64(mesh.normals).buffer), (x) => x / 32767),
    corners,
    facets: mesh.facets === undefined ? null : wholes(mesh.facets),
    colours: mesh.colours === undefined ? null : bytesOfBase64(mesh.colours),
    onPicture: mesh.on_picture === undefined ? null : floats(mesh.on_picture),
    pictureOf: mesh.picture_of === undefined ? null : wholes(mesh.picture_of),
    pictures: (mesh.pictures ?? []).map((number) => pictures[number] ?? ""),
    textured: mesh.textured ?? false,
    open: mesh.open ?? false,
    outline: outlineOf(Float64Array.from(positions)),
  };
  const vertices = positions.length / 3;
  const triangles = corners.length / 3;
  const fits =
    Number.isInteger(vertices) && Number.isInteger(triangles) && corners.every((c) => c < vertices) &&
    form.normals.length === positions.length && (!form.facets || form.facets.length === triangles) && !form.pictures.includes("") &&
    (!form.colours || form.colours.length === 4 * vertices) && (!form.onPicture || form.onPicture.length === 2 * vertices) &&
    (!form.pictureOf || form.pictureOf.length === triangles) && (form.pictureOf ?? []).every((p) => p <= form.pictures.length);
  if (!fits) throw new Error(`The mesh '${mesh.name}' does not hold together: it names what it does not bring.`);
  return form;
}

/** Flat faces, each a fan from its first vertex. */
function formOfFaces(vertices: Vec3[], faces: number[][]): Form {
  const positions: number[] = [];
  const normals: number[] = [];
  for (const face of faces) {
    const [a, ...rest] = face.map((v) => vertices[v]!) as [Vec3, ...Vec3[]];
    const n: Vec3 = [0, 0, 0];
    for (let k = 0; k + 1 < rest.length; ++k) {
      const u = rest[k]!.map((x, i) => x - a[i]!) as Vec3;
      const v = rest[k + 1]!.map((x, i) => x - a[i]!) as Vec3;
      for (let i = 0; i < 3; ++i) n[i]! += u[(i + 1) % 3]! * v[(i + 2) % 3]! - u[(i + 2) % 3]! * v[(i + 1) % 3]!;
    }
    const length = Math.hypot(...n) || 1;
    for (let k = 0; k + 1 < rest.length; ++k)
      for (const corner of [a, rest[k]!, rest[k + 1]!]) {
        positions.push(...corner);
        normals.push(n[0] / length, n[1] / length, n[2] / length);
      }
  }
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    corners: Uint32Array.from({ length: positions.length / 3 }, (_, i) => i),
    facets: null,
    colours: null,
    onPicture: null,
    pictureOf: null,
    pictures: [],
    textured: false,
    open: false,
    outline: outlineOf(Float64Array.from(vertices.flat())),
  };
}

/** Of many points those that reach farthest in some directions: nothing is farther out, or hardly. Three numbers each. */
export function outlineOf(points: Float64Array): Float64Array {
  const count = points.length / 3;
  if (count <= OUTLINE) return points;
  const chosen = new Set<number>();
  for (let d = 0; d < OUTLINE; ++d) {
    // Directions spread evenly by the golden angle; the first six along the axes.
    const z = 1 - (2 * d + 1) / OUTLINE;
    const around = d * Math.PI * (3 - Math.sqrt(5));
    const r = Math.sqrt(1 - z * z);
    const n = d < 6 ? [0, 1, 2].map((k) => (k === d >> 1 ? 1 - 2 * (d & 1) : 0)) : [r * Math.cos(around), r * Math.sin(around), z];
    let best = 0;
    let farthest = -Infinity;
    for (let i = 0; i < count; ++i) {
      const reach = n[0]! * points[3 * i]! + n[1]! * points[3 * i + 1]! + n[2]! * points[3 * i + 2]!;
      if (reach > farthest) {
        farthest = reach;
        best = i;
      }
    }
    chosen.add(best);
  }
  return Float64Array.from([...chosen].flatMap((i) => [...points.subarray(3 * i, 3 * i + 3)]));
}
