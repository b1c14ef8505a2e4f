// Unit geometries that instances scale, and the pieces a part is drawn as.

import * as THREE from "three";
import type { Part, Vec3 } from "./protocol";

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
    case "mesh": {
      const key = `mesh ${shape.mesh}`;
      if (!meshes.has(key)) meshes.set(key, meshGeometry(shape.vertices, shape.faces));
      return [{ geometry: key, offset: still, scale: [1, 1, 1] }];
    }
    case "half-space":
      return [];
  }
}

/** Round shapes get fewer facets where there are many of them. */
function facetsAround(instances: number): number {
  return instances > 4000 ? 12 : instances > 1000 ? 16 : 28;
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

/** Flat faces, each a fan from its first vertex. */
function meshGeometry(vertices: Vec3[], faces: number[][]): THREE.BufferGeometry {
  const points: number[] = [];
  const normals: number[] = [];
  const [a, b, c, u, v, n] = Array.from({ length: 6 }, () => new THREE.Vector3()) as THREE.Vector3[] as
    [THREE.Vector3, THREE.Vector3, THREE.Vector3, THREE.Vector3, THREE.Vector3, THREE.Vector3];
  for (const face of faces) {
    n.set(0, 0, 0);
    a.fromArray(vertices[face[0]!]!);
    for (let k = 1; k + 1 < face.length; ++k) {
      b.fromArray(vertices[face[k]!]!);
      c.fromArray(vertices[face[k + 1]!]!);
      n.add(u.subVectors(b, a).cross(v.subVectors(c, a)));
    }
    n.normalize();
    for (let k = 1; k + 1 < face.length; ++k)
      for (const corner of [face[0]!, face[k]!, face[k + 1]!]) {
        points.push(...vertices[corner]!);
        normals.push(n.x, n.y, n.z);
      }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(new Float32Array(points.length).fill(1), 3));
  return geometry;
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
