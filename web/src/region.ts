// Where things happen: what the camera should show, over the whole motion or moving along with it.

import { BodyBounds } from "./bounds";
import { outlineOf } from "./forms";
import { ABSENT, type Description, type Frame, type Vec3 } from "./protocol";

export interface Region {
  low: Vec3;
  high: Vec3;
  centre: Vec3;
  radius: number;
  /** Edge of a typical body [m]: the scale of marks and arrows. */
  size: number;
  /** Bodies that stand around the moving ones and hide them: one must look through them. */
  walls: Set<number>;
  /** Points beyond which there is nothing to be shown, three numbers each; from the middle of each frame on if it travels. */
  outline: Float64Array;
  /** What moves goes so far that little would be seen of it from where one sees all: the camera goes along. */
  travels: boolean;
  /** From how high one usually looks at it [degrees]. */
  elevation: number;
}

/** From the front, a little from the right and from above [degrees]; into bowls and funnels one looks from higher up. */
export const USUAL = { azimuth: 29, elevation: 23 };
const INTO = 50;

/** Boxes of bodies are looked at in so many frames that there are at most as many of them. */
const BOXES = 20000;
/** Beyond so many times the place of almost all it counts as gone. */
const GONE = 3;
/** A path that is longer than so many times what is on it is followed. */
const FAR = 5;
/** Walls that hide more than this part of what moves are drawn as glass. */
const HIDDEN = 0.1;
/** Fixed things are part of the picture if they end within so many times its length around what moves. */
const BESIDE = 2;
/** The same of things that hold all that moves, as a bowl does: they are what it moves in. */
const AROUND = 8;
/** Floors, which are lower than this part of their length, may be cut off earlier. */
const FLAT = 0.1;
const BESIDE_FLAT = 0.75;
/** Others are shown as well where the picture becomes longer by no more than this part: rows of them are not cut. */
const LITTLE = 0.25;

/** A camera that stands in that direction, seen from what it looks at. Angles in degrees; 0, 0 is the front: at −y. */
export function directionOf(azimuth: number, elevation: number): Vec3 {
  const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
  return [Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e)];
}

/** Some frames, evenly over the motion, from first to last: more of them if they hold little. */
export function sampled(description: Description, count: number): number[] {
  const load = description.bodies.reduce((sum, body) => sum + 1 + (body.nodes?.count ?? 0) / 8, 0);
  const most = Math.min(count, Math.max(12, Math.floor(BOXES / load)));
  return Array.from({ length: most }, (_, k) => Math.round((k * (count - 1)) / Math.max(1, most - 1)));
}

/** The value below which that part of all lies. */
function rank(values: number[], part: number): number {
  return values.sort((a, b) => a - b)[Math.round(part * (values.length - 1))]!;
}

/** A box without the few beads that left for good: nodes go their own ways. */
function boxOfMost(places: Float32Array, radius: number, out: Float64Array): void {
  for (let k = 0; k < 3; ++k) {
    const along = Array.from({ length: places.length / 3 }, (_, n) => places[3 * n + k]!);
    out[k] = rank(along, 0.01) - radius;
    out[3 + k] = rank(along, 0.99) + radius;
  }
}

type Box = Float64Array;
/** The box of a body or of one of its parts, and the edge of the body. */
interface Placed {
  body: number;
  box: Box;
  size: number;
}

const nothing = (): Box => Float64Array.of(Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity);
const longest = (box: Box) => Math.max(box[3]! - box[0]!, box[4]! - box[1]!, box[5]! - box[2]!);
const middle = (box: Box) => [0, 1, 2].map((k) => (box[k]! + box[3 + k]!) / 2) as Vec3;
function join(box: Box, other: Box): Box {
  for (let k = 0; k < 3; ++k) {
    box[k] = Math.min(box[k]!, other[k]!);
    box[3 + k] = Math.max(box[3 + k]!, other[3 + k]!);
  }
  return box;
}
const isFlat = (box: Box) => box[5]! - box[2]! < FLAT * longest(box);
const unionOf = (list: Placed[]) => list.reduce((sum, { box }) => join(sum, box), nothing());
const isWithin = (box: Box, other: Box, slack: number) =>
  [0, 1, 2].every((k) => box[k]! >= other[k]! - slack && box[3 + k]! <= other[3 + k]! + slack);

