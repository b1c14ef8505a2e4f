// Everything that is drawn over the bodies: contacts, forces, cones, manifolds, centres of pressure, bounding boxes.

import * as THREE from "three";
import { BodyBounds } from "./bounds";
import { forceColour, heatColour, slipColour, touchColour } from "./colour_scales";
import { FeatureLayer } from "./feature_layer";
import type { LayerState } from "./layers";
import { LineMarks, PointMarks, SolidMarks, TriangleMarks } from "./marks";
import { niceAbove, niceBelow } from "./math";
import type { Region } from "./region";
import type { Contacts, Description, Frame, Joints } from "./protocol";
import type { Palette } from "./theme";

/** Sums over the contacts of one pair of bodies. */
interface PairSum {
  members: number[];
  load: number;
  moment: [number, number, number];
}

export class ContactLayers {
  readonly scene = new THREE.Scene();
  /** Length of one newton in force arrows and cones [m/N]. */
  metresPerNewton = 0;
  /** Penetration that is drawn in full red [m]. */
  fullPenetration = 1e-3;
  /** Body whose contacts alone show their features; −1: all do. */
  selected = -1;
  /** How many times deeper than it is a common volume is drawn. */
  overlapZoom = 1;
  /** Chosen by the user on top of the automatic scale. */
  forceZoom = 1;
  /** Arrows of smaller forces are not drawn [N]. */
  leastForce = 0;

  private readonly points_ = new PointMarks(8);
  private readonly pressure_ = new PointMarks(15, true);
  private readonly normals_ = new LineMarks();
  private readonly manifolds_ = new LineMarks();
  private readonly overlaps_ = new TriangleMarks(0.55);
  private readonly boxes_ = new LineMarks(0.7);
  private readonly spring_ = new LineMarks();
  private readonly shafts_: SolidMarks;
  private readonly heads_: SolidMarks;
  private readonly cones_: SolidMarks;
  private readonly rims_: SolidMarks;
  private readonly bounds_: BodyBounds;
  private readonly features_: FeatureLayer;
  private palette_!: Palette;
  private largestForce_ = 0;
  private thickest_ = 0;

  /** What the last colour of arrows stands for [N]. */
  get fullForce(): number {
    return this.largestForce_ > 0 ? niceAbove(this.largestForce_) : 1;
  }

  constructor(
    private readonly description_: Description,
    private readonly region_: Region,
    private readonly layers_: LayerState,
  ) {
    this.bounds_ = new BodyBounds(description_);
    this.features_ = new FeatureLayer(description_, region_.size);
    const along = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shafts_ = new SolidMarks(along(new THREE.CylinderGeometry(1, 1, 1, 8)), new THREE.MeshBasicMaterial({ fog: false }), true);
    this.heads_ = new SolidMarks(along(new THREE.ConeGeometry(1, 1, 12)), new THREE.MeshBasicMaterial({ fog: false }), true);
    // The apex of the friction cone is at the contact, the opening along the normal.
    const funnel = new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.cones_ = new SolidMarks(
      funnel,
      new THREE.MeshBasicMaterial({ fog: false, transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false }),
    );
    const rim = new THREE.TorusGeometry(1, 0.009, 6, 40).translate(0, 0, 1);
    this.rims_ = new SolidMarks(rim, new THREE.MeshBasicMaterial({ fog: false }));
    this.scene.add(
      this.features_.group,
      this.boxes_.object,
      this.overlaps_.object,
      this.manifolds_.object,
      this.normals_.object,
      this.shafts_.group,
      this.heads_.group,
      this.rims_.group,
      this.cones_.group,
      this.points_.object,
      this.pressure_.object,
      this.spring_.object,
    );
    for (const line of [this.normals_, this.manifolds_, this.boxes_, this.spring_]) line.begin(0);
    for (const points of [this.points_, this.pressure_]) points.begin(0);
    this.overlaps_.begin(0);
  }

  paint(palette: Palette): void {
    this.palette_ = palette;
    this.normals_.colour(palette.normal);
    this.manifolds_.colour(palette.manifold);
    this.overlaps_.colour(palette.overlap);
    this.boxes_.colour(palette.box);
    this.spring_.colour(palette.spring);
    this.cones_.material.color.set(palette.cone);
    this.rims_.material.color.set(palette.cone);
  }

