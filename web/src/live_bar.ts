// Controls of a live simulation: what they show is what the server last said.

import { el, ICONS, icon, setText } from "./dom";
import { readable } from "./math";
import { numberField } from "./number_field";
import type { Comparison, Description, Frame, LiveState, Send } from "./protocol";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 0];

export class LiveBar {
  readonly element: HTMLElement;
  readonly settings: HTMLElement;
  running = false;
  private readonly run_: HTMLButtonElement;
  private readonly readout_ = el("output", { class: "readout" });
  private readonly rate_ = el("output", { class: "rate" });
  private readonly speed_: HTMLSelectElement;
  private readonly solver_ = el("select", { id: "live-solver" });
  private readonly first_ = el("select", { "aria-label": "First solver to compare" });
  private readonly second_ = el("select", { "aria-label": "Second solver to compare" });
  private readonly h_ = numberField("live-h", "Step size h", (h) => this.send_({ type: "set", h }));
  private readonly friction_ = el("input", {
    id: "live-friction",
    type: "number",
    min: 0,
    step: 0.05,
    placeholder: "scene's own",
  });
  private readonly result_ = el("div", { class: "comparison", "aria-live": "polite" });

  private readonly slider_: HTMLInputElement;

  /** `back`: a frame of the past is to be shown, by its number. */
  constructor(private readonly send_: Send, back: (index: number) => void) {
    this.slider_ = el("input", { type: "range", id: "live-scrubber", min: 0, max: 0, step: 1, value: 0, "aria-label": "Look back",
      title: "Look back at the last frames; the simulation pauses (←)" });
    this.slider_.addEventListener("input", () => {
      if (this.running) this.send_({ type: "pause" });
      back(this.slider_.valueAsNumber);
    });
    const button = (label: string, key: string, path: string, run: () => void) =>
      el(
        "button",
        { type: "button", class: "icon", title: `${label} (${key})`, "aria-label": label, onclick: run },
        icon(path),
      );
    this.run_ = button("Run", "space", ICONS.play, () => this.toggle());
    this.speed_ = el(
      "select",
      {
        title: "Simulated over real time",
        "aria-label": "Speed",
        onchange: () => send_({ type: "speed", value: Number(this.speed_.value) }),
      },
      ...SPEEDS.map((s) => el("option", { value: s, selected: s === 1 }, s === 0 ? "full" : `${s}×`)),
    );
    this.element = el(
      "div",
      { class: "timeline" },
      this.run_,
      button("Step", "→", ICONS.forward, () => this.step()),
      button("Reset", "r", ICONS.reset, () => this.reset()),
      this.speed_,
      this.slider_,
      this.readout_,
      this.rate_,
    );
    this.settings = this.makeSettings();
    this.listen();
  }

  private listen(): void {
    const send = this.send_;
    this.solver_.addEventListener("change", () => send({ type: "set", solver: this.solver_.value }));
    this.friction_.addEventListener("change", () => {
      const mu = this.friction_.valueAsNumber;
      send({ type: "set", friction: this.friction_.value === "" ? null : mu });
    });
  }

  private makeSettings(): HTMLElement {
    const field = (label: string, control: HTMLElement, unit = "") =>
      el("label", { for: control.id }, el("span", {}, label), control, el("span", { class: "unit" }, unit));
    return el(
      "div",
      { class: "settings" },
      field("Solver", this.solver_),
      field("Step size h", this.h_, "s"),
      field("Friction μ", this.friction_),
      el(
        "div",
        { class: "row" },
        el(
          "button",
          { type: "button", title: "Write the contact problem of the last step to a file (c)", onclick: () => this.capture() },
          "Capture problem",
        ),
      ),
      el(
        "div",
        { class: "row" },
        this.first_,
        el("span", {}, "against"),
        this.second_,
        el(
          "button",
          {
            type: "button",
            id: "live-compare",
            title: "Solve the last step with both; the motion is not touched",
            onclick: () => this.send_({ type: "compare", solvers: [this.first_.value, this.second_.value] }),
          },
          "Compare",
        ),
      ),
      this.result_,
    );
  }

  toggle(): void {
    this.send_({ type: this.running ? "pause" : "run" });
  }
  step(): void {
    this.send_({ type: "step", count: 1 });
  }
  reset(): void {
    this.send_({ type: "reset" });
  }
  capture(): void {
    this.send_({ type: "capture" });
  }

  open(description: Description): void {
    const names = description.solvers?.length ? description.solvers : [description.solver];
    const keep = [this.first_.value, this.second_.value];
    for (const select of [this.solver_, this.first_, this.second_])
      select.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
    this.solver_.value = description.solver;
    this.first_.value = names.includes(keep[0]!)
      ? keep[0]!
      : names.includes(description.solver)
        ? description.solver
        : names[0]!;
    this.second_.value = names.includes(keep[1]!) ? keep[1]! : (names.find((n) => n !== this.first_.value) ?? names[0]!);
    this.h_.value = String(description.h);
    this.result_.replaceChildren();
  }

  state(state: LiveState): void {
    this.running = state.running;
    this.run_.replaceChildren(icon(state.running ? ICONS.pause : ICONS.play));
    this.run_.setAttribute("aria-label", state.running ? "Pause" : "Run");
    setText(
      this.rate_,
      `${readable(state.steps_per_second, 3)} steps/s${state.viewers > 1 ? ` · ${state.viewers} viewers` : ""}`,
    );
    // What the user is typing in stays.
    const put = (control: HTMLInputElement | HTMLSelectElement, value: string) => {
      control.dataset.last = value;
      if (document.activeElement !== control && control.value !== value) control.value = value;
    };
    if (![...this.solver_.options].some((o) => o.value === state.solver))
      this.solver_.append(el("option", { value: state.solver }, state.solver));
    put(this.solver_, state.solver);
    put(this.h_, String(state.h));
    put(this.friction_, state.friction === null ? "" : String(state.friction));
    if (![...this.speed_.options].some((o) => Number(o.value) === state.speed))
      this.speed_.append(el("option", { value: state.speed }, `${state.speed}×`));
    put(this.speed_, String(state.speed));
  }

  /** Number `at` of the `count` frames that are remembered. */
  frame(frame: Frame, at: number, count: number): void {
    setText(this.readout_, `${frame.time.toFixed(3)} s · step ${frame.step}${at < count - 1 ? " (past)" : ""}`);
    this.slider_.max = String(Math.max(0, count - 1));
    this.slider_.value = String(at);
  }

  comparison(comparison: Comparison): void {
    this.result_.replaceChildren(
      el("p", {}, `Step ${comparison.step}:`),
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...["solver", "status", "iterations", "time [ms]", "residual [m/s]"].map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          ...comparison.solvers.map((s) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, s.name),
              el("td", {}, s.status),
              el("td", {}, String(s.iterations)),
              el("td", {}, readable(s.seconds * 1e3, 3)),
              el("td", {}, readable(s.residual, 2)),
            ),
          ),
        ),
      ),
    );
  }
}
