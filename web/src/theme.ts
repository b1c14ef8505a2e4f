// Dark and light: follows the system until the user chooses. CSS reads data-theme, the 3D view reads these colours.

export interface Palette {
  background: number;
  ground: string;
  gridMinor: string;
  gridMajor: string;
  fixed: number;
  kinematic: number;
  asleep: number;
  selected: number;
  /** Calm and apart from each other; bodies and materials take them in turn. */
  bodies: number[];
  plain: number;
  normal: number;
  force: number;
  cone: number;
  manifold: number;
  overlap: number;
  box: number;
  pressure: number;
  spring: number;
  trail: number;
  joint: number;
  /** Limits, and what is beside the point. */
  jointFaint: number;
  jointBroken: number;
  jointError: number;
  jointForce: number;
}

const light: Palette = {
  background: 0xe9edf1,
  ground: "#dfe4e8",
  gridMinor: "#cdd4da",
  gridMajor: "#b3bdc6",
  fixed: 0xb9c0c7,
  kinematic: 0xa8a0c4,
  asleep: 0xd3d8dd,
  selected: 0xffa51f,
  bodies: [0x6f9bc4, 0xd4a373, 0x86b58c, 0xc98b8b, 0x9a8fc0, 0x7fb5b5, 0xc4b36a, 0xb58ca8],
  plain: 0x1d3557,
  normal: 0x3a6ea5,
  force: 0xc2410c,
  cone: 0x7c3aed,
  manifold: 0x0f766e,
  overlap: 0x7c3aed,
  box: 0x64748b,
  pressure: 0xdb2777,
  spring: 0xd97706,
  trail: 0x475569,
  joint: 0x0e7490,
  jointFaint: 0x6aa5b5,
  jointBroken: 0x9aa3ab,
  jointError: 0xdc2626,
  jointForce: 0x15803d,
};

const dark: Palette = {
  background: 0x14181d,
  ground: "#20262d",
  gridMinor: "#2c343d",
  gridMajor: "#414c58",
  fixed: 0x59626c,
  kinematic: 0x6e6494,
  asleep: 0x39424c,
  selected: 0xffb23e,
  bodies: [0x5c8fc2, 0xc9925a, 0x6fa877, 0xbf7474, 0x8b7dc0, 0x63a6a6, 0xb3a052, 0xa97499],
  plain: 0xe2e8f0,
  normal: 0x7db4ec,
  force: 0xff8a4c,
  cone: 0xb794f6,
  manifold: 0x4fd1c5,
  overlap: 0xc4b5fd,
  box: 0x94a3b8,
  pressure: 0xf687b3,
  spring: 0xfbbf24,
  trail: 0xb6c2cf,
  joint: 0x38d0ee,
  jointFaint: 0x3d8798,
  jointBroken: 0x6b7680,
  jointError: 0xff5a5a,
  jointForce: 0x4ade80,
};

export class Theme {
  private chosen_: "light" | "dark" | null = null;
  private readonly system_ = matchMedia("(prefers-color-scheme: dark)");
  private readonly listeners_: (() => void)[] = [];

  constructor() {
    this.system_.addEventListener("change", () => this.apply());
    this.apply();
  }
  get name(): "light" | "dark" {
    return this.chosen_ ?? (this.system_.matches ? "dark" : "light");
  }
  get palette(): Palette {
    return this.name === "dark" ? dark : light;
  }
  choose(name: "light" | "dark"): void {
    this.chosen_ = name;
    this.apply();
  }
  toggle(): void {
    this.choose(this.name === "dark" ? "light" : "dark");
  }
  onChange(listener: () => void): void {
    this.listeners_.push(listener);
  }
  private apply(): void {
    document.documentElement.dataset["theme"] = this.name;
    for (const listener of this.listeners_) listener();
  }
}

/** A colour of the style sheet, for canvases. */
export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
