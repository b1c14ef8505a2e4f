// Pages that the program writes. STICKSLIP_PROGRAM names it; without it there is nothing to test.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
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
async function serve(...scene) {
  const server = spawn(program, ["view", ...scene, "--no-browser", "--paused"], {
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
  const told = /with commas between them: ([a-z, -]+?)(?= --| -[a-z]|$)/.exec(help)[1].split(", ").map((name) => name.trim());
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

test("a_scene_is_chosen_in_the_page_and_another_one_after_it", { skip }, async () => {
  const { page, errors } = await openPage(browser, await serve());
  const dialog = page.locator("#scene-picker");
  const shown = () => page.locator("#scene-list li:visible").count();
  const scene = (name) => page.waitForFunction((n) => document.getElementById("scene-name").textContent === n, name, { timeout: 20000 });
  await dialog.waitFor();
  const listed = JSON.parse(execFileSync(program, ["scenes", "--json"], { encoding: "utf8" })).scenes.length;
  assert.equal(await shown(), listed);
  await page.fill("#scene-search", "no scene has these words");
  assert.equal(await shown(), 0);
  await page.fill("#scene-search", "falling row domino");
  assert.equal(await shown(), 1);
  await page.press("#scene-search", "Enter");
  await scene("dominoes");
  assert.ok(!(await dialog.isVisible()));
  assert.ok((await page.evaluate(() => window.stickslip.bodies().length)) > 20);
  await page.focus("#view");
  await page.keyboard.press("n");
  await page.click("[data-scene=stack]");
  await scene("stack");
  await page.getByLabel("Step", { exact: true }).click();
  await page.waitForFunction(() => window.stickslip.step() === 1);
  assert.deepEqual(errors, []);
  await page.close();
});

test("materials_gravity_joints_and_bodies_are_changed_in_the_page_and_saved_as_a_scene_that_runs", { skip }, async () => {
  const file = path.join(folder, "bench.json");
  const ball = (name, position) => ({ name, shape: { type: "sphere", radius: 0.2 }, position });
  writeFileSync(file, JSON.stringify({
    materials: [{ name: "ice", friction: 0.1 }, { name: "felt", friction: 0.8 }],
    material_pairs: [{ between: ["ice", "felt"], friction: 0.3 }],
    bodies: [ball("puck", [0, 0, 1]), ball("rock", [2, 0, 1]), ball("arm", [4, 0, 1])],
    joints: [{ name: "shoulder", type: "hinge", b: "arm", anchor: [4, 0, 1], axis: [0, 1, 0], motor: { speed: 1, max_force: 9 } }],
  }));
  const { page, errors } = await openPage(browser, await serve(file));
  const enter = async (selector, value) => {
    await page.fill(selector, String(value));
    await page.press(selector, "Enter");
  };
  const refused = async (selector, value, words) => {
    const before = await page.inputValue(selector);
    await enter(selector, value);
    await page.waitForFunction((text) => document.getElementById("notice").textContent.includes(text), words);
    assert.equal(await page.inputValue(selector), before, `${selector} shows what holds`);
  };
  const bodies = (count) => page.waitForFunction((n) => window.stickslip.bodies().length === n, count);
  await page.locator("#friction-of-ice").waitFor();
  await refused("#live-h", 5, "a step from 1e-9 to 1 second");
  await refused("#friction-of-ice", -2, "a coefficient from 0 to 100");
  await refused("#restitution-of-ice", 1.5, "a coefficient from 0 to 1.");
  await refused("#gravity-z", 1e7, "at most 1e4");
  await enter("#gravity-z", -2);
  await enter("#friction-of-ice", 0.25);
  await enter("#restitution-of-felt", 0.5);
  await refused("#tangential-restitution-of-felt", 2, "a coefficient from 0 to 1.");
  await enter("#tangential-restitution-of-felt", 0.4);
  await enter("#friction-of-ice-felt", 0.15);

  await page.evaluate(() => window.stickslip.select(0));
  await page.click("#edit-body summary");
  await enter("#body-position-z", 3);
  await page.waitForFunction(() => Math.abs(window.stickslip.body(0).position[2] - 3) < 1e-6);
  await enter("#body-velocity-x", 1.5);
  await refused("#body-mass-edit", -1, "a mass from");
  await enter("#body-mass-edit", 7);
  await page.waitForFunction(() => window.stickslip.bodies()[0]?.mass === 7);
  assert.equal(await page.evaluate(() => window.stickslip.selected()), 0, "it stays selected");
  await page.click("#copy-body");
  await bodies(4);
  await page.evaluate(() => window.stickslip.select(1));
  await page.click("#delete-body");
  await bodies(3);
  assert.equal(await page.evaluate(() => window.stickslip.selected()), -1);

  await page.evaluate(() => window.stickslip.selectJoint(0));
  await enter("#turn_z-lower", -30);
  await enter("#turn_z-upper", 45);
  await refused("#turn_z-lower", 90, "is above the upper bound");
  await page.evaluate(() => {
    const slider = document.querySelector("input[name=turn_z-speed]");
    slider.value = "-2";
    slider.dispatchEvent(new Event("input"));
  });
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-scene")]);
  const saved = path.join(folder, "saved.json");
  await download.saveAs(saved);
  const scene = JSON.parse(readFileSync(saved, "utf8"));
  assert.deepEqual(scene.gravity, [0, 0, -2]);
  assert.deepEqual(scene.materials, [{ name: "ice", friction: 0.25 }, { name: "felt", friction: 0.8, restitution: 0.5, tangential_restitution: 0.4 }]);
  assert.equal(scene.material_pairs[0].friction, 0.15);
  assert.deepEqual(scene.bodies.map((body) => body.name), ["puck", "arm", "puck-copy"]);
  assert.deepEqual([scene.bodies[0].mass, scene.bodies[0].velocity], [7, [1.5, 0, 0]]);
  assert.equal(scene.joints[0].motor.speed, -2);
  assert.ok(Math.abs(scene.joints[0].upper - Math.PI / 4) < 1e-12);
  const run = JSON.parse(execFileSync(program, ["run", saved, "--steps", "20", "--json"], { encoding: "utf8" }));
  assert.equal(run.bodies, 3);

  // Undo: the stroke of the slider, both bounds, the deleted body; and it comes again.
  const undoes = (what) => page.waitForFunction((text) => document.getElementById("undo").title.startsWith(`Undo ${text}`), what);
  await undoes("speed of joint shoulder");
  await page.click("#undo");
  await undoes("upper bound of joint shoulder");
  await page.click("#undo");
  await undoes("lower bound of joint shoulder");
  await page.click("#undo");
  await undoes("delete rock");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Control+z");
  await bodies(4);
  await page.keyboard.press("Control+y");
  await bodies(3);

  await page.getByLabel("Step", { exact: true }).click();
  await page.waitForFunction(() => window.stickslip.step() === 1);
  const [now] = await Promise.all([page.waitForEvent("download"), page.click("#save-now")]);
  assert.match(now.suggestedFilename(), /-step1\.json$/);
  await now.saveAs(saved);
  const { bodies: here, h } = { bodies: JSON.parse(readFileSync(saved, "utf8")).bodies, h: 0.01 };
  assert.ok(Math.abs(here[0].velocity[2] + 2 * h) < 1e-9, `${here[0].velocity} after a step with gravity 2`);
  execFileSync(program, ["validate", saved]);
  assert.deepEqual(errors, []);
  await page.close();
});

test("colours_of_the_scene_are_seen", { skip }, async () => {
  const file = path.join(folder, "painted.json");
  const ball = (name, position, more) => ({ name, shape: { type: "sphere", radius: 0.5 }, position, ...more });
  writeFileSync(file, JSON.stringify({
    materials: [{ name: "grass", color: "#20a020" }],
    bodies: [
      { name: "ground", motion: "fixed", shape: { type: "half-space" }, color: "#3050a0" },
      ball("red", [-1.2, 0, 0.5], { color: "#d02020" }),
      ball("green", [0, 0, 0.5], { material: "grass" }),
      ball("usual", [1.2, 0, 0.5], {}),
    ],
  }));
  const replay = path.join(folder, "painted.html");
  execFileSync(program, ["run", file, "--steps", "2", "-o", replay, "--quiet"]);
  const { page, errors } = await openPage(browser, `file://${replay}#ui=off`);
  /** Parts of the colour at the middle of a body, or at a point of the world. */
  const colourAt = (place) =>
    page.evaluate(async (place) => {
      const { x, y } = typeof place === "number" ? window.stickslip.project(place) : window.stickslip.projectPoint(place);
      const image = new Image();
      image.src = window.stickslip.picture(innerWidth, innerHeight);
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [innerWidth, innerHeight];
      const g = canvas.getContext("2d");
      g.drawImage(image, 0, 0);
      return [...g.getImageData(x, y, 1, 1).data.subarray(0, 3)];
    }, place);
  const strongest = (colour) => colour.indexOf(Math.max(...colour));
  const [red, green, ground] = [await colourAt(1), await colourAt(2), await colourAt([0.6, -0.7, 0])];
  assert.deepEqual([red, green, ground].map(strongest), [0, 1, 2]);
  for (const colour of [red, green, ground]) assert.ok(Math.max(...colour) > 1.5 * Math.min(...colour), `${colour} is no grey`);
  await page.evaluate(() => window.stickslip.colourBy("body"));
  assert.notDeepEqual(await colourAt(2), green);
  assert.deepEqual(errors, []);
  await page.close();
});

test("textures_of_the_scene_are_seen_on_ground_and_bodies_and_tinted", { skip }, async () => {
  const file = path.join(folder, "papered.json");
  const check = (size) => ({ pattern: "checker", colors: ["#ffffff", "#2040c0"], size });
  writeFileSync(file, JSON.stringify({
    gravity: [0, 0, 0],
    bodies: [
      { name: "ground", motion: "fixed", shape: { type: "half-space" }, texture: check(2) },
      { name: "crate", shape: { type: "box", half_extents: [1, 1, 1] }, position: [0, 0, 1.2], texture: { ...check(1), size: undefined }, color: "#ff0000" },
    ],
  }));
  const replay = path.join(folder, "papered.html");
  execFileSync(program, ["run", file, "--steps", "1", "-o", replay, "--quiet"]);
  const { page, errors } = await openPage(browser, `file://${replay}#ui=off&camera=top&orthographic=on&zoom=0.4&layers=`);
  const colours = await page.evaluate(async () => {
    const image = new Image();
    image.src = window.stickslip.picture(innerWidth, innerHeight);
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [innerWidth, innerHeight];
    const g = canvas.getContext("2d", { willReadFrequently: true });
    g.drawImage(image, 0, 0);
    const at = (point) => {
      const { x, y } = window.stickslip.projectPoint(point);
      return [...g.getImageData(x, y, 1, 1).data.subarray(0, 3)];
    };
    // Squares of the ground have a side of 1 m, the first of them white; the crate shows the whole picture on its top.
    return { white: at([2.5, 0.5, 0]), blue: at([1.5, 0.5, 0]), red: at([-0.5, -0.5, 2.2]), dark: at([0.5, -0.5, 2.2]) };
  });
  const { white, blue, red, dark } = colours;
  assert.ok(Math.max(...white) - Math.min(...white) < 30 && white[0] > 120, `${white} is white`);
  assert.ok(blue[2] > 1.5 * blue[0], `${blue} is blue`);
  assert.ok(red[0] > 100 && red[1] < 40 && red[2] < 40, `${red}: white times red`);
  assert.ok(dark[0] < 0.6 * red[0] && dark[2] < 40, `${dark}: blue times red`);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a_trajectory_is_shown_at_the_port_that_was_asked_for", { skip }, async () => {
  const file = path.join(folder, "run.h5");
  execFileSync(program, ["run", "stack", "--steps", "5", "-o", file, "--quiet"]);
  const { page, errors } = await openPage(browser, await serve(file, "--port", "0"));
  assert.equal(await page.evaluate(() => window.stickslip.mode()), "replay");
  assert.ok((await page.evaluate(() => window.stickslip.frames())) > 1);
  assert.deepEqual(errors, []);
  await page.close();
});
