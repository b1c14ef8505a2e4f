// Unit geometries that instances scale, and the pieces a part is drawn as.

import * as THREE from "three";
import type { Form } from "./forms";
import type { MeshShape, Part, Vec3 } from "./protocol";

/** One drawn instance: which geometry, how it sits in its part. A capsule is a tube and two balls. */
export interface Piece {
  geometry: string;
  offset: Vec3;
  scale: Vec3;
}

const still: Vec3 = [0, 0, 0];

/** The pieces of a part; none for a half-space, which is drawn as a plane. `meshes` collects the geometries of meshes. */
export function piecesOf(part: Part, meshes: Map<string, THREE.BufferGeometry>): Piece[] {
  const shape = part.shape;
  if (part.skinForm) return [{ ...meshPiece(`mesh ${part.skin}`, part.skinForm, meshes), scale: part.skin_scale ?? [1, 1, 1] }];
  switch (shape.type) {
    case "box":
      return [{ geometry: "box", offset: still, scale: shape.half_extents }];
    case "sphere":
      return [{ geometry: "ball", offset: still, scale: [shape.radius, shape.radius, shape.radius] }];
    case "cylinder":
      return [{ geometry: "cylinder", offset: still, scale: [shape.radius, shape.radius, shape.half_height] }];
    case "capsule": {
      const ball: Vec3 = [shape.radius, shape.radius, shape.radius];
      return [
        { geometry: "tube", offset: still, scale: [shape.radius, shape.radius, Math.max(shape.half_height, 1e-9)] },
        { geometry: "ball", offset: [0, 0, shape.half_height], scale: ball },
        { geometry: "ball", offset: [0, 0, -shape.half_height], scale: ball },
      ];
    }
    case "hull":
    case "mesh":
      return [meshPiece(`${shape.plain ? "plain mesh" : "mesh"} ${shape.mesh}`, shape.form, meshes)];
    case "half-space":
      return [];
  }
}

function meshPiece(key: string, form: Form, meshes: Map<string, THREE.BufferGeometry>): Piece {
  if (!meshes.has(key)) meshes.set(key, meshGeometry(form));
  return { geometry: key, offset: still, scale: [1, 1, 1] };
}

/** The same mesh in one colour. */
export function withoutColours(shape: MeshShape): MeshShape {
  return { ...shape, plain: true, form: { ...shape.form, colours: null, onPicture: null, pictureOf: null, pictures: [] } };
}

/** A colour of the scene, "#rrggbb" or "#rrggbbaa". */
export function saidColour(text: string | undefined): { colour: THREE.Color | null; opacity: number } {
  if (text === undefined) return { colour: null, opacity: 1 };
  return { colour: new THREE.Color(text.slice(0, 7)), opacity: text.length > 7 ? parseInt(text.slice(7), 16) / 255 : 1 };
}

/**
 * Round shapes get fewer facets where there are many of them. Few get many: light is smooth over facets, but what they shade
 * of themselves is not, and shows as teeth on large balls. Multiples of four, so that patches end where facets do.
 */
function facetsAround(instances: number): number {
  return instances > 4000 ? 12 : instances > 1000 ? 16 : instances > 100 ? 28 : 48;
}

/** A ball of radius 1 without patches. */
export function beadGeometry(instances: number): THREE.BufferGeometry {
  const around = facetsAround(instances);
  return new THREE.SphereGeometry(1, around, 2 * Math.round(around * 0.3)).rotateX(Math.PI / 2);
}

export function unitGeometry(name: string, instances: number): THREE.BufferGeometry {
  const around = facetsAround(instances);
  switch (name) {
    case "box":
      return painted(new THREE.BoxGeometry(2, 2, 2), () => 1);
    case "ball": {
      const ball = new THREE.SphereGeometry(1, around, 2 * Math.round(around * 0.3));
      return painted(ball.rotateX(Math.PI / 2), (x, y, z) => (x * y * z > 0 ? 1 : 0.8));
    }
    case "cylinder":
    case "tube": {
      const round = new THREE.CylinderGeometry(1, 1, 2, around, 1, name === "tube");
      return painted(round.rotateX(Math.PI / 2), (x, y) => (x * y > 0 ? 1 : 0.8));
    }
    default:
      throw new Error(`No geometry is called ${name}.`);
  }
}

