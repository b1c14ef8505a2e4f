#include "step/impact_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "step/body_kinds.h"
#include "step/detection.h"
#include "step/free_motion.h"
#include "step/sizes.h"

namespace stickslip {

namespace {

/// Parts of the smaller body's reach that a pair may come together by in a step with contacts ahead: its diameter.
constexpr double kFarAway = 2;
/// Contact bands within which a pair touches: it gets contacts, however fast it moves.
constexpr double kTouch = 10;
/// Contact bands at which an impact is met, and by which that may be missed: less than one together, so that it is a touch.
constexpr double kMeet = 0.5, kMissed = 0.25;
/// Distances that a sweep may ask for. One that stops early is a cut where nothing touches yet.
constexpr int kMostLooks = 500;
/// 1 − cosine up to which a direction has stayed.
constexpr double kSameDirection = 1e-6;
/// Part of the thinner body that turning may move points by, for contacts ahead to be the right ones.
constexpr double kTurned = 0.01;
/// Times that the interval is shortened in which two bodies are nearest.
constexpr int kNarrowings = 30;

constexpr double kNever = std::numeric_limits<double>::infinity();

bool same_motion(const Twist& x, const Twist& y) { return x.linear == y.linear && x.angular == y.angular; }

bool sees_impacts(const Body& body) { return body.continuous == Continuous::automatic || body.continuous == Continuous::impact; }

}   // namespace

void ImpactWatch::begin(const World& world, const StepOptions& options, bool allowed) {
  options_ = &options;
  pairs_.clear();
  honest_.clear();
  held_.clear();
  active_ = allowed && options.scheme == Scheme::semi_implicit_euler;
}

/// The velocity of a step of h without contacts.
Twist ImpactWatch::unhindered(const World& world, std::uint32_t mover, double h) const {
  const Body& body = world.bodies()[world.body_of_mover(mover)];
  if (is_passive(body)) return {};
  const Motion now = motion_of(world, mover);
  if (body.motion != MotionType::dynamic) return {now.velocity, now.angular_velocity};
  const double kick = kick_time(world, options_->scheme, h);
  if (body.is_rigid()) return free_velocity(body, world.gravity, options_->gyroscopic, h, kick);
  return {now.velocity + kick * (world.gravity + body.inverse_mass * body.force), Vec3::Zero()};
}

bool ImpactWatch::takes(const World& world, const ProxyPair& pair, double margin) {
  if (!active_) return false;
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const bool asked = world.bodies()[a.body].continuous == Continuous::impact ||
                     world.bodies()[b.body].continuous == Continuous::impact;
  if (!asked && margin <= kFarAway * std::min(a.reach, b.reach)) return false;   // most pairs of most scenes
  if (a.deforms || b.deforms) return false;
  const double h = options_->h;
  return watch(world, pair, unhindered(world, world.mover_of(a), h), unhindered(world, world.mover_of(b), h));
}

bool ImpactWatch::takes(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) {
  if (!active_ || std::ranges::binary_search(honest_, pair)) return false;
  if (world.colliders()[pair.a].deforms || world.colliders()[pair.b].deforms) return false;
  if (std::ranges::find(pairs_, pair, &Watched::pair) != pairs_.end()) return true;
  if (!watch(world, pair, of_a, of_b)) return false;
  sweep(world, pairs_.back());
  if (!pairs_.back().honest) return true;
  pairs_.pop_back();
  return false;
}

/// Whether a body of the pair asks for a sweep, because of how far it moves itself, and the pair comes together that far.
bool ImpactWatch::is_fast(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const Body &body_a = world.bodies()[a.body], &body_b = world.bodies()[b.body];
  if (body_a.continuous == Continuous::impact || body_b.continuous == Continuous::impact)
    return options_->h * closing_speed(a, of_a, b, of_b) > options_->contact_band * thinner(a, b);
  const double far = kFarAway * std::min(a.reach, b.reach) / options_->h;
  return (of_b.linear - of_a.linear).norm() > far && ((sees_impacts(body_a) && of_a.linear.norm() > far) ||
                                                      (sees_impacts(body_b) && of_b.linear.norm() > far));
}

bool ImpactWatch::watch(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  if (!is_fast(world, pair, of_a, of_b) || !has_separation(a.shape, b.shape)) return false;
  // What turns and has no end moves without bound.
  for (const auto& [collider, twist] : {std::pair(&a, &of_a), std::pair(&b, &of_b)})
    if (!std::isfinite(collider->reach) && !twist->angular.isZero(0)) return false;
  const ShapeSeparation now =
      separation(a.shape, motion_of(world, a).pose * a.local, b.shape, motion_of(world, b).pose * b.local);
  if (now.distance <= kTouch * options_->contact_band * thinner(a, b)) {
    held_.push_back(a.body);
    held_.push_back(b.body);
    return false;
  }
  pairs_.push_back({pair, of_a, of_b, kNever, false, false, now.normal, now.distance});
  return true;
}

/// Whether something keeps a body from moving as it would by itself.
bool ImpactWatch::is_held(const World& world, std::uint32_t collider) {
  const std::uint32_t body = world.colliders()[collider].body;
  if (world.bodies()[body].motion != MotionType::dynamic) return false;
  if (std::ranges::find(held_, body) != held_.end()) return true;
  const BodyId id = world.id_of(body);
  const bool joined = std::ranges::any_of(
      world.joints(), [&](const Joint& j) { return j.acts() && (j.description.a == id || j.description.b == id); });
  if (joined) held_.push_back(body);
  return joined;
}

/// The path of a collider's body. What turns about a wandering axis is followed as the drift of the step moves it.
RigidMotion ImpactWatch::path(const World& world, const Collider& c, const Twist& u, double h) const {
  const std::uint32_t mover = world.mover_of(c);
  RigidMotion motion{motion_of(world, mover).pose, h * u.linear, h * u.angular, std::isfinite(c.reach) ? c.reach : 0};
  if (std::holds_alternative<Sphere>(c.shape) && c.local.position.isZero(0)) motion.rotation.setZero();   // turns in its place
  const Body& body = world.bodies()[c.body];
  if (motion.rotation.isZero(0) || !body.is_rigid()) return motion;
  if (const double spin = wandering_spin(body, u.angular, options_->gyroscopic); spin > 0) {
    motion.turn = h * spin;
    motion.orientation = [&body, u, h, how = options_->gyroscopic](double time) {
      return drifted(body, u, how, time * h).pose.orientation;
    };
  }
  return motion;
}

std::optional<RigidImpact> ImpactWatch::impact(const World& world, const ProxyPair& pair, const RigidMotion& a,
                                               const RigidMotion& b) const {
  const Collider &ca = world.colliders()[pair.a], &cb = world.colliders()[pair.b];
  const double band = options_->contact_band * thinner(ca, cb);
  const AdvancementOptions how{kMeet * band, kMissed * band / std::max(a.reach, b.reach), kMostLooks};
  return rigid_impact(
      a, b,
      [&](const Pose& pose_a, const Pose& pose_b) -> Separation {
        const ShapeSeparation s = separation(ca.shape, pose_a * ca.local, cb.shape, pose_b * cb.local);
        return {s.distance, s.normal};
      },
      how);
}

/// Whether the contact that lies ahead at the start is the one that the pair will have.
bool ImpactWatch::is_honest(const World& world, const Watched& w, const RigidImpact& impact, double turning) const {
  const Collider &a = world.colliders()[w.pair.a], &b = world.colliders()[w.pair.b];
  return world.bodies()[a.body].continuous != Continuous::impact && world.bodies()[b.body].continuous != Continuous::impact &&
         !impact.stopped_early && world.materials.between(a.material, b.material).restitution == 0 &&
         impact.separation.normal.dot(w.normal) > 1 - kSameDirection && turning <= kTurned * thinner(a, b);
}

void ImpactWatch::sweep(const World& world, Watched& w) const {
  const double h = options_->h;
  const RigidMotion a = path(world, world.colliders()[w.pair.a], w.of_a, h);
  const RigidMotion b = path(world, world.colliders()[w.pair.b], w.of_b, h);
  const auto hit = impact(world, w.pair, a, b);
  w.known = true;
  if (!hit) return;
  w.first = h * hit->time;
  w.honest = is_honest(world, w, *hit, a.turning() + b.turning());
}

void ImpactWatch::sweep(const World& world) {
  for (Watched& w : pairs_) {
    if (is_held(world, w.pair.a) || is_held(world, w.pair.b)) continue;
    sweep(world, w);
    if (w.honest) honest_.push_back(w.pair);
  }
  std::erase_if(pairs_, [](const Watched& w) { return w.honest; });
}

double ImpactWatch::first() const {
  double first = kNever;
  for (const Watched& w : pairs_) first = std::min(first, w.first);
  return first;
}

double ImpactWatch::refine(const World& world, double h) {
  const auto earliest = std::ranges::min_element(pairs_, {}, &Watched::first);
  if (earliest == pairs_.end()) return h;
  const Collider &a = world.colliders()[earliest->pair.a], &b = world.colliders()[earliest->pair.b];
  earliest->of_a = unhindered(world, world.mover_of(a), h);
  earliest->of_b = unhindered(world, world.mover_of(b), h);
  const double horizon = 1.25 * h;
  const auto hit = impact(world, earliest->pair, path(world, a, earliest->of_a, horizon), path(world, b, earliest->of_b, horizon));
  if (hit) earliest->first = horizon * hit->time;
  return earliest->first;
}

double ImpactWatch::first_along(const World& world, std::span<const Twist> motion, double h) {
  double first = h;
  for (Watched& w : pairs_) {
    const Collider &a = world.colliders()[w.pair.a], &b = world.colliders()[w.pair.b];
    const Twist &of_a = motion[world.mover_of(a)], &of_b = motion[world.mover_of(b)];
    if (w.known && same_motion(of_a, w.of_a) && same_motion(of_b, w.of_b)) continue;
    const auto hit = impact(world, w.pair, path(world, a, of_a, first), path(world, b, of_b, first));
    if (!hit) continue;
    const double inside = first * (1 - hit->time) * closing_speed(a, of_a, b, of_b);
    if (inside > kTouch * options_->contact_band * thinner(a, b)) first *= hit->time;
  }
  return first;
}

double ImpactWatch::nearest(const World& world, std::span<const Twist> motion, double h, double known) const {
  for (const Watched& w : pairs_) {
    const Collider &ca = world.colliders()[w.pair.a], &cb = world.colliders()[w.pair.b];
    const RigidMotion a = path(world, ca, motion[world.mover_of(ca)], h), b = path(world, cb, motion[world.mover_of(cb)], h);
    if (w.gap - (a.displacement - b.displacement).norm() - a.turning() - b.turning() >= known) continue;
    const auto distance = [&](double t) {
      return separation(ca.shape, a.at(t) * ca.local, cb.shape, b.at(t) * cb.local).distance;
    };
    // Of convex bodies that do not turn the distance is a convex function of time.
    double from = 0, to = 1;
    for (int i = 0; i < kNarrowings; ++i) {
      const double third = (to - from) / 3;
      if (distance(from + third) < distance(to - third)) to -= third;
      else from += third;
    }
    known = std::min({known, w.gap, distance(0.5 * (from + to)), distance(1)});
  }
  return known;
}

}   // namespace stickslip
