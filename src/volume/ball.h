// Balls cut by planes, polyhedra and other balls, to rounding.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "volume/polyhedron.h"

namespace stickslip {

struct Ball {
  Vec3 center;
  double radius;
  FaceOwner owner;
};

/// A stretch of a circle in which a plane cuts a ball: middle + across cos τ + along sin τ, counter-clockwise about the normal.
struct RimArc {
  Vec3 normal, middle, across, along;
  double from, sweep;   ///< [rad]

  Vec3 at(double angle) const { return middle + std::cos(angle) * across + std::sin(angle) * along; }
};

struct BallScratch {
  std::vector<RimArc> arcs;
  std::vector<std::array<Vec3, 2>> chords;   ///< pairs of ends of straight pieces of the face at hand
  std::vector<std::array<bool, 2>> on_rim;   ///< whether those ends lie on the rim
  std::vector<int> edge;                     ///< of the face, that each lies on
};

/// The moments of ball ∩ polyhedron. Points of its surface, among them the farthest, are added to `points`. @returns whether
/// there is any
bool add_ball_moments(const Polyhedron&, const Ball&, MomentSums&, std::vector<Vec3>& points, BallScratch&);

/// The moments of the cap of a ball that reaches `depth` below its farthest point in `direction` (unit). Its flat side belongs
/// to `flat_owner`.
void add_cap(const Ball&, const Vec3& direction, double depth, FaceOwner flat_owner, MomentSums&);

}   // namespace stickslip
