// Where the frames of joints are, from the poses of the bodies that they sit on.

import * as THREE from "three";
import { multiply, rotationOf } from "./math";
import { ABSENT, COORDINATES, type Description, type Frame, type Place } from "./protocol";

/** A joint frame in the world: origin [m] and the three axes. */
export interface JointFrame {
  origin: THREE.Vector3;
  axes: [THREE.Vector3, THREE.Vector3, THREE.Vector3];
}

const WORLD: Place = { position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] };

export class JointPlaces {
  constructor(private readonly description_: Description) {}

  /** Both frames of a joint; null for a gear, and while one of the bodies is not there. */
  of(frame: Frame, index: number): { a: JointFrame; b: JointFrame } | null {
    const joint = this.description_.joints?.[index];
    if (!joint || joint.b === undefined || joint.a === undefined) return null;
    const a = onBody(frame, joint.a, joint.frame_a ?? WORLD);
    const b = onBody(frame, joint.b, joint.frame_b ?? WORLD);
    return a && b ? { a, b } : null;
  }

  /** The point where a joint is: the origin of its frame B; a gear is half-way between its joints. */
  anchor(frame: Frame, index: number): THREE.Vector3 | null {
    const joint = this.description_.joints?.[index];
    if (!joint) return null;
    if (!joint.first || !joint.second) return this.of(frame, index)?.b.origin ?? null;
    const first = this.of(frame, joint.first.joint)?.b.origin;
    const second = this.of(frame, joint.second.joint)?.b.origin;
    return first && second ? first.add(second).multiplyScalar(0.5) : null;
  }

  /** From the origin of B back to where the locked coordinates want it [m]. */
  gap(index: number, { a, b }: { a: JointFrame; b: JointFrame }): THREE.Vector3 {
    const joint = this.description_.joints![index]!;
    const off = b.origin.clone().sub(a.origin);
    const gap = new THREE.Vector3();
    if (joint.length !== undefined && off.length() > 0) return gap.copy(off).multiplyScalar(joint.length / off.length() - 1);
    for (const name of joint.locked) {
      const k = COORDINATES.indexOf(name);
      if (k < 3) gap.addScaledVector(a.axes[k]!, -off.dot(a.axes[k]!));
    }
    return gap;
  }
}

function onBody(frame: Frame, body: number, place: Place): JointFrame | null {
  const local = new Float64Array(9);
  rotationOf(place.orientation_wxyz, 0, local);
  const axis = (m: Float64Array, k: number) => new THREE.Vector3(m[k]!, m[3 + k]!, m[6 + k]!);
  if (body < 0) return { origin: new THREE.Vector3(...place.position), axes: [axis(local, 0), axis(local, 1), axis(local, 2)] };
  if (frame.state[body] === undefined || frame.state[body] === ABSENT) return null;
  const turn = new Float64Array(9);
  const both = new Float64Array(9);
  rotationOf(frame.orientation, 4 * body, turn);
  multiply(turn, local, both);
  const p = place.position;
  const at = (k: number) =>
    frame.position[3 * body + k]! + turn[3 * k]! * p[0] + turn[3 * k + 1]! * p[1] + turn[3 * k + 2]! * p[2];
  return { origin: new THREE.Vector3(at(0), at(1), at(2)), axes: [axis(both, 0), axis(both, 1), axis(both, 2)] };
}
