#include "step/impact_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "step/body_kinds.h"
#include "step/detection.h"
#include "step/free_motion.h"
#include "step/sizes.h"
#include "stickslip/step/integrator.h"

namespace stickslip {

namespace {

/// Parts of the smaller body's reach that a pair may come together by in a step with contacts ahead: its diameter.
constexpr double kFarAway = 2;
/// Part of the thinner body by which a pair may move in a piece of a step that was cut before and is not in doubt.
constexpr double kThinWay = 0.25;
/// Part of the smaller body's reach by which a pair that touched a mesh is followed at a time.
constexpr double kFollowed = 0.25;
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
/// Part of a piece that a following piece must be shorter by for the solve to be done again.
constexpr double kShorter = 0.7;
/// Times that the interval is shortened in which two bodies are nearest.
constexpr int kNarrowings = 30;

constexpr double kNever = std::numeric_limits<double>::infinity();

bool same_motion(const Twist& x, const Twist& y) { return x.linear == y.linear && x.angular == y.angular; }

/// Room that is always left between the balls around two colliders' centres of mass while these move for a time h [m]. Most
/// pairs of a bullet are far from its way.
double room_on_the_way(const World& world, const Collider& a, const Twist& of_a, const Collider& b, const Twist& of_b,
                       double h) {
  const Vec3 from = motion_of(world, b).pose.position - motion_of(world, a).pose.position,
             way = h * (of_b.linear - of_a.linear);
  const double squared = way.squaredNorm(), t = squared > 0 ? std::clamp(-from.dot(way) / squared, 0.0, 1.0) : 0;
  return (from + t * way).norm() - a.reach - b.reach;
}

bool sees_impacts(const Body& body) {
  return body.continuous == Continuous::automatic || body.continuous == Continuous::impact;
}

}   // namespace

void ImpactWatch::begin(const StepOptions& options, Cuts cuts, bool follow) {
  options_ = &options;
  follow_ = follow;
  pairs_.clear();
  honest_.clear();
  near_.clear();
  near_time_ = kNever;
  held_.clear();
  doubtful_.clear();
  watches_doubtful_ = options.scheme == Scheme::semi_implicit_euler;
  cuts_ = options.scheme == Scheme::semi_implicit_euler ? cuts : Cuts::none;
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

std::optional<Vec3> ImpactWatch::flight(const World& world, const Collider& c) const {
  const Body& body = world.bodies()[c.body];
  if (cuts_ == Cuts::none || c.deforms || !sees_impacts(body) || is_passive(body)) return std::nullopt;
  const Vec3 velocity = unhindered(world, world.mover_of(c), options_->h).linear;
  if (options_->h * velocity.norm() > kFarAway * c.reach) return velocity;
  return std::nullopt;
}

bool ImpactWatch::may_pass(const Collider& a, const Collider& b, double way) const {
  return way > (cut_ ? kThinWay * thinner(a, b) : kFarAway * std::min(a.reach, b.reach));
}

/// Notes a pair that gets contacts, and may pass through each other all the same.
void ImpactWatch::doubt(const World& world, const ProxyPair& pair) {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const bool seen = sees_impacts(world.bodies()[a.body]) || sees_impacts(world.bodies()[b.body]);
  const bool endless = std::holds_alternative<HalfSpace>(a.shape) || std::holds_alternative<HalfSpace>(b.shape);
  if (watches_doubtful_ && seen && !endless) doubtful_.push_back(pair);
}

std::span<const ProxyPair> ImpactWatch::doubtful() {
  doubtful_.insert(doubtful_.end(), forced_.begin(), forced_.end());
  doubtful_.insert(doubtful_.end(), honest_.begin(), honest_.end());
  std::ranges::sort(doubtful_);
  const auto rest = std::ranges::unique(doubtful_);
  doubtful_.erase(rest.begin(), rest.end());
  return doubtful_;
}

bool ImpactWatch::takes(const World& world, const ProxyPair& pair, double margin) {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const bool asked =
      world.bodies()[a.body].continuous == Continuous::impact || world.bodies()[b.body].continuous == Continuous::impact;
  const bool far = margin > kFarAway * std::min(a.reach, b.reach);
  if (!asked && !far && !may_pass(a, b, margin)) return false;   // most pairs of most scenes
  if (a.deforms || b.deforms) return false;
  const double h = options_->h;
  if ((asked || far) && cuts_ != Cuts::none && !std::ranges::binary_search(forced_, pair) &&
      watch(world, pair, unhindered(world, world.mover_of(a), h), unhindered(world, world.mover_of(b), h)))
    return true;
  doubt(world, pair);
  return false;
}

bool ImpactWatch::takes(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) {
  if (world.colliders()[pair.a].deforms || world.colliders()[pair.b].deforms) return false;
  if (std::ranges::binary_search(pairs_, pair, {}, &Watched::pair)) return true;
  doubt(world, pair);
  if (cuts_ == Cuts::none || std::ranges::binary_search(honest_, pair) || std::ranges::binary_search(forced_, pair))
    return false;
  if (!watch(world, pair, of_a, of_b)) return false;
  const auto fresh = std::ranges::lower_bound(pairs_, pair, {}, &Watched::pair);
  if (!fresh->known) sweep(world, *fresh);
  if (!fresh->honest) return true;
  pairs_.erase(fresh);
  return false;
}

/// Whether a body of the pair asks for a sweep, because of how far it moves itself, and the pair comes together that far.
bool ImpactWatch::is_fast(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) const {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  const Body &body_a = world.bodies()[a.body], &body_b = world.bodies()[b.body];
  if (body_a.continuous == Continuous::impact || body_b.continuous == Continuous::impact)
    return options_->h * closing_speed(a, of_a, b, of_b) > options_->contact_band * thinner(a, b);
  const double far = kFarAway * std::min(a.reach, b.reach) / options_->h;
  return (of_b.linear - of_a.linear).norm() > far &&
         ((sees_impacts(body_a) && of_a.linear.norm() > far) || (sees_impacts(body_b) && of_b.linear.norm() > far));
}

bool ImpactWatch::watch(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  if (!is_fast(world, pair, of_a, of_b) || !has_separation(a.shape, b.shape)) return false;
  // What turns and has no end moves without bound.
  for (const auto& [collider, twist] : {std::pair(&a, &of_a), std::pair(&b, &of_b)})
    if (!std::isfinite(collider->reach) && !twist->angular.isZero(0)) return false;
  const Pose pose_a = motion_of(world, a).pose, pose_b = motion_of(world, b).pose;
  const double near = kTouch * options_->contact_band * thinner(a, b);
  Watched fresh{pair, of_a, of_b, kNever, false, false, Vec3::Zero(), 0};
  fresh.gap = room_on_the_way(world, a, of_a, b, of_b, options_->h);
  fresh.known = fresh.gap > near;
  if (!fresh.known) {
    const ShapeSeparation now = separation(a.shape, pose_a * a.local, b.shape, pose_b * b.local);
    if (now.distance <= near) {
      touch(world, pair, of_a, of_b);
      return false;
    }
    fresh.normal = now.normal;
    fresh.gap = now.distance;
  }
  pairs_.insert(std::ranges::upper_bound(pairs_, pair, {}, &Watched::pair), fresh);
  return true;
}

/// Of a pair that touches: what it does next is known after the solve. A mesh may be touched elsewhere then, where no plane
/// between the bodies tells; so the step goes on only a little way, until they have left each other.
void ImpactWatch::touch(const World& world, const ProxyPair& pair, const Twist& of_a, const Twist& of_b) {
  const Collider &a = world.colliders()[pair.a], &b = world.colliders()[pair.b];
  held_.resize(world.bodies().size(), 0);
  held_[a.body] = held_[b.body] = 1;
  if (!follow_ || (!std::holds_alternative<Mesh>(a.shape) && !std::holds_alternative<Mesh>(b.shape))) return;
  const double reach = std::min(a.reach, b.reach);
  near_.insert(std::ranges::upper_bound(near_, pair, {}, &Near::pair), {pair, kFarAway * reach});
  near_time_ = std::min(near_time_, kFollowed * reach / closing_speed(a, of_a, b, of_b));
}

double ImpactWatch::margin_of(const ProxyPair& pair) const {
  const auto at = std::ranges::lower_bound(near_, pair, {}, &Near::pair);
  return at != near_.end() && at->pair == pair ? at->margin : kNever;
}

/// Whether something keeps a body from moving as it would by itself.
bool ImpactWatch::is_held(const World& world, std::uint32_t collider) {
  const std::uint32_t body = world.colliders()[collider].body;
  return !held_.empty() && held_[body] && world.bodies()[body].motion == MotionType::dynamic;
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
  NearestPlace nearest;
  return rigid_impact(
      a, b,
      [&](const Pose& pose_a, const Pose& pose_b) -> Separation {
        const ShapeSeparation s = separation(ca.shape, pose_a * ca.local, cb.shape, pose_b * cb.local, &nearest);
        return {s.distance, s.normal};
      },
      how);
}

/// Whether the contact that lies ahead at the start is the one that the pair will have.
bool ImpactWatch::is_honest(const World& world, const Watched& w, const RigidImpact& impact, double turning) const {
  const Collider &a = world.colliders()[w.pair.a], &b = world.colliders()[w.pair.b];
  return world.bodies()[a.body].continuous != Continuous::impact && world.bodies()[b.body].continuous != Continuous::impact &&
         !impact.stopped_early && !world.materials.between(a.material, b.material).rebounds() &&
         impact.separation.normal.dot(w.normal) > 1 - kSameDirection && turning <= kTurned * thinner(a, b);
}

void ImpactWatch::sweep(const World& world, Watched& w) const {
  end_if_cancelled(options_->cancel);
  const double h = options_->h;
  const RigidMotion a = path(world, world.colliders()[w.pair.a], w.of_a, h);
  const RigidMotion b = path(world, world.colliders()[w.pair.b], w.of_b, h);
  const auto hit = impact(world, w.pair, a, b);
  w.known = true;
  if (!hit) return;
  w.first = h * hit->time;
  w.honest = cuts_ == Cuts::spent || is_honest(world, w, *hit, a.turning() + b.turning());
}

void ImpactWatch::sweep(const World& world) {
  if (world.joint_count() > 0) held_.resize(world.bodies().size(), 0);
  for (const Joint& j : world.joints())
    if (j.acts())
      for (const BodyId id : {j.description.a, j.description.b})
        if (id != BodyId{}) held_[id.index] = 1;
  for (Watched& w : pairs_) {
    if (w.known || is_held(world, w.pair.a) || is_held(world, w.pair.b)) continue;
    sweep(world, w);
    if (w.honest) honest_.push_back(w.pair);
  }
  std::erase_if(pairs_, [](const Watched& w) { return w.honest; });
}

double ImpactWatch::first() const {
  double first = near_time_;
  for (const Watched& w : pairs_) first = std::min(first, w.first);
  return first;
}

double ImpactWatch::refine(const World& world, double h) {
  const auto earliest = std::ranges::min_element(pairs_, {}, &Watched::first);
  if (earliest == pairs_.end() || near_time_ <= earliest->first) return std::min(near_time_, h);
  const Collider &a = world.colliders()[earliest->pair.a], &b = world.colliders()[earliest->pair.b];
  earliest->of_a = unhindered(world, world.mover_of(a), h);
  earliest->of_b = unhindered(world, world.mover_of(b), h);
  const double horizon = 1.25 * h;
  const auto hit =
      impact(world, earliest->pair, path(world, a, earliest->of_a, horizon), path(world, b, earliest->of_b, horizon));
  if (hit) earliest->first = horizon * hit->time;
  return earliest->first;
}

double ImpactWatch::first_along(const World& world, std::span<const Twist> motion, double h) {
  double first = h;
  near_time_ = kNever;
  for (const Near& n : near_) {
    const Collider &a = world.colliders()[n.pair.a], &b = world.colliders()[n.pair.b];
    const double speed = closing_speed(a, motion[world.mover_of(a)], b, motion[world.mover_of(b)]);
    near_time_ = std::min(near_time_, kFollowed * std::min(a.reach, b.reach) / speed);
  }
  if (cuts_ == Cuts::allowed && near_time_ < kShorter * first) first = near_time_;
  const std::size_t forced = forced_.size();
  for (Watched& w : pairs_) {
    const Collider &a = world.colliders()[w.pair.a], &b = world.colliders()[w.pair.b];
    const Twist &of_a = motion[world.mover_of(a)], &of_b = motion[world.mover_of(b)];
    const double near = kTouch * options_->contact_band * thinner(a, b);
    if (!(w.known && same_motion(of_a, w.of_a) && same_motion(of_b, w.of_b))) {
      if (room_on_the_way(world, a, of_a, b, of_b, first) > near) continue;
      end_if_cancelled(options_->cancel);
      const auto hit = impact(world, w.pair, path(world, a, of_a, first), path(world, b, of_b, first));
      w = {w.pair, of_a, of_b, hit ? first * hit->time : kNever, true, false, w.normal, w.gap};
    }
    // What touches just before the end does so at the end.
    if (!((first - w.first) * closing_speed(a, of_a, b, of_b) > near)) continue;
    if (cuts_ == Cuts::allowed) first = w.first;
    else forced_.insert(std::ranges::upper_bound(forced_, w.pair), w.pair);
  }
  return forced_.size() > forced ? 0 : first;
}

double ImpactWatch::nearest(const World& world, std::span<const Twist> motion, double h, double known) const {
  for (const Watched& w : pairs_) {
    const Collider &ca = world.colliders()[w.pair.a], &cb = world.colliders()[w.pair.b];
    const Twist &of_a = motion[world.mover_of(ca)], &of_b = motion[world.mover_of(cb)];
    const double room = room_on_the_way(world, ca, of_a, cb, of_b, h);
    if (std::max(room, w.gap - h * closing_speed(ca, of_a, cb, of_b)) >= known) continue;
    const RigidMotion a = path(world, ca, of_a, h), b = path(world, cb, of_b, h);
    NearestPlace place;
    const auto distance = [&](double t) {
      return separation(ca.shape, a.at(t) * ca.local, cb.shape, b.at(t) * cb.local, &place).distance;
    };
    // Of convex bodies that do not turn the distance is a convex function of time.
    double from = 0, to = 1;
    for (int i = 0; i < kNarrowings; ++i) {
      const double third = (to - from) / 3;
      if (distance(from + third) < distance(to - third)) to -= third;
      else from += third;
    }
    known = std::min({known, distance(0), distance(0.5 * (from + to)), distance(1)});
  }
  return known;
}

}   // namespace stickslip
