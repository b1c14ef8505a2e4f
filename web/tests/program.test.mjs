// Pages that the program writes. STICKSLIP_PROGRAM names it; without it there is nothing to test.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, scratch } from "./support/page.mjs";

const program = process.env.STICKSLIP_PROGRAM;
const skip = program ? false : "STICKSLIP_PROGRAM is not set";
const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
let browser;

before(async () => {
  if (program) browser = await openBrowser(later);
});

/** The address of a live view that waits to be told. */
async function serve(scene) {
  const server = spawn(program, ["view", scene, "--no-browser", "--paused"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  later(() => server.kill("SIGINT"));
  return new Promise((done, fail) => {
    let text = "";
    server.once("exit", () => fail(new Error(`the program ended: ${text}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found) done(found[0]);
    });
  });
}

const pixels = (page) => page.evaluate(() => window.stickslip.picture(160, 100));

test("a_replay_of_the_program_opens_from_disk_and_moves", { skip }, async () => {
  const file = path.join(folder, "dominoes.html");
  execFileSync(program, [
    "run",
    "dominoes",
    "--seconds",
    "1",
    "--frames-per-second",
    "20",
    "--set",
    "/step/keep_history=true",
    "-o",
    file,
    "--quiet",
  ]);
  const { page, errors, requests } = await openPage(browser, `file://${file}`);
  assert.equal(await page.evaluate(() => window.stickslip.frames()), 21);
  await page.evaluate(() => window.stickslip.setFrame(0));
  const first = await pixels(page);
  const start = await page.evaluate(() => window.stickslip.body(1).position);
  await page.evaluate(() => window.stickslip.setFrame(20));
  assert.notEqual(await pixels(page), first);
  const end = await page.evaluate(() => window.stickslip.body(1).position);
  assert.ok(Math.hypot(...end.map((x, k) => x - start[k])) > 1e-3, "the first domino fell");
  assert.ok((await page.evaluate(() => window.stickslip.contacts())) > 0);
  assert.ok((await page.evaluate(() => window.stickslip.plots.csv("convergence"))).split("\n").length > 2);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith("file://") && !url.startsWith("blob:") && !url.startsWith("data:")),
    [],
  );
  await page.close();
});

test("layers_have_the_same_names_in_the_page_its_buttons_and_the_program", { skip }, async () => {
  const help = execFileSync(program, ["render", "--help"], { encoding: "utf8" }).replace(/\s+/g, " ");
  const told = /may be repeated: ([a-z, -]+?)(?= --| -[a-z]|$)/.exec(help)[1].split(", ").map((name) => name.trim());
  const file = path.join(folder, "layers.html");
  execFileSync(program, ["run", "stack", "--seconds", "0.02", "-o", file, "--quiet"]);
  const { page } = await openPage(browser, `file://${file}`);
  const seen = await page.evaluate(() => window.stickslip.layers.all().map((name) => ({
    name,
    title: document.querySelector(`#layer-${name} span`).textContent,
    helped: [...document.querySelectorAll("#help td")].some((cell) => cell.textContent === name),
  })));
  assert.deepEqual(seen.map((layer) => layer.name).sort(), told.sort());
  for (const { name, title, helped } of seen) {
    assert.equal(title.toLowerCase().replaceAll(" ", "-"), name);
    assert.ok(helped, `${name} is in the help`);
  }
  await page.close();
});

test("every_friction_scene_can_be_shown", { skip }, async () => {
  for (const scene of ["rolling-stones", "polisher", "log-slide", "hopper"]) {
    const file = path.join(folder, `${scene}.html`);
    execFileSync(program, ["run", scene, "--seconds", "0.1", "-o", file, "--quiet"]);
    const { page, errors } = await openPage(browser, `file://${file}`);
    assert.ok((await page.evaluate(() => window.stickslip.bodies().length)) > 1, scene);
    assert.deepEqual(errors, [], scene);
    await page.close();
  }
});

test("the_live_view_of_the_program_obeys_its_viewers", { skip }, async () => {
  const address = await serve("dominoes");
  const { page, errors } = await openPage(browser, address);
  const step = () => page.evaluate(() => window.stickslip.step());
  const until = (expression, what) => page.waitForFunction(expression, null, { timeout: 20000 }).catch(() => assert.fail(what));
  assert.equal(await page.evaluate(() => window.stickslip.mode()), "live");
  assert.equal(await step(), 0);
  await page.getByLabel("Step", { exact: true }).click();
  await until(() => window.stickslip.step() === 1, "one step was made");
  await page.locator("#live-solver").selectOption("nsgs");
  await page.getByLabel("Run", { exact: true }).click();
  await until(() => window.stickslip.step() > 20, "it runs");
  const moved = await page.evaluate(() => window.stickslip.body(1).position);
  await page.getByLabel("Pause", { exact: true }).click();
  await page.getByLabel("Reset", { exact: true }).click();
  await until(() => window.stickslip.step() === 0, "it starts again");
  assert.notDeepEqual(await page.evaluate(() => window.stickslip.body(1).position), moved);
  assert.deepEqual(errors, []);
  await page.close();
});

/** A wheel with a motor on an arm that hangs from the world. */
function writeMachine() {
  const file = path.join(folder, "machine.json");
  const sphere = (name, position) => ({ name, shape: { type: "sphere", radius: 0.2 }, position });
  writeFileSync(
    file,
    JSON.stringify({
      name: "machine",
      seconds: 1,
      bodies: [sphere("arm", [0.5, 0, 2]), sphere("wheel", [1, 0, 2])],
      joints: [
        { name: "shoulder", type: "hinge", b: "arm", anchor: [0, 0, 2], axis: [0, 1, 0], upper: 2 },
        {
          name: "axle",
          type: "hinge",
          a: "arm",
          b: "wheel",
          anchor: [1, 0, 2],
          axis: [0, 1, 0],
          motor: { speed: 1, max_force: 1000 },
        },
      ],
    }),
  );
  return file;
}

test("joints_of_the_program_are_shown_where_the_replay_says_they_are", { skip }, async () => {
  const file = path.join(folder, "machine.html");
  execFileSync(program, ["run", writeMachine(), "--seconds", "0.5", "-o", file, "--quiet"]);
  const { page, errors } = await openPage(browser, `file://${file}`);
  assert.deepEqual(await page.evaluate(() => window.stickslip.joints()), [
    { name: "shoulder", type: "hinge" },
    { name: "axle", type: "hinge" },
  ]);
  await page.evaluate(() => window.stickslip.setFrame(20));
  const plain = await pixels(page);
  await page.evaluate(() => window.stickslip.layers.set("joints", true));
  assert.notEqual(await pixels(page), plain);
  const seen = await page.evaluate(() => ({
    arm: window.stickslip.body(0).position,
    shoulder: window.stickslip.joint(0),
    axle: window.stickslip.joint(1),
  }));
  const fallen = Math.atan2(2 - seen.arm[2], seen.arm[0]);
  assert.ok(fallen > 0.05, "the arm falls");
  assert.ok(
    Math.abs(seen.shoulder.position[0] - fallen) < 1e-3,
    `${seen.shoulder.position[0]} is the angle ${fallen} of the arm`,
  );
  assert.ok(Math.abs(seen.axle.velocity[0] - 1) < 1e-3, "the motor keeps its speed");
  assert.ok(seen.shoulder.error < 1e-3);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a_slider_of_the_page_drives_a_motor_of_the_program", { skip }, async () => {
  const { page, errors } = await openPage(browser, await serve(writeMachine()));
  const until = (expression, what) => page.waitForFunction(expression, null, { timeout: 20000 }).catch(() => assert.fail(what));
  await page.locator("#joint-list button", { hasText: "axle" }).click();
  await page.locator("input[name=turn_z-speed]").fill("-6");
  for (let i = 0; i < 3; ++i) await page.getByLabel("Step", { exact: true }).click();
  await until(
    () => window.stickslip.step() === 3 && Math.abs(window.stickslip.joint(1).velocity[0] + 6) < 1e-3,
    "the wheel turns the other way",
  );
  await page.getByLabel("Reset", { exact: true }).click();
  await until(
    () => window.stickslip.step() === 0 && document.querySelector("input[name=turn_z-speed]").value === "1",
    "reset brings back the scene's own",
  );
  assert.deepEqual(errors, []);
  await page.close();
});
