// Where one looks from: turned by hand, by angles or presets; fitted to what moves, or going along with a body; in perspective
// or without.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Description, Frame, Vec3 } from "./protocol";
import { directionOf, middleOf, outlineAround, regionOf, USUAL, type Region } from "./region";

/** Azimuth and elevation [degrees]. */
export const PRESETS = { front: [0, 0], side: [90, 0], top: [0, 90], iso: [45, 35.264] } as const;
export type Preset = keyof typeof PRESETS;

/** What is kept in the picture: all that happens, or all that a frame shows. */
export type FitTo = "motion" | "frame";

/** The part of the picture that is filled. */
const FILLED = 0.9;
/** Around what is followed there is room for what it meets. */
const ROOM = 1.6;

export class Camera {
  readonly controls: OrbitControls;
  fitTo: FitTo = "motion";
  /** Nearer by this factor than what fits [1]. */
  zoom = 1;
  /** The body that the camera goes along with, −1 for none. */
  followed = -1;
  /** Until someone moves the camera, it keeps everything in view when the window changes. */
  untouched = true;
  description: Description | null = null;
  /** Frames of the motion, as far as it is known. */
  motion: () => Iterable<Frame> = () => [];

  private readonly perspective_ = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  private readonly flat_ = new THREE.OrthographicCamera();
  private angles_: { azimuth: number; elevation: number } | null = null;
  private aspect_ = 1;
  private region_: Region | null = null;
  private frame_: Frame | null = null;
  /** From the place of what is followed on. */
  private outline_: Float64Array = new Float64Array();
  /** Where what is followed was when it was last looked at. */
  private anchor_: THREE.Vector3 | null = null;

