// Friction tensors [course §6.2]: f = −λₙ L v̂ with L = κ (Q_A + R Q_B Rᵀ), v̂ the direction of sliding.
//
// Cone form: the forces of all directions form the ellipse ‖L⁻¹ f‖ = λₙ, whose semi-axes are the singular values of L along its
// left singular vectors (C_P⁻¹ = L Lᵀ); written that way it also holds for singular L, where an axis is zero. From this set
// solvers take the force that dissipates most, which is −λₙ L Lᵀ v̂ / ‖Lᵀ v̂‖, not the one of the formula. Both agree for the
// directions with L⁻ᵀ v̂ = β v̂, β > 0: for all directions only if L is a positive multiple of the identity.
//
// Direct form: the set is the ellipse about 0 that touches the forces of the formula at p = −L v̂, v̂ from before the step.
// Its most dissipative force for that direction is p, and it turns with the direction as p does: with n = −v̂, v̂ᵀ w = 0 and
// t ⟂ p it is
//   { x : (n·x)² / (p·n)² + β (t·x)² ≤ 1 },   β = ‖p‖² / ((p·n)³ wᵀ L w),
// where the last factor is how fast −L v̂ moves along the edge. So slip that turns within the step is met by the force of its
// own direction but for the part along v̂. A force fixed to the direction before the step would throw slow bodies to and fro:
// a velocity across the slip, u ≪ v, would get the impulse µ g h u/v against it, more than twice what it is for v < µ g h /
// 2. Where wᵀ L w ≤ 0 the ellipse is a segment; where v̂ᵀ L v̂ ≤ 0 the formula would drive the body, and there is no
// friction.
//
// Which L can two surfaces make? Write Q = a 1 + c J + S with J the quarter turn and S symmetric without trace, of eigenvalues
// ±s. Turning keeps a and s and J; the outward normals are opposite, so B's c changes its sign:
//   L/κ = (a_A + a_B) 1 + (c_A − c_B) J + S,  |s_A − s_B| ≤ s ≤ s_A + s_B depending on the angle between the structures.
#include "friction/laws/laws.h"

#include <fmt/format.h>

#include <cmath>