  /**
   * Chooses scales from contacts and joints that are to be seen: all of a replay, or those of a live frame. They only ever
   * grow.
   */
  fit(all: Iterable<Contacts>, joints: Iterable<Joints> = []): void {
    const forces: number[] = [];
    let deepest = 0;
    let thickest = this.thickest_;
    for (const c of all) {
      for (const { depth } of c.areas) thickest = Math.max(thickest, depth);
      const stride = Math.max(1, Math.floor(c.count / 500));
      for (let i = 0; i < c.count; i += stride) {
        forces.push(Math.hypot(c.force[3 * i]!, c.force[3 * i + 1]!, c.force[3 * i + 2]!));
        deepest = Math.max(deepest, -c.gap[i]!);
      }
    }
    for (const j of joints) {
      const stride = Math.max(1, Math.floor(j.state.length / 500));
      for (let i = 0; i < j.state.length; i += stride)
        forces.push(Math.hypot(j.force[3 * i]!, j.force[3 * i + 1]!, j.force[3 * i + 2]!));
    }
    if (thickest > 1.5 * this.thickest_) {
      this.thickest_ = thickest;
      // The thickest is as high as a fifth of a body, unless it is higher than that.
      this.overlapZoom = Math.max(1, niceBelow((0.2 * this.region_.size) / thickest));
    }
    forces.sort((a, b) => a - b);
    const typical = forces.length ? forces[Math.floor(0.95 * (forces.length - 1))]! : 0;
    if (typical > 1.5 * this.largestForce_) {
      this.largestForce_ = typical;
      // The large ones are about as long as a body and a half; whole newtons per metre in steps of 1, 2, 5.
      this.metresPerNewton = 1 / niceBelow((typical / (1.5 * this.region_.size)) * 1.5);
    }
    if (deepest > this.fullPenetration || this.fullPenetration === 1e-3)
      if (deepest > 0) this.fullPenetration = niceBelow(deepest * 1.2);
  }

  spring(ends: [THREE.Vector3, THREE.Vector3] | null): void {
    const to = this.spring_.begin(ends ? 1 : 0);
    if (ends) {
      ends[0].toArray(to, 0);
      ends[1].toArray(to, 3);
    }
  }

  update(frame: Frame): void {
    const on = (name: Parameters<LayerState["has"]>[0]) => this.layers_.has(name);
    const c = on("selected-only") && this.selected >= 0 && frame.contacts ? contactsOf(frame.contacts, this.selected) : frame.contacts;
    const pairs = c && (on("manifolds") || on("pressure-centres")) ? pairSums(c) : [];
    this.updatePoints(on("contacts") || on("slip") || on("penetration") || on("features") ? c : null);
    this.updateNormals(on("normals") ? c : null);
    this.updateForces(on("forces") ? c : null);
    this.updateCones(on("cones") ? c : null);
    this.updateManifolds(on("manifolds") ? pairs : [], c);
    this.updateOverlaps(on("overlaps") ? c : null);
    this.updatePressure(on("pressure-centres") ? pairs : []);
    this.updateBoxes(on("boxes") ? frame : null);
    this.features_.update(frame, on("features") ? c : null, this.selected);
  }

  private updatePoints(c: Contacts | null): void {
    const { positions, colours } = this.points_.begin(c?.count ?? 0);
    if (!c) return;
    const colour = new THREE.Color();
    for (let i = 0; i < c.count; ++i) {
      for (let k = 0; k < 3; ++k) positions[3 * i + k] = c.position[3 * i + k]!;
      if (this.layers_.has("slip"))
        colour.setRGB(...slipColour(Math.hypot(c.slip[3 * i]!, c.slip[3 * i + 1]!, c.slip[3 * i + 2]!)), THREE.SRGBColorSpace);
      else if (this.layers_.has("penetration")) colour.setRGB(...heatColour(c.gap[i]!, this.fullPenetration), THREE.SRGBColorSpace);
      else if (this.layers_.has("features")) colour.setRGB(...touchColour(c.touch[i]!), THREE.SRGBColorSpace);
      else colour.set(this.palette_.plain);
      colour.toArray(colours, 3 * i);
    }
  }

  private updateNormals(c: Contacts | null): void {
    const to = this.normals_.begin(c?.count ?? 0);
    if (!c) return;
    const length = 0.5 * this.region_.size;
    for (let i = 0; i < c.count; ++i)
      for (let k = 0; k < 3; ++k) {
        to[6 * i + k] = c.position[3 * i + k]!;
        to[6 * i + 3 + k] = c.position[3 * i + k]! + length * c.normal[3 * i + k]!;
      }
  }

