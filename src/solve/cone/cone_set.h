// The set that impulses live in, K = K₁ × … × Kₙ, one factor per block, as the cone solvers see it:
//   contact     the cone of its law, { λₙ ≥ 0, λ_f ∈ F(λₙ) }; [0, ∞) without friction rows
//   bilateral   everything
//   box         [lower, upper]
// and the metric they measure in: one mass r per contact, since only a multiple of the identity leaves the cone a cone, and
// one per row elsewhere.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip::cone {

/// Per row: 1/max(W_nn, λmax(W_ff)) of its contact, 1/W_kk of other rows [kg]; 1 where nothing can move.
void metric(const ContactProblem&, std::vector<double>& r);

/// x ← the closest point of K.
void project(const ContactProblem&, std::span<double> x);

/// v ← v + s with sₙ = max ⟨λ_f, −v_f⟩ over F(1) at every contact, μ‖v_T‖ for the circle: with it, the complementarity of
/// cones λ ∈ K ⊥ v + s ∈ K* is Coulomb's law and no relaxation of it.
void add_shift(const ContactProblem&, std::span<double> v);

/// Largest |Δλ_k| / r_k [m/s]: how far two sets of impulses are apart.
double distance(std::span<const double> a, std::span<const double> b, std::span<const double> r);

/// ⟨a, b⟩ in the metric, Σ a_k b_k / r_k.
double product(std::span<const double> a, std::span<const double> b, std::span<const double> r);

/// Estimate from below of the largest eigenvalue of R W, by power iteration from a fixed start.
/// @param x, wx, segment scratch of the caller
double largest_eigenvalue(const ContactProblem&, std::span<const double> r, int iterations, std::vector<double>& x,
                          std::vector<double>& wx, std::vector<double>& segment);

/// Which model `shift` asks for: true for "coulomb", false for "none".
/// @throws Error at /shift for anything else.
bool wants_coulomb(const std::string& shift);

}   // namespace stickslip::cone
