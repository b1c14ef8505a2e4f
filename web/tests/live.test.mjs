// The live page against a server of the tests' own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FakeServer } from "./support/fake_server.mjs";
import { buildPage, openBrowser, openPage, scratch } from "./support/page.mjs";
import { makeDescription } from "./support/scene.mjs";

// An after() inside before() would run at once.
const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
let server, page, errors, address, requests;

before(async () => {
  server = new FakeServer(buildPage(folder), makeDescription(10));
  later(() => server.close());
  address = await server.listen();
  const browser = await openBrowser(later);
  ({ page, errors, requests } = await openPage(browser, `${address}?token=a%26b#layers=grid`));
});

/** Waits until the server has heard such a command, and gives it. */
async function heard(matches) {
  for (let i = 0; i < 200; ++i) {
    const found = server.commands.findLast(matches);
    if (found) return found;
    await new Promise((next) => setTimeout(next, 20));
  }
  assert.fail(`The server heard only ${JSON.stringify(server.commands)}`);
}
/** Everything that the page says from now on, in window.notices. */
const keepNotices = () =>
  page.evaluate(() => {
    const notice = document.getElementById("notice");
    window.notices = [];
    new MutationObserver(() => window.notices.push(notice.textContent)).observe(notice, { childList: true, attributes: true });
  });
const step = () => page.evaluate(() => window.stickslip.step());

test("frames_arrive_and_the_token_is_passed_on", async () => {
  const first = await step();
  await page.waitForFunction((s) => window.stickslip.step() > s, first);
  assert.ok(server.paths.includes("/live?token=a%26b"), server.paths.join(" "));
  assert.equal(await page.evaluate(() => window.stickslip.mode()), "live");
});

test("what_leaves_the_picture_is_shown_again_by_a_camera_that_nobody_has_moved", async () => {
  // Body 1 rises until it is just above the picture.
  const above = () =>
    page.evaluate(() => {
      const top = document.getElementById("view").getBoundingClientRect().top;
      const [x, y, z] = window.stickslip.body(1).position;
      for (let lift = 0; lift < 100; lift += 0.05)
        if (window.stickslip.projectPoint([x, y, z + lift]).y < top - 5) return lift;
      return 0;
    });
  const lift = await above();
  assert.ok(lift > 0);
  const height = await page.evaluate(() => window.stickslip.body(1).position[2]);
  const makeFrame = server.makeFrame;
  server.makeFrame = (...given) => {
    const frame = makeFrame(...given);
    frame.bodies[1].position[2] += lift;
    return frame;
  };
  await page.waitForFunction(
    (high) => {
      const top = document.getElementById("view").getBoundingClientRect().top;
      const { position } = window.stickslip.body(1);
      return position[2] > high && window.stickslip.projectPoint(position).y > top;
    },
    height + lift / 2,
    { timeout: 8000 },
  );
  assert.ok((await above()) > 0.05, "and there is room above it");
  server.makeFrame = makeFrame;
});

test("pause_step_and_run_are_sent", async () => {
  await page.click("button[aria-label=Pause]");
  await heard((c) => c.type === "pause");
  await page.locator("button[aria-label=Run]").waitFor();
  const before = server.step;
  await page.click("button[aria-label=Step]");
  await page.waitForFunction((s) => window.stickslip.step() === s, before + 1);
  await page.click("button[aria-label=Run]");
  await heard((c) => c.type === "run");
});

test("solver_step_size_friction_and_speed_are_sent", async () => {
  await page.selectOption("#live-solver", "pgs");
  await heard((c) => c.type === "set" && c.solver === "pgs");
  await page.fill("#live-h", "0.005");
  await page.press("#live-h", "Enter");
  await heard((c) => c.type === "set" && c.h === 0.005);
  await page.fill("#live-h", "-1");   // the server refuses it with the reason
  await page.press("#live-h", "Enter");
  await heard((c) => c.type === "set" && c.h === -1);
  await page.fill("#live-friction", "0.3");
  await page.press("#live-friction", "Enter");
  await heard((c) => c.type === "set" && c.friction === 0.3);
  await page.fill("#live-friction", "");
  await page.press("#live-friction", "Enter");
  await heard((c) => c.type === "set" && c.friction === null);
  await page.selectOption("select[aria-label=Speed]", "0.25");
  await heard((c) => c.type === "speed" && c.value === 0.25);
});

