// Meshes in the page: unpacked, drawn in their own colours and pictures, with what of them touches.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeBlocks, makeBlocksFrame, makeBlocksFrames, packedCube } from "./support/blocks.mjs";
import { base64Replay, encodeLiveFrame, encodeReplay } from "./support/encoder.mjs";
import { buildPage, importSource, openBrowser, openPage, scratch, writeReplay } from "./support/page.mjs";

// An after() inside before() would run at once.
const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
const description = makeBlocks();
const frames = makeBlocksFrames(description, 3);
const { formOf } = await importSource(folder, "forms");
const { Facets, nearestCorner, nearestEdge, touchesOf } = await importSource(folder, "features");
const { decodeReplay } = await importSource(folder, "replay_decode");
const { LiveWorld } = await importSource(folder, "live_decode");
const square = [[-0.2, -0.2, 0.4], [0.2, -0.2, 0.4], [0.2, 0.2, 0.4], [-0.2, 0.2, 0.4]];
const framesWithArea = frames.map((frame) => ({
  ...frame,
  contacts: frame.contacts.map((c, i) => (i === 1 ? { ...c, pressure: c.position, depth: 1e-5, outline: square } : c)),
}));
const pyramid = {
  vertices: [...square, [0, 0, 0.4001]],
  triangles: [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
};
const framesWithOverlap = framesWithArea.map((frame) => ({
  ...frame,
  contacts: frame.contacts.map((c, i) => (i === 1 ? { ...c, overlap: pyramid } : c)),
}));
let replay, areas;

before(async () => {
  const browser = await openBrowser(later);
  const page = buildPage(folder);
  replay = await openPage(browser, writeReplay(folder, page, base64Replay(description, frames)));
  areas = await openPage(browser, writeReplay(folder, page, base64Replay({ ...description, contact_areas: true }, framesWithArea)));
});

test("a_packed_mesh_comes_back", () => {
  const form = formOf(packedCube());
  assert.equal(form.positions.length, 72);
  assert.equal(form.corners.length, 36);
  for (let v = 0; v < 24; ++v) {
    const p = form.positions.subarray(3 * v, 3 * v + 3);
    const n = form.normals.subarray(3 * v, 3 * v + 3);
    assert.ok(Math.abs(p[0] * n[0] + p[1] * n[1] + p[2] * n[2] - 0.2) < 1e-6, `vertex ${v} lies on its face`);
  }
  assert.deepEqual([...form.facets], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  assert.equal(form.colours, null);
});

test("a_mesh_that_does_not_hold_together_is_refused", () => {
  const one = Buffer.from(Uint32Array.of(1, 2, 99).buffer).toString("base64");
  for (const damage of [{ corners: one }, { facets: one }, { normals: one.slice(0, 8) }, { colours: one }, { picture_of: one }])
    assert.throws(() => formOf(packedCube(damage)), /'cube' does not hold together/, JSON.stringify(damage));
});

test("features_of_contacts_come_back_from_replay_and_live", () => {
  const kept = decodeReplay(encodeReplay(description, frames)).contacts[1];
  const message = encodeLiveFrame(description, frames[1], { contacts: true });
  const live = new LiveWorld(description).apply(message.buffer.slice(message.byteOffset, message.byteOffset + message.length));
  for (const c of [kept, live.contacts]) {
    assert.deepEqual([...c.touch], [2, 1, 3]);
    assert.deepEqual([...c.facetB], [6, 6, 6]);
    assert.deepEqual([...c.facetA, ...c.shapeA, ...c.shapeB], new Array(9).fill(0));
    assert.equal(touchesOf(c, 1), "1 vertex on face");
    assert.equal(touchesOf(c, 2), "1 face under vertex");
    assert.equal(touchesOf(c, 3), "1 edge on edge");
    assert.equal(touchesOf(c, 0), "1 vertex on face, 1 face under vertex, 1 edge on edge");
  }
});

test("a_facet_knows_its_rim", () => {
  const top = new Facets(formOf(packedCube())).of(5);
  assert.equal(top.triangles.length, 18);
  assert.equal(top.rim.length, 24, "four edges: the diagonal is inside");
  const at = nearestCorner(top.rim, [0.19, -0.21, 0.3]);
  [0.2, -0.2, 0.2].forEach((x, k) => assert.ok(Math.abs(top.rim[at + k] - x) < 1e-6));
  const edge = nearestEdge(top.rim, [0.05, -0.19, 0.2]);
  assert.ok(Math.abs(top.rim[edge + 1] + 0.2) < 1e-6 && Math.abs(top.rim[edge + 4] + 0.2) < 1e-6, "the edge at y = −0.2");
  assert.equal(new Facets(formOf(packedCube())).of(6), null);
});

/** Colours of the view from above, without shadows, at points of the world. */
async function seen(points, layers = [], { page } = replay) {
  return page.evaluate(async ([points, layers]) => {
    const s = window.stickslip;
    for (const name of s.layers.all()) s.layers.set(name, layers.includes(name));
    s.camera.set([0, -0.01, 5], [0, 0, 0]);
    s.setFrame(1);
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
  }, [points, layers]);
}

test("a_mesh_is_drawn_in_its_own_colour_or_picture", async () => {
  const [plain, coloured, left, right, ground] =
    await seen([[-1, 0, 0.4], [0, 0.1, 0.4], [0.9, 0, 0.4], [1.1, 0, 0.4], [0.5, 0.5, 0]]);
  const differs = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])) > 24;
  assert.ok(differs(plain, ground));
  assert.ok(coloured[2] > 100 && coloured[0] < 40 && coloured[1] < 40, `${coloured} is blue`);
  assert.ok(left[0] > 100 && left[1] < 60 && left[2] < 40, `${left} is red`);
  assert.ok(right[1] > 100 && right[0] < 60 && right[2] < 40, `${right} is green`);
});

