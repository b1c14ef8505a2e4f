// Equations Φ(x, v) = 0 that hold exactly where the contact laws do, with an element of their generalised derivative.
//
// All are local to a block and written in impulses: a velocity is scaled by ρ, the effective mass of its row
// [course §3.3.5], so that the pieces of a min or max meet at like slopes.
#pragma once

#include "solve/newton/newton_matrix.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// ρ per row [kg]: 1/W_nn for normals (of a patch: rows that press), 1/λmax(W_ff) for friction, 1/W_kk for joints and boxes;
/// where the diagonal is not positive, the inverse of the largest diagonal.
std::vector<double> row_masses(const ContactProblem&);

/// A reformulation, as the engine sees it.
struct NewtonSystem {
  /// Evaluates Φ at the unknowns x, laid out as `Linearisation::first` says, and v = Wλ + b or what a regularisation makes of
  /// it. Derivatives are left alone unless asked for.
  void (*evaluate)(const ContactProblem&, std::span<const double> rho, std::span<const double> x, std::span<const double> v,
                   Linearisation&, bool derivatives);
  /// Unknowns of a block beside its impulses; null: none.
  int (*slacks)(const ContactProblem&, std::size_t block) = nullptr;
  /// First values of the slacks in x, whose impulses are set; null if there are none.
  void (*guess)(const ContactProblem&, std::span<const double> rho, std::span<const double> v, const Linearisation&,
                std::span<double> x) = nullptr;
};

/// The Alart–Curnier function of the exact law. With n̂ = max(0, λₙ − ρₙvₙ):
///   Φₙ = λₙ − n̂,   Φ_f = λ_f − prox_F(n̂)(λ_f − ρ_f v_f);   bilateral: ρv;   box: λ − clamp(λ − ρv)
extern const NewtonSystem alart_curnier_system;

/// The minimum map of the boxed model, row by row with bounds l, u that follow the normal impulse [course §3.3.1; thesis A]:
///   Φ = max(λ − u, min(λ − l, ρv))
extern const NewtonSystem min_map_system;

/// The Fischer–Burmeister function of the boxed model, nested for two bounds [course §3.3.2; thesis A (27)], with
/// ψ(a, b) = a + b − √(a² + b²):
///   Φ = ψ(λ − l, −ψ(−ρv, u − λ))
extern const NewtonSystem fischer_system;

/// The same two with bounds ∓μλₙ also where λₙ is negative, as the thesis has them.
extern const NewtonSystem paper_min_map_system, paper_fischer_system;

/// The first two with the friction impulses held where they are: the semi-staggered start [thesis A §3].
extern const NewtonSystem min_map_normal_system, fischer_normal_system;

/// Coulomb's law as optimality conditions of maximal dissipation [course §3.3.3, (194)–(199)], a slack γ for each disc of the
/// law, N(λ_f) = √Σ(λ_k/m_k)² with the axes m of F(1), m̄ the largest:
///   ψ(λₙ, ρₙvₙ) = 0,   ρ_f v_f + γ m̄ ∇N(λ_f) = 0,   ψ(γ, m̄(λₙ − N(λ_f))) = 0
/// with ψ the minimum map or Fischer's function. Where the contact opens (λₙ < ρₙvₙ) F(λₙ) is a point, for which the
/// conditions do not hold (no Slater point): there λ_f = 0 and γ = 0 stand in their place.
extern const NewtonSystem coulomb_min_map_system, coulomb_fischer_system;

}   // namespace stickslip
