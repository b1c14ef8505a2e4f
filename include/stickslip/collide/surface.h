// Contacts of surfaces that deform, as those of soft bodies: against shapes, against each other, against themselves.
//
// Every contact is a part of its own (geometry/surface_part.h), because every one moves with vertices of its own. Gaps are
// signed: vertices that have come inside are held by the nearest place of the surface that they came through.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/geometry/mesh_distance.h"
#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Contacts of a surface (A) with a shape (B), as far as `margin` apart [m]: vertices of the surface at the shape, corners of
/// the shape at triangles, and where edges or faces are nearer than their corners, those. Normals point from the surface to
/// the shape; parts are those of the surface, 0 of the shape. Sorted by parts.
void collide_surface(const MeshSurface& a, const Shape& b, const Pose& pose_b, double margin, ContactSink&);

/// Contacts of two surfaces: vertices with triangles both ways, and crossing edges. Normals point from A to B.
void collide_surfaces(const MeshSurface& a, const MeshSurface& b, double margin, ContactSink&);

/// Contacts of a surface with itself, where it is folded. @param depth down to which vertices count as having come through a
/// triangle rather than belonging behind it [m]
void collide_self(const MeshSurface&, double margin, double depth, ContactSink&);

}   // namespace stickslip