  constructor(canvas: HTMLCanvasElement, changed: () => void) {
    for (const camera of [this.perspective_, this.flat_]) camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.perspective_, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => (this.untouched = false));
  }

  get object(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.orthographic ? this.flat_ : this.perspective_;
  }
  get orthographic(): boolean {
    return this.controls.object === this.flat_;
  }
  /** Azimuth and elevation from which one looks now [degrees]. */
  get angles(): { azimuth: number; elevation: number } {
    const d = this.object.position.clone().sub(this.controls.target).normalize();
    const degrees = (x: number) => (x * 180) / Math.PI;
    return { azimuth: degrees(Math.atan2(d.x, -d.y)), elevation: degrees(Math.asin(Math.min(1, Math.max(-1, d.z)))) };
  }
  get distance(): number {
    return this.object.position.distanceTo(this.controls.target);
  }

  open(description: Description, region: Region): void {
    this.description = description;
    this.region_ = region;
    this.frame_ = null;
    this.anchor_ = null;
    if (this.followed >= description.bodies.length) this.followed = -1;
    this.lookAround();
  }

  /** A new aspect ratio. */
  resize(aspect: number): void {
    this.aspect_ = aspect;
    this.perspective_.aspect = aspect;
    const half = this.flat_.top;
    this.flat_.left = -half * aspect;
    this.flat_.right = half * aspect;
    if (this.untouched) this.fit();
    this.object.updateProjectionMatrix();
  }

  /** Goes along with what it follows. */
  show(frame: Frame): void {
    this.frame_ = frame;
    const anchor = this.anchorIn(frame);
    if (anchor && this.anchor_) {
      const moved = anchor.clone().sub(this.anchor_);
      this.controls.target.add(moved);
      this.object.position.add(moved);
    }
    this.anchor_ = anchor ?? this.anchor_;
    if (this.fitTo === "frame" && this.untouched) this.fit();
  }

  /** Stands where the angles say, or where one usually does, so far away that everything is in the picture. */
  fit(): void {
    const region = this.region_;
    if (!region) return;
    const points = this.points();
    const { azimuth, elevation } = this.angles_ ?? this.usualAngles(region);
    const back = new THREE.Vector3(...directionOf(azimuth, elevation));
    const right = new THREE.Vector3(...directionOf(azimuth + 90, 0));
    const up = new THREE.Vector3().crossVectors(back, right);
    const frame = this.orthographic ? frameFlat(points, right, up, this.aspect_) : frameAll(points, right, up, back, this.tangents());
    // What one turns around is as far away as the middle of all.
    const depth = frame.middle;
    const target = new THREE.Vector3().addScaledVector(right, frame.x).addScaledVector(up, frame.y).addScaledVector(back, depth);
    const nearer = this.zoom / (this.followed >= 0 || region.travels ? ROOM : 1);
    const distance = this.orthographic ? 3 * region.radius : Math.max(frame.z - depth, 0.05 * region.radius) / nearer;
    this.controls.target.copy(target);
    this.object.position.copy(target).addScaledVector(back, distance);
    if (this.orthographic) this.setHalfHeight(frame.z / nearer);
    this.controls.minDistance = region.radius * 0.02;
    this.controls.maxDistance = Math.max(region.radius * 40, 2 * distance);
    this.controls.update();
    this.untouched = true;
  }

  /** By angles [degrees]; null: from where one usually looks. */
  turn(angles: { azimuth: number; elevation: number } | null): void {
    this.angles_ = angles;
    this.fit();
  }

  /** From a point, toward another [m]. */
  look(from: Vec3, at: Vec3): void {
    this.object.position.set(...from);
    this.controls.target.set(...at);
    if (this.orthographic) this.setHalfHeight(this.halfHeightAt(this.distance));
    this.controls.update();
    this.untouched = false;
  }

  follow(body: number): void {
    this.followed = body;
    this.lookAround();
    this.anchor_ = this.frame_ && this.anchorIn(this.frame_);
    this.fit();
  }

  /** Without perspective: what is equally long looks equally long wherever it is. */
  setOrthographic(on: boolean): void {
    if (on === this.orthographic) return;
    const [from, to] = on ? [this.perspective_, this.flat_] : [this.flat_, this.perspective_];
    const seen = this.flat_.top / this.flat_.zoom;
    to.position.copy(from.position);
    to.quaternion.copy(from.quaternion);
    this.controls.object = to;
    if (on) this.setHalfHeight(this.halfHeightAt(this.distance));
    else {
      const back = to.position.clone().sub(this.controls.target).normalize();
      to.position.copy(this.controls.target).addScaledVector(back, seen / this.halfHeightAt(1));
    }
    if (this.untouched) this.fit();
    this.controls.update();
  }

  /** How near and how far things are drawn. */
  prepare(): void {
    const distance = this.distance;
    const radius = this.region_?.radius ?? 1;
    this.perspective_.near = Math.max(0.005 * distance, 1e-4 * radius);
    this.flat_.near = -20 * radius;
    this.object.far = distance + 150 * radius;
    this.object.updateProjectionMatrix();
  }

  /** Half of what is seen at a distance, from the lower to the upper edge [m]. */
  private halfHeightAt(distance: number): number {
    return distance * Math.tan(THREE.MathUtils.degToRad(this.perspective_.fov / 2));
  }

  private setHalfHeight(half: number): void {
    this.flat_.zoom = 1;
    this.flat_.top = half;
    this.flat_.bottom = -half;
    this.flat_.left = -half * this.aspect_;
    this.flat_.right = half * this.aspect_;
    this.flat_.updateProjectionMatrix();
  }

  private tangents(): [number, number] {
    const up = FILLED * this.halfHeightAt(1);
    return [up * this.aspect_, up];
  }

  private usualAngles({ low, high, elevation }: Region): { azimuth: number; elevation: number } {
    const { azimuth } = USUAL;
    return { azimuth: high[0] - low[0] >= high[1] - low[1] ? azimuth : 90 - azimuth, elevation };
  }

  /** What is to be in the picture, three numbers each, in the world. */
  private points(): Float64Array {
    const region = this.region_!;
    if (this.followed >= 0 || region.travels) {
      const at = this.anchor_?.toArray() ?? region.centre;
      return this.outline_.map((x, i) => x + at[i % 3]!);
    }
    if (this.fitTo === "frame" && this.frame_) return regionOf(this.description!, [this.frame_]).outline;
    return region.outline;
  }

  /** Learns how large it is, what is followed. */
  private lookAround(): void {
    const d = this.description;
    if (!d || !this.region_) return;
    this.outline_ = this.region_.outline;
    if (this.followed < 0) return;
    const around = outlineAround(d, this.motion(), connected(d, this.followed), this.followed);
    this.outline_ = around;
  }

  private anchorIn(frame: Frame): THREE.Vector3 | null {
    if (this.followed >= 0) return new THREE.Vector3().fromArray(frame.position, 3 * this.followed);
    const middle = this.region_?.travels ? middleOf(this.description!, frame) : null;
    return middle && new THREE.Vector3(...middle);
  }
}

