// Lists of runs: what sweeps loop over, from blocks in the order of their visit.
#pragma once

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// Appends blocks to a list of runs; blocks that follow each other in the problem and are of one sort share a run. With
/// `RowSet::friction` only contacts with friction are listed; the other blocks count as normal rows.
void append_runs(const ContactProblem&, std::span<const std::uint32_t> blocks, RowSet, std::vector<Batch>& runs);

}   // namespace stickslip
