// Generalised minimal residuals [Saad, Schultz 1986]: x of A x = b by products with A alone, begun at zero. In an orthonormal
// basis of b, A b, A² b, … A is an upper Hessenberg matrix; turns of its rows keep that triangular, and its right side ends
// with the residual. Memory is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace stickslip {

class Gmres {
 public:
  struct Limits {
    int products = 50;         ///< with A, at most; those that find the residual where a cycle ends are not counted
    double tolerance = 1e-8;   ///< on ‖b − A x‖ / ‖b‖
    int directions = std::numeric_limits<int>::max();   ///< that are kept: after so many it begins anew from the best x so far
  };

  /// @param multiply y = A x, as bool(const double* x, double* y); whether it could
  /// @param x the best that was found; zero if nothing was
  /// @returns whether the tolerance was met, by finite numbers
  template <class Multiply>
  bool solve(std::span<const double> b, std::span<double> x, const Limits& limits, const Multiply& multiply) {
    const auto n = static_cast<Eigen::Index>(b.size());
    const Eigen::Map<const Eigen::VectorXd> right(b.data(), n);
    Eigen::Map<Eigen::VectorXd> solution(x.data(), n);
    solution.setZero();
    products_ = 0;
    const double whole = right.norm();
    if (whole == 0) return true;
    allocate(n, std::min(limits.directions, limits.products));
    basis_.col(0) = right;
    while (true) {
      if (!begin()) return false;
      if (!grow(limits, limits.tolerance * whole, multiply)) return false;
      add_to(solution);
      if (!solution.allFinite()) return false;
      if (std::abs(rest_[size_]) <= limits.tolerance * whole) return true;
      if (size_ == 0 || products_ >= limits.products || !multiply(x.data(), basis_.col(0).data())) return false;
      basis_.col(0) = right - basis_.col(0);
    }
  }

  int products() const { return products_; }   ///< of the last solve, as they are limited

 private:
  void allocate(Eigen::Index n, int most) {
    most = static_cast<int>(std::min<Eigen::Index>(most, n));
    if (basis_.rows() != n || basis_.cols() != most + 1) basis_.resize(n, most + 1);
    hessenberg_.resize(most + 1, most);
    rest_.resize(most + 1);
    turns_.resize(static_cast<std::size_t>(most));
  }

  /// A cycle from the residual in the first vector of the basis.
  bool begin() {
    hessenberg_.setZero();
    rest_.setZero();
    size_ = 0;
    rest_[0] = basis_.col(0).norm();
    if (!(rest_[0] > 0) || !std::isfinite(rest_[0])) return false;
    basis_.col(0) /= rest_[0];
    return true;
  }

  /// Grows the space until that is enough, or all there is. False if a product failed.
  template <class Multiply>
  bool grow(const Limits& limits, double target, const Multiply& multiply) {
    while (size_ < hessenberg_.cols() && products_ < limits.products && std::abs(rest_[size_]) > target) {
      const Eigen::Index k = size_;
      if (!multiply(basis_.col(k).data(), basis_.col(k + 1).data())) return false;
      ++products_;
      const double length = orthogonalise(k);
      if (!std::isfinite(length)) return false;
      if (!turn(k)) break;   // singular: what is there is the best there is
      ++size_;
      if (length == 0) break;
    }
    return true;
  }

  double orthogonalise(Eigen::Index k) {
    auto next = basis_.col(k + 1);
    auto column = hessenberg_.col(k);
    for (Eigen::Index i = 0; i <= k; ++i) {
      column[i] = basis_.col(i).dot(next);
      next -= column[i] * basis_.col(i);
    }
    const double length = column[k + 1] = next.norm();
    if (length > 0) next /= length;
    return length;
  }

  /// Makes a column triangular. False if it is zero.
  bool turn(Eigen::Index k) {
    auto column = hessenberg_.col(k);
    for (Eigen::Index i = 0; i < k; ++i) {
      const auto [c, s] = turns_[static_cast<std::size_t>(i)];
      const double upper = c * column[i] + s * column[i + 1];
      column[i + 1] = c * column[i + 1] - s * column[i];
      column[i] = upper;
    }
    const double size = std::hypot(column[k], column[k + 1]);
    if (!(size > 0)) return false;
    const Turn t = turns_[static_cast<std::size_t>(k)] = {column[k] / size, column[k + 1] / size};
    column[k] = size;
    column[k + 1] = 0;
    rest_[k + 1] = -t.sine * rest_[k];
    rest_[k] *= t.cosine;
    return true;
  }

  /// x += the best of the space.
  void add_to(Eigen::Map<Eigen::VectorXd>& x) {
    parts_ = rest_.head(size_);
    hessenberg_.topLeftCorner(size_, size_).triangularView<Eigen::Upper>().solveInPlace(parts_);
    x.noalias() += basis_.leftCols(size_) * parts_;
  }

  struct Turn {
    double cosine, sine;
  };
  Eigen::MatrixXd basis_, hessenberg_;
  Eigen::VectorXd rest_, parts_;   ///< of ‖e₁ − H̄ y‖ after the turns; y
  std::vector<Turn> turns_;
  Eigen::Index size_ = 0;   ///< of the space that is triangular
  int products_ = 0;
};

}   // namespace stickslip
