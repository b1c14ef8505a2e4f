// All bodies. Rigid ones are instanced meshes: one per kind of shape, one per mesh of the description; a frame costs one pass
// over the pieces. Bodies of nodes are drawn by NodeMeshes.

import * as THREE from "three";
import { BodyColours } from "./body_colours";
import type { BodyValues, Colouring } from "./body_values";
import type { FieldScale } from "./field_scale";
import type { Form } from "./forms";
import type { FieldName } from "./layers";
import { multiply, rotationOf } from "./math";
import { NodeMeshes } from "./node_meshes";
import { ABSENT, type Description, type Frame, type MeshShape } from "./protocol";
import { isClear, pictureTexture, piecesOf, rimTexture, saidColour, unitGeometry, withoutColours } from "./shapes";
import type { Palette } from "./theme";

type Material = THREE.MeshLambertMaterial;

interface Batch {
  mesh: THREE.InstancedMesh;
  /** Several where a mesh has pictures: one for each, after that of no picture. */
  materials: Material[];
  glass: boolean;
  /** The mesh brings its own colours; some of them are not opaque. */
  own: boolean;
  clear: boolean;
  /** That the scene says for all of it. */
  opacity: number;
  /** Colours that the scene says, in linear light, three numbers each; NaN: none. */
  said: Float32Array;
  body: Uint32Array;
  /** Nine numbers of the rotation of the part times the scale, then three of its place: all in the body frame. */
  local: Float64Array;
}

interface Piece {
  body: number;
  local: number[];
  form: Form | null;
  glass: boolean;
  opacity: number;
  colour: THREE.Color | null;
  geometry: string;
}

function bringsColours(form: Form): boolean {
  return form.colours !== null || form.pictures.length > 0;
}

export interface Hit {
  body: number;
  point: THREE.Vector3;
  distance: number;
  /** Of a body of nodes: the nearest. */
  node?: number;
}

export class BodyMeshes {
  readonly group = new THREE.Group();
  /** Fulfilled when all pictures of meshes can be drawn. */
  readonly pictures: Promise<unknown>;
  private readonly batches_: Batch[] = [];
  private readonly loading_: Promise<void>[] = [];
  /** By address: many meshes may show one. */
  private readonly textures_ = new Map<string, Promise<THREE.Texture | null>>();
  private readonly rim_ = rimTexture();
  private readonly colours_: BodyColours;
  private readonly nodes_: NodeMeshes;
  private coloured_: Uint8Array;
  private field_: FieldName | null = null;
  private stale_ = true;

  /** `walls` are drawn as glass: bodies behind them are seen and picked. */
  constructor(private readonly description_: Description, private readonly walls_: Set<number>) {
    this.coloured_ = new Uint8Array(description_.bodies.length);
    this.colours_ = new BodyColours(description_);
    this.nodes_ = new NodeMeshes(description_);
    this.group.add(this.nodes_.group);
    this.build();
    this.pictures = Promise.all([...this.loading_, this.nodes_.pictures]);
  }

