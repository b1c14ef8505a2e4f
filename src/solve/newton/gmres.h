// Generalised minimal residuals [Saad, Schultz 1986]: x of A x = b by products with A alone. For operators near the identity,
// as preconditioned ones are; not restarted. Memory is kept.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Jacobi>

namespace stickslip {

class Gmres {
 public:
  struct Limits {
    int products = 50;         ///< with A, at most
    double tolerance = 1e-8;   ///< on ‖b − A x‖ / ‖b‖
  };

  /// @param multiply y = A x, as void(const double* x, double* y)
  /// @returns whether the tolerance was met; x is set only then
  template <class Multiply>
  bool solve(std::span<const double> b, std::span<double> x, const Limits& limits, const Multiply& multiply) {
    const auto n = static_cast<Eigen::Index>(b.size());
    const int most = limits.products;
    basis_.resize(n, most + 1);
    hessenberg_.setZero(most + 1, most);
    rest_.setZero(most + 1);
    turns_.clear();
    basis_.col(0) = Eigen::Map<const Eigen::VectorXd>(b.data(), n);
    const double whole = rest_[0] = basis_.col(0).norm();
    if (whole == 0) return Eigen::Map<Eigen::VectorXd>(x.data(), n).setZero(), true;
    basis_.col(0) /= whole;
    for (int k = 0; k < most && std::isfinite(rest_[k]); ++k) {
      multiply(basis_.col(k).data(), basis_.col(k + 1).data());
      orthogonalise(k);
      if (std::abs(rest_[k + 1]) > limits.tolerance * whole) continue;
      const Eigen::VectorXd y = hessenberg_.topLeftCorner(k + 1, k + 1).triangularView<Eigen::Upper>().solve(rest_.head(k + 1));
      Eigen::Map<Eigen::VectorXd>(x.data(), n).noalias() = basis_.leftCols(k + 1) * y;
      return y.allFinite();
    }
    return false;
  }

 private:
  void orthogonalise(int k) {
    auto next = basis_.col(k + 1);
    auto column = hessenberg_.col(k);
    for (int i = 0; i <= k; ++i) {
      column[i] = basis_.col(i).dot(next);
      next -= column[i] * basis_.col(i);
    }
    column[k + 1] = next.norm();
    if (column[k + 1] > 0) next /= column[k + 1];
    for (int i = 0; i < k; ++i) column.applyOnTheLeft(i, i + 1, turns_[static_cast<std::size_t>(i)].adjoint());
    turns_.emplace_back().makeGivens(column[k], column[k + 1]);
    column.applyOnTheLeft(k, k + 1, turns_.back().adjoint());
    rest_.applyOnTheLeft(k, k + 1, turns_.back().adjoint());
  }

  Eigen::MatrixXd basis_, hessenberg_;
  Eigen::VectorXd rest_;   ///< of ‖e₁ − H̄ y‖ after the turns
  std::vector<Eigen::JacobiRotation<double>> turns_;
};

}   // namespace stickslip
