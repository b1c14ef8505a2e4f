// Gauss–Seidel sweeps over the blocks of a problem, compiled once for the solvers built on them.
#pragma once

#include "solve/acceleration.h"

namespace stickslip {

/// One sweep of the boxed model, row by row (`BoxedRule`). Returns how far it moved, max |Δλ_k| W_kk [m/s].
double boxed_sweep(const ContactProblem&, std::span<double> impulses, std::span<double> velocity, Momentum&);

/// The same over the runs of an ordering, with every change of a row scaled by the relaxation ω in (0, 2).
double boxed_sweep(const ContactProblem&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                   Momentum&, double relaxation = 1);

}   // namespace stickslip
