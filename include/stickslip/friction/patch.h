// Contact over an area, as one block of six rows for a pair of bodies instead of several points [6d §5].
//
// Pressure p ≥ 0 over a convex patch P of the tangent plane transmits λₙ = ∫p and the rolling moments m = c × λₙn, c ∈ P its
// centre. With the frame (n, t, b) right-handed, a place x t + y b of the patch and rolling rows in units of a length ℓ,
//
//   m = λₙ c̃,   c̃ = (y, −x)/ℓ,   the velocity with which the place parts: vₙ + ω·c̃
//
// so that the unilateral rows n, rolling t, rolling b have a law of their own, without friction and without any correction:
//
//   K_P = { (λₙ, m) : λₙ ≥ 0, m ∈ λₙ P̃ } ∋ (λₙ, m) ⊥ (vₙ, ω) ∈ K_P* = { vₙ + ω·c̃ ≥ 0 for every c̃ ∈ P̃ }
//
// No place of the patch approaches, and what presses does not part: a box tips about its edge when its weight is beyond it.
// The other three rows rub as those of a point do, (λ_t, λ_b, λ_torsion) ∈ λₙ F with maximum dissipation. A patch that is a
// point and has no torsion is a point contact.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "stickslip/friction/ellipsoid.h"

namespace stickslip {

/// c̃ of a place of the tangent plane. @param place along t and b [m] @param length of the rolling rows [m] > 0
inline Vec2 rolling_place(const Vec2& place, double length) { return {place.y() / length, -place.x() / length}; }

/// P̃: where pressure may act, in the plane of the rolling rows. A convex polygon or an ellipse; the origin may lie outside.
class PressurePatch {
 public:
  /// The projection on K_P with an element of its generalised derivative.
  struct ConeDerivative {
    Vec3 value;
    Mat3 by_point;
  };

  /// The hull of points: one is a point, two are a segment. @throws Error if there is none or one is not finite
  static PressurePatch polygon(std::vector<Vec2> corners);
  /// Its shorter half axis, at right angles to the given one, may be longer; one of 0 makes a segment.
  /// @throws Error unless all is finite and half_width ≥ 0
  static PressurePatch ellipse(const Vec2& center, const Vec2& half_axis, double half_width);

  /// Becomes another one, in the memory that it has. @throws Error as above
  void become_polygon(std::span<const Vec2> corners);
  void become_ellipse(const Vec2& center, const Vec2& half_axis, double half_width);

  bool is_ellipse() const { return corners_.empty(); }
  const std::vector<Vec2>& corners() const { return corners_; }   ///< counter-clockwise; none of an ellipse
  const Vec2& center() const { return center_; }                  ///< of an ellipse; of a polygon the centre of its area
  /// The smallest rectangle around the patch along the axes of the ellipse, or of the plane: counter-clockwise.
  std::vector<Vec2> rectangle() const;
  /// The patch in other coordinates, map · c̃.
  PressurePatch mapped(const Mat2& map) const;

  Vec2 support_point(const Vec2& direction) const;   ///< a point of P̃ that lies farthest along `direction`
  double support(const Vec2& direction) const { return support_point(direction).dot(direction); }
  Vec2 project(double normal, const Vec2& trial) const;   ///< closest point of max(normal, 0) P̃

  /// Closest point of K_P. Of a polygon, the closest of its faces; of an ellipse, a cone with axes of its own (cone.h).
  Vec3 project_on_cone(const Vec3& x) const { return differentiate_cone(x, false).value; }
  ConeDerivative differentiate_cone(const Vec3& x) const { return differentiate_cone(x, true); }

  /// The least vₙ + ω·c̃ of the patch [m/s]: below 0 where a place approaches.
  double parting_velocity(const Vec3& v) const { return v[0] - support(Vec2(-v[1], -v[2])); }

