// The replay page, opened from disk in headless Chromium.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { base64Replay } from "./support/encoder.mjs";
import { buildPage, openBrowser, openPage, scratch, viewPixels, writeReplay } from "./support/page.mjs";
import { makeDescription, makeFrames } from "./support/scene.mjs";

// An after() inside before() would run at once.
const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
const description = makeDescription(10);
const frames = makeFrames(description, 60);
let browser, url, shared;

before(async () => {
  url = writeReplay(folder, buildPage(folder), base64Replay(description, frames, { stride: 2 }));
  browser = await openBrowser(later);
  shared = await openPage(browser, url);
});

test("bodies_move_between_frames", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(0));
  const first = await viewPixels(page);
  assert.equal(await viewPixels(page), first, "the same frame gives the same picture");
  await page.evaluate(() => window.stickslip.setFrame(30));
  assert.notEqual(await viewPixels(page), first);
});

test("playing_advances_and_pausing_stops", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(0));
  await page.click("button[aria-label=Play]");
  await page.waitForFunction(() => window.stickslip.frame() > 3);
  await page.click("button[aria-label=Pause]");
  const frame = await page.evaluate(() => window.stickslip.frame());
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => window.stickslip.frame()), frame);
});

test("the_scrubber_lands_on_the_frame_it_says", async () => {
  const { page } = shared;
  for (const index of [0, 23, 59]) {
    await page.locator("#scrubber").fill(String(index));
    const seen = await page.evaluate(() => ({
      frame: window.stickslip.frame(),
      time: window.stickslip.time(),
      body: window.stickslip.body(1),
    }));
    assert.equal(seen.frame, index);
    assert.equal(seen.time, frames[index].time);
    assert.ok(Math.abs(seen.body.position[0] - frames[index].bodies[1].position[0]) < 1e-5);
    assert.match(await page.locator(".readout").textContent(), new RegExp(`· ${index} / 59`));
  }
});

test("keys_step_and_jump", async () => {
  const { page } = shared;
  await page.evaluate(() => { document.activeElement.blur(); window.stickslip.setFrame(10); });
  const at = () => page.evaluate(() => window.stickslip.frame());
  await page.keyboard.press("ArrowRight");
  assert.equal(await at(), 11);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await at(), 1);
  await page.keyboard.press("End");
  assert.equal(await at(), 59);
  await page.keyboard.press("Home");
  assert.equal(await at(), 0);
});

test("a_click_on_a_body_shows_its_state", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(40));
  for (const body of [1, 2, 8]) {
    const { x, y } = await page.evaluate((b) => window.stickslip.project(b), body);
    await page.mouse.click(x, y);
    assert.equal(await page.evaluate(() => window.stickslip.selected()), body);
    assert.equal(await page.locator("#body-name").textContent(), description.bodies[body].name);
    assert.equal(await page.locator("#body-mass").textContent(), `${description.bodies[body].mass} kg`);
    assert.match(await page.locator("#body-velocity").textContent(), /^0\.800, 0\.000, 0\.000 m\/s$/);
  }
  const weight = (8 * 9.81).toFixed(1);
  const force = await page.locator("#body-contact-force").textContent();
  assert.ok(force.endsWith(`${weight} N`), force);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => window.stickslip.selected()), -1);
});

test("every_layer_changes_the_picture_and_its_button_tells", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(40));
  const seen = await page.evaluate(() => {
    const picture = () => window.stickslip.picture(240, 150);
    const plain = picture();
    const layers = window.stickslip.layers.all().filter((name) => !document.getElementById(`layer-${name}`).hidden).map((name) => {
      const button = document.getElementById(`layer-${name}`);
      const before = button.getAttribute("aria-pressed");
      button.click();
      const changed = picture() !== plain;
      const told = button.getAttribute("aria-pressed") !== before;
      button.click();
      return { name, changed, told };
    });
    return { layers, restored: picture() === plain };
  });
  assert.equal(seen.layers.length, 12);
  for (const { name, changed, told } of seen.layers) assert.ok(changed && told, name);
  assert.ok(seen.restored, "all as before");
});

test("the_legend_states_newtons_and_metres", async () => {
  const { page } = shared;
  assert.match(await page.locator("#grid-scale").textContent(), /Grid: \S+ (c?m) per square/);
  await page.click("#layer-forces");
  assert.match(await page.locator("#force-scale").textContent(), /Arrows: \S+ N = \S+ (mm|cm|m)/);
  await page.click("#layer-forces");
});

test("plots_show_the_telemetry_and_save_it", async () => {
  const { page } = shared;
  const plots = await page.evaluate(() => window.stickslip.plots.list());
  assert.deepEqual(plots, ["convergence", "residual", "iterations", "energy", "ledger", "momentum", "time", "contacts"]);
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  for (const id of plots) await page.locator(`#chart-${id} canvas`).waitFor();
  const wait = page.waitForEvent("download");
  await page.locator("#chart-iterations .save", { hasText: "CSV" }).click();
  const download = await wait;
  assert.equal(download.suggestedFilename(), "made-up-iterations.csv");
  const rows = (await page.evaluate(() => window.stickslip.plots.csv("iterations"))).trim().split("\n");
  assert.equal(rows.length, 61);
  assert.equal(rows[0], "time [s],iterations");
  assert.equal(rows[3], "0.04,12");
  const picture = page.waitForEvent("download");
  await page.locator("#chart-energy .save", { hasText: "PNG" }).click();
  assert.equal((await picture).suggestedFilename(), "made-up-energy.png");
});

test("theme_and_help_open_by_key", async () => {
  const { page } = shared;
  assert.equal(await page.evaluate(() => window.stickslip.theme()), "light");
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => window.stickslip.theme()), "dark");
  await page.keyboard.press("t");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  assert.match(await page.locator("#help").textContent(), /three\.js.*uPlot.*MIT/s);
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
});

test("nothing_was_requested_and_nothing_went_wrong", () => {
  assert.deepEqual(shared.errors, []);
  assert.deepEqual(shared.requests.filter((r) => !r.startsWith("blob:") && !r.startsWith("data:")), [url]);
});

test("the_address_chooses_frame_layers_and_bare_view", async () => {
  const { page, errors } = await openPage(browser, `${url}#frame=7&layers=forces,grid&theme=dark&ui=off`);
  assert.equal(await page.evaluate(() => window.stickslip.frame()), 7);
  assert.deepEqual(await page.evaluate(() => window.stickslip.layers.on().sort()), ["forces", "grid"]);
  assert.equal(await page.evaluate(() => window.stickslip.theme()), "dark");
  assert.ok(!(await page.locator("#bar").isVisible()));
  assert.deepEqual(errors, []);
  await page.close();
});

test("at_phone_width_nothing_overflows_and_the_drawer_opens", async () => {
  const { page, errors } = await openPage(browser, url, { width: 390, height: 844, scheme: "dark" });
  const overflow = () => page.evaluate(() => [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("[hidden]")).map((e) => e.id || e.className));
  assert.deepEqual(await overflow(), []);
  assert.ok(!(await page.locator("#side").isVisible()));
  await page.click("#side-button");
  assert.ok(await page.locator("#layer-points").isVisible());
  assert.deepEqual(await overflow(), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a_page_without_a_replay_says_so", async () => {
  const page = await browser.newPage();
  await page.goto(url.replace("replay.html", "viewer.html"));
  await page.locator("#notice").waitFor();
  assert.match(await page.locator("#notice").textContent(), /holds no replay/);
  await page.close();
});
