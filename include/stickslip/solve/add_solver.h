// A solver of one's own in the table: steps, scenes and programs then name it like the others.
#pragma once

#include <functional>

#include "stickslip/solve/registry.h"

namespace stickslip {

/// Makes a solver from named options. @throws Error for an option that it does not have.
using SolverMaker = std::function<std::unique_ptr<ContactSolver>(const OptionList&)>;

/// Adds a solver to the table, last; solvers are never removed or changed, and lists that `solvers()` gave stay valid. The
/// model of the entry is what a solver with default options says. @throws Error if the name is empty or taken, the function is
/// missing, or it throws
void add_solver(SolverInfo, SolverMaker);

}   // namespace stickslip
