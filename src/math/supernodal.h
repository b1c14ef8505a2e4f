// LLᵀ of sparse symmetric positive definite matrices by dense blocks: columns of L with the same rows stand together
// (supernodes), and nearly all work is in products of dense matrices [Duff, Reid 1983].
//
// The order of elimination and the supernodes come from CHOLMOD. Its own numbers are as fast as the BLAS that happens to be
// installed, which for the reference implementation is a tenth of what Eigen's products reach; here bits do not depend on it
// either.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/SparseCore>

namespace stickslip {

class SupernodalCholesky {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  /// What the symbolic analysis found, in the order of elimination; all are copied.
  struct Symbolic {
    std::span<const int> order;   ///< rows of A as they are eliminated
    std::span<const int> first;   ///< per supernode: its first column, then the number of columns
    std::span<const int> start;   ///< per supernode: where its rows begin in `rows`, then their number
    std::span<const int> rows;    ///< per supernode: rows of its columns, increasing, its own columns first
  };

  /// @param a compressed; of both triangles the lower one counts
  void analyze(const Matrix& a, const Symbolic&);

  /// False if a pivot is not positive. Numbers must stand where they stood when the pattern was analysed.
  bool factor(const Matrix& a);

  /// X = A⁻¹ B; columns lie one after the other. The two must not overlap, one thread at a time.
  void solve(const double* b, double* x, int columns);

  /// Rows and columns of A⁻¹ that are asked for, each at most once.
  void inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) const;

 private:
  struct Seen;
  struct Front {
    int column = 0, columns = 0, rows = 0;   ///< first column, number of columns; rows of the block, its columns included
    int parent = -1;
    std::size_t panel = 0, row = 0;   ///< where its numbers and its rows begin
    std::size_t entry = 0;            ///< where its numbers of A begin, in entries_
    std::size_t update = 0;           ///< where what it hands to its parent stands on its stack
    int stack = 0;
    std::vector<int> children;
    std::vector<std::array<int, 3>> runs;   ///< of rows beyond its columns: first, first in the rows of the parent, length
  };
  struct Entry {
    int source;          ///< number in the values of A
    std::size_t place;   ///< number in the panel
  };

  void make_fronts(const Symbolic&);
  void find_entries(const Matrix& a);
  void plan_stacks();
  void add_child(const Front& child, const Front& parent, double* update);
  bool eliminate(const Front&, double* update);
  Eigen::MatrixXd gather_seen(const Front&, std::span<const int> places, std::vector<Seen>&, Seen& own) const;
  template <int Columns>
  void solve_columns(const double* b, double* x, int columns);

  std::vector<Front> fronts_;
  std::vector<int> postorder_, order_, rows_;
  std::vector<Entry> entries_;
  std::vector<double> panels_;      ///< L: per front rows × columns
  std::vector<double> stacks_[2];   ///< updates of fronts at even and odd depths: those of children and parent never overlap
  std::vector<double> work_, gathered_;
  std::size_t most_below_ = 0;   ///< rows that a front hands to its parent
};

}   // namespace stickslip
