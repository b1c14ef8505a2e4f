// Nesterov's extrapolation between Gauss–Seidel sweeps, with adaptive restart.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Carries λ and w = Gᵀλ from sweep to sweep: λ ← λ + β (λ − λ_previous) with β = (k−1)/(k+2), and w, which is linear
/// in λ, the same way. The next sweep projects every block, so the extrapolated λ need not be admissible.
class Acceleration {
 public:
  Acceleration(std::span<double> impulses, Workspace& workspace) : impulses_(impulses), work_(workspace) {
    work_.previous_impulses.assign(impulses.begin(), impulses.end());
    work_.previous_velocity = work_.velocity;
    work_.start_impulses.assign(impulses.begin(), impulses.end());
  }

  /// Before a plain sweep: remembers where it starts.
  void keep() {
    beta_ = 0;
    std::copy(impulses_.begin(), impulses_.end(), work_.previous_impulses.begin());
    std::copy(work_.velocity.begin(), work_.velocity.end(), work_.previous_velocity.begin());
  }

  /// Before an accelerated sweep: moves the state on and remembers where it came from.
  void extrapolate() {
    ++k_;
    beta_ = (k_ - 1.0) / (k_ + 2.0);
    for (std::size_t i = 0; i < impulses_.size(); ++i) {
      const double current = impulses_[i];
      work_.start_impulses[i] = impulses_[i] = current + beta_ * (current - work_.previous_impulses[i]);
      work_.previous_impulses[i] = current;
    }
    for (std::size_t i = 0; i < work_.velocity.size(); ++i) {
      const double current = work_.velocity[i];
      work_.velocity[i] = current + beta_ * (current - work_.previous_velocity[i]);
      work_.previous_velocity[i] = current;
    }
  }

  bool has_momentum() const { return beta_ > 0; }

  /// After a sweep that moved too far: back to where it came from, without momentum.
  void undo() {
    std::copy(work_.previous_impulses.begin(), work_.previous_impulses.end(), impulses_.begin());
    std::copy(work_.previous_velocity.begin(), work_.previous_velocity.end(), work_.velocity.begin());
    k_ = 0;
  }

  /// After an accelerated sweep: drops the momentum if the sweep moved against it.
  void restart_if_opposed() {
    if (!has_momentum()) return;
    double along = 0;
    for (std::size_t i = 0; i < impulses_.size(); ++i)
      along += (impulses_[i] - work_.start_impulses[i]) * (work_.start_impulses[i] - work_.previous_impulses[i]);
    if (along < 0) k_ = 0;
  }

 private:
  std::span<double> impulses_;
  Workspace& work_;
  int k_ = 0;
  double beta_ = 0;
};

}  // namespace stickslip
