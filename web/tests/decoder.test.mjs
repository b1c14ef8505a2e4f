// What the decoder gives is what the encoder of the tests was given: both are written from docs/viewer-protocol.md.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { base64Replay, encodeLiveFrame, encodeReplay } from "./support/encoder.mjs";
import { importSource, scratch } from "./support/page.mjs";
import { makeDescription, makeFrame, makeFrames } from "./support/scene.mjs";

const folder = scratch(after);
const { decodeReplay, inflate } = await importSource(folder, "replay_decode");
const { bytesOfBase64, formOf } = await importSource(folder, "forms");
const { ReplaySource } = await importSource(folder, "replay_source");
const { LiveWorld } = await importSource(folder, "live_decode");

const near = (actual, expected, tolerance, what) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} is not ${expected} ± ${tolerance}`);

const description = makeDescription(10);
const frames = makeFrames(description, 40);

test("poses_come_back_within_half_a_quantum", async () => {
  const bytes = await inflate(bytesOfBase64(base64Replay(description, frames)));
  const source = new ReplaySource(decodeReplay(bytes));
  assert.equal(source.count, 40);
  for (const index of [0, 17, 39]) {
    const frame = source.frame(index);
    assert.equal(frame.step, frames[index].step);
    assert.equal(frame.time, frames[index].time);
    frames[index].bodies.forEach((body, b) => {
      body.position.forEach((x, k) => near(frame.position[3 * b + k], x, 0.51e-6, `body ${b} position ${k}`));
      const dot = body.orientation.reduce((s, x, k) => s + x * frame.orientation[4 * b + k], 0);
      near(Math.abs(dot), 1, 1e-4, `body ${b} orientation`);
      assert.equal(frame.state[b], body.state);
    });
  }
});

test("contacts_telemetry_and_histories_come_back", () => {
  const source = new ReplaySource(decodeReplay(encodeReplay(description, frames)));
  const frame = source.frame(39);
  const expected = frames[39].contacts;
  assert.equal(frame.contacts.count, expected.length);
  assert.ok(expected.length > 0);
  expected.forEach((c, i) => {
    assert.equal(frame.contacts.a[i], c.a);
    assert.equal(frame.contacts.b[i], c.b);
    near(frame.contacts.gap[i], c.gap, 0.51e-6, "gap");
    near(frame.contacts.friction[i], c.friction, 0.0006, "friction");
    for (let k = 0; k < 3; ++k) {
      near(frame.contacts.position[3 * i + k], c.position[k], 1e-6, "position");
      near(frame.contacts.normal[3 * i + k], c.normal[k], 0.5 / 127, "normal");
      near(frame.contacts.force[3 * i + k], c.force[k], 1e-5 * (1 + Math.abs(c.force[k])), "force");
      near(frame.contacts.slip[3 * i + k], c.slip[k], 1e-6, "slip");
    }
  });
  frames[39].telemetry.forEach((x, c) => assert.equal(frame.telemetry[c], Math.fround(x)));
  assert.deepEqual([...frame.history.iteration], frames[39].history.map(([i]) => i));
  assert.deepEqual([...frame.history.residual], frames[39].history.map(([, r]) => Math.fround(r)));
});

test("outlines_of_areas_come_back_in_replays_and_live_frames", () => {
  const contact = (place) => ({ a: 1, b: 2, position: place, normal: [0, 0, 1], force: [0, 0, 5], gap: 0, slip: [0, 0, 0], friction: 0.3 });
  const outline = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3], [0.4, 0.5, 0.3]];
  const area = { ...contact([0.3, 0.3, 0.3]), pressure: [0.35, 0.3, 0.3], depth: 2.5e-7, outline };
  const some = makeFrames(description, 4).map((f, i) => ({ ...f, contacts: i === 1 ? [] : [contact([0, 0, 0]), area] }));
  const check = ({ contacts: c }) => {
    assert.equal(c.areas.length, 1);
    assert.equal(c.areas[0].contact, 1);
    near(c.areas[0].depth, area.depth, 1e-9, "depth");
    c.areas[0].pressure.forEach((x, k) => near(c.position[3 + k] + x, area.pressure[k], 2e-6, "pressure"));
    assert.equal(c.areas[0].corners.length, 9);
    outline.flat().forEach((x, i) => near(c.position[3 + (i % 3)] + c.areas[0].corners[i], x, 2e-6, "corner"));
  };
  const source = new ReplaySource(decodeReplay(encodeReplay({ ...description, contact_areas: true }, some)));
  check(source.frame(0));
  assert.equal(source.frame(1).contacts.areas.length, 0);
  check(source.frame(3));
  check(new LiveWorld(description).apply(arrayBuffer(encodeLiveFrame(description, some[2], { contacts: true }))));
  const plain = new ReplaySource(decodeReplay(encodeReplay(description, some)));
  assert.equal(plain.frame(0).contacts.areas.length, 0);
});

test("contacts_between_kept_frames_move_with_body_a", () => {
  const moving = makeFrames(description, 8).map((f) => ({
    ...f,
    contacts: [
      {
        a: 1,
        b: 2,
        position: f.bodies[1].position.map((x) => x + 0.25),
        normal: [1, 0, 0],
        force: [7, 0, 0],
        gap: 0,
        slip: [0, 0, 0],
        friction: 0.3,
      },
    ],
  }));
  const source = new ReplaySource(decodeReplay(encodeReplay(description, moving, { stride: 3 })));
  const place = source.frame(5).contacts.position;
  for (let k = 0; k < 3; ++k) near(place[k], moving[5].bodies[1].position[k] + 0.25, 2e-6, "place");
});

test("velocity_is_the_difference_of_two_frames", () => {
  const source = new ReplaySource(decodeReplay(encodeReplay(description, frames)));
  const v = source.frame(39).velocity(1);
  near(v[0], 0.8, 1e-3, "vx");
  near(v[2], 0, 1e-9, "vz");
  near(source.frame(0).velocity(1)[0], 0.8, 1e-3, "vx of the first frame");
});

test("numbers_beyond_32_bits_and_negative_ones_are_read", () => {
  const far = makeFrames(description, 3);
  far[0].bodies[1].position = [-1999.5, 1e5, -0.000001];
  const source = new ReplaySource(decodeReplay(encodeReplay(description, far)));
  const p = source.frame(0).position;
  near(p[3], -1999.5, 1e-6, "x");
  near(p[4], 2147.483647, 1e-9, "y is held at the limit");
  near(p[5], -1e-6, 1e-12, "z");
  near(source.frame(1).position[4], far[1].bodies[1].position[1], 1e-6, "y afterwards");
});

test("damaged_and_foreign_replays_are_refused", () => {
  const good = encodeReplay(description, frames);
  assert.throws(() => decodeReplay(good.subarray(0, good.length - 5)), /ends too early/);
  assert.throws(() => decodeReplay(good.subarray(0, 4000)), /too early|JSON/);
  const foreign = Buffer.from(good);
  foreign.write("XX");
  assert.throws(() => decodeReplay(foreign), /not a Stickslip replay/);
  const newer = Buffer.from(good);
  newer.writeUInt32LE(99, 8);
  assert.throws(() => decodeReplay(newer), /version 99/);
  assert.throws(() => decodeReplay(encodeReplay({ ...description, protocol: 9 }, frames)), /version 9/);
  assert.throws(() => decodeReplay(encodeReplay({ ...description, meshes: [] }, frames)), /'hull-4' has mesh 0/);
});

const arrayBuffer = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.length);

test("live_frames_update_only_the_bodies_they_bring", () => {
  const world = new LiveWorld(description);
  const first = makeFrame(description, 5);
  const second = makeFrame(description, 6);
  world.apply(arrayBuffer(encodeLiveFrame(description, first)));
  const frame = world.apply(arrayBuffer(encodeLiveFrame(description, second, { which: [2], contacts: true, history: true })));
  near(frame.position[3 * 2], second.bodies[2].position[0], 1e-6, "moved body");
  near(frame.position[3 * 1], first.bodies[1].position[0], 1e-6, "body left out");
  near(frame.velocity(2)[0], 0.8, 1e-3, "velocity");
  near(frame.velocity(1)[0], 0, 1e-9, "velocity of the body left out");
  assert.equal(frame.contacts.count, second.contacts.length);
  assert.equal(frame.history.iteration.length, second.history.length);
  assert.equal(frame.step, 12);
});

test("live_frames_that_are_cut_or_name_strange_bodies_are_refused", () => {
  const world = new LiveWorld(description);
  const whole = encodeLiveFrame(description, makeFrame(description, 30), { contacts: true });
  assert.throws(() => world.apply(arrayBuffer(whole.subarray(0, whole.length - 20))));
  assert.throws(() => world.apply(arrayBuffer(Buffer.from([2, 0, 0]))), /not a frame/);
  const strange = Buffer.from(whole);
  strange.writeUInt32LE(999, 20);
  assert.throws(() => world.apply(arrayBuffer(strange)), /body 999/);
});
