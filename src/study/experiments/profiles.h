// Performance profiles [Dolan, Moré 2002]: of a set of problems, the part that a solver solves within τ times the time of the
// best.
#pragma once

#include <vector>

namespace stickslip::study::performance {

/// ρ(τ) = |{p : t[p] ≤ τ min over all solvers of t[p]}| / |P| for one solver.
/// @param times of the solver on each problem; infinite or NaN: not solved. @param best of all solvers on each problem,
/// likewise
double profile(const std::vector<double>& times, const std::vector<double>& best, double tau);

}   // namespace stickslip::study::performance
