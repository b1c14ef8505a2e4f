// Stress, contact pressure and energy of soft bodies in the page: decoded, coloured, and told in their units.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { base64Replay, encodeLiveFrame, encodeReplay } from "./support/encoder.mjs";
import { FakeServer } from "./support/fake_server.mjs";
import { buildPage, importSource, openBrowser, openPage, scratch, writeReplay } from "./support/page.mjs";

const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
const program = process.env.STICKSLIP_PROGRAM;
const { decodeReplay } = await importSource(folder, "replay_decode");
const { ReplaySource } = await importSource(folder, "replay_source");
const { LiveWorld } = await importSource(folder, "live_decode");
const { decodedField } = await importSource(folder, "protocol");
let browser, html, replay;

const SIDE = 5;
const FIELDS = [
  { name: "stress", unit: "Pa", from: 0.1 },
  { name: "contact-pressure", unit: "Pa", from: 0.1 },
  { name: "energy", unit: "J/m³", from: 1e-4 },
];

/** bodies: ground, and a flat sheet in place of a soft body, with a node that is in no triangle. */
function makeSoft() {
  const cell = (i, j) => i * SIDE + j;
  const triangles = [];
  for (let i = 0; i + 1 < SIDE; ++i)
    for (let j = 0; j + 1 < SIDE; ++j)
      triangles.push([cell(i, j), cell(i + 1, j), cell(i, j + 1)], [cell(i + 1, j), cell(i + 1, j + 1), cell(i, j + 1)]);
  const still = { position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] };
  return {
    protocol: 6, program: "stickslip 0.1.0", name: "made-up pad", look_for: "", h: 0.01, gravity: [0, 0, -9.81],
    quantum: 1e-6, solver: "auto", solvers: ["auto"],
    bodies: [
      { name: "ground", motion: "fixed", mass: 0, material: "default", parts: [{ shape: { type: "half-space" }, ...still }] },
      { name: "pad", motion: "dynamic", mass: 1, material: "default", parts: [],
        nodes: { count: SIDE * SIDE + 1, radius: 0, quantum: 1e-5, triangles, fields: FIELDS } },
    ],
    telemetry: [{ name: "contacts", unit: "", help: "contacts" }],
  };
}

/** Stress grows along x up to 8 kPa, pressure along y, and both with time. */
function makeSoftFrame(_, index) {
  const nodes = Array.from({ length: SIDE * SIDE }, (_, n) => [0.2 * Math.floor(n / SIDE) - 0.4, 0.2 * (n % SIDE) - 0.4, 0.3]);
  const strength = Math.min(1, (index + 1) / 10);
  const along = (k, most) => nodes.map((place) => strength * most * ((place[k] + 0.4) / 0.8));
  const body = { position: [0, 0, 0], orientation: [1, 0, 0, 0], state: 0 };
  return {
    step: index, time: 0.02 * index, bodies: [body, { ...body, position: [0, 0, 0.3] }], nodes: { 1: [...nodes, [0, 0, 0.3]] },
    fields: { 1: [along(0, 8000), along(1, 300), along(0, 0.04)] }, contacts: [], joints: [], telemetry: [0], history: [],
  };
}
const description = makeSoft();
const frames = Array.from({ length: 10 }, (_, i) => makeSoftFrame(description, i));

before(async () => {
  html = buildPage(folder);
  browser = await openBrowser(later);
  replay = await openPage(browser, writeReplay(folder, html, base64Replay(description, frames)));
});

function sameValues(codes, expected) {
  const width = SIDE * SIDE;
  expected.forEach((values, k) =>
    values.forEach((x, i) => {
      const found = decodedField(codes[k * width + i], FIELDS[k].from);
      assert.ok(Math.abs(found - x) <= 0.007 * (x + FIELDS[k].from), `field ${k}, node ${i}: ${found} is not ${x}`);
    }),
  );
}
const arrayBuffer = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.length);

test("fields_of_a_replay_come_back_in_the_frames_that_keep_them", () => {
  for (const stride of [1, 4]) {
    const source = new ReplaySource(decodeReplay(encodeReplay(description, frames, { fieldStride: stride })));
    for (const index of [9, 0, 5]) sameValues(source.frame(index).fields.get(1), frames[index - (index % stride)].fields[1]);
  }
  const whole = encodeReplay(description, frames);
  assert.throws(() => decodeReplay(whole.subarray(0, whole.length - 100)), /too early/);
});

test("fields_of_a_live_frame_come_if_they_are_wanted_and_stay_else", () => {
  const world = new LiveWorld(description);
  assert.equal(world.apply(arrayBuffer(encodeLiveFrame(description, frames[2]))).fields.size, 0);
  sameValues(world.apply(arrayBuffer(encodeLiveFrame(description, frames[3], { fields: true }))).fields.get(1), frames[3].fields[1]);
  sameValues(world.apply(arrayBuffer(encodeLiveFrame(description, frames[4]))).fields.get(1), frames[3].fields[1]);
});

/** Colours of the view from above at points of the world. */
async function seen(page, points) {
  return page.evaluate(async (points) => {
    const s = window.stickslip;
    for (const layer of ["shadows", "grid"]) s.layers.set(layer, false);
    s.camera.set([0, -0.01, 2.5], [0, 0, 0]);
    const box = document.getElementById("view").getBoundingClientRect();
    const picture = new Image();
    picture.src = s.picture(Math.round(box.width), Math.round(box.height));
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = picture.width;
    canvas.height = picture.height;
    const g = canvas.getContext("2d", { willReadFrequently: true });
    g.drawImage(picture, 0, 0);
    return points.map((point) => {
      const { x, y } = s.projectPoint(point);
      return [...g.getImageData(Math.round(x - box.left), Math.round(y - box.top), 1, 1).data.subarray(0, 3)];
    });
  }, points);
}
const differs = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])) > 40;

