// Bodies of nodes: a bead at every node, or a surface whose corners follow the nodes.

import * as THREE from "three";
import { scramble, type BodyColours } from "./body_colours";
import { fieldColour } from "./colour_scales";
import type { FieldScale } from "./field_scale";
import { floatsOfBase64 } from "./forms";
import type { FieldName } from "./layers";
import { ABSENT, decodedField, surfaceNodes, type Description, type Frame, type Nodes } from "./protocol";
import { beadGeometry, pictureTexture, saidColour } from "./shapes";

export interface NodeHit {
  body: number;
  node: number;
  point: THREE.Vector3;
  distance: number;
}

interface Drawn {
  body: number;
  radius: number;
  /** Nodes that are drawn as beads. */
  bare: Uint32Array;
  beads: THREE.InstancedMesh | null;
  surface: THREE.Mesh<THREE.BufferGeometry, THREE.MeshLambertMaterial> | null;
  nodes: Nodes;
  /** Nodes that fields tell about; null of a body that is not soft. */
  told: Uint32Array | null;
  /** Colour that the scene gives it. */
  said: THREE.Color | null;
  /** Per vertex of the surface: its node; null where they are the same. Surfaces with a picture have a vertex per corner. */
  nodeOf: Uint32Array | null;
}

/** Nodes that no triangle touches: nothing else would show them. */
export function bareNodes(nodes: Nodes): Uint32Array {
  if (!(nodes.radius > 0)) return new Uint32Array(); // a soft body: the others are inside
  const covered = new Uint8Array(nodes.count);
  for (const triangle of nodes.triangles ?? []) for (const node of triangle) covered[node] = 1;
  return Uint32Array.from(covered.keys()).filter((node) => !covered[node]);
}

export class NodeMeshes {
  readonly group = new THREE.Group();
  /** Fulfilled when they are there. */
  readonly pictures: Promise<unknown>;
  private readonly all_: Drawn[] = [];

  constructor(description: Description) {
    description.bodies.forEach((body, index) => {
      if (!body.nodes) return;
      const bare = bareNodes(body.nodes);
      const nodeOf = body.nodes.address ? Uint32Array.from(body.nodes.triangles!.flat()) : null;
      const drawn = { body: index, radius: body.nodes.radius, bare, beads: makeBeads(bare), surface: makeSurface(body.nodes, nodeOf), nodeOf,
        nodes: body.nodes, told: body.nodes.fields ? surfaceNodes(body.nodes) : null, said: saidColour(body.nodes.colour).colour };
      for (const mesh of [drawn.beads, drawn.surface])
        if (mesh) {
          (mesh.material as THREE.Material).userData.opacity = saidColour(body.nodes.colour).opacity;
          this.group.add(mesh);
        }
      this.all_.push(drawn);
    });
    this.pictures = Promise.all(this.all_.map((drawn) => this.load(drawn)));
    this.seeThrough(false);
  }

  private async load({ surface, nodes }: Drawn): Promise<void> {
    if (!nodes.address || !surface) return;
    surface.material.map = await pictureTexture(nodes.address);
    surface.material.needsUpdate = true;
  }

  dispose(): void {
    for (const { beads, surface } of this.all_) {
      surface?.material.map?.dispose();
      for (const mesh of [beads, surface]) {
        mesh?.geometry.dispose();
        (mesh?.material as THREE.Material | undefined)?.dispose();
      }
    }
    for (const { beads } of this.all_) beads?.dispose();
  }

  seeThrough(on: boolean): void {
    for (const material of this.materials()) {
      const own = (material.userData.opacity as number | undefined) ?? 1;
      material.transparent = on || own < 1;
      material.opacity = on ? Math.min(0.3, own) : own;
      material.depthWrite = !material.transparent;
      material.needsUpdate = true;
    }
  }

  recolour(frame: Frame, colours: BodyColours): void {
    for (const { body, beads, surface, said, nodeOf } of this.all_)
      for (const mesh of [beads, surface])
        if (mesh) colours.of(body, frame.state[body]!, (mesh.material as THREE.MeshLambertMaterial).color, nodeOf !== null, said?.toArray());
  }

  /** Colours soft bodies by a field, after `recolour`; null: in the colours of their bodies. */
  paint(frame: Frame, name: FieldName | null, scale: FieldScale): void {
    for (const { body, surface, nodes, told, nodeOf } of this.all_) {
      if (!surface || !told) continue;
      const codes = frame.fields.get(body);
      const index = nodes.fields!.findIndex((field) => field.name === name);
      const on = index >= 0 && codes !== undefined && codes.length === nodes.fields!.length * told.length;
      if (surface.material.vertexColors !== on) {
        surface.material.vertexColors = on;
        surface.material.needsUpdate = true;
      }
      if (!on) continue;
      surface.material.color.set(0xffffff);
      const full = scale.of(name!).full;
      const colours = surface.geometry.getAttribute("color") as THREE.BufferAttribute;
      const colour = new THREE.Color();
      const ofNode = nodeOf ? new Float32Array(3 * nodes.count) : (colours.array as Float32Array);
      told.forEach((node, i) => {
        const part = decodedField(codes[index * told.length + i]!, nodes.fields![index]!.from) / full;
        colour.setRGB(...fieldColour(part), THREE.SRGBColorSpace).toArray(ofNode, 3 * node);
      });
      if (nodeOf) gather(ofNode, nodeOf, colours.array as Float32Array);
      colours.needsUpdate = true;
    }
  }

