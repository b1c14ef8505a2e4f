// What a caller knows of problems that it solves one after the other.
#pragma once

#include <cstdint>

namespace stickslip {

/// Stands in the workspace (`Workspace::scratch`). Problems in a row with the same number have the same W; 0: nothing is said.
/// What a solve finds out about W on the way to its solution stays for the next one, and moves its bits: a number must not
/// outlast a step.
struct MatrixSeries {
  std::uint64_t number = 0;
};

}   // namespace stickslip
