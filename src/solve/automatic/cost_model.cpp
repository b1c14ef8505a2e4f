#include "solve/automatic/cost_model.h"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/coupled_mass.h"

namespace stickslip::cost {

namespace {
double numbers(const ContactProblem& p) {
  return static_cast<double>(p.is_factored() ? p.scaled_jacobian.size() : p.matrix.values.size());
}
}   // namespace

double product(const ContactProblem& p) {
  double operations = 0;
  for (const Carrier& carrier : p.carriers) operations += carrier.mass->solve_work();
  return kSweepRow * static_cast<double>(p.rows()) + kOperation * operations;
}

double sweep(const ContactProblem& p) {
  return kSweepRow * static_cast<double>(p.rows()) + (p.is_factored() ? 0 : kMatrixSweepNumber * numbers(p));
}

double sweeps_of_iteration(const ContactProblem& p) {
  const double one = sweep(p);
  return one > 0 ? std::clamp(kSlowIteration / one, 1.0, kSweepsOfIteration) : 1;
}

double newton_step(const ContactProblem& p, double operations) {
  if (p.is_factored()) return kNewtonNumber * numbers(p) + kBodyOperation * operations;
  return kNewtonNumber * numbers(p) + kOperation * operations;
}

double impulse_factorisation(const ContactProblem& p) {
  // A row of a sparse H costs the square of what it holds when its turn comes: about four times what it holds at first.
  constexpr double kFill = 4;
  const auto n = static_cast<double>(p.rows());
  const double full = n > 0 ? numbers(p) / n : 0;
  return std::min(kDenseOperation / kOperation * 2.0 / 3.0 * n * n * n, kFill * kFill * n * full * full);
}

double admm_step(const ContactProblem& p, double operations) { return kAdmmNumber * numbers(p) + kOperation * operations; }

}   // namespace stickslip::cost
