// One plot: lines over time or iteration, a mark at the current frame, saving as PNG and CSV.

import uPlot from "uplot";
import { download, el } from "./dom";
import { readable } from "./math";
import { cssColour } from "./theme";

export interface Line {
  label: string;
  values: ArrayLike<number>;
  /** The line that matters most. */
  main?: boolean;
}

export interface ChartOptions {
  id: string;
  title: string;
  x: { label: string; unit: string };
  unit: string;
  log?: boolean;
  open?: boolean;
  /** Said where there is nothing to draw. */
  empty?: string;
  /** A click at x. */
  onPick?: (x: number) => void;
}

const HEIGHT = 190;
/** Lines of different colours that the style sheet knows. */
const COLOURS = 10;

export class Chart {
  readonly element: HTMLDetailsElement;
  private readonly holder_: HTMLElement;
  private readonly marker_ = el("div", { class: "mark" });
  private readonly empty_: HTMLElement;
  private plot_: uPlot | null = null;
  private x_: ArrayLike<number> = [];
  private lines_: Line[] = [];
  private labels_ = "";
  private markAt_: number | null = null;

  constructor(private readonly options_: ChartOptions, private readonly fileName_: () => string) {
    this.empty_ = el("p", { class: "empty", hidden: true }, options_.empty ?? "Nothing yet");
    this.holder_ = el("div", { class: "plot" }, this.empty_);
    const save = (kind: "PNG" | "CSV", run: () => void) =>
      el(
        "button",
        {
          type: "button",
          class: "save",
          title: `Save this plot as ${kind}`,
          "aria-label": `Save ${options_.title} as ${kind}`,
          onclick: (event: Event) => {
            event.preventDefault();
            run();
          },
        },
        kind,
      );
    this.element = el(
      "details",
      { class: "chart", id: `chart-${options_.id}`, open: options_.open ?? false },
      el(
        "summary",
        {},
        el("span", { class: "title" }, options_.title),
        el("span", { class: "unit" }, options_.unit),
        save("PNG", () => this.savePng()),
        save("CSV", () => download(`${this.fileName_()}-${options_.id}.csv`, new Blob([this.csv()], { type: "text/csv" }))),
      ),
      this.holder_,
    );
    this.element.addEventListener("toggle", () => this.render());
    new ResizeObserver(() => this.fitWidth()).observe(this.holder_);
  }

  get isOpen(): boolean {
    return this.element.open;
  }

  set(x: ArrayLike<number>, lines: Line[]): void {
    this.x_ = x;
    this.lines_ = lines;
    this.render();
  }

  /** Moves the line that marks the current frame. */
  mark(x: number | null): void {
    this.markAt_ = x;
    const plot = this.plot_;
    if (!plot || !this.isOpen) return;
    if (plot.cursor.idx === null || plot.cursor.idx === undefined) this.legendAt(x);
    const at = x === null ? NaN : plot.valToPos(x, "x");
    const inside = at >= 0 && at <= plot.over.clientWidth;
    this.marker_.hidden = !inside;
    if (inside) this.marker_.style.transform = `translateX(${at.toFixed(1)}px)`;
  }

