#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "friction/gauge.h"
#include "math/infinity.h"
#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A face of a simplex: up to four corners, by their places in a list of points, and the closest point of their affine hull.
struct Face {
  int count = 0;
  std::array<int, 4> corners{};
  Vec3 point = Vec3::Zero();
};

/// Farthest of points along a direction; the first of several.
int farthest(const std::vector<Vec3>& points, const Vec3& direction) {
  int best = 0;
  double reach = points[0].dot(direction);
  for (int i = 1; i < static_cast<int>(points.size()); ++i)
    if (const double here = points[i].dot(direction); here > reach) best = i, reach = here;
  return best;
}

/// Projects z on the affine hull of the face's corners a, b, …; false if that is not inside the face or the face is thin.
bool project_on_face(const Vec3* a, int count, const Vec3& z, Vec3& point) {
  if (count == 1) {
    point = a[0];
    return true;
  }
  const Vec3 ab = a[1] - a[0], az = z - a[0];
  if (count == 2) {
    const double length_squared = ab.squaredNorm(), t = az.dot(ab);
    if (!(t > 0 && t < length_squared)) return false;
    point = a[0] + t / length_squared * ab;
    return true;
  }
  const Vec3 ac = a[2] - a[0], normal = ab.cross(ac);
  if (count == 3) {
    const double area_squared = normal.squaredNorm();
    if (!(area_squared > epsilon * epsilon * ab.squaredNorm() * ac.squaredNorm())) return false;
    const double b = normal.dot(az.cross(ac)), c = normal.dot(ab.cross(az));   // weights of b and c, times area_squared
    if (!(b > 0 && c > 0 && b + c < area_squared)) return false;
    point = a[0] + b / area_squared * ab + c / area_squared * ac;   // in the plane, however far z is
    return true;
  }
  const Vec3 ad = a[3] - a[0];
  const double volume = normal.dot(ad), sign = volume < 0 ? -1 : 1;
  if (!(std::abs(volume) > 4 * epsilon * normal.norm() * ad.norm())) return false;
  const double b = sign * az.dot(ac.cross(ad)), c = sign * az.dot(ad.cross(ab)), d = sign * az.dot(normal);
  if (!(b >= 0 && c >= 0 && d >= 0 && b + c + d <= std::abs(volume))) return false;
  point = z;
  return true;
}

/// The closest point to z of the simplex with these corners, on the least face that has it. It is the projection on some face,
/// and that one from which no corner lies farther towards z. Comparing this, rather than distances, tells points apart to the
/// last digits: distances have a minimum there, and hardly change.
Face closest_on_simplex(const std::array<Vec3, 4>& corners, const std::array<int, 4>& names, int count, const Vec3& z) {
  static constexpr std::array<int, 15> by_size{1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15};   // subsets as bits
  Face best;
  double least = kInfinity;
  for (const int subset : by_size) {
    if (subset >> count) continue;
    Face face;
    std::array<Vec3, 4> chosen;
    for (int i = 0; i < count; ++i)
      if (subset >> i & 1) {
        chosen[face.count] = corners[i];
        face.corners[face.count++] = names[i];
      }
    if (!project_on_face(chosen.data(), face.count, z, face.point)) continue;
    const Vec3 outward = z - face.point;
    double violation = 0;
    for (int i = 0; i < count; ++i) {
      if (subset >> i & 1) continue;
      const Vec3 aside = corners[i] - face.point;
      violation = std::max(violation, outward.dot(aside) / std::max(aside.norm(), std::numeric_limits<double>::min()));
    }
    if (violation < least) least = violation, best = face;
    if (least == 0) break;
  }
  return best;
}

/// The closest point to z of the hull of n · points, by the algorithm of Gilbert, Johnson and Keerthi: the closest point of a
/// simplex of corners, then the corner of the hull that lies farthest from there towards z joins the face that the point is on.
Face closest_on_hull(const std::vector<Vec3>& points, double n, const Vec3& z) {
  Face face;
  face.count = 1;
  face.corners[0] = farthest(points, z);
  face.point = n * points[face.corners[0]];
  // Each round finds a new face that is closer, so that rounds are finite; the bound is for rounding.
  for (std::size_t round = 0; round < 2 * points.size() + 20; ++round) {
    const Vec3 outward = z - face.point;
    const int next = farthest(points, outward);
    const Vec3 corner = n * points[next], aside = corner - face.point;
    const double rounding = 2 * epsilon * (z.cwiseAbs().maxCoeff() + corner.cwiseAbs().maxCoeff());
    if (outward.cwiseAbs().maxCoeff() <= rounding) face.point = z;   // a point on the hull stays
    if (face.count == 4 || !(outward.dot(aside) > rounding * aside.norm())) break;
    std::array<Vec3, 4> corners;
    std::array<int, 4> names = face.corners;
    bool known = false;
    for (int i = 0; i < face.count; ++i) {
      corners[i] = n * points[names[i]];
      known = known || names[i] == next;
    }
    if (known) break;
    corners[face.count] = corner;
    names[face.count] = next;
    face = closest_on_simplex(corners, names, face.count + 1, z);
  }
  return face;
}

