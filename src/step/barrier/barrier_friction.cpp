// Friction of a step by barriers: which pairs rub, how hard they are pressed, and what they remember of the last step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "step/barrier/barrier_system.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kBlunt = 0.1;        ///< part of its free way over which friction of a new contact grows in the first round
constexpr double kLessBlunt = 0.01;   ///< and that of one that remembers its force
constexpr double kSharper = 0.1;      ///< factor of that way from round to round
constexpr double kSamePlane = 0.98;   ///< cosine of the angle by which a plane that is held may be off
constexpr double kNoForce = 1e-12;    ///< normal forces below this part of the largest have no friction

}   // namespace

void BarrierSystem::begin_friction(const World& world) {
  friction_fits_ = false;
  planes_.clear();
  coefficients_.clear();
  friction_.clear();
  friction_pairs_.clear();
  friction_names_.clear();
  first_name_.assign(1, 0);
  ways_.clear();
  remembered_.clear();
  if (options_.barrier.anchored && world.memory.h > 0)
    for (const RememberedImpulse& r : world.memory.impulses) {
      RememberedForce& sum = remembered_[without_parts(r.key)];
      sum.force += r.impulse / world.memory.h;
    }
}

double BarrierSystem::friction_between(const World& world, std::uint32_t a, std::uint32_t b) {
  const auto [at, is_new] = coefficients_.try_emplace({a, b}, 0.0);
  if (is_new) {
    const Collider &ca = world.colliders()[surface().patches()[a].collider],
                   &cb = world.colliders()[surface().patches()[b].collider];
    const SurfacePair pair = world.materials.between(ca.material, cb.material);
    if (pair.law && pair.law->name != "coulomb")
      throw Error(
          fmt::format("Bodies '{}' and '{}' rub by the law '{}', and barriers know Coulomb's only. Use the integrator "
                      "'impulse'.",
                      world.bodies()[ca.body].name, world.bodies()[cb.body].name, pair.law->name));
    at->second = pair.friction;
  }
  return at->second;
}

/// Where the way of a term begins: with the force that all that it is of held in the last step.
Vec2 BarrierSystem::remembered_way(const ContactPair& p, const Vec3& normal, const FrictionTerm& f, double mu) const {
  if (remembered_.empty()) return Vec2::Zero();
  Vec3 force = Vec3::Zero();   // on side B of the key
  for (std::size_t k = first_name_.back(); k < friction_names_.size(); ++k)
    if (const RememberedForce* held = remembered_.find(without_parts(friction_names_[k].key))) force += held->force;
  if (turned(p)) force = -force;
  const double pressed = force.dot(normal);
  const Vec2 rubbed = f.tangents.transpose() * force;
  const double size = rubbed.norm();
  if (!(pressed > 0) || size == 0) return Vec2::Zero();
  return way_of_friction(std::min(1.0, size / (mu * pressed)), f.length) / size * rubbed;
}

/// Whether the term that is being made is of a contact of the last step.
bool BarrierSystem::remembers_force() const {
  for (std::size_t k = first_name_.back(); k < friction_names_.size(); ++k)
    if (remembered_.find(without_parts(friction_names_[k].key))) return true;
  return false;
}

/// The force over its limit that the last iteration led to, or else that of the last step.
Vec2 BarrierSystem::last_pull(const FrictionTerm& f) const {
  Vec3 sum = Vec3::Zero();
  double known = 0;
  for (std::size_t k = first_name_.back(); k < friction_names_.size(); ++k)
    if (const RememberedForce* pull = pulls_.find(friction_names_[k].key)) {
      sum += friction_names_[k].part * pull->force;
      known += friction_names_[k].part;
    }
  if (known > 0) return f.tangents.transpose() * sum / known;
  return f.anchor != Vec2::Zero() ? Vec2(smooth_friction_over_way(f.anchor.norm(), f.length) * f.anchor) : Vec2::Zero();
}

/// How far the sides of a pair would slide along each other if they went where nothing holds them up [m].
double BarrierSystem::free_way(const FrictionTerm& f) const {
  Vec3 moved = Vec3::Zero();
  for (int i = 0; i < f.size; ++i) moved += f.weights[i] * (targets_[f.points[i]] - start_[f.points[i]]);
  return (f.tangents.transpose() * moved).norm();
}

/// A rigid body rubs with the material point that is nearest now, nodes with their shares of it. What does not move has none.
void BarrierSystem::add_side(const ContactPair& p, const PairPlace& place, bool side_a, FrictionTerm& f) {
  const int first = side_a ? 0 : p.size_a, last = side_a ? p.size_a : p.size;
  if (first == last) return;   // a half-space
  const std::uint32_t slot = surface_.owner(p.points[first]).slot;
  if (slot == kNoBlock) {
    for (int i = first; i < last; ++i) {
      f.points[f.size] = p.points[i];
      f.weights[f.size++] = place.weights[i];
    }
    return;
  }
  const std::uint32_t r = bodies_.rigid_of(slot);
  if (r == kNoBlock) return;
  const BarrierBodies::Rigid& body = bodies_.rigid()[r];
  const double radius = surface().patches()[side_a ? p.patch_a : p.patch_b].radius;
  const Vec3 surface_point = side_a ? Vec3(place.on_a + radius * place.normal) : Vec3(place.on_b - radius * place.normal);
  const Vec3 local = body.now.to_local(surface_point);
  f.points[f.size] = static_cast<std::uint32_t>(points_.size());
  f.weights[f.size++] = side_a ? 1 : -1;
  rubbing_.push_back({slot, kNoBlock, local});
  points_.push_back(surface_point);
  start_.push_back(body.start * local);
  targets_.push_back(body.target * local);
}

