// Which joints contradict each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// The bilateral blocks that contradict each other, in increasing order; empty if the bilateral rows J are consistent.
///
/// The certificate is the velocity r that remains of J after least squares over J alone, weighted by the diagonal D of W_JJ: y = D⁻¹ r has
/// G_Jᵀ y = 0 and bᵀy ≠ 0, so that no impulses remove r [m/s]. Named are the blocks that hold at least a tenth of its largest number.
/// Factors W_JJ: call it when a solve missed its tolerance in the bilateral part, not at every step.
/// @param impulses any; those of the solve make it most exact
/// @param tolerance what of r counts as nothing [m/s]
std::vector<std::uint32_t> contradicting_blocks(const ContactProblem&, std::span<const double> impulses, double tolerance);

}  // namespace stickslip
