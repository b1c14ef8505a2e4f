// The page: puts view, bars, panels and keys together. Shows frames, whatever source they come from.

import { BodyPanel } from "./body_panel";
import { COLOURINGS, type Colouring } from "./body_values";
import { CameraPanel } from "./camera_panel";
import { regionOf } from "./region";
import { byId, download, el, ICONS, icon, setText } from "./dom";
import { Film, FILM_RATE } from "./film";
import { makeHelp } from "./help";
import { JointPanel, jointSummary } from "./joint_panel";
import { LAYERS, LayerState, type Layer } from "./layers";
import { Legend } from "./legend";
import { Plots } from "./plots";
import { Pointer, type PointerHost } from "./pointer";
import { hasFields, hasMeshes, mayHaveAreas, type BodySeries, type Contacts, type Description, type Frame, type Joints, type JointSeries, type TelemetryTable } from "./protocol";
import * as THREE from "three";
import { Theme } from "./theme";
import { View } from "./view";

export class Viewer {
  readonly theme = new Theme();
  readonly layers = new LayerState();
  readonly view: View;
  readonly plots: Plots;
  readonly legend: Legend;
  readonly help: HTMLDialogElement;
  selected = -1;
  selectedJoint = -1;
  readonly jointPanel: JointPanel;
  readonly cameraPanel: CameraPanel;
  frame: Frame | null = null;
  description: Description | null = null;
  /** What else a layer or selection changes: a live source asks for other data. */
  onWants: () => void = () => {};
  /** Whether a live simulation waits. */
  paused: () => boolean = () => false;
  /** The times of a film from end to end, each shown before it is asked for; null: what is live is filmed until told to end. */
  reel: (() => Iterable<unknown>) | null = null;

  private readonly panel_: BodyPanel;
  private readonly tag_ = byId("tag");
  private readonly tip_ = byId("joint-tip");
  private readonly pointer_: Pointer;
  private hovered_ = -1;
  private plotted_ = 0;
  private filming_ = false;
  private selectedName_: string | null = null;

  /** `series`: what a joint did over time. */
  constructor(
    live: boolean,
    private readonly goTo_: (time: number) => void,
    send: PointerHost["send"],
    private readonly series_: (joint: number) => JointSeries,
    private readonly bodySeries_: (body: number) => BodySeries,
  ) {
    this.panel_ = new BodyPanel(() => this.select(-1), send);
    this.view = new View(byId<HTMLCanvasElement>("view"), this.theme, this.layers);
    this.view.afterDraw = () => {
      this.placeTag();
      this.cameraPanel.update();
    };
    this.cameraPanel = new CameraPanel({
      camera: this.view.camera,
      changed: () => this.view.refresh(),
      selected: () => this.selected,
      nameOf: (body) => this.description?.bodies[body]?.name ?? "",
      savePicture: () => this.savePicture(),
      saveFilm: () => void this.saveFilm(),
    });
    const host = el("div", { id: "plots" });
    this.plots = new Plots(
      host,
      () => this.description?.name || "stickslip",
      (time) => this.goTo_(time),
    );
    this.legend = new Legend(byId("legend"), (factor) => this.zoomForces(factor));
    this.help = makeHelp(live);
    document.body.append(this.help);
    this.jointPanel = new JointPanel((joint) => this.selectJoint(joint), send);
    byId("side").append(
      this.panel_.element,
      this.jointPanel.element,
      this.layerPanel(),
      this.cameraPanel.element,
      el("section", { class: "panel", "aria-label": "Plots" }, el("h2", {}, "Plots"), host),
    );
    this.pointer_ = new Pointer(this.view, {
      frame: () => this.frame,
      description: () => this.description,
      select: (body) => this.select(body),
      send,
      grabbed: () => this.paused() && this.notice("Paused: the pull acts when the simulation runs (space) or steps (→).", false, 6),
      jointAt: (x, y) => this.view.pickJoint(x, y, this.description?.joints?.length ?? 0),
      selectJoint: (joint) => this.selectJoint(joint),
      hover: (joint, x, y) => this.hover(joint, x, y),
    });
    this.topBar();
    this.layers.onChange(() => {
      this.legend.update(this.view, this.layers);
      this.onWants();
    });
    this.theme.onChange(() => this.plots.repaint());
    // The toggle event of details does not bubble.
    host.addEventListener("toggle", () => this.onWants(), true);
  }

