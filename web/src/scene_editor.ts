// Gravity and materials of a live scene as fields, and the scene as a file.

import { el } from "./dom";
import { numberField, putNumber } from "./number_field";
import type { Coefficients, LiveState, Send, Surroundings } from "./protocol";

function button(id: string, label: string, title: string, run: () => void): HTMLButtonElement {
  return el("button", { type: "button", id, title, onclick: run }, label);
}

export class SceneEditor {
  readonly element: HTMLElement;
  private readonly gravity_: HTMLInputElement[];
  private readonly rows_ = el("tbody");
  private readonly undo_ = button("undo", "Undo", "", () => this.undo());
  private readonly redo_ = button("redo", "Redo", "", () => this.redo());
  private names_ = "";
  private now_: Surroundings | null = null;

  constructor(private readonly send_: Send) {
    this.gravity_ = ["x", "y", "z"].map((axis, k) =>
      numberField(`gravity-${axis}`, `Gravity along ${axis}`, (value) => {
        const gravity = [...(this.now_?.gravity ?? [0, 0, 0])];
        gravity[k] = value;
        send_({ type: "gravity", value: gravity });
      }),
    );
    this.element = el(
      "div",
      { class: "settings" },
      el("div", { class: "three" }, el("span", {}, "Gravity"), ...this.gravity_, el("span", { class: "unit" }, "m/s²")),
      el("table", { id: "materials" },
        el("thead", {}, el("tr", {}, ...["material", "friction μ", "restitution e", "of slip e_T"].map((name) => el("th", { scope: "col" }, name)))),
        this.rows_),
      el("div", { class: "row" }, this.undo_, this.redo_),
      el("div", { class: "row" },
        button("save-scene", "Save scene", "A scene file with all that was changed, as it starts", () => send_({ type: "save" })),
        button("save-now", "Save as it is now", "A scene file that starts where all bodies are now", () => send_({ type: "save", now: true }))),
    );
  }

  undo(): void {
    this.send_({ type: "undo" });
  }
  redo(): void {
    this.send_({ type: "redo" });
  }

  /** What can be taken back and done again. */
  state({ undo = "", redo = "" }: LiveState): void {
    for (const [control, verb, what, keys] of [[this.undo_, "Undo", undo, "Ctrl+Z"], [this.redo_, "Redo", redo, "Ctrl+Y"]] as const) {
      control.disabled = what === "";
      control.title = what === "" ? `Nothing to ${verb.toLowerCase()}` : `${verb} ${what}: back to that moment (${keys})`;
    }
  }

  show(now: Surroundings): void {
    this.now_ = now;
    this.gravity_.forEach((input, k) => putNumber(input, now.gravity[k]));
    const entries = [...now.materials.map((m) => ({ ...m, to: { name: m.name } as object, title: m.name })),
      ...now.pairs.map((p) => ({ ...p, to: { between: p.between } as object, title: p.between.join(" – ") }))];
    const names = JSON.stringify(entries.map((entry) => [entry.title, entry.law ?? ""]));
    if (names !== this.names_) this.rows_.replaceChildren(...entries.map((entry) => this.row(entry)));
    this.names_ = names;
    entries.forEach((entry, i) => {
      const [friction, restitution, tangential] = this.rows_.children[i]!.querySelectorAll("input");
      putNumber(friction!, entry.law ? undefined : entry.friction);
      friction!.placeholder = entry.law ?? "";
      putNumber(restitution!, entry.restitution);
      putNumber(tangential!, entry.tangential_restitution);
    });
  }

  private row({ title, to, law }: Coefficients & { title: string; to: object }): HTMLElement {
    const field = (what: "friction" | "restitution" | "tangential_restitution") =>
      numberField(`${what.replace("_", "-")}-of-${title.replace(/\W+/g, "-")}`, `${what.replace("_", " ")} of ${title}`, (value) => this.send_({ type: "material", ...to, [what]: value }));
    const friction = field("friction");
    if (law) friction.title = `The law ${law} until a number is given: then Coulomb's`;
    return el("tr", {}, el("th", { scope: "row" }, title), el("td", {}, friction), el("td", {}, field("restitution")), el("td", {}, field("tangential_restitution")));
  }
}
