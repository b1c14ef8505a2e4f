#include "step/pair_follow.h"

#include <algorithm>
#include <limits>

#include "step/detection.h"
#include "step/sizes.h"
#include "stickslip/collide/collide.h"
#include "stickslip/collide/separation.h"

namespace stickslip {

namespace {

/// How far a pair that touches may approach from one look to the next, as part of the thinner collider.
constexpr double kLook = 0.1;
/// Part of all depths at a surface that is open: it has no thickness, and what is behind it is on its other side.
constexpr double kAtOpen = 0.2;
/// Looks at a pair. What needs more stops where they end.
constexpr int kMostFollowed = 2000;
/// Cosine from which on contacts of a pair have one direction.
constexpr double kAlike = 0.99;

Motion motion_at(const Body& body, const Twist& u, Gyroscopic how, double time) {
  return is_passive(body) ? Motion{{body.position, body.orientation}, {}, {}} : drifted(body, u, how, time);
}

}   // namespace

std::pair<Motion, Motion> MovingPair::at(double time) const {
  return {motion_at(body_a, of_a, how, time), motion_at(body_b, of_b, how, time)};
}

double MovingPair::speed() const { return closing_speed(a, of_a, b, of_b); }

double MovingPair::speed_along(const Vec3& n) const {
  const Vec3 relative = of_b.linear - of_a.linear;
  return std::abs(n.dot(relative)) + speed() - relative.norm();
}

PairFollow::Look PairFollow::look(const MovingPair& m, const std::pair<Motion, Motion>& at, Sliding sliding) {
  const double thin = thinner(m.a, m.b);
  const Pose pose_a = at.first.pose * m.a.local, pose_b = at.second.pose * m.b.local;
  const ShapeSeparation apart = separation(m.a.shape, pose_a, m.b.shape, pose_b, &nearest_);
  if (apart.distance > thin) return {apart.distance, apart.normal};
  const bool shortly = sliding == Sliding::short_steps;
  if (shortly && apart.distance > 0) return {apart.distance, Vec3::Zero()};
  sink_.clear();
  collide(m.a.shape, pose_a, m.b.shape, pose_b, shortly ? 0 : thin, sink_);
  if (sink_.points().empty()) return {apart.distance > 0 ? apart.distance : -thin, Vec3::Zero()};   // deeper than contacts see
  Look found{apart.distance, sink_.points().front().normal};
  bool alike = true;
  for (const ContactPoint& p : sink_.points()) {
    if (apart.distance <= 0) found.gap = std::min(found.gap, p.gap);
    alike = alike && p.normal.dot(found.normal) > kAlike;
  }
  if (!alike || shortly) found.normal.setZero();
  return found;
}

PairFollow::Found PairFollow::follow(const MovingPair& m, double h, double deep, Sliding sliding) {
  const bool open = !(m.a.characteristic_length > 0 && m.b.characteristic_length > 0);
  const double speed = m.speed(), far = std::min(m.a.reach, m.b.reach), thin = (open ? kAtOpen : 1) * thinner(m.a, m.b);
  constexpr double never = std::numeric_limits<double>::infinity();
  double allowed = 0, last = 0, time = 0;
  nearest_ = {};
  for (int looks = 0; looks < kMostFollowed; ++looks) {
    const Look now = look(m, m.at(time), sliding);
    if (looks == 0) allowed = std::max(deep * thin, -now.gap);
    if (-now.gap > allowed) return {last, time};
    if (time == h) return {h, never};
    last = time;
    const double closer = std::max(now.gap, kLook * thin);
    double step = closer / speed;
    // What slides along a face comes no nearer to it; but it may come to another one.
    if (!now.normal.isZero(0)) step = std::max(step, std::min(closer / m.speed_along(now.normal), far / speed));
    time = std::min(h, time + step);
  }
  return {last, never};
}

}   // namespace stickslip
