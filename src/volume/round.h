// Bent surfaces as planes: only where the polyhedron at hand is, and as many there however small it is. Planes touch the
// surface
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

/// Cuts off what lies beyond planes just outside the surface, in the range of directions that the polyhedron covers: none
/// of them
/// is left by the planes of `facets` later on. @returns whether anything is left
bool narrow_to_tube(Polyhedron&, const Tube&, int facets);
bool narrow_to_ball(Polyhedron&, const Ball&, int facets);

/// Cuts with planes that are the surface from then on. @param facets per half turn
bool cut_by_tube(Polyhedron&, const Tube&, int facets);
bool cut_by_ball(Polyhedron&, const Ball&, const Mat3& frame, int facets);

}   // namespace stickslip
