// What contacts know beyond the instant: impulses of the step before, how they turn within this one, how they give way.
#include <cmath>
#include <numeric>

#include "step/builder.h"
#include "step/free_motion.h"
#include "step/sizes.h"
#include "step/volumes.h"

namespace stickslip {

namespace {

constexpr double kSteadyMotion = 0.5;   ///< part of a velocity by which a body that rolls or slides on may change it in a step
constexpr double kSteadySpin = 0.05;    ///< part of a spin by which it may change in a step and count as steady

constexpr double kFollows = 0.05;   ///< of |g| h: by so much what moves with its support may seem to move otherwise

constexpr double kSamePlace = 0.25;   ///< of the thinner body's thickness: a contact that moved less is the same

/// Most elasticity along the normal, as a part of W_nn: where little rests on a contact, or there is no gravity.
constexpr double kMostElastic = 1e-4;

/// Most that the impulses between two bodies may press, as a multiple of what they transmit together.
constexpr double kMostSqueeze = 20;

/// Tolerances by which the recovery of an elastic contact may differ from what its load needs and count as settled.
constexpr double kSettled = 10;

}   // namespace

/// Finds what touches or is joined, and its mass.
void ProblemBuilder::weigh() {
  group_of_segment_.resize(problem_.segments.size());
  std::iota(group_of_segment_.begin(), group_of_segment_.end(), 0u);
  const auto root = [&](std::uint32_t s) {
    while (group_of_segment_[s] != s) s = group_of_segment_[s] = group_of_segment_[group_of_segment_[s]];
    return s;
  };
  for (const Block& block : problem_.blocks) {
    const auto segments = problem_.segments_of(block);
    for (std::size_t k = 1; k < segments.size(); ++k) {
      const std::uint32_t a = root(segments[0]), b = root(segments[k]);
      group_of_segment_[std::max(a, b)] = std::min(a, b);
    }
  }
  weight_of_group_.assign(problem_.segments.size(), 0.0);
  for (std::uint32_t s = 0; s < problem_.segments.size(); ++s) {
    group_of_segment_[s] = root(s);
    weight_of_group_[group_of_segment_[s]] += 1 / problem_.segments[s].inverse_mass;
  }
}

/// A contact that carried a load in the last step and lies a little above the band got there by an error of a support that
/// turns, or drifted there within the tolerance of many steps. It comes back to the edge of the band, as from below: falling to
/// the middle would be an impact, with friction that lets go for a step.
void ProblemBuilder::hold_on(const World& world, const Manifold& m, const ContactSet& set, const StepOptions& options) {
  if (correction(options.stabilisation, options.h).compliance > 0) return;
  const double band = options.contact_band * thinner(world.colliders()[m.a], world.colliders()[m.b]);
  for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
    BuiltContact& built = contacts_[i];
    const std::uint32_t row = problem_.blocks[built.block].row;
    if (built.touching || built.rebounds || set.points[i].gap + m.target > 2 * band || !(guess_[row] > 0)) continue;
    built.touching = true;
    problem_.b[row] -= band / options.h;
  }
}

/// Velocities with the impulses of the last step, by segment.
void ProblemBuilder::push_by_guess() {
  velocity_.assign(space_.free().begin(), space_.free().end());
  for (const Block& block : problem_.blocks) {
    const double* jacobian = problem_.jacobian_values.data() + block.jacobian;
    for (const std::uint32_t s : problem_.segments_of(block)) {
      push(s, block, jacobian);
      jacobian += space_.size_of(s) * block.dim;
    }
  }
}

/// A ball that rolls comes down in front as fast as it rises behind, and its area stays as it is: what its front does there is
/// no approach. Normal rows get that speed as room, and the moment of the pressure becomes a resistance, as the rolling rows of
/// friction laws are. How fast it will roll is not known yet: as fast as the impulses of the last step would leave it. Where
/// the law itself resists rolling, what it widens the area by is no approach either, of whatever body.
void ProblemBuilder::let_roll(const World& world, const ContactSet& set) {
  if (set.patches.empty()) return;
  bool pushed = false;
  for (const Manifold& m : set.manifolds) {
    const ContactPatch* const patch = set.patch_of(m);
    if (!patch) continue;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const BuiltContact& built = contacts_[i];
      if (set.points[i].feature != kPatchFeature) continue;
      const SpinRows& spin = spins_[built.spin];
      if (patch->rolling.isZero(0) && spin.rolling == 0) continue;
      if (!pushed) push_by_guess();
      pushed = true;
      const Mat2 turn = turned_into(built.frame, *patch), free = turn * patch->rolling * turn.transpose();
      const Vec2 later = relative_spin(sides_of(world, m), built, velocity_).tail<2>(), earlier = spin.before.tail<2>();
      const Vec2 after = free * later, held = later - after;
      double& room = problem_.b[problem_.blocks[built.block].row];
      const PressurePatch& pressed = std::get<PatchFriction>(problem_.laws[built.block]).patch();
      // What comes to rest gets no room.
      if (after.dot(free * earlier) > 0) room += std::max(0.0, pressed.support(-spin.length * after));
      if (spin.rolling > 0 && held.dot(earlier) > 0) room += spin.rolling * held.norm();
    }
  }
}

