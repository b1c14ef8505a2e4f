// Half-spaces as wide planes with a measured grid, or a grid below the bodies where there is none.

import * as THREE from "three";
import type { Region } from "./region";
import { niceBelow } from "./math";
import { ABSENT, type Description, type Frame } from "./protocol";
import { pictureTexture, saidColour } from "./shapes";
import type { Palette } from "./theme";

const CELLS = 10; // squares along a tile of the texture; its outline is a major line

interface Plane {
  mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshLambertMaterial>;
  body: number;
  local: THREE.Matrix4;
  /** That the scene gives it. */
  colour: THREE.Color | null;
  /** The same, once it is loaded: a copy of it is `size` large [m]. */
  picture: { texture: THREE.Texture; size: [number, number] } | null;
}

export class Ground {
  readonly group = new THREE.Group();
  /** Edge of a grid square [m]. */
  readonly square: number;
  /** Fulfilled when all pictures can be drawn. */
  readonly pictures: Promise<unknown>;
  private readonly planes_: Plane[] = [];
  private readonly reach_: number;

  constructor(description: Description, private readonly region_: Region) {
    this.square = niceBelow(region_.radius / 3);
    const tile = CELLS * this.square;
    this.reach_ = Math.ceil((region_.radius * 120) / tile) * tile;
    const loading: Promise<void>[] = [];
    description.bodies.forEach((body, index) => {
      for (const part of body.parts) {
        if (part.shape.type !== "half-space") continue;
        const [w, x, y, z] = part.orientation_wxyz;
        const local = new THREE.Matrix4().compose(
          new THREE.Vector3(...part.position),
          new THREE.Quaternion(x, y, z, w),
          new THREE.Vector3(1, 1, 1),
        );
        const plane = this.add(index, local, saidColour(part.colour).colour);
        if (part.texture) loading.push(this.load(plane, part.address!, part.texture.size));
      }
    });
    this.pictures = Promise.all(loading);
    if (this.planes_.length === 0) this.add(-1, new THREE.Matrix4().makeTranslation(0, 0, Math.min(0, region_.low[2])));
  }

  private add(body: number, local: THREE.Matrix4, colour: THREE.Color | null = null): Plane {
    const geometry = new THREE.PlaneGeometry(2 * this.reach_, 2 * this.reach_);
    const material = new THREE.MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    const plane: Plane = { mesh, body, local, colour, picture: null };
    this.planes_.push(plane);
    this.group.add(mesh);
    return plane;
  }

  private async load(plane: Plane, address: string, size: [number, number]): Promise<void> {
    const texture = await pictureTexture(address);
    if (!texture) return;
    plane.picture = { texture, size };
    if (plane.mesh.material.map) this.show(plane);
  }

  /** The picture in place of what is drawn now. Copies stay where they are when the patch that is drawn moves. */
  private show({ mesh, picture, colour }: Plane): void {
    const material = mesh.material;
    if (material.map !== picture!.texture) material.map?.dispose();
    material.map = picture!.texture;
    material.color.set(colour ?? 0xffffff);
    material.map.repeat.set((2 * this.reach_) / picture!.size[0], (2 * this.reach_) / picture!.size[1]);
    material.needsUpdate = true;
  }

  dispose(): void {
    for (const { mesh, picture } of this.planes_) {
      picture?.texture.dispose();
      mesh.geometry.dispose();
      mesh.material.map?.dispose();
      mesh.material.dispose();
    }
  }

  paint(palette: Palette, grid: boolean, anisotropy: number): void {
    for (const plane of this.planes_) {
      if (plane.picture) {
        plane.picture.texture.anisotropy = anisotropy;
        this.show(plane);
        continue;
      }
      plane.mesh.material.map?.dispose();
      const texture = gridTexture(plane.colour ? inColour(palette, plane.colour) : palette, grid, anisotropy);
      texture.repeat.setScalar((2 * this.reach_) / (CELLS * this.square));
      plane.mesh.material.map = texture;
      plane.mesh.material.needsUpdate = true;
    }
  }

