// Friction sets that stand in the open slot (friction/convex_set.h): polygons,
// hulls of support points, Tresca's disc, the full cone.
#pragma once

#include "stickslip/friction/convex_set.h"
#include "stickslip/friction/law.h"

namespace stickslip {

/// F(n) = n · hull of corners, in the two tangents: polyhedral and box cones, directional coefficients of textures, a segment.
class PolygonSet final : public ConvexSet<2> {
 public:
  /// @param points of F(1), any order, at least one; the origin is added. @throws Error if one is not finite
  explicit PolygonSet(const std::vector<Vec2>& points);

  /// Regular, inside the circle of radius mu, first corner on t. @throws Error unless k ≥ 3 and mu ≥ 0
  static PolygonSet regular(double mu, int k);
  /// lower ≤ λ/n ≤ upper. @throws Error unless lower ≤ 0 ≤ upper
  static PolygonSet box(const Vec2& lower, const Vec2& upper);

  std::string_view name() const override { return "polygon"; }
  std::vector<double> parameters() const override;   ///< x, y of the corners
  Vec2 project(double normal, const Vec2& trial) const override;
  Vec2 support_point(const Vec2& direction) const override;
  ProjectionDerivative<2> differentiate(double normal, const Vec2& trial) const override;
  ImplicitValue<2> implicit(double normal, const Vec2& x) const override;

  const std::vector<Vec2>& corners() const { return corners_; }   ///< counter-clockwise; one or two where the set is thin

 private:
  std::vector<Vec2> corners_;
};

/// F(n) = n · hull of points in the tangents and torsion: a general limit surface. Projection by GJK.
class HullSet final : public ConvexSet<3> {
 public:
  /// @param points of F(1), at least one; the origin is added. @throws Error if one is not finite
  explicit HullSet(std::vector<Vec3> points);

  std::string_view name() const override { return "hull"; }
  std::vector<double> parameters() const override;   ///< x, y, z of the points
  Vec3 project(double normal, const Vec3& trial) const override;
  Vec3 support_point(const Vec3& direction) const override;
  ProjectionDerivative<3> differentiate(double normal, const Vec3& trial) const override;
  ImplicitValue<3> implicit(double normal, const Vec3& x) const override;

  const std::vector<Vec3>& points() const { return points_; }

 private:
  std::vector<Vec3> points_;
  Mat3 span_;   ///< projector on what the points span
};

/// Tresca friction: ‖λ‖ ≤ bound, whatever the normal impulse.
class TrescaSet final : public ConvexSet<2> {
 public:
  /// @param bound [N s] ≥ 0. @throws Error otherwise
  explicit TrescaSet(double bound);

  std::string_view name() const override { return "tresca"; }
  std::vector<double> parameters() const override { return {bound_}; }
  Vec2 project(double normal, const Vec2& trial) const override;
  Vec2 support_point(const Vec2& direction) const override;
  bool scales_with_normal() const override { return false; }
  ProjectionDerivative<2> differentiate(double normal, const Vec2& trial) const override;
  ImplicitValue<2> implicit(double normal, const Vec2& x) const override;   ///< ‖x‖ − bound

 private:
  double bound_;
};

/// The full cone of six rows: an ellipsoid in the tangents and torsion, and a disc in the two rolling rows, each for itself.
class FullSet final : public ConvexSet<5> {
 public:
  /// @param mu_rolling [m] ≥ 0
  FullSet(const EllipsoidFriction& sliding, double mu_rolling);

  std::string_view name() const override { return "full"; }
  std::vector<double> parameters() const override;   ///< mu_t, mu_b, mu_torsion, mu_rolling
  Vector project(double normal, const Vector& trial) const override;
  Vector support_point(const Vector& direction) const override;
  double support(const Vector& direction) const override;
  ProjectionDerivative<5> differentiate(double normal, const Vector& trial) const override;
  ImplicitValue<5> implicit(double normal, const Vector& x) const override;   ///< the larger of the two

  const EllipsoidFriction& sliding() const { return sliding_; }
  double mu_rolling() const { return mu_rolling_; }

 private:
  EllipsoidFriction sliding_;
  double mu_rolling_;
};

}   // namespace stickslip
