// The help panel: keys, mouse, licences.

import { el } from "./dom";
import { LAYERS } from "./layers";

export function makeHelp(live: boolean): HTMLDialogElement {
  const keys: [string, string][] = [
    ...(live
      ? ([["space", "run, pause"], ["→", "one step"], ["r", "reset"], ["c", "capture the contact problem"]] as [string, string][])
      : ([["space", "play, pause"], ["← →", "one frame back, forward"], ["shift ← →", "ten frames"], ["home, end", "first, last frame"],
          ["− +", "slower, faster"], ["l", "loop"]] as [string, string][])),
    ...LAYERS.map((layer): [string, string] => [layer.key, layer.title.toLowerCase()]),
    [", .", "shorter, longer force arrows"],
    ["f", "show everything"],
    ["esc", "deselect"],
    ["p", "side panel"],
    ["t", "dark, light"],
    ["?", "this help"],
  ];
  const mouse: [string, string][] = [
    ["drag", live ? "turn the view; on a body: pull it with a spring" : "turn the view"],
    ...(live ? ([["alt drag", "turn the view, also over a body"]] as [string, string][]) : []),
    ["right drag, two fingers", "move the view"],
    ["wheel, pinch", "zoom"],
    ["click", "select a body or a joint; on a plot: go to that time"],
  ];
  const table = (rows: [string, string][]) =>
    el("table", {}, el("tbody", {}, ...rows.map(([key, what]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, what)))));
  const dialog = el("dialog", { id: "help", "aria-label": "Help" },
    el("div", { class: "help-head" }, el("h2", {}, "Help"), el("button", { type: "button", "aria-label": "Close help", onclick: () => dialog.close() }, "✕")),
    el("div", { class: "help-columns" }, el("div", {}, el("h3", {}, "Keys"), table(keys)),
      el("div", {}, el("h3", {}, "Mouse and touch"), table(mouse),
        el("h3", {}, "About"),
        el("p", {}, "Metres, seconds, newtons; z points up. This page makes no connection but to the simulation that it belongs to."),
        el("p", {}, "Drawn with three.js, © three.js authors, and uPlot, © Leon Sorokin, both under the MIT licence: permission is granted, free of charge, to deal in the software without restriction, provided that the copyright notice and this permission notice are included; the software is provided “as is”, without warranty of any kind."))));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
