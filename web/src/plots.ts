// Which plots there are and which telemetry columns they show. What a description lacks is skipped.

import { Chart, type Line } from "./chart";
import {
  isTurn,
  type BodySeries,
  type Column,
  type Comparison,
  type Frame,
  type Joint,
  type JointSeries,
  type TelemetryTable,
} from "./protocol";

interface Spec {
  id: string;
  title: string;
  unit: string;
  log?: boolean;
  open?: boolean;
  /** Only of use in a scene with joints. */
  joints?: boolean;
  /** Column and what the line is called. */
  columns: [string, string][];
  /** Multiplies the values: 1e3 turns seconds to milliseconds. */
  factor?: number;
}

const SPECS: Spec[] = [
  {
    id: "residual",
    title: "Residual per step",
    unit: "m/s",
    log: true,
    open: true,
    columns: [
      ["residual_gap_velocity", "gap"],
      ["residual_complementarity", "compl."],
      ["residual_cone", "cone"],
      ["residual_dissipation", "dissip."],
      ["residual_bilateral", "joints"],
      ["residual_box", "limits"],
      ["tolerance", "asked"],
      ["residual", "total"],
    ],
  },
  { id: "iterations", title: "Iterations", unit: "", columns: [["iterations", "iterations"]] },
  {
    id: "energy",
    title: "Energy",
    unit: "J",
    open: true,
    columns: [
      ["kinetic_energy", "kinetic"],
      ["potential_energy", "potential"],
    ],
  },
  {
    id: "ledger",
    title: "Energy ledger, per step",
    unit: "J",
    columns: [
      ["dissipated_by_friction", "friction"],
      ["dissipated_by_impact", "impact"],
      ["added_by_stabilisation", "stabilisation"],
      ["work_of_applied_forces", "applied"],
      ["work_of_kinematic_bodies", "driven"],
      ["work_of_motors", "motors"],
      ["work_of_springs", "springs"],
      ["dissipated_by_damping", "damping"],
      ["added_by_integration", "integration"],
    ],
  },
  {
    id: "momentum",
    title: "Momentum",
    unit: "kg m/s",
    columns: [
      ["momentum_x", "x"],
      ["momentum_y", "y"],
      ["momentum_z", "z"],
    ],
  },
  {
    id: "angular",
    title: "Angular momentum",
    unit: "kg m²/s",
    columns: [
      ["angular_momentum_x", "x"],
      ["angular_momentum_y", "y"],
      ["angular_momentum_z", "z"],
    ],
  },
  {
    id: "time",
    title: "Step time by stage",
    unit: "ms",
    factor: 1e3,
    columns: [
      ["seconds_broad", "broad"],
      ["seconds_narrow", "narrow"],
      ["seconds_assembly", "assembly"],
      ["seconds_solve", "solve"],
      ["seconds_integration", "integration"],
      ["seconds_projection", "projection"],
      ["seconds_bookkeeping", "rest"],
    ],
  },
  {
    id: "contacts",
    title: "Contacts",
    unit: "",
    columns: [
      ["contacts", "contact points"],
      ["sleeping_bodies", "asleep"],
    ],
  },
  { id: "penetration", title: "Deepest penetration", unit: "mm", factor: 1e3, columns: [["penetration_max", "deepest"]] },
  { id: "joint-error", title: "Joint error", unit: "m", log: true, joints: true, columns: [["joint_error_max", "largest"]] },
];

/** The column of that name, with or without the unit that CSV headers append. */
function find(columns: Column[], name: string): number {
  return columns.findIndex((c) => {
    const suffix = c.unit.replaceAll("²", "2").replaceAll("/", " per ").trim().replace(/\s+/g, "_");
    return c.name === name || c.name === `${name}_${suffix}`;
  });
}

export class Plots {
  private readonly charts_: { chart: Chart; spec: Spec; indices: number[] }[] = [];
  private readonly convergence_: Chart;
  private readonly comparison_: Chart;
  private readonly jointPosition_: Chart;
  private readonly jointForce_: Chart;
  /** Of the selected body. */
  private readonly body_: Chart[];
  private h_ = -1;

  constructor(
    private readonly host_: HTMLElement,
    private readonly fileName_: () => string,
    private readonly onTime_: (time: number) => void,
  ) {
    const x = { label: "iteration", unit: "" };
    this.convergence_ = new Chart(
      {
        id: "convergence",
        title: "Convergence of this step",
        x,
        empty: "No history of this step. A run keeps them with --set /step/keep_history=true",
        unit: "m/s",
        log: true,
        open: true,
      },
      fileName_,
    );
    const time = { label: "time", unit: "s" };
    this.jointPosition_ = new Chart(
      { id: "joint-position", title: "Coordinates of the joint", x: time, unit: "", open: true, onPick: onTime_ },
      fileName_,
    );
    this.jointForce_ = new Chart(
      { id: "joint-force", title: "Forces of the joint", x: time, unit: "", open: true, onPick: onTime_ },
      fileName_,
    );
    this.joint(null, null);
    const ofBody = (id: string, title: string, unit: string) =>
      new Chart({ id, title, x: time, unit, open: id !== "body-position", onPick: onTime_ }, fileName_);
    this.body_ = [
      ofBody("body-position", "Place of the body", "m"),
      ofBody("body-speed", "Speed of the body", "m/s"),
      ofBody("body-force", "Contact force on the body", "N"),
    ];
    this.body(null);
    this.comparison_ = new Chart(
      { id: "comparison", title: "Two solvers on one step", x, unit: "m/s", log: true, open: true },
      fileName_,
    );
  }

