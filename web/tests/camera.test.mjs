// Where one looks from: everything that happens is in the picture, angles are angles, and a body that is followed stays put.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { base64Replay } from "./support/encoder.mjs";
import { buildPage, openBrowser, openPage, scratch, writeReplay } from "./support/page.mjs";
import { makeDescription, makeFrames } from "./support/scene.mjs";

const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
const description = makeDescription(10);
const frames = makeFrames(description, 60);
let browser, url, page, errors, pageText;

before(async () => {
  pageText = buildPage(folder);
  url = writeReplay(folder, pageText, base64Replay(description, frames, { stride: 2 }));
  browser = await openBrowser(later);
  ({ page, errors } = await openPage(browser, url));
});

const wish = (wishes) => page.evaluate((w) => window.stickslip.camera.wish(w), wishes);
const camera = () => page.evaluate(() => window.stickslip.camera.get());
/** How far the bodies stick out of the canvas [pixels] in some frames; negative: there is room. Bodies are balls of radius 0.35. */
const outside = (indices) =>
  page.evaluate((list) => {
    const box = document.getElementById("view").getBoundingClientRect();
    let most = -Infinity;
    for (const index of list) {
      window.stickslip.setFrame(index);
      window.stickslip.bodies().forEach(({ motion }, b) => {
        if (motion !== "dynamic") return;
        const { position } = window.stickslip.body(b);
        const at = window.stickslip.projectPoint(position);
        most = Math.max(most, box.left - at.x, at.x - box.right, box.top - at.y, at.y - box.bottom);
      });
    }
    return most;
  }, indices);

test("everything_that_happens_is_in_the_picture_from_everywhere", async () => {
  for (const from of ["front", "side", "top", "iso", "30,20", "-140,60", "200,-30"])
    for (const orthographic of ["on", "off"]) {
      await wish({ camera: from, orthographic });
      const most = await outside([0, 20, 40, 59]);
      assert.ok(most < 0, `${from}, orthographic ${orthographic}: ${most} pixels outside`);
      assert.ok(most > -200, `${from}, orthographic ${orthographic}: it fills the picture (${most})`);
    }
  await wish({ orthographic: "off", camera: "" });
});

test("what_happens_is_in_the_middle_of_the_picture_whichever_side_is_the_tight_one", async () => {
  for (const from of ["30,20", "0,70", "iso"]) {
    await wish({ camera: from });
    const { across, upright } = await page.evaluate(() => {
      const box = document.getElementById("view").getBoundingClientRect();
      const seen = [];
      for (let index = 0; index < 60; index += 5) {
        window.stickslip.setFrame(index);
        window.stickslip.bodies().forEach(({ motion }, b) => {
          if (motion === "dynamic") seen.push(window.stickslip.projectPoint(window.stickslip.body(b).position));
        });
      }
      const offset = (values, low, high) => (Math.min(...values) - low - (high - Math.max(...values))) / (high - low);
      return { across: offset(seen.map((p) => p.x), box.left, box.right), upright: offset(seen.map((p) => p.y), box.top, box.bottom) };
    });
    assert.ok(Math.abs(across) < 0.1 && Math.abs(upright) < 0.1, `${from}: off by ${across} and ${upright} of the picture`);
  }
  await wish({ camera: "" });
});

test("angles_are_those_that_were_asked_for", async () => {
  await wish({ camera: "30,20" });
  const { azimuth, elevation, position, target } = await camera();
  assert.ok(Math.abs(azimuth - 30) < 1e-6 && Math.abs(elevation - 20) < 1e-6, `${azimuth}, ${elevation}`);
  const d = position.map((x, k) => x - target[k]);
  assert.ok(d[0] > 0 && d[1] < 0 && d[2] > 0, "from the front, the right and above");
  for (const [preset, angles] of [["front", [0, 0]], ["side", [90, 0]], ["top", [0, 90]], ["iso", [45, 35.264]]]) {
    await wish({ camera: preset });
    const seen = await camera();
    assert.ok(Math.abs(seen.elevation - angles[1]) < 0.01, `${preset}: ${seen.elevation}`);
    if (preset !== "top") assert.ok(Math.abs(seen.azimuth - angles[0]) < 0.01, `${preset}: ${seen.azimuth}`);
  }
  await assert.rejects(wish({ camera: "30" }), /camera=30/);
  await assert.rejects(wish({ follow: "nobody" }), /no body 'nobody'/);
});

