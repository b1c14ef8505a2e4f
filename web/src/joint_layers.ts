// Glyphs of joints: what each type lets move, its limits, where it is now, and a red line where it is apart.

import * as THREE from "three";
import type { Region } from "./region";
import { JointPlaces, type JointFrame } from "./joint_places";
import type { LayerState } from "./layers";
import { RodMarks, SolidMarks } from "./marks";
import {
  JOINT_ABSENT,
  JOINT_BROKEN,
  JOINT_CONFLICTS,
  type Description,
  type FreeCoordinate,
  type Frame,
  type Joint,
} from "./protocol";
import type { Palette } from "./theme";

/** How a glyph is drawn: its main colour and that of limits. */
interface Ink {
  main: THREE.Color;
  faint: THREE.Color;
}

export class JointLayers {
  readonly group = new THREE.Group();
  readonly places: JointPlaces;
  selected = -1;

  private readonly rods_: RodMarks;
  private readonly balls_: RodMarks;
  private readonly shafts_: SolidMarks;
  private readonly heads_: SolidMarks;
  private readonly ink_: Ink = { main: new THREE.Color(), faint: new THREE.Color() };
  private readonly broken_: Ink = { main: new THREE.Color(), faint: new THREE.Color() };
  private readonly selectedInk_: Ink = { main: new THREE.Color(), faint: new THREE.Color() };
  private readonly conflict_: Ink = { main: new THREE.Color(), faint: new THREE.Color() };
  private readonly error_ = new THREE.Color();
  private readonly size_: number;
  private readonly rod_: number;

  constructor(
    private readonly description_: Description,
    region: Region,
    private readonly layers_: LayerState,
  ) {
    this.places = new JointPlaces(description_);
    // About as large as a body, and to be seen also where bodies are small and far apart.
    const scale = Math.max(region.size, 0.06 * region.radius);
    this.size_ = 0.6 * scale;
    this.rod_ = 0.02 * scale;
    const along = (g: THREE.BufferGeometry) => g.rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.rods_ = new RodMarks(along(new THREE.CylinderGeometry(1, 1, 1, 8)));
    this.balls_ = new RodMarks(new THREE.SphereGeometry(1, 16, 12).scale(1, 1, 0.5).translate(0, 0, 0.5));
    this.shafts_ = new SolidMarks(along(new THREE.CylinderGeometry(1, 1, 1, 8)), new THREE.MeshBasicMaterial({ fog: false }));
    this.heads_ = new SolidMarks(along(new THREE.ConeGeometry(1, 1, 12)), new THREE.MeshBasicMaterial({ fog: false }));
    this.group.add(this.rods_.group, this.balls_.group, this.shafts_.group, this.heads_.group);
  }

  paint(palette: Palette): void {
    this.ink_.main.set(palette.joint);
    this.ink_.faint.set(palette.jointFaint);
    this.broken_.main.set(palette.jointBroken);
    this.broken_.faint.set(palette.jointBroken);
    this.selectedInk_.main.set(palette.selected);
    this.selectedInk_.faint.set(palette.selected);
    this.conflict_.main.set(palette.jointError);
    this.conflict_.faint.set(palette.jointFaint);
    this.error_.set(palette.jointError);
    this.shafts_.material.color.set(palette.jointForce);
    this.heads_.material.color.set(palette.jointForce);
  }

