// A sparse matrix of 6 × 6 blocks over the graph of bodies, and its factorisation: what Newton steps in velocity space solve.
//
// The pattern is symmetric, the numbers need not be. Bodies are eliminated in an order of little fill (minimum degree), fixed
// by the pattern alone, so that a step may keep it from the last one. Pivots are
// whole blocks: of I + Gᵀ D G with D ≥ 0 all of them are regular.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class BodyMatrix {
 public:
  /// Lays out the pattern of a factored problem: bodies that share a block are neighbours. The ordering is kept if the pattern
  /// is that of the last call.
  void analyze(const ContactProblem&);

  /// The matrix becomes I.
  void set_identity();

  /// A(s, t) += block, column-major 6 × 6. Where the matrix is symmetric, one of (s,
  /// t) and (t, s) must be left out: the one with `is_upper`.
  void add(std::uint32_t s, std::uint32_t t, const double* block);
  bool is_upper(std::uint32_t s, std::uint32_t t) const { return place_[s] < place_[t]; }

  /// LU of all, or LDLᵀ of the diagonal and what is not upper. False if a pivot is
  /// not regular, or not positive where the matrix is symmetric.
  bool factor(bool symmetric);

  /// x ← A⁻¹ x after a factorisation that succeeded.
  void solve(std::span<double> x) const;

  /// Operations of a factorisation of a symmetric matrix, about; LU takes twice as many. Known after analyze.
  double factor_work() const { return factor_work_; }
  double solve_work() const;

 private:
  void order(const ContactProblem&);
  void eliminate();

  std::vector<std::uint64_t> edges_;               ///< of the pattern: (smaller, larger) in one number, sorted
  std::vector<std::uint32_t> place_;               ///< per body: when it is eliminated
  std::vector<std::uint32_t> first_, row_;         ///< columns of L below the diagonal: rows, increasing
  std::vector<std::uint32_t> first_left_, left_;   ///< per row: where its blocks stand in the columns before, increasing
  std::vector<std::uint32_t> column_;              ///< per block below the diagonal: its column
  std::vector<double> diagonal_, lower_, upper_;   ///< 36 numbers a block; upper_: the mirror places
  std::vector<std::uint32_t> body_, where_;        ///< per turn: the body; scratch of factor
  std::vector<std::uint64_t> found_;               ///< scratch of analyze
  double factor_work_ = 0;
};

}   // namespace stickslip
