// Starts the page: a replay if one is inside, else the live server that the page came from.

import "./style.css";
import "uplot/dist/uPlot.min.css";
import { applyAddress } from "./address";
import { byId, download } from "./dom";
import { bytesOfBase64 } from "./forms";
import { FILM_RATE } from "./film";
import { LiveBar } from "./live_bar";
import { LiveSource } from "./live_source";
import { putBack } from "./number_field";
import type { Description, Frame } from "./protocol";
import { regionOf, sampled } from "./region";
import { decodeReplay, inflate } from "./replay_decode";
import { ReplaySource } from "./replay_source";
import { SceneEditor } from "./scene_editor";
import { ScenePicker } from "./scene_picker";
import { makeSurface } from "./testing";
import { Timeline } from "./timeline";
import { Viewer } from "./viewer";

let viewer: Viewer;
let timeline: Timeline | null = null;

/** Keys go to the page unless a control wants them. */
function listenToKeys(own: (e: KeyboardEvent) => boolean): void {
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const target = e.target as HTMLElement;
    const writes = target.closest("input:not([type=range], [type=checkbox], [type=number]), textarea");
    // Space runs and pauses whatever has the focus, where nobody writes.
    if (writes || (e.key !== " " && target.closest("input[type=number], select"))) return;
    if (target.closest("button, summary") && e.key === "Enter") return;
    if (document.querySelector("dialog[open]") && !(viewer.help.open && e.key === "?")) return;
    if (own(e) || viewer.key(e)) e.preventDefault();
  });
  // A button is pressed when the key goes up.
  addEventListener("keyup", (e) => e.key === " " && (e.target as HTMLElement).closest("button, summary") && e.preventDefault());
}

async function startReplay(text: string): Promise<void> {
  const source = new ReplaySource(decodeReplay(await inflate(bytesOfBase64(text))));
  if (source.count < 1) throw new Error("The replay has no frames.");
  viewer = new Viewer(false, (time) => timeline!.go(source.frameAt(time)), null, (joint) => source.jointSeries(joint), (body) => source.bodySeries(body));
  timeline = new Timeline(source, (index) => viewer.show(source.frame(index)));
  byId("bar").append(timeline.element);
  byId("badge").textContent = "replay";
  const line = timeline;
  listenToKeys((e) => {
    if (e.key === " ") line.toggle();
    else if (e.key === "ArrowLeft") line.step(e.shiftKey ? -10 : -1);
    else if (e.key === "ArrowRight") line.step(e.shiftKey ? 10 : 1);
    else if (e.key === "Home") line.step(-source.count);
    else if (e.key === "End") line.step(source.count);
    else if (e.key === "l") line.toggleLoop();
    else if (e.key === "-") line.speed(-1);
    else if (e.key === "+" || e.key === "=") line.speed(1);
    else return false;
    return true;
  });
  function* samples() {
    for (const index of sampled(source.description, source.count)) yield source.frame(index);
    source.frame(line.index); // frames share their arrays, and that one is on the screen
  }
  viewer.view.camera.motion = samples;
  viewer.reel = () => line.reel(FILM_RATE);
  viewer.open(source.description, samples(), source.replay.contacts, source.replay.joints, true);
  viewer.view.fields!.fit(source.replay.fields);
  for (const frame of samples()) viewer.view.values!.see(frame);
  viewer.view.trailOf = (body, points) => source.trail(body, line.index, points);
  viewer.plot(source.table());
  await viewer.view.pictures;
  line.go(0);
  applyAddress(viewer, timeline);
  viewer.view.draw();
}

/** Lays out a live scene when its first frame says where the bodies are, and shows frames. */
class LiveShow {
  private name_ = "";
  private fresh_ = false;
  private plotted_ = 0;
  private fitted_ = 0;
  private widened_ = 0;
  /** Number of the past frame that is shown, and the step that was the newest then; null: now. */
  private back_: { index: number; newest: number } | null = null;

  constructor(private readonly source_: LiveSource, private readonly bar_: LiveBar, private readonly picker_: ScenePicker) {}

  scene(description: Description): void {
    this.fresh_ = true;
    viewer.description = null;
    this.bar_.open(description);
    this.picker_.scene(description.name, description.scenes ?? [], description.bodies.length === 0);
  }

  /** Shows a frame of the past; the last of them is now. */
  look(index: number): void {
    const { past } = this.source_;
    const frame = past.frame(Math.max(0, index));
    if (!frame || !viewer.description) return;
    this.back_ = index < past.count - 1 ? { index: Math.max(0, index), newest: past.frame(past.count - 1)!.step } : null;
    viewer.show(frame);
    this.bar_.frame(frame, Math.max(0, index), past.count);
  }

  /** One frame back. */
  back(): void {
    this.look((this.back_?.index ?? this.source_.past.count - 1) - 1);
  }

  frame(frame: Frame): void {
    if (this.back_ && !this.fresh_ && frame.step === this.back_.newest) return;
    this.back_ = null;
    const contacts = frame.contacts ? [frame.contacts] : [];
    const joints = frame.joints ? [frame.joints] : [];
    if (this.fresh_) {
      this.fresh_ = false;
      const description = this.source_.description!;
      viewer.open(description, [frame], contacts, joints, description.name !== this.name_);
      if (this.name_ === "") applyAddress(viewer, timeline);
      this.name_ = description.name;
    }
    const now = performance.now();
    if (contacts.length + joints.length > 0 && now - this.fitted_ > 500) {
      this.fitted_ = now;
      viewer.view.contacts!.fit(contacts, joints);
      viewer.legend.update(viewer.view, viewer.layers);
    }
    viewer.view.fields!.see(frame);
    viewer.view.values!.see(frame);
    viewer.show(frame);
    if (viewer.view.range) viewer.legend.update(viewer.view, viewer.layers);
    this.widen(now);
    this.bar_.frame(frame, this.source_.past.count - 1, this.source_.past.count);
    if (now - this.plotted_ > 250) {
      this.plotted_ = now;
      viewer.plot(this.source_.table());
    }
  }