  update(frame: Frame): void {
    for (const { body, radius, bare, beads, surface, nodeOf } of this.all_) {
      const places = frame.nodes.get(body);
      const here = frame.state[body] !== ABSENT && places !== undefined;
      for (const mesh of [beads, surface]) if (mesh) mesh.visible = here;
      if (!here) continue;
      if (beads) {
        const m = beads.instanceMatrix.array as Float32Array;
        bare.forEach((node, i) => {
          m[16 * i] = m[16 * i + 5] = m[16 * i + 10] = radius;
          m[16 * i + 15] = 1;
          for (let k = 0; k < 3; ++k) m[16 * i + 12 + k] = places[3 * node + k]!;
        });
        beads.instanceMatrix.needsUpdate = true;
        beads.boundingSphere = null;
      }
      if (surface) {
        const corners = surface.geometry.getAttribute("position") as THREE.BufferAttribute;
        if (nodeOf) gather(places, nodeOf, corners.array as Float32Array);
        else (corners.array as Float32Array).set(places);
        corners.needsUpdate = true;
        if (nodeOf) smooth(places, nodeOf, surface.geometry.getAttribute("normal") as THREE.BufferAttribute);
        else surface.geometry.computeVertexNormals();
        surface.geometry.boundingSphere = null;
      }
    }
  }

  /** The nearest bead or surface along the ray, with the node that is nearest to where it is hit. */
  pick(ray: THREE.Raycaster): NodeHit | null {
    let best: NodeHit | null = null;
    for (const { body, bare, beads, surface, nodeOf } of this.all_)
      for (const mesh of [beads, surface]) {
        const hit = mesh?.visible ? ray.intersectObject(mesh, false)[0] : undefined;
        if (!hit || (best && hit.distance >= best.distance)) continue;
        const corner = hit.instanceId === undefined ? nearestCorner(surface!, hit) : 0;
        const node = hit.instanceId !== undefined ? bare[hit.instanceId]! : (nodeOf?.[corner] ?? corner);
        best = { body, node, point: hit.point, distance: hit.distance };
      }
    return best;
  }

  private *materials(): Iterable<THREE.MeshLambertMaterial> {
    for (const { beads, surface } of this.all_)
      for (const mesh of [beads, surface]) if (mesh) yield mesh.material as THREE.MeshLambertMaterial;
  }
}

/** Beads do not turn, so they have no patches; their lightness differs a little, so that they stay apart in a heap. */
function makeBeads(bare: Uint32Array): THREE.InstancedMesh | null {
  if (bare.length === 0) return null;
  const mesh = new THREE.InstancedMesh(beadGeometry(bare.length), new THREE.MeshLambertMaterial({ fog: false }), bare.length);
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  const shades = new Float32Array(3 * bare.length);
  bare.forEach((node, i) => shades.fill(0.84 + (0.16 * (scramble(node) & 255)) / 255, 3 * i, 3 * i + 3));
  mesh.instanceColor = new THREE.InstancedBufferAttribute(shades, 3);
  return dressed(mesh);
}

/** Numbers of the nodes, three each, at every vertex. */
function gather(ofNode: Float32Array, nodeOf: Uint32Array, out: Float32Array): void {
  nodeOf.forEach((node, i) => {
    for (let k = 0; k < 3; ++k) out[3 * i + k] = ofNode[3 * node + k]!;
  });
}

/** Normals of a surface with a vertex per corner: those of the nodes, so that no edge is seen where there is none. */
function smooth(places: Float32Array, nodeOf: Uint32Array, out: THREE.BufferAttribute): void {
  const sums = new Float32Array(places.length);
  const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  for (let i = 0; i < nodeOf.length; i += 3) {
    [a, b, c].forEach((corner, k) => corner.fromArray(places, 3 * nodeOf[i + k]!));
    const normal = b.sub(a).cross(c.sub(a)).toArray();
    for (let k = 0; k < 9; ++k) sums[3 * nodeOf[i + Math.floor(k / 3)]! + (k % 3)]! += normal[k % 3]!;
  }
  for (let n = 0; n < sums.length; n += 3) a.fromArray(sums, n).normalize().toArray(sums, n);
  gather(sums, nodeOf, out.array as Float32Array);
  out.needsUpdate = true;
}

function makeSurface(nodes: Nodes, nodeOf: Uint32Array | null): Drawn["surface"] {
  if (!nodes.triangles?.length) return null;
  const geometry = new THREE.BufferGeometry();
  const vertices = nodeOf?.length ?? nodes.count;
  const corners = new THREE.BufferAttribute(new Float32Array(3 * vertices), 3);
  geometry.setAttribute("position", corners.setUsage(THREE.DynamicDrawUsage));
  if (nodes.fields) {
    const colours = new THREE.BufferAttribute(new Float32Array(3 * vertices).fill(1), 3);
    geometry.setAttribute("color", colours.setUsage(THREE.DynamicDrawUsage));
  }
  if (nodeOf) {
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute("uv", new THREE.BufferAttribute(floatsOfBase64(nodes.texture!.corners), 2));
  } else {
    geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(nodes.triangles.flat()), 1));
  }
  return dressed(new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ fog: false, side: THREE.DoubleSide })));
}

function dressed<M extends THREE.Mesh>(mesh: M): M {
  mesh.frustumCulled = false;
  mesh.matrixAutoUpdate = false;
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

function nearestCorner(surface: THREE.Mesh, hit: THREE.Intersection): number {
  const corners = surface.geometry.getAttribute("position");
  const distance = (node: number) => new THREE.Vector3().fromBufferAttribute(corners, node).distanceTo(hit.point);
  const { a, b, c } = hit.face!;
  return [a, b, c].reduce((best, node) => (distance(node) < distance(best) ? node : best));
}