  /** `metresPerNewton`: that of contact forces. */
  update(frame: Frame, metresPerNewton: number): void {
    this.rods_.begin();
    this.balls_.begin();
    const joints = this.description_.joints ?? [];
    joints.forEach((joint, i) => {
      const chosen = i === this.selected;
      if (!chosen && !this.layers_.has("joints")) return;
      const state = frame.joints?.state[i];
      if (state === JOINT_ABSENT) return;
      const ink = chosen
        ? this.selectedInk_
        : state === JOINT_BROKEN
          ? this.broken_
          : state === JOINT_CONFLICTS
            ? this.conflict_
            : this.ink_;
      if (joint.type === "gear") this.drawGear(frame, joint, ink);
      else {
        const place = this.places.of(frame, i);
        if (!place) return;
        this.draw(joint, place.a, place.b, ink, state === JOINT_BROKEN);
        if (state === JOINT_BROKEN) return;
        const gap = this.places.gap(i, place);
        if (gap.length() > 0.25 * this.rod_) this.rod(place.b.origin, place.b.origin.clone().add(gap), this.error_, 1.8);
      }
    });
    this.rods_.end();
    this.balls_.end();
    this.updateForces(this.layers_.has("joint-forces") ? frame : null, metresPerNewton);
  }

  private draw(joint: Joint, a: JointFrame, b: JointFrame, ink: Ink, broken: boolean): void {
    const s = this.size_;
    const free = (name: string) => joint.free.find((c) => c.coordinate === name);
    switch (joint.type) {
      case "hinge":
        this.axis(a, 2, -s, s, ink.main);
        this.dial(a, b, free("turn_z"), ink);
        break;
      case "prismatic":
        this.rail(a, b, free("z"), ink);
        break;
      case "cylindrical":
      case "screw":
        this.rail(a, b, free("z"), ink);
        this.circle(b.origin, a.axes[0], a.axes[1], 0.45 * s, 0, 2 * Math.PI, ink.faint);
        this.axis(b, 0, 0, 0.45 * s, ink.main);
        // A thread.
        if (joint.type === "screw")
          for (const k of [-1, 0, 1])
            this.circle(at(b, 2, 0.25 * k * s), a.axes[0], a.axes[1], 0.2 * s, 0, 2 * Math.PI, ink.faint);
        break;
      case "ball":
        this.ball(b.origin, 0.2 * s, ink.main);
        if (joint.swing_limit !== undefined) {
          const rim = at(a, 2, s * Math.cos(joint.swing_limit));
          this.circle(rim, a.axes[0], a.axes[1], s * Math.sin(joint.swing_limit), 0, 2 * Math.PI, ink.faint);
          this.axis(b, 2, 0, s, ink.main);
        }
        break;
      case "universal":
        this.axis(a, 0, -0.8 * s, 0.8 * s, ink.main);
        this.axis(b, 2, -0.8 * s, 0.8 * s, ink.main);
        this.ball(b.origin, 0.12 * s, ink.main);
        break;
      case "planar": {
        const corner = (x: number, y: number) =>
          a.origin
            .clone()
            .addScaledVector(a.axes[0], x * s)
            .addScaledVector(a.axes[1], y * s);
        const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
        corners.forEach((c, k) => this.rod(c, corners[(k + 1) % 4]!, ink.faint));
        this.axis(a, 2, 0, 0.6 * s, ink.faint);
        this.ball(b.origin, 0.15 * s, ink.main);
        break;
      }
      case "distance":
        this.link(joint, a.origin, b.origin, ink, broken);
        break;
      case "six-dof":
        for (let k = 0; k < 3; ++k) {
          this.axis(a, k, -0.5 * s, 0.5 * s, ink.faint);
          this.axis(b, k, 0, 0.6 * s, ink.main);
        }
        break;
      case "fixed":
        this.cube(b, 0.16 * s, ink.main);
        break;
    }
  }

  /** The range of an angle, or the whole circle, with a hand at the present angle. */
  private dial(a: JointFrame, b: JointFrame, range: FreeCoordinate | undefined, ink: Ink): void {
    const radius = 0.75 * this.size_;
    const lower = Math.max(range?.lower ?? -Infinity, -Math.PI);
    const upper = Math.min(range?.upper ?? Infinity, Math.PI);
    this.circle(a.origin, a.axes[0], a.axes[1], radius, lower, upper, ink.faint);
    for (const [stop, angle] of [
      [range?.lower, lower],
      [range?.upper, upper],
    ] as const)
      if (stop !== undefined) this.rod(a.origin, onCircle(a.origin, a.axes[0], a.axes[1], radius, angle), ink.faint, 0.7);
    this.axis(b, 0, 0, radius, ink.main, 1.3);
    this.ball(at(b, 0, radius), 2.6 * this.rod_, ink.main);
  }

