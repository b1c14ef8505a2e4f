// Nesterov's extrapolation between Gauss–Seidel sweeps, with adaptive restart.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// What a sweep needs to know of the extrapolation λ ← λ + β (λ − λ_previous), which it does block by block on its way.
struct Momentum {
  double beta = 0;                 ///< weight of the last change, in [0, 1)
  double* previous = nullptr;      ///< in: impulses one sweep ago; out: impulses before this sweep
  const double* ahead = nullptr;   ///< of a problem given as a matrix: the extrapolation, already in the impulses; else null
  double along = 0;                ///< out: ⟨change by the sweep, extrapolation⟩; negative when the sweep turns back
};

/// Carries λ and w = Gᵀλ from sweep to sweep with β = (k−1)/(k+2). w, which is linear in λ, is extrapolated before the sweep;
/// where W is a matrix and there is no w, all of λ is. The sweep projects every block, so the extrapolated λ need not be
/// admissible.
class Acceleration {
 public:
  Acceleration(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, bool enabled)
      : impulses_(impulses), work_(workspace), enabled_(enabled) {
    work_.previous_impulses.assign(impulses.begin(), impulses.end());
    if (!problem.is_factored()) {
      ahead_ = &work_.scratch<Ahead>().values;
      ahead_->assign(impulses.size(), 0.0);
      momentum_.ahead = ahead_->data();
    }
    work_.previous_velocity = work_.velocity;
    momentum_.previous = work_.previous_impulses.data();
  }

  /// Before a sweep: moves w on and tells the sweep what to do with λ.
  Momentum& next() {
    ++k_;
    momentum_.beta = enabled_ ? (k_ - 1.0) / (k_ + 2.0) : 0;
    for (std::size_t i = 0; i < work_.velocity.size(); ++i) {
      const double current = work_.velocity[i];
      work_.velocity[i] = current + momentum_.beta * (current - work_.previous_velocity[i]);
      work_.previous_velocity[i] = current;
    }
    if (ahead_ != nullptr)
      for (std::size_t i = 0; i < impulses_.size(); ++i) {
        const double current = impulses_[i];
        (*ahead_)[i] = momentum_.beta * (current - work_.previous_impulses[i]);
        impulses_[i] = current + (*ahead_)[i];
        work_.previous_impulses[i] = current;
      }
    return momentum_;
  }

  /// After a change of the impulses that was no sweep, in a factored problem: momentum stays as it is.
  void shift(std::span<const double> impulses_before, std::span<const double> velocity_before) {
    for (std::size_t i = 0; i < impulses_.size(); ++i) work_.previous_impulses[i] += impulses_[i] - impulses_before[i];
    for (std::size_t i = 0; i < velocity_before.size(); ++i)
      work_.previous_velocity[i] += work_.velocity[i] - velocity_before[i];
  }

  bool has_momentum() const { return momentum_.beta > 0; }

  /// After a sweep that moved too far: back to where it came from, without momentum.
  void undo() {
    std::copy(work_.previous_impulses.begin(), work_.previous_impulses.end(), impulses_.begin());
    std::copy(work_.previous_velocity.begin(), work_.previous_velocity.end(), work_.velocity.begin());
    k_ = 0;
  }

  /// After a sweep: drops the momentum if the sweep moved against it.
  void restart_if_opposed() {
    if (momentum_.along < 0) k_ = 0;
  }

 private:
  struct Ahead {
    std::vector<double> values;
  };
  std::span<double> impulses_;
  Workspace& work_;
  bool enabled_;
  std::vector<double>* ahead_ = nullptr;
  int k_ = 0;
  Momentum momentum_;
};

}   // namespace stickslip
