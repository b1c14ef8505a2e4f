// The mass of a coupled carrier: a sparse symmetric positive definite matrix A and its factors, such as M + hB + h²K of a soft
// body.
//
// Where factors are dear and A changes little, those of an earlier matrix Â can stay: solves are then conjugate gradients that
// they precondition, as exact as before, and the part of the inverse that W is made of is that of Â, for whoever corrects it.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "stickslip/math/sparse_factor.h"

namespace stickslip {

class CoupledMass {
 public:
  using Matrix = SparseFactor::Matrix;

  /// Rows and columns of the inverse of the matrix that is factored.
  struct InversePart {
    std::vector<int> rows;   ///< ascending
    Eigen::MatrixXd numbers;
  };

  /// @param a both triangles stored
  /// @param places of nodes that have three rows each, by which an order of elimination is found; empty: unknown
  /// @throws Error if it is not square, not symmetric or not positive definite.
  explicit CoupledMass(Matrix a, std::span<const Vec3> places = {});

  /// Takes the numbers of another matrix, and factors it, with what was analysed. @pre symmetric
  /// @returns whether it could: false if the pattern differs; then nothing has changed. @throws Error if it is not positive
  /// definite
  bool refactor(const Matrix&);

  /// Takes the numbers of another matrix and keeps the factors. @pre symmetric. @returns as refactor
  bool take(const Matrix&);
  /// Whether the factors are those of another matrix.
  bool is_stale() const { return stale_; }

  const Matrix& matrix() const { return a_; }
  std::size_t size() const { return static_cast<std::size_t>(a_.rows()); }

  /// x = A⁻¹ b. `b` and `x` must not overlap. One thread at a time gets in.
  void solve(const double* b, double* x) const;
  /// The same unless stale factors would take more than so many iterations, or about so many. @returns whether it is solved
  bool solve_within(const double* b, double* x, int iterations) const;
  /// How exactly stale factors solve until the next matrix: error over the solution, in the norm of A. 1e-10 unless set.
  void solve_to(double accuracy) const;
  int iterations() const { return iterations_; }   ///< of the last solve; 0 unless factors are stale
  /// x ← A⁻¹ x.
  void solve_in_place(double* x) const;

  /// A part of the inverse of the matrix that is factored, with these rows (ascending) and perhaps others.
  std::shared_ptr<const InversePart> inverse_between(std::span<const int> rows) const;
  /// The numbers of the inverse of the matrix that is factored, in the places of `matrix()`: of its lower triangle, 0 in
  /// others. They stay until the next factorisation. Empty where the factors are such that single solves find them sooner.
  std::span<const double> inverse_near() const;
  /// Lets a part with other rows beside those that are asked for serve, such as the one found last. Which it is is then part of
  /// what determines the bits of a solution.
  /// @param rows of the part that serves first
  void keep_inverse(std::vector<int> rows);
  std::span<const int> kept_rows() const { return kept_rows_; }   ///< of the part found last

  static constexpr double kExact = 1e-10;   ///< accuracy of solves with stale factors

  double factor_work() const { return factor_.factor_work(); }   ///< operations of a factorisation
  double solve_work() const { return factor_.solve_work(); }     ///< operations of a solve

 private:
  void factor();
  bool iterate(const double* b, double* x, int most) const;

  Matrix a_;
  std::vector<double> factored_;   ///< numbers of the matrix that is factored
  bool stale_ = false, keeps_ = false;
  mutable SparseFactor factor_;
  mutable std::mutex solving_;
  mutable std::vector<int> kept_rows_;
  mutable std::shared_ptr<InversePart> part_;   ///< null: not found yet
  mutable std::vector<double> near_;            ///< numbers of the inverse; empty: not found yet
  mutable bool has_near_ = true;                ///< whether they can be found
  mutable std::vector<double> right_;
  mutable int iterations_ = 0;
  mutable double accuracy_ = kExact;

  /// Of conjugate gradients. They begin at the solution before, of this matrix.
  struct Iteration {
    Eigen::VectorXd solution, residual, preconditioned, direction, image;
  };
  mutable Iteration iteration_;
};

}   // namespace stickslip