  private updateForces(c: Contacts | null): void {
    const count = c?.count ?? 0;
    this.shafts_.begin(count);
    this.heads_.begin(count);
    if (!c) return;
    const scale = this.metresPerNewton * this.forceZoom;
    const radius = 0.022 * this.region_.size;
    const full = this.fullForce;
    const colour = new THREE.Color();
    const foot = new THREE.Vector3();
    const direction = new THREE.Vector3();
    for (let i = 0; i < count; ++i) {
      direction.fromArray(c.force, 3 * i);
      const newtons = direction.length();
      const length = newtons < this.leastForce ? 0 : newtons * scale;
      colour.setRGB(...forceColour(newtons / full), THREE.SRGBColorSpace);
      if (length > 0) direction.normalize();
      else direction.set(0, 0, 1);
      foot.fromArray(c.position, 3 * i);
      const head = Math.min(6 * radius, 0.45 * length);
      this.shafts_.put(i, foot, direction, Math.min(radius, length), length - head, colour);
      this.heads_.put(i, foot.addScaledVector(direction, length - head), direction, head / 2.4, head, colour);
    }
  }

  private updateCones(c: Contacts | null): void {
    const count = c?.count ?? 0;
    this.cones_.begin(count);
    this.rims_.begin(count);
    if (!c) return;
    // Many cones in front of each other would become a wall.
    this.cones_.material.opacity = Math.max(0.04, 0.22 / Math.sqrt(1 + count / 40));
    const scale = this.metresPerNewton * this.forceZoom;
    const least = 0.06 * this.region_.size;
    const foot = new THREE.Vector3();
    const normal = new THREE.Vector3();
    for (let i = 0; i < count; ++i) {
      foot.fromArray(c.position, 3 * i);
      normal.fromArray(c.normal, 3 * i).normalize();
      const load = c.force[3 * i]! * normal.x + c.force[3 * i + 1]! * normal.y + c.force[3 * i + 2]! * normal.z;
      const height = Math.max(load * scale, least);
      const radius = Math.max(c.friction[i]! * height, 1e-4 * height);
      this.cones_.put(i, foot, normal, radius, height);
      this.rims_.put(i, foot, normal, radius, height);
    }
  }

  /** Contacts of a pair joined, and the outlines of contacts that stand for areas. */
  private updateManifolds(pairs: PairSum[], c: Contacts | null): void {
    const areas = pairs.length ? c!.areas : [];
    let segments = 0;
    for (const { corners } of areas) segments += corners.length < 6 ? 0 : corners.length === 6 ? 1 : corners.length / 3;
    for (const { members } of pairs) segments += members.length < 2 ? 0 : members.length === 2 ? 1 : members.length;
    const to = this.manifolds_.begin(segments);
    let at = 0;
    for (const { members } of pairs) {
      if (members.length < 2) continue;
      const loop = aroundNormal(c!, members);
      const edges = loop.length === 2 ? 1 : loop.length;
      for (let e = 0; e < edges; ++e)
        for (const i of [loop[e]!, loop[(e + 1) % loop.length]!])
          for (let k = 0; k < 3; ++k) to[at++] = c!.position[3 * i + k]!;
    }
    for (const { contact, corners } of areas) {
      const count = corners.length / 3;
      for (let e = 0; e < (count < 2 ? 0 : count === 2 ? 1 : count); ++e)
        for (const i of [e, (e + 1) % count])
          for (let k = 0; k < 3; ++k) to[at++] = c!.position[3 * contact + k]! + corners[3 * i + k]!;
    }
  }

  /**
   * Surfaces of what bodies share, where they are known, else prisms over the outlines of areas; where points made the area,
   * its outline filled.
   */
  private updateOverlaps(c: Contacts | null): void {
    const known = new Set(c?.overlaps.map(({ contact }) => contact));
    const areas = c ? c.areas.filter(({ contact, corners }) => corners.length >= 9 && !known.has(contact)) : [];
    let triangles = 0;
    for (const { corners } of areas) triangles += 4 * (corners.length / 3 - 1);
    for (const overlap of c?.overlaps ?? []) triangles += overlap.triangles.length / 3;
    const to = this.overlaps_.begin(triangles);
    let at = 0;
    for (const overlap of c?.overlaps ?? []) {
      const normal = c!.normal.subarray(3 * overlap.contact, 3 * overlap.contact + 3);
      const place = c!.position.subarray(3 * overlap.contact, 3 * overlap.contact + 3);
      for (const vertex of overlap.triangles) {
        const from = overlap.vertices.subarray(3 * vertex, 3 * vertex + 3);
        const higher = (this.overlapZoom - 1) * (from[0]! * normal[0]! + from[1]! * normal[1]! + from[2]! * normal[2]!);
        for (let k = 0; k < 3; ++k) to[at++] = place[k]! + from[k]! + higher * normal[k]!;
      }
    }
    for (const { contact, corners, depth } of areas) {
      const count = corners.length / 3;
      const half = 0.5 * depth * this.overlapZoom;
      const corner = (i: number, side: number) => {
        for (let k = 0; k < 3; ++k)
          to[at++] = c!.position[3 * contact + k]! + corners[3 * (i % count) + k]! + side * half * c!.normal[3 * contact + k]!;
      };
      for (let i = 2; i < count; ++i) for (const side of [-1, 1]) for (const j of [0, i - 1, i]) corner(j, side);
      for (let i = 0; i < count; ++i)
        for (const [j, side] of [[i, -1], [i + 1, -1], [i + 1, 1], [i, -1], [i + 1, 1], [i, 1]] as const) corner(j, side);
    }
    this.overlaps_.done(triangles);
  }

