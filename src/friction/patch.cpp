#include "stickslip/friction/patch.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "friction/planar_polygon.h"
#include "friction/tiny.h"
#include "math/infinity.h"
#include "stickslip/friction/cone.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

constexpr double kEllipseMark = -1;   ///< first parameter of an ellipse; of a polygon it is the number of corners

Vec3 ray_of(const Vec2& place) { return {1, place.x(), place.y()}; }

void check_place(const Vec2& place, std::string_view what) {
  if (!place.allFinite())
    throw Error(fmt::format("({}, {}) is not a place of a patch. Coordinates must be finite.", place.x(), place.y())).at(what);
}

/// The closest point of a ray from the origin.
PressurePatch::ConeDerivative closest_on_ray(const Vec3& ray, const Vec3& x) {
  const double part = ray.dot(x) / ray.squaredNorm();
  if (!(part > 0)) return {Vec3::Zero(), Mat3::Zero()};
  return {part * ray, ray * ray.transpose() / ray.squaredNorm()};
}

/// The closest point of the cone between two rays. The place along b − a is found first, with the plane's own directions, so
/// that rays close to each other do no harm.
PressurePatch::ConeDerivative closest_between(const Vec3& a, const Vec3& b, const Vec3& x) {
  const Vec3 along = a.normalized(), across = ((b - a) - along * along.dot(b - a)).normalized();
  const double forward = along.dot(x), aside = across.dot(x);
  const double b_aside = across.dot(b), b_forward = along.dot(b);
  if (aside > 0 && b_aside * forward - b_forward * aside > 0)
    return {forward * along + aside * across, along * along.transpose() + across * across.transpose()};
  const PressurePatch::ConeDerivative on_a = closest_on_ray(a, x), on_b = closest_on_ray(b, x);
  return (x - on_a.value).squaredNorm() <= (x - on_b.value).squaredNorm() ? on_a : on_b;
}

}   // namespace

PressurePatch PressurePatch::polygon(std::vector<Vec2> corners) {
  PressurePatch patch;
  patch.become_polygon(corners);
  return patch;
}

void PressurePatch::become_polygon(std::span<const Vec2> corners) {
  if (corners.empty()) throw Error("A patch without corners is no place for pressure. Give at least one.").at("corners");
  for (const Vec2& corner : corners) check_place(corner, "corners");
  constexpr std::size_t kUsual = 8;   // so that the memory of one serves another
  corners_.reserve(std::max(kUsual, corners.size()));
  corners_.assign(corners.begin(), corners.end());
  // Repeated until nothing changes, so that the hull of the corners has the same corners in spite of rounding.
  while (friction_detail::make_planar_hull(corners_)) {
  }
  prepare_polygon();
}

PressurePatch PressurePatch::ellipse(const Vec2& center, const Vec2& half_axis, double half_width) {
  PressurePatch patch;
  patch.become_ellipse(center, half_axis, half_width);
  return patch;
}

void PressurePatch::become_ellipse(const Vec2& center, const Vec2& half_axis, double half_width) {
  check_place(center, "center");
  check_place(half_axis, "half_axis");
  if (!(half_width >= 0) || !std::isfinite(half_width))
    throw Error(fmt::format("{} is not half a width. It must be finite and at least 0.", half_width)).at("half_width");
  const double length = half_axis.norm();
  // As polygons, segments and points are projected on exactly.
  constexpr double negligible = 1e-12;
  const auto segment = [&](const Vec2& half) { become_polygon(std::array{Vec2(center - half), Vec2(center + half)}); };
  if (half_width <= negligible * length) return segment(half_axis);
  if (length <= negligible * half_width) return segment(Vec2(0, half_width));
  corners_.clear();
  center_ = center;
  half_axis_ = half_axis;
  half_width_ = half_width;
  span_.setIdentity();
  prepare_ellipse();
}

void PressurePatch::prepare_polygon() {
  const std::size_t count = corners_.size();
  double area = 0;
  center_.setZero();
  for (std::size_t i = 1; i + 1 < count; ++i) {
    const Vec2 u = corners_[i] - corners_[0], w = corners_[i + 1] - corners_[0];
    const double part = u.x() * w.y() - u.y() * w.x();
    area += part;
    center_ += part / 3 * (u + w);
  }
  if (area > 0) center_ = corners_[0] + center_ / area;
  else center_ = count > 1 ? Vec2(0.5 * (corners_[0] + corners_[1])) : corners_[0];
  span_.setIdentity();
  if (count >= 3) return;
  const Vec3 along = ray_of(corners_[0]).normalized();
  span_ = along * along.transpose();
  if (count == 1) return;
  const Vec3 way = ray_of(corners_[1]) - ray_of(corners_[0]), across = (way - along * along.dot(way)).normalized();
  span_ += across * across.transpose();
}

