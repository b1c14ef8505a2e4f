// Bent surfaces as planes: only where the polyhedron at hand is, and as many there however small it is. Planes touch the surface
// while the range of directions is searched; the last ones are set back by the mean distance that a tangent plane has from the
// surface over its face, so that volumes are right to higher order.
#pragma once

#include "volume/ball.h"
#include "volume/polyhedron.h"

namespace stickslip {

/// The solid around a straight line, without ends.
struct Tube {
  Vec3 center;
  Mat3 frame;   ///< the third column is the axis
  double radius;
  FaceOwner owner;
};

/// Both: @param facets per half turn; @returns whether anything is left
bool cut_by_tube(Polyhedron&, const Tube&, int facets);
bool cut_by_ball(Polyhedron&, const Ball&, const Mat3& frame, int facets);

}   // namespace stickslip
