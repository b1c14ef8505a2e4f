// The shape of a friction set in a plane of two of its rows, from its support points and closest points alone.
#pragma once

#include <vector>

#include "stickslip/friction/surface_law.h"

namespace stickslip::cli {

/// F(1) in the frame of surface A: structure direction s, n × s, then the rows of turning. The set of a contact stands in the
/// frame of the contact, which may be turned against it.
class PlacedSet {
 public:
  PlacedSet(const LocalFriction&, const ContactSite&);

  int rows() const { return law_rows(law_); }
  bool scales_with_normal() const;
  Eigen::VectorXd closest(const Eigen::VectorXd& point) const;
  Eigen::VectorXd farthest(const Eigen::VectorXd& direction) const;

 private:
  Eigen::VectorXd turned(Eigen::VectorXd, double angle) const;

  FrictionSet law_;
  double angle_ = 0;   ///< of the contact's tangent t against s [rad]
};

/// Two rows of a set.
struct Plane {
  int i, j;
  friend bool operator==(const Plane&, const Plane&) = default;
};

/// Outline of what one sees of F(1) along the other rows, in the order of its normals.
std::vector<Vec2> shadow(const PlacedSet&, Plane);
/// Outline of what the plane through 0 cuts out of F(1), in the order of its angles.
std::vector<Vec2> section(const PlacedSet&, Plane);
/// The largest distance of an outline from 0.
double reach(const std::vector<Vec2>& outline);

/// A point and the closest one of F(1), as seen in the plane.
struct Projection {
  Vec2 point, closest;
  bool in_plane;   ///< whether the closest point lies in the plane: then the right angle is visible
};
/// @param point of the plane, 0 in the other rows
Projection project(const PlacedSet&, Plane, const Vec2& point);

}   // namespace stickslip::cli