test("without_perspective_equal_lengths_look_equal_wherever_they_are", async () => {
  await wish({ camera: "25,30", orthographic: "on" });
  const lengths = await page.evaluate(() => [0, 3, -5].map((y) => {
    const a = window.stickslip.projectPoint([0, y, 0]);
    const b = window.stickslip.projectPoint([1, y, 0]);
    return Math.hypot(a.x - b.x, a.y - b.y);
  }));
  for (const length of lengths) assert.ok(Math.abs(length - lengths[0]) < 1e-6 * lengths[0], String(lengths));
  await wish({ orthographic: "off", camera: "" });
});

test("zoom_makes_things_larger_by_that_factor", async () => {
  const length = () => page.evaluate(() => {
    const a = window.stickslip.projectPoint([2, 0.5, 0.3]);
    const b = window.stickslip.projectPoint([2.1, 0.5, 0.3]);
    return Math.hypot(a.x - b.x, a.y - b.y);
  });
  await wish({ camera: "front", orthographic: "on", zoom: "1" });
  const before = await length();
  await wish({ camera: "front", orthographic: "on", zoom: "2.5" });
  assert.ok(Math.abs((await length()) / before - 2.5) < 1e-6);
  await wish({ orthographic: "off", zoom: "1", camera: "" });
});

test("a_body_that_is_followed_stays_where_it_is_in_the_picture", async () => {
  await page.evaluate(() => window.stickslip.setFrame(0));
  await wish({ follow: "sphere-1" });
  const seen = await page.evaluate(() => [0, 15, 59].map((index) => {
    window.stickslip.setFrame(index);
    return window.stickslip.project(2);
  }));
  for (const at of seen) assert.ok(Math.hypot(at.x - seen[0].x, at.y - seen[0].y) < 1, JSON.stringify(seen));
  await wish({ follow: "" });
  assert.equal((await camera()).followed, -1);
});

test("what_goes_far_is_accompanied_and_never_leaves_the_picture", async () => {
  const far = makeFrames(description, 60).map((frame, i) => ({
    ...frame,
    contacts: [],
    bodies: frame.bodies.map((body, b) => (b ? { ...body, position: body.position.map((x, k) => (k ? x : x + 2 * i)) } : body)),
  }));
  const opened = await openPage(browser, writeReplay(scratch(later), pageText, base64Replay(description, far, { stride: 1 })));
  const [keep, keepErrors] = [page, errors];
  page = opened.page;
  const most = await outside([0, 20, 40, 59]);
  page = keep;
  assert.ok(most < 0 && most > -250, `${most} pixels outside`);
  assert.deepEqual(opened.errors, keepErrors);
  await opened.page.close();
});

test("the_address_says_where_the_camera_stands", async () => {
  const opened = await openPage(browser, `${url}#camera=90,10&orthographic=on&follow=box-0&zoom=0.5&fit=frame`);
  const seen = await opened.page.evaluate(() => window.stickslip.camera.get());
  assert.ok(Math.abs(seen.azimuth - 90) < 1e-6 && seen.orthographic && seen.followed === 1 && seen.zoom === 0.5);
  assert.equal(seen.fitTo, "frame");
  await opened.page.close();
  const wrong = await openPage(browser, `${url}#camera=nowhere`);
  assert.match(await wrong.page.locator("#notice").textContent(), /camera=nowhere is not understood/);
  await wrong.page.close();
});

test("nothing_went_wrong", () => assert.deepEqual(errors, []));