  /** Whether the frames should bring contacts: for a layer or for the forces on the selected body. */
  get wantContacts(): boolean {
    return this.layers.wantContacts || this.selected >= 0 || this.view.colouring === "force";
  }

  /**
   * Whether they should bring joints: for a layer or the selected one; the list shows their states too, unless they are so
   * many.
   */
  get wantJoints(): boolean {
    const count = this.description?.joints?.length ?? 0;
    return count > 0 && (count <= 300 || this.layers.wantJoints || this.selectedJoint >= 0);
  }

  /**
   * `samples`: frames from which the camera learns where things happen. `contacts`, `joints`: from which arrows learn their
   * scale.
   */
  open(
    description: Description,
    samples: Iterable<Frame>,
    contacts: Iterable<Contacts>,
    joints: Iterable<Joints>,
    fit: boolean,
  ): void {
    this.description = description;
    document.title = `${description.name} – Stickslip`;
    setText(byId("scene-name"), description.name);
    setText(byId("look-for"), description.look_for ?? "");
    byId("look-for").title = description.look_for ?? "";
    this.view.open(description, regionOf(description, samples), fit);
    this.view.contacts!.fit(contacts, joints);
    const count = description.joints?.length ?? 0;
    for (const layer of LAYERS) byId(`layer-${layer.name}`).hidden = !this.isOfUse(layer);
    if (this.selectedJoint >= count) this.selectedJoint = -1;
    this.view.selectJoint(this.selectedJoint);
    this.jointPanel.open(description);
    // Of a scene that was edited bodies have other numbers.
    this.selected = description.bodies.findIndex((body) => body.name === this.selectedName_);
    this.view.select(this.selected);
    this.plots.open(description.telemetry ?? [], count > 0);
    this.legend.update(this.view, this.layers);
    this.onWants();
  }

  show(frame: Frame): void {
    this.frame = frame;
    this.view.show(frame);
    this.pointer_.drawSpring();
    this.panel_.show(this.description, frame, this.selected);
    this.jointPanel.show(frame, this.selectedJoint);
    if (this.hovered_ >= 0) this.tellHovered();
    const now = performance.now();
    const often = now - this.plotted_ > 100;
    if (often) this.plotted_ = now;
    else setTimeout(() => this.frame === frame && this.plots.frame(frame, true), 120);
    this.plots.frame(frame, often);
  }

  select(body: number): void {
    if (this.selectedJoint >= 0) this.selectJoint(-1);
    this.selected = body;
    this.selectedName_ = this.description?.bodies[body]?.name ?? null;
    this.view.select(body);
    this.panel_.show(this.description, this.frame, body);
    this.plotBody();
    this.placeTag();
    this.onWants();
  }

  /** A joint and a body are not selected together. */
  selectJoint(joint: number): void {
    if (joint >= 0 && this.selected >= 0) this.select(-1);
    this.selectedJoint = joint;
    this.view.selectJoint(joint);
    this.jointPanel.show(this.frame, joint);
    this.plotJoint();
    this.onWants();
  }

  private plotBody(): void {
    const body = this.description?.bodies[this.selected];
    this.plots.body(body ? this.bodySeries_(this.selected) : null);
  }

  private plotJoint(): void {
    const joint = this.description?.joints?.[this.selectedJoint];
    this.plots.joint(joint ?? null, joint ? this.series_(this.selectedJoint) : null);
  }

