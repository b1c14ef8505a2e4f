// Convex polygons in the plane: corners, closest points, and where those lie.
#pragma once

#include <vector>

#include "stickslip/friction/set_values.h"

namespace stickslip::friction_detail {

/// Corners of the hull, counter-clockwise from the lowest x. Points on edges, or off them by rounding, are dropped:
/// points on a line make a segment.
std::vector<Vec2> planar_hull(std::vector<Vec2> points);
/// The same in place; of a few points nothing is allocated. @returns whether anything changed
bool make_planar_hull(std::vector<Vec2>& points);

/// Closest point of a polygon, and on what it lies.
struct ClosestOnPolygon {
  Vec2 point;
  enum { inside, edge, corner } where;
  std::size_t first = 0;   ///< the corner, or the one where the edge starts
};

/// Of n times the polygon with these corners, counter-clockwise; two make a segment, one a point.
ClosestOnPolygon closest_on_polygon(const std::vector<Vec2>& corners, double n, const Vec2& trial);

/// The corner that lies farthest along a direction.
const Vec2& farthest_corner(const std::vector<Vec2>& corners, const Vec2& direction);

}   // namespace stickslip::friction_detail
