// The place of a straight edge that is nearest to a convex shape, exactly: cores are rounded, and patches tell what lies over
// each other, not what is nearest.
#pragma once

#include <optional>

#include "collide/polytope_view.h"

namespace stickslip::narrow {

/// A place of an edge beside or in a convex shape, in the frame of the shape.
struct EdgePlace {
  Vec3 on_shape, on_edge;
  Vec3 normal;   ///< unit, out of the shape
  double gap;    ///< distance, or depth if negative [m]
};

/// The nearest place of an edge to a polytope that it does not meet; nothing beyond `reach` [m].
std::optional<EdgePlace> nearest_of_edge(const PolytopeView&, const Vec3& from, const Vec3& to, double reach);

/// The nearest place of an edge to a cylinder, or the deepest one in it.
EdgePlace nearest_of_edge(const Cylinder&, const Vec3& from, const Vec3& to);

}   // namespace stickslip::narrow
