// Joints that cannot come back to their places.
//
// Bars that are too short to meet, almost in one line, could close the gap only by turning ever faster: the rows of the step are consistent and their
// solution is useless. Without stabilisation the impulses of joints project the velocities, which takes energy and never gives any; so what the
// recovery of a joint may cost is known: about the energy of its bodies, and all that hang on them, at the speed of the recovery.
#include "step/joint_rows.h"

namespace stickslip {

namespace {

constexpr double kFar = 0.01;    ///< part of its size that a joint is off its place when it is watched
constexpr double kDear = 10;     ///< times the energy that recovery should cost
constexpr double kShare = 0.1;   ///< of the largest impulse, from which on a joint counts as one of those that pull against each other

}  // namespace

JointRows::Hopeless JointRows::find_hopeless(const Setting& s, const ContactProblem& p, std::span<const double> impulses, std::span<const double> velocity) const {
  Hopeless found;
  const Correction c = correction(s.options.stabilisation, s.options.h);
  std::vector<bool> concerned(p.segments.size(), false);
  const auto touches = [&](const BlockRows& b) { return std::any_of(b.segment, b.segment + b.arity, [&](std::uint32_t k) { return concerned[k]; }); };
  for (const BlockRows& b : blocks_)
    for (std::uint32_t k = 0; k < b.dim; ++k) {
      const Row& row = rows_[b.first + k];
      const double size = s.world.joints()[row.joint].row_length, speed = std::abs(row.recovery);
      if (row.part != JointPart::locked || speed == 0) continue;
      if (speed < std::min(c.error_reduction * kFar * size / s.options.h, 0.999 * fastest_recovery(s, size))) continue;
      found.speed = std::max(found.speed, speed);
      for (std::uint32_t i = 0; i < b.arity; ++i) concerned[b.segment[i]] = true;
    }
  if (found.speed == 0) return found;
  for (bool grew = true; grew;) {
    grew = false;
    for (const BlockRows& b : blocks_) {
      if (!touches(b)) continue;
      for (std::uint32_t i = 0; i < b.arity; ++i) {
        grew = grew || !concerned[b.segment[i]];
        concerned[b.segment[i]] = true;
      }
    }
  }

  double free = 0, after = 0, allowed = 0;   // [J]
  for (std::size_t i = 0; i < p.segments.size(); ++i) {
    if (!concerned[i]) continue;
    const auto energy = [&](std::span<const double> u) {
      const Vec3 spin = p.inertia_factors[i].triangularView<Eigen::Lower>().solve(Vec3(Eigen::Map<const Vec3>(u.data() + 6 * i + 3)));
      return 0.5 * (Eigen::Map<const Vec3>(u.data() + 6 * i).squaredNorm() / p.segments[i].inverse_mass + spin.squaredNorm());
    };
    free += energy(s.free);
    after += energy(velocity);
    allowed += 0.5 * found.speed * found.speed / p.segments[i].inverse_mass;
  }
  if (after <= free + kDear * allowed) return found;
  double largest = 0;
  const auto impulse_of = [&](const BlockRows& b) {
    double most = 0;
    for (std::uint32_t k = 0; k < b.dim; ++k) most = std::max(most, std::abs(impulses[rows_[b.first + k].row]));
    return most;
  };
  for (const BlockRows& b : blocks_)
    if (touches(b) && b.kind == BlockKind::bilateral) largest = std::max(largest, impulse_of(b));
  for (const BlockRows& b : blocks_)
    if (touches(b) && b.kind == BlockKind::bilateral && impulse_of(b) >= kShare * largest) found.joints.push_back(rows_[b.first].joint);
  std::sort(found.joints.begin(), found.joints.end());
  found.joints.erase(std::unique(found.joints.begin(), found.joints.end()), found.joints.end());
  return found;
}

void JointRows::forgo_recovery(ContactProblem& p) {
  for (Row& row : rows_) {
    p.b[row.row] += row.recovery;
    row.recovery = 0;
  }
}

}  // namespace stickslip
