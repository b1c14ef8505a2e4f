// Where bodies came from: the ways of their centres of mass until now.

import * as THREE from "three";
import { LineMarks } from "./marks";
import { ABSENT, type Description, type Frame } from "./protocol";

/** With more bodies than this only the selected one leaves a trail. */
const MOST_BODIES = 300;
/** Of one trail. */
const MOST_POINTS = 400;

/** The way of a body until the frame that is shown, three numbers each, oldest first. */
export type TrailOf = (body: number, points: number) => Float64Array;

export class Trails {
  readonly lines = new LineMarks(0.85);
  readonly object: THREE.Object3D = this.lines.object;

  constructor(private readonly description_: Description) {
    this.lines.begin(0);
  }

  update(frame: Frame | null, selected: number, trailOf: TrailOf): void {
    const bodies = this.description_.bodies;
    const moving = bodies.flatMap(({ motion }, i) => (motion === "fixed" || frame?.state[i] === ABSENT ? [] : [i]));
    const which = !frame ? [] : selected >= 0 ? [selected] : moving.length <= MOST_BODIES ? moving : [];
    const trails = which.map((body) => trailOf(body, MOST_POINTS));
    const to = this.lines.begin(trails.reduce((sum, trail) => sum + Math.max(0, trail.length / 3 - 1), 0));
    let at = 0;
    for (const trail of trails)
      for (let i = 0; i + 3 < trail.length; i += 3) {
        to.set(trail.subarray(i, i + 6), at);
        at += 6;
      }
  }
}