/** Whether all that moves stays in or over something: a bowl, a valley, a table. */
const carries = (box: Box, whole: Box) =>
  [0, 1].every((k) => whole[k]! >= box[k]! && whole[3 + k]! <= box[3 + k]!) && whole[2]! <= box[5]! + 1e-3 * longest(whole);

/** Boxes of what moves, frame by frame. In a scene where nothing can move: of all that has an end. */
class Motion {
  readonly bounds: BodyBounds;
  private readonly moves_: (index: number) => boolean;

  constructor(readonly description: Description) {
    this.bounds = new BodyBounds(description);
    const any = description.bodies.some((b) => b.motion === "dynamic");
    this.moves_ = (index) => !any || description.bodies[index]!.motion === "dynamic";
  }

  boxes(frame: Frame, which: (index: number) => boolean = this.moves_): Placed[] {
    const list: Placed[] = [];
    this.description.bodies.forEach((body, i) => {
      const box = new Float64Array(6);
      if (!which(i) || !this.bounds.of(frame, i, box)) return;
      if (body.nodes) boxOfMost(frame.nodes.get(i)!, body.nodes.radius, box);
      const beads = body.nodes && !body.nodes.triangles?.length;
      const size = beads ? 2 * body.nodes!.radius : Math.cbrt((box[3]! - box[0]!) * (box[4]! - box[1]!) * (box[5]! - box[2]!));
      list.push({ body: i, box, size });
    });
    return list;
  }

  /** Of what does not move by itself, part by part; `driven`: only what moves nevertheless. */
  still(frame: Frame, driven = false): Placed[] {
    return this.description.bodies.flatMap((body, index) => {
      if (driven && body.motion !== "kinematic") return [];
      if (this.moves_(index) || body.nodes || frame.state[index] === ABSENT) return [];
      return body.parts.flatMap((_, p) => {
        const box = new Float64Array(6);
        return this.bounds.ofPart(frame, index, p, box) ? [{ body: index, box, size: longest(box) }] : [];
      });
    });
  }
}

/** The middle of what moves in a frame, which a travelling camera keeps in its own; null if nothing does. */
export function middleOf(description: Description, frame: Frame): Vec3 | null {
  const boxes = new Motion(description).boxes(frame);
  return boxes.length ? middle(unionOf(boxes)) : null;
}

/** Points around some bodies in some frames, from the place of one of them on. */
export function outlineAround(description: Description, frames: Iterable<Frame>, bodies: Set<number>, from: number): Float64Array {
  const motion = new Motion(description);
  const points: number[] = [];
  for (const frame of frames) {
    const place = frame.position.subarray(3 * from, 3 * from + 3);
    for (const { box } of motion.boxes(frame, (i) => bodies.has(i))) corners(box, [-place[0]!, -place[1]!, -place[2]!], points);
  }
  return outlineOf(Float64Array.from(points));
}

function corners(box: Box, shift: Vec3, to: number[]): void {
  for (let c = 0; c < 8; ++c) for (let k = 0; k < 3; ++k) to.push(box[k + 3 * ((c >> k) & 1)]! + shift[k]!);
}

/** What the moving bodies occupy in the given frames, without the few that left for good, and the fixed things beside them. */
export function regionOf(description: Description, frames: Iterable<Frame>): Region {
  const motion = new Motion(description);
  let still: Placed[] = [];
  const driven: Placed[] = [];
  let all: Placed[][] = [];
  for (const frame of frames) {
    all.push(motion.boxes(frame));
    if (all.length === 1) still = motion.still(frame);
    else driven.push(...motion.still(frame, true));
  }
  if (all.every((boxes) => boxes.length === 0)) {
    const outline = Float64Array.of(-1, -1, 0, 1, 1, 1);
    return { ...extentOf(outline, [0, 0, 0]), size: 0.5, walls: new Set(), outline, travels: false, elevation: USUAL.elevation };
  }
  const isHere = whatIsHere(all.flat().map(({ box }) => box));
  all = all.map((boxes) => boxes.filter(({ box }) => isHere(box))).filter((boxes) => boxes.length > 0);
  const unions = all.map(unionOf);
  const whole = unions.reduce(join, nothing());
  const reach = (box: Box) => (isFlat(box) ? BESIDE_FLAT : isWithin(whole, box, 0) ? AROUND : BESIDE) * longest(whole);
  const beside = [...still, ...driven].filter(({ box }) => isWithin(box, whole, reach(box)));
  const shown = join(unionOf(beside), whole);
  const others = still.filter((placed) => !beside.includes(placed) && !isFlat(placed.box));
  beside.push(...others.filter(({ box }) => isWithin(box, shown, LITTLE * longest(shown))));
  const passed = still.some(({ box }) => !isFlat(box) && isWithin(box, whole, 0));
  const stage = still.some(({ box }) => !isFlat(box) && carries(box, whole) && isWithin(box, whole, BESIDE * longest(whole)));
  const travels = !passed && !stage && longest(whole) > FAR * Math.max(...unions.map(longest));
  const points: number[] = [];
  all.forEach((boxes, f) => {
    const shift = travels ? (middle(unions[f]!).map((x) => -x) as Vec3) : ([0, 0, 0] as Vec3);
    for (const { box } of boxes) corners(box, shift, points);
  });
  if (!travels) for (const { box } of beside) corners(box, [0, 0, 0], points);
  const outline = outlineOf(Float64Array.from(points));
  const extent = extentOf(outline, travels ? middle(unions[0]!) : [0, 0, 0]);
  const size = Math.max(rank(all.flat().map(({ size }) => size), 0.5), 1e-3 * extent.radius);
  const elevation = isHollow(motion.description, still, all.flat()) ? INTO : USUAL.elevation;
  return { ...extent, size, walls: wallsOf(motion.description, still, all.flat(), whole), outline, travels, elevation };
}