  /** The legend shows values at x, or the last ones. */
  private legendAt(x: number | null): void {
    const xs = this.plot_!.data[0];
    let low = 0;
    let high = xs.length - 1;
    if (high < 0) return;
    if (x === null) low = high;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (xs[middle]! <= x! + 1e-9) low = middle;
      else high = middle - 1;
    }
    this.plot_!.setLegend({ idx: low }, false);
  }

  /** Colours of the theme changed. */
  repaint(): void {
    this.labels_ = "";
    this.render();
  }

  csv(): string {
    const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
    const { x, unit } = this.options_;
    const head = [titled(x.label, x.unit), ...this.lines_.map((l) => titled(l.label, unit))];
    const rows = [head.map(quote).join(",")];
    for (let i = 0; i < this.x_.length; ++i)
      rows.push(
        [this.x_[i]!, ...this.lines_.map((l) => l.values[i]!)].map((v) => (Number.isFinite(v) ? String(v) : "")).join(","),
      );
    return rows.join("\n") + "\n";
  }

  /** Title, plot and names of the lines on one canvas. */
  private savePng(): void {
    if (!this.isOpen) {
      this.element.open = true;
      this.render();
    }
    const plot = this.plot_;
    if (!plot) return;
    const source = plot.ctx.canvas;
    const scale = source.width / plot.width;
    const canvas = el("canvas");
    canvas.width = source.width;
    canvas.height = source.height + Math.round(48 * scale);
    const g = canvas.getContext("2d")!;
    g.fillStyle = cssColour("--panel");
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.drawImage(source, 0, Math.round(24 * scale));
    g.textBaseline = "middle";
    g.fillStyle = cssColour("--text");
    g.font = `600 ${13 * scale}px system-ui, sans-serif`;
    g.fillText(titled(this.options_.title, this.options_.unit), 8 * scale, 13 * scale);
    g.font = `${11 * scale}px system-ui, sans-serif`;
    let at = 8 * scale;
    this.lines_.forEach((line, i) => {
      const y = canvas.height - 13 * scale;
      g.fillStyle = this.colourOf(i);
      g.fillRect(at, y - 2 * scale, 12 * scale, 3 * scale);
      g.fillStyle = cssColour("--text");
      g.fillText(line.label, at + 16 * scale, y);
      at += g.measureText(line.label).width + 30 * scale;
    });
    canvas.toBlob((blob) => blob && download(`${this.fileName_()}-${this.options_.id}.png`, blob));
  }

  private render(): void {
    if (!this.isOpen || this.holder_.clientWidth === 0) return;
    const floor = this.options_.log ? this.logFloor() : -Infinity;
    const clean = (values: ArrayLike<number>) =>
      Array.from(values, (v) => (!Number.isFinite(v) || (this.options_.log && v <= 0) ? null : Math.max(v, floor)));
    this.empty_.hidden = this.x_.length > 0;
    this.holder_.classList.toggle("vacant", this.x_.length === 0);
    const data = [Array.from(this.x_), ...this.lines_.map((l) => clean(l.values))] as uPlot.AlignedData;
    const labels = this.lines_.map((l) => l.label).join("\n");
    if (!this.plot_ || labels !== this.labels_) {
      this.plot_?.destroy();
      this.plot_ = this.create(data);
      this.labels_ = labels;
    } else this.plot_.setData(data);
    this.mark(this.markAt_);
  }

  /** Rounding noise would take all the height of a logarithmic plot: what is eight decades below the largest is drawn there. */
  private logFloor(): number {
    let top = 0;
    for (const { values } of this.lines_)
      for (let i = 0; i < values.length; ++i) if (values[i]! > top && Number.isFinite(values[i])) top = values[i]!;
    return top * 1e-8;
  }

  private create(data: uPlot.AlignedData): uPlot {
    const { x, log, unit } = this.options_;
    const axis = {
      stroke: cssColour("--muted"),
      grid: { stroke: cssColour("--line"), width: 1 },
      ticks: { stroke: cssColour("--line"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
    };
    const title = { labelSize: 16, labelGap: 0, labelFont: "11px system-ui, sans-serif" };
    const single = data[0].length < 60;
    // Of several lines the legend says what they are.
    const upright = this.lines_.length === 1 ? titled(this.lines_[0]!.label, unit) : unit && `[${unit}]`;
    const plot = new uPlot(
      {
        width: this.holder_.clientWidth,
        height: HEIGHT,
        padding: [8, 10, 0, 0],
        scales: { x: { time: false }, y: log ? { distr: 3, range: wholeDecades } : { range: roomy } },
        axes: [
          { ...axis, size: 28, label: titled(x.label, x.unit), ...title, values: (_u, splits) => splits.map((v) => readable(v)) },
          {
            ...axis,
            size: 52,
            ...(upright ? { label: upright, ...title } : {}),
            ...(log ? { splits: decades, filter: (_u: uPlot, splits: number[]) => splits } : {}),
            values: (_u, splits) => splits.map((v) => (v === null ? "" : log ? powerOfTen(v) : readable(v))),
          },
        ],
        cursor: { y: false, drag: { x: true, y: false } },
        legend: { live: true },
        series: [
          { label: x.label, value: (_u, v) => (v === null ? "" : `${readable(v)} ${x.unit}`) },
          ...this.lines_.map((line, i) => ({
            label: line.label,
            stroke: this.colourOf(i),
            width: line.main ? 2.2 : 1.2,
            spanGaps: x.label === "iteration",
            points: { show: single && !this.options_.onPick, size: 4 },
            value: (_u: uPlot, v: number | null) => (v === null ? "" : readable(v)),
          })),
        ],
        hooks: {
          ready: [() => this.mark(this.markAt_)],
          setSize: [() => this.mark(this.markAt_)],
          setScale: [() => this.mark(this.markAt_)],
        },
      },
      data,
      this.holder_,
    );
    this.marker_.hidden = true;
    plot.over.append(this.marker_);
    const pick = this.options_.onPick;
    if (pick) plot.over.addEventListener("click", () => {
      if (plot.cursor.left !== undefined && plot.cursor.left >= 0 && plot.select.width < 3)
        pick(plot.posToVal(plot.cursor.left, "x"));
    });
    return plot;
  }

  /** The main line has the first colour, the others take theirs in turn. */
  private colourOf(index: number): string {
    const main = this.lines_.findIndex((l) => l.main);
    if (index === main) return lineColour(0);
    return lineColour(main < 0 ? index : 1 + ((index - (index > main ? 1 : 0)) % (COLOURS - 1)));
  }

  private fitWidth(): void {
    const width = this.holder_.clientWidth;
    if (width === 0) return;
    if (!this.plot_) this.render();
    else if (this.plot_.width !== width) this.plot_.setSize({ width, height: HEIGHT });
  }
}

function titled(label: string, unit: string): string {
  return unit ? `${label} [${unit}]` : label;
}

function wholeDecades(_u: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low > 0)) return [1e-9, 1];
  const bottom = Math.floor(Math.log10(low) + 1e-6);
  return [10 ** bottom, 10 ** Math.max(Math.ceil(Math.log10(high) - 1e-6), bottom + 1)];
}

/** Whole powers of ten, not more than fit. */
function decades(_u: uPlot, _axis: number, low: number, high: number): number[] {
  const from = Math.round(Math.log10(low));
  const to = Math.round(Math.log10(high));
  const stride = Math.max(1, Math.ceil((to - from) / 6));
  const powers: number[] = [];
  for (let power = from; power <= to; power += stride) powers.push(10 ** power);
  return powers;
}

function lineColour(index: number): string {
  return cssColour(`--line-${(index % COLOURS) + 1}`);
}

/** Room for lines that are constant. */
function roomy(_u: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) {
    const pad = Math.abs(high) > 0 ? 0.1 * Math.abs(high) : 1;
    return [low === 0 ? 0 : low - pad, high + pad];
  }
  const pad = 0.06 * (high - low);
  return [low >= 0 && low < 0.3 * high ? 0 : low - pad, high + pad];
}

function powerOfTen(v: number): string {
  const power = Math.log10(v);
  if (Math.abs(power - Math.round(power)) > 1e-6) return "";
  const up = (n: number) => String(n).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)] ?? "⁻");
  return power >= -2 && power <= 3 ? String(Number(v.toPrecision(1))) : `10${up(Math.round(power))}`;
}