  private hover(joint: number, x: number, y: number): void {
    this.hovered_ = joint;
    this.tip_.hidden = joint < 0;
    if (joint < 0) return;
    const box = this.view.canvas.getBoundingClientRect();
    this.tip_.style.transform = `translate(${(x - box.left).toFixed(0)}px, ${(y - box.top).toFixed(0)}px)`;
    this.tellHovered();
  }

  private tellHovered(): void {
    const joint = this.description?.joints?.[this.hovered_];
    if (joint) setText(this.tip_, jointSummary(joint, this.frame?.joints ?? null, this.hovered_).join("\n"));
    else this.tip_.hidden = true;
  }

  plot(table: TelemetryTable): void {
    this.plots.set(table);
    this.plotJoint();
    this.plotBody();
    if (this.frame) this.plots.frame(this.frame, true);
  }

  zoomForces(factor: number): void {
    if (!this.view.contacts) return;
    this.view.contacts.forceZoom *= factor;
    this.view.refresh();
    this.legend.update(this.view, this.layers);
  }

  colourBy(by: Colouring): void {
    this.view.colourBy(by);
    byId<HTMLSelectElement>("colour-by").value = by;
    this.legend.update(this.view, this.layers);
    this.onWants();
  }

  notice(text: string, bad: boolean, seconds = 0): void {
    const box = byId("notice");
    box.hidden = text === "";
    box.classList.toggle("bad", bad);
    setText(box, text);
    if (seconds > 0) setTimeout(() => box.textContent === text && this.notice("", false), 1000 * seconds);
  }

  toggleSide(): void {
    document.body.classList.toggle("side-toggled");
    this.tellSide();
  }

  /** Open at first where there is room, closed on a phone. */
  private tellSide(): void {
    const open = document.body.classList.contains("side-toggled") === matchMedia("(max-width: 760px)").matches;
    byId("side-button").setAttribute("aria-pressed", String(open));
  }

  /** Keys that are the same for replay and live. */
  key(e: KeyboardEvent): boolean {
    const layer = LAYERS.find((l) => l.key === e.key && this.isOfUse(l));
    if (this.cameraPanel.key(e)) return true;
    if (layer) this.layers.toggle(layer.name);
    else if (e.key === "?") this.help.open ? this.help.close() : this.help.showModal();
    else if (e.key === "t") this.theme.toggle();
    else if (e.key === "f") this.view.camera.turn(null);
    else if (e.key === "p") this.toggleSide();
    else if (e.key === "Escape") {
      this.select(-1);
      this.selectJoint(-1);
    } else if (e.key === ",") this.zoomForces(0.5);
    else if (e.key === ".") this.zoomForces(2);
    else return false;
    return true;
  }

  savePicture(): void {
    const { width, height } = this.view.canvas;
    const bytes = Uint8Array.from(atob(this.view.picture(width, height).split(",")[1]!), (c) => c.charCodeAt(0));
    download(`${this.description?.name ?? "stickslip"}-${this.frame?.step ?? 0}.png`, new Blob([bytes], { type: "image/png" }));
  }

  /** Of a replay from end to end, of what is live from now until it is called again. */
  async saveFilm(): Promise<void> {
    if (this.filming_) {
      this.filming_ = false;
      return;
    }
    this.filming_ = true;
    try {
      // Encoders want even numbers of pixels.
      const [width, height] = [this.view.canvas.width & ~1, this.view.canvas.height & ~1];
      const film = new Film(width, height);
      let count = 0;
      for (const _ of this.reel?.() ?? this.untilToldToEnd()) {
        if (!this.filming_) break;
        await film.add(this.view.still(width, height));
        this.cameraPanel.filming(`${(++count / FILM_RATE).toFixed(1)} s – end`);
        await new Promise((next) => setTimeout(next, this.reel ? 0 : 1000 / FILM_RATE));
      }
      if (count > 0) download(`${this.description?.name ?? "stickslip"}.webm`, await film.finish());
    } catch (error) {
      this.notice(error instanceof Error ? error.message : String(error), true, 8);
    }
    this.filming_ = false;
    this.cameraPanel.filming(null);
  }

