// Makes the contact problems of tests/solve/data: steps of built-in scenes, each with a solution to 1e-11 m/s, the better of two
// methods'.
//
//   node scripts/make-problems.mjs [FOLDER]
//
// The test of them recomputes the residual of the solution and lets `auto` and other methods find it from zero.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = new URL("../stickslip", import.meta.url).pathname;
const folder = process.argv[2] ?? new URL("../tests/solve/data", import.meta.url).pathname;
const problems = [
  { name: "wall", scene: "wall", step: 20, set: ["/parameters/rows=4", "/parameters/bricks_per_row=4"] },
  { name: "stack", scene: "stack", step: 5, set: ["/parameters/count=12"] },
  { name: "mass-ratio", scene: "mass-ratio", step: 3, set: ["/parameters/ratio=10000"] },
  { name: "card-house", scene: "card-house", step: 40, set: [] },
  { name: "falling-boxes", scene: "boxes", step: 70, set: ["/parameters/count=40"] },
  { name: "spheres", scene: "spheres", step: 90, set: ["/parameters/count=60"] },
  { name: "dominoes", scene: "dominoes", step: 120, set: [] },
  { name: "pinch-grasp", scene: "pinch-grasp", step: 60, set: [] },
];

mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), "problems-"));
try {
  for (const { name, scene, step, set } of problems) {
    const raw = join(scratch, `${name}.hdf5`);
    execFileSync(program, ["capture", scene, "--step", String(step), ...set.flatMap((s) => ["--set", s]), "--format", "stickslip", "--quiet", "-o", raw]);
    const options = ["--solver", "alart-curnier,admm", "--tol", "1e-11", "--residual-only", "--time-limit", "10", "-o", join(folder, `${name}.hdf5`)];
    console.log(execFileSync(program, ["solve", raw, ...options], { encoding: "utf8" }));
  }
} finally {
  rmSync(scratch, { recursive: true });
}