  private updatePressure(pairs: PairSum[]): void {
    const loaded = pairs.filter((pair) => pair.load > 0);
    const { positions, colours } = this.pressure_.begin(loaded.length);
    const colour = new THREE.Color(this.palette_.pressure);
    loaded.forEach((pair, i) => {
      for (let k = 0; k < 3; ++k) positions[3 * i + k] = pair.moment[k]! / pair.load;
      colour.toArray(colours, 3 * i);
    });
  }

  private updateBoxes(frame: Frame | null): void {
    const bodies = frame ? this.description_.bodies.length : 0;
    const to = this.boxes_.begin(12 * bodies);
    if (!frame) return;
    const box = new Float64Array(6);
    let at = 0;
    for (let i = 0; i < bodies; ++i) {
      if (!this.bounds_.of(frame, i, box)) continue;
      for (let axis = 0; axis < 3; ++axis)
        for (let corner = 0; corner < 4; ++corner)
          for (let end = 0; end < 2; ++end) {
            const bits = [end, corner & 1, corner >> 1];
            for (let k = 0; k < 3; ++k) to[at++] = box[3 * bits[(k - axis + 3) % 3]! + k]!;
          }
    }
    to.fill(0, at, 72 * bodies);
  }
}

/** The contacts of one body. */
function contactsOf(c: Contacts, body: number): Contacts {
  const which = Array.from({ length: c.count }, (_, i) => i).filter((i) => c.a[i] === body || c.b[i] === body);
  const ones = <T extends Float32Array | Uint32Array | Uint16Array | Uint8Array>(from: T): T =>
    (from.constructor as unknown as { from(list: number[]): T }).from(which.map((i) => from[i]!));
  const numbered = <T extends { contact: number }>(list: T[]): T[] =>
    list.flatMap((one) => (which.includes(one.contact) ? [{ ...one, contact: which.indexOf(one.contact) }] : []));
  const threes = (from: Float32Array) => Float32Array.from(which.flatMap((i) => [...from.subarray(3 * i, 3 * i + 3)]));
  return {
    count: which.length,
    a: ones(c.a), b: ones(c.b), gap: ones(c.gap), friction: ones(c.friction), touch: ones(c.touch),
    facetA: ones(c.facetA), facetB: ones(c.facetB), shapeA: ones(c.shapeA), shapeB: ones(c.shapeB),
    position: threes(c.position), normal: threes(c.normal), force: threes(c.force), slip: threes(c.slip),
    areas: numbered(c.areas),
    overlaps: numbered(c.overlaps),
  };
}

function pairSums(c: Contacts): PairSum[] {
  const pairs = new Map<number, PairSum>();
  const pressure = new Map(c.areas.map((area) => [area.contact, area.pressure]));
  for (let i = 0; i < c.count; ++i) {
    const key = c.a[i]! * 4294967296 + c.b[i]!;
    let pair = pairs.get(key);
    if (!pair) pairs.set(key, (pair = { members: [], load: 0, moment: [0, 0, 0] }));
    let load = 0;
    for (let k = 0; k < 3; ++k) load += c.force[3 * i + k]! * c.normal[3 * i + k]!;
    pair.members.push(i);
    pair.load += load;
    for (let k = 0; k < 3; ++k) pair.moment[k]! += load * (c.position[3 * i + k]! + (pressure.get(i)?.[k] ?? 0));
  }
  return [...pairs.values()];
}

/** The contacts in order around their middle, seen along the normal of the first. */
function aroundNormal(c: Contacts, members: number[]): number[] {
  const n = new THREE.Vector3().fromArray(c.normal, 3 * members[0]!).normalize();
  const u = new THREE.Vector3(Math.abs(n.x) < 0.9 ? 1 : 0, Math.abs(n.x) < 0.9 ? 0 : 1, 0).cross(n).normalize();
  const v = new THREE.Vector3().crossVectors(n, u);
  const middle = new THREE.Vector3();
  const p = new THREE.Vector3();
  for (const i of members) middle.add(p.fromArray(c.position, 3 * i));
  middle.divideScalar(members.length);
  const angle = new Map(members.map((i) => {
    p.fromArray(c.position, 3 * i).sub(middle);
    return [i, Math.atan2(p.dot(v), p.dot(u))];
  }));
  return [...members].sort((a, b) => angle.get(a)! - angle.get(b)!);
}
