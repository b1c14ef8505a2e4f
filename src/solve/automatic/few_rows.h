// Problems of a few rows, where looking for the best way costs more than going the first one.
#pragma once

#include "stickslip/solve/monitor.h"

namespace stickslip {

/// Solves problems of a few rows that are given as a matrix, from impulses of 0: by Lemke's pivots on the stack where there is
/// no friction, and by trying all sets of rows where these end on a ray [course §3.1.1], else by plain sweeps that solve each
/// contact exactly, for as long as each changes much less than the one before.
/// True when the monitor is done. Else the impulses are the best so far, and the velocities of the residual theirs.
bool solve_few_rows(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&);

}   // namespace stickslip