// With T = (1 0; c B), B the half axes, the cone is T times the circular one, and in the frame of the eigenvectors of
// T diag(−1, 1, 1) Tᵀ = (−1 −cᵀ; −c BBᵀ − ccᵀ), eigenvalues −ν₀, ν₁, ν₂, an elliptic one with its section √(ν₁/ν₀), √(ν₂/ν₀).
void PressurePatch::prepare_ellipse() {
  const double length = half_axis_.norm();
  axes_.col(0) = half_axis_ / length;
  axes_.col(1) = Vec2(-axes_(1, 0), axes_(0, 0));
  const Mat2 shape = axes_ * Vec2(length * length, half_width_ * half_width_).asDiagonal() * axes_.transpose();
  Mat3 dual;
  dual(0, 0) = -1;
  dual.block<2, 1>(1, 0) = -center_;
  dual.block<1, 2>(0, 1) = -center_.transpose();
  dual.bottomRightCorner<2, 2>() = shape - center_ * center_.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(dual);
  cone_frame_ = eigen.eigenvectors();
  if (cone_frame_(0, 0) < 0) cone_frame_.col(0) = -cone_frame_.col(0);
  const double depth = -eigen.eigenvalues()[0];
  cone_.mu_t = std::sqrt(std::max(0.0, eigen.eigenvalues()[1]) / depth);
  cone_.mu_b = std::sqrt(std::max(0.0, eigen.eigenvalues()[2]) / depth);
}

std::vector<Vec2> PressurePatch::rectangle() const {
  Vec2 low = Vec2::Constant(kInfinity), high = -low;
  if (is_ellipse()) {
    low = {-half_axis_.norm(), -half_width_}, high = -low;
    std::vector<Vec2> corners;
    for (const Vec2& corner : {low, Vec2(high.x(), low.y()), high, Vec2(low.x(), high.y())})
      corners.emplace_back(center_ + axes_ * corner);
    return corners;
  }
  for (const Vec2& corner : corners_) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
  return {low, {high.x(), low.y()}, high, {low.x(), high.y()}};
}

PressurePatch PressurePatch::mapped(const Mat2& map) const {
  if (!is_ellipse()) {
    std::vector<Vec2> corners;
    for (const Vec2& corner : corners_) corners.emplace_back(map * corner);
    return polygon(std::move(corners));
  }
  // The half axes of an image are the points where a turn of the conjugate ones makes them meet at right angles.
  const Vec2 u = map * half_axis_, w = map * (half_width_ * axes_.col(1));
  const double turn = 0.5 * std::atan2(2 * u.dot(w), u.squaredNorm() - w.squaredNorm());
  const Vec2 first = std::cos(turn) * u + std::sin(turn) * w, second = std::cos(turn) * w - std::sin(turn) * u;
  return ellipse(map * center_, first, second.norm());
}

Vec2 PressurePatch::support_point(const Vec2& direction) const {
  if (!is_ellipse()) return friction_detail::farthest_corner(corners_, direction);
  const Vec2 half(half_axis_.norm(), half_width_);
  return center_ + axes_ * friction_detail::farthest_on_ellipsoid<2>(half, axes_.transpose() * direction);
}

Vec2 PressurePatch::project(double normal, const Vec2& trial) const {
  const double n = std::max(normal, 0.0);
  if (!is_ellipse()) return friction_detail::closest_on_polygon(corners_, n, trial).point;
  const Vec2 half(n * half_axis_.norm(), n * half_width_), local = axes_.transpose() * (trial - n * center_);
  if (!(n > 0)) return Vec2::Zero();
  if (local.cwiseQuotient(half).squaredNorm() <= 1) return trial;
  return n * center_ + axes_ * closest_point_on_ellipsoid<2>(half, local);
}

