// A made-up scene of meshes: blocks that lie on the ground, plain, coloured and with a picture; arrays as base64 text.

/** Faces of a cube with side 0.4: −x, +x, −y, +y, −z, +z; each a facet of two triangles with four vertices of its own. */
function cube() {
  const positions = [];
  const normals = [];
  const corners = [];
  const facets = [];
  const onPicture = [];
  for (let axis = 0; axis < 3; ++axis)
    for (const side of [-1, 1]) {
      const first = positions.length / 3;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const point = [0, 0, 0];
        point[axis] = 0.2 * side;
        point[(axis + 1) % 3] = 0.2 * u * side;
        point[(axis + 2) % 3] = 0.2 * v;
        positions.push(...point);
        normals.push(...[0, 1, 2].map((k) => (k === axis ? side : 0)));
        onPicture.push((u * side + 1) / 2, (v + 1) / 2);
      }
      corners.push(first, first + 1, first + 2, first, first + 2, first + 3);
      facets.push(2 * axis + (side + 1) / 2, 2 * axis + (side + 1) / 2);
    }
  return { positions, normals, corners, facets, onPicture };
}

const text = (array) => Buffer.from(array.buffer).toString("base64");

export function packedCube(extra = {}) {
  const { positions, normals, corners, facets } = cube();
  return {
    name: "cube",
    positions: text(Float32Array.from(positions)),
    normals: text(Int16Array.from(normals, (x) => 32767 * x)),
    corners: text(Uint32Array.from(corners)),
    facets: text(Uint32Array.from(facets)),
    ...extra,
  };
}

/** Two pixels, red left and green right. */
export const RED_GREEN =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR42mP4z8DA8J8BAAf/Af+4BDXgAAAAAElFTkSuQmCC";

/** bodies: ground, plain, coloured (blue), pictured (the top with the picture, the rest without). */
export function makeBlocks() {
  const still = { position: [0, 0, 0], orientation_wxyz: [1, 0, 0, 0] };
  const blue = text(Uint8Array.from({ length: 96 }, (_, i) => [0, 0, 255, 255][i % 4]));
  const block = (name, mesh) => ({ name, motion: "dynamic", mass: 1, material: "default",
    parts: [{ shape: { type: "mesh", mesh }, ...still }] });
  return {
    protocol: 6,
    program: "stickslip 0.1.0",
    name: "made-up blocks",
    look_for: "Blocks lie.",
    h: 0.01,
    gravity: [0, 0, -9.81],
    quantum: 1e-6,
    solver: "auto",
    solvers: ["auto", "pgs"],
    contact_features: true,
    bodies: [
      { name: "ground", motion: "fixed", mass: 0, material: "default", parts: [{ shape: { type: "half-space" }, ...still }] },
      block("plain", 0),
      block("coloured", 1),
      block("pictured", 2),
    ],
    meshes: [
      packedCube(),
      packedCube({ colours: blue }),
      packedCube({
        on_picture: text(Float32Array.from(cube().onPicture)),
        picture_of: text(Uint32Array.from({ length: 12 }, (_, t) => (t >= 10 ? 1 : 0))),
        pictures: [0],
      }),
    ],
    pictures: [RED_GREEN],
    telemetry: [{ name: "contacts", unit: "", help: "contacts" }],
  };
}

export function makeBlocksFrame(_, index) {
  const body = (position) => ({ position, orientation: [1, 0, 0, 0], state: 0 });
  const contact = (b, position, features) => ({ a: 0, b, position, normal: [0, 0, 1], force: [0, 0, 3], gap: 0,
    slip: [0, 0, 0], friction: 0.5, ...features });
  return {
    step: index,
    time: 0.01 * index,
    bodies: [body([0, 0, 0]), body([-1, 0, 0.2]), body([0, 0, 0.2]), body([1, 0, 0.2])],
    contacts: [
      contact(1, [-1.2, -0.2, 0.4], { touch: 2, facetB: 6 }),
      contact(2, [0, 0, 0.4], { touch: 1, facetB: 6 }),
      contact(3, [1, -0.2, 0.4], { touch: 3, facetB: 6 }),
    ],
    telemetry: [3],
    history: [],
  };
}

export const makeBlocksFrames = (description, count) => Array.from({ length: count }, (_, i) => makeBlocksFrame(description, i));
