// LLᵀ of full symmetric positive definite matrices, and of the columns that stand first in one: the work is in products of
// blocks.
#pragma once

#include <Eigen/Core>

namespace stickslip {

/// Eliminates the first columns of a symmetric matrix, of which rows × columns are stored, column by column: they become those
/// of L. What is above the diagonal is not read. False if a pivot is not positive.
bool eliminate_columns(double* numbers, int rows, int columns);

/// The factor of a matrix, and its triangular solves.
class DenseCholesky {
 public:
  /// The matrix, to be filled before `factor`; its lower triangle counts. Afterwards L.
  Eigen::MatrixXd& numbers() { return l_; }
  Eigen::Index size() const { return l_.rows(); }

  /// False if the matrix is not positive definite, or nearly not: a pivot is smaller than `least` times its diagonal.
  bool factor(double least);

  /// Y = L⁻¹ Y for the rows and columns from `first` on, above which Y is 0.
  void forward(Eigen::Index first, Eigen::Ref<Eigen::MatrixXd> y) const;
  void forward(Eigen::VectorXd& y) const;
  void backward(Eigen::VectorXd& y) const;   ///< y = L⁻ᵀ y

 private:
  Eigen::MatrixXd l_;
  Eigen::VectorXd diagonal_;
};

}   // namespace stickslip
