// Every iterate of a solve, to be compared with a method written down densely from its paper.
#pragma once

#include "stickslip/solve/registry.h"

namespace stickslip::testing {

struct Iterates {
  std::vector<Eigen::VectorXd> impulses;   ///< of the guess and after every iteration
  SolveReport report;
};

/// From zero, never ended by the residual.
inline Iterates iterates_of(std::string_view name, const OptionList& options, const ContactProblem& p, int iterations,
                            std::vector<double> impulses = {}) {
  Iterates found;
  impulses.resize(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = -1;
  control.max_iterations = iterations;
  control.observer = [&](int, std::span<const double> now, const Residual&) {
    found.impulses.emplace_back(Eigen::Map<const Eigen::VectorXd>(now.data(), static_cast<Eigen::Index>(now.size())));
  };
  found.report = make_solver(name, options)->solve(p, impulses, workspace, control);
  return found;
}

/// Expects the iterates of a solver to be these, to rounding, and that they move.
/// @param least so many there must be; all, unless the solver may end where rounding does
inline void expect_iterates(const Iterates& found, const std::vector<Eigen::VectorXd>& expected, const std::string& what,
                            std::size_t least = 0) {
  ASSERT_GE(found.impulses.size(), least > 0 ? least : expected.size()) << what << ": " << found.report.reason;
  double largest = 0;
  for (const Eigen::VectorXd& x : expected) largest = std::max(largest, x.lpNorm<Eigen::Infinity>());
  EXPECT_GT(largest, 0.01) << what;
  for (std::size_t k = 0; k < std::min(expected.size(), found.impulses.size()); ++k)
    ASSERT_LE((found.impulses[k] - expected[k]).lpNorm<Eigen::Infinity>(), 1e-10 * largest) << what << ", iterate " << k;
}

}   // namespace stickslip::testing
