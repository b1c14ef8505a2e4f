// What the marks mean and how long a newton is.

import { STOPS, stopText } from "./colour_bar";
import { css, fieldColour, forceColour, heatColour, SLIP_FULL, slipColour, STICK_BELOW, touchColour, type Rgb } from "./colour_scales";
import { el } from "./dom";
import { TOUCHES } from "./features";
import type { LayerState } from "./layers";
import { niceBelow, readable, readableLength } from "./math";
import type { View } from "./view";

export class Legend {
  private last_ = "";

  constructor(private readonly host_: HTMLElement, private readonly zoom_: (factor: number) => void) {}

  update(view: View, layers: LayerState): void {
    const contacts = view.contacts;
    const metres = contacts ? contacts.metresPerNewton * contacts.forceZoom : 0;
    const arrows = layers.has("forces") || layers.has("joint-forces");
    const forces = (arrows || layers.has("cones")) && metres > 0;
    const range = view.range;
    const state = JSON.stringify([view.ground?.square, layers.list, metres, contacts?.fullForce, contacts?.fullPenetration, contacts?.overlapZoom, range]);
    if (state === this.last_) return;
    this.last_ = state;

    const rows: HTMLElement[] = [];
    if (forces) {
      // A round force whose arrow is about as long as a typical body.
      const newtons = niceBelow(view.region!.size / metres);
      rows.push(
        el(
          "div",
          { id: "force-scale" },
          el("span", {}, `${arrows ? "Arrows" : "Cones"}: ${readable(newtons)} N = ${readableLength(newtons * metres)}`),
          ...(layers.has("forces") ? [bar(forceColour), el("span", { id: "force-colours" }, `0 … ${readable(contacts!.fullForce)} N`)] : []),
          el(
            "button",
            { type: "button", title: "Shorter arrows (,)", "aria-label": "Shorter arrows", onclick: () => this.zoom_(0.5) },
            "−",
          ),
          el(
            "button",
            { type: "button", title: "Longer arrows (.)", "aria-label": "Longer arrows", onclick: () => this.zoom_(2) },
            "+",
          ),
        ),
      );
    }
    if (layers.has("slip"))
      rows.push(
        el(
          "div",
          {},
          dot(slipColour(0)),
          el("span", {}, "sticks"),
          bar((t) => slipColour(STICK_BELOW * (SLIP_FULL / STICK_BELOW) ** t)),
          el("span", {}, `slips at 1 mm/s … ${SLIP_FULL} m/s`),
        ),
      );
    if (layers.has("penetration") && contacts)
      rows.push(
        el(
          "div",
          {},
          el("span", {}, "Penetration 0"),
          bar((t) => heatColour(-t * contacts.fullPenetration, contacts.fullPenetration)),
          el("span", {}, readableLength(contacts.fullPenetration)),
        ),
      );
    if (layers.has("overlaps") && contacts)
      rows.push(el("div", { id: "overlap-scale" }, el("span", {}, `Overlaps: depth × ${readable(contacts.overlapZoom)}`)));
    if (layers.has("features"))
      rows.push(
        el(
          "div",
          { id: "touch-colours" },
          ...TOUCHES.flatMap((name, k) => (k > 0 ? [dot(touchColour(k)), el("span", {}, name)] : [])),
        ),
      );
    if (range)
      rows.push(
        el(
          "div",
          { id: "field-scale" },
          el("span", {}, range.title),
          el(
            "div",
            { class: "colour-bar" },
            bar(fieldColour),
            el(
              "div",
              { class: "ticks" },
              ...STOPS.map((t) => el("span", {}, stopText(range, t))),
            ),
          ),
        ),
      );
    if (view.ground && layers.has("grid"))
      rows.push(el("div", { id: "grid-scale" }, el("span", {}, `Grid: ${readableLength(view.ground.square)} per square`)));
    this.host_.replaceChildren(...rows);
  }
}

function dot(colour: Rgb): HTMLElement {
  const element = el("i", { class: "dot" });
  element.style.background = css(colour);
  return element;
}

function bar(colour: (t: number) => Rgb): HTMLElement {
  const element = el("i", { class: "ramp" });
  element.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map((t) => css(colour(t))).join(", ")})`;
  return element;
}
