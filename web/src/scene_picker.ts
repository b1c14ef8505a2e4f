// The built-in scenes of the program as a list to choose from, with a search.

import { el } from "./dom";
import type { Send, SceneEntry } from "./protocol";

export class ScenePicker {
  readonly button: HTMLButtonElement;
  private readonly dialog_: HTMLDialogElement;
  private readonly search_ = el("input", { id: "scene-search", type: "search", placeholder: "Search", "aria-label": "Search scenes", autocomplete: "off" });
  private readonly list_ = el("ul", { id: "scene-list" });
  private readonly none_ = el("p", { class: "hint", hidden: true }, "No scene has all of these words.");
  private scenes_: SceneEntry[] = [];
  private current_ = "";

  constructor(private readonly send_: Send) {
    this.button = el("button", { type: "button", id: "scenes-button", title: "Choose a scene (n)", onclick: () => this.open() }, "Scenes");
    this.dialog_ = el(
      "dialog",
      { id: "scene-picker", "aria-label": "Scenes" },
      el("div", { class: "help-head" }, el("h2", {}, "Scenes"), el("button", { type: "button", "aria-label": "Close", onclick: () => this.dialog_.close() }, "✕")),
      this.search_,
      this.none_,
      this.list_,
    );
    this.search_.addEventListener("input", () => this.filter());
    this.search_.addEventListener("keydown", (e) => {
      const first = this.list_.querySelector<HTMLButtonElement>("li:not([hidden]) button");
      if (e.key === "Enter" && first) first.click();
    });
    document.body.append(this.dialog_);
  }

  get isOpen(): boolean {
    return this.dialog_.open;
  }

  /** With a scene of no bodies there is nothing else to do than to choose one. */
  scene(name: string, scenes: SceneEntry[], empty: boolean): void {
    this.current_ = name;
    if (this.scenes_.length !== scenes.length) {
      this.scenes_ = scenes;
      this.list_.replaceChildren(...scenes.map((scene) => this.entry(scene)));
    }
    this.button.hidden = scenes.length === 0;
    this.mark();
    if (empty && scenes.length > 0) this.open();
  }

  open(): void {
    if (this.dialog_.open) return;
    this.search_.value = "";
    this.filter();
    this.dialog_.showModal();
    this.search_.focus();
  }

  private entry({ name, look_for }: SceneEntry): HTMLElement {
    const choose = () => {
      this.send_({ type: "open", scene: name });
      this.dialog_.close();
    };
    return el("li", {}, el("button", { type: "button", "data-scene": name, onclick: choose }, el("strong", {}, name), el("span", {}, look_for)));
  }

  private mark(): void {
    for (const button of this.list_.querySelectorAll("button"))
      button.setAttribute("aria-current", String(button.dataset.scene === this.current_));
  }

  private filter(): void {
    const words = this.search_.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    for (const [i, item] of [...this.list_.children].entries()) {
      const { name, look_for } = this.scenes_[i]!;
      const text = `${name} ${look_for}`.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      (item as HTMLElement).hidden = !fits;
      if (fits) ++shown;
    }
    this.none_.hidden = shown > 0;
  }
}