  /** Planes follow their bodies; the patch that is drawn stays below the scene, in whole tiles. */
  update(frame: Frame | null): void {
    const pose = new THREE.Matrix4();
    const centre = new THREE.Vector3();
    const tile = CELLS * this.square;
    for (const { mesh, body, local, picture } of this.planes_) {
      pose.copy(local);
      mesh.visible = true;
      if (body >= 0 && frame) {
        const p = frame.position;
        const q = frame.orientation;
        pose.compose(
          new THREE.Vector3(p[3 * body], p[3 * body + 1], p[3 * body + 2]),
          new THREE.Quaternion(q[4 * body + 1], q[4 * body + 2], q[4 * body + 3], q[4 * body]),
          new THREE.Vector3(1, 1, 1),
        );
        pose.multiply(local);
        mesh.visible = frame.state[body] !== ABSENT;
      }
      centre.set(...this.region_.centre).applyMatrix4(pose.clone().invert());
      const x = Math.round(centre.x / tile) * tile;
      const y = Math.round(centre.y / tile) * tile;
      const shift = new THREE.Matrix4().makeTranslation(x, y, 0);
      if (picture) picture.texture.offset.set(wrapped((x - this.reach_) / picture.size[0]), wrapped((y - this.reach_) / picture.size[1]));
      mesh.matrix.copy(pose).multiply(shift);
      mesh.matrixWorldNeedsUpdate = true;
      // Walls are glass: one looks through them at what they hold.
      const wall = Math.abs(mesh.matrix.elements[10]!) < 0.4;
      if (wall !== mesh.material.transparent) {
        mesh.material.transparent = wall;
        mesh.material.opacity = wall ? 0.12 : 1;
        mesh.material.depthWrite = !wall;
        mesh.material.needsUpdate = true;
      }
    }
  }

  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number } | null {
    let best: { body: number; point: THREE.Vector3; distance: number } | null = null;
    for (const { mesh, body } of this.planes_) {
      const hit = body >= 0 && !mesh.material.transparent ? ray.intersectObject(mesh, false)[0] : undefined;
      if (hit && (!best || hit.distance < best.distance)) best = { body, point: hit.point, distance: hit.distance };
    }
    return best;
  }
}

/** The part after the point: large offsets lose digits on a graphics card. */
function wrapped(copies: number): number {
  return copies - Math.floor(copies);
}

/** Lines are the colour made darker, or lighter where it is dark. */
function inColour(palette: Palette, colour: THREE.Color): Palette {
  const { l } = colour.getHSL({ h: 0, s: 0, l: 0 });
  const shade = (part: number) => `#${colour.clone().offsetHSL(0, 0, l > 0.3 ? -part * l : part * (1 - l)).getHexString()}`;
  return { ...palette, ground: shade(0), gridMinor: shade(0.1), gridMajor: shade(0.25) };
}

function gridTexture(palette: Palette, grid: boolean, anisotropy: number): THREE.Texture {
  const size = 1024;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = grid ? size : 4;
  const g = canvas.getContext("2d")!;
  g.fillStyle = palette.ground;
  g.fillRect(0, 0, size, size);
  if (grid) {
    const cell = size / CELLS;
    for (let i = 0; i < CELLS; ++i) {
      const width = i === 0 ? 5 : 3;
      g.fillStyle = i === 0 ? palette.gridMajor : palette.gridMinor;
      for (const at of i === 0 ? [0, size] : [i * cell]) {
        g.fillRect(at - width / 2, 0, width, size);
        g.fillRect(0, at - width / 2, size, width);
      }
    }
    // Major lines lie above all minor ones.
    g.fillStyle = palette.gridMajor;
    for (const at of [0, size]) {
      g.fillRect(at - 2.5, 0, 5, size);
      g.fillRect(0, at - 2.5, size, 5);
    }
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = anisotropy;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
