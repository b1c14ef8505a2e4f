// Joints in the page: decoded, drawn, picked, listed, plotted, driven.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { base64Replay, encodeLiveFrame, encodeReplay } from "./support/encoder.mjs";
import { FakeServer } from "./support/fake_server.mjs";
import { BREAKS_AT, makeMechanism, makeMechanismFrame, makeMechanismFrames } from "./support/mechanism.mjs";
import { buildPage, importSource, openBrowser, openPage, scratch, writeReplay } from "./support/page.mjs";

// An after() inside before() would run at once.
const closers = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});
const later = (close) => closers.push(close);
const folder = scratch(later);
const description = makeMechanism();
const frames = makeMechanismFrames(description, 60);
const index = (name) => description.joints.findIndex((j) => j.name === name);
const { decodeReplay } = await importSource(folder, "replay_decode");
const { ReplaySource } = await importSource(folder, "replay_source");
const { LiveWorld } = await importSource(folder, "live_decode");
const { JointPlaces } = await importSource(folder, "joint_places");
let browser, html, replay;

before(async () => {
  html = buildPage(folder);
  browser = await openBrowser(later);
  replay = await openPage(browser, writeReplay(folder, html, base64Replay(description, frames)), { width: 1100, height: 700 });
});

const near = (actual, expected, tolerance, what) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not ${expected} ± ${tolerance}`);

/** Every number of a joint, as the frame gives it. */
function compare(joints, expected, tolerance) {
  expected.forEach((j, i) => {
    const name = description.joints[i].name;
    assert.equal(joints.state[i], j.state, name);
    // Kept to a thousandth of the quantum, in 32 bits.
    near(joints.error[i], j.error, 0.51e-9 + 6e-8 * j.error, `${name} error`);
    for (let k = 0; k < 3; ++k) {
      near(joints.force[3 * i + k], j.force[k], tolerance, `${name} force`);
      near(joints.torque[3 * i + k], j.torque[k], tolerance, `${name} torque`);
    }
    near(joints.coupling[i], j.coupling, tolerance, `${name} coupling`);
    j.position.forEach((x, c) => {
      const at = joints.first[i] + c;
      near(joints.position[at], x, tolerance, `${name} position`);
      near(joints.velocity[at], j.velocity[c], tolerance, `${name} velocity`);
      near(joints.motor[at], j.motor[c], tolerance, `${name} motor`);
    });
  });
}

test("the_joints_of_a_replay_come_back", () => {
  const source = new ReplaySource(decodeReplay(encodeReplay(description, frames)));
  for (const f of [0, 19, 20, 59]) compare(source.frame(f).joints, frames[f].joints, 1e-5);
  const whole = encodeReplay(description, frames);
  assert.throws(() => decodeReplay(whole.subarray(0, whole.length - 3)), /ends too early/);
});

test("joints_that_are_kept_in_fewer_frames_are_those_of_the_last_kept_frame", () => {
  const source = new ReplaySource(decodeReplay(encodeReplay(description, frames, { jointStride: 4 })));
  compare(source.frame(7).joints, frames[4].joints, 1e-5);
  const series = source.jointSeries(index("elbow"));
  assert.equal(series.time.length, 15);
  near(series.time[3], frames[12].time, 1e-12, "time");
  near(series.position[0][3], frames[12].joints[0].position[0], 1e-5, "angle");
  near(series.force[3], Math.hypot(...frames[12].joints[0].force), 1e-4, "force");
});

const arrayBuffer = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.length);

test("the_joints_of_a_live_frame_come_back_and_bad_ones_are_refused", () => {
  const world = new LiveWorld(description);
  const whole = encodeLiveFrame(description, frames[31], { joints: true, contacts: true, history: true });
  compare(world.apply(arrayBuffer(whole)).joints, frames[31].joints, 1e-6);
  assert.equal(world.apply(arrayBuffer(encodeLiveFrame(description, frames[31]))).joints, null);
  assert.throws(() => world.apply(arrayBuffer(whole.subarray(0, whole.length - 2))), /too early/);
  assert.throws(
    () => new LiveWorld({ ...description, joints: description.joints.slice(1) }).apply(arrayBuffer(whole)),
    /15 joints, the scene has 14/,
  );
});

test("frames_of_joints_sit_on_their_bodies_and_the_gap_is_the_error", () => {
  const source = new ReplaySource(decodeReplay(encodeReplay(description, frames)));
  const places = new JointPlaces(source.description);
  const frame = source.frame(10);
  const angle = frames[10].joints[index("elbow")].position[0];
  const { a, b } = places.of(frame, index("elbow"));
  near(a.origin.distanceTo(b.origin), 0, 3e-5, "a hinge that holds");
  near(Math.atan2(b.axes[0].dot(a.axes[1]), b.axes[0].dot(a.axes[0])), angle, 1e-4, "the hand of the dial shows the angle");
  const gap = (name) => places.gap(index(name), places.of(frame, index(name)));
  near(gap("socket").length(), 0.06, 1e-4, "the socket is 6 cm apart");
  near(gap("socket").x, -0.06, 1e-4, "and the line leads back");
  for (const name of ["elbow", "slider", "rod", "cross", "sleeve", "table", "bolt", "weld"])
    near(gap(name).length(), 0, 1e-4, name);
  assert.equal(places.of(frame, index("gear")), null);
  near(places.anchor(frame, index("gear")).x, 0.6, 1e-5, "a gear is between its joints");
});

test("both_layers_change_the_picture_and_scenes_without_joints_do_not_offer_them", async () => {
  const { page } = replay;
  const seen = await page.evaluate(() => {
    window.stickslip.setFrame(30);
    const picture = () => window.stickslip.picture(320, 200);
    const plain = picture();
    return ["joints", "joint-forces"].map((name) => {
      document.getElementById(`layer-${name}`).click();
      const changed = picture() !== plain;
      document.getElementById(`layer-${name}`).click();
      return { name, changed, restored: picture() === plain };
    });
  });
  for (const { name, changed, restored } of seen) assert.ok(changed && restored, name);
  const { joints, ...rest } = description;
  const bare = frames.slice(0, 2).map(({ joints: left, ...f }) => f);
  const other = await openPage(browser, writeReplay(folder, html, base64Replay(rest, bare)));
  assert.ok(!(await other.page.locator("#layer-joints").isVisible()));
  assert.ok(!(await other.page.locator("#joint-panel").isVisible()));
  await other.page.keyboard.press("j");
  assert.ok(!(await other.page.evaluate(() => window.stickslip.layers.on())).includes("joints"));
  assert.deepEqual(other.errors, []);
  await other.page.close();
  writeReplay(folder, html, base64Replay(description, frames));
});

test("an_error_of_a_joint_is_drawn_in_red", async () => {
  const { page } = replay;
  const reds = async () => {
    const url = await page.evaluate(() => window.stickslip.picture(500, 320));
    return page.evaluate(async (data) => {
      const image = new Image();
      image.src = data;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      const g = canvas.getContext("2d");
      g.drawImage(image, 0, 0);
      const d = g.getImageData(0, 0, image.width, image.height).data;
      let count = 0;
      for (let i = 0; i < d.length; i += 4) if (d[i] > 190 && d[i + 1] < 70 && d[i + 2] < 70) ++count;
      return count;
    }, url);
  };
  // Close to the socket, which is apart.
  await page.evaluate(() => { window.stickslip.setFrame(0); window.stickslip.camera.set([2.4, -1.2, 2.3], [2.4, 0, 2.2]); });
  assert.equal(await reds(), 0);
  await page.evaluate(() => window.stickslip.layers.set("joints", true));
  assert.ok((await reds()) > 20);
  await page.evaluate(() => { window.stickslip.layers.set("joints", false); window.stickslip.camera.fit(); });
});

test("pointing_at_a_joint_tells_about_it_and_a_click_selects_it", async () => {
  const { page } = replay;
  await page.evaluate(() => { window.stickslip.setFrame(10); window.stickslip.layers.set("joints", true); });
  for (const name of ["elbow", "slider", "gear", "rope"]) {
    const { x, y } = await page.evaluate((i) => window.stickslip.projectJoint(i), index(name));
    await page.mouse.move(x + 2, y - 2);
    const tip = await page.locator("#joint-tip").textContent();
    assert.ok(tip.startsWith(`${name} – `), tip);
    if (name === "elbow") {
      const j = frames[10].joints[0];
      assert.ok(tip.includes(`turn_z ${((j.position[0] * 180) / Math.PI).toFixed(1)}°`), tip);
      assert.match(tip, /motor \S+ N m/);
      assert.match(tip, /force \S+ N, torque \S+ N m/);
    }
    await page.mouse.click(x + 2, y - 2);
    assert.equal(await page.evaluate(() => window.stickslip.selectedJoint()), index(name));
    assert.equal(await page.locator("#joint-name").textContent(), name);
  }
  await page.mouse.move(5, 400);
  assert.ok(!(await page.locator("#joint-tip").isVisible()));
  const { x, y } = await page.evaluate(() => window.stickslip.project(12));
  await page.mouse.click(x, y + 6);
  assert.equal(await page.evaluate(() => window.stickslip.selectedJoint()), -1, "a body is selected instead");
  assert.equal(await page.evaluate(() => window.stickslip.selected()), 12);
  await page.keyboard.press("Escape");
  await page.evaluate(() => window.stickslip.layers.set("joints", false));
});

test("the_list_selects_and_shows_which_joints_are_broken_or_contradict_each_other", async () => {
  const { page } = replay;
  const classes = () => page.evaluate(() => [...document.querySelectorAll("#joint-list button")].map((b) => b.className));
  await page.evaluate((f) => window.stickslip.setFrame(f), BREAKS_AT - 1);
  assert.equal((await classes()).filter((c) => c === "broken").length, 0);
  await page.evaluate((f) => window.stickslip.setFrame(f), BREAKS_AT);
  assert.equal((await classes())[index("rope")], "broken");
  assert.deepEqual(["free", "weld"].map((n) => index(n)), (await classes()).flatMap((c, i) => (c === "conflict" ? [i] : [])));
  await page.locator("#joint-list button", { hasText: "rope" }).click();
  assert.match(await page.locator("#joint-state").textContent(), /Statebroken/);
  assert.match(await page.locator("#joint-state").textContent(), /Bodiesworld, rope body/);
  await page.locator("#joint-list button", { hasText: "elbow" }).click();
  assert.match(await page.locator("#joint-state").textContent(), /turn_z\S+° \(−57\.3° … 40\.1°\)/);
});

test("the_selected_joint_is_plotted", async () => {
  const { page } = replay;
  await page.evaluate((i) => window.stickslip.selectJoint(i), index("elbow"));
  await page.locator("#chart-joint-position canvas").waitFor();
  await page.locator("#chart-joint-force canvas").waitFor();
  const rows = async (id) =>
    (await page.evaluate((chart) => window.stickslip.plots.csv(chart), id))
      .trim()
      .split("\n")
      .map((r) => r.split(","));
  const position = await rows("joint-position");
  assert.deepEqual(position[0], ["time [s]", "turn_z [rad]"]);
  assert.equal(position.length, 61);
  near(Number(position[31][1]), frames[30].joints[0].position[0], 1e-5, "angle");
  const force = await rows("joint-force");
  assert.deepEqual(force[0], ["time [s]", "force [N]", "torque [N m]", "motor turn_z [N m]"]);
  near(Number(force[31][3]), frames[30].joints[0].motor[0], 1e-4, "motor");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#chart-joint-position").isVisible()));
  assert.deepEqual(replay.errors, []);
});

test("at_phone_width_the_joint_panel_does_not_overflow", async () => {
  const { page, errors } = await openPage(browser, writeReplay(folder, html, base64Replay(description, frames)), {
    width: 390,
    height: 844,
    scheme: "dark",
  });
  await page.click("#side-button");
  await page.evaluate((i) => window.stickslip.selectJoint(i), index("elbow"));
  const overflow = await page.evaluate(() => [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("[hidden]")).map((e) => e.id || e.className));
  assert.deepEqual(overflow, []);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a_motor_and_a_servo_are_driven_from_the_live_page", async () => {
  const server = new FakeServer(html, makeMechanism(), makeMechanismFrame);
  later(() => server.close());
  const { page, errors } = await openPage(browser, await server.listen(), { width: 1100, height: 700 });
  const heard = async (matches) => {
    for (let i = 0; i < 200; ++i) {
      const found = server.commands.findLast(matches);
      if (found) return found;
      await new Promise((next) => setTimeout(next, 20));
    }
    assert.fail(`The server heard only ${JSON.stringify(server.commands)}`);
  };
  await heard((c) => c.type === "want" && c.joints);
  await page.waitForFunction(() => window.stickslip.joint(0) !== null);
  await page.locator("#joint-list button", { hasText: "slider" }).click();
  await page.locator("input[name=z-speed]").fill("-0.75");
  assert.deepEqual(await heard((c) => c.type === "joint"), { type: "joint", name: "slider", coordinate: "z", speed: -0.75 });
  await page.locator("#joint-list button", { hasText: "elbow" }).click();
  assert.equal(await page.locator("input[name=turn_z-target]").getAttribute("min"), "-1", "the slider ends at the limits");
  await page.locator("input[name=turn_z-target]").fill("0.5");
  assert.equal((await heard((c) => c.target === 0.5)).name, "elbow");
  // Somebody else moves it.
  await page.evaluate(() => document.activeElement.blur());
  server.json({ type: "joint", name: "elbow", coordinate: "turn_z", target: -0.5 });
  await page.waitForFunction(() => Number(document.querySelector("input[name=turn_z-target]").value) === -0.5);
  await page.locator("#joint-list button", { hasText: "slider" }).click();
  assert.equal(await page.locator("input[name=z-speed]").inputValue(), "-0.75", "what was set stays");
  // An effort: a force typed in, then a slider for it.
  await page.fill("#z-force", "12");
  await page.press("#z-force", "Enter");
  assert.deepEqual(await heard((c) => c.effort === 12), { type: "joint", name: "slider", coordinate: "z", effort: 12 });
  server.json({ type: "joint", name: "slider", coordinate: "z", effort: 12 });
  await page.locator("input[name=z-effort]").fill("-5");
  await heard((c) => c.effort === -5);
  server.json({ type: "joint", name: "slider", coordinate: "z", effort: 40 });
  await page.evaluate(() => document.activeElement.blur());
  server.json({ type: "joint", name: "slider", coordinate: "z", effort: 50 });
  await page.waitForFunction(() => Number(document.querySelector("input[name=z-effort]").value) === 50);
  assert.equal(await page.inputValue("#z-force"), "50", "both show what acts, however large");
  await page.waitForFunction(() => window.stickslip.plots.csv("joint-position").trim().split("\n").length > 3);
  assert.deepEqual(errors, []);
  await page.close();
});