PressurePatch::ConeDerivative PressurePatch::differentiate_cone(const Vec3& x, bool derivative) const {
  // A cone is the same at every size, while squares of the smallest numbers are nothing.
  if (const double size = x.cwiseAbs().maxCoeff(); size > 0 && size < kSquaresVanish) {
    ConeDerivative d = differentiate_cone(x / size, derivative);
    d.value *= size;
    return d;
  }
  return is_ellipse() ? differentiate_ellipse(x, derivative) : differentiate_polygon(x);
}

PressurePatch::ConeDerivative PressurePatch::differentiate_polygon(const Vec3& x) const {
  const std::size_t count = corners_.size();
  if (count == 1) return closest_on_ray(ray_of(corners_[0]), x);
  if (count == 2) return closest_between(ray_of(corners_[0]), ray_of(corners_[1]), x);
  ConeDerivative best{x, Mat3::Identity()};
  double best_squared = kInfinity;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 a = ray_of(corners_[i]), b = ray_of(corners_[i + 1 == count ? 0 : i + 1]);
    if (a.cross(b).dot(x) >= 0) continue;   // on the inner side of this face
    const ConeDerivative here = closest_between(a, b, x);
    const double squared = (x - here.value).squaredNorm();
    if (squared < best_squared) best = here, best_squared = squared;
  }
  return best;
}

// On the boundary y + t g = x with g the gradient of φ(y) = N(y_f) − y₀ and φ(y) = 0, so that dy = S dx − S g (gᵀS dx)/(gᵀS g)
// with S = (I + t ∇²φ)⁻¹.
PressurePatch::ConeDerivative PressurePatch::differentiate_ellipse(const Vec3& x, bool derivative) const {
  const Vec3 local = cone_frame_.transpose() * x;
  // Only what lies outside is moved, so that what lies inside keeps its bits.
  const bool inside = local[0] >= 0 && local.tail<2>().cwiseQuotient(cone_.axes()).squaredNorm() <= local[0] * local[0];
  if (inside) return {x, Mat3::Identity()};
  const Vec3 closest = stickslip::project_on_cone(cone_, local);
  ConeDerivative d{cone_frame_ * closest, Mat3::Zero()};
  if (!derivative || !(closest[0] > 0)) return d;
  const ImplicitValue<2> gauge = cone_.implicit(0, closest.tail<2>());
  const Vec3 gradient(-1, gauge.gradient[0], gauge.gradient[1]);
  const double t = (local - closest).dot(gradient) / gradient.squaredNorm();
  Mat3 s = Mat3::Identity();
  s.bottomRightCorner<2, 2>() = (Mat2::Identity() + t * gauge.hessian).inverse();
  const Vec3 sg = s * gradient;
  d.by_point = cone_frame_ * (s - sg * sg.transpose() / gradient.dot(sg)) * cone_frame_.transpose();
  return d;
}

namespace {

/// A line of the outline seen from the origin: its distance, with the sign of the turn from a to b, and where its ends lie
/// beyond the foot of the perpendicular.
struct SeenLine {
  double distance, from, to;

  SeenLine(const Vec2& a, const Vec2& b) {
    const Vec2 along = (b - a).normalized();
    distance = a.x() * along.y() - a.y() * along.x();
    from = along.dot(a), to = along.dot(b);
  }
  /// ∫ √(distance² + s²) ds from one end to the other.
  double arm_integral() const {
    const auto primitive = [h = distance](double s) {
      return 0.5 * (s * std::hypot(h, s) + (h != 0 ? h * h * std::asinh(s / std::abs(h)) : 0));
    };
    return primitive(to) - primitive(from);
  }
};

}   // namespace

