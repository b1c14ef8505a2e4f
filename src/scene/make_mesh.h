// Meshes that a scene describes by how they are made.
#pragma once

#include "scene/reader.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip::document {

/// Reads "make" and the numbers that go with it (docs/scenes.md), and makes the mesh. @param fields of a mesh, at `place`
TriangleMesh make_mesh(const Place& place, Fields& fields);

}   // namespace stickslip::document
