// One contact patch, solved exactly while everything else stands still.
//
// With A = W_ii + the proximal shift and the velocity q that the patch would have without its own impulse, v = Aλ + q and the
// law of friction/patch.h. Cases:
//   q of the unilateral rows in K_P*   it parts, λ = 0
//   −A⁻¹q in K_P and F                 it sticks and nothing rolls
//   otherwise                          Newton's method on the equations of Alart and Curnier from the present impulse, with
//                                      n̂ = the first number of û: û = P((λₙ, m) − r (vₙ, ω)) = (λₙ, m),
//                                      λ_f = P_F(n̂)(λ_f − r_f v_f)
// Where that fails, it is tried again between proximal steps. What is left is found by a search for de Saxcé's shift s: for
// every s ≥ 0 the convex problem min ½ λᵀAλ + qᵀλ + s λₙ over the cone of all rows has a solution λ(s), and
// support(−v_f(λ(s))) − s falls from ≥ 0 at s = 0 to below 0 at a large s, if A is symmetric and positive definite.
#pragma once

#include "solve/patch_step.h"

namespace stickslip {

/// Changes λ from its present value, at which the patch moves with v, to the exact solution.
/// @param a A, 6 × 6, column-major @param inverse A⁻¹; its first number is NaN if A is singular, or nearly so
/// @return false if the residual of the patch stays above 1e-12 of the velocities that take part; λ is then the best seen
bool solve_patch(const PatchFriction&, const double* a, const double* inverse, const PatchBlock& v, PatchBlock& impulse);

}   // namespace stickslip
