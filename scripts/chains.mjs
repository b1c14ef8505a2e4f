// Chains of light links with a ball at their end, released at an angle from hanging down: how far joints open and what becomes of the energy.
//
//   node scripts/chains.mjs [links:ball:angle …]      all of the table of docs/joints.md unless given
//
// Links weigh 1 kg and are 10 cm long; 20 s at the default step. Energies are means over the first and the last second, relative to what lifts the chain by its length.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = new URL("../stickslip", import.meta.url).pathname;
const kLength = 0.1, kSeconds = 20, kGravity = 9.81;

function chain(links, ball, degrees) {
  const angle = (degrees * Math.PI) / 180;
  const at = (s) => [s * Math.sin(angle), 0, -s * Math.cos(angle)];
  const bodies = [];
  for (let i = 0; i < links; ++i)
    bodies.push({
      name: `link ${i}`, mass: 1, shape: { type: "box", half_extents: [kLength / 10, kLength / 10, kLength / 2] },
      position: at((i + 0.5) * kLength), rotation: { axis: [0, 1, 0], degrees: 180 - degrees },
    });
  bodies.push({ name: "ball", mass: ball, shape: { type: "sphere", radius: kLength / 2 }, position: at(links * kLength) });
  const joints = bodies.map((b, i) => ({ type: "ball", b: b.name, anchor: at(i * kLength), ...(i > 0 && { a: bodies[i - 1].name }) }));
  const ignore_contacts = bodies.flatMap((b, i) => bodies.slice(0, i).map((a) => [a.name, b.name]));
  return { schema: 1, seconds: kSeconds, bodies, joints, ignore_contacts };
}

function telemetry(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
  return lines.map((line) => Object.fromEntries(head.map((name, k) => [name, Number(line[k])])));
}

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
const cases = process.argv.length > 2 ? process.argv.slice(2)
  : ["2:1:60", "5:1:60", "5:10:60", "5:100:60", "5:1000:60", "5:10000:60", "20:1:30", "20:1000:60", "20:10000:60", "50:1000:60", "5:1000:90", "5:100:90", "5:10:90",
     "20:10:60", "20:100:80", "20:10000:90"];
const folder = mkdtempSync(join(tmpdir(), "chains-"));
try {
  console.log("| links | ball [kg] | angle | joints [mm] | energy | ms a step |\n|---|---|---|---|---|---|");
  for (const text of cases) {
    const [links, ball, degrees] = text.split(":").map(Number);
    const scene = join(folder, "chain.json"), out = join(folder, "chain.csv");
    writeFileSync(scene, JSON.stringify(chain(links, ball, degrees)));
    execFileSync(program, ["run", scene, "-o", out, "--quiet"], { stdio: "ignore" });
    const steps = telemetry(out);
    const second = Math.round(steps.length / kSeconds);
    const energy = steps.map((s) => s.kinetic_energy_J + s.potential_energy_J);
    const whole = kGravity * kLength * (links * ball + (links * links) / 2);
    const gained = (100 * (mean(energy.slice(-second)) - mean(energy.slice(0, second)))) / whole;
    const open = Math.max(...steps.map((s) => s.joint_error_max_m));
    const time = mean(steps.map((s) => Object.keys(s).filter((k) => k.startsWith("seconds_")).reduce((sum, k) => sum + s[k], 0)));
    console.log(`| ${links} | ${ball} | ${degrees}° | ${(1e3 * open).toPrecision(2)} | ${gained.toFixed(1)} % | ${(1e3 * time).toFixed(2)} |`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