/// What bodies would do with the impulses of the last step.
void ProblemBuilder::expect(const World& world, const StepOptions& options) {
  const double fall = world.gravity.norm() * options.h;
  expected_.resize(world.mover_count());
  push_by_guess();
  for (std::uint32_t i = 0; i < world.mover_count(); ++i) {
    const Motion now = motion_of(world, i);
    expected_[i] = {now.velocity, now.angular_velocity};
    if (space_.segment_of(i) == kNoSegment) continue;
    const Twist after = space_.twist(velocity_, space_.segment_of(i));
    // Small changes of a spin are the torque of impulses that press against each other, from arms that have turned since; large
    // ones are blows, which are not struck twice.
    const double turned = (after.angular - now.angular_velocity).norm(), pushed = (after.linear - now.velocity).norm();
    if (pushed > kSteadyMotion * now.velocity.norm() + 5 * fall || turned > kSteadyMotion * now.angular_velocity.norm())
      continue;
    expected_[i].linear = after.linear;
    if (turned > kSteadySpin * after.angular.norm()) expected_[i].angular = after.angular;
  }
}

/// Velocity that the impulses of the last step give a segment through a block. @param jacobian its columns
void ProblemBuilder::push(std::uint32_t s, const Block& block, const double* jacobian) {
  const int size = space_.size_of(s);
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  for (std::uint32_t k = 0; k < block.dim; ++k, jacobian += size) {
    linear += guess_[block.row + k] * Eigen::Map<const Vec3>(jacobian);
    if (size == kRigidSize) angular += guess_[block.row + k] * Eigen::Map<const Vec3>(jacobian + 3);
  }
  const VelocitySegment& segment = problem_.segments[s];
  double* u = velocity_.data() + space_.offset(s);
  Eigen::Map<Vec3>(u) += segment.inverse_mass * linear;
  if (size == kRigidSize) Eigen::Map<Vec3>(u + 3) += segment.inverse_inertia * angular;
}

/// What lies on a driven body with a face and moves with it goes on to: how that body moves in this step is known, while the
/// impulses of the last step are late by one.
void ProblemBuilder::follow_supports(const World& world, const ContactSet& set, const StepOptions& options) {
  const double close = kFollows * world.gravity.norm() * options.h;
  for (const Manifold& m : set.manifolds) {
    std::uint32_t mover = world.colliders()[m.a].body, follower = world.colliders()[m.b].body;
    if (world.bodies()[mover].motion != MotionType::kinematic) std::swap(mover, follower);
    if (m.count < 3 || world.bodies()[mover].motion != MotionType::kinematic || space_.segment_of(follower) == kNoSegment)
      continue;
    const Motion driven = motion_of(world, mover);
    bool carried = true;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i)
      carried = carried && contacts_[i].touching && guess_[problem_.blocks[contacts_[i].block].row] > 0;
    const Vec3 velocity = driven.velocity_at(space_.center(space_.segment_of(follower)));
    if (!carried || (velocity - expected_[follower].linear).norm() > close) continue;
    expected_[follower] = {velocity, driven.angular_velocity};
  }
}

/// Contacts that carry a load, or touch without being struck, get the change of their velocity within the step
/// (step/turning.h).
void ProblemBuilder::turn(const World& world, const ContactSet& set, const StepOptions& options) {
  const double threshold = options.restitution_threshold * world.gravity.norm() * options.h;
  const auto persists = [&](std::uint32_t i) {
    return contacts_[i].touching &&
           (guess_[problem_.blocks[contacts_[i].block].row] > 0 || contacts_[i].before[0] > -threshold);
  };
  bool any = false;
  for (const Manifold& m : set.manifolds) {
    hold_on(world, m, set, options);
    if (!turns(world, m) || is_of_volume(set, m)) continue;
    bool loaded = false;
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) loaded = loaded || persists(i);
    if (!loaded) continue;
    if (!any) {
      expect(world, options);
      follow_supports(world, set, options);
      turning_.begin(world, options, expected_);
      any = true;
    }
    const std::span<const Vec3> kappa = turning_.of(m, std::span(set.points).subspan(m.first, m.count));
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      if (!persists(i)) continue;
      BuiltContact& built = contacts_[i];
      const Block& block = problem_.blocks[built.block];
      built.turning = built.frame.transpose() * kappa[i - m.first];
      // Asked for more than the approach, an impulse would give energy.
      built.turning[0] = std::max(built.turning[0], std::min(0.0, built.before[0]));
      for (int k = 0; k < std::min<int>(block.dim, 3); ++k) problem_.b[block.row + k] += built.turning[k];
    }
  }
}

