// Play, scrub and step through a replay.

import { el, ICONS, icon, setText } from "./dom";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Timeline {
  readonly element: HTMLElement;
  playing = false;
  loop = true;
  private speed_ = 1;
  private time_ = 0;
  private index_ = 0;
  private clock_ = 0;
  private readonly slider_: HTMLInputElement;
  private readonly readout_ = el("output", { class: "readout", "aria-live": "off" });
  private readonly play_: HTMLButtonElement;
  private readonly loop_: HTMLButtonElement;
  private readonly select_: HTMLSelectElement;

  constructor(
    private readonly source_: { count: number; time(i: number): number; frameAt(t: number): number },
    private readonly show_: (index: number) => void,
  ) {
    const button = (label: string, key: string, path: string, run: () => void) =>
      el(
        "button",
        { type: "button", class: "icon", title: `${label} (${key})`, "aria-label": label, onclick: run },
        icon(path),
      );
    this.play_ = button("Play", "space", ICONS.play, () => this.toggle());
    this.loop_ = button("Loop", "l", ICONS.loop, () => this.toggleLoop());
    this.slider_ = el("input", {
      type: "range",
      id: "scrubber",
      min: 0,
      max: Math.max(0, source_.count - 1),
      step: 1,
      value: 0,
      "aria-label": "Frame",
      oninput: () => {
        this.pause();
        this.go(Number(this.slider_.value));
      },
    });
    this.select_ = el("select", { title: "Speed (− +)", "aria-label": "Speed",
      onchange: () => (this.speed_ = Number(this.select_.value)) },
      ...SPEEDS.map((s) => el("option", { value: s, selected: s === 1 }, `${s}×`)));
    this.element = el(
      "div",
      { class: "timeline" },
      button("Step back", "←", ICONS.back, () => this.step(-1)),
      this.play_,
      button("Step forward", "→", ICONS.forward, () => this.step(1)),
      this.slider_,
      this.readout_,
      this.select_,
      this.loop_,
    );
    this.loop_.setAttribute("aria-pressed", "true");
  }

  get index(): number {
    return this.index_;
  }

  go(index: number): void {
    this.index_ = Math.min(Math.max(Math.round(index), 0), this.source_.count - 1);
    this.time_ = this.source_.time(this.index_);
    this.present();
  }
  step(by: number): void {
    this.pause();
    this.go(this.index_ + by);
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  play(): void {
    if (this.playing || this.source_.count < 2) return;
    if (this.index_ === this.source_.count - 1) this.go(0);
    this.playing = true;
    this.clock_ = performance.now();
    this.face();
    requestAnimationFrame((now) => this.tick(now));
  }
  pause(): void {
    this.playing = false;
    this.face();
  }
  toggleLoop(): void {
    this.loop = !this.loop;
    this.loop_.setAttribute("aria-pressed", String(this.loop));
  }
  speed(by: number): void {
    const at = SPEEDS.indexOf(this.speed_) + by;
    this.speed_ = SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)]!;
    this.select_.value = String(this.speed_);
  }

  /** Shows the frames of a film, one after the other; then again what was shown before. */
  *reel(rate: number): Iterable<number> {
    this.pause();
    const before = this.index_;
    const [start, end] = [this.source_.time(0), this.source_.time(this.source_.count - 1)];
    const count = Math.floor(((end - start) * rate) / this.speed_ + 1e-9) + 1;
    try {
      for (let k = 0; k < count; ++k) {
        this.go(this.source_.frameAt(start + (k * this.speed_) / rate));
        yield k;
      }
    } finally {
      this.go(before);
    }
  }

  private tick(now: number): void {
    if (!this.playing) return;
    // A tab that was hidden does not leap ahead.
    this.time_ += Math.min((now - this.clock_) / 1000, 0.25) * this.speed_;
    this.clock_ = now;
    const end = this.source_.time(this.source_.count - 1);
    if (this.time_ >= end) {
      if (this.loop && this.index_ === this.source_.count - 1) this.time_ = this.source_.time(0);
      else {
        this.time_ = end;
        if (!this.loop) this.pause();
      }
    }
    const index = this.source_.frameAt(this.time_);
    if (index !== this.index_) {
      this.index_ = index;
      this.present();
    }
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }

  private present(): void {
    this.slider_.value = String(this.index_);
    const time = this.source_.time(this.index_).toFixed(3);
    this.slider_.setAttribute("aria-valuetext", `frame ${this.index_}, ${time} s`);
    setText(this.readout_, `${time} s · ${this.index_} / ${this.source_.count - 1}`);
    this.show_(this.index_);
  }

  private face(): void {
    this.play_.replaceChildren(icon(this.playing ? ICONS.pause : ICONS.play));
    this.play_.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }
}