test("contacts_are_asked_for_only_with_a_layer", async () => {
  assert.equal(server.wants.contacts, false);
  await page.click("#layer-forces");
  await heard((c) => c.type === "want" && c.contacts);
  server.step = 60;
  await page.waitForFunction(() => window.stickslip.contacts() > 0);
  await page.locator("#force-scale").waitFor();
  await page.click("#layer-forces");
  await heard((c) => c.type === "want" && !c.contacts);
});

test("one_can_look_back_while_the_simulation_waits_and_steps_lead_out_of_the_past", async () => {
  server.running = true;
  await page.waitForFunction((s) => window.stickslip.step() > s + 8 && Number(document.getElementById("live-scrubber").max) > 4, server.step);
  await page.evaluate(() => {
    const slider = document.getElementById("live-scrubber");
    slider.value = "1";
    slider.dispatchEvent(new Event("input"));
  });
  await heard((c) => c.type === "pause");
  server.running = false;
  await page.waitForTimeout(150);
  const newest = server.step;
  await page.evaluate(() => {
    const slider = document.getElementById("live-scrubber");
    slider.value = "1";
    slider.dispatchEvent(new Event("input"));
  });
  const past = await step();
  assert.ok(past < newest, `${past} is before ${newest}`);
  assert.match(await page.locator(".readout").textContent(), /\(past\)/);
  await page.focus("#view");
  await page.keyboard.press("ArrowLeft");
  assert.ok((await step()) <= past);
  await page.click("button[aria-label=Step]");
  await page.waitForFunction((s) => window.stickslip.step() > s, newest);
});

test("a_body_is_dragged_with_a_spring", async () => {
  await keepNotices();
  server.running = false;
  await page.waitForTimeout(100);
  const { x, y } = await page.evaluate(() => window.stickslip.project(2));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 20, y - 30, { steps: 3 });
  await page.mouse.move(x + 40, y - 60, { steps: 3 });
  await page.waitForTimeout(50);
  const drag = server.commands.findLast((c) => c.type === "drag");
  assert.equal(drag.body, 2);
  assert.ok((await page.evaluate(() => window.notices)).some((text) => text.startsWith("Paused: the pull acts when")));
  assert.ok(Math.hypot(...drag.local) < 0.26, "a point of the sphere");
  const body = await page.evaluate(() => window.stickslip.body(2).position);
  assert.ok(drag.target[2] > body[2], "pulled upwards");
  await page.mouse.up();
  await heard((c) => c.type === "release");
  server.running = true;
});

test("a_click_selects_and_does_not_drag", async () => {
  const drags = server.commands.filter((c) => c.type === "drag").length;
  server.running = false;
  await page.waitForTimeout(100);
  const { x, y } = await page.evaluate(() => window.stickslip.project(3));
  await page.mouse.click(x, y);
  assert.equal(await page.evaluate(() => window.stickslip.selected()), 3);
  assert.equal(server.commands.filter((c) => c.type === "drag").length, drags);
  server.running = true;
});

test("two_solvers_are_compared_and_a_problem_is_captured", async () => {
  await page.click("#live-compare");
  const command = await heard((c) => c.type === "compare");
  assert.equal(command.solvers.length, 2);
  assert.notEqual(command.solvers[0], command.solvers[1]);
  await page.locator("#chart-comparison canvas").waitFor();
  assert.match(await page.locator(".comparison").textContent(), /solverstatusiterationstime \[ms\]residual \[m\/s\].*converged8/);
  assert.equal(
    await page.evaluate(() => {
      const side = document.getElementById("side");
      return side.scrollWidth - side.clientWidth;
    }),
    0,
  );
  await page.click("text=Capture problem");
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("made-up-step1.hdf5"));
});

test("a_dropped_connection_is_shown_and_recovers", async () => {
  // The connection may be back before a poll of the page sees the notice.
  await keepNotices();
  server.drop();
  await page.waitForFunction(() => window.notices.some((text) => text.includes("reconnecting")));
  await page.waitForFunction(() => document.getElementById("notice").hidden);
  const now = await step();
  await page.waitForFunction((s) => window.stickslip.step() > s, now);
});

test("refused_commands_are_told_and_nothing_else_went_wrong", async () => {
  server.json({ type: "error", message: "No solver is called 'x'.", of: "set" });
  await page.waitForFunction(() => document.getElementById("notice").textContent.includes("No solver is called"));
  const own = requests.every((r) => r.startsWith(address) || r.startsWith("data:"));
  assert.ok(own, requests.join(" "));
  assert.deepEqual(errors, []);
});
