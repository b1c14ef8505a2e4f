// The table of solvers: names, what they are for, and how to make one from named options.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stickslip/solve/solver.h"

namespace stickslip {

using OptionValue = std::variant<double, bool, std::string>;
using OptionList = std::vector<std::pair<std::string, OptionValue>>;

struct OptionInfo {
  std::string name;
  OptionValue default_value;
  std::string help;   ///< unit, range, meaning
};

struct SolverInfo {
  std::string name;
  std::string model;   ///< which contact model it solves, with the options by which it solves another
  std::string family;
  std::string needs;    ///< what a problem must have, and which blocks it takes
  std::string paper;    ///< where the method stands
  std::string advice;   ///< when to use it, in one line
  std::vector<OptionInfo> options;
};

/// All solvers, in the order of the table.
const std::vector<SolverInfo>& solvers();

/// @throws Error with a suggestion for an unknown solver or option, or a value out of range.
std::unique_ptr<ContactSolver> make_solver(std::string_view name, const OptionList& options = {});

/// Names of the solvers that honour a friction law, by the law itself or by the model that they solve.
std::vector<std::string> solvers_that_honour(const FrictionSet&);

/// Names of the solvers that can hold blocks of a kind: joints (bilateral), motors and limits (box).
std::vector<std::string> solvers_that_hold(BlockKind);

}   // namespace stickslip