void ProblemBuilder::bend(std::uint32_t point, double kappa) {
  BuiltContact& built = contacts_[point];
  if (built.rebounds) return;
  problem_.b[problem_.blocks[built.block].row] += kappa - built.turning[0];
  built.turning[0] = kappa;
}

/// Recovery of a body that is wedged in asks for what cannot be: forces would grow without bound. Contacts beyond the band are
/// elastic along the normal, so that they settle a little beyond it instead, each with its share of the load. Friction stays
/// rigid: an elastic one would creep.
void ProblemBuilder::soften(const World& world, const ContactSet& set, const StepOptions& options) {
  if (!(options.contact_elasticity > 0)) return;
  soften_wedges(world, set);
  const bool recovers =
      std::any_of(contacts_.begin(), contacts_.end(), [](const BuiltContact& c) { return c.recovery_speed > 0; });
  if (!recovers) return;
  weigh();
  const double fall = world.gravity.norm() * options.h * options.h;
  for (const Manifold& m : set.manifolds) {
    const double give =
        options.contact_elasticity * options.contact_band * thinner(world.colliders()[m.a], world.colliders()[m.b]);
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i) {
      const Block& block = problem_.blocks[contacts_[i].block];
      if (!(contacts_[i].recovery_speed > 0) || problem_.sigma[block.row] > 0) continue;
      const double w = normal_give(block), mass = weight_of_group_[group_of_segment_[problem_.segments_of(block).front()]];
      problem_.sigma[block.row] = std::min(kMostElastic * w, fall > 0 ? give / (mass * fall) : w);
      settle(contacts_[i], kSettled * options.tolerance * world.gravity.norm() * options.h);
    }
  }
}

/// Two bodies that touch from opposite sides can be jammed: friction holds whatever forces press them against each other there,
/// and a row that asks for the least motion that cannot be would make them grow without bound. Their contacts give way a
/// little. Soft bodies do so by themselves: contacts that give way as well would creep under them, and nodes at the sides of
/// what stands flush on a soft block do not jam it.
void ProblemBuilder::soften_wedges(const World& world, const ContactSet& set) {
  const std::vector<Manifold>& all = set.manifolds;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].a == all[first].a && all[last].b == all[first].b) ++last;
    if (last - first < 2 || world.colliders()[all[first].a].deforms || world.colliders()[all[first].b].deforms) continue;
    const std::uint32_t begin = all[first].first, end = all[last - 1].first + all[last - 1].count;
    bool opposite = false;
    for (std::uint32_t i = begin; i < end && !opposite; ++i)
      for (std::uint32_t j = begin; j < i && !opposite; ++j) opposite = set.points[i].normal.dot(set.points[j].normal) < 0;
    for (std::uint32_t i = begin; i < end && opposite; ++i) {
      const Block& block = problem_.blocks[contacts_[i].block];
      if (problem_.sigma[block.row] == 0) problem_.sigma[block.row] = kMostElastic * normal_give(block);
    }
  }
}

/// W_nn of a contact before finalize() [1/kg].
double ProblemBuilder::normal_give(const Block& block) const {
  double w = 0;
  const double* row = problem_.jacobian_values.data() + block.jacobian;
  for (const std::uint32_t s : problem_.segments_of(block)) {
    const VelocitySegment& segment = problem_.segments[s];
    const Eigen::Map<const Vec3> linear(row);
    if (segment.is_rigid()) {
      const Eigen::Map<const Vec3> angular(row + 3);
      w += segment.inverse_mass * linear.squaredNorm() + angular.dot(segment.inverse_inertia * angular);
    } else {
      w += segment.inverse_mass * linear.squaredNorm();
    }
    row += space_.size_of(s) * block.dim;
  }
  return w;
}

/// An elastic contact that is next to where its load and its recovery balance stays there. Without this the last nanometres
/// would be corrected by velocities of the size of the tolerance, which solves leave as they are until they have gone too far.
/// @param speed by which recovery may miss, and which is taken from what it misses by beyond [m/s]
void ProblemBuilder::settle(BuiltContact& c, double speed) {
  const std::uint32_t row = problem_.blocks[c.block].row;
  const double balance = problem_.sigma[row] * guess_[row], missing = c.recovery_speed - balance;
  const double settled = balance + std::copysign(std::max(std::abs(missing) - speed, 0.0), missing);
  problem_.b[row] += c.recovery_speed - settled;
  c.recovery_speed = settled;
}

