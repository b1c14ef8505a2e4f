// How wrong each block is by itself: what orderings sort by and choose from.
#pragma once

#include "stickslip/problem/residual.h"

namespace stickslip {

/// Errors of one block [m/s], as the residual measures them (problem/residual.h) but for each block.
struct BlockError {
  double normal = 0;     ///< normal row of a contact, all rows of another block
  double friction = 0;   ///< friction rows, of the box around the law if the model is boxed, of the law itself otherwise
};

/// @param v the velocities Wλ + b of all rows
BlockError block_error(const ContactProblem&, std::size_t block, FrictionModel, std::span<const double> impulses,
                       std::span<const double> v);

/// How far one row is from its interval of the boxed model, |λ − clamp(λ − v/W_ii)| W_ii [m/s]; 0 if it cannot move.
double boxed_row_error(const ContactProblem&, std::uint32_t block, std::uint32_t row, std::span<const double> impulses,
                       std::span<const double> velocity);

}   // namespace stickslip
