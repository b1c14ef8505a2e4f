// What can be switched on and off, and the keys that do it.

export type LayerName =
  | "contacts" | "normals" | "forces" | "cones" | "slip" | "penetration" | "manifolds" | "overlaps" | "boxes" | "pressure-centres" | "features"
  | "joints" | "joint-forces" | "trails" | "selected-only" | "marks-in-front" | "shadows" | "grid" | "see-through" | FieldName;

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
  /** Only of use where contacts stand for areas. */
  areas?: boolean;
  /** Only of use in a scene with soft bodies. */
  soft?: boolean;
}

/** The name, which addresses and `--layer` take, is the title in small letters with - for spaces. */
export const LAYERS: Layer[] = [
  { name: "contacts", key: "1", title: "Contacts", help: "Where bodies touch", contacts: true },
  { name: "normals", key: "2", title: "Normals", help: "Contact normals, from body A to body B", contacts: true },
  { name: "forces", key: "3", title: "Forces", help: "Contact forces on body B", contacts: true },
  {
    name: "cones",
    key: "4",
    title: "Cones",
    help: "Friction cones: half-angle atan μ, as high as the normal force: a force on the rim slides",
    contacts: true,
  },
  { name: "slip", key: "5", title: "Slip", help: "Contacts coloured by slip speed", contacts: true },
  { name: "penetration", key: "6", title: "Penetration", help: "Contacts coloured by depth of penetration", contacts: true },
  { name: "manifolds", key: "7", title: "Manifolds", help: "Contacts of the same pair of bodies, joined; outlines of areas", contacts: true },
  { name: "pressure-centres", key: "8", title: "Pressure centres", help: "Centre of pressure of each pair of bodies: Σλp / Σλ", contacts: true },
  {
    name: "overlaps",
    key: "h",
    title: "Overlaps",
    help: "What two bodies share where a contact stands for an area, enlarged across it as the legend says: as it is, where that was recorded; else a prism as deep as the volume in the mean",
    contacts: true,
    areas: true,
  },
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
    title: "Energy",
    help: "Elastic energy per volume of soft bodies",
    contacts: false,
    soft: true,
  },
  { name: "trails", key: "y", title: "Trails", help: "Ways of the bodies until now; of the selected one only, if there is one", contacts: false },
  { name: "selected-only", key: "w", title: "Selected only", help: "Marks of contacts of the selected body alone", contacts: false },
  { name: "marks-in-front", key: "d", title: "Marks in front", help: "Marks are seen through bodies; without it bodies hide them", contacts: false },
  { name: "boxes", key: "9", title: "Boxes", help: "Axis-aligned boxes of the bodies", contacts: false },
  { name: "see-through", key: "x", title: "See-through", help: "Transparent bodies", contacts: false },
  { name: "shadows", key: "s", title: "Shadows", help: "Shadows of the sun", contacts: false },
  { name: "grid", key: "g", title: "Grid", help: "Squares on the ground", contacts: false },
];

/** They colour the same points, so only one of them is on. */
const COLOUR_POINTS: LayerName[] = ["slip", "penetration", "features"];
/** They colour the same surfaces. */
const FIELDS: FieldName[] = ["stress", "contact-pressure", "energy"];

export class LayerState {
  private readonly on_ = new Set<LayerName>(["shadows", "grid", "marks-in-front"]);
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
