// Where one looks from, as buttons and numbers; pictures and films of what is seen.

import { PRESETS, type Camera, type Preset } from "./camera";
import { el } from "./dom";

export interface CameraActions {
  camera: Camera;
  /** Draws anew. */
  changed(): void;
  /** The selected body, −1 for none. */
  selected(): number;
  nameOf(body: number): string;
  savePicture(): void;
  saveFilm(): void;
}

const TITLES: Record<Preset, string> = { front: "Front", side: "Side", top: "Top", iso: "Iso" };
/** Of the block of digits, as in other 3D programs. */
const PAD_KEYS: Record<string, Preset> = { Numpad1: "front", Numpad3: "side", Numpad7: "top", Numpad0: "iso" };

export class CameraPanel {
  readonly element: HTMLElement;
  private readonly orthographic_: HTMLButtonElement;
  private readonly follow_: HTMLButtonElement;
  private readonly azimuth_: HTMLInputElement;
  private readonly elevation_: HTMLInputElement;
  private readonly film_: HTMLButtonElement;

  constructor(private readonly on_: CameraActions) {
    const button = (id: string, text: string, title: string, run: () => void) =>
      el("button", { type: "button", id, title, onclick: run }, text);
    const angle = (id: string, label: string, low: number, high: number) => {
      const input = el("input", { id, type: "number", step: 5, min: low, max: high, "aria-label": `${label} [degrees]` });
      input.addEventListener("change", () => this.turnTo());
      return input;
    };
    this.azimuth_ = angle("camera-azimuth", "Azimuth", -360, 360);
    this.elevation_ = angle("camera-elevation", "Elevation", -90, 90);
    this.orthographic_ = button("camera-orthographic", "Orthographic", "Without perspective (o)", () => this.toggleOrthographic());
    this.follow_ = button("camera-follow", "Follow", "Go along with the selected body (a)", () => this.toggleFollow());
    this.film_ = button("save-film", "Save film", "The motion as a WebM file (m)", () => on_.saveFilm());
    const presets = (Object.keys(PRESETS) as Preset[]).map((name) =>
      button(`camera-${name}`, TITLES[name], `From there: ${PRESETS[name].join("°, ")}°`, () => this.preset(name)),
    );
    this.element = el(
      "section",
      { class: "panel", "aria-label": "Camera" },
      el("h2", {}, "Camera"),
      el("div", { class: "row presets" }, ...presets, button("camera-usual", "Usual", "Everything, from the usual side (f)", () => this.usual())),
      el("div", { class: "row" }, el("span", {}, "Azimuth"), this.azimuth_, el("span", {}, "Elevation"), this.elevation_),
      el("div", { class: "row presets" }, this.orthographic_, this.follow_),
      el("div", { class: "row presets" }, button("save-picture", "Save picture", "What is seen as a PNG file (i)", () => on_.savePicture()), this.film_),
    );
  }

  key(e: KeyboardEvent): boolean {
    const preset = PAD_KEYS[e.code];
    if (preset) this.preset(preset);
    else if (e.key === "o") this.toggleOrthographic();
    else if (e.key === "a") this.toggleFollow();
    else if (e.key === "i") this.on_.savePicture();
    else if (e.key === "m") this.on_.saveFilm();
    else return false;
    return true;
  }

  /** Called after every picture. */
  update(): void {
    const { camera } = this.on_;
    const { azimuth, elevation } = camera.angles;
    for (const [input, value] of [[this.azimuth_, azimuth], [this.elevation_, elevation]] as const) {
      const text = String(Math.round(value));
      if (document.activeElement !== input && input.value !== text) input.value = text;
    }
    this.orthographic_.setAttribute("aria-pressed", String(camera.orthographic));
    const followed = camera.followed;
    this.follow_.setAttribute("aria-pressed", String(followed >= 0));
    this.follow_.textContent = followed >= 0 ? `Follows ${this.on_.nameOf(followed)}` : "Follow";
    this.follow_.disabled = followed < 0 && this.on_.selected() < 0;
  }

  /** While a film is made the button ends it. */
  filming(text: string | null): void {
    this.film_.textContent = text ?? "Save film";
    this.film_.setAttribute("aria-pressed", String(text !== null));
  }

  private preset(name: Preset): void {
    const [azimuth, elevation] = PRESETS[name];
    this.on_.camera.turn({ azimuth, elevation });
    this.on_.changed();
  }

  private usual(): void {
    this.on_.camera.turn(null);
    this.on_.changed();
  }

  private turnTo(): void {
    const [azimuth, elevation] = [this.azimuth_.valueAsNumber, this.elevation_.valueAsNumber];
    if (!Number.isFinite(azimuth) || !(Math.abs(elevation) <= 90)) return;
    this.on_.camera.turn({ azimuth, elevation });
    this.on_.changed();
  }

  private toggleOrthographic(): void {
    this.on_.camera.setOrthographic(!this.on_.camera.orthographic);
    this.on_.changed();
  }

  private toggleFollow(): void {
    const { camera } = this.on_;
    camera.follow(camera.followed >= 0 ? -1 : this.on_.selected());
    this.on_.changed();
  }
}
