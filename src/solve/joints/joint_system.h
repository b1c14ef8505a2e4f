// The bilateral rows J of a problem as linear systems W_JJ x = right, one for every mechanism: joints that share bodies.
//
// W_JJ is singular where joints are redundant (closed loops), and a right side may then contradict itself. Both are met by a
// factorisation LLᵀ = A = W_JJ + ε D, D the diagonal of W_JJ, and steps that keep out of the null space N of W_JJ:
//
//   d = A⁻¹ W_JJ A⁻¹ r,   x ← x + d,   r ← r − W_JJ d
//
// A⁻¹ W_JJ is a projection along N but for O(ε): what of r no impulse can remove stays in r and never enters x, where A⁻¹ alone
// would let it in divided by ε. The rest of r falls by O(ε) a step. The limit is the solution of least squares with the
// smallest impulses, both measured by D.
//
// A loop with more rigid rows than its bodies have freedoms moves only because of where its joints are, and a step leaves
// them off it by a part δ of their size: then rows that ought to depend on each other do so but for δ, and taken at their
// word they would stop the loop. With the larger ε of such mechanisms, and steps along A⁻¹ W_JJ A⁻¹ only, what W_JJ has below
// it (δ²) is of N.
#pragma once

#include <span>
#include <vector>

#include "math/unions.h"
#include "solve/joints/block_products.h"
#include "stickslip/math/sparse_factor.h"

namespace stickslip {

class JointSystem {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Gathers and factors the bilateral blocks. Memory, and the ordering of mechanisms whose pattern stayed, are kept from the
  /// last problem. False if W is a matrix that is not symmetric or the
  /// factorisation breaks down; then nothing else may be called.
  /// @param products of the same problem
  bool setup(const ContactProblem&, const BlockProducts& products);

  std::size_t rows() const { return row_.size(); }   ///< of all mechanisms; numbered anew, mechanism by mechanism
  std::size_t mechanisms() const { return mechanism_.size(); }
  std::uint32_t mechanism_of(std::uint32_t block) const { return of_block_[block]; }   ///< kNone unless it is bilateral
  /// of a bilateral block, in the new numbers
  std::uint32_t first_row(std::uint32_t block) const { return row_of_block_[block]; }
  std::span<const std::uint32_t> problem_rows() const { return row_; }   ///< per new row: its row in the problem

  /// x = the least-squares solution of W_JJ x = right; `remaining` = right − W_JJ
  /// x: zero to rounding where the rows are consistent [m/s].
  void solve(std::span<const double> right, std::span<double> x, std::span<double> remaining);
  /// The same for one mechanism and its rows only.
  void solve(std::size_t mechanism, const double* right, double* x, double* remaining);

  /// The part of what remained of a solve that no impulses remove: zero for
  /// mechanisms whose rest is rounding, or would still fall [m/s].
  std::vector<double> contradiction(std::span<const double> remaining);

  /// One step d = A⁻¹ W_JJ A⁻¹ right of one mechanism: the solution but for O(ε).
  void step(std::size_t mechanism, const double* right, double* d);

  /// Solves with A, refined: the solution but for multiples of N, where `right` is in the range of W_JJ.
  void solve_quickly(std::size_t mechanism, const double* right, double* x);

  /// its first row, in the new numbers
  std::size_t first(std::size_t mechanism) const { return mechanism_[mechanism].first; }
  std::size_t size(std::size_t mechanism) const { return mechanism_[mechanism].rows; }

  /// Operations of one solve with the factor of a mechanism.
  double solve_work(std::size_t mechanism) const;
  /// Whether a mechanism has more rigid rows than its bodies have freedoms.
  bool is_over_held(std::size_t mechanism) const { return mechanism_[mechanism].over_held; }

 private:
  struct Mechanism {
    std::vector<std::uint32_t> blocks;   ///< bilateral blocks, in the order of the problem
    std::size_t first = 0, rows = 0;     ///< in the new numbers
    bool dense = true;
    bool over_held = false;                 ///< more rigid rows than its bodies have freedoms
    Eigen::MatrixXd matrix, factor;         ///< of a small one: W_JJ, lower triangle of L
    SparseFactor::Matrix sparse, ordered;   ///< of a large one: lower triangle of A; the pattern that was analysed
    std::vector<double> regularisation;     ///< ε D
    SparseFactor cholesky;
  };

  static bool is_over_held(const ContactProblem&, const Mechanism&);
  void find_mechanisms(const ContactProblem&, const BlockProducts&);
  void assemble_dense(const ContactProblem&, const BlockProducts&, Mechanism&) const;
  void assemble_sparse(const ContactProblem&, const BlockProducts&, Mechanism&) const;
  bool factor(Mechanism&);
  void divide(Mechanism&, const double* right, double* x) const;       ///< x = A⁻¹ right
  void multiply(const Mechanism&, const double* x, double* y) const;   ///< y = W_JJ x

  std::vector<Mechanism> mechanism_;
  std::vector<std::uint32_t> of_block_, row_of_block_, row_;
  Unions together_;   ///< segments, or blocks where W is a matrix
  std::vector<double> step_, image_, quick_;
};

}   // namespace stickslip
