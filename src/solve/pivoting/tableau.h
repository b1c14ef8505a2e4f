// The dense tableau of Lemke's method: basic = q + T · nonbasic.
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace stickslip {

/// Variables are numbered w_i = i, z_i = n + i, z₀ = 2n. Only the columns of nonbasic variables are stored; a pivot exchanges
/// one basic with one nonbasic variable.
class Tableau {
 public:
  /// w = q + M z + d z₀ with all w basic; d is all ones.
  void start(const Eigen::MatrixXd& m, const Eigen::VectorXd& q);

  /// Computes the tableau of the same basis anew from M and q, by the largest pivots, which removes the rounding that pivots
  /// have gathered. False if the basis is singular to rounding; the tableau is then that of another basis.
  /// @param cover the column of z₀ at the start
  bool rebuild(const Eigen::MatrixXd& m, const Eigen::VectorXd& q, const Eigen::VectorXd& cover);

  /// Makes the column of z₀, which must be nonbasic, the given positive vector.
  void set_cover(const Eigen::VectorXd& d);

  int size() const { return size_; }
  int artificial() const { return 2 * size_; }
  int complement(int variable) const { return variable < size_ ? variable + size_ : variable - size_; }
  bool is_basic(int variable) const { return place_[variable] >= 0; }
  int row_of(int variable) const { return place_[variable]; }
  int basic(int row) const { return basic_[row]; }
  double value(int row) const { return t_(row, size_ + 1); }   ///< of the basic variable of the row
  double smallest() const { return t_.col(size_ + 1).minCoeff(); }

  /// The row whose basic variable reaches zero first as the nonbasic `entering` grows from zero; −1 if none does.
  /// @param lexicographic how ties are broken; otherwise by z₀ first, then the largest pivot
  int blocking_row(int entering, bool lexicographic) const;

  /// The row in which z₀ must enter so that all become non-negative.
  int covering_row() const;

  void exchange(int row, int entering);

  /// A number for the set of basic variables; equal sets have equal numbers.
  std::uint64_t basis_hash() const { return hash_; }

 private:
  bool lexicographically_before(int row, int other, int entering_column) const;
  double perturbation(int row, int k) const;
  void put_basic(int variable, int row);
  void put_nonbasic(int variable, int column);

  int size_ = 0;
  Eigen::MatrixXd t_;   ///< columns: n + 1 nonbasic variables, then q
  Eigen::VectorXd column_;
  Eigen::RowVectorXd row_;
  std::vector<int> basic_, nonbasic_;
  std::vector<int> place_;   ///< of every variable: its row, or −1 − column
  std::uint64_t hash_ = 0;
};

}   // namespace stickslip