/// The impulses of the last step, as those of this one.
void ProblemBuilder::remember(const World& world, const ContactSet& set, const StepOptions& options) {
  guess_.assign(problem_.rows(), 0.0);
  if (!(world.memory.h > 0)) return;
  const double scale = guess_time(world, options) / world.memory.h;
  joints_.fill_guess(world, scale, guess_);
  attachments_.fill_guess(world, scale, guess_);
  // Both lists are sorted by key.
  auto old = world.memory.impulses.begin();
  const auto end = world.memory.impulses.end();
  const std::vector<Manifold>& all = set.manifolds;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    const std::pair colliders(all[first].a, all[first].b);
    while (last < all.size() && std::pair(all[last].a, all[last].b) == colliders) ++last;
    while (old != end && std::pair(old->key.a, old->key.b) < colliders) ++old;
    const auto first_old = old;
    while (old != end && std::pair(old->key.a, old->key.b) == colliders) ++old;
    if (first_old == old) continue;
    const std::span pair(all.begin() + first, all.begin() + last);
    remember(world, set, pair, std::span(first_old, old), scale);
    if (pair.size() > 1) release(set, pair);
  }
}

/// Impulses go to the points of the same features. Faces of two boxes that lie on each other change places as the reference,
/// and with them the names of all their features: impulses whose features are gone go to the points that are now where theirs
/// were. @param pair the manifolds of two colliders
void ProblemBuilder::remember(const World& world, const ContactSet& set, std::span<const Manifold> pair,
                              std::span<const RememberedImpulse> old, double scale) {
  const std::uint32_t begin = pair.front().first, end = pair.back().first + pair.back().count;
  taken_.assign(end - begin, false);
  orphans_.clear();
  auto m = pair.begin();
  std::uint32_t i = begin;
  for (const RememberedImpulse& r : old) {
    while (i < end && m->key(set.points[i]) < r.key)
      if (++i == m->first + m->count && i < end) ++m;
    if (i < end && m->key(set.points[i]) == r.key) {
      set_guess(i, r, scale);
      taken_[i - begin] = true;
    } else if (r.impulse.squaredNorm() > 0 && r.position.allFinite()) {
      orphans_.push_back(r);
    }
  }
  const double reach = kSamePlace * thinner(world.colliders()[pair.front().a], world.colliders()[pair.front().b]);
  for (const RememberedImpulse& r : orphans_) {
    std::uint32_t nearest = end;
    double least = reach * reach;
    for (i = begin; i < end; ++i) {
      const ContactPoint& point = set.points[i];
      const double distance = (point.position - r.position).squaredNorm();
      if (taken_[i - begin] || distance > least || !(point.normal.dot(r.impulse) > 0)) continue;
      nearest = i;
      least = distance;
    }
    if (nearest == end) continue;
    set_guess(nearest, r, scale);
    taken_[nearest - begin] = true;
  }
}

/// Forces between two bodies that touch from several sides can hold each other, as between a wedge and its notch: no motion
/// needs them and nothing makes them smaller again. Where they press with more than a few times what they transmit together
/// they are forgotten.
void ProblemBuilder::release(const ContactSet& set, std::span<const Manifold> pair) {
  const std::uint32_t begin = pair.front().first, end = pair.back().first + pair.back().count;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero(), middle = Vec3::Zero();
  double pressing = 0, size = 0;
  const auto impulse_of = [&](std::uint32_t i) -> Vec3 {
    const Block& block = problem_.blocks[contacts_[i].block];
    Vec3 impulse = Vec3::Zero();
    for (int k = 0; k < std::min<int>(block.dim, 3); ++k) impulse[k] = guess_[block.row + k];
    return contacts_[i].frame * impulse;
  };
  for (std::uint32_t i = begin; i < end; ++i) middle += set.points[i].position / (end - begin);
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vec3 impulse = impulse_of(i), arm = set.points[i].position - middle;
    force += impulse;
    torque += arm.cross(impulse);
    pressing += impulse.norm();
    size = std::max(size, arm.norm());
  }
  if (!(pressing > kMostSqueeze * (force.norm() + (size > 0 ? torque.norm() / size : 0)))) return;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Block& block = problem_.blocks[contacts_[i].block];
    std::fill_n(guess_.begin() + block.row, block.dim, 0.0);
  }
}

void ProblemBuilder::set_guess(std::uint32_t point, const RememberedImpulse& r, double scale) {
  const BuiltContact& built = contacts_[point];
  const Block& block = problem_.blocks[built.block];
  const Vec3 impulse = scale * (built.frame.transpose() * r.impulse);
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) guess_[block.row + k] = impulse[k];
  if (built.spin == kNoSpin) return;
  const Vec3 angular = scale / spins_[built.spin].length * (built.frame.transpose() * r.angular_impulse);
  for (int k = 3; k < block.dim; ++k) guess_[block.row + k] = angular[turn_of_row(block.dim - 1, k)];
}

}   // namespace stickslip
