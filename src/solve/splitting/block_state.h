// One block at a time, sizes known only at run time: for solvers whose sweeps
// do more than the local rules of src/solve/sweep.h.
#pragma once

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// v = (Wλ + b) of one block, from λ and w = Gᵀλ (unused where W is a matrix).
void block_velocity(const ContactProblem&, std::uint32_t block, std::span<const double> impulses,
                    std::span<const double> velocity, double* v);

/// w += Gᵀ Δλ of one block; nothing to do where W is a matrix.
void push_block(const ContactProblem&, std::uint32_t block, const double* change, std::span<double> velocity);

/// The box around the friction set at this normal impulse, one pair of bounds per friction row.
void friction_box(const FrictionSet&, double normal, double* lower, double* upper);

/// Closest admissible impulse of the boxed model for one block, the friction box taken at the clamped normal impulse.
void project_on_box(const ContactProblem&, std::uint32_t block, double* impulse);

}   // namespace stickslip
