// Fields for what can be changed about the selected body of a live scene.

import { el } from "./dom";
import { numberField, putNumber } from "./number_field";
import type { Body, Frame, Send } from "./protocol";

export class BodyEditor {
  readonly element: HTMLElement;
  private readonly position_: HTMLInputElement[];
  private readonly velocity_: HTMLInputElement[];
  private readonly mass_: HTMLInputElement;
  private readonly copy_: HTMLButtonElement;
  private body_ = -1;
  private frame_: Frame | null = null;
  /** What was typed in: frames tell velocities only when there was a step. */
  private given_ = { body: -1, step: -1, velocity: [0, 0, 0] };

  constructor(send: Send) {
    const three = (what: "position" | "velocity") =>
      ["x", "y", "z"].map((axis, k) =>
        numberField(`body-${what}-${axis}`, `${what} along ${axis}`, (value) => {
          const now = this.now(what);
          now[k] = value;
          if (what === "velocity") this.given_ = { body: this.body_, step: this.frame_?.step ?? 0, velocity: now };
          send({ type: "body", body: this.body_, [what]: now });
        }),
      );
    this.position_ = three("position");
    this.velocity_ = three("velocity");
    this.mass_ = numberField("body-mass-edit", "mass", (mass) => send({ type: "body", body: this.body_, mass }));
    this.copy_ = el("button", { type: "button", id: "copy-body", title: "Another one, above it", onclick: () => send({ type: "copy", body: this.body_ }) }, "Add a copy");
    const row = (label: string, inputs: HTMLInputElement[], unit: string, title = "") =>
      el("div", { class: "three", title }, el("span", {}, label), ...inputs, el("span", { class: "unit" }, unit));
    this.element = el(
      "details",
      { id: "edit-body" },
      el("summary", {}, "Change"),
      el("div", { class: "settings" },
        row("Position", this.position_, "m", "While the simulation is paused. At the start it changes the scene, later the motion only"),
        row("Velocity", this.velocity_, "m/s", "At the start it changes the scene, later the motion only"),
        row("Mass", [this.mass_], "kg"),
        el("div", { class: "row" }, this.copy_, el("button", { type: "button", id: "delete-body", onclick: () => send({ type: "remove", body: this.body_ }) }, "Delete"))),
    );
  }

  show(body: Body, frame: Frame, index: number): void {
    this.body_ = index;
    this.frame_ = frame;
    if (!(this.element as HTMLDetailsElement).open) return;
    const dynamic = body.motion === "dynamic";
    this.now("position").forEach((x, k) => putNumber(this.position_[k]!, x));
    this.now("velocity").forEach((x, k) => putNumber(this.velocity_[k]!, x, 4));
    putNumber(this.mass_, dynamic ? body.mass : undefined);
    for (const input of this.velocity_) input.disabled = body.motion === "fixed";
    this.mass_.disabled = !dynamic || body.nodes !== undefined;
    this.copy_.disabled = body.nodes !== undefined || body.motion === "kinematic" || body.parts.some((p) => p.shape.type === "half-space");
  }

  private now(what: "position" | "velocity"): number[] {
    if (!this.frame_) return [0, 0, 0];
    if (what === "velocity" && this.given_.body === this.body_ && this.given_.step === this.frame_.step) return [...this.given_.velocity];
    if (what === "velocity") return [...(this.frame_.velocity(this.body_) ?? [0, 0, 0])];
    return [...this.frame_.position.subarray(3 * this.body_, 3 * this.body_ + 3)];
  }
}
