#include "step/contact_records.h"

#include <limits>

#include "step/free_motion.h"
#include "step/patches.h"
#include "step/sleep.h"

namespace stickslip {

void ContactRecords::write(World& world, const Piece& piece, MotionJudge& judge, StepReport& report) {
  carry_over(world, piece, report);
  // The memory for the next step: impulses of sleeping pairs stay, all others are replaced. Old and new are sorted, and no
  // pair is in both.
  remembered_.clear();
  auto old = world.memory.impulses.begin();
  const auto keep_before = [&, end = world.memory.impulses.end()](std::uint32_t a, std::uint32_t b) {
    for (; old != end && std::pair(old->key.a, old->key.b) < std::pair(a, b); ++old)
      if (pair_rests(world, old->key)) remembered_.push_back(*old);
  };
  report.contacts.clear();
  outlines_.begin_round();
  report.penetration_max = 0;
  report.distance_min = std::numeric_limits<double>::infinity();
  const auto& [builder, set, velocity, impulses, joined] = piece.solved;
  for (const Manifold& m : set.manifolds) {
    keep_before(m.a, m.b);
    const Collider &a = world.colliders()[m.a], &b = world.colliders()[m.b];
    const Pair pair{m, builder.sides_of(world, m), world.id_of(a.body), world.id_of(b.body),
                    set.patches.empty() ? nullptr : set.patch_of(m), a.deforms || b.deforms};
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i)
      write_contact({world, piece, judge, report}, pair, set.points[i], builder.contacts()[i]);
  }
  keep_before(~0u, ~0u);
  world.memory.impulses.swap(remembered_);
  remember_as_forces(world, piece.options);
  world.memory.h = piece.options.h;
  for (const ContactRecord& c : resting_) report.distance_min = std::min(report.distance_min, c.gap);
  if (resting_.empty()) return;
  report.contacts.insert(report.contacts.end(), resting_.begin(), resting_.end());
  std::ranges::sort(report.contacts, {}, &ContactRecord::key);
}

void ContactRecords::carry_over(const World& world, const Piece& piece, const StepReport& report) {
  resting_.clear();
  if (!piece.options.sleep.enabled) return;
  for (const ContactRecord& c : report.contacts)
    if (world.contains(c.body_a) && world.contains(c.body_b) && pair_rests(world, c.key)) resting_.push_back(c);
}

/// Impulses are remembered as if forces had acted for as long as the piece was.
void ContactRecords::remember_as_forces(World& world, const StepOptions& options) const {
  const double time = guess_time(world, options);
  if (time == options.h) return;
  for (RememberedImpulse& r : world.memory.impulses) {
    r.impulse *= options.h / time;
    r.angular_impulse *= options.h / time;
  }
}

ContactRecords::SpinWork ContactRecords::spin_work(const Desk& desk, const ProblemBuilder::Sides& sides,
                                                   const BuiltContact& built, bool moments_press) {
  if (built.spin == kNoSpin) return {};
  const auto& [builder, set, velocity, impulses, joined] = desk.piece.solved;
  const SpinRows& spin = builder.spin(built);
  const Vec3 mean = 0.5 * (spin.before + builder.relative_spin(sides, built, velocity));
  const Vec3 impulse = builder.angular_impulse(built, impulses);
  desk.report.energy.driven -= impulse.dot(spin.driven);
  const double rolling = impulse.tail<2>().dot(mean.tail<2>()), torsion = impulse[0] * mean[0];
  if (moments_press && spin.rolling > 0) {
    const double resisting = builder.rolling_resistance(built, mean, impulses) * mean.tail<2>().norm();
    return {rolling + resisting, torsion - resisting, built.frame * impulse};
  }
  return {moments_press ? rolling : 0, torsion + (moments_press ? 0 : rolling), built.frame * impulse};
}

void ContactRecords::write_contact(const Desk& desk, const Pair& pair, const ContactPoint& point, const BuiltContact& built) {
  const auto& [world, piece, judge, report] = desk;
  const auto& [builder, set, velocity, impulses, joined] = piece.solved;
  const Manifold& m = pair.manifold;
  const Block& block = builder.problem().blocks[built.block];
  Vec3 impulse = Vec3::Zero(), next = Vec3::Zero();
  for (int k = 0; k < std::min<int>(block.dim, 3); ++k) {
    impulse[k] = impulses[block.row + k];
    next[k] = piece.next_guess[block.row + k];
  }
  const Vec3 after = built.frame.transpose() * builder.relative_velocity(world, pair.sides, point, built, velocity);
  // Forces inside soft bodies act at the end of the step, and so does what they work against.
  const Vec3 mean = pair.deforms ? after : Vec3(0.5 * (built.before + after));
  const Vec3 slip(0, after[1] + built.turning[1], after[2] + built.turning[2]);   // mean over the drift
  // An area that rolls along has the moment of its pressure as a resistance; another one is pressed where its centre is.
  const bool is_area = pair.patch && point.feature == kPatchFeature;
  const SpinWork spin = spin_work(desk, pair.sides, built, is_area && pair.patch->rolling.isZero(0));
  const double pressing = impulse[0] * mean[0] + spin.pressing;
  // A contact that recovers gives energy where it parts by more than it was struck with: the rest of what it asks for is a
  // smaller loss, and at rest it is nothing.
  const double lifted = std::clamp(pressing, 0.0, std::max(0.0, impulse[0] * built.recovery_speed));
  EnergyLedger& energy = report.energy;
  energy.friction -= impulse.tail<2>().dot(mean.tail<2>()) + spin.friction;
  energy.impact -= pressing - lifted;
  energy.stabilisation += lifted;
  energy.driven -= impulse.dot(built.driven);
  judge.see(world, builder.problem(), {m, point, built, block, impulse, after, pressing});
  report.penetration_max = std::max(report.penetration_max, -point.gap - m.target);
  const double at_end = point.gap + piece.drift_time * (after[0] + built.turning[0]);
  report.distance_min = std::min({report.distance_min, point.gap, at_end});
  std::shared_ptr<ContactOutline> outline;
  if (is_area) set_outline(*(outline = outlines_.take([] { return std::make_shared<ContactOutline>(); })), *pair.patch, point);
  report.contacts.push_back({pair.a, pair.b, m.key(point), point.position, point.normal, point.gap, built.frame * impulse,
                             impulse[0], built.friction, built.frame * slip, spin.angular_impulse, std::move(outline)});
  remembered_.push_back({m.key(point), built.frame * next, built.frame * builder.angular_impulse(built, piece.next_guess),
                         point.position});
}

}   // namespace stickslip
