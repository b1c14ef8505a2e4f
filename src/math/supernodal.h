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

  /// Eigen's products round by how their memory is aligned: all of it begins alike, so that bits do not depend on where it is.
  template <class Scalar>
  using Numbers = std::vector<Scalar, Eigen::aligned_allocator<Scalar>>;

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

  /// The same of one column to single precision, in half the time: most of it L is waited for. Kept for iterations that
  /// correct themselves.
  void solve_roughly(const double* b, double* x);

  /// Rows and columns of A⁻¹ that are asked for, each at most once.
  void inverse_at(std::span<const int> rows, Eigen::MatrixXd& out);

  /// The numbers of A⁻¹ in the places of A that were analysed: of its lower triangle, 0 in others. About twice the work of the
  /// factorisation.
  void inverse_near(std::span<double> numbers);

 private:
  /// What a front has to do with a part of A⁻¹: columns [first, last) of the part, and where it leaves what it hands to its
  /// parent.
  struct Seen {
    Eigen::Index first = 0, last = 0;
    std::size_t below = 0;
  };
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
  void plan_inverse(std::span<const int> rows);
  void gather_seen(const Front&, const Seen& own, double* top, double* below) const;
  void invert_front(const Front&, double* inverse);
  template <class Scalar>
  struct Scratch {
    Numbers<Scalar> work, gathered;
  };
  template <class Scalar, int Columns>
  void solve_columns(const Numbers<Scalar>& panels, Scratch<Scalar>&, int columns) const;

  std::vector<Front> fronts_;
  std::vector<int> postorder_, order_, rows_;
  std::vector<Entry> entries_;
  Numbers<double> panels_;      ///< L: per front rows × columns
  Numbers<double> stacks_[2];   ///< updates of fronts at even and odd depths: those of children and parent never overlap
  Numbers<float> rounded_;      ///< L to single precision, if it was asked for
  bool is_rounded_ = false;     ///< whether it is that of the last factorisation
  Scratch<double> scratch_;
  Scratch<float> rough_scratch_;
  std::size_t most_below_ = 0;   ///< rows that a front hands to its parent

  // Of the inverse: places of the rows of A and their turns in postorder; of the part, sorted by turns.
  std::vector<int> position_, turn_, sorted_, places_;
  std::vector<Seen> seen_;   ///< per front
  Numbers<double> left_[2], top_, part_;
  Numbers<double> inverses_;   ///< of A, between the rows of the fronts on the way to a root
};

}   // namespace stickslip
