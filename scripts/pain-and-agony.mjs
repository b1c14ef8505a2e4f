// What each solver does with the articulated figures: prints the table of docs/joints.md.
//
//   node scripts/pain-and-agony.mjs [program]      the program is ./stickslip unless given
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const program = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "stickslip");
const seconds = 0.5, iterations = 200, patience = 120;   // simulated time; per step; of a run [s]

function ask(...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: 1000 * patience, maxBuffer: 1 << 26 });
  if (error?.code === "ETIMEDOUT") return { outcome: `not done after ${patience} s` };
  if (error) throw error;
  if (status === 0) return JSON.parse(stdout);
  return { outcome: /cannot hold/.test(stderr) ? "refused: cannot hold these joints" : stderr.trim().split("\n").pop() };
}

function length(metres) {
  if (!Number.isFinite(metres)) return "not finite";
  const [factor, unit] = metres >= 1 ? [1, "m"] : metres >= 1e-3 ? [1e3, "mm"] : metres >= 1e-6 ? [1e6, "µm"] : [1e9, "nm"];
  return `${Number((factor * metres).toPrecision(2))} ${unit}`;
}

function cells(scene, solver) {
  const run = ask("run", scene, "--solver", solver, "--seconds", `${seconds}`, "--set", `/step/max_iterations=${iterations}`, "--json", "--quiet");
  if (run.outcome) return [run.outcome, "", "", ""];
  const error = run.joints.error_max;
  const verdict = !Number.isFinite(error) ? "blows up" : error < 1e-3 ? "holds" : error < 0.1 ? "gives" : "tears";
  return [verdict, length(error), `${run.steps - run.steps_missing_tolerance} of ${run.steps}`, run.residual.max?.toExponential(0) ?? "not finite"];
}

console.log("| solver | agony | joint error | steps converged | largest residual [m/s] | pain | joint error | steps converged | largest residual [m/s] |");
console.log("|---|---|---|---|---|---|---|---|---|");
for (const { name } of ask("solvers", "--json").solvers)
  console.log(`| \`${name}\` | ${[...cells("agony", name), ...cells("pain", name)].join(" | ")} |`);