test("a_layer_colours_the_body_by_its_field_and_off_gives_its_colour_back", async () => {
  const { page, errors } = replay;
  await page.evaluate(() => window.stickslip.setFrame(9));
  const ends = [[-0.35, 0.1, 0.3], [0.35, 0.1, 0.3], [0.35, -0.3, 0.3]];
  const plain = await seen(page, ends);
  assert.ok(!differs(plain[0], plain[1]));
  await page.keyboard.press("v");
  const stress = await seen(page, ends);
  assert.ok(differs(stress[0], stress[1]) && !differs(stress[1], stress[2]), `${stress}`);
  assert.ok(stress[0][2] > stress[0][1], "little is blue");
  assert.ok(stress[1][0] + stress[1][1] > 3 * stress[1][2], "much is yellow");
  await page.keyboard.press("b");
  const pressure = await seen(page, ends);
  assert.ok(differs(pressure[1], pressure[2]) && !differs(pressure[0], pressure[1]), `${pressure}`);
  assert.deepEqual(await page.evaluate(() => window.stickslip.layers.on().filter((l) => l === "stress")), []);
  await page.keyboard.press("b");
  (await seen(page, ends)).forEach((colour, i) => assert.ok(!differs(colour, plain[i])));
  assert.deepEqual(errors, []);
});

test("the_legend_has_a_bar_with_the_values_of_the_run_in_their_units", async () => {
  const { page } = replay;
  await page.keyboard.press("v");
  const text = () => page.locator("#field-scale").textContent();
  assert.match(await text(), /Von Mises stress.*0.*2.5 kPa.*5 kPa.*7.5 kPa.*10 kPa/);
  await page.evaluate(() => window.stickslip.setFrame(0));
  assert.match(await text(), /10 kPa/, "the scale does not depend on the frame");
  await page.keyboard.press("e");
  assert.match(await text(), /Elastic energy.*50 mJ\/m³/);
  // The picture of `render` has the bar too: its lower left corner is not what it is without.
  const corner = () => page.evaluate(() => window.stickslip.picture(320, 200));
  const withBar = await corner();
  await page.keyboard.press("e");
  assert.notEqual(await corner(), withBar);
  assert.equal(await page.locator("#field-scale").count(), 0);
});

test("a_live_view_asks_for_fields_while_a_layer_shows_them", async () => {
  const server = new FakeServer(html, description, makeSoftFrame);
  const { page, errors } = await openPage(browser, await server.listen());
  later(() => server.close());
  const wanted = () => server.commands.findLast((c) => c.type === "want")?.fields;
  assert.ok(!wanted());
  await page.keyboard.press("v");
  await page.waitForFunction(() => window.stickslip.field(1, "stress") !== null);
  assert.equal(wanted(), true);
  await page.waitForFunction(() => /10 kPa/.test(document.getElementById("field-scale").textContent));
  await page.keyboard.press("v");
  await page.waitForTimeout(50);
  assert.equal(wanted(), false);
  assert.deepEqual(errors, []);
});

test("scenes_without_soft_bodies_do_not_offer_the_layers", async () => {
  const rigid = structuredClone(description);
  delete rigid.bodies[1].nodes.fields;
  const { page } = await openPage(browser, writeReplay(folder, html, base64Replay(rigid, frames)));
  assert.ok(await page.evaluate(() => document.getElementById("layer-stress").hidden));
  await page.keyboard.press("v");
  assert.equal(await page.locator("#field-scale").count(), 0);
});

test("the_program_tells_the_stress_of_a_squeezed_bar", { skip: program ? false : "STICKSLIP_PROGRAM is not set" }, async () => {
  // 1 % of strain without sideways stretch: E ε everywhere.
  const scene = path.join(folder, "bar.json");
  const way = [{ time: 0, position: [0, 0, 0.25] }, { time: 0.5, position: [0, 0, 0.248] }];
  writeFileSync(scene, JSON.stringify({
    seconds: 2, gravity: [0, 0, 0], step: { h: 0.02 }, materials: [{ name: "m", friction: 0 }],
    bodies: [
      { name: "ground", motion: "fixed", shape: { type: "half-space" }, material: "m" },
      { name: "press", motion: "kinematic", shape: { type: "box", half_extents: [0.3, 0.3, 0.05] }, material: "m",
        position: [0, 0, 0.25], script: { type: "keyframes", keys: way } },
      { name: "cube", position: [0, 0, 0.1], material: "m",
        soft: { shape: { type: "box", half_extents: [0.1, 0.1, 0.1] }, size: 0.1,
          material: { model: "linear", young: 1e6, poisson: 0, stiffness_damping: 0.05 } } },
    ],
  }));
  const file = path.join(folder, "bar.html");
  execFileSync(program, ["run", scene, "-o", file, "--quiet"]);
  const { page, errors } = await openPage(browser, `file://${file}`);
  await page.evaluate(() => window.stickslip.setFrame(window.stickslip.frames() - 1));
  const values = await page.evaluate(() => ["stress", "energy"].map((name) => window.stickslip.field(2, name)));
  assert.equal(values[0].length, 26);
  for (const x of values[0]) assert.ok(Math.abs(x / 1e4 - 1) < 0.01, `${x} Pa`);
  for (const x of values[1]) assert.ok(Math.abs(x / 50 - 1) < 0.02, `${x} J/m³`);
  assert.deepEqual(errors, []);
});
