#include "step/turning.h"

#include <algorithm>
#include <cmath>

#include "step/body_kinds.h"
#include "step/sizes.h"
#include "stickslip/collide/collide.h"

namespace stickslip {

namespace {

/// Part of |g| below which the acceleration of a turning point does not matter. Without gravity every turn does.
constexpr double kUnnoticed = 1e-6;

}   // namespace

bool turns(const World& world, const Manifold& m) {
  double acceleration = 0;
  for (const std::uint32_t collider : {m.a, m.b}) {
    const Collider& c = world.colliders()[collider];
    if (c.deforms) return false;
    const Vec3 spin = motion_of(world, c).angular_velocity;
    if (world.bodies()[c.body].motion == MotionType::fixed || spin.isZero(0)) continue;
    acceleration = std::max(acceleration, spin.squaredNorm() * c.reach);
  }
  return acceleration > kUnnoticed * world.gravity.norm();
}

void ContactTurning::begin(const World& world, const StepOptions& options, std::span<const Twist> expected) {
  expected_ = expected;
  world_ = &world;
  options_ = &options;
  drifts_.resize(world.mover_count());
  known_.assign(world.mover_count(), 0);
  looked_at_ = {~0u, ~0u};
}

const ContactTurning::Drift& ContactTurning::drift_of(const Collider& c) {
  const std::uint32_t mover = world_->mover_of(c);
  Drift& drift = drifts_[mover];
  if (!known_[mover]) {
    const Twist& u = expected_[mover];
    drift = {motion_of(*world_, mover), drifted(*world_, mover, u, options_->gyroscopic, options_->h),
             world_->bodies()[c.body].motion == MotionType::fixed};
    drift.now.velocity = u.linear;
    drift.now.angular_velocity = u.angular;
    known_[mover] = 1;
  }
  return drift;
}

/// The point of the same feature at the end of the drift. Where reduction left it out, or faces changed places as the
/// reference: where the bodies take the point, along the normal that is there. Null if the pair has come apart.
const ContactPoint* ContactTurning::later_of(const ContactPoint& now, std::span<const ContactPoint> ends, const Drift& a,
                                             const Drift& b) {
  if (ends.empty()) return nullptr;
  const auto same = std::find_if(ends.begin(), ends.end(), [&](const ContactPoint& p) { return p.feature == now.feature; });
  if (same != ends.end()) return &*same;
  moved_.position = 0.5 * (a.taken(now.position) + b.taken(now.position));
  const auto distance = [&](const ContactPoint& p) { return (p.position - moved_.position).squaredNorm(); };
  const auto nearer = [&](const ContactPoint& p, const ContactPoint& q) { return distance(p) < distance(q); };
  moved_.normal = std::min_element(ends.begin(), ends.end(), nearer)->normal;
  return &moved_;
}

std::span<const Vec3> ContactTurning::of(const Manifold& m, std::span<const ContactPoint> points) {
  kappa_.assign(points.size(), Vec3::Zero());
  along_normal_.assign(points.size(), 0.0);
  known_points_.clear();
  const Collider &ca = world_->colliders()[m.a], &cb = world_->colliders()[m.b];
  const Drift &a = drift_of(ca), &b = drift_of(cb);
  double farthest = 0;
  for (const ContactPoint& p : points) farthest = std::max(farthest, std::abs(p.gap) + way_of(m, p, a, b));
  look_at_end(m, farthest, points.front().feature);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const ContactPoint* const later = later_of(points[i], sink_.points_of(m.parts), a, b)) bend(i, points[i], *later, a, b);
  if (known_points_.size() > 2) make_rigid(points);
  return kappa_;
}

/// By how much a gap may change [m]. Of meshes, whose contacts beside those that are asked for cost most, what slides along a
/// face counts only as far as the bodies turn and as it comes round what is no thicker than the thinner one.
double ContactTurning::way_of(const Manifold& m, const ContactPoint& p, const Drift& a, const Drift& b) const {
  const double h = options_->h;
  const Vec3 v = b.now.velocity_at(p.position) - a.now.velocity_at(p.position);
  const double all = h * v.norm();
  if (m.parts == 0) return all;
  const double turn = h * (a.now.angular_velocity.norm() + b.now.angular_velocity.norm());
  const double round = all / thinner(world_->colliders()[m.a], world_->colliders()[m.b]);
  return std::min(all, h * std::abs(p.normal.dot(v)) + (turn + round) * all);
}

/// Contacts where the drift ends. The manifolds of one pair of colliders, which come one after the other, share them.
void ContactTurning::look_at_end(const Manifold& m, double reach, std::uint64_t expected) {
  const std::pair<std::uint32_t, std::uint32_t> pair(m.a, m.b);
  if (pair == looked_at_ && reach <= looked_reach_) return;
  looked_at_ = pair;
  looked_reach_ = 2 * reach;   // other parts of the two come next
  const Collider &ca = world_->colliders()[m.a], &cb = world_->colliders()[m.b];
  sink_.clear();
  sink_.expect(expected);
  collide(ca.shape, drift_of(ca).end.pose * ca.local, cb.shape, drift_of(cb).end.pose * cb.local, looked_reach_, sink_);
}

/// κ of one point.
void ContactTurning::bend(std::size_t i, const ContactPoint& now, const ContactPoint& later, const Drift& a, const Drift& b) {
  const double h = options_->h;
  const Vec3 v = b.now.velocity_at(now.position) - a.now.velocity_at(now.position);
  const Vec3 v_later = b.end.velocity_at(later.position) - a.end.velocity_at(later.position);
  // How far the arms turn: more than the bodies where the point races over a curved one.
  double turn = 0;
  for (const Drift* drift : {&a, &b}) {
    if (drift->fixed) continue;
    const Vec3 arm = now.position - drift->now.pose.position, arm_later = later.position - drift->end.pose.position;
    turn = std::max({turn, h * drift->end.angular_velocity.norm(), (arm_later - arm).norm() / arm.norm()});
  }
  const double part = turn > 1 ? 1 / (turn * turn) : 1;
  Vec3 change = v_later - v;
  change += now.normal * (later.normal.dot(v_later) - now.normal.dot(v_later));
  // Of where such a point ends only the worst is sure.
  if (&later == &moved_) change -= now.normal * std::max(0.0, now.normal.dot(change));
  kappa_[i] = 0.5 * part * change;
  const bool has_gap = &later != &moved_ && !(part < 1);
  along_normal_[i] = has_gap ? (later.gap - now.gap) / h - now.normal.dot(v) : now.normal.dot(kappa_[i]);
  known_points_.push_back(i);
}

/// Along the face k + s n × r, with the mean k and the least-squares spin s about the middle of the points; along the normal
/// what becomes of the gaps, since a face does not roll.
void ContactTurning::make_rigid(std::span<const ContactPoint> points) {
  const Vec3 n = points[known_points_.front()].normal;
  Vec3 middle = Vec3::Zero(), mean = Vec3::Zero();
  const double share = 1.0 / static_cast<double>(known_points_.size());
  for (const std::size_t i : known_points_) {
    middle += share * points[i].position;
    mean += share * kappa_[i];
  }
  double moment = 0, square = 0;
  for (const std::size_t i : known_points_) {
    const Vec3 r = n.cross(points[i].position - middle);
    moment += r.dot(kappa_[i]);
    square += r.squaredNorm();
  }
  for (const std::size_t i : known_points_) {
    const Vec3 along = mean + (square > 0 ? moment / square : 0) * n.cross(points[i].position - middle);
    kappa_[i] = along + n * (along_normal_[i] - n.dot(along));
  }
}

}   // namespace stickslip