namespace stickslip::laws {

namespace {

/// The tensor of one surface in the basis (t, n × t). @param turn 1 for A, −1 for B, whose outward normal is −n
Mat2 tensor_in(const Surface* surface, const Vec3& structure, const Vec3& t, const Vec3& b, double turn) {
  const Vec2 s(structure.dot(t), structure.dot(b));
  Mat2 basis;
  basis << s.x(), -turn * s.y(), s.y(), turn * s.x();
  return surface ? Mat2(basis * surface->tensor * basis.transpose()) : Mat2::Identity();
}

/// Axes and direction of { L x : ‖x‖ ≤ 1 }.
struct Ellipse {
  double major, minor, angle;
};
Ellipse image_of_circle(const Mat2& L) {
  // L = (rotation and scaling by Q) + (reflection and scaling by R).
  const double E = (L(0, 0) + L(1, 1)) / 2, F = (L(0, 0) - L(1, 1)) / 2, G = (L(1, 0) + L(0, 1)) / 2,
               H = (L(1, 0) - L(0, 1)) / 2;
  const double Q = std::hypot(E, H), R = std::hypot(F, G);
  const double minor = std::abs(Q - R);
  if (R <= 1e-14 * Q) return {Q, Q, 0};
  // What a singular L leaves of the minor axis is rounding.
  return {Q + R, minor > 1e-14 * (Q + R) ? minor : 0, (std::atan2(G, F) + (Q > 0 ? std::atan2(H, E) : 0)) / 2};
}

/// The ellipse that touches the forces −L v̂ at the direction of a slip.
Ellipse touching(const Mat2& L, const Vec2& v) {
  const Vec2 p = -(L * v), w(-v.y(), v.x());
  const double against = -p.dot(v), turning = w.dot(L * w), length = p.norm();
  if (!(against > 1e-12 * length)) return {0, 0, 0};
  if (!(turning > 1e-12 * length)) return {length, 0, std::atan2(p.y(), p.x())};
  const Vec2 t = Vec2(-p.y(), p.x()) / length;
  const double beta = length * length / (against * against * against * turning);
  const Mat2 form = v * v.transpose() / (against * against) + beta * t * t.transpose();
  Eigen::SelfAdjointEigenSolver<Mat2> axes;
  axes.computeDirect(form);   // from the longest
  const Vec2 longest = axes.eigenvectors().col(0);
  return {1 / std::sqrt(axes.eigenvalues()[0]), 1 / std::sqrt(axes.eigenvalues()[1]), std::atan2(longest.y(), longest.x())};
}

/// a, c and s of the remark above.
struct Parts {
  double identity, turn, shear;
};
Parts parts(const Mat2& q) {
  return {(q(0, 0) + q(1, 1)) / 2, (q(1, 0) - q(0, 1)) / 2, std::hypot((q(0, 0) - q(1, 1)) / 2, (q(1, 0) + q(0, 1)) / 2)};
}

std::string warn_of_dissipation(const SurfaceLaw& law, const Surface& surface_a, const Surface& surface_b) {
  const Parts a = parts(surface_a.tensor), b = parts(surface_b.tensor);
  const double identity = a.identity + b.identity, turn = a.turn - b.turn, shear = a.shear + b.shear;
  const bool direct = law.numbers[1] != 0;
  const double least = law.numbers[0] * (identity - shear);
  const double rounding = 1e-12 * (std::abs(a.identity) + std::abs(b.identity) + shear + std::abs(turn));
  if (law.numbers[0] == 0) return "";
  if (identity - shear < -rounding && direct)
    return fmt::format(
        "The friction tensors of the two surfaces can drive the sliding instead of resisting it (v̂·L v̂ falls to {:.3g}); in "
        "such "
        "directions there is no friction at all. Their symmetric parts must together be positive semidefinite.",
        least);
  if (std::abs(turn) <= rounding && shear <= rounding && identity >= 0) return "";
  if (identity - shear < -rounding)
    return fmt::format(
        "The friction tensors of the two surfaces can drive the sliding instead of resisting it (v̂·L v̂ falls to {:.3g}); the "
        "cone "
        "form resists always, so its force is not that of the tensors. Their symmetric parts must together be positive "
        "semidefinite.",
        least);
  return direct ? "The friction tensors are no multiple of the identity: the force does not dissipate the most of all that the "
                  "friction cone allows, "
                  "except where sliding is along an eigenvector."
                : "The friction tensors are no multiple of the identity: the cone form takes the force that dissipates most, "
                  "which is that of the "
                  "tensors only where sliding is along an eigenvector. With direct = 1 it is that of the tensors.";
}

}   // namespace

SurfaceLawInfo tensor() {
  SurfaceLawInfo info;
  info.name = "tensor";
  info.over_areas = OverAreas::where_straight;
  info.summary = "Friction tensors of two surfaces: f = −λₙ κ (Q_A + R Q_B Rᵀ) v̂, as its elliptic cone or directly";
  info.source = "course §6.2";
  info.parameters = {
      {"scale", "", "scale κ of both tensors", 1, 0, true},
      {"direct", "", "1: the force of the tensors for the direction of slip; 0: the cone of all such forces", 0, 0, false},
      {"velocity", "m/s", "with direct = 1, the cone is used up to this slip", 1e-3, 0, false}};
  info.check = [](const SurfaceLaw& law) { check_whole(law, 1, "direct", 0, 1); };
  info.warn = warn_of_dissipation;
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [scale = law.numbers[0], threshold = law.numbers[1] != 0 ? law.numbers[2] : HUGE_VAL](const ContactSite& site) {
      const Vec3 t = site.a.structure_direction(site.position, site.normal), b = site.normal.cross(t);
      const Mat2 L = scale * (tensor_in(site.a.surface, t, t, b, 1) +
                              tensor_in(site.b.surface, site.b.structure_direction(site.position, -site.normal), t, b, -1));
      const Vec2 slip(site.slip.dot(t), site.slip.dot(b));
      const double speed = slip.norm();
      const Ellipse ellipse = speed > threshold ? touching(L, slip / speed) : image_of_circle(L);
      return LocalFriction{std::cos(ellipse.angle) * t + std::sin(ellipse.angle) * b,
                           EllipseFriction{ellipse.major, ellipse.minor}};
    };
  };
  return info;
}

}   // namespace stickslip::laws