  private build(): void {
    const meshes = new Map<string, THREE.BufferGeometry>();
    const lists = new Map<string, Piece[]>();
    const r = new Float64Array(9);
    this.description_.bodies.forEach((body, index) => {
      for (const part of body.parts) {
        rotationOf(part.orientation_wxyz, 0, r);
        const { colour, opacity } = saidColour(part.colour);
        // A colour that the scene gives a part stands in place of those that its mesh brings.
        const hides = colour && "form" in part.shape && bringsColours(part.shape.form) && !part.shape.form.textured;
        const shown = hides ? { ...part, shape: withoutColours(part.shape as MeshShape) } : part;
        const form = shown.skinForm ?? ("form" in shown.shape ? shown.shape.form : null);
        for (const piece of piecesOf(shown, meshes)) {
          const local: number[] = [];
          for (let i = 0; i < 3; ++i) for (let j = 0; j < 3; ++j) local.push(r[3 * i + j]! * piece.scale[j]!);
          for (let i = 0; i < 3; ++i)
            local.push(
              part.position[i]! +
                r[3 * i]! * piece.offset[0] +
                r[3 * i + 1]! * piece.offset[1] +
                r[3 * i + 2]! * piece.offset[2],
            );
          const glass = this.walls_.has(index);
          const key = `${glass ? "glass" : opacity} ${piece.geometry}`;
          if (!lists.has(key)) lists.set(key, []);
          lists.get(key)!.push({ body: index, local, form, glass, opacity, colour, geometry: piece.geometry });
        }
      }
    });
    for (const pieces of lists.values()) {
      const { glass, form, opacity, geometry: name } = pieces[0]!;
      const geometry = meshes.get(name) ?? unitGeometry(name, pieces.length);
      const materials = this.materialsOf(form, name === "box" ? this.rim_ : null);
      const mesh = new THREE.InstancedMesh(geometry, materials.length > 1 ? materials : materials[0]!, pieces.length);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * pieces.length), 3);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = !glass;
      mesh.matrixAutoUpdate = false;
      const local = new Float64Array(12 * pieces.length);
      pieces.forEach((piece, i) => local.set(piece.local, 12 * i));
      const said = new Float32Array(3 * pieces.length).fill(NaN);
      pieces.forEach((piece, i) => piece.colour?.toArray(said, 3 * i));
      this.batches_.push({
        mesh,
        materials,
        glass,
        own: form !== null && bringsColours(form),
        clear: isClear(form?.colours ?? null),
        opacity,
        said,
        body: Uint32Array.from(pieces, (p) => p.body),
        local,
      });
      this.group.add(mesh);
    }
    this.seeThrough(false);
  }

  private materialsOf(form: Form | null, map: THREE.Texture | null): Material[] {
    const side = form?.open ? THREE.DoubleSide : THREE.FrontSide;
    const materials = [map, ...(form?.pictures ?? []).map(() => null)].map(
      (texture) => new THREE.MeshLambertMaterial({ vertexColors: true, fog: false, map: texture, side }),
    );
    form?.pictures.forEach((address, i) => {
      const material = materials[1 + i]!;
      const put = (texture: THREE.Texture | null) => {
        material.map = texture;
        material.needsUpdate = true;
      };
      if (!this.textures_.has(address)) this.textures_.set(address, pictureTexture(address));
      this.loading_.push(this.textures_.get(address)!.then(put));
    });
    return materials;
  }

  dispose(): void {
    for (const { mesh, materials } of this.batches_) {
      mesh.geometry.dispose();
      for (const material of materials) {
        if (material.map !== this.rim_) material.map?.dispose();
        material.dispose();
      }
      mesh.dispose();
    }
    this.nodes_.dispose();
    this.rim_.dispose();
  }

  paint(palette: Palette): void {
    this.colours_.paint(palette);
    this.stale_ = true;
  }

  select(body: number): void {
    this.colours_.selected = body;
    this.stale_ = true;
  }

  seeThrough(on: boolean): void {
    for (const { materials, glass, clear, opacity } of this.batches_)
      for (const material of materials) {
        material.transparent = on || glass || clear || opacity < 1;
        material.opacity = glass ? 0.2 : on ? Math.min(0.3, opacity) : opacity;
        material.depthWrite = !material.transparent;
        material.needsUpdate = true;
      }
    this.nodes_.seeThrough(on);
  }

  colourBy(by: Colouring): void {
    this.colours_.by = by;
    this.stale_ = true;
  }

  update(frame: Frame, field: FieldName | null, scale: FieldScale, values: BodyValues): void {
    if (this.colours_.update(frame, values)) this.stale_ = true;
    const body = new Float64Array(9);
    const both = new Float64Array(9);
    for (const { mesh, body: owners, local } of this.batches_) {
      const m = mesh.instanceMatrix.array as Float32Array;
      let last = -1;
      for (let i = 0; i < owners.length; ++i) {
        const owner = owners[i]!;
        const to = 16 * i;
        if (frame.state[owner] === ABSENT) {
          m.fill(0, to, to + 16);
          continue;
        }
        if (owner !== last) rotationOf(frame.orientation, 4 * owner, body);
        last = owner;
        const l = local.subarray(12 * i, 12 * i + 12);
        multiply(body, l, both);
        for (let k = 0; k < 3; ++k) {
          m[to + k] = both[3 * k]!;
          m[to + 4 + k] = both[3 * k + 1]!;
          m[to + 8 + k] = both[3 * k + 2]!;
          m[to + 12 + k] =
            frame.position[3 * owner + k]! + body[3 * k]! * l[9]! + body[3 * k + 1]! * l[10]! + body[3 * k + 2]! * l[11]!;
        }
        m[to + 15] = 1;
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.nodes_.update(frame);
    if (field !== this.field_) this.stale_ = true;
    this.field_ = field;
    this.recolour(frame);
    this.nodes_.paint(frame, field, scale);
  }

  private recolour(frame: Frame): void {
    let same = !this.stale_;
    for (let i = 0; same && i < frame.state.length; ++i) same = this.coloured_[i] === frame.state[i];
    if (same) return;
    const colour = new THREE.Color();
    for (const { mesh, body, own, said } of this.batches_) {
      const to = mesh.instanceColor!.array as Float32Array;
      for (let i = 0; i < body.length; ++i) {
        const owner = body[i]!;
        this.colours_.of(owner, frame.state[owner]!, colour, own, said.subarray(3 * i, 3 * i + 3)).toArray(to, 3 * i);
      }
      mesh.instanceColor!.needsUpdate = true;
    }
    this.nodes_.recolour(frame, this.colours_);
    this.coloured_.set(frame.state);
    this.stale_ = false;
  }

  /** The nearest body along the ray and where it is hit; what stands behind glass is nearer than the glass. */
  pick(ray: THREE.Raycaster): Hit | null {
    const solid = this.pickAmong(ray, false);
    const nodes = this.nodes_.pick(ray);
    if (solid && nodes) return solid.distance <= nodes.distance ? solid : nodes;
    return solid ?? nodes ?? this.pickAmong(ray, true);
  }

  private pickAmong(ray: THREE.Raycaster, among: boolean): Hit | null {
    let best: Hit | null = null;
    for (const { mesh, glass, body } of this.batches_) {
      if (glass !== among) continue;
      for (const hit of ray.intersectObject(mesh, false))
        if (hit.instanceId !== undefined && (!best || hit.distance < best.distance))
          best = { body: body[hit.instanceId]!, point: hit.point, distance: hit.distance };
    }
    return best;
  }
}