  /** Rebuilds the plots for the columns of a scene. */
  open(columns: Column[], joints: boolean): void {
    const opened = new Map(this.charts_.map((c) => [c.spec.id, c.chart.isOpen]));
    this.charts_.length = 0;
    this.comparison_.element.hidden = true;
    this.h_ = find(columns, "h");
    const elements: HTMLElement[] = [
      ...this.body_.map((chart) => chart.element),
      this.jointPosition_.element,
      this.jointForce_.element,
      this.comparison_.element,
      this.convergence_.element,
    ];
    for (const spec of SPECS) {
      if (spec.joints && !joints) continue;
      const indices = spec.columns.map(([name]) => find(columns, name));
      if (indices.every((i) => i < 0)) continue;
      const chart = new Chart(
        { ...spec, open: opened.get(spec.id) ?? spec.open ?? false, x: { label: "time", unit: "s" }, onPick: this.onTime_ },
        this.fileName_,
      );
      this.charts_.push({ chart, spec, indices });
      elements.push(chart.element);
    }
    this.host_.replaceChildren(...elements);
  }

  get wantHistory(): boolean {
    return this.convergence_.isOpen;
  }

  /** All telemetry anew. */
  set(table: TelemetryTable): void {
    // No step leads to the first frame: its numbers are no measurement.
    const steps = this.h_ < 0 ? null : table.columns[this.h_]!;
    const measured = (values: ArrayLike<number>, factor = 1) =>
      Array.from(values, (v, i) => (steps && steps[i] === 0 ? NaN : v * factor));
    for (const { chart, spec, indices } of this.charts_) {
      const lines: Line[] = [];
      indices.forEach((column, i) => {
        if (column < 0) return;
        const values = measured(table.columns[column]!, spec.factor);
        // A part of the residual that is never there would only fill the legend.
        if (spec.log && values.every((v) => !(v > 0))) return;
        lines.push({ label: spec.columns[i]![1], values, main: spec.columns[i]![1] === "total" });
      });
      if (spec.id === "energy" && lines.length === 2)
        lines.push({ label: "sum", values: Array.from(lines[0]!.values, (v, i) => v + lines[1]!.values[i]!) });
      chart.set(table.time, lines);
    }
  }

  frame(frame: Frame, history: boolean): void {
    for (const { chart } of this.charts_) chart.mark(frame.time);
    this.jointPosition_.mark(frame.time);
    this.jointForce_.mark(frame.time);
    for (const chart of this.body_) chart.mark(frame.time);
    if (history && frame.history && this.convergence_.isOpen)
      this.convergence_.set(frame.history.iteration, [{ label: "residual", values: frame.history.residual, main: true }]);
  }

  /** The selected joint over time; null: none is. */
  joint(joint: Joint | null, series: JointSeries | null): void {
    this.jointPosition_.element.hidden = !joint || joint.free.length === 0;
    this.jointForce_.element.hidden = !joint;
    if (!joint || !series) return;
    this.jointPosition_.set(
      series.time,
      joint.free.map((free, c) => ({
        label: `${free.coordinate} [${isTurn(free.coordinate) ? "rad" : "m"}]`,
        values: series.position[c]!,
      })),
    );
    const motors = joint.free.flatMap((free, c) =>
      free.motor || free.servo
        ? [{ label: `motor ${free.coordinate} [${isTurn(free.coordinate) ? "N m" : "N"}]`, values: series.motor[c]! }]
        : [],
    );
    this.jointForce_.set(series.time, [
      { label: "force [N]", values: series.force, main: true },
      { label: "torque [N m]", values: series.torque },
      ...motors,
    ]);
  }

  /** The selected body over time; null: none is. */
  body(series: BodySeries | null): void {
    const [place, speed, force] = this.body_ as [Chart, Chart, Chart];
    for (const chart of this.body_) chart.element.hidden = !series;
    if (!series) return;
    place.set(series.time, ["x", "y", "z"].map((label, k) => ({ label, values: series.position[k]! })));
    speed.set(series.time, [{ label: "speed", values: series.speed, main: true }]);
    force.set(series.time, [{ label: "force", values: series.force, main: true }]);
  }

  compare(comparison: Comparison): void {
    const all = [...new Set(comparison.solvers.flatMap((s) => s.history.map(([i]) => i)))].sort((a, b) => a - b);
    const lines = comparison.solvers.map((s) => {
      const at = new Map(s.history);
      return { label: s.name, values: all.map((i) => at.get(i) ?? NaN) };
    });
    this.comparison_.element.hidden = false;
    this.comparison_.element.open = true;
    this.comparison_.set(all, lines);
  }

  repaint(): void {
    for (const { chart } of this.charts_) chart.repaint();
    for (const chart of [this.jointPosition_, this.jointForce_, ...this.body_]) chart.repaint();
    this.convergence_.repaint();
    this.comparison_.repaint();
  }

  /** For tests and scripts. */
  csv(id: string): string | null {
    if (id === "convergence") return this.convergence_.csv();
    const ofBody = this.body_.find((chart) => chart.element.id === `chart-${id}`);
    if (ofBody) return ofBody.csv();
    if (id === "joint-position") return this.jointPosition_.csv();
    if (id === "joint-force") return this.jointForce_.csv();
    return this.charts_.find((c) => c.spec.id === id)?.chart.csv() ?? null;
  }
  list(): string[] {
    return ["convergence", ...this.charts_.map((c) => c.spec.id)];
  }
}