/// Keeps nothing of it but its forces.
void BarrierSystem::clear_friction() {
  pulls_.clear();
  for (std::size_t k = 0; k < friction_.size(); ++k)
    for (const FrictionName& name : names_of(k)) pulls_[name.key].force = friction_[k].tangents * friction_[k].pull;
  ways_.clear();
  shares_.clear();
  friction_.clear();
  friction_pairs_.clear();
  friction_names_.clear();
  first_name_.assign(1, 0);
  rubbing_.clear();
  place_points();
  start_.resize(surface().points());
  targets_.resize(surface().points());
}

/// Features that were counted too often press less than nothing: those of the same point that press share what is left. Of
/// edges none is.
void BarrierSystem::find_presses() {
  presses_.clear();
  largest_press_ = 0;
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    const double force = force_of(p, s);
    largest_press_ = std::max(largest_press_, force);
    if (p.of_edges) return;
    Press& press = presses_[key_without_parts(p, p.feature_a, p.feature_b)];
    press.net += force;
    press.positive += std::max(0.0, force);
  });
}

/// The normal force that a pair rubs with [N].
double BarrierSystem::press_of_pair(const ContactPair& p, const PairState& s) const {
  const double own = force_of(p, s);
  if (!(own > 0) || p.of_edges) return std::max(0.0, own);
  const Press& press = *presses_.find(key_without_parts(p, p.feature_a, p.feature_b));
  return own * std::max(0.0, press.net) / press.positive;
}

/// Where the sides of a contact fell towards each other within the step, their plane turns a part of that fall into a way along
/// it: by a thousandth of a radian, 1 µm of 1 mm, half of what friction grows over. So points that stand on each other, whose
/// plane turns by their way over their gap, push it to and fro, and corners, edges and triangles that take over from each other
/// have planes of their own. From now on all contacts of two surfaces that have nearly the plane that these have on the whole
/// share that one.
void BarrierSystem::hold_planes() {
  planes_.clear();
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    const double force = p.patch_a < p.patch_b ? force_of(p, s) : -force_of(p, s);
    planes_.try_emplace(std::minmax(p.patch_a, p.patch_b), Vec3::Zero()).first->second += force * s.place.normal;
  });
  for (auto& [patches, normal] : planes_) normal.normalize();
}

/// Of the plane that a pair rubs in.
Vec3 BarrierSystem::normal_of_friction(const ContactPair& p, const PairState& s) const {
  const auto held = planes_.find(std::minmax(p.patch_a, p.patch_b));
  if (held == planes_.end()) return s.place.normal;
  const Vec3 normal = p.patch_a < p.patch_b ? held->second : Vec3(-held->second);
  return normal.dot(s.place.normal) > kSamePlane ? normal : s.place.normal;
}

/// @returns whether its length is as it is to be
bool BarrierSystem::add_friction(const ContactPair& p, const PairState& s, double force, double mu, int round) {
  FrictionTerm f;
  f.size = 0;
  add_side(p, s.place, true, f);
  add_side(p, s.place, false, f);
  const Vec3 normal = normal_of_friction(p, s);
  f.tangents = frame_from_normal(normal).rightCols<2>();
  f.limit = mu * force;
  shares_.push_back(f.limit / force_of(p, s));
  f.length = options_.barrier.slip * p.range;
  if (p.members == 0) friction_names_.push_back({key_of(p, p.feature_a, p.feature_b), 1});
  for (const PairMember& m : contacts_.members_of(p))
    friction_names_.push_back({key_without_parts(p, m.feature_a, m.feature_b), m.part});
  const double longer = free_way(f) * (remembers_force() ? kLessBlunt : kBlunt) * std::pow(kSharper, round);
  const bool sharp = !(longer > f.length);
  if (!sharp) f.length = longer;
  f.anchor = remembered_way(p, normal, f, mu);
  f.pull = last_pull(f);
  first_name_.push_back(friction_names_.size());
  friction_.push_back(f);
  friction_pairs_.push_back(p);
  return sharp;
}

/// Friction that turns around within a tiny way is hard to minimise: in the first rounds the way is longer.
bool BarrierSystem::lag_friction(const World& world, int round, bool frozen) {
  clear_friction();
  bool sharp = joints_.stiffen(round);
  find_presses();
  term_of_pair_.clear();
  for_each_pair([&](const ContactPair& p, const PairState& s) {
    term_of_pair_.push_back(kNoBlock);
    const double force = press_of_pair(p, s);
    if (!(force > kNoForce * largest_press_)) return;
    const double mu = friction_between(world, p.patch_a, p.patch_b);
    if (!(mu > 0)) return;
    term_of_pair_.back() = static_cast<std::uint32_t>(friction_.size());
    if (!add_friction(p, s, force, mu, round)) sharp = false;
  });
  friction_fits_ = true;
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const ContactPair& p = friction_pairs_[k];
    if (p.push > 0 && (frozen || !sharp)) friction_[k].limit = shares_[k] * p.push;
  }
  return sharp;
}

}   // namespace stickslip