test("surfaces_of_overlaps_come_back_from_replay_and_live", () => {
  const told = { ...description, contact_areas: true, contact_overlaps: true };
  const kept = decodeReplay(encodeReplay(told, framesWithOverlap)).contacts[1];
  const message = encodeLiveFrame(description, framesWithOverlap[1], { contacts: true });
  const live = new LiveWorld(description).apply(message.buffer.slice(message.byteOffset, message.byteOffset + message.length));
  for (const c of [kept, live.contacts]) {
    assert.equal(c.overlaps.length, 1);
    const { contact, vertices, triangles } = c.overlaps[0];
    assert.equal(contact, 1);
    assert.deepEqual([...triangles], pyramid.triangles.flat());
    const position = framesWithOverlap[1].contacts[1].position;
    pyramid.vertices.flat().forEach((x, i) => assert.ok(Math.abs(vertices[i] - (x - position[i % 3])) < 1e-8, `${i}: ${vertices[i]}`));
  }
  const without = decodeReplay(encodeReplay({ ...description, contact_areas: true }, framesWithArea)).contacts[1];
  assert.deepEqual(without.overlaps, []);
  const damaged = { ...pyramid, triangles: [[0, 1, 9]] };
  const frames = framesWithOverlap.map((f) => ({ ...f, contacts: f.contacts.map((c) => (c.overlap ? { ...c, overlap: damaged } : c)) }));
  assert.throws(() => decodeReplay(encodeReplay(told, frames)), /surface without its vertices/);
});

test("what_two_bodies_share_is_filled_and_the_legend_tells_how_it_is_enlarged", async () => {
  const points = [[0.1, 0.1, 0.4], [-0.9, 0.1, 0.4]];
  const without = await seen(points, [], areas);
  const filled = await seen(points, ["overlaps"], areas);
  assert.ok(Math.hypot(...filled[0].map((x, k) => x - without[0][k])) > 24, `${filled[0]} in the area, ${without[0]} before`);
  assert.deepEqual(filled[1], without[1], "beside it nothing");
  assert.ok(await areas.page.locator("#layer-overlaps").isVisible());
  assert.match(await areas.page.locator("#overlap-scale").textContent(), /Overlaps: depth × [1-9]\d{3}/);
  assert.ok(await replay.page.locator("#layer-overlaps").isHidden(), "no contact stands for an area");
});

test("touched_facets_edges_and_vertices_are_marked", async () => {
  const { page } = replay;
  const points = [[0.1, 0.1, 0.4], [-1.1, 0.1, 0.4], [1.1, -0.2, 0.4], [0.9, -0.1, 0.4]];
  const without = await seen(points);
  const marked = await seen(points, ["features"]);
  const changed = marked.map((colour, i) => Math.hypot(...colour.map((x, k) => x - without[i][k])) > 24);
  assert.deepEqual(changed, [true, false, true, false], "a face, beside a vertex, an edge, beside it");
  assert.match(await page.locator("#touch-colours").textContent(), /vertex on face.*face under vertex.*edge on edge/);
  assert.ok(await page.locator("#layer-features").isVisible());
  await page.evaluate(() => window.stickslip.select(2));
  assert.equal(await page.locator("#body-touches").textContent(), "1 face under vertex");
  const ofPlain = await page.evaluate(() => window.stickslip.select(1)).then(() => seen(points.slice(2, 3), ["features"]));
  assert.deepEqual(ofPlain[0], without[2], "the edge belongs to another body than the selected one");
  assert.deepEqual(replay.errors, []);
});

test("a_body_with_its_own_colours_is_picked_and_selected", async () => {
  const { page } = replay;
  await page.evaluate(() => window.stickslip.select(-1));
  const [before] = await seen([[0, 0.1, 0.4]]);
  const { x, y } = await page.evaluate(() => window.stickslip.projectPoint([1.1, 0.1, 0.4]));
  await page.mouse.click(x, y);
  assert.equal(await page.evaluate(() => window.stickslip.selected()), 3);
  const [after] = await seen([[0, 0.1, 0.4]]);
  assert.deepEqual(after, before, "only the selected one changes its colour");
});
