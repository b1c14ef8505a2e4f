// Closed loops that are held more often than needed.
//
// Four hinges hold a loop of four bars so many times over that it moves only because its axes are as they are (Bennett's
// linkage; a parallelogram with a third bar). A step moves it along the tangent, off the path on which all joints are
// satisfied, by an error of second order; what they ask for to come back, and what κ corrects, then contradict each other by
// an error of second order as well. That is no conflict of the joints but the length of the step: they ask for what they
// agree on, the velocities of least squares, and the solve meets its tolerance. The errors stay of second order.
#include <cmath>

#include "solve/joint_conflict.h"
#include "step/joints/joint_rows.h"

namespace stickslip {

namespace {

constexpr double kAsBuilt = 1e-3;   ///< part of its size that a joint at rest may be off because the joints do not quite fit

}   // namespace

/// Whether a row is off its place by no more than steps of this length explain.
bool JointRows::fits(const Setting& s, const Row& row) const {
  if (row.part != JointPart::locked && row.part != JointPart::coupling) return true;
  const Joint& joint = s.world.joints()[row.joint];
  const Correction c = correction(s.options.stabilisation, s.options.h);
  if (joint.description.type == JointType::gear || row.recovery == 0 || c.error_reduction == 0) return true;
  double turn = 0;
  for (const BodyId id : {joint.description.a, joint.description.b})
    if (id != BodyId{}) turn = std::max(turn, s.options.h * s.world.bodies()[id.index].angular_velocity.norm());
  return std::abs(row.recovery) * s.options.h / c.error_reduction <= joint.row_length * (kAsBuilt + turn * turn);
}

bool JointRows::agree(const Setting& s, ContactProblem& p, std::span<const double> impulses, double tolerance) {
  if (!std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return fits(s, row); })) return false;
  JointContradictions contradictions;
  if (!contradictions.setup(p)) return false;
  std::vector<double> v(p.rows()), segment;
  p.contact_velocity(impulses, v, segment);
  const std::vector<double> in_vain = contradictions.of(v);
  double most = 0, asked = 0;
  for (const Row& row : rows_) {
    most = std::max(most, std::abs(in_vain[row.row]));
    asked = std::max(asked, std::abs(row.turning - row.recovery));
  }
  if (!(most > tolerance) || most > asked) return false;
  for (Row& row : rows_) {
    p.b[row.row] -= in_vain[row.row];
    row.turning -= in_vain[row.row];
  }
  return true;
}

}   // namespace stickslip
