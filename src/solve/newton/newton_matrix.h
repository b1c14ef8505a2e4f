// The linear system of a Newton step on equations that are local to each block apart from v = Wλ + b.
//
// Block i has unknowns xᵢ: its impulses λᵢ, then slacks of its own, and as many equations Φᵢ(xᵢ, vᵢ) = 0. With
// Aᵢ = ∂Φᵢ/∂xᵢ and Bᵢ = ∂Φᵢ/∂vᵢ the generalised Jacobian is
//
//   H_ij = Bᵢ W_ij + δ_ij Aᵢ
//
// with zero columns for the slacks of other blocks. Its pattern is that of W and never changes, so it is analysed once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

/// Φ and its derivatives at one point, block by block.
struct Linearisation {
  std::vector<std::uint32_t> first;              ///< first unknown of every block, then their number: blocks + 1 numbers
  std::vector<std::uint32_t> dim;                ///< impulses of every block
  std::vector<std::uint32_t> first_a, first_b;   ///< where Aᵢ and Bᵢ begin in `a` and `b`
  std::vector<double> phi;                       ///< Φ
  std::vector<double> a, b;                      ///< Aᵢ (m × m) and Bᵢ (m × dim), column-major

  /// Sizes for the blocks of a problem with `slacks[i]` further unknowns in block i; no slacks at all if empty.
  void resize(std::span<const Block> blocks, std::span<const std::uint8_t> slacks = {});
  std::size_t blocks() const { return dim.size(); }
  std::size_t unknowns() const { return first.empty() ? 0 : first.back(); }
  std::uint32_t rows(std::size_t block) const { return first[block + 1] - first[block]; }
  Eigen::Map<Eigen::MatrixXd> a_block(std::size_t i) { return {a.data() + first_a[i], rows(i), rows(i)}; }
  Eigen::Map<const Eigen::MatrixXd> a_block(std::size_t i) const { return {a.data() + first_a[i], rows(i), rows(i)}; }
  Eigen::Map<Eigen::MatrixXd> b_block(std::size_t i) { return {b.data() + first_b[i], rows(i), dim[i]}; }
  Eigen::Map<const Eigen::MatrixXd> b_block(std::size_t i) const { return {b.data() + first_b[i], rows(i), dim[i]}; }
};

/// Assembles, factorises and applies H. Small systems are factorised densely, others by sparse LU.
class NewtonMatrix {
 public:
  NewtonMatrix();
  ~NewtonMatrix();
  NewtonMatrix(NewtonMatrix&&) noexcept;
  NewtonMatrix& operator=(NewtonMatrix&&) noexcept;

  /// Lays out the pattern. The sizes of `shape` must be those of `w`.
  void set_up(const BlockMatrix& w, const Linearisation& shape);
  void assemble(const BlockMatrix& w, const Linearisation&);
  bool factorize();   ///< false if H is singular to working precision
  /// x = H⁻¹ rhs, after factorize(). False if the numbers are not finite.
  bool solve(std::span<const double> rhs, std::span<double> x);
  void multiply(std::span<const double> x, std::span<double> y) const;                     ///< y = H x
  void diagonal_blocks(const Linearisation& shape, std::vector<Eigen::MatrixXd>&) const;   ///< of H, one per block
  std::size_t size() const { return size_; }

 private:
  struct Factors;
  std::size_t size_ = 0;
  bool dense_ = true;   ///< whether it is factorised densely
  std::vector<int> column_start_, row_;
  std::vector<double> values_;
  std::vector<std::uint32_t> place_, stride_;   ///< per entry of W: its first number in values_; per block: numbers of a column
  std::unique_ptr<Factors> factors_;
};

}   // namespace stickslip
