// The 3D view: light, camera, bodies, ground and layers. Draws only when something changed.

import * as THREE from "three";
import { BodyMeshes, type Hit } from "./body_meshes";
import { Camera } from "./camera";
import { BodyValues, isValue, type Colouring, type Range } from "./body_values";
import { ContactLayers } from "./contact_layers";
import { drawColourBar, titleOf } from "./colour_bar";
import { FieldScale } from "./field_scale";
import { Ground } from "./ground";
import { JointLayers } from "./joint_layers";
import type { LayerState } from "./layers";
import type { Description, Frame } from "./protocol";
import type { Region } from "./region";
import type { Theme } from "./theme";
import { Trails, type TrailOf } from "./trails";

/** Nearer than this [px] the pointer is at a joint. */
const NEAR_JOINT = 11;

export class View {
  readonly camera: Camera;
  bodies: BodyMeshes | null = null;
  contacts: ContactLayers | null = null;
  joints: JointLayers | null = null;
  fields: FieldScale | null = null;
  values: BodyValues | null = null;
  colouring: Colouring = "usual";
  ground: Ground | null = null;
  trails: Trails | null = null;
  /** Ways of bodies until now, from whoever knows. */
  trailOf: TrailOf = () => new Float64Array();
  region: Region | null = null;
  /** Fulfilled when the pictures of the meshes of the scene can be drawn. */
  pictures: Promise<unknown> = Promise.resolve();
  /** Pictures drawn so far. */
  drawn = 0;
  /** Called after every picture. */
  afterDraw: () => void = () => {};

  private readonly renderer_: THREE.WebGLRenderer;
  private readonly scene_ = new THREE.Scene();
  private readonly sun_ = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky_ = new THREE.HemisphereLight(0xffffff, 0x9aa4ae, 1.5);
  private readonly fog_ = new THREE.Fog(0, 1, 10);
  private frame_: Frame | null = null;
  private readonly copy_ = document.createElement("canvas");
  private waiting_ = false;

  constructor(readonly canvas: HTMLCanvasElement, private readonly theme_: Theme, private readonly layers_: LayerState) {
    this.renderer_ = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer_.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer_.shadowMap.enabled = true;
    this.renderer_.shadowMap.type = THREE.PCFShadowMap;
    this.renderer_.shadowMap.autoUpdate = false;
    this.renderer_.autoClear = false;
    this.sun_.castShadow = true;
    this.sun_.shadow.mapSize.set(2048, 2048);
    this.sun_.shadow.intensity = 0.75;
    this.sky_.position.set(0, 0, 1);
    this.scene_.add(this.sun_, this.sun_.target, this.sky_);
    this.scene_.fog = this.fog_;
    this.camera = new Camera(canvas, () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    theme_.onChange(() => this.paint());
    layers_.onChange(() => this.applyLayers());
  }

  /** A new scene; the camera moves only if `fit`. */
  open(description: Description, region: Region, fit: boolean): void {
    if (this.bodies) {
      this.scene_.remove(this.bodies.group, this.ground!.group, this.trails!.object);
      this.bodies.dispose();
      this.ground!.dispose();
    }
    this.region = region;
    this.bodies = new BodyMeshes(description, region.walls);
    this.ground = new Ground(description, region);
    this.pictures = Promise.all([this.bodies.pictures, this.ground.pictures]);
    void this.pictures.then(() => this.invalidate());
    this.contacts = new ContactLayers(description, region, this.layers_);
    this.joints = new JointLayers(description, region, this.layers_);
    this.fields = new FieldScale(description);
    this.values = new BodyValues(description, region);
    this.bodies.colourBy(this.colouring);
    this.contacts.scene.add(this.joints.group);
    this.trails = new Trails(description);
    this.scene_.add(this.bodies.group, this.ground.group, this.trails.object);
    this.placeSun(region);
    this.frame_ = null;
    this.camera.open(description, region);
    this.resize();
    if (fit) this.camera.fit();
    this.paint();
    this.bodies.seeThrough(this.layers_.has("see-through"));
  }

  /** More is to be shown than was known. */
  widen(region: Region): void {
    this.region = { ...region, size: this.region!.size, walls: this.region!.walls };
    this.camera.open(this.camera.description!, this.region);
    if (this.frame_) this.camera.show(this.frame_);
    this.camera.fit();
    this.invalidate();
  }

  show(frame: Frame): void {
    this.frame_ = frame;
    this.camera.show(frame);
    this.placeSun(this.region!);
    this.bodies!.update(frame, this.layers_.field, this.fields!, this.values!);
    this.ground!.update(frame);
    this.trails!.update(this.layers_.has("trails") ? frame : null, this.contacts!.selected, this.trailOf);
    this.contacts!.update(frame);
    this.joints!.update(frame, this.contacts!.metresPerNewton * this.contacts!.forceZoom);
    // Shadows move with bodies, not with the camera.
    this.renderer_.shadowMap.needsUpdate = true;
    this.invalidate();
  }

  select(body: number): void {
    this.bodies?.select(body);
    if (this.contacts) this.contacts.selected = body;
    this.refresh();
  }

  selectJoint(joint: number): void {
    if (this.joints) this.joints.selected = joint;
    this.refresh();
  }

  refresh(): void {
    if (this.frame_) this.show(this.frame_);
  }

  invalidate(): void {
    if (this.waiting_) return;
    this.waiting_ = true;
    requestAnimationFrame(() => {
      if (this.waiting_) this.draw();
    });
  }

  draw(): void {
    this.waiting_ = false;
    this.camera.prepare();
    const { distance, object } = this.camera;
    const radius = this.region?.radius ?? 1;
    this.fog_.near = 1.5 * distance + 3 * radius;
    this.fog_.far = 5 * distance + 18 * radius;
    this.renderer_.clear();
    this.renderer_.render(this.scene_, object);
    if (this.contacts) {
      if (this.layers_.has("marks-in-front")) this.renderer_.clearDepth();
      this.renderer_.render(this.contacts.scene, object);
    }
    ++this.drawn;
    this.afterDraw();
  }

  colourBy(by: Colouring): void {
    this.colouring = by;
    this.bodies?.colourBy(by);
    this.paint();
  }

  /** What the colours of bodies stand for; null if for no numbers. */
  get range(): Range | null {
    const field = this.layers_.field;
    if (field && this.fields?.known) {
      const { full, unit } = this.fields.of(field);
      return { title: titleOf(field), unit, low: 0, high: full };
    }
    return isValue(this.colouring) ? (this.values?.range(this.colouring) ?? null) : null;
  }

  /** PNG of the view alone, as a data URL. */
  picture(width: number, height: number): string {
    return this.still(width, height).toDataURL("image/png");
  }

  /** The view alone, with what the colours of soft bodies stand for. */
  still(width: number, height: number): HTMLCanvasElement {
    const ratio = this.renderer_.getPixelRatio();
    const same = this.canvas.width === width && this.canvas.height === height;
    if (!same) {
      this.renderer_.setPixelRatio(1);
      this.sizeTo(width, height);
    }
    this.draw();
    this.copy_.width = width;
    this.copy_.height = height;
    const pen = this.copy_.getContext("2d")!;
    pen.drawImage(this.canvas, 0, 0, width, height);
    const range = this.range;
    if (range) drawColourBar(pen, range, width, height, this.theme_.name === "dark");
    if (!same) {
      this.renderer_.setPixelRatio(ratio);
      this.resize();
    }
    return this.copy_;
  }

  /** Pixel of the canvas's client area → ray into the scene. */
  ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    this.camera.object.updateMatrixWorld();
    ray.setFromCamera(at, this.camera.object);
    return ray;
  }

