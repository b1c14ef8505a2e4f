// Contacts of solids given by distance fields, with every other shape.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/geometry/shape.h"

namespace stickslip::narrow {

/// Adds the points where features of one solid (vertices, edges, faces, rims, centres) are nearest to the other, with a gap of
/// at most `margin`; normals point from `other` to `field`. Parts are directions of normals, so that several get manifolds of
/// their own. @pre the mesh has a field; `other` may be any shape, a mesh with or without one too
void collide_field(const Shape& other, const Pose&, const Mesh& field, const Pose&, double margin, ContactSink&);

}   // namespace stickslip::narrow
