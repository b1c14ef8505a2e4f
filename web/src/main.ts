// Starts the page: a replay if one is inside, else the live server that the page came from.

import "./style.css";
import "uplot/dist/uPlot.min.css";
import { byId } from "./dom";
import { bytesOfBase64 } from "./forms";
import { LiveBar } from "./live_bar";
import { LiveSource } from "./live_source";
import { LAYERS, type LayerName } from "./layers";
import type { Description, Frame } from "./protocol";
import { decodeReplay, inflate } from "./replay_decode";
import { ReplaySource } from "./replay_source";
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
    if (target.closest("input[type=number], select, textarea")) return;
    if (target.closest("button, summary") && (e.key === " " || e.key === "Enter")) return;
    if (viewer.help.open && e.key !== "?") return;
    if (own(e) || viewer.key(e)) e.preventDefault();
  });
}

/** #frame=12&theme=dark&layers=points,forces&camera=x,y,z,tx,ty,tz&ui=off&play */
function applyAddress(): void {
  const wishes = new URLSearchParams(location.hash.slice(1));
  const theme = wishes.get("theme");
  if (theme === "dark" || theme === "light") viewer.theme.choose(theme);
  const layers = wishes.get("layers");
  if (layers !== null) for (const l of LAYERS) viewer.layers.set(l.name, layers.split(",").includes(l.name as LayerName));
  const camera = wishes.get("camera")?.split(",").map(Number);
  if (camera?.length === 6 && camera.every(Number.isFinite))
    viewer.view.look([camera[0]!, camera[1]!, camera[2]!], [camera[3]!, camera[4]!, camera[5]!]);
  if (wishes.has("frame")) timeline?.go(Number(wishes.get("frame")));
  if (wishes.has("play")) timeline?.play();
}

async function startReplay(text: string): Promise<void> {
  const source = new ReplaySource(decodeReplay(await inflate(bytesOfBase64(text))));
  if (source.count < 1) throw new Error("The replay has no frames.");
  viewer = new Viewer(false, (time) => timeline!.go(source.frameAt(time)), null, (joint) => source.jointSeries(joint));
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
    const count = Math.min(source.count, 12);
    for (let k = 0; k < count; ++k) yield source.frame(Math.round((k * (source.count - 1)) / Math.max(1, count - 1)));
  }
  viewer.open(source.description, samples(), source.replay.contacts, source.replay.joints, true);
  viewer.view.fields!.fit(source.replay.fields);
  viewer.plot(source.table());
  await viewer.view.pictures;
  line.go(0);
  applyAddress();
  viewer.view.draw();
}

/** Lays out a live scene when its first frame says where the bodies are, and shows frames. */
class LiveShow {
  private name_ = "";
  private fresh_ = false;
  private plotted_ = 0;
  private fitted_ = 0;

  constructor(private readonly source_: LiveSource, private readonly bar_: LiveBar) {}

  scene(description: Description): void {
    this.fresh_ = true;
    viewer.description = null;
    this.bar_.open(description);
  }

  frame(frame: Frame): void {
    const contacts = frame.contacts ? [frame.contacts] : [];
    const joints = frame.joints ? [frame.joints] : [];
    if (this.fresh_) {
      this.fresh_ = false;
      const description = this.source_.description!;
      viewer.open(description, [frame], contacts, joints, description.name !== this.name_);
      if (this.name_ === "") applyAddress();
      this.name_ = description.name;
    }
    const now = performance.now();
    if (contacts.length + joints.length > 0 && now - this.fitted_ > 500) {
      this.fitted_ = now;
      viewer.view.contacts!.fit(contacts, joints);
      viewer.legend.update(viewer.view, viewer.layers);
    }
    viewer.view.fields!.see(frame);
    viewer.show(frame);
    if (viewer.layers.field) viewer.legend.update(viewer.view, viewer.layers);
    this.bar_.frame(frame);
    if (now - this.plotted_ > 250) {
      this.plotted_ = now;
      viewer.plot(this.source_.table());
    }
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
      state: (state) => bar.state(state),
      comparison(comparison) {
        bar.comparison(comparison);
        viewer.plots.compare(comparison);
      },
      joint: (change) => viewer.jointPanel.change(change),
      note: (text, bad) => viewer.notice(text, bad, 6),
      refused: (text) => viewer.notice(text, true),
      connected(yes) {
        byId("badge").classList.toggle("lost", !yes);
        viewer.notice(yes ? "" : "Connection lost – reconnecting", true);
      },
    });
    viewer = new Viewer(true, () => {}, (message) => source.send(message), (joint) => source.jointSeries(joint));
    const bar = new LiveBar((message) => source.send(message));
    const show = new LiveShow(source, bar);
    viewer.onWants = () =>
      source.want({
        contacts: viewer.wantContacts,
        history: viewer.plots.wantHistory,
        joints: viewer.wantJoints,
        fields: viewer.layers.field !== null,
      });
    viewer.onWants();
    byId("bar").append(bar.element);
    byId("badge").textContent = "live";
    byId("side").prepend(panel("Simulation", bar.settings));
    listenToKeys((e) => {
      if (e.key === " ") bar.toggle();
      else if (e.key === "ArrowRight") bar.step();
      else if (e.key === "r") bar.reset();
      else if (e.key === "c") bar.capture();
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
