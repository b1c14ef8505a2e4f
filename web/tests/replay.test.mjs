// The replay page, opened from disk in headless Chromium.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
  assert.equal(seen.layers.length, 15);
  // Two of them say how others are drawn.
  const alone = ({ name }) => name !== "selected-only" && name !== "marks-in-front";
  for (const { name, changed, told } of seen.layers) assert.ok((changed || !alone({ name })) && told, name);
  assert.ok(seen.restored, "all as before");
});

/** Names of what changes the picture, of several changes, with layers on and a body selected. */
const picturesWith = (page, layers, body, changes) =>
  page.evaluate(([layers, body, changes]) => {
    const s = window.stickslip;
    for (const name of layers) s.layers.set(name, true);
    s.select(body);
    const picture = () => s.picture(240, 150);
    const plain = picture();
    const changed = changes.filter((name) => {
      s.layers.set(name, !s.layers.on().includes(name));
      const other = picture() !== plain;
      s.layers.set(name, !s.layers.on().includes(name));
      return other;
    });
    for (const name of layers) s.layers.set(name, false);
    s.select(-1);
    return changed;
  }, [layers, body, changes]);

test("marks_can_be_those_of_the_selected_body_and_hide_behind_bodies", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(40));
  assert.deepEqual(await picturesWith(page, ["forces"], 1, ["selected-only", "marks-in-front"]), ["selected-only", "marks-in-front"]);
  assert.deepEqual(await picturesWith(page, ["forces"], -1, ["selected-only"]), [], "without a selected body all are drawn");
});

test("small_forces_can_be_left_out_and_sizes_have_colours", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(40));
  const none = await page.evaluate(() => window.stickslip.picture(240, 150));
  await page.click("#layer-forces");
  const all = await page.evaluate(() => window.stickslip.picture(240, 150));
  assert.match(await page.locator("#force-colours").textContent(), /^0 … \S+ N$/);
  await page.fill("#least-force", "20");
  const some = await page.evaluate(() => window.stickslip.picture(240, 150));
  assert.ok(some !== all && some !== none);
  await page.fill("#least-force", "1e9");
  assert.equal(await page.evaluate(() => window.stickslip.picture(240, 150)), none);
  await page.fill("#least-force", "");
  await page.click("#layer-forces");
});

test("contacts_are_there_in_the_first_frame", async () => {
  const resting = makeFrames(description, 60).slice(30, 40).map((frame, i) => ({ ...frame, contacts: i ? frame.contacts : [] }));
  const other = await openPage(browser, writeReplay(scratch(later), buildPage(folder), base64Replay(description, resting, { stride: 1 })));
  await other.page.evaluate(() => window.stickslip.setFrame(0));
  assert.ok((await other.page.evaluate(() => window.stickslip.contacts())) > 0);
  await other.page.close();
});

test("bodies_are_coloured_by_what_is_asked_for", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.setFrame(40));
  const pictures = new Set();
  for (const by of ["usual", "mechanism", "speed", "force", "height"]) {
    await page.selectOption("#colour-by", by);
    pictures.add(await viewPixels(page));
    const range = await page.evaluate(() => window.stickslip.range());
    if (by === "speed") assert.ok(range.low === 0 && range.high >= 0.8 && range.unit === "m/s", JSON.stringify(range));
    if (by === "force") assert.ok(range.high >= 10 * 9.81 && range.unit === "N", JSON.stringify(range));
    if (by === "height") assert.ok(range.low <= 0.2 && range.high >= 1.1, JSON.stringify(range));
    assert.equal(await page.locator("#field-scale").count(), ["speed", "force", "height"].includes(by) ? 1 : 0);
  }
  assert.equal(pictures.size, 5);
  await page.selectOption("#colour-by", "usual");
});

test("the_selected_body_is_plotted", async () => {
  const { page } = shared;
  await page.evaluate(() => window.stickslip.select(3));
  const rows = (await page.evaluate(() => window.stickslip.plots.csv("body-position"))).trim().split("\n");
  assert.equal(rows[0], "time [s],x [m],y [m],z [m]");
  assert.equal(rows.length, 61);
  const [time, x] = rows[21].split(",").map(Number);
  assert.ok(Math.abs(time - 0.4) < 1e-9 && Math.abs(x - frames[20].bodies[3].position[0]) < 1e-5);
  const speeds = (await page.evaluate(() => window.stickslip.plots.csv("body-speed"))).trim().split("\n");
  assert.ok(Math.abs(Number(speeds.at(-1).split(",")[1]) - 0.8) < 1e-3);
  const forces = (await page.evaluate(() => window.stickslip.plots.csv("body-force"))).trim().split("\n");
  const weight = 3 * 9.81;
  assert.ok(Math.abs(Number(forces.at(-1).split(",")[1]) - Math.hypot(weight, 0.1 * weight)) < 0.1, forces.at(-1));
  assert.ok(await page.locator("#chart-body-force").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#chart-body-force").isVisible()));
});

test("space_plays_and_pauses_whatever_has_the_focus", async () => {
  const { page } = shared;
  for (const focus of ["#fit-button", "#layer-grid", "#colour-by", "#scrubber", "#least-force", "#chart-energy summary"]) {
    await page.evaluate(() => window.stickslip.setFrame(5));
    await page.focus(focus);
    const before = await page.evaluate(() => window.stickslip.layers.on().sort().join());
    await page.keyboard.press("Space");
    assert.ok(await page.evaluate(() => window.stickslip.playing()), `${focus}: it plays`);
    await page.keyboard.press("Space");
    assert.ok(!(await page.evaluate(() => window.stickslip.playing())), `${focus}: it pauses`);
    assert.equal(await page.evaluate(() => window.stickslip.layers.on().sort().join()), before, `${focus}: nothing was pressed`);
  }
});

test("a_picture_and_a_film_are_saved", async () => {
  const short = makeFrames(description, 8);
  const { page } = await openPage(browser, writeReplay(scratch(later), buildPage(folder), base64Replay(description, short, { stride: 1 })),
    { width: 420, height: 300 });
  const picture = page.waitForEvent("download");
  await page.evaluate(() => document.getElementById("save-picture").click());
  assert.match((await picture).suggestedFilename(), /^made-up-\d+\.png$/);
  const film = page.waitForEvent("download", { timeout: 60000 });
  await page.evaluate(() => document.getElementById("save-film").click());
  const saved = await film;
  assert.equal(saved.suggestedFilename(), "made-up.webm");
  const player = await browser.newPage();   // the page itself may not load films
  const seconds = await player.evaluate(async (base64) => {
    const video = document.createElement("video");
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
    return new Promise((done, fail) => {
      video.onloadeddata = () => done([video.duration, video.videoWidth]);
      video.onerror = () => fail(new Error(video.error.message));
    });
  }, readFileSync(await saved.path()).toString("base64"));
  assert.ok(Math.abs(seconds[0] - 5 / 30) < 0.04, `${seconds} s`);
  await player.close();
  await page.close();
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
  assert.ok(await page.locator("#layer-contacts").isVisible());
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
