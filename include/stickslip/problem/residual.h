// The one residual: how wrong a set of impulses is, recomputed from the impulses by code that no solver touches.
//
// All parts are velocities [m/s]: an error in an impulse is turned into a velocity with the diagonal of W, that is, with
// the effective mass of its row. For a contact with v = Wλ + b, ωₙ = W_nn and ω_f = the largest eigenvalue of W_ff:
//
//   gap velocity      max(0, −vₙ)                                approaches although it must not
//   complementarity   min(max(0, vₙ), ωₙ max(0, λₙ))             pushes although it separates
//   cone              max(ωₙ max(0, −λₙ), ω_f dist(λ_f, F(λₙ)))  impulse that Coulomb's law does not allow
//   dissipation       ω_f ‖λ_f − prox_F(λₙ)(λ_f − v_f / ω_f)‖    friction that does not oppose slip with all it has
//
// Of a patch, with its unilateral rows u = (λₙ, m), their velocities w = (vₙ, ω) and ωₙ of ContactScale; the dissipation is
// that of its friction rows. Where the patch is a point, these are the parts above:
//
//   gap velocity      max(0, −(vₙ + ω·c̃)) over the patch         a place of it approaches
//   complementarity   ωₙ ‖u⁺ − P(u⁺ − w⁺/ωₙ)‖                   u⁺ = P(u), P the projection on K_P, w⁺ that of w on K_P*
//   cone              ωₙ ‖u − P(u)‖                             the centre of pressure lies outside
//
//   bilateral         ‖v‖∞
//   box               |λ − clamp(λ − v/ω, lower, upper)| ω
//
// Each part is the maximum over all blocks; the residual is the maximum of the parts. It is zero exactly at solutions.
//
// Solvers of another contact model are judged by the same residual. Beside it, the same parts can be evaluated for their own
// model (`FrictionModel`), which tells whether they solved that.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

struct Residual {
  double gap_velocity = 0;      ///< [m/s]
  double complementarity = 0;   ///< [m/s]
  double cone = 0;              ///< [m/s]
  double dissipation = 0;       ///< [m/s]
  double bilateral = 0;         ///< [m/s]
  double box = 0;               ///< [m/s]

  double total() const;   ///< the largest part; NaN if any part is NaN [m/s]
};

/// Which model of friction to measure against.
struct FrictionModel {
  enum class Kind {
    exact,        ///< the law itself: Coulomb's circle and its kin
    boxed,        ///< the box around F(λₙ), each friction row for itself
    polyhedral,   ///< the regular polygon with `directions` corners on the circle, the first along tangent t
    convex,       ///< λ ∈ K ⊥ v ∈ K*: Coulomb's cone with a normal velocity of μ‖v_T‖ under slip. Measured as
                  ///< ω ‖λ − P_K(λ − v/ω)‖ with ω = max(ωₙ, ω_f), reported as dissipation
  };
  Kind kind = Kind::exact;
  int directions = 0;   ///< of the polygon, even, ≥ 4

  bool operator==(const FrictionModel&) const = default;
  static constexpr FrictionModel polyhedral(int directions);
  static const FrictionModel exact, boxed, convex;
};
inline constexpr FrictionModel FrictionModel::exact{Kind::exact, 0};
inline constexpr FrictionModel FrictionModel::boxed{Kind::boxed, 0};
inline constexpr FrictionModel FrictionModel::convex{Kind::convex, 0};
constexpr FrictionModel FrictionModel::polyhedral(int directions) { return {Kind::polyhedral, directions}; }

/// exact, boxed, polyhedral or convex.
std::string_view model_name(FrictionModel);

/// Scratch that evaluations reuse; after one it holds v = Wλ + b, and K Gᵀλ of a factored problem.
struct ResidualWorkspace {
  std::vector<double> v, segment_velocity;
};

Residual residual(const ContactProblem&, std::span<const double> impulses, ResidualWorkspace&,
                  FrictionModel = FrictionModel::exact);

/// The natural-map error that the frictional-contact community publishes, over the contacts of the problem:
/// ‖λ − P_K(λ − v − μ‖v_T‖ e_N)‖₂ / max(‖b‖₂, ‖λ‖₂, ‖v‖₂, tiny), K the cone of the law, as in current Siconos. For laws other
/// than the circle μ‖v_T‖ is the support function of F(1); rows without friction have K = [0, ∞).
double natural_map_error(const ContactProblem&, std::span<const double> impulses, ResidualWorkspace&);
/// The same where v = Wλ + b is known: `residual` leaves it in its workspace.
double natural_map_error(const ContactProblem&, std::span<const double> impulses, std::span<const double> velocities);

}   // namespace stickslip
