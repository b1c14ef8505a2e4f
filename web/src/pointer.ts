// Clicks select, drags over a body of a live simulation pull it with a spring.

import * as THREE from "three";
import { rotationOf } from "./math";
import type { Description, Frame, Vec3 } from "./protocol";
import type { View } from "./view";

export interface PointerHost {
  frame(): Frame | null;
  description(): Description | null;
  select(body: number): void;
  /** The joint at a pixel, −1 for none. */
  jointAt(x: number, y: number): number;
  selectJoint(joint: number): void;
  /** The pointer rests on a joint, or on none (−1). */
  hover(joint: number, x: number, y: number): void;
  /** A drag begins. */
  grabbed(): void;
  /** Null: bodies cannot be dragged (a replay). */
  send: ((message: { type: string; [key: string]: unknown }) => void) | null;
}

/** Farther than this [px] a press is no click. */
const SLACK = 5;

/** The point of a body that is held: of a rigid one in its own axes, of a body of nodes a node. */
type Held = { local: Vec3 } | { node: number };

export class Pointer {
  private start_: { x: number; y: number; id: number } | null = null;
  private drag_: { body: number; held: Held; plane: THREE.Plane; target: THREE.Vector3; started: boolean } | null = null;

  constructor(private readonly view_: View, private readonly host_: PointerHost) {
    const canvas = view_.canvas;
    // In the capture phase: a drag of a body must be known before the orbit control sees the press.
    canvas.addEventListener("pointerdown", (e) => this.down(e), true);
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", () => this.release());
    canvas.addEventListener("pointerleave", () => this.host_.hover(-1, 0, 0));
  }

  private down(e: PointerEvent): void {
    if (!e.isPrimary || e.button !== 0) {
      this.start_ = null;
      return;
    }
    this.start_ = { x: e.clientX, y: e.clientY, id: e.pointerId };
    if (!this.host_.send || e.altKey || e.ctrlKey || e.shiftKey) return;
    const hit = this.view_.pick(e.clientX, e.clientY);
    const frame = this.host_.frame();
    if (!hit || !frame || this.host_.description()?.bodies[hit.body]?.motion !== "dynamic") return;
    const toward = this.view_.camera.object.getWorldDirection(new THREE.Vector3()).negate();
    this.drag_ = {
      body: hit.body,
      held: hit.node === undefined ? { local: toLocal(frame, hit.body, hit.point) } : { node: hit.node },
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(toward, hit.point),
      target: hit.point.clone(),
      started: false,
    };
    this.view_.camera.controls.enabled = false;
    this.view_.canvas.setPointerCapture(e.pointerId);
  }

  private move(e: PointerEvent): void {
    const drag = this.drag_;
    const start = this.start_;
    if (!start && e.buttons === 0) this.host_.hover(this.host_.jointAt(e.clientX, e.clientY), e.clientX, e.clientY);
    if (!drag || !start || e.pointerId !== start.id) return;
    if (!drag.started && Math.hypot(e.clientX - start.x, e.clientY - start.y) < SLACK) return;
    if (!drag.started) this.host_.grabbed();
    drag.started = true;
    if (!this.view_.ray(e.clientX, e.clientY).ray.intersectPlane(drag.plane, drag.target)) return;
    this.host_.send!({ type: "drag", body: drag.body, ...drag.held, target: drag.target.toArray() });
    this.drawSpring();
  }

  private up(e: PointerEvent): void {
    const start = this.start_;
    this.start_ = null;
    const dragged = this.drag_?.started ?? false;
    this.release();
    if (!start || dragged || e.pointerId !== start.id || Math.hypot(e.clientX - start.x, e.clientY - start.y) >= SLACK) return;
    const joint = this.host_.jointAt(e.clientX, e.clientY);
    if (joint >= 0) this.host_.selectJoint(joint);
    else this.host_.select(this.view_.pick(e.clientX, e.clientY)?.body ?? -1);
  }

  private release(): void {
    if (!this.drag_) return;
    if (this.drag_.started) this.host_.send!({ type: "release" });
    this.drag_ = null;
    this.view_.camera.controls.enabled = true;
    this.view_.contacts?.spring(null);
    this.view_.invalidate();
  }

  /** From the point of the body, where it is now, to the pointer. */
  drawSpring(): void {
    const frame = this.host_.frame();
    if (!this.drag_?.started || !frame) return;
    this.view_.contacts?.spring([toWorld(frame, this.drag_.body, this.drag_.held), this.drag_.target]);
    this.view_.invalidate();
  }
}

function toLocal(frame: Frame, body: number, point: THREE.Vector3): Vec3 {
  const r = new Float64Array(9);
  rotationOf(frame.orientation, 4 * body, r);
  const d = point.toArray().map((x, k) => x - frame.position[3 * body + k]!);
  return [0, 1, 2].map((k) => r[k]! * d[0]! + r[3 + k]! * d[1]! + r[6 + k]! * d[2]!) as Vec3;
}

function toWorld(frame: Frame, body: number, held: Held): THREE.Vector3 {
  if ("node" in held) return new THREE.Vector3().fromArray(frame.nodes.get(body)!, 3 * held.node);
  const { local } = held;
  const r = new Float64Array(9);
  rotationOf(frame.orientation, 4 * body, r);
  const at = (k: number) =>
    frame.position[3 * body + k]! + r[3 * k]! * local[0] + r[3 * k + 1]! * local[1] + r[3 * k + 2]! * local[2];
  return new THREE.Vector3(at(0), at(1), at(2));
}