/** Says whether something is where almost all is. Nothing is gone where it costs little to show it. */
function whatIsHere(all: Box[]): (box: Box) => boolean {
  const core = Float64Array.from({ length: 6 }, (_, k) => rank(all.map((box) => box[k]!), k < 3 ? 0.01 : 0.99));
  const reach = GONE * longest(core);
  return longest(all.reduce(join, nothing())) > reach ? (box) => isWithin(box, core, reach / 2) : () => true;
}

/** Broad and tall things around what moves: a container, if it hides some of it from where one usually looks. */
function wallsOf(d: Description, still: Placed[], moving: Placed[], whole: Box): Set<number> {
  const walls = still.filter(({ body, box }) => {
    if (d.bodies[body]!.motion !== "fixed") return false;
    const broad = [0, 1].some((k) => box[3 + k]! - box[k]! > 0.4 * (whole[3 + k]! - whole[k]!));
    const high = whole[5]! - whole[2]!;
    return broad && box[5]! > whole[2]! + 0.2 * high && box[5]! - box[2]! > 0.2 * high;
  });
  const toward = directionOf(USUAL.azimuth, USUAL.elevation);
  const hidden = moving.filter(({ box }) => walls.some((wall) => isBefore(wall.box, middle(box), toward)));
  return walls.length > 1 && hidden.length > HIDDEN * moving.length ? new Set(walls.map(({ body }) => body)) : new Set();
}

/** Whether most of what moves is in a fixed mesh: a bowl, a funnel, a channel. */
function isHollow(d: Description, still: Placed[], moving: Placed[]): boolean {
  const meshes = still.filter(({ body }) => d.bodies[body]!.parts.some(({ shape }) => shape.type === "mesh"));
  const within = moving.filter(({ box }) => meshes.some((mesh) => isWithin(Float64Array.of(...middle(box), ...middle(box)), mesh.box, 0)));
  return within.length > 0.5 * moving.length;
}

/** Whether a ray from a point outside the box meets it. */
function isBefore(box: Box, from: Vec3, toward: Vec3): boolean {
  let enter = -Infinity;
  let leave = Infinity;
  for (let k = 0; k < 3; ++k) {
    const [s, t] = [(box[k]! - from[k]!) / toward[k]!, (box[3 + k]! - from[k]!) / toward[k]!];
    enter = Math.max(enter, Math.min(s, t));
    leave = Math.min(leave, Math.max(s, t));
  }
  return enter > 0 && leave > enter;
}

function extentOf(outline: Float64Array, shift: Vec3): { low: Vec3; high: Vec3; centre: Vec3; radius: number } {
  const box = nothing();
  for (let i = 0; i < outline.length; i += 3) {
    const p = [0, 1, 2].map((k) => outline[i + k]! + shift[k]!);
    join(box, Float64Array.of(...p, ...p));
  }
  const low = [...box.subarray(0, 3)] as Vec3;
  const high = [...box.subarray(3)] as Vec3;
  const radius = Math.max(1e-6, Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2);
  return { low, high, centre: middle(box), radius };
}

