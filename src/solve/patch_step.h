// Proximal steps on one block that is a patch (friction/patch.h), and how far one is from its law: what sweeps, the exact local
// solve and the error of a block share.
#pragma once

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

using PatchBlock = PatchFriction::Block;
using PatchMap = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;   ///< W_ii, or what a regularisation makes of it

/// Steps of a patch [kg]: r of the unilateral rows, and of those that rub.
struct PatchFactors {
  double unilateral, friction;

  /// Those of ContactScale, times `relaxation`; 0 where nothing can move.
  static PatchFactors of(const ContactScale&, double relaxation);
};

/// (λₙ, m) ← P((λₙ, m) − r (vₙ, ω)), P the projection on K_P; then, with v after that push, λ_f ← prox_F(λₙ)(λ_f − r_f v_f).
/// `v` follows the impulse. Rows that `rows` leaves out stay.
void patch_step(const PatchFriction&, const PatchMap& w, const PatchFactors&, RowSet rows, PatchBlock& v, PatchBlock& impulse);

/// The same a few times, until it moves little: the proximal point in the metric of the block.
void patch_steps(const PatchFriction&, const PatchMap& w, const PatchFactors&, PatchBlock v, PatchBlock& impulse);

/// max |Δλ_k| over the masses of ContactScale [m/s].
double patch_moved(const ContactScale&, const PatchBlock& before, const PatchBlock& after);

/// ‖(λₙ, m) − P((λₙ, m) − r (vₙ, ω))‖/r and ‖λ_f − prox_F(λₙ)(λ_f − r_f v_f)‖/r_f [m/s].
struct PatchError {
  double unilateral = 0, friction = 0;
};
PatchError patch_error(const PatchFriction&, const PatchFactors&, const PatchBlock& v, const PatchBlock& impulse);

}   // namespace stickslip
