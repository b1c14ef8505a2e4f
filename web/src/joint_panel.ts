// The joints of the scene as a list, the state of the selected one, and sliders for what drives it in a live simulation.

import { el, setText } from "./dom";
import type { JointChange } from "./live_source";
import { readable, readableLength } from "./math";
import { numberField, putNumber } from "./number_field";
import {
  isTurn,
  JOINT_ABSENT,
  JOINT_BROKEN,
  JOINT_CONFLICTS,
  JOINT_RESTS,
  type CoordinateName,
  type Description,
  type FreeCoordinate,
  type Frame,
  type Joint,
  type Joints,
  type Send,
} from "./protocol";

/** What sliders drive: of the motor, of the servo, a force. */
type Driven = "speed" | "target" | "effort";

const STATES = ["acts", "broken", "not there", "at rest", "contradicts other joints"];
const DEGREES = 180 / Math.PI;

/** A coordinate for people: degrees or metres. */
export function coordinateText(name: CoordinateName, value: number): string {
  if (!isTurn(name)) return readableLength(value);
  const degrees = (value * DEGREES).toFixed(1).replace("-", "−");
  return `${degrees === "−0.0" ? "0.0" : degrees}°`;
}

const size = (v: Float32Array, i: number) => Math.hypot(v[3 * i]!, v[3 * i + 1]!, v[3 * i + 2]!);
const motorText = (name: CoordinateName, value: number) => `${readable(value, 3)} ${isTurn(name) ? "N m" : "N"}`;

/** Name, type, coordinates and forces in a few lines. */
export function jointSummary(joint: Joint, joints: Joints | null, i: number): string[] {
  const lines = [`${joint.name} – ${joint.type}`];
  if (!joints) return lines;
  if (joints.state[i] !== 0) lines.push(STATES[joints.state[i]!] ?? "");
  joint.free.forEach((free, c) => {
    const at = joints.first[i]! + c;
    lines.push(`${free.coordinate} ${coordinateText(free.coordinate, joints.position[at]!)}` +
      (free.motor || free.servo ? `, motor ${motorText(free.coordinate, joints.motor[at]!)}` : ""));
  });
  if (joint.type === "gear") lines.push(`coupling ${readable(joints.coupling[i]!, 3)}`);
  else lines.push(`force ${readable(size(joints.force, i), 3)} N, torque ${readable(size(joints.torque, i), 3)} N m`);
  return lines;
}

export class JointPanel {
  readonly element: HTMLElement;
  private readonly list_ = el("ul", { id: "joint-list", "aria-label": "Joints" });
  private readonly count_ = el("span", { class: "unit" });
  private readonly title_ = el("strong", { id: "joint-name" });
  private readonly rows_ = el("dl", { id: "joint-state" });
  private readonly controls_ = el("div", { class: "settings", id: "joint-controls" });
  private readonly detail_: HTMLElement;
  private items_: HTMLButtonElement[] = [];
  private shown_ = -1;
  private described_: Description | null = null;

  constructor(private readonly select_: (joint: number) => void, private readonly send_: Send | null) {
    this.detail_ = el(
      "div",
      { hidden: true },
      el(
        "div",
        { class: "row" },
        this.title_,
        el(
          "button",
          {
            type: "button",
            class: "save",
            title: "Deselect (Esc)",
            "aria-label": "Deselect the joint",
            onclick: () => select_(-1),
          },
          "✕",
        ),
      ),
      this.rows_,
      this.controls_,
    );
    this.element = el("section", { class: "panel", id: "joint-panel", "aria-label": "Joints", hidden: true },
      el("h2", {}, "Joints ", this.count_), this.list_, this.detail_);
  }

  open(description: Description): void {
    const joints = description.joints ?? [];
    this.described_ = description;
    this.shown_ = -1;
    this.element.hidden = joints.length === 0;
    setText(this.count_, String(joints.length));
    this.items_ = joints.map((joint, i) => el("button", { type: "button", onclick: () => this.select_(i) },
      el("span", {}, joint.name), el("span", { class: "unit" }, joint.type)));
    this.list_.replaceChildren(...this.items_.map((item) => el("li", {}, item)));
  }

  show(frame: Frame | null, selected: number): void {
    const joint = this.described_?.joints?.[selected];
    const states = frame?.joints?.state;
    this.items_.forEach((item, i) => {
      const name =
        states?.[i] === JOINT_BROKEN || states?.[i] === JOINT_ABSENT
          ? "broken"
          : states?.[i] === JOINT_CONFLICTS
            ? "conflict"
            : "";
      if (item.className !== name) item.className = name;
      if ((item.getAttribute("aria-current") === "true") !== (i === selected))
        item.setAttribute("aria-current", String(i === selected));
    });
    this.detail_.hidden = !joint;
    if (this.shown_ !== selected) {
      this.shown_ = selected;
      this.rows_.replaceChildren();
      this.controls_.replaceChildren(...(joint && this.send_ ? this.controlsOf(joint) : []));
      this.items_[selected]?.scrollIntoView({ block: "nearest" });
    }
    if (joint) this.fill(joint, selected, frame?.joints ?? null);
    if (joint && frame?.joints) this.alongPath(joint, selected, frame.joints);
  }

