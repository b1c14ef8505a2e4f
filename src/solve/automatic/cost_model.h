// What the steps of `auto` cost, in nanoseconds of one core of a usual machine.
//
// Counted from the sizes of a problem, never measured while solving: the same problem
// gives the same bits on every machine. The constants are fitted by
//
//   build/bench/bench/bench_cost_model
//
// which runs every kind of step on problems of many kinds and prints the constants
// that fit best. Only their ratios decide what `auto` does.
#pragma once

#include "stickslip/problem/contact_problem.h"

namespace stickslip::cost {

inline constexpr double kSweepRow = 16;              ///< of a sweep, per row
inline constexpr double kMatrixSweepNumber = 0.45;   ///< of a sweep where W is a matrix, per number of it as well
inline constexpr double kNewtonNumber = 14;          ///< of a Newton step in velocities, per number of G: linearising, line
                                                     ///< search, assembly, judging
inline constexpr double kBodyOperation = 0.08;       ///< of its factorisation, per operation: all in blocks of 6 × 6
inline constexpr double kAdmmNumber = 2.2;           ///< of an ADMM step beside its solve, per number of G or W
/// of other factorisations and solves, per operation: they wait for memory
inline constexpr double kOperation = 0.5;
inline constexpr double kDenseOperation = 0.05;   ///< of a dense factorisation, per operation: products of blocks

/// The least that an iteration counts for: 200 of them are 40 ms, which a person who waits for a step hardly notices. Small
/// problems so have the work of hundreds of factorisations; steps that are solved leave less to those after them.
inline constexpr double kLeastIteration = 200e3;

/// Sweeps that an iteration is worth while that is less than the time below [ns]: what a step of a middle-sized problem costs
/// beside its solve is of that order, and Newton steps then have time to finish where sweeps hardly get on.
inline constexpr double kSweepsOfIteration = 6, kSlowIteration = 300e3;

/// One sweep over all blocks.
double sweep(const ContactProblem&);

/// How many sweeps over a problem an iteration is worth, beside `kLeastIteration`.
double sweeps_of_iteration(const ContactProblem&);

/// One product with W, which takes a solve with every coupled carrier.
double product(const ContactProblem&);

/// One Newton step in velocities of bodies whose factorisation takes so many operations; in impulses where W is a matrix.
double newton_step(const ContactProblem&, double operations);

/// Operations of factoring H in impulses, as many of a sparse matrix as take so long, by a guess: dense while that is cheaper,
/// then with some fill.
double impulse_factorisation(const ContactProblem&);

/// One ADMM step whose solve takes so many operations.
double admm_step(const ContactProblem&, double operations);

}   // namespace stickslip::cost