  /** A bar along z of A with stops, and a carriage at B. */
  private rail(a: JointFrame, b: JointFrame, range: FreeCoordinate | undefined, ink: Ink): void {
    const now = b.origin.clone().sub(a.origin).dot(a.axes[2]);
    const low = range?.lower ?? Math.min(-this.size_, now - this.size_);
    const high = range?.upper ?? Math.max(this.size_, now + this.size_);
    this.axis(a, 2, low, high, ink.faint);
    for (const stop of [range?.lower, range?.upper])
      if (stop !== undefined) for (const k of [0, 1]) this.cross(at(a, 2, stop), a.axes[k]!, 0.22 * this.size_, ink.faint);
    this.cube({ origin: b.origin, axes: b.axes }, 0.16 * this.size_, ink.main);
  }

  /** A rod is solid, a rope thin and broken into dashes while it is slack, a spring zigzags. */
  private link(joint: Joint, from: THREE.Vector3, to: THREE.Vector3, ink: Ink, broken: boolean): void {
    for (const end of [from, to]) this.ball(end, 2.6 * this.rod_, ink.main);
    const along = (t: number) => from.clone().lerp(to, t);
    const length = from.distanceTo(to);
    const upper = joint.free[0]?.upper;
    const slack = upper !== undefined && length < 0.999 * upper;
    if (joint.free[0]?.spring) {
      const side = anyNormal(to.clone().sub(from)).multiplyScalar(0.3 * this.size_);
      const turns = 12;
      let before = from;
      for (let k = 1; k <= turns; ++k) {
        const next = along(k === turns ? 1 : (k - 0.5) / (turns - 1));
        if (k < turns) next.addScaledVector(side, k % 2 ? 1 : -1);
        this.rod(before, next, ink.main, 0.8);
        before = next;
      }
    } else if (broken || slack)
      for (let k = 0; k < 10; ++k) this.rod(along((k + 0.1) / 10), along((k + 0.65) / 10), ink.faint, 0.7);
    else this.rod(from, to, ink.main, joint.length === undefined ? 0.8 : 1.5);
  }

  /** Toothed rings on the axes of both joints, as large as they turn slowly, and a line between them. */
  private drawGear(frame: Frame, joint: Joint, ink: Ink): void {
    const ends: THREE.Vector3[] = [];
    const ratio = Math.min(Math.max(Math.abs(joint.ratio ?? 1), 0.25), 4);
    for (const [side, share] of [
      [joint.first, Math.sqrt(ratio)],
      [joint.second, 1 / Math.sqrt(ratio)],
    ] as const) {
      const place = side && this.places.of(frame, side.joint);
      if (!place) return;
      ends.push(place.b.origin);
      const k = ["x", "y", "z"].indexOf(side.coordinate.replace("turn_", ""));
      const [u, v] = [place.b.axes[(k + 1) % 3]!, place.b.axes[(k + 2) % 3]!];
      const radius = 0.5 * this.size_ * share;
      this.circle(place.b.origin, u, v, radius, 0, 2 * Math.PI, ink.main);
      const teeth = Math.max(6, Math.round(12 * share));
      for (let t = 0; t < teeth; ++t) {
        const angle = (2 * Math.PI * t) / teeth;
        this.rod(onCircle(place.b.origin, u, v, radius, angle), onCircle(place.b.origin, u, v, 1.22 * radius, angle), ink.main);
      }
    }
    for (let k = 0; k < 12; ++k)
      this.rod(
        ends[0]!.clone().lerp(ends[1]!, (k + 0.2) / 12),
        ends[0]!.clone().lerp(ends[1]!, (k + 0.7) / 12),
        ink.faint,
        0.7,
      );
  }