  /** Somebody has changed what a joint is driven to. */
  change(change: JointChange): void {
    const joints = this.described_?.joints ?? [];
    const index = joints.findIndex((joint) => joint.name === change.name);
    const free = joints[index]?.free.find((c) => c.coordinate === change.coordinate);
    if (!free) return;
    if (change.speed !== undefined && free.motor) free.motor.speed = change.speed;
    if (change.target !== undefined && free.servo) {
      free.servo.target = change.target;
      free.servo.follows_path = false;
    }
    const isNew = change.effort !== undefined && !free.effort;
    if (change.effort !== undefined) free.effort = { ...free.effort, force: change.effort, follows_path: false };
    if (change.lower !== undefined) free.lower = change.lower;
    if (change.upper !== undefined) free.upper = change.upper;
    if (index !== this.shown_) return;
    if (isNew) {
      this.controls_.replaceChildren(...(this.send_ ? this.controlsOf(joints[index]!) : []));
      return;
    }
    if (change.lower !== undefined || change.upper !== undefined) this.showBounds(free);
    for (const [what, value] of [["speed", change.speed], ["target", change.target], ["effort", change.effort]] as const)
      for (const input of this.controls_.querySelectorAll<HTMLInputElement>(`input[name="${change.coordinate}-${what}"]`))
        if (value !== undefined && document.activeElement !== input) {
          widen(input, value);
          input.value = String(value);
          tellValue(input, free, what);
        }
    const force = this.controls_.querySelector<HTMLInputElement>(`#${change.coordinate}-force`);
    if (change.effort !== undefined && force) putNumber(force, change.effort);
  }

  /** In the fields that are there: another one may be typed in just now. */
  private showBounds(free: FreeCoordinate): void {
    for (const what of ["lower", "upper"] as const) {
      const field = this.controls_.querySelector<HTMLInputElement>(`#${free.coordinate}-${what}`);
      if (field) putNumber(field, shownBound(free, what));
    }
    const slider = this.controls_.querySelector<HTMLInputElement>(`input[name="${free.coordinate}-target"]`);
    if (slider && free.servo) [slider.min, slider.max] = reachOf(free, free.servo.target).map(String) as [string, string];
  }

  /** Where a path leads is not known here: the slider of a servo that follows one goes with the joint. */
  private alongPath(joint: Joint, i: number, joints: Joints): void {
    joint.free.forEach((free, c) => {
      if (!free.servo?.follows_path) return;
      const input = this.controls_.querySelector<HTMLInputElement>(`input[name="${free.coordinate}-target"]`);
      if (!input || document.activeElement === input) return;
      const position = joints.position[joints.first[i]! + c]!;
      widen(input, position);
      input.value = String(position);
      tellValue(input, free, "target");
    });
  }

  private fill(joint: Joint, i: number, joints: Joints | null): void {
    const body = (n: number | undefined) => (n === undefined || n < 0 ? "world" : (this.described_!.bodies[n]?.name ?? "–"));
    const other = (side: Joint["first"]) => `${this.described_!.joints![side!.joint]?.name ?? "–"} ${side!.coordinate}`;
    const rows: [string, string][] = [["Type", joint.type]];
    if (joint.type === "gear")
      rows.push(["Couples", `${other(joint.first)}, ${other(joint.second)}`], ["Ratio", readable(joint.ratio ?? 1)]);
    else rows.push(["Bodies", `${body(joint.a)}, ${body(joint.b)}`]);
    if (joints) {
      const known = joints.state[i] !== JOINT_RESTS && joints.state[i] !== JOINT_ABSENT;
      const vector = (v: Float32Array, unit: string) =>
        known ? `${[0, 1, 2].map((k) => readable(v[3 * i + k]!, 3)).join(", ")} ${unit}` : "–";
      rows.push(["State", STATES[joints.state[i]!] ?? "–"]);
      joint.free.forEach((free, c) => {
        const at = joints.first[i]! + c;
        const bound = (value: number | undefined, none: string) =>
          value === undefined ? none : coordinateText(free.coordinate, value);
        const range =
          free.lower !== undefined || free.upper !== undefined
            ? ` (${bound(free.lower, "−∞")} … ${bound(free.upper, "∞")})`
            : "";
        rows.push([free.coordinate, coordinateText(free.coordinate, joints.position[at]!) + range]);
        rows.push([
          "  speed",
          known ? `${readable(joints.velocity[at]!, 3)} ${isTurn(free.coordinate) ? "rad/s" : "m/s"}` : "–",
        ]);
        if (free.motor || free.servo || free.effort) rows.push(["  motor", known ? motorText(free.coordinate, joints.motor[at]!) : "–"]);
      });
      if (joint.type === "gear" || joint.type === "screw")
        rows.push(["Coupling", known ? readable(joints.coupling[i]!, 3) : "–"]);
      if (joint.type !== "gear")
        rows.push(["Force on B", vector(joints.force, "N")], ["Torque on B", vector(joints.torque, "N m")]);
      rows.push(["Error", known ? readableLength(joints.error[i]!) : "–"]);
    }
    setText(this.title_, joint.name);
    if (this.rows_.children.length !== 2 * rows.length) this.rows_.replaceChildren(...rows.flatMap(() => [el("dt"), el("dd")]));
    rows.forEach(([name, value], r) => {
      setText(this.rows_.children[2 * r] as HTMLElement, name);
      setText(this.rows_.children[2 * r + 1] as HTMLElement, value);
    });
  }

