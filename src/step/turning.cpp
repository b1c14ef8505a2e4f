#include "step/turning.h"

#include <algorithm>
#include <cmath>

#include "stickslip/collide/collide.h"

namespace stickslip {

namespace {

/// Part of |g| below which the acceleration of a turning point does not matter. Without gravity every turn does.
constexpr double kUnnoticed = 1e-6;

}  // namespace

bool turns(const World& world, const Manifold& m) {
  double acceleration = 0;
  for (const std::uint32_t collider : {m.a, m.b}) {
    const Collider& c = world.colliders()[collider];
    const Body& body = world.bodies()[c.body];
    if (body.motion == MotionType::fixed || body.angular_velocity.isZero(0)) continue;
    acceleration = std::max(acceleration, body.angular_velocity.squaredNorm() * c.reach);
  }
  return acceleration > kUnnoticed * world.gravity.norm();
}

void ContactTurning::begin(const World& world, const StepOptions& options, std::span<const Motion> expected) {
  expected_ = expected;
  world_ = &world;
  options_ = &options;
  ends_.resize(world.bodies().size());
  known_.assign(world.bodies().size(), 0);
}

const Drifted& ContactTurning::end_of(std::uint32_t body) {
  if (!known_[body]) {
    ends_[body] = drifted(world_->bodies()[body], expected_[body].velocity, expected_[body].angular_velocity, options_->gyroscopic, options_->h);
    known_[body] = 1;
  }
  return ends_[body];
}

Vec3 ContactTurning::velocity_at(std::uint32_t body, const Vec3& point) const {
  return expected_[body].velocity + expected_[body].angular_velocity.cross(point - world_->bodies()[body].position);
}

/// The point of the same feature at the end of the drift. Where reduction left it out, or faces changed places as the
/// reference: where the bodies take the point, along the normal that is there. Null if the pair has come apart.
const ContactPoint* ContactTurning::later_of(const ContactPoint& now, const Body& a, const Body& b, const Drifted& end_a,
                                             const Drifted& end_b) {
  const auto& ends = sink_.points();
  if (ends.empty()) return nullptr;
  const auto same = std::find_if(ends.begin(), ends.end(), [&](const ContactPoint& p) { return p.feature == now.feature; });
  if (same != ends.end()) return &*same;
  const auto taken = [&](const Body& body, const Drifted& end) -> Vec3 {
    return end.pose * (body.orientation.conjugate() * (now.position - body.position));
  };
  moved_.position = 0.5 * (taken(a, end_a) + taken(b, end_b));
  const auto distance = [&](const ContactPoint& p) { return (p.position - moved_.position).squaredNorm(); };
  const auto nearer = [&](const ContactPoint& p, const ContactPoint& q) { return distance(p) < distance(q); };
  moved_.normal = std::min_element(ends.begin(), ends.end(), nearer)->normal;
  return &moved_;
}

std::span<const Vec3> ContactTurning::of(const Manifold& m, std::span<const ContactPoint> points) {
  kappa_.assign(points.size(), Vec3::Zero());
  along_normal_.assign(points.size(), 0.0);
  known_points_.clear();
  const double h = options_->h;
  const Collider &ca = world_->colliders()[m.a], &cb = world_->colliders()[m.b];
  const Body &a = world_->bodies()[ca.body], &b = world_->bodies()[cb.body];
  const Drifted &end_a = end_of(ca.body), &end_b = end_of(cb.body);
  double farthest = 0;
  for (const ContactPoint& p : points) farthest = std::max(farthest, std::abs(p.gap) + h * (velocity_at(cb.body, p.position) - velocity_at(ca.body, p.position)).norm());
  sink_.clear();
  sink_.expect(points.front().feature);
  collide(ca.shape, end_a.pose * ca.local, cb.shape, end_b.pose * cb.local, 2 * farthest, sink_);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& now = points[i];
    const ContactPoint* const later = later_of(now, a, b, end_a, end_b);
    if (!later) continue;
    const Vec3 v = velocity_at(cb.body, now.position) - velocity_at(ca.body, now.position);
    const Vec3 v_later = end_b.velocity_at(later->position) - end_a.velocity_at(later->position);
    // How far the arms turn: more than the bodies where the point races over a curved one.
    double turn = 0;
    for (const auto& [body, end] : {std::pair(&a, &end_a), std::pair(&b, &end_b)}) {
      if (body->motion == MotionType::fixed) continue;
      const Vec3 arm = now.position - body->position, arm_later = later->position - end->pose.position;
      turn = std::max({turn, h * end->angular_velocity.norm(), (arm_later - arm).norm() / arm.norm()});
    }
    const double part = turn > 1 ? 1 / (turn * turn) : 1;
    Vec3 change = v_later - v;
    change += now.normal * (later->normal.dot(v_later) - now.normal.dot(v_later));
    // Of where such a point ends only the worst is sure.
    if (later == &moved_) change -= now.normal * std::max(0.0, now.normal.dot(change));
    kappa_[i] = 0.5 * part * change;
    const bool has_gap = later != &moved_ && !(part < 1);
    along_normal_[i] = has_gap ? (later->gap - now.gap) / h - now.normal.dot(v) : now.normal.dot(kappa_[i]);
    known_points_.push_back(i);
  }
  if (known_points_.size() > 2) make_rigid(points);
  return kappa_;
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

}  // namespace stickslip