/// The projection on the span of points, by Gram and Schmidt: each direction is of the point farthest from those before.
Mat3 projection_on_span(const std::vector<Vec3>& points) {
  constexpr double nothing = 1e-13;   // of the farthest point: what is left of a point that lies in the span
  Mat3 span = Mat3::Zero();
  double farthest_of_all = 0;
  for (int k = 0; k < 3; ++k) {
    Vec3 left = Vec3::Zero();
    for (const Vec3& p : points)
      if (const Vec3 beside = p - span * p; beside.squaredNorm() > left.squaredNorm()) left = beside;
    if (k == 0) farthest_of_all = left.norm();
    if (!(left.norm() > nothing * farthest_of_all)) break;
    left -= span * left;   // what rounding left of the directions before
    span += left * left.transpose() / left.squaredNorm();
  }
  return span;
}

}   // namespace

HullSet::HullSet(std::vector<Vec3> points) : points_(std::move(points)) {
  if (points_.empty()) throw Error("A hull without points is not a friction set. Give at least one point.").at("points");
  bool origin = false;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Vec3& p = points_[i];
    if (!p.allFinite())
      throw Error(fmt::format("({}, {}, {}) is not a point. Coordinates must be finite.", p.x(), p.y(), p.z()))
          .at(std::to_string(i))
          .at("points");
    origin = origin || p.isZero(0);
  }
  if (!origin) points_.push_back(Vec3::Zero());
  span_ = projection_on_span(points_);
}

std::vector<double> HullSet::parameters() const {
  std::vector<double> numbers;
  for (const Vec3& p : points_) numbers.insert(numbers.end(), {p.x(), p.y(), p.z()});
  return numbers;
}

Vec3 HullSet::project(double normal, const Vec3& trial) const {
  return closest_on_hull(points_, std::max(normal, 0.0), trial).point;
}

Vec3 HullSet::support_point(const Vec3& direction) const { return points_[farthest(points_, direction)]; }

// On a face with corner n·p the projection is that on its affine hull, n p + E (z − n p) with E the projector on its
// directions. The face of a point nearby is taken: the one found for z itself may be a diagonal of a facet, or a section of the
// inside, if z is right above it.
ProjectionDerivative<3> HullSet::differentiate(double normal, const Vec3& trial) const {
  const double n = std::max(normal, 0.0), nearby = 1e-10 * (trial.norm() + n * points_[farthest(points_, trial)].norm());
  const Face face = closest_on_hull(points_, n, trial + nearby * Vec3(0.61, -0.37, 0.53));
  ProjectionDerivative<3> d{project(n, trial), Mat3::Zero(), Vec3::Zero()};
  const Vec3& p = points_[face.corners[0]];
  if (face.count == 4) d.by_point.setIdentity();
  if (face.count == 2) {
    const Vec3 along = (points_[face.corners[1]] - p).normalized();
    d.by_point = along * along.transpose();
  }
  if (face.count == 3) {
    const Vec3 across = (points_[face.corners[1]] - p).cross(points_[face.corners[2]] - p).normalized();
    d.by_point = Mat3::Identity() - across * across.transpose();
  }
  if (face.count < 4) d.by_normal = p - d.by_point * p;
  return d;
}

ImplicitValue<3> HullSet::implicit(double normal, const Vec3& x) const {
  ImplicitValue<3> f;
  const Vec3 inside = span_ * x;
  // Out of a flat hull, by more than rounding: that of x, and that by which
  // `project` knows points of F(n), which is relative to its corners.
  const double reach = std::max(normal, 0.0) * points_[farthest(points_, x)].norm();
  if ((x - inside).norm() > 8 * epsilon * (x.norm() + reach)) {
    f.value = kInfinity;
    return f;
  }
  const Gauge<3> gauge = gauge_of<3>(*this, inside);
  f.value = gauge.value - normal;
  f.gradient = gauge.gradient;
  return f;
}

}   // namespace stickslip