/** A body and what joints hold to it. */
function connected(d: Description, body: number): Set<number> {
  const found = new Set([body]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { a, b } of d.joints ?? [])
      for (const [one, other] of [[a, b], [b, a]])
        if (found.has(one ?? -1) && d.bodies[other ?? -1]?.motion === "dynamic") found.add(other!);
  }
  return found;
}

interface Framing {
  /** Of the camera, along its own axes; without perspective z is half the height of the picture. */
  x: number;
  y: number;
  z: number;
  /** The middle of all, along the axis to the camera. */
  middle: number;
}

/**
 * The nearest place of a camera that sees all points: |x − cx| ≤ t (cz − z) for each of them in both directions. Of all
 * (cx, cz) that satisfy it the lowest cz is at (a + b) / 2 with a = max(z + x / t), b = max(z − x / t), and cx = t (a − b) / 2.
 */
function frameAll(points: Float64Array, right: THREE.Vector3, up: THREE.Vector3, back: THREE.Vector3, tangents: [number, number]): Framing {
  const most = [-Infinity, -Infinity, -Infinity, -Infinity];
  let near = -Infinity;
  let far = Infinity;
  const p = new THREE.Vector3();
  for (let i = 0; i < points.length; i += 3) {
    p.fromArray(points, i);
    const z = p.dot(back);
    near = Math.max(near, z);
    far = Math.min(far, z);
    [p.dot(right) / tangents[0], -p.dot(right) / tangents[0], p.dot(up) / tangents[1], -p.dot(up) / tangents[1]].forEach(
      (x, k) => (most[k] = Math.max(most[k]!, z + x)),
    );
  }
  const [a, b, c, d] = most as [number, number, number, number];
  const z = Math.max((a + b) / 2, (c + d) / 2);
  return { x: centred(points, right, back, z), y: centred(points, up, back, z), z, middle: (near + far) / 2 };
}

/**
 * Where a camera at that height above all points stands along an axis to have as much room on one side of them as on the other:
 * max (x − c) / (cz − z) = max (c − x) / (cz − z). The left side falls with c, the right side grows.
 */
function centred(points: Float64Array, along: THREE.Vector3, back: THREE.Vector3, height: number): number {
  const p = new THREE.Vector3();
  const seen: [number, number][] = [];
  for (let i = 0; i < points.length; i += 3) seen.push([p.fromArray(points, i).dot(along), Math.max(height - p.dot(back), 1e-9 * Math.abs(height))]);
  let low = Math.min(...seen.map(([x]) => x));
  let high = Math.max(...seen.map(([x]) => x));
  for (let round = 0; round < 50; ++round) {
    const middle = (low + high) / 2;
    let above = -Infinity;
    let below = -Infinity;
    for (const [x, depth] of seen) {
      above = Math.max(above, (x - middle) / depth);
      below = Math.max(below, (middle - x) / depth);
    }
    if (above > below) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function frameFlat(points: Float64Array, right: THREE.Vector3, up: THREE.Vector3, aspect: number): Framing {
  const back = new THREE.Vector3().crossVectors(right, up);
  const low = new THREE.Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  const p = new THREE.Vector3();
  for (let i = 0; i < points.length; i += 3) {
    p.fromArray(points, i);
    p.set(p.dot(right), p.dot(up), p.dot(back));
    low.min(p);
    high.max(p);
  }
  const middle = low.clone().add(high).multiplyScalar(0.5);
  const half = Math.max(high.y - low.y, (high.x - low.x) / aspect) / 2 / FILLED;
  return { x: middle.x, y: middle.y, z: Math.max(half, 1e-9), middle: middle.z };
}
