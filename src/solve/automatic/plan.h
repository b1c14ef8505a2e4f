// Which methods `auto` tries on a problem that hangs together, in what order.
#pragma once

#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

enum class Method : std::uint8_t {
  sweeps,   ///< accelerated exact Gauss–Seidel, until something that follows would be cheaper
  /// proximal-point Newton on the Alart–Curnier function: in velocities of bodies, or in impulses where W is a matrix
  newton,
  admm,   ///< alternating directions with the Coulomb shift
};

/// What a plan is chosen by.
struct Features {
  std::size_t rows = 0;
  bool factored = true;    ///< J and M, rather than W as a matrix
  bool stubborn = false;   ///< sweeps over a larger problem were slow at this part of it
  bool joints = false;     ///< bilateral rows are solved directly, so that sweeps feel whole mechanisms
};

/// Rounds of stages, from cheap and myopic to dear and far-sighted. A stage ends when the next would be cheaper or it makes no
/// progress; a round that helped is followed by another with more patience; in
/// the end sweeps have what is left of the work allowed.
struct Plan {
  std::vector<Method> stages;
};

/// @param most_rows that may be factored; 0: nothing is
const Plan& choose_plan(const Features&, std::size_t most_rows);

}   // namespace stickslip
