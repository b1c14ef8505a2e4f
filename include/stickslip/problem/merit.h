// The merit functions of the papers: how wrong impulses are, measured as it was published.
//
// They stand beside the one residual (problem/residual.h), which alone decides what converged: most of them add numbers of
// unlike units, so that their values depend on units and masses. They are here to draw the papers' curves and to stop where
// the papers stop. Like the residual they are computed from the impulses, outside of any solver.
//
// With y = Wλ + b, and l, u the bounds of the boxed model at the current normal impulses (∓μλₙ of friction rows, also where λₙ
// is negative; 0 and ∞ of normal rows, none of joints):
//
//   min-map          ½‖H‖²,  H = min(u − λ, −min(λ − l, y))                                   [thesis B (22), (23)]
//   min-map-max      ‖H‖∞
//   fischer          ½‖Φ‖²,  Φ = φ(λ − l, φ(−y, u − λ)),  φ(a, b) = √(a² + b²) − a − b          [thesis A (27), (35)]
//   complementarity  |λᵀy + Σ λₙ max ⟨x, −y_f⟩ over x in F(1)|  [J]: xᵀ(Ax + b) of the LCP with every direction of friction, in
//                    which the slack β is the slip speed                                      [course (34), (151)]
//   step             ‖λ − λ_before‖∞, λ_before the iterate before it [N s]                      [prox (27)]
//   impulse          ‖λ‖∞ [N s]                                                               [course (150)]
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/problem/residual.h"

namespace stickslip {

enum class Merit { none, min_map, min_map_max, fischer, complementarity, step, impulse };

/// none, min-map, min-map-max, fischer, complementarity, step or impulse: in the order of the enumeration.
const std::vector<std::string>& merit_names();
std::string_view merit_name(Merit);
Merit merit_from_name(std::string_view);   ///< @throws Error with a suggestion

/// Divided as the thesis divides its curves. Joints and boxes count with the normal rows.
struct MeritValue {
  double normal = 0, friction = 0;
  double total = 0;   ///< their sum, or the larger where it is a largest number
};

/// When a merit function ends a solve. 0, or ∞ for the divergence, leaves a rule out.
struct MeritRule {
  Merit function = Merit::none;
  double absolute = 0;   ///< stop where the total is at most this
  double relative = 0;   ///< stop where it changes by less than this fraction between two iterates [course Alg. 7]
  /// stop as diverged where it is more than this many times that of the iterate before
  double divergence = std::numeric_limits<double>::infinity();
};

/// @throws Error naming the field if a number of the rule makes no sense.
void check(const MeritRule&);

/// Which rule ended a solve.
enum class MeritStop { none, absolute, relative, divergence };
std::string_view merit_stop_name(MeritStop);

/// @param before the iterate before this one; may be empty, which makes the step ∞
/// @param work `v` is left as Wλ + b
MeritValue evaluate_merit(Merit, const ContactProblem&, std::span<const double> impulses, std::span<const double> before,
                          ResidualWorkspace& work);

}   // namespace stickslip
