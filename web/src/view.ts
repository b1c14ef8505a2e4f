// The 3D view: light, camera, bodies, ground and layers. Draws only when something changed.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BodyMeshes, type Hit } from "./body_meshes";
import type { Region } from "./bounds";
import { ContactLayers } from "./contact_layers";
import { drawColourBar } from "./colour_bar";
import { FieldScale } from "./field_scale";
import { Ground } from "./ground";
import { JointLayers } from "./joint_layers";
import type { LayerState } from "./layers";
import type { Description, Frame, Vec3 } from "./protocol";
import type { Theme } from "./theme";

/** Nearer than this [px] the pointer is at a joint. */
const NEAR_JOINT = 11;

export class View {
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  bodies: BodyMeshes | null = null;
  contacts: ContactLayers | null = null;
  joints: JointLayers | null = null;
  fields: FieldScale | null = null;
  ground: Ground | null = null;
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
  private waiting_ = false;
  /** Until someone moves the camera, it keeps everything in view when the window changes. */
  private untouched_ = true;

  constructor(readonly canvas: HTMLCanvasElement, private readonly theme_: Theme, private readonly layers_: LayerState) {
    this.renderer_ = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer_.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer_.shadowMap.enabled = true;
    this.renderer_.shadowMap.type = THREE.PCFShadowMap;
    this.renderer_.shadowMap.autoUpdate = false;
    this.renderer_.autoClear = false;
    this.camera.up.set(0, 0, 1);
    this.sun_.castShadow = true;
    this.sun_.shadow.mapSize.set(2048, 2048);
    this.sun_.shadow.intensity = 0.75;
    this.sky_.position.set(0, 0, 1);
    this.scene_.add(this.sun_, this.sun_.target, this.sky_);
    this.scene_.fog = this.fog_;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.untouched_ = false));
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    theme_.onChange(() => this.paint());
    layers_.onChange(() => this.applyLayers());
  }

  /** A new scene; the camera moves only if `fit`. */
  open(description: Description, region: Region, fit: boolean): void {
    if (this.bodies) {
      this.scene_.remove(this.bodies.group, this.ground!.group);
      this.bodies.dispose();
      this.ground!.dispose();
    }
    this.region = region;
    this.bodies = new BodyMeshes(description, region.walls);
    this.pictures = this.bodies.pictures;
    void this.pictures.then(() => this.invalidate());
    this.ground = new Ground(description, region);
    this.contacts = new ContactLayers(description, region, this.layers_);
    this.joints = new JointLayers(description, region, this.layers_);
    this.fields = new FieldScale(description);
    this.contacts.scene.add(this.joints.group);
    this.scene_.add(this.bodies.group, this.ground.group);
    this.placeSun(region);
    this.frame_ = null;
    this.resize();
    if (fit) this.fit();
    this.paint();
    this.bodies.seeThrough(this.layers_.has("through"));
  }

  /** The camera looks at the broad side of the region, from a little above. */
  fit(): void {
    const region = this.region;
    if (!region) return;
    const wide = region.high[0] - region.low[0];
    const deep = region.high[1] - region.low[1];
    const direction = wide >= deep ? new THREE.Vector3(0.55, -1, 0.48) : new THREE.Vector3(1, -0.55, 0.48);
    direction.normalize();
    // Every corner of the region inside the frustum: |across| ≤ tan(half angle) · depth.
    const right = new THREE.Vector3(0, 0, 1).cross(direction).normalize();
    const up = new THREE.Vector3().crossVectors(direction, right);
    const tangent = 0.86 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    let distance = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const p = new THREE.Vector3(
        ...(region.centre.map((c, k) => ((corner >> k) & 1 ? region.high : region.low)[k]! - c) as [number, number, number]),
      );
      const near = p.dot(direction);
      distance = Math.max(
        distance,
        near + Math.abs(p.dot(up)) / tangent,
        near + Math.abs(p.dot(right)) / (tangent * this.camera.aspect),
      );
    }
    this.controls.target.set(...region.centre);
    this.camera.position.copy(this.controls.target).addScaledVector(direction, Math.max(distance, 0.5 * region.radius));
    this.controls.minDistance = region.radius * 0.02;
    this.controls.maxDistance = region.radius * 40;
    this.controls.update();
    this.untouched_ = true;
    this.invalidate();
  }

  /** From a point, toward another [m]. */
  look(from: Vec3, at: Vec3): void {
    this.camera.position.set(...from);
    this.controls.target.set(...at);
    this.controls.update();
    this.untouched_ = false;
    this.invalidate();
  }

  show(frame: Frame): void {
    this.frame_ = frame;
    this.bodies!.update(frame, this.layers_.field, this.fields!);
    this.ground!.update(frame);
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
    const distance = this.camera.position.distanceTo(this.controls.target);
    const radius = this.region?.radius ?? 1;
    this.camera.near = Math.max(0.005 * distance, 1e-4 * radius);
    this.camera.far = distance + 150 * radius;
    this.camera.updateProjectionMatrix();
    this.fog_.near = 1.5 * distance + 3 * radius;
    this.fog_.far = 5 * distance + 18 * radius;
    this.renderer_.clear();
    this.renderer_.render(this.scene_, this.camera);
    if (this.contacts) {
      this.renderer_.clearDepth();
      this.renderer_.render(this.contacts.scene, this.camera);
    }
    ++this.drawn;
    this.afterDraw();
  }

  /** PNG of the view alone, as a data URL. */
  picture(width: number, height: number): string {
    const ratio = this.renderer_.getPixelRatio();
    this.renderer_.setPixelRatio(1);
    this.sizeTo(width, height);
    if (this.untouched_) this.fit();
    this.draw();
    const url = this.layers_.field && this.fields?.known ? this.withColourBar(width, height) : this.canvas.toDataURL("image/png");
    this.renderer_.setPixelRatio(ratio);
    this.resize();
    return url;
  }

  /** The picture with what the colours of soft bodies stand for. */
  private withColourBar(width: number, height: number): string {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const pen = canvas.getContext("2d")!;
    pen.drawImage(this.canvas, 0, 0, width, height);
    drawColourBar(pen, this.layers_.field!, this.fields!, width, height, this.theme_.name === "dark");
    return canvas.toDataURL("image/png");
  }

  /** Pixel of the canvas's client area → ray into the scene. */
  ray(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const at = new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    this.camera.updateMatrixWorld();
    ray.setFromCamera(at, this.camera);
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
    this.camera.updateMatrixWorld();
    const p = point.clone().project(this.camera);
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
    this.joints?.paint(palette);
    this.refresh();
    this.invalidate();
  }

  private applyLayers(): void {
    this.sun_.castShadow = this.layers_.has("shadows");
    this.renderer_.shadowMap.needsUpdate = true;
    this.bodies?.seeThrough(this.layers_.has("through"));
    this.paint();
  }

  private placeSun(region: Region): void {
    const reach = 1.6 * region.radius;
    this.sun_.target.position.set(...region.centre);
    this.sun_.position
      .set(...region.centre)
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
    if (this.untouched_) this.fit();
    this.invalidate();
  }

  private sizeTo(width: number, height: number): void {
    this.renderer_.setSize(width, height, true);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }
}