/** Shade per triangle, so that one sees round bodies turn. */
function painted(geometry: THREE.BufferGeometry, shade: (x: number, y: number, z: number) => number): THREE.BufferGeometry {
  const loose = geometry.index ? geometry.toNonIndexed() : geometry;
  const p = loose.getAttribute("position");
  const colours = new Float32Array(3 * p.count);
  for (let t = 0; t < p.count; t += 3) {
    const mean = (read: (i: number) => number) => (read(t) + read(t + 1) + read(t + 2)) / 3;
    const s = shade(mean((i) => p.getX(i)), mean((i) => p.getY(i)), mean((i) => p.getZ(i)));
    colours.fill(s, 3 * t, 3 * t + 9);
  }
  loose.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return loose;
}

/** Triangles in groups by picture, so that group k has material k. */
function meshGeometry(form: Form): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(form.positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(form.normals, 3));
  geometry.setAttribute("color", meshColours(form));
  if (form.onPicture) geometry.setAttribute("uv", new THREE.BufferAttribute(form.onPicture, 2));
  geometry.setIndex(new THREE.BufferAttribute(form.corners, 1));
  const { pictureOf } = form;
  if (!pictureOf) return geometry;
  const order = Uint32Array.from(pictureOf.keys()).sort((s, t) => pictureOf[s]! - pictureOf[t]!);
  const corners = new Uint32Array(form.corners.length);
  order.forEach((t, i) => corners.set(form.corners.subarray(3 * t, 3 * t + 3), 3 * i));
  geometry.setIndex(new THREE.BufferAttribute(corners, 1));
  for (let first = 0, end = 0; first < order.length; first = end) {
    const picture = pictureOf[order[first]!]!;
    while (end < order.length && pictureOf[order[end]!] === picture) ++end;
    geometry.addGroup(3 * first, 3 * (end - first), picture);
  }
  return geometry;
}

/** Linear light, as three.js wants it; with opacity only where some is clear. */
function meshColours({ colours, positions }: Form): THREE.BufferAttribute {
  if (!colours) return new THREE.BufferAttribute(new Float32Array(positions.length).fill(1), 3);
  const size = isClear(colours) ? 4 : 3;
  const values = new Float32Array((size * colours.length) / 4);
  const colour = new THREE.Color();
  for (let i = 0; 4 * i < colours.length; ++i) {
    const [red, green, blue, opacity] = colours.subarray(4 * i, 4 * i + 4);
    colour.setRGB(red! / 255, green! / 255, blue! / 255, THREE.SRGBColorSpace).toArray(values, size * i);
    if (size === 4) values[4 * i + 3] = opacity! / 255;
  }
  return new THREE.BufferAttribute(values, size);
}

export function isClear(colours: Uint8Array | null): boolean {
  return colours !== null && colours.some((x, i) => i % 4 === 3 && x < 255);
}

/** A picture as a texture; null if it cannot be read. */
export async function pictureTexture(address: string): Promise<THREE.Texture | null> {
  try {
    const texture = await new THREE.TextureLoader().loadAsync(address);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.anisotropy = 4;
    return texture;
  } catch {
    return null;
  }
}

/** Faces of boxes have a slightly darker rim: bricks of one colour stay apart. */
export function rimTexture(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const g = canvas.getContext("2d")!;
  g.fillStyle = "#b4b4b4";
  g.fillRect(0, 0, 128, 128);
  g.fillStyle = "#fff";
  g.fillRect(3, 3, 122, 122);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 4;
  return texture;
}
