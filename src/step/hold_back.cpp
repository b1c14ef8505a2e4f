#include "step/hold_back.h"

#include <algorithm>

#include "step/body_kinds.h"
#include "step/detection.h"
#include "step/free_motion.h"
#include "step/sizes.h"
#include "stickslip/collide/collide.h"

namespace stickslip {

namespace {

/// Parts of the thinner collider: how deep a pair may come, and how far it may approach from one look to the next where it
/// touches. Together less than half, where contacts would hold it from the other side.
constexpr double kDeep = 0.25, kLook = 0.1;
/// Part of both at a surface that is open: it has no thickness, and what is behind it is on its other side.
constexpr double kAtOpen = 0.2;
/// Looks at a pair. What needs more stops where they end.
constexpr int kMostFollowed = 2000;
/// Cosine from which on contacts of a pair have one direction.
constexpr double kAlike = 0.99;

Pose pose_at(const Body& body, const Twist& u, Gyroscopic how, double time) {
  return is_passive(body) ? Pose{body.position, body.orientation} : drifted(body, u, how, time).pose;
}

/// Whether a body may be moved from where the step takes it: others hang on what joints hold.
bool can_stop(const World& world, std::uint32_t slot) {
  const Body& body = world.bodies()[slot];
  if (!body.is_rigid() || !body.moves_by_forces()) return false;
  return std::ranges::none_of(world.joints(), [&](const Joint& j) {
    return j.acts() && ((j.description.a != BodyId{} && j.description.a.index == slot) ||
                        (j.description.b != BodyId{} && j.description.b.index == slot));
  });
}

}   // namespace

/// A pair of colliders that moves as a solve says.
struct HoldBack::Moving {
  const Collider &a, &b;
  const Body &body_a, &body_b;
  Twist of_a, of_b;
  Gyroscopic how;

  std::pair<Pose, Pose> at(double time) const { return {pose_at(body_a, of_a, how, time), pose_at(body_b, of_b, how, time)}; }
  double speed() const { return closing_speed(a, of_a, b, of_b); }
  bool at_open_surface() const { return !(a.characteristic_length > 0 && b.characteristic_length > 0); }
  /// Bound of the speed along a unit vector [m/s].
  double speed_along(const Vec3& n) const {
    const Vec3 relative = of_b.linear - of_a.linear;
    return std::abs(n.dot(relative)) + speed() - relative.norm();
  }
};

/// How far a pair is apart, or how deep, and the direction that tells.
HoldBack::Look HoldBack::look(const Moving& m, const std::pair<Pose, Pose>& at) {
  const double thin = thinner(m.a, m.b);
  const Pose pose_a = at.first * m.a.local, pose_b = at.second * m.b.local;
  const ShapeSeparation apart = separation(m.a.shape, pose_a, m.b.shape, pose_b);
  if (apart.distance > thin) return {apart.distance, apart.normal};
  sink_.clear();
  collide(m.a.shape, pose_a, m.b.shape, pose_b, thin, sink_);
  if (sink_.points().empty()) return {apart.distance > 0 ? apart.distance : -thin, Vec3::Zero()};   // deeper than contacts see
  Look found{apart.distance, sink_.points().front().normal};
  bool alike = true;
  for (const ContactPoint& p : sink_.points()) {
    if (apart.distance <= 0) found.gap = std::min(found.gap, p.gap);
    alike = alike && p.normal.dot(found.normal) > kAlike;
  }
  if (!alike) found.normal.setZero();
  return found;
}

/// @returns the last time before h at which the pair is not too deep yet, or h [s]
double HoldBack::follow(const Moving& m, double h) {
  const double speed = m.speed(), far = std::min(m.a.reach, m.b.reach);
  const double thin = (m.at_open_surface() ? kAtOpen : 1) * thinner(m.a, m.b);
  double allowed = 0, last = 0, time = 0;
  for (int looks = 0; looks < kMostFollowed; ++looks) {
    const Look now = look(m, m.at(time));
    if (looks == 0) allowed = std::max(kDeep * thin, -now.gap);
    if (-now.gap > allowed) return last;
    if (time == h) return h;
    last = time;
    const double closer = std::max(now.gap, kLook * thin);
    double step = closer / speed;
    // What slides along a face comes no nearer to it; but it may come to another one.
    if (!now.normal.isZero(0)) step = std::max(step, std::min(closer / m.speed_along(now.normal), far / speed));
    time = std::min(h, time + step);
  }
  return last;
}

void HoldBack::find(const World& world, const ImpactWatch& watch, std::span<const ProxyPair> doubtful,
                    std::span<const Twist> motion, double h, Gyroscopic how) {
  for (const ProxyPair& pair : doubtful) {
    const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
    const Moving moving{
        a, b, world.bodies()[a.body], world.bodies()[b.body], motion[world.mover_of(a)], motion[world.mover_of(b)], how};
    if (!watch.may_pass(a, b, h * moving.speed()) || !moving.body_a.is_rigid() || !moving.body_b.is_rigid()) continue;
    const bool stop_b = can_stop(world, b.body) && (b.reach < a.reach || !can_stop(world, a.body));
    if (!stop_b && !can_stop(world, a.body)) continue;
    const double time = follow(moving, h);
    if (!(time < h)) continue;
    const auto [pose_a, pose_b] = moving.at(time);
    if (stop_b) stops_.push_back({time, b.body, a.body, pose_a.inverse() * pose_b});
    else stops_.push_back({time, a.body, b.body, pose_b.inverse() * pose_a});
  }
  std::ranges::sort(stops_, [](const Stop& x, const Stop& y) { return std::pair(x.body, x.time) < std::pair(y.body, y.time); });
}

void HoldBack::apply(World& world) const {
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const Stop& stop = stops_[i];
    if (i > 0 && stops_[i - 1].body == stop.body) continue;
    const Body& other = world.bodies()[stop.other];
    const Pose at = Pose{other.position, other.orientation} * stop.in_other;
    Body& body = world.mutable_bodies()[stop.body];
    body.position = at.position;
    body.orientation = at.orientation.normalized();
  }
}

}   // namespace stickslip
