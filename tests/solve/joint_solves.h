// What tests of joints share: solving from zero, and velocities to compare by.
#pragma once

#include "joint_problems.h"
#include "stickslip/solve/registry.h"

namespace stickslip::testing {

inline SolveReport solve(const ContactSolver& solver, const ContactProblem& p, std::vector<double>& impulses,
                         double tolerance = 1e-9, int max_iterations = 20000) {
  impulses.resize(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return solver.solve(p, impulses, workspace, control);
}

inline SolveReport solve(std::string_view name, const ContactProblem& p, std::vector<double>& impulses, double tolerance = 1e-9,
                         int max_iterations = 20000) {
  return solve(*make_solver(name), p, impulses, tolerance, max_iterations);
}

/// Velocities that the impulses bring; they are unique where impulses are not.
inline Eigen::VectorXd velocity_change(const ContactProblem& p, std::span<const double> impulses) {
  std::vector<double> u(6 * p.segments.size(), 0.0);
  p.add_velocity_change(impulses, u);
  return Eigen::Map<const Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size()));
}

}   // namespace stickslip::testing
