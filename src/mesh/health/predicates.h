// Signs of determinants, and tests of triangles built on them. Evaluated in double precision; where rounding could change the
// sign, again
// with 113 bits, where a determinant below 1e-31 of the size of its terms counts as zero.
#pragma once

#include "stickslip/math/types.h"

namespace stickslip {

/// 1 if a, b, c go round counter-clockwise seen from d's opposite side, that is if d lies below their plane; −1 above; 0 in it.
int side_of_plane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// 1 if c lies left of the line from a to b, −1 right, 0 on it.
int side_of_line(const Vec2& a, const Vec2& b, const Vec2& c);

/// Whether the closed segment p, q and the closed triangle a, b, c, whose area is not zero, have a point in common.
bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

/// Whether two closed triangles, whose areas are not zero, have a point in common.
bool triangles_meet(const Vec3 (&a)[3], const Vec3 (&b)[3]);

/// The same for triangles with a common corner a[0] = b[0]: whether they have more in common than it.
bool triangles_meet_beyond_corner(const Vec3 (&a)[3], const Vec3 (&b)[3]);

/// The same for triangles with the common side p, q and the other corners a and b: whether one is folded onto the other.
bool is_folded(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b);

}   // namespace stickslip
