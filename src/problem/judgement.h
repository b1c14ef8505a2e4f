// Residual and natural map of one set of impulses in one go: for problems of a few rows, where two evaluations would take as
// long as the solve.
#pragma once

#include <algorithm>

#include "stickslip/problem/residual.h"

namespace stickslip {

/// Contacts without friction only, and W a matrix: every row is a block, and the numbers of W stand row after row.
inline bool is_lcp(const ContactProblem& p) {
  return !p.is_factored() && std::all_of(p.batches.begin(), p.batches.end(),
                                         [](const Batch& batch) { return batch.kind == BlockKind::contact && batch.dim == 1; });
}

struct Judgement {
  Residual residual;
  double total = 0;                ///< of the residual [m/s]
  bool meets_natural_map = true;   ///< whether the natural-map error is at most what was asked for
};

/// As `residual` and `natural_map_error` judge. @param natural_map_tolerance ∞: nobody asks for the natural map
Judgement judge(const ContactProblem&, std::span<const double> impulses, ResidualWorkspace&, double natural_map_tolerance);

}   // namespace stickslip
