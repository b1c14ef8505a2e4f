// Convex polygons in the plane of a patch.
#pragma once

#include <array>
#include <span>

#include "stickslip/volume/patch.h"

namespace stickslip {

/// With room for the corners that cutting adds.
struct SmallPolygon {
  static constexpr int kRoom = 64;
  std::array<Vec2, kRoom> corners;
  int count = 0;

  void add(const Vec2& p) {
    if (count < kRoom) corners[count++] = p;
  }
};

/// The convex hull of the corners, counter-clockwise.
void make_convex(SmallPolygon&);
/// Drops the corner that covers least until so many are left.
void thin_out_polygon(SmallPolygon&, int most);
/// The hull as the outline of a patch, with area and spin radius.
void set_outline(Patch&, SmallPolygon);
/// Frame and deviations from second moments divided by the volume.
void set_spread(Patch&, const Vec3& normal, const Mat3& covariance);
/// Place in (t, b) of the patch.
Vec2 seen(const Patch&, const Vec3& x);

}   // namespace stickslip
