// The alternating direction method of multipliers on λ ∈ K ⊥ Wλ + b + s ∈ K*, one iteration at a time.
//
// The impulses are split in two, x = z, with x taking care of W and z of the cone; y is the multiplier, −(v + s) at the
// solution. In the metric R of cone_set.h, with the proximal weight η and the penalty ρ (both without unit),
//
//   (W + (η + ρ) R⁻¹) x⁺ = −b − s − y + η R⁻¹ x + ρ R⁻¹ z
//   ξ = α x⁺ + (1 − α) z + R y / ρ,   z⁺ = P_K(ξ),   y⁺ = ρ R⁻¹ (ξ − z⁺)
//
// Rows without a bound (bilateral) are not split: there ρ = 0, z = x, y = 0. The shift s of Coulomb's law is that of the
// velocity −y, renewed at every iteration; without it the convex relaxation is solved.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "math/infinity.h"
#include "solve/cone/shifted_system.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class AdmmEngine {
 public:
  struct Settings {
    double proximal = 1e-6;    ///< η > 0
    double relaxation = 1.6;   ///< α in (0, 2)
    double penalty = 0;        ///< ρ at the start; 0: from the spectrum, √(Lη) (L/η)^0.2
    bool adapt = true;         ///< search a better ρ on the way
    bool coulomb = true;       ///< iterate the shift
    /// operations of a factorisation, and of 20 solves, beyond which `setup` gives up
    double most_work = kInfinity;
  };

  /// Builds and factors the system and takes the guess. The problem must live as long as iterations go on. Memory and the
  /// ordering of the factorisation are kept from the last problem. False if the factorisation broke down or would
  /// cost too much.
  bool setup(const ContactProblem&, const Settings&, std::span<const double> guess);

  /// One iteration: a solve, a projection, and a new factorisation if ρ changes. False if that broke down.
  bool iterate();

  std::span<const double> impulses() const { return z_; }   ///< λ, in the cone [N s]
  double primal() const { return primal_; }                 ///< how far x and z are apart [m/s]
  double dual() const { return dual_; }                     ///< by how much the last iteration missed v + s = −y [m/s]
  double penalty() const { return rho_; }
  double eigenvalue() const { return largest_; }   ///< L of R W
  int factorisations() const { return factorisations_; }
  double factor_work() const { return system_.factor_work(); }   ///< operations
  double solve_work() const { return system_.solve_work(); }     ///< operations of an iteration
  ShiftedSystem::Form form() const { return system_.form(); }

 private:
  bool factor();
  bool adapt();

  const ContactProblem* problem_ = nullptr;
  Settings settings_;
  ShiftedSystem system_;
  std::vector<double> r_, split_, c_;   ///< metric; 1 in split rows, 0 in bilateral ones; diagonal added to W
  std::vector<double> x_, z_, y_, s_, right_, next_, segment_;
  double rho_ = 0, largest_ = 0, primal_ = 0, dual_ = 0, rate_ = 0, error_at_change_ = 0;
  int factorisations_ = 0, since_change_ = 0, patience_ = 0, direction_ = 1;
};

}   // namespace stickslip