  private controlsOf(joint: Joint): HTMLElement[] {
    return joint.free.flatMap((free) => {
      const list: HTMLElement[] = [];
      const add = (what: Driven, value: number, low: number, high: number) => {
        const input = el("input", { type: "range", name: `${free.coordinate}-${what}`, min: low, max: high, step: "any", value,
          "aria-label": `${what} of ${free.coordinate}` });
        input.addEventListener("input", () => {
          tellValue(input, free, what);
          this.send_!({ type: "joint", name: joint.name, coordinate: free.coordinate, [what]: input.valueAsNumber });
        });
        list.push(
          el(
            "label",
            { class: "drive" },
            el("span", {}, `${{ speed: "Motor", target: "Servo", effort: "Effort" }[what]} ${free.coordinate}`),
            input,
            el("output"),
          ),
        );
        tellValue(input, free, what);
      };
      const turn = isTurn(free.coordinate);
      if (free.motor) {
        const most = Math.max(2 * Math.abs(free.motor.speed), turn ? 10 : 1);
        add("speed", free.motor.speed, -most, most);
      }
      if (free.servo) {
        add("target", free.servo.target, ...reachOf(free, free.servo.target));
      }
      if (free.effort) {
        const most = free.effort.max_force ?? Math.max(2 * Math.abs(free.effort.force), 10);
        add("effort", free.effort.force, -most, most);
      }
      const force = numberField(`${free.coordinate}-force`, `effort of ${free.coordinate}`, (value) =>
        this.send_!({ type: "joint", name: joint.name, coordinate: free.coordinate, effort: value }));
      force.placeholder = "none";
      putNumber(force, free.effort?.force);
      list.push(el("div", { class: "three", title: "A force that acts on this coordinate from now on" }, el("span", {}, `Effort ${free.coordinate}`),
        force, el("span", { class: "unit" }, turn ? "N m" : "N")));
      const unit = turn ? DEGREES : 1;
      const bound = (what: "lower" | "upper") => {
        const input = numberField(`${free.coordinate}-${what}`, `${what} bound of ${free.coordinate}`, (value) =>
          this.send_!({ type: "joint", name: joint.name, coordinate: free.coordinate, [what]: value / unit }));
        input.placeholder = "none";
        putNumber(input, shownBound(free, what));
        return input;
      };
      list.push(el("div", { class: "three" }, el("span", {}, `Bounds ${free.coordinate}`), bound("lower"), bound("upper"),
        el("span", { class: "unit" }, turn ? "°" : "m")));
      return list;
    });
  }
}

/** A bound as people read it, in degrees if it is an angle. */
function shownBound(free: FreeCoordinate, what: "lower" | "upper"): number | undefined {
  const bound = free[what];
  return bound === undefined ? undefined : bound * (isTurn(free.coordinate) ? DEGREES : 1);
}

/** A slider reaches what it shows. */
function widen(input: HTMLInputElement, value: number): void {
  input.min = String(Math.min(Number(input.min), value));
  input.max = String(Math.max(Number(input.max), value));
}

/** Where a servo can be sent: between the limits; where there is none, as far again as the other or the target is. */
function reachOf({ coordinate, lower, upper }: FreeCoordinate, target: number): [number, number] {
  const reach = Math.max(2 * Math.abs(target), 2 * Math.abs(lower ?? 0), 2 * Math.abs(upper ?? 0), isTurn(coordinate) ? Math.PI : 1);
  return [Math.min(lower ?? -reach, target), Math.max(upper ?? reach, target)];
}

function tellValue(input: HTMLInputElement, free: FreeCoordinate, what: Driven): void {
  const value = input.valueAsNumber;
  const text =
    what === "target"
      ? coordinateText(free.coordinate, value) + (free.servo?.follows_path ? " (path)" : "")
      : what === "effort"
        ? motorText(free.coordinate, value) + (free.effort?.follows_path ? " (path)" : "")
        : `${readable(value, 3)} ${isTurn(free.coordinate) ? "rad/s" : "m/s"}`;
  setText(input.nextElementSibling as HTMLElement, text);
}
