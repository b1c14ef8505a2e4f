// Bodies of nodes in the page: decoded, drawn where they are, picked and dragged by a node.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeBeads, makeBeadsFrame, makeBeadsFrames } from "./support/beads.mjs";
import { base64Replay, encodeLiveFrame, encodeReplay } from "./support/encoder.mjs";
import { RED_GREEN } from "./support/blocks.mjs";
import { FakeServer } from "./support/fake_server.mjs";
import { buildPage, importSource, openBrowser, openPage, scratch, writeReplay } from "./support/page.mjs";

// An after() inside before() would run at once.
const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
const description = makeBeads();
const frames = makeBeadsFrames(description, 21);
const { decodeReplay } = await importSource(folder, "replay_decode");
const { ReplaySource } = await importSource(folder, "replay_source");
const { LiveWorld } = await importSource(folder, "live_decode");
const { BodyBounds } = await importSource(folder, "bounds");
const { regionOf } = await importSource(folder, "region");
const { openDescription } = await importSource(folder, "protocol");
let browser, html, replay;

before(async () => {
  html = buildPage(folder);
  browser = await openBrowser(later);
  replay = await openPage(browser, writeReplay(folder, html, base64Replay(description, frames)));
});

function samePlaces(places, expected) {
  expected.flat().forEach((x, i) => assert.ok(Math.abs(places[i] - x) < 0.6e-5, `number ${i}: ${places[i]} is not ${x}`));
}
const arrayBuffer = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.length);

test("nodes_of_a_replay_come_back_within_half_a_quantum", () => {
  const source = new ReplaySource(decodeReplay(encodeReplay(description, frames)));
  for (const index of [20, 0, 1, 11]) {
    const frame = source.frame(index);
    assert.deepEqual([...frame.nodes.keys()], [1, 2]);
    for (const body of [1, 2]) samePlaces(frame.nodes.get(body), frames[index].nodes[body]);
  }
  const whole = encodeReplay(description, frames);
  assert.throws(() => decodeReplay(whole.subarray(0, whole.length - 600)), /too early/);
});

test("nodes_of_a_live_frame_that_brings_none_stay_where_they_were", () => {
  const world = new LiveWorld(description);
  world.apply(arrayBuffer(encodeLiveFrame(description, frames[3])));
  const frame = world.apply(arrayBuffer(encodeLiveFrame(description, frames[9], { which: [2] })));
  samePlaces(frame.nodes.get(1), frames[3].nodes[1]);
  samePlaces(frame.nodes.get(2), frames[9].nodes[2]);
  const strange = { ...frames[9], nodes: { 1: frames[9].nodes[1].slice(1), 2: frames[9].nodes[2] } };
  const smaller = structuredClone(description);
  smaller.bodies[1].nodes.count = 15;
  assert.throws(() => world.apply(arrayBuffer(encodeLiveFrame(smaller, strange))), /15 nodes of body 1, the scene has 16/);
});

test("the_box_of_a_cloud_holds_its_beads_and_the_view_does_not_follow_one_that_flew_off", () => {
  const many = openDescription(structuredClone(description), "the test");
  many.bodies = [many.bodies[0], { ...many.bodies[1], nodes: { count: 400, radius: 0.05, quantum: 1e-5 } }];
  const places = new Float32Array(1200).map((_, i) => [i % 20, i % 7, 1][i % 3] * 0.1);
  places[1] = 1000;
  const frame = { position: new Float64Array(6), orientation: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0), state: new Uint8Array(2),
    nodes: new Map([[1, places]]) };
  const box = new Float64Array(6);
  assert.ok(new BodyBounds(many).of(frame, 1, box));
  for (let i = 0; i < places.length; ++i) assert.ok(places[i] >= box[i % 3] + 0.049 && places[i] <= box[3 + (i % 3)] - 0.049);
  const region = regionOf(many, [frame]);
  assert.ok(region.high[1] < 1, `up to ${region.high[1]} m`);
  assert.ok(Math.abs(region.low[2] - 0.05) < 1e-6 && Math.abs(region.high[2] - 0.15) < 1e-6, "a bead is not its centre");
});

/** Colours of the view from above, without shadows, at points of the world. */
async function seen(page, frame, points) {
  return page.evaluate(async ([frame, points]) => {
    const s = window.stickslip;
    s.layers.set("shadows", false);
    s.layers.set("grid", false);
    s.camera.set([0, -0.01, 5], [0, 0, 0]);
    s.setFrame(frame);
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
  }, [frame, points]);
}
const differs = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])) > 24;

