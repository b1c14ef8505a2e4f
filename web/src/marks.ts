// Growing sets of points, lines and scaled solids: what layers are drawn with.

import * as THREE from "three";

function disc(ring: boolean): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const g = canvas.getContext("2d")!;
  g.fillStyle = "#fff";
  g.strokeStyle = "#fff";
  g.beginPath();
  g.arc(32, 32, ring ? 24 : 29, 0, 2 * Math.PI);
  if (ring) {
    g.lineWidth = 10;
    g.stroke();
    g.beginPath();
    g.arc(32, 32, 8, 0, 2 * Math.PI);
  }
  g.fill();
  if (!ring) {
    // A darker rim keeps neighbours apart.
    g.strokeStyle = "#888";
    g.lineWidth = 9;
    g.beginPath();
    g.arc(32, 32, 26, 0, 2 * Math.PI);
    g.stroke();
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.generateMipmaps = false;
  texture.minFilter = THREE.LinearFilter;
  return texture;
}

/** Round marks of constant size on the screen [px]. */
export class PointMarks {
  readonly object: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private capacity_ = 0;

  constructor(pixels: number, ring = false) {
    const material = new THREE.PointsMaterial({
      size: pixels * Math.min(devicePixelRatio, 2),
      sizeAttenuation: false,
      vertexColors: true,
      map: disc(ring),
      alphaTest: 0.15,
      transparent: true,
      fog: false,
    });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
  }
  /** Room for count points; write to positions and colours, then call done. */
  begin(count: number): { positions: Float32Array; colours: Float32Array } {
    const geometry = this.object.geometry;
    if (count > this.capacity_) {
      this.capacity_ = Math.max(64, 2 * count);
      geometry.dispose();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * this.capacity_), 3));
      geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * this.capacity_), 3));
    }
    geometry.setDrawRange(0, count);
    this.object.visible = count > 0;
    if (this.capacity_ === 0) return { positions: new Float32Array(0), colours: new Float32Array(0) };
    const position = geometry.getAttribute("position") as THREE.BufferAttribute;
    const colour = geometry.getAttribute("color") as THREE.BufferAttribute;
    position.needsUpdate = colour.needsUpdate = true;
    return { positions: position.array as Float32Array, colours: colour.array as Float32Array };
  }
}

/** Places of things of so many vertices each, with room for more of them. */
class Places {
  private capacity_ = 0;

  constructor(private readonly vertices_: number) {}

  /** Three numbers for each vertex of count things. */
  begin(object: { geometry: THREE.BufferGeometry; visible: boolean }, count: number): Float32Array {
    const { geometry } = object;
    if (count > this.capacity_) {
      this.capacity_ = Math.max(64, 2 * count);
      geometry.dispose();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * this.vertices_ * this.capacity_), 3));
    }
    geometry.setDrawRange(0, this.vertices_ * count);
    object.visible = count > 0;
    if (this.capacity_ === 0) return new Float32Array(0);
    const position = geometry.getAttribute("position") as THREE.BufferAttribute;
    position.needsUpdate = true;
    return position.array as Float32Array;
  }
}

/** Thin lines of one colour. */
export class LineMarks {
  readonly object: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly places_ = new Places(2);

  constructor(opacity = 1) {
    const material = new THREE.LineBasicMaterial({ fog: false, transparent: opacity < 1, opacity });
    this.object = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
  }
  colour(hex: number): void {
    this.object.material.color.set(hex);
  }
  /** Room for count segments, six numbers each. */
  begin(count: number): Float32Array {
    return this.places_.begin(this.object, count);
  }
}

const LIGHT = new THREE.Vector3(0.3, 0.5, 0.8).normalize();

/** Faces of one colour that let through what is behind them, darker the more they lean from the light. */
export class TriangleMarks {
  readonly object: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly places_ = new Places(3);

  constructor(opacity: number) {
    const material = new THREE.MeshBasicMaterial({ fog: false, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false, vertexColors: true });
    this.object = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
  }
  colour(hex: number): void {
    this.object.material.color.set(hex);
  }
  /** Room for count triangles, nine numbers each; then call done. */
  begin(count: number): Float32Array {
    return this.places_.begin(this.object, count);
  }
  /** What was written is shown. */
  done(count: number): void {
    if (count === 0) return;
    const { geometry } = this.object;
    const position = geometry.getAttribute("position");
    let colour = geometry.getAttribute("color") as THREE.BufferAttribute | undefined;
    if (colour?.count !== position.count) {
      colour = new THREE.BufferAttribute(new Float32Array(3 * position.count), 3);
      geometry.setAttribute("color", colour);
    }
    const [a, b, c] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    for (let t = 0; t < count; ++t) {
      a.fromBufferAttribute(position, 3 * t);
      b.fromBufferAttribute(position, 3 * t + 1).sub(a);
      c.fromBufferAttribute(position, 3 * t + 2).sub(a);
      const towards = Math.abs(b.cross(c).normalize().dot(LIGHT));
      colour.array.fill(0.45 + 0.55 * towards, 9 * t, 9 * t + 9);
    }
    colour.needsUpdate = true;
  }
}

