// Problems of a few rows, where looking for the best way costs more than going the first one.
#pragma once

#include "stickslip/solve/monitor.h"

namespace stickslip {

/// Tries to solve a problem of a few rows that is given as a matrix, from impulses of 0 and without judging anything: contacts
/// without friction by `SmallLcp`, others by one sweep that solves each contact exactly, and by linear equations where all
/// that push stick.
/// @returns what it did, the beginning of a sentence; empty: nothing
std::string_view solve_few_rows_at_once(const ContactProblem&, std::span<double> impulses, double tolerance);

/// The same with iterates that a monitor judges: whatever `SmallLcp` finds, or plain sweeps for as long as each changes much
/// less than the one before.
/// True when the monitor is done. Else the impulses are the best so far, and the velocities of the residual theirs.
bool solve_few_rows(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&);

}   // namespace stickslip
