// Do edges and triangles meet? Exact answers: decided by signs of determinants that are computed without rounding where a
// filter cannot tell [Shewchuk 1997]. The same on every machine; touching counts as meeting; edges without length and
// triangles without area are the points and edges that they are.
//
// Exact for finite coordinates that are 0 or between 1e-70 and 1e70 in size.
#pragma once

#include <array>

#include "stickslip/math/types.h"

namespace stickslip {

/// Sign of ((b − a) × (c − a))·(d − a): 1 if d is on the side of the triangle's normal, −1 on the other, 0 in its plane.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Sign of (b − a) × (c − a): 1 if the triangle turns to the left, 0 on a line.
int orientation(const Vec2& a, const Vec2& b, const Vec2& c);

bool edges_meet(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

bool edge_meets_triangle(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle);

/// Triangles of a mesh that share a corner meet in it: leave such pairs out.
bool triangles_meet(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

}   // namespace stickslip
