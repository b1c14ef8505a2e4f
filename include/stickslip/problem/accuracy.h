// How exact impulses can be at all: what a sensible tolerance stays above.
#pragma once

#include <span>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// What rounding alone may leave of the fixed point λ = prox(λ − r (Wλ + b)) [course §3.4.2]. The nearest numbers to the
/// solution λ* are (1 + ε) λ*, of which ‖e‖ ≤ r ε ‖W‖ ‖λ*‖ is left in impulses. Divided by r it is a velocity, as the residual
/// is: ε ‖W‖ ‖λ‖ [m/s]. It is a rough estimate: solvers often come nearer, and nothing says that they do.
/// @param impulses near the solution. The smallest that were seen make the bound most careful
/// @returns [m/s]; times an r-factor [kg], what a step ‖Δλ‖ of the proximal schemes may not fall below [N s]
double rounding_bound(const ContactProblem&, std::span<const double> impulses);

}   // namespace stickslip
