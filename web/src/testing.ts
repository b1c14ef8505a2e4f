// window.stickslip: for end-to-end tests, pictures and curious people. Described in web/README.md.

import * as THREE from "three";
import { applyCamera } from "./address";
import type { Colouring } from "./body_values";
import { LAYERS, type FieldName, type LayerName } from "./layers";
import { decodedField, type Vec3 } from "./protocol";
import type { Timeline } from "./timeline";
import type { Viewer } from "./viewer";

function jointSurface(viewer: () => Viewer) {
  return {
    joints: () => (viewer().description?.joints ?? []).map((j) => ({ name: j.name, type: j.type })),
    /** What the frame says about a joint; null if it says nothing. */
    joint(index: number) {
      const j = viewer().frame?.joints;
      if (!j) return null;
      const range = [j.first[index]!, j.first[index + 1]!] as const;
      return {
        state: j.state[index],
        error: j.error[index],
        force: [...j.force.subarray(3 * index, 3 * index + 3)],
        torque: [...j.torque.subarray(3 * index, 3 * index + 3)],
        coupling: j.coupling[index],
        position: [...j.position.subarray(...range)],
        velocity: [...j.velocity.subarray(...range)],
        motor: [...j.motor.subarray(...range)],
      };
    },
    selectJoint: (index: number) => viewer().selectJoint(index),
    selectedJoint: () => viewer().selectedJoint,
    /** Pixel of the window where a joint is. */
    projectJoint(index: number) {
      const anchor = viewer().view.joints!.places.anchor(viewer().frame!, index);
      return anchor && viewer().view.project(anchor);
    },
  };
}

export function makeSurface(viewer: () => Viewer, timeline: () => Timeline | null, ready: Promise<void>) {
  return {
    /** Fulfilled when the first frame is drawn; rejected with the reason if there is nothing to show. */
    ready,
    mode: () => (timeline() ? "replay" : "live"),
    frame: () => timeline()?.index ?? viewer().frame?.index ?? -1,
    frames: () => Number(timeline()?.element.querySelector("input")?.max ?? -1) + 1,
    step: () => viewer().frame?.step ?? -1,
    time: () => viewer().frame?.time ?? NaN,
    /** Shows that frame and draws it before it returns. */
    setFrame(index: number): void {
      timeline()?.pause();
      timeline()?.go(index);
      viewer().view.draw();
    },
    play: () => timeline()?.play(),
    pause: () => timeline()?.pause(),
    playing: () => timeline()?.playing ?? false,
    /** Where the nodes of a body are, three numbers each [m]; null of a rigid body. */
    nodes: (index: number) => (viewer().frame?.nodes.has(index) ? [...viewer().frame!.nodes.get(index)!] : null),
    /** Pixel of the window where a point of the world appears [m]. */
    projectPoint: (point: Vec3) => viewer().view.project(new THREE.Vector3(...point)),
    bodies: () => (viewer().description?.bodies ?? []).map((b) => ({ name: b.name, motion: b.motion, mass: b.mass })),
    body(index: number) {
      const f = viewer().frame!;
      const asleep = f.state[index];
      return {
        position: [...f.position.subarray(3 * index, 3 * index + 3)],
        orientation: [...f.orientation.subarray(4 * index, 4 * index + 4)],
        velocity: f.velocity(index),
        state: asleep,
      };
    },
    /** Values of a field at the nodes of the surface of a soft body; null if they are not known. */
    field: (index: number, name: FieldName) => {
      const fields = viewer().description?.bodies[index]?.nodes?.fields ?? [];
      const codes = viewer().frame?.fields.get(index);
      const at = fields.findIndex((field) => field.name === name);
      if (!codes || at < 0) return null;
      const width = codes.length / fields.length;
      return [...codes.subarray(at * width, (at + 1) * width)].map((code) => decodedField(code, fields[at]!.from));
    },
    /** What the last colour of a field stands for. */
    fieldScale: (name: FieldName) => viewer().view.fields?.of(name) ?? null,
    ...jointSurface(viewer),
    contacts: () => viewer().frame?.contacts?.count ?? 0,
    /** What of meshes touches, contact by contact, as numbers of the protocol; facets from 1. */
    touches: () => {
      const c = viewer().frame?.contacts;
      return c ? Array.from({ length: c.count }, (_, i) => ({ touch: c.touch[i], facets: [c.facetA[i], c.facetB[i]] })) : [];
    },
    select: (index: number) => viewer().select(index),
    selected: () => viewer().selected,
    /** Body under a pixel of the window, −1 for none. */
    pick: (x: number, y: number) => viewer().view.pick(x, y)?.body ?? -1,
    /** Pixel of the window where the centre of mass of a body appears. */
    project: (index: number) => viewer().view.project(new THREE.Vector3().fromArray(viewer().frame!.position, 3 * index)),
    camera: {
      get: () => ({
        position: viewer().view.camera.object.position.toArray(),
        target: viewer().view.camera.controls.target.toArray(),
        ...viewer().view.camera.angles,
        orthographic: viewer().view.camera.orthographic,
        followed: viewer().view.camera.followed,
        zoom: viewer().view.camera.zoom,
        fitTo: viewer().view.camera.fitTo,
      }),
      set(position: Vec3, target: Vec3): void {
        viewer().view.camera.look(position, target);
        viewer().view.draw();
      },
      fit: () => viewer().view.camera.fit(),
      /** As after # in the address: {"camera": "30,20", "follow": "body"}. Says what it does not understand. */
      wish: (wishes: Record<string, string>) => applyCamera(viewer(), new URLSearchParams(wishes)),
    },
    layers: { all: () => LAYERS.map((l) => l.name), on: () => viewer().layers.list,
      set(name: LayerName, on: boolean): void {
        viewer().layers.set(name, on);
        viewer().view.draw();
      } },
    /** What bodies are coloured by. */
    colourBy: (by: Colouring) => {
      viewer().colourBy(by);
      viewer().view.draw();
    },
    /** What the colours of bodies stand for; null if for no numbers. */
    range: () => viewer().view.range,
    theme: (name?: "light" | "dark") => {
      if (name) viewer().theme.choose(name);
      return viewer().theme.name;
    },
    plots: { list: () => viewer().plots.list(), csv: (id: string) => viewer().plots.csv(id) },
    /** PNG of the view alone as a data URL. */
    picture: (width: number, height: number) => viewer().view.picture(width, height),
    /** Pictures drawn so far. */
    drawn: () => viewer().view.drawn,
  };
}
