// The help panel: keys, mouse, licences.

import { el } from "./dom";
import { LAYERS } from "./layers";

type Row = [key: string, what: string];

const RUN_KEYS: Row[] = [
  ["space", "run, pause"],
  ["→", "one step"],
  ["←", "look back by a frame"],
  ["r", "reset"],
  ["ctrl z, ctrl y", "take a change back, do it again"],
  ["c", "capture the contact problem"],
  ["n", "choose a scene"],
];
const PLAY_KEYS: Row[] = [
  ["space", "play, pause"],
  ["← →", "one frame back, forward"],
  ["shift ← →", "ten frames"],
  ["home, end", "first, last frame"],
  ["− +", "slower, faster"],
  ["l", "loop"],
];
const COMMON_KEYS: Row[] = [
  [", .", "shorter, longer force arrows"],
  ["f", "show everything, from the usual side"],
  ["o", "with, without perspective"],
  ["a", "follow the selected body, or no longer"],
  ["pad 1, 3, 7, 0", "from the front, the side, the top, askew"],
  ["i", "save a picture"],
  ["m", "save a film"],
  ["esc", "deselect"],
  ["p", "side panel"],
  ["t", "dark, light"],
  ["?", "this help"],
];

function mouseRows(live: boolean): Row[] {
  return [
    ["drag", live ? "turn the view; on a body: pull it with a spring" : "turn the view"],
    ...(live ? ([["alt drag", "turn the view, also over a body"]] as Row[]) : []),
    ["right drag, two fingers", "move the view"],
    ["wheel, pinch", "zoom"],
    ["click", "select a body or a joint; on a plot: go to that time"],
  ];
}

function table(rows: Row[]): HTMLElement {
  const cells = ([key, what]: Row) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, what));
  return el("table", {}, el("tbody", {}, ...rows.map(cells)));
}

export function makeHelp(live: boolean): HTMLDialogElement {
  const keys = [
    ...(live ? RUN_KEYS : PLAY_KEYS),
    ...LAYERS.map((layer): Row => [layer.key, layer.name]),
    ...COMMON_KEYS,
  ];
  const dialog = el(
    "dialog",
    { id: "help", "aria-label": "Help" },
    el(
      "div",
      { class: "help-head" },
      el("h2", {}, "Help"),
      el("button", { type: "button", "aria-label": "Close help", onclick: () => dialog.close() }, "✕"),
    ),
    el(
      "div",
      { class: "help-columns" },
      el("div", {}, el("h3", {}, "Keys"), table(keys)),
      el(
        "div",
        {},
        el("h3", {}, "Mouse and touch"),
        table(mouseRows(live)),
        el("h3", {}, "About"),
        el(
          "p",
          {},
          "Metres, seconds, newtons; z points up. This page makes no connection but to the simulation that it belongs to.",
        ),
        el(
          "p",
          {},
          "Drawn with three.js, © three.js authors, and uPlot, © Leon Sorokin, both under the MIT licence: permission is " +
            "granted, free of charge, to deal in the software without restriction, provided that the copyright notice and this " +
            "permission notice are included; the software is provided “as is”, without warranty of any kind.",
        ),
      ),
    ),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
