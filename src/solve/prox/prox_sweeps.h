// Gauss–Seidel sweeps with the r-factors of the other strategies: see prox_gauss_seidel.h.
#pragma once

#include "solve/boxed_sweep.h"

namespace stickslip {

/// Local r-factors times `relaxation`. Returns how far the sweep moved, max |Δλ| W_ii [m/s]; so do the others.
double local_prox_sweep(const ContactProblem&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                        Momentum&, double relaxation);

/// One r for all rows [kg].
double global_prox_sweep(const ContactProblem&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                         Momentum&, double r);

/// The inverse blocks of W times `relaxation`.
double blocked_prox_sweep(const ContactProblem&, std::span<const Batch>, std::span<double> impulses, std::span<double> velocity,
                          Momentum&, double relaxation);

/// Solves W x = v by elimination with row pivoting; not a template, for the size of a block says little about its time.
/// @param w n × n, column-major, n ≤ 6 @param x v, and then the solution @returns whether W is regular; if not, x is spoiled
bool solve_block(int n, const double* w, double* x);

}   // namespace stickslip
