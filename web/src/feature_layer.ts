// Highlights what of meshes touches: the facet under a vertex, the vertex on it, edges that cross.

import * as THREE from "three";
import { touchColour } from "./colour_scales";
import { Facets, nearestCorner, nearestEdge, ShapePlace } from "./features";
import type { Form } from "./forms";
import { PointMarks, RodMarks } from "./marks";
import type { Contacts, Description, Frame, Vec3 } from "./protocol";

/** Facets of more triangles in a frame are left out [triangles]: whoever looks at that many sees none of them. */
const MOST = 200_000;

const VERTEX_FACE = 1;
const FACE_VERTEX = 2;
const EDGE_EDGE = 3;

export class FeatureLayer {
  readonly group = new THREE.Group();
  private readonly facets_ = new THREE.Mesh(
    new THREE.BufferGeometry(),
    new THREE.MeshBasicMaterial({
      vertexColors: true, transparent: true, opacity: 0.5, side: THREE.DoubleSide, depthWrite: false, fog: false,
    }),
  );
  private readonly corners_ = new PointMarks(13, true);
  private readonly edges_ = new RodMarks(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  private readonly index_ = new WeakMap<Form, Facets>();
  private readonly place_ = new ShapePlace();
  private triangles_: number[] = [];
  private triangleColours_: number[] = [];
  private points_: number[] = [];
  private pointColours_: number[] = [];

  /** `size`: of a typical body [m]. */
  constructor(private readonly description_: Description, private readonly size_: number) {
    this.facets_.frustumCulled = false;
    this.group.add(this.facets_, this.edges_.group, this.corners_.object);
    this.draw();
  }

  /** Of all contacts, or of those of the selected body if there is one (else −1). `c` is null if nothing is to be shown. */
  update(frame: Frame, c: Contacts | null, selected: number): void {
    this.triangles_ = [];
    this.triangleColours_ = [];
    this.points_ = [];
    this.pointColours_ = [];
    this.edges_.begin();
    const seen = new Set<string>();
    for (let i = 0; c && i < c.count; ++i) {
      const touch = c.touch[i]!;
      if (touch === 0 || (selected >= 0 && c.a[i] !== selected && c.b[i] !== selected)) continue;
      const at = [...c.position.subarray(3 * i, 3 * i + 3)] as Vec3;
      const colour = new THREE.Color().setRGB(...touchColour(touch), THREE.SRGBColorSpace);
      this.mark(frame, c.a[i]!, c.shapeA[i]!, c.facetA[i]!, touch, touch === VERTEX_FACE, at, colour, seen);
      this.mark(frame, c.b[i]!, c.shapeB[i]!, c.facetB[i]!, touch, touch === FACE_VERTEX, at, colour, seen);
    }
    this.edges_.end();
    this.draw();
  }

  /** One side of a contact. `vertex`: this side touches with a vertex. */
  private mark(
    frame: Frame, body: number, shape: number, facet: number, touch: number, vertex: boolean, at: Vec3,
    colour: THREE.Color, seen: Set<string>,
  ): void {
    const part = this.description_.bodies[body]?.parts[shape];
    if (facet === 0 || part?.shape.type !== "mesh" || !part.shape.form.facets) return;
    const found = this.facetsOf(part.shape.form).of(facet - 1);
    if (!found) return;
    this.place_.set(frame, this.description_, body, shape);
    if (vertex) {
      this.points_.push(...this.place_.toWorld(found.rim, nearestCorner(found.rim, this.place_.toLocal(at))));
      this.pointColours_.push(...colour.toArray());
    } else if (touch === EDGE_EDGE) {
      const edge = nearestEdge(found.rim, this.place_.toLocal(at));
      const [from, to] = [this.place_.toWorld(found.rim, edge), this.place_.toWorld(found.rim, edge + 3)];
      this.edges_.add(new THREE.Vector3(...from), new THREE.Vector3(...to), 0.012 * this.size_, colour);
    } else {
      const key = `${body} ${shape} ${facet}`;
      if (seen.has(key) || this.triangles_.length + found.triangles.length > 9 * MOST) return;
      seen.add(key);
      for (let k = 0; k < found.triangles.length; k += 3) {
        this.triangles_.push(...this.place_.toWorld(found.triangles, k));
        this.triangleColours_.push(...colour.toArray());
      }
    }
  }

  private facetsOf(form: Form): Facets {
    let facets = this.index_.get(form);
    if (!facets) this.index_.set(form, (facets = new Facets(form)));
    return facets;
  }

  private draw(): void {
    const geometry = this.facets_.geometry;
    geometry.dispose();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.triangles_, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(this.triangleColours_, 3));
    this.facets_.visible = this.triangles_.length > 0;
    const { positions, colours } = this.corners_.begin(this.points_.length / 3);
    positions.set(this.points_);
    colours.set(this.pointColours_);
  }
}