  pick(x: number, y: number): Hit | null {
    const ray = this.ray(x, y);
    const body = this.bodies?.pick(ray) ?? null;
    const ground = this.ground?.pick(ray) ?? null;
    return body && ground ? (body.distance <= ground.distance ? body : ground) : (body ?? ground);
  }

  /** The joint whose place on the screen is nearest, −1 if none of those that are drawn is near. */
  pickJoint(x: number, y: number, count: number): number {
    const joints = this.joints;
    if (!joints || !this.frame_) return -1;
    let best = -1;
    let nearest = NEAR_JOINT;
    for (let i = 0; i < count; ++i) {
      if (i !== joints.selected && !this.layers_.has("joints") && !this.layers_.has("joint-forces")) continue;
      const anchor = joints.places.anchor(this.frame_, i);
      const at = anchor && this.project(anchor);
      const distance = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (distance < nearest) {
        nearest = distance;
        best = i;
      }
    }
    return best;
  }

  /** World point → pixel of the window, null behind the camera. */
  project(point: THREE.Vector3): { x: number; y: number } | null {
    this.camera.object.updateMatrixWorld();
    const p = point.clone().project(this.camera.object);
    if (p.z > 1) return null;
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }

  private paint(): void {
    const palette = this.theme_.palette;
    this.renderer_.setClearColor(palette.background);
    this.fog_.color.set(palette.background);
    this.sky_.intensity = this.theme_.name === "dark" ? 1.1 : 1.6;
    this.bodies?.paint(palette);
    this.ground?.paint(palette, this.layers_.has("grid"), this.renderer_.capabilities.getMaxAnisotropy());
    this.contacts?.paint(palette);
    this.trails?.lines.colour(palette.trail);
    this.joints?.paint(palette);
    this.refresh();
    this.invalidate();
  }

  private applyLayers(): void {
    this.sun_.castShadow = this.layers_.has("shadows");
    this.renderer_.shadowMap.needsUpdate = true;
    this.bodies?.seeThrough(this.layers_.has("see-through"));
    this.paint();
  }

  /** Above the region, or above what the camera goes along with. */
  private placeSun(region: Region): void {
    // Nothing that is shown casts a shadow from farther out, and the map is as fine as it is small.
    const reach = 1.1 * region.radius;
    const centre = region.travels ? this.camera.controls.target : new THREE.Vector3(...region.centre);
    this.sun_.target.position.copy(centre);
    this.sun_.position
      .copy(centre)
      .add(new THREE.Vector3(-0.5, -0.65, 1.3).normalize().multiplyScalar(4 * region.radius));
    const camera = this.sun_.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.1 * region.radius;
    camera.far = 10 * region.radius;
    camera.updateProjectionMatrix();
    this.sun_.shadow.normalBias = (2 * reach) / 2048;
    this.sun_.shadow.bias = -0.0005;
    this.renderer_.shadowMap.needsUpdate = true;
  }

  private resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return;
    this.sizeTo(box.width, box.height);
    this.invalidate();
  }

  private sizeTo(width: number, height: number): void {
    this.renderer_.setSize(width, height, true);
    this.camera.resize(width / height);
  }
}
