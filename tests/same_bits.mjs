// Compares two builds of the program: the state after some steps of every built-in scene and of random scenes, with solvers of all
// families and both schemes, must have the same hash. For changes that move code and must not move a bit.
//
//   node tests/same_bits.mjs OLD NEW [--steps N] [--quick]
//
// Prints what differs and a count of what was compared; exits 1 if anything differs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const args = process.argv.slice(2);
const quick = args.includes("--quick");
const at = args.indexOf("--steps");
const steps = at >= 0 ? Number(args[at + 1]) : 300;
const [oldProgram, newProgram] = args.filter((a, i) => !a.startsWith("--") && args[i - 1] !== "--steps");
if (!newProgram) {
  console.error("node tests/same_bits.mjs OLD NEW [--steps N] [--quick]");
  process.exit(2);
}

/// One solver of each family, and what auto does.
const solvers = ["auto", "nsgs", "prox-gs", "pgs", "apgd", "admm", "alart-curnier", "bgs", "nncg"];

function hash(program, scene, options) {
  try {
    const out = execFileSync(program, ["run", scene, "--json", "--quiet", ...options], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return JSON.parse(out).state_hash;
  } catch (error) {
    return `exit ${error.status}`;
  }
}

/// Small numbers of one seed, the same on every machine.
function* numbers(seed) {
  let x = seed * 2654435761 + 1;
  for (;;) {
    x = (Math.imul(x ^ (x >>> 15), 2246822519) + 374761393) >>> 0;
    yield x / 4294967296;
  }
}

/// Bodies of all shapes that fall on each other and on the ground.
function randomScene(seed) {
  const random = numbers(seed);
  const next = (low, high) => low + (high - low) * random.next().value;
  const shapes = [
    () => ({ type: "sphere", radius: next(0.05, 0.2) }),
    () => ({ type: "box", half_extents: [next(0.05, 0.2), next(0.05, 0.2), next(0.05, 0.2)] }),
    () => ({ type: "capsule", radius: next(0.05, 0.1), length: next(0.1, 0.3) }),
    () => ({ type: "cylinder", radius: next(0.05, 0.15), height: next(0.1, 0.3) }),
  ];
  const bodies = [{ name: "ground", motion: "fixed", shape: { type: "half-space" } }];
  for (let i = 0; i < 12; ++i)
    bodies.push({
      name: `body-${i}`,
      shape: shapes[Math.floor(next(0, shapes.length))](),
      position: [next(-0.4, 0.4), next(-0.4, 0.4), 0.3 + 0.35 * i],
      velocity: [next(-1, 1), next(-1, 1), 0],
      angular_velocity: [next(-4, 4), next(-4, 4), next(-4, 4)],
    });
  return { schema: 1, bodies, step: { h: 0.01, sleep: { enabled: seed % 3 === 0 }, scheme: seed % 2 ? "semi-implicit-euler" : "moreau-midpoint" } };
}

const folder = mkdtempSync(join(tmpdir(), "same-bits-"));
let compared = 0, different = 0;
function compare(label, scene, options) {
  const before = hash(oldProgram, scene, options), after = hash(newProgram, scene, options);
  ++compared;
  if (before === after) return;
  ++different;
  console.log(`${label}: ${before} became ${after}`);
}

const scenes = JSON.parse(execFileSync(oldProgram, ["scenes", "--json"], { encoding: "utf8" })).scenes.map((s) => s.name);
for (const scene of scenes) compare(scene, scene, ["--steps", String(steps)]);
for (const scene of quick ? [] : ["wall", "incline", "ragdolls", "heavy-chain"])
  for (const solver of solvers) compare(`${scene} by ${solver}`, scene, ["--steps", String(Math.min(steps, 60)), "--solver", solver]);
for (let seed = 1; seed <= 20; ++seed) {
  const file = join(folder, `random-${seed}.json`);
  writeFileSync(file, JSON.stringify(randomScene(seed)));
  compare(`random scene ${seed}`, file, ["--steps", String(steps)]);
}
rmSync(folder, { recursive: true });
console.log(`${compared} runs compared, ${different} differ`);
process.exit(different > 0 ? 1 : 0);
