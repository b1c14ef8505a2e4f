// Dense Cholesky factor of a matrix to which rows are appended and from which rows are taken.
#pragma once

#include <Eigen/Core>

namespace stickslip {

/// L Lᵀ = A, both changes at O(n²) [course §3.1.4].
class GrowingCholesky {
 public:
  void clear(Eigen::Index capacity);
  Eigen::Index size() const { return size_; }

  /// Appends a row of A: `column` holds its numbers beside the rows that are there, `diagonal` its own. False, and nothing
  /// changes, if the row depends on the others: the new pivot is at most `least` of the diagonal.
  bool append(const Eigen::Ref<const Eigen::VectorXd>& column, double diagonal, double least);

  /// Takes row k out; the rows after it move up.
  void remove(Eigen::Index k);

  /// x ← A⁻¹ x.
  void solve_in_place(Eigen::Ref<Eigen::VectorXd> x) const;

 private:
  Eigen::Index size_ = 0;
  Eigen::MatrixXd l_;
  Eigen::VectorXd row_;
};

}   // namespace stickslip
