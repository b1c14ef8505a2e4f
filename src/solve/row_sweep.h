// Gauss–Seidel sweeps that visit single rows, in any order: not as fast as sweeps over runs of blocks, and compiled once.
#pragma once

#include <utility>

#include "solve/acceleration.h"
#include "stickslip/solve/monitor.h"
#include "stickslip/solve/ordering.h"

namespace stickslip {

/// Bounds of one row in the boxed model at the current impulses of its block [N s].
std::pair<double, double> boxed_row_bounds(const ContactProblem&, std::uint32_t block, std::uint32_t row,
                                           const double* impulses);

/// λᵢ ← clamp(λᵢ − ω vᵢ/W_ii) for one row after the other. Extrapolates each row as `momentum` says just before its visit, so
/// that every row must be visited once. Returns how far it moved, max |Δλᵢ| W_ii [m/s].
double boxed_row_sweep(const ContactProblem&, std::span<const RowVisit>, std::span<double> impulses, std::span<double> velocity,
                       Momentum&, double relaxation = 1);

/// The same, but for the friction rows of a contact: they take λ_f ← prox_F(λₙ)(λ_f − r_f v_f) together, r_f = ω/λmax(W_ff),
/// where the first of them stands. Does not extrapolate. @param seen scratch, one per block
double prox_row_sweep(const ContactProblem&, std::span<const RowVisit>, std::span<double> impulses, std::span<double> velocity,
                      Momentum&, double relaxation, std::vector<bool>& seen);

/// Tells that contacts are visited whole though rows were ordered.
inline void note_joined_rows(const Ordering& order, SolveMonitor& monitor) {
  if (order.joins_rows())
    monitor.note([] { return "Contacts are visited whole, where the first of their rows stands in the order."; });
}

}   // namespace stickslip
