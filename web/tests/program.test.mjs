// Pages that the program writes. STICKSLIP_PROGRAM names it; without it there is nothing to test.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
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

const pixels = (page) => page.evaluate(() => window.stickslip.picture(160, 100));

test("a_replay_of_the_program_opens_from_disk_and_moves", { skip }, async () => {
  const file = path.join(folder, "dominoes.html");
  execFileSync(program, ["run", "dominoes", "--seconds", "1", "--frames-per-second", "20", "--set", "/step/keep_history=true", "-o", file, "--quiet"]);
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
  assert.deepEqual(requests.filter((url) => !url.startsWith("file://") && !url.startsWith("blob:") && !url.startsWith("data:")), []);
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
  const server = spawn(program, ["view", "dominoes", "--no-browser", "--paused"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  later(() => server.kill("SIGINT"));
  const address = await new Promise((done, fail) => {
    let text = "";
    server.once("exit", () => fail(new Error(`the program ended: ${text}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found) done(found[0]);
    });
  });
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
