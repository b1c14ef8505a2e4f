#include "stickslip/problem/coupled_mass.h"

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

CoupledMass::CoupledMass(Matrix a) : a_(std::move(a)) {
  a_.makeCompressed();
  if (a_.rows() != a_.cols())
    throw Error(fmt::format("A mass matrix must be square, and this one is {} × {}.", a_.rows(), a_.cols()));
  const Matrix transposed = a_.transpose(), difference = a_ - transposed;
  const auto largest = [](const Matrix& m) {
    return m.nonZeros() == 0 ? 0.0 : Eigen::Map<const Eigen::VectorXd>(m.valuePtr(), m.nonZeros()).cwiseAbs().maxCoeff();
  };
  if (!(largest(difference) <= 1e-12 * largest(a_))) throw Error("The mass matrix is not symmetric.");
  factor_.analyze(a_, true);
  factor();
}

bool CoupledMass::refactor(const Matrix& a) {
  if (!same_pattern(a, a_)) return false;
  std::copy_n(a.valuePtr(), a.nonZeros(), a_.valuePtr());
  factor();
  return true;
}

void CoupledMass::factor() {
  if (!factor_.factor(a_)) throw Error("The mass matrix is not positive definite.");
}

void CoupledMass::solve(const double* b, double* x) const {
  const std::lock_guard lock(solving_);
  factor_.solve(b, x);
}

void CoupledMass::inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) const {
  const std::lock_guard lock(solving_);
  factor_.inverse_at(rows, out);
}

}   // namespace stickslip