  private updateForces(frame: Frame | null, metresPerNewton: number): void {
    const joints = frame?.joints;
    const list: { foot: THREE.Vector3; force: THREE.Vector3 }[] = [];
    if (frame && joints)
      for (let i = 0; i < joints.state.length; ++i) {
        const foot = joints.state[i] === JOINT_ABSENT ? null : (this.places.of(frame, i)?.b.origin ?? null);
        const force = new THREE.Vector3().fromArray(joints.force, 3 * i);
        if (foot && force.length() > 0) list.push({ foot, force });
      }
    this.shafts_.begin(list.length);
    this.heads_.begin(list.length);
    const radius = 1.4 * this.rod_;
    list.forEach(({ foot, force }, i) => {
      const length = force.length() * metresPerNewton;
      const direction = force.normalize();
      const head = Math.min(6 * radius, 0.45 * length);
      this.shafts_.put(i, foot, direction, Math.min(radius, length), length - head);
      this.heads_.put(i, foot.clone().addScaledVector(direction, length - head), direction, head / 2.4, head);
    });
  }

  private rod(from: THREE.Vector3, to: THREE.Vector3, colour: THREE.Color, width = 1): void {
    this.rods_.add(from, to, width * this.rod_, colour);
  }
  private axis(frame: JointFrame, k: number, from: number, to: number, colour: THREE.Color, width = 1): void {
    this.rod(at(frame, k, from), at(frame, k, to), colour, width);
  }
  private cross(middle: THREE.Vector3, axis: THREE.Vector3, half: number, colour: THREE.Color): void {
    this.rod(middle.clone().addScaledVector(axis, -half), middle.clone().addScaledVector(axis, half), colour);
  }
  private ball(middle: THREE.Vector3, radius: number, colour: THREE.Color): void {
    const half = new THREE.Vector3(0, 0, radius);
    this.balls_.add(middle.clone().sub(half), middle.clone().add(half), radius, colour);
  }
  private circle(
    middle: THREE.Vector3,
    u: THREE.Vector3,
    v: THREE.Vector3,
    radius: number,
    from: number,
    to: number,
    colour: THREE.Color,
  ): void {
    const pieces = Math.max(2, Math.ceil((to - from) / 0.26));
    for (let k = 0; k < pieces; ++k)
      this.rod(
        onCircle(middle, u, v, radius, from + ((to - from) * k) / pieces),
        onCircle(middle, u, v, radius, from + ((to - from) * (k + 1)) / pieces),
        colour,
        0.7,
      );
  }
  private cube({ origin, axes }: JointFrame, half: number, colour: THREE.Color): void {
    const corner = (bits: number) =>
      axes.reduce((p, axis, k) => p.addScaledVector(axis, (bits >> k) & 1 ? half : -half), origin.clone());
    for (let bits = 0; bits < 8; ++bits)
      for (let k = 0; k < 3; ++k) if (!((bits >> k) & 1)) this.rod(corner(bits), corner(bits | (1 << k)), colour);
  }
}

function at(frame: JointFrame, k: number, distance: number): THREE.Vector3 {
  return frame.origin.clone().addScaledVector(frame.axes[k]!, distance);
}

function onCircle(middle: THREE.Vector3, u: THREE.Vector3, v: THREE.Vector3, radius: number, angle: number): THREE.Vector3 {
  return middle.clone().addScaledVector(u, radius * Math.cos(angle)).addScaledVector(v, radius * Math.sin(angle));
}

function anyNormal(axis: THREE.Vector3): THREE.Vector3 {
  const other = Math.abs(axis.x) < 0.5 * axis.length() ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  return other.cross(axis).normalize();
}