  const Mat3& span() const { return span_; }   ///< projector on what K_P spans: all, or a plane, or a line
  /// Mean distance of a place of the patch from the origin, in units of the length of the rows: µ times it is the torsion that
  /// friction of an even pressure holds. 2/3 of its radius for a disc.
  double mean_arm() const { return mean_arm(Vec2::Ones()); }
  /// The same with places stretched along the two rows by these factors ≥ 0: of friction that differs along them, whose even
  /// pressure holds ∫ |(μ_t y, μ_b x)| dA / A.
  double mean_arm(const Vec2& stretch) const;

  std::vector<double> parameters() const;   ///< what `of_parameters` makes it from
  static PressurePatch of_parameters(std::span<const double>);

 private:
  PressurePatch() = default;
  void prepare_polygon();
  void prepare_ellipse();
  ConeDerivative differentiate_cone(const Vec3& x, bool derivative) const;
  ConeDerivative differentiate_polygon(const Vec3& x) const;
  ConeDerivative differentiate_ellipse(const Vec3& x, bool derivative) const;

  std::vector<Vec2> corners_;
  Vec2 center_ = Vec2::Zero();
  Vec2 half_axis_ = Vec2::Zero();        ///< of an ellipse
  double half_width_ = 0;                ///< the other one
  Mat2 axes_ = Mat2::Identity();         ///< of an ellipse: unit vectors along its axes
  Mat3 cone_frame_ = Mat3::Identity();   ///< of an ellipse: axis of K_P and the axes of its section
  EllipseFriction cone_;                 ///< K_P in that frame
  Mat3 span_ = Mat3::Identity();
};

/// A patch and its friction. Contacts and threads share it; it changes only where nobody else holds it.
class PatchSet {
 public:
  /// @param friction axes of F; torsion in units of the length of the rows, as P̃ is
  /// @throws Error if a coefficient is not finite or below 0
  PatchSet(PressurePatch patch, const EllipsoidFriction& friction);

  const PressurePatch& patch() const { return patch_; }
  const EllipsoidFriction& friction() const { return friction_; }
  PressurePatch& patch_to_change() { return patch_; }
  void set_friction(const EllipsoidFriction&);   ///< @throws Error as above

  std::string_view name() const { return "patch"; }
  std::vector<double> parameters() const;   ///< mu_t, mu_b, mu_torsion, and those of the patch
  static PatchSet of_parameters(std::span<const double>);

 private:
  PressurePatch patch_;
  EllipsoidFriction friction_;
};

/// The law of a block that is a patch: rows n, t, b, torsion, rolling t, rolling b. The last two are no friction, so that it
/// does not meet FrictionSetConcept; what it answers as other laws do is about the section λₙ = n of the whole cone,
/// F(n) × nP̃.
struct PatchFriction {
  static constexpr int rows = 5;
  using Vector = Eigen::Matrix<double, 5, 1>;
  using Block = Eigen::Matrix<double, 6, 1>;
  std::shared_ptr<const PatchSet> set;   ///< never null in a problem

  const PressurePatch& patch() const { return set->patch(); }
  const EllipsoidFriction& friction() const { return set->friction(); }

  static Vec3 unilateral(const Block& x) { return {x[0], x[4], x[5]}; }   ///< rows n, rolling t, rolling b
  static Vec3 rubbing(const Block& x) { return {x[1], x[2], x[3]}; }      ///< rows t, b, torsion
  static Block block(const Vec3& unilateral, const Vec3& rubbing) {
    Block x;
    x[0] = unilateral[0];
    for (int k = 0; k < 3; ++k) x[1 + k] = rubbing[k];
    x[4] = unilateral[1];
    x[5] = unilateral[2];
    return x;
  }

  Vector project(double normal, const Vector& trial) const;
  Vector support_point(const Vector& direction) const;
  double support(const Vector& direction) const;
  FrictionBox<5> box(double normal) const;
  static constexpr bool scales_with_normal() { return true; }
};

}   // namespace stickslip