  private *untilToldToEnd(): Iterable<unknown> {
    while (this.filming_) yield null;
  }

  private isOfUse(layer: Layer): boolean {
    const d = this.description;
    return (
      (!layer.joints || (d?.joints?.length ?? 0) > 0) &&
      (!layer.areas || (d !== null && mayHaveAreas(d))) &&
      (!layer.meshes || (d !== null && hasMeshes(d))) &&
      (!layer.soft || (d !== null && hasFields(d)))
    );
  }

  private placeTag(): void {
    const body = this.description?.bodies[this.selected];
    const frame = this.frame;
    let at: { x: number; y: number } | null = null;
    if (body && frame && frame.state[this.selected] !== 2 && !body.parts.some((p) => p.shape.type === "half-space"))
      at = this.view.project(new THREE.Vector3().fromArray(frame.position, 3 * this.selected));
    this.tag_.hidden = !at;
    if (!at || !body) return;
    setText(this.tag_, body.name);
    const box = this.view.canvas.getBoundingClientRect();
    this.tag_.style.transform = `translate(${(at.x - box.left).toFixed(1)}px, ${(at.y - box.top).toFixed(1)}px)`;
  }

  private layerPanel(): HTMLElement {
    const buttons = LAYERS.map((layer) => {
      const button = el(
        "button",
        {
          type: "button",
          class: "layer",
          id: `layer-${layer.name}`,
          title: `${layer.help} (${layer.key})`,
          "aria-pressed": String(this.layers.has(layer.name)),
          onclick: () => this.layers.toggle(layer.name),
        },
        el("span", {}, layer.title),
        el("kbd", { "aria-hidden": "true" }, layer.key),
      );
      this.layers.onChange(() => button.setAttribute("aria-pressed", String(this.layers.has(layer.name))));
      return button;
    });
    return el(
      "section",
      { class: "panel", "aria-label": "Layers" },
      el("h2", {}, "Layers"),
      el("div", { class: "layers" }, ...buttons),
      el("div", { class: "settings" }, this.colourField(), this.thresholdField()),
    );
  }

  private colourField(): HTMLElement {
    const select = el("select", { id: "colour-by", onchange: () => this.colourBy(select.value as Colouring) },
      ...COLOURINGS.map((name) => el("option", { value: name }, name)));
    return el("label", { for: "colour-by" }, el("span", {}, "Colours by"), select);
  }

  private thresholdField(): HTMLElement {
    const input = el("input", { id: "least-force", type: "number", min: 0, step: "any", placeholder: "all" });
    input.addEventListener("input", () => {
      this.view.contacts!.leastForce = Math.max(0, input.valueAsNumber || 0);
      this.view.refresh();
    });
    return el("label", { for: "least-force", title: "Arrows of smaller forces are not drawn" }, el("span", {}, "Forces from"), input, el("span", { class: "unit" }, "N"));
  }

  private topBar(): void {
    const button = (id: string, label: string, key: string, content: Node | string, run: () => void) =>
      el(
        "button",
        { type: "button", class: "icon", id, title: `${label} (${key})`, "aria-label": label, onclick: run },
        content,
      );
    byId("tools").append(
      button("fit-button", "Show everything", "f", icon(ICONS.fit), () => this.view.camera.turn(null)),
      button("theme-button", "Dark or light", "t", icon(ICONS.theme), () => this.theme.toggle()),
      button("help-button", "Help", "?", "?", () => this.help.showModal()),
      button("side-button", "Side panel", "p", icon(ICONS.panel), () => this.toggleSide()),
    );
    this.tellSide();
  }
}