  /** Until someone moves the camera, it steps back when things happen beyond what it shows. */
  private widen(now: number): void {
    const { view, description } = viewer;
    if (!view.camera.untouched || now - this.widened_ < 1000 || this.source_.past.count < 2) return;
    this.widened_ = now;
    const [region, shown] = [regionOf(description!, sampledPast(this.source_)), view.region!];
    // What rises leaves the picture long before the whole is larger by much.
    const beyond = Math.max(...[0, 1, 2].flatMap((k) => [shown.low[k]! - region.low[k]!, region.high[k]! - shown.high[k]!]));
    if (region.travels || beyond > 0.05 * shown.radius) view.widen(region);
  }
}

/** Some frames of the past of a live simulation, evenly. */
function* sampledPast(source: LiveSource): Iterable<Frame> {
  for (let k = 0; k < 12; ++k) {
    const frame = source.past.frame(Math.round((k * (source.past.count - 1)) / 11));
    if (frame) yield frame;
  }
}

function liveAddress(): string {
  const token = new URLSearchParams(location.search).get("token");
  const query = token === null ? "" : `?token=${encodeURIComponent(token)}`;
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live${query}`;
}

/** Fulfilled with the first frame. */
function startLive(): Promise<void> {
  return new Promise((ready) => {
    const source = new LiveSource(liveAddress(), {
      scene: (description) => show.scene(description),
      frame(frame) {
        show.frame(frame);
        ready();
      },
      state(state) {
        bar.state(state);
        editor.state(state);
      },
      comparison(comparison) {
        bar.comparison(comparison);
        viewer.plots.compare(comparison);
      },
      joint: (change) => viewer.jointPanel.change(change),
      surroundings: (now) => editor.show(now),
      saved(file, text, remark) {
        download(file, new Blob([text], { type: "application/json" }));
        viewer.notice(`Saved ${file}. ${remark}`, false, 6);
      },
      note(text, bad, refused) {
        viewer.notice(text, bad, 6);
        if (refused) putBack(byId("side"));
      },
      refused: (text) => viewer.notice(text, true),
      connected(yes) {
        byId("badge").classList.toggle("lost", !yes);
        viewer.notice(yes ? "" : "Connection lost – reconnecting", true);
      },
    });
    viewer = new Viewer(true, () => {}, (message) => source.send(message), (joint) => source.jointSeries(joint), (body) => source.past.bodySeries(body));
    const bar = new LiveBar((message) => source.send(message), (index) => show.look(index));
    const picker = new ScenePicker((message) => source.send(message));
    const editor = new SceneEditor((message) => source.send(message));
    const show = new LiveShow(source, bar, picker);
    viewer.paused = () => !bar.running;
    viewer.view.camera.motion = () => sampledPast(source);
    viewer.view.trailOf = (body, points) => source.past.trail(body, viewer.frame?.step ?? 0, points);
    viewer.onWants = () =>
      source.want({
        contacts: viewer.wantContacts,
        history: viewer.plots.wantHistory,
        joints: viewer.wantJoints,
        fields: viewer.layers.field !== null,
        overlaps: viewer.layers.has("overlaps"),
      });
    viewer.onWants();
    byId("bar").append(bar.element);
    byId("badge").textContent = "live";
    byId("side").prepend(panel("Simulation", bar.settings), panel("Scene", editor.element));
    byId("tools").prepend(picker.button);
    addEventListener("keydown", (e) => {
      // Where somebody writes, these keys are for the text.
      if (!(e.ctrlKey || e.metaKey) || e.altKey || (e.target as HTMLElement).closest("input:not([type=range], [type=checkbox]), textarea")) return;
      const key = e.key.toLowerCase();
      if (key === "z" && !e.shiftKey) editor.undo();
      else if (key === "y" || key === "z") editor.redo();
      else return;
      e.preventDefault();
    });
    listenToKeys((e) => {
      if (e.key === " ") bar.toggle();
      else if (e.key === "ArrowRight") bar.step();
      else if (e.key === "ArrowLeft") {
        if (bar.running) bar.toggle();
        show.back();
      }
      else if (e.key === "r") bar.reset();
      else if (e.key === "c") bar.capture();
      else if (e.key === "n") picker.open();
      else return false;
      return true;
    });
    source.connect();
  });
}

function panel(title: string, content: HTMLElement): HTMLElement {
  const section = document.createElement("section");
  section.className = "panel";
  section.setAttribute("aria-label", title);
  const head = document.createElement("h2");
  head.textContent = title;
  section.append(head, content);
  return section;
}

async function start(): Promise<void> {
  if (new URLSearchParams(location.hash.slice(1)).get("ui") === "off") document.body.classList.add("bare");
  const text = document.getElementById("replay")?.textContent?.trim() ?? "";
  if (text !== "") await startReplay(text);
  else if (location.protocol === "http:" || location.protocol === "https:") await startLive();
  else throw new Error("This page holds no replay. “stickslip run wall -o wall.html” writes one that does.");
}

const ready = start();
ready.catch((error: unknown) => {
  const box = byId("notice");
  box.hidden = false;
  box.classList.add("bad");
  box.textContent = error instanceof Error ? error.message : String(error);
});
(window as unknown as { stickslip: unknown }).stickslip = makeSurface(() => viewer, () => timeline, ready);
