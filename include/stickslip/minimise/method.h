// The names of the minimisers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stickslip {

enum class MinimiseMethod : std::uint8_t {
  projected_newton,   ///< Hessians made positive definite where they are assembled
  newton,             ///< the true Hessian, with so much added to its diagonal that it is positive definite
  lbfgs,              ///< a Hessian from the last few steps [Nocedal, Wright 2006]
  gradient_descent    ///< along the preconditioned gradient
};
const std::vector<std::string>& minimise_method_names();   ///< "projected-newton", "newton", "lbfgs", "gradient-descent"

}   // namespace stickslip
