// Joints that cannot come back to their places.
//
// Bars that are too short to meet, almost in one line, could close the gap only by turning ever faster: the rows of the step
// are consistent and their solution is useless. Without stabilisation the impulses of joints project the velocities, which
// takes energy and never gives any; so what the recovery of a joint may cost is known: about the energy of its bodies, and all
// that hang on them, at the speed of the recovery. Where it costs more, only the part that keeps to that is asked for; where
// next to nothing would be left, nothing is, and the joints contradict each other.
#include <cmath>

#include "step/joints/joint_rows.h"

namespace stickslip {

namespace {

constexpr double kFar = 0.01;   ///< part of its size that a joint is off its place when it is watched
constexpr double kDear = 4;     ///< times the energy that recovery should cost
constexpr double kLost = 0.1;   ///< part of the recovery below which it counts as lost
constexpr double kShare =
    0.1;   ///< of the largest impulse, from which on a joint counts as one of those that pull against each other

}   // namespace

/// Adds to segments all that joints tie to them, directly or not.
void JointRows::spread(std::vector<bool>& segments) const {
  for (bool grew = true; grew;) {
    grew = false;
    for (const BlockRows& b : blocks_) {
      if (std::none_of(b.segment, b.segment + b.arity, [&](std::uint32_t k) { return segments[k]; })) continue;
      for (std::uint32_t i = 0; i < b.arity; ++i) {
        grew = grew || !segments[b.segment[i]];
        segments[b.segment[i]] = true;
      }
    }
  }
}

JointRows::Overload JointRows::find_overload(const Setting& s, const ContactProblem& p, std::span<const double> impulses,
                                             std::span<const double> velocity) const {
  Overload found;
  const Correction c = correction(s.options.stabilisation, s.options.h);
  const auto is_far = [&](const Row& row) {
    const double size = s.world.joints()[row.joint].row_length, speed = std::abs(row.recovery);
    return row.part == JointPart::locked && speed > 0 &&
           speed >= std::min(c.error_reduction * kFar * size / s.options.h, 0.999 * fastest_recovery(s.world, size));
  };
  for (const Row& row : rows_)
    if (is_far(row)) found.speed = std::max(found.speed, std::abs(row.recovery));
  if (found.speed == 0) return found;

  // The bodies of these joints, and all that other joints tie to them.
  std::vector<bool> concerned(p.segments.size(), false);
  const auto touches = [&](const BlockRows& b) {
    return std::any_of(b.segment, b.segment + b.arity, [&](std::uint32_t k) { return concerned[k]; });
  };
  for (const BlockRows& b : blocks_)
    if (std::any_of(rows_.begin() + b.first, rows_.begin() + b.first + b.dim, is_far))
      for (std::uint32_t i = 0; i < b.arity; ++i) concerned[b.segment[i]] = true;
  spread(concerned);

  double free = 0, after = 0, allowed = 0;   // [J]
  for (std::uint32_t i = 0; i < p.segments.size(); ++i) {
    if (!concerned[i] || !p.segments[i].is_rigid()) continue;
    const auto energy = [&](std::span<const double> u) {
      const Vec3 spin = p.inertia_factors[i].triangularView<Eigen::Lower>().solve(Vec3(angular_part(u, i)));
      return 0.5 * (linear_part(u, i).squaredNorm() / p.segments[i].inverse_mass + spin.squaredNorm());
    };
    free += energy(s.free);
    after += energy(velocity);
    allowed += 0.5 * found.speed * found.speed / p.segments[i].inverse_mass;
  }
  if (after <= free + kDear * allowed) return found;
  found.affordable = std::sqrt(kDear * allowed / (after - free));
  if (found.affordable > kLost) return found;
  found.affordable = 0;
  double largest = 0;
  const auto impulse_of = [&](const BlockRows& b) {
    double most = 0;
    for (std::uint32_t k = 0; k < b.dim; ++k) most = std::max(most, std::abs(impulses[rows_[b.first + k].row]));
    return most;
  };
  for (const BlockRows& b : blocks_)
    if (touches(b) && b.kind == BlockKind::bilateral) largest = std::max(largest, impulse_of(b));
  for (const BlockRows& b : blocks_)
    if (touches(b) && b.kind == BlockKind::bilateral && impulse_of(b) >= kShare * largest)
      found.joints.push_back(rows_[b.first].joint);
  std::sort(found.joints.begin(), found.joints.end());
  found.joints.erase(std::unique(found.joints.begin(), found.joints.end()), found.joints.end());
  return found;
}

void JointRows::reduce_recovery(ContactProblem& p, double part) {
  for (Row& row : rows_) {
    p.b[row.row] += (1 - part) * row.recovery - row.turning;
    row.recovery *= part;
    row.turning = 0;
  }
}

}   // namespace stickslip
