// What follows # in the address of the page: #frame=12&theme=dark&layers=contacts,forces&camera=30,20&follow=body&ui=off&play

import { COLOURINGS, type Colouring } from "./body_values";
import { PRESETS, type Preset } from "./camera";
import { LAYERS, type LayerName } from "./layers";
import type { Timeline } from "./timeline";
import type { Viewer } from "./viewer";

/** @throws Error if there is something that it does not understand. */
export function applyCamera(viewer: Viewer, wishes: URLSearchParams): void {
  const camera = viewer.view.camera;
  const flag = (name: string) => wishes.has(name) && !["0", "off", "false"].includes(wishes.get(name)!);
  if (wishes.has("orthographic")) camera.setOrthographic(flag("orthographic"));
  if (wishes.has("zoom")) camera.zoom = numbers(wishes.get("zoom")!, [1], "zoom", (x) => x > 0)[0]!;
  const fit = wishes.get("fit");
  if (fit !== null) {
    if (fit !== "motion" && fit !== "frame") throw new Error(`fit=${fit} is not known: motion or frame.`);
    camera.fitTo = fit;
  }
  const follow = wishes.get("follow");
  if (follow !== null) {
    const body = viewer.description!.bodies.findIndex(({ name }) => name === follow);
    if (body < 0 && follow !== "") throw new Error(`There is no body '${follow}'.`);
    camera.follow(body);
  }
  const from = wishes.get("camera");
  if (from === null || from === "") camera.fit();
  else if (from in PRESETS) turn(viewer, PRESETS[from as Preset]);
  else {
    const list = numbers(from, [2, 6], "camera", Number.isFinite);
    if (list.length === 2) turn(viewer, [list[0]!, list[1]!]);
    else camera.look([list[0]!, list[1]!, list[2]!], [list[3]!, list[4]!, list[5]!]);
  }
  viewer.view.invalidate();
}

function turn(viewer: Viewer, [azimuth, elevation]: readonly [number, number]): void {
  viewer.view.camera.turn({ azimuth, elevation: Math.min(90, Math.max(-90, elevation)) });
}

function numbers(text: string, counts: number[], name: string, valid: (x: number) => boolean): number[] {
  const list = text.split(",").map(Number);
  if (counts.includes(list.length) && list.every((x) => Number.isFinite(x) && valid(x))) return list;
  throw new Error(`${name}=${text} is not understood.`);
}

/** The whole address. What it does not understand is told on the page. */
export function applyAddress(viewer: Viewer, timeline: Timeline | null): void {
  const wishes = new URLSearchParams(location.hash.slice(1));
  const theme = wishes.get("theme");
  if (theme === "dark" || theme === "light") viewer.theme.choose(theme);
  const layers = wishes.get("layers");
  if (layers !== null) for (const l of LAYERS) viewer.layers.set(l.name, layers.split(",").includes(l.name as LayerName));
  const colour = wishes.get("colour");
  if (colour !== null && COLOURINGS.includes(colour as Colouring)) viewer.colourBy(colour as Colouring);
  if (["camera", "follow", "zoom", "fit", "orthographic"].some((key) => wishes.has(key)))
    try {
      applyCamera(viewer, wishes);
    } catch (error) {
      viewer.notice(`${(error as Error).message} (in the address of this page)`, true);
    }
  if (wishes.has("frame")) timeline?.go(Number(wishes.get("frame")));
  if (wishes.has("play")) timeline?.play();
}
