// The state of the selected body.

import { BodyEditor } from "./body_editor";
import { el, setText } from "./dom";
import { touchesOf } from "./features";
import { readable } from "./math";
import { ABSENT, ASLEEP, forceOn, type Description, type Frame, type Send } from "./protocol";

const ROWS = ["Motion", "Mass", "Material", "Position", "Velocity", "Speed", "Contacts", "Touches", "Contact force", "State"] as const;

export class BodyPanel {
  readonly element: HTMLElement;
  private readonly title_ = el("strong", { id: "body-name" });
  private readonly values_ = new Map<string, HTMLElement>();
  private readonly table_: HTMLElement;
  private readonly editor_: BodyEditor | null;
  private readonly hint_ = el("p", { class: "hint" }, "Click a body to see its state.");

  /** `send`: of a live scene, which can be changed. */
  constructor(clear: () => void, send: Send | null) {
    this.editor_ = send && new BodyEditor(send);
    const rows = ROWS.map((name) => {
      const value = el("dd", { id: `body-${name.toLowerCase().replace(" ", "-")}` });
      this.values_.set(name, value);
      return [el("dt", {}, name), value];
    }).flat();
    this.table_ = el(
      "div",
      { hidden: true },
      el(
        "div",
        { class: "row" },
        this.title_,
        el("button", { type: "button", class: "save", title: "Deselect (Esc)", "aria-label": "Deselect", onclick: clear }, "✕"),
      ),
      el("dl", {}, ...rows),
      this.editor_?.element ?? null,
    );
    this.element = el(
      "section",
      { class: "panel", "aria-label": "Selected body" },
      el("h2", {}, "Body"),
      this.hint_,
      this.table_,
    );
  }

  show(description: Description | null, frame: Frame | null, index: number): void {
    const body = description?.bodies[index];
    this.table_.hidden = !body || !frame;
    this.hint_.hidden = !this.table_.hidden;
    if (!body || !frame) return;
    const put = (name: (typeof ROWS)[number], text: string) => setText(this.values_.get(name)!, text);
    const vector = (v: ArrayLike<number>, unit: string, digits = 3) =>
      `${[v[0]!, v[1]!, v[2]!]
        .map((x) =>
          x
            .toFixed(digits)
            .replace("-", "−")
            .replace(/^−(0\.?0*)$/, "$1"),
        )
        .join(", ")} ${unit}`;
    setText(this.title_, body.name);
    put("Motion", body.nodes ? `${body.motion}, ${body.nodes.count} nodes` : body.motion);
    put("Mass", body.motion === "dynamic" ? `${readable(body.mass)} kg` : "–");
    put("Material", body.material);
    put("Position", vector(frame.position.subarray(3 * index, 3 * index + 3), "m", 4));
    const v = frame.velocity(index);
    put("Velocity", v ? vector(v, "m/s") : "–");
    put("Speed", v ? `${readable(Math.hypot(...v), 3)} m/s` : "–");
    const sum = frame.contacts && forceOn(frame.contacts, index);
    put("Contacts", sum ? String(sum.count) : "–");
    put("Touches", (frame.contacts && touchesOf(frame.contacts, index)) || "–");
    put("Contact force", sum ? vector(sum.force, "N", Math.hypot(...sum.force) < 10 ? 3 : 1) : "–");
    this.editor_?.show(body, frame, index);
    put("State", frame.state[index] === ASLEEP ? "asleep" : frame.state[index] === ABSENT ? "not there" : "awake");
  }
}