// ∫ r dA = ⅓ ∮ r (x dy − y dx), for the divergence of r (x, y) is 3r. A mean is the same before and after a stretch.
double PressurePatch::mean_arm(const Vec2& stretch) const {
  // What is stretched by 0 has no area to take a mean over; the mean hardly knows a small stretch from none.
  constexpr double kThin = 1e-7;
  const Vec2 factors = stretch.cwiseMax(kThin * stretch.maxCoeff());
  if (!(factors.minCoeff() > 0)) return 0;
  const auto seen = [&](const Vec2& place) -> Vec2 { return factors.cwiseProduct(place); };
  if (is_ellipse()) {
    constexpr int count = 256;   // steps around the rim: the integrand is smooth and periodic, so that few give all digits
    const Vec2 half(half_axis_.norm(), half_width_);
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * std::numbers::pi * i / count, c = std::cos(angle), s = std::sin(angle);
      const Vec2 rim = center_ + axes_ * Vec2(half.x() * c, half.y() * s), turn = axes_ * Vec2(-half.x() * s, half.y() * c);
      sum += seen(rim).norm() * (rim.x() * turn.y() - rim.y() * turn.x());
    }
    return 2 * sum / (3 * count * half.x() * half.y());
  }
  if (corners_.size() == 1) return seen(corners_[0]).norm();
  if (corners_.size() == 2) {
    const SeenLine line(seen(corners_[0]), seen(corners_[1]));
    return line.arm_integral() / (line.to - line.from);
  }
  double area = 0, moment = 0;
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const SeenLine line(seen(corners_[i]), seen(corners_[(i + 1) % corners_.size()]));
    area += 0.5 * line.distance * (line.to - line.from);
    moment += line.distance * line.arm_integral() / 3;
  }
  return moment / area;
}

std::vector<double> PressurePatch::parameters() const {
  if (is_ellipse()) return {kEllipseMark, center_.x(), center_.y(), half_axis_.x(), half_axis_.y(), half_width_};
  std::vector<double> numbers{static_cast<double>(corners_.size())};
  for (const Vec2& corner : corners_) numbers.insert(numbers.end(), {corner.x(), corner.y()});
  return numbers;
}

PressurePatch PressurePatch::of_parameters(std::span<const double> p) {
  if (p.size() == 6 && p[0] == kEllipseMark) return ellipse({p[1], p[2]}, {p[3], p[4]}, p[5]);
  if (p.size() < 3 || p[0] != static_cast<double>((p.size() - 1) / 2) || p.size() % 2 == 0)
    throw Error(
        fmt::format("{} numbers do not make a patch. It takes -1, the centre, a half axis and half the width of an "
                    "ellipse, or the number of corners of a polygon and their coordinates.",
                    p.size()));
  std::vector<Vec2> corners;
  for (std::size_t i = 1; i < p.size(); i += 2) corners.emplace_back(p[i], p[i + 1]);
  return polygon(std::move(corners));
}

PatchSet::PatchSet(PressurePatch patch, const EllipsoidFriction& friction) : patch_(std::move(patch)) {
  set_friction(friction);
}

void PatchSet::set_friction(const EllipsoidFriction& friction) {
  for (const double mu : friction.axes())
    if (!(mu >= 0) || !std::isfinite(mu))
      throw Error(fmt::format("{} is not a coefficient of friction. It must be finite and at least 0.", mu)).at("friction");
  friction_ = friction;
}

std::vector<double> PatchSet::parameters() const {
  std::vector<double> numbers{friction_.mu_t, friction_.mu_b, friction_.mu_torsion};
  const std::vector<double> of_patch = patch_.parameters();
  numbers.insert(numbers.end(), of_patch.begin(), of_patch.end());
  return numbers;
}

PatchSet PatchSet::of_parameters(std::span<const double> p) {
  if (p.size() < 6)
    throw Error(fmt::format("{} numbers do not make this set. It takes mu_t, mu_b, mu_torsion and the patch.", p.size()));
  return {PressurePatch::of_parameters(p.subspan(3)), EllipsoidFriction{p[0], p[1], p[2]}};
}

PatchFriction::Vector PatchFriction::project(double normal, const Vector& trial) const {
  Vector closest;
  closest.head<3>() = friction().project(normal, trial.head<3>());
  closest.tail<2>() = patch().project(normal, trial.tail<2>());
  return closest;
}

PatchFriction::Vector PatchFriction::support_point(const Vector& direction) const {
  Vector point;
  point.head<3>() = friction().support_point(direction.head<3>());
  point.tail<2>() = patch().support_point(direction.tail<2>());
  return point;
}

double PatchFriction::support(const Vector& direction) const { return support_point(direction).dot(direction); }

FrictionBox<5> PatchFriction::box(double normal) const {
  const double n = std::max(normal, 0.0);
  FrictionBox<5> box;
  box.upper.head<3>() = n * friction().axes();
  box.lower.head<3>() = -box.upper.head<3>();
  for (int k = 0; k < 2; ++k) {
    box.lower[3 + k] = -n * patch().support(-Vec2::Unit(k));
    box.upper[3 + k] = n * patch().support(Vec2::Unit(k));
  }
  return box;
}

}   // namespace stickslip