test("a_surface_of_nodes_wears_its_picture_where_its_corners_say", async () => {
  const papered = structuredClone(description);
  papered.pictures = [RED_GREEN];
  const { nodes } = papered.bodies[2];
  // From the least x to the largest: red, then green.
  const places = frames[0].nodes[2];
  const [low, high] = [Math.min, Math.max].map((of) => of(...places.map(([x]) => x)));
  const corners = Float32Array.from(nodes.triangles.flat().flatMap((node) => [(places[node][0] - low) / (high - low), 0.5]));
  nodes.texture = { picture: 0, corners: Buffer.from(corners.buffer).toString("base64") };
  const { page } = await openPage(browser, writeReplay(folder, html, base64Replay(papered, frames)));
  const middle = (part) => {
    const inside = nodes.triangles.map((t) => [0, 1, 2].map((k) => t.reduce((sum, node) => sum + places[node][k] / 3, 0)));
    return inside.sort((a, b) => Math.abs((a[0] - low) / (high - low) - part) - Math.abs((b[0] - low) / (high - low) - part))[0];
  };
  const [red, green] = await seen(page, 0, [middle(0.2), middle(0.8)]);
  assert.ok(red[0] > 2 * red[1], `left it is red: ${red}`);
  assert.ok(green[1] > 2 * green[0], `right it is green: ${green}`);
  const broken = structuredClone(papered);
  broken.bodies[2].nodes.texture.picture = 7;
  assert.throws(() => openDescription(broken, "the test"), /'sheet' has picture 7/);
  await page.close();
});

test("beads_are_drawn_where_they_are_and_as_large_as_they_are", async () => {
  const last = frames.length - 1;
  for (const index of [0, 19]) {
    const beads = frames[index].nodes[1];
    const inside = beads.flatMap(([x, y, z]) => [[x, y, z], [x + 0.035, y, z], [x, y - 0.035, z]]);
    const outside = beads.flatMap(([x, y, z]) => [[x + 0.08, y, z], [x, y + 0.08, z], [x, y - 0.08, z]]);
    const now = await seen(replay.page, index, [...inside, ...outside]);
    const ground = await seen(replay.page, last, [...inside, ...outside]);
    now.forEach((colour, i) =>
      assert.equal(differs(colour, ground[i]), i < inside.length, `frame ${index}, point ${i}: ${colour} over ${ground[i]}`),
    );
  }
});

test("a_sheet_covers_its_triangles_and_nothing_else", async () => {
  const last = frames.length - 1;
  for (const index of [0, 19]) {
    const corners = frames[index].nodes[2];
    const inside = description.bodies[2].nodes.triangles.map((t) =>
      [0, 1, 2].map((k) => t.reduce((sum, n) => sum + corners[n][k], 0) / 3),
    );
    const outside = [corners[0], corners[3], corners[12], corners[15]].map(([x, y, z], i) => [
      x + (i < 2 ? -0.06 : 0.06),
      y,
      z,
    ]);
    const now = await seen(replay.page, index, [...inside, ...outside]);
    const ground = await seen(replay.page, last, [...inside, ...outside]);
    now.forEach((colour, i) =>
      assert.equal(differs(colour, ground[i]), i < inside.length, `frame ${index}, point ${i}: ${colour} over ${ground[i]}`),
    );
  }
});

test("a_mesh_is_drawn_with_its_notch", async () => {
  const [body, notch, ground] = await seen(replay.page, 0, [[-0.1, -1.1, 0.1], [0.12, -0.88, 0], [0.4, -0.6, 0]]);
  assert.ok(differs(body, ground));
  assert.ok(!differs(notch, ground), `${notch} is not the ground ${ground}`);
});

test("a_click_on_a_bead_or_a_sheet_selects_its_body_and_colours_it", async () => {
  const { page } = replay;
  for (const [body, point] of [[1, frames[0].nodes[1][5]], [2, [0.8, 0.4, 0.2]]]) {
    const [before] = await seen(page, 0, [point]);
    const { x, y } = await page.evaluate((p) => window.stickslip.projectPoint(p), point);
    await page.mouse.click(x, y);
    assert.equal(await page.evaluate(() => window.stickslip.selected()), body);
    assert.equal(await page.locator("#body-motion").textContent(), "dynamic, 16 nodes");
    const [after] = await seen(page, 0, [point]);
    assert.ok(differs(before, after), `${before} became ${after}`);
    await page.keyboard.press("Escape");
  }
  assert.deepEqual(replay.errors, []);
});

test("a_bead_of_a_live_view_is_dragged_by_its_node_and_another_version_is_told", async () => {
  const server = new FakeServer(html, description, makeBeadsFrame);
  server.running = false;
  const { page, errors } = await openPage(browser, await server.listen());
  later(() => server.close());
  samePlaces(await page.evaluate(() => window.stickslip.nodes(1)), makeBeadsFrame(description, server.step).nodes[1]);
  await page.evaluate(() => window.stickslip.camera.set([0, -3, 3], [0, 0, 0]));
  const bead = await page.evaluate(() => window.stickslip.nodes(1).slice(18, 21));
  const { x, y } = await page.evaluate((p) => window.stickslip.projectPoint(p), bead);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 20, { steps: 3 });
  await page.mouse.move(x, y - 60, { steps: 3 });
  await page.waitForTimeout(50);
  const drag = server.commands.findLast((c) => c.type === "drag");
  assert.equal(drag.body, 1);
  assert.equal(drag.node, 6);
  assert.equal(drag.local, undefined);
  assert.ok(drag.target[2] > bead[2], "pulled upwards");
  await page.mouse.up();
  server.json({ type: "scene", description: { ...description, protocol: 99 } });
  await page.waitForFunction(() =>
    /reads version \d+ .*server is of version 99.*Reload/.test(document.getElementById("notice").textContent),
  );
  assert.deepEqual(errors, []);
});
