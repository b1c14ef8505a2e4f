// Which impulses to remember near rest: those that balance.
//
// A solve gives the impulses λ that stop the bodies, not those that keep them where they are: where the guess was a little out
// of balance for n steps, λ undoes all n of them at once, and used again it would push the bodies the other way. Impulses that
// balance leave the velocities as they are. On the way from the guess λ_g to λ the velocities change within the step by
//
//   Δu = a + θ d,   a = u_free − u_before + M⁻¹Jᵀλ_g,   d = M⁻¹Jᵀ(λ − λ_g),
//
// least, in kinetic energy, at θ = −⟨a, d⟩_M / ⟨d, d⟩_M: 1/(n + 1) in the case above. What one disturbance changed has one θ:
// contacts that hang together and whose impulses the solve changed. (A θ for every contact would turn changes of self-stress,
// which act on nothing, into forces.) Coupled carriers give way, so that balance is not a matter of impulses alone: what
// touches one keeps the impulses of the solution.
#pragma once

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class RestBalance {
 public:
  struct Velocities {
    std::span<const double> before, free;   ///< before the step and without impulses, 6 numbers per segment
    std::span<const double> solved;         ///< Gᵀλ of the solution; not read of coupled problems
  };
  /// Moves the impulses from the solution towards the guess, to where they balance best.
  void move(const ContactProblem&, const Velocities&, std::span<const double> guess, std::span<double> impulses);

 private:
  void find_groups(const ContactProblem&, std::span<const double> guess, std::span<const double> impulses);
  void weigh(const ContactProblem&, const Velocities&, std::span<const double> guess);

  struct Products {
    double along = 0;         ///< −⟨a, d⟩ [J]
    double square = 0;        ///< ⟨d, d⟩ [J]
    bool gives_way = false;   ///< whether a coupled carrier is among them
  };
  std::vector<double> guessed_;        ///< Gᵀλ of the guess
  std::vector<double> solved_;         ///< of the solution, of coupled problems
  std::vector<std::uint32_t> group_;   ///< per segment: one that stands for its group
  std::vector<Products> products_;     ///< at the segment that stands for the group
};

}   // namespace stickslip
