// Which joints contradict each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/joints/joint_system.h"

namespace stickslip {

/// The part of velocities of the bilateral rows J that no impulses of J remove: what remains after least squares, weighted by
/// the diagonal D of W_JJ. It is the certificate r of a contradiction: y = D⁻¹ r has G_Jᵀ y = 0 and bᵀy ≠ 0. Linear in the
/// velocities, and zero for those that bodies can have.
class JointContradictions {
 public:
  /// Factors W_JJ: set it up when a solve missed its tolerance in the bilateral part, not at every step. False if it cannot
  /// be factored or there is no J. The problem must outlive the calls below.
  bool setup(const ContactProblem&);
  /// @param v per row of the problem, those of J are read [m/s] @returns r per row of the problem, zero elsewhere [m/s]
  std::vector<double> of(std::span<const double> v);

 private:
  const ContactProblem* problem_ = nullptr;
  BlockProducts products_;
  JointSystem joints_;
};

/// The bilateral blocks that contradict each other, in increasing order; empty if J is consistent. Named are those that hold
/// at least a tenth of the largest number of r.
/// @param impulses any; those of the solve make it most exact
/// @param tolerance what of r counts as nothing [m/s]
std::vector<std::uint32_t> contradicting_blocks(const ContactProblem&, std::span<const double> impulses, double tolerance);

}   // namespace stickslip
