// Rows of joints whose forces explicit substeps solve for, all of them together: as dampers they would need substeps of their
// own, or give way.
//
//   armature   resists a change of its speed by −I Δ
//   motor      keeps its speed, whatever it carries, with no more than its force
//
// With w the velocities without them, directions D and compliances C their impulses p over a substep t are those of
//
//   (C + D M⁻¹ Dᵀ) p = s − D w,   |p| ≤ t f of motors,
//
// s the speed before and C = I⁻¹ of armature, s the wanted speed and C as good as 0 of motors. What a motor holds has one
// freedom less, so that springs stay as stable as they were.
#pragma once

#include "math/dense_cholesky.h"
#include "step/penalty/penalty_joints.h"

namespace stickslip {

class PenaltyDrivenRows {
 public:
  void begin(const PenaltyJoints&, const ContactProblem&);
  /// Gives the rows their forces. @param velocity without them @pre speeds of rows are those before the substep
  void solve(std::vector<PenaltyJointRow>& rows, std::span<const double> velocity, double time);
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }

 private:
  void find_impulses(const Eigen::VectorXd& wanted);
  bool change_sides(const Eigen::VectorXd& wanted);

  std::vector<std::uint32_t> numbers_;   ///< of the rows
  Eigen::MatrixXd matrix_;
  DenseCholesky factor_;                         ///< with rows at their limits taken out
  std::vector<int> sides_, factored_;            ///< 1, −1: at its limit; and where the factor has them
  Eigen::VectorXd impulses_, limits_, wanted_;   ///< [N s, N s, m/s]
};

}   // namespace stickslip
