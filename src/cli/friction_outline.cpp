#include "cli/friction_outline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip::cli {

namespace {

constexpr int kDirections = 720;

Vec2 direction(int k) {
  const double angle = 2 * std::numbers::pi * k / kDirections;
  return {std::cos(angle), std::sin(angle)};
}

Eigen::VectorXd lifted(int rows, Plane plane, const Vec2& point) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(rows);
  x[plane.i] = point.x();
  if (plane.j < rows) x[plane.j] = point.y();   // a set of one row is a line
  return x;
}
Vec2 seen(Plane plane, const Eigen::VectorXd& x) { return {x[plane.i], plane.j < x.size() ? x[plane.j] : 0}; }

}   // namespace

PlacedSet::PlacedSet(const LocalFriction& local, const ContactSite& site) : law_(local.set) {
  if (local.tangent.isZero()) return;
  const Vec3 s = site.a.structure_direction(site.position, site.normal);
  angle_ = std::atan2(local.tangent.dot(site.normal.cross(s)), local.tangent.dot(s));
}

bool PlacedSet::scales_with_normal() const {
  return std::visit([](const auto& law) { return law.scales_with_normal(); }, law_);
}

Eigen::VectorXd PlacedSet::turned(Eigen::VectorXd x, double angle) const {
  const auto turn = [&](int i) { x.segment<2>(i) = Eigen::Rotation2Dd(angle) * Vec2(x.segment<2>(i)); };
  if (x.size() >= 2) turn(0);
  if (x.size() >= 4) turn(int(x.size()) - 2);
  return x;
}

Eigen::VectorXd PlacedSet::closest(const Eigen::VectorXd& point) const {
  const Eigen::VectorXd own = turned(point, -angle_);
  return turned(
      std::visit([&]<class Law>(const Law& law) -> Eigen::VectorXd { return law.project(1, typename Law::Vector(own)); }, law_),
      angle_);
}

Eigen::VectorXd PlacedSet::farthest(const Eigen::VectorXd& along) const {
  const Eigen::VectorXd own = turned(along, -angle_);
  return turned(
      std::visit([&]<class Law>(const Law& law) -> Eigen::VectorXd { return law.support_point(typename Law::Vector(own)); },
                 law_),
      angle_);
}

std::vector<Vec2> shadow(const PlacedSet& set, Plane plane) {
  std::vector<Vec2> outline;
  for (int k = 0; k < kDirections; ++k) {
    const Vec2 point = seen(plane, set.farthest(lifted(set.rows(), plane, direction(k))));
    if (outline.empty() || (point - outline.back()).norm() > 1e-9 * point.norm()) outline.push_back(point);
  }
  return outline;
}

std::vector<Vec2> section(const PlacedSet& set, Plane plane) {
  const double most = 1.01 * reach(shadow(set, plane));
  std::vector<Vec2> outline;
  for (int k = 0; k < kDirections; ++k) {
    double inside = 0, outside = most;
    while (outside - inside > 1e-6 * most) {
      const double middle = 0.5 * (inside + outside);
      const Eigen::VectorXd point = lifted(set.rows(), plane, middle * direction(k));
      ((point - set.closest(point)).norm() <= 1e-9 * most ? inside : outside) = middle;
    }
    outline.push_back(inside * direction(k));
  }
  return outline;
}

double reach(const std::vector<Vec2>& outline) {
  double largest = 0;
  for (const Vec2& point : outline) largest = std::max(largest, point.norm());
  return largest;
}

Projection project(const PlacedSet& set, Plane plane, const Vec2& point) {
  const Eigen::VectorXd closest = set.closest(lifted(set.rows(), plane, point));
  const Vec2 shown = seen(plane, closest);
  return {point, shown, (closest - lifted(set.rows(), plane, shown)).norm() <= 1e-6 * point.norm()};
}

}   // namespace stickslip::cli