/** Solids along a direction: unit geometry along z, from 0 to 1. */
export class SolidMarks {
  readonly group = new THREE.Group();
  private mesh_: THREE.InstancedMesh | null = null;
  private capacity_ = 0;
  private readonly up_ = new THREE.Vector3(0, 0, 1);
  private readonly turn_ = new THREE.Quaternion();
  private readonly matrix_ = new THREE.Matrix4();
  private readonly size_ = new THREE.Vector3();

  /** `coloured`: each has a colour of its own. */
  constructor(
    private readonly geometry_: THREE.BufferGeometry,
    readonly material: THREE.MeshBasicMaterial,
    private readonly coloured_ = false,
  ) {}

  begin(count: number): void {
    if (count > this.capacity_) {
      this.capacity_ = Math.max(64, 2 * count);
      if (this.mesh_) {
        this.group.remove(this.mesh_);
        this.mesh_.dispose();
      }
      this.mesh_ = new THREE.InstancedMesh(this.geometry_, this.material, this.capacity_);
      this.mesh_.frustumCulled = false;
      if (this.coloured_) this.mesh_.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.capacity_), 3);
      this.group.add(this.mesh_);
    }
    if (!this.mesh_) return;
    this.mesh_.count = count;
    this.mesh_.visible = count > 0;
    this.mesh_.instanceMatrix.needsUpdate = true;
    if (this.mesh_.instanceColor) this.mesh_.instanceColor.needsUpdate = true;
  }
  /** direction: unit. */
  put(index: number, foot: THREE.Vector3, direction: THREE.Vector3, radius: number, length: number, colour?: THREE.Color): void {
    if (colour && this.coloured_) this.mesh_!.setColorAt(index, colour);
    this.turn_.setFromUnitVectors(this.up_, direction);
    this.matrix_.compose(foot, this.turn_, this.size_.set(radius, radius, length));
    this.mesh_!.setMatrixAt(index, this.matrix_);
  }
}

/** Rods between two points, each with its own colour; collected anew for every frame. Unit geometry along z, from 0 to 1. */
export class RodMarks {
  readonly group = new THREE.Group();
  private readonly material_ = new THREE.MeshBasicMaterial({ fog: false });
  private mesh_: THREE.InstancedMesh | null = null;
  private count_ = 0;
  private readonly turn_ = new THREE.Quaternion();
  private readonly along_ = new THREE.Vector3();
  private readonly size_ = new THREE.Vector3();
  private readonly matrix_ = new THREE.Matrix4();
  private static readonly up_ = new THREE.Vector3(0, 0, 1);

  constructor(private readonly geometry_: THREE.BufferGeometry) {}

  begin(): void {
    this.count_ = 0;
  }
  add(from: THREE.Vector3, to: THREE.Vector3, radius: number, colour: THREE.Color): void {
    const length = this.along_.subVectors(to, from).length();
    if (!(length > 0)) return;
    if (!this.mesh_ || this.count_ === this.mesh_.instanceMatrix.count) this.grow();
    this.turn_.setFromUnitVectors(RodMarks.up_, this.along_.divideScalar(length));
    this.matrix_.compose(from, this.turn_, this.size_.set(radius, radius, length));
    this.mesh_!.setMatrixAt(this.count_, this.matrix_);
    this.mesh_!.setColorAt(this.count_++, colour);
  }
  end(): void {
    if (!this.mesh_) return;
    this.mesh_.count = this.count_;
    this.mesh_.visible = this.count_ > 0;
    this.mesh_.instanceMatrix.needsUpdate = true;
    if (this.mesh_.instanceColor) this.mesh_.instanceColor.needsUpdate = true;
  }

  private grow(): void {
    const old = this.mesh_;
    const capacity = Math.max(256, 2 * this.count_);
    const mesh = new THREE.InstancedMesh(this.geometry_, this.material_, capacity);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    mesh.frustumCulled = false;
    if (old) {
      (mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array);
      (mesh.instanceColor.array as Float32Array).set(old.instanceColor!.array);
      this.group.remove(old);
      old.dispose();
    }
    this.mesh_ = mesh;
    this.group.add(mesh);
  }
}
