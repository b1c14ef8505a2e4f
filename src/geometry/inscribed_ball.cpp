#include "geometry/inscribed_ball.h"

#include <algorithm>
#include <limits>

#include "math/small_matrices.h"

namespace stickslip {

namespace {

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

double distance_to_nearest_face(const Polytope& p, const Vec3& point) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Polytope::Face& f : p.faces) nearest = std::min(nearest, f.offset - f.normal.dot(point));
  return nearest;
}

}   // namespace

// The linear program max r with nᵢ·c + r ≤ dᵢ in the four unknowns (c, r), by following the central path of
// r + μ Σ log(dᵢ − nᵢ·c − r) for falling μ with Newton's method. On the path r is within μ·(number of faces) of the
// optimum. Lengths are divided by the first feasible radius, so the tolerances have no unit.
double inscribed_radius(const Polytope& p) {
  const double unit = distance_to_nearest_face(p, p.interior_point);
  if (!(unit > 0)) return 0;
  Vec4 x(0, 0, 0, 0.5);
  const auto slack = [&](const Polytope::Face& f, const Vec4& at) {
    return (f.offset - f.normal.dot(p.interior_point)) / unit - f.normal.dot(at.head<3>()) - at[3];
  };
  const double faces = static_cast<double>(p.faces.size());
  double best = unit;
  for (double mu = 1 / faces; mu * faces > 1e-7; mu /= 4) {
    for (int newton = 0; newton < 20; ++newton) {
      Vec4 gradient(0, 0, 0, 1);
      Mat4 hessian = Mat4::Zero();
      for (const Polytope::Face& f : p.faces) {
        const Vec4 row(f.normal.x(), f.normal.y(), f.normal.z(), 1);
        const double s = slack(f, x);
        gradient -= mu / s * row;
        hessian += mu / (s * s) * row * row.transpose();
      }
      const Vec4 step = solve_linear(hessian, gradient);
      double longest = 1;   // stay strictly inside
      for (const Polytope::Face& f : p.faces) {
        const double used = f.normal.dot(step.head<3>()) + step[3];
        if (used > 0) longest = std::min(longest, 0.9 * slack(f, x) / used);
      }
      if (!step.allFinite()) break;
      x += longest * step;
      if (gradient.dot(step) < 1e-2 * mu) break;   // Newton decrement: near enough to the path for this μ
    }
    best = std::max(best, distance_to_nearest_face(p, p.interior_point + unit * x.head<3>()));
  }
  return best;
}

}   // namespace stickslip
