// Gauss–Seidel sweeps over the blocks of a problem, compiled once for the solvers built on them.
#pragma once

#include "solve/acceleration.h"
#include "stickslip/solve/ordering.h"

namespace stickslip {

/// One sweep of the boxed model, row by row (`BoxedRule`). Returns how far it moved, max |Δλ_k| W_kk [m/s].
double boxed_sweep(const ContactProblem&, std::span<double> impulses, std::span<double> velocity, Momentum&);

/// The same over the runs of an ordering, with every change of a row scaled by the relaxation ω in (0, 2).
double boxed_sweep(const ContactProblem&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                   Momentum&, double relaxation = 1);

/// Sweep k = 1, 2, … of an ordering, by blocks or by rows.
double boxed_sweep(const ContactProblem&, Ordering&, int k, std::span<double> impulses, std::span<double> velocity, Momentum&,
                   double relaxation = 1);

/// Backwards through the last one.
double boxed_sweep_back(const ContactProblem&, Ordering&, std::span<double> impulses, std::span<double> velocity, Momentum&,
                        double relaxation = 1);

}   // namespace stickslip
