// What can be switched on and off, and the keys that do it.

export type LayerName =
  | "points" | "normals" | "forces" | "cones" | "slip" | "heat" | "manifolds" | "boxes" | "pressure" | "features"
  | "joints" | "joint-forces" | "shadows" | "grid" | "through" | FieldName;

/** Fields of soft bodies, named as in the protocol. */
export type FieldName = "stress" | "contact-pressure" | "energy";

export interface Layer {
  name: LayerName;
  key: string;
  title: string;
  help: string;
  /** Needs the contacts of the frame. */
  contacts: boolean;
  /** Only of use in a scene with joints. */
  joints?: boolean;
  /** Only of use in a scene with meshes. */
  meshes?: boolean;
  /** Only of use in a scene with soft bodies. */
  soft?: boolean;
}

export const LAYERS: Layer[] = [
  { name: "points", key: "1", title: "Contact points", help: "Where bodies touch", contacts: true },
  { name: "normals", key: "2", title: "Normals", help: "Contact normals, from body A to body B", contacts: true },
  { name: "forces", key: "3", title: "Forces", help: "Contact forces on body B", contacts: true },
  {
    name: "cones",
    key: "4",
    title: "Friction cones",
    help: "Half-angle atan μ, as high as the normal force: a force on the rim slides",
    contacts: true,
  },
  { name: "slip", key: "5", title: "Stick / slip", help: "Contacts coloured by slip speed", contacts: true },
  { name: "heat", key: "6", title: "Penetration", help: "Contacts coloured by depth of penetration", contacts: true },
  { name: "manifolds", key: "7", title: "Manifolds", help: "Contacts of the same pair of bodies, joined; outlines of areas", contacts: true },
  { name: "pressure", key: "8", title: "Centre of pressure", help: "Of each pair of bodies: Σλp / Σλ", contacts: true },
  {
    name: "features",
    key: "0",
    title: "Features",
    help: "What of meshes touches, of the selected body or of all: vertices on faces, edges on edges",
    contacts: true,
    meshes: true,
  },
  {
    name: "joints",
    key: "j",
    title: "Joints",
    help: "Axes, limits and present places of joints; red where a joint is apart",
    contacts: false,
    joints: true,
  },
  { name: "joint-forces", key: "k", title: "Joint forces", help: "Forces of joints on body B", contacts: false, joints: true },
  { name: "stress", key: "v", title: "Stress", help: "Von Mises stress of soft bodies", contacts: false, soft: true },
  {
    name: "contact-pressure",
    key: "b",
    title: "Contact pressure",
    help: "What presses on the surface of soft bodies",
    contacts: false,
    soft: true,
  },
  {
    name: "energy",
    key: "e",
    title: "Strain energy",
    help: "Elastic energy per volume of soft bodies",
    contacts: false,
    soft: true,
  },
  { name: "boxes", key: "9", title: "Bounding boxes", help: "Axis-aligned boxes of the bodies", contacts: false },
  { name: "through", key: "x", title: "See-through", help: "Transparent bodies", contacts: false },
  { name: "shadows", key: "s", title: "Shadows", help: "Shadows of the sun", contacts: false },
  { name: "grid", key: "g", title: "Grid", help: "Squares on the ground", contacts: false },
];

/** They colour the same points, so only one of them is on. */
const COLOUR_POINTS: LayerName[] = ["slip", "heat", "features"];
/** They colour the same surfaces. */
const FIELDS: FieldName[] = ["stress", "contact-pressure", "energy"];

export class LayerState {
  private readonly on_ = new Set<LayerName>(["shadows", "grid"]);
  private readonly listeners_: ((name: LayerName) => void)[] = [];

  has(name: LayerName): boolean {
    return this.on_.has(name);
  }
  set(name: LayerName, on: boolean): void {
    if (on === this.has(name)) return;
    if (on) this.on_.add(name);
    else this.on_.delete(name);
    for (const rivals of [COLOUR_POINTS, FIELDS] as LayerName[][])
      if (on && rivals.includes(name)) for (const rival of rivals) if (rival !== name) this.set(rival, false);
    for (const listener of this.listeners_) listener(name);
  }
  toggle(name: LayerName): void {
    this.set(name, !this.has(name));
  }
  onChange(listener: (name: LayerName) => void): void {
    this.listeners_.push(listener);
  }
  /** The field that colours soft bodies. */
  get field(): FieldName | null {
    return FIELDS.find((name) => this.has(name)) ?? null;
  }
  get list(): LayerName[] {
    return [...this.on_];
  }
  get wantJoints(): boolean {
    return LAYERS.some((layer) => layer.joints && this.has(layer.name));
  }
  get wantContacts(): boolean {
    return LAYERS.some((layer) => layer.contacts && this.has(layer.name));
  }
}
