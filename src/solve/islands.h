// The parts of a problem that do not act on each other, and problems made of some of them.
//
// Blocks hang together through the velocity segments and coupled carriers that they share, or where W is a matrix, through its
// numbers. The residual of a problem is the largest of those of its islands: what is solved in one stays solved whatever
// happens in the others.
#pragma once

#include "math/lists.h"
#include "math/unions.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class Islands {
 public:
  /// Numbers the islands in the order of their first blocks.
  void find(const ContactProblem&);

  std::size_t count() const { return blocks_.size(); }
  std::span<const std::uint32_t> blocks(std::size_t island) const { return blocks_[island]; }   ///< in increasing order

 private:
  Unions together_;                     ///< nodes: segments, or blocks where W is a matrix
  std::vector<std::uint32_t> number_;   ///< per node
  ListsByKey blocks_;
};

/// Whether a block, or all of some, is within the tolerance [m/s]. @param v the velocities Wλ + b of all rows
bool is_settled(const ContactProblem&, std::uint32_t block, std::span<const double> impulses, std::span<const double> v,
                double tolerance);
bool are_settled(const ContactProblem&, std::span<const std::uint32_t> blocks, std::span<const double> impulses,
                 std::span<const double> v, double tolerance);

/// Some blocks of a finalized problem as one of their own, finalized as well.
class SubProblem {
 public:
  /// @param blocks in increasing order; of whole islands where W is a matrix. Memory is kept.
  void extract(const ContactProblem& whole, std::span<const std::uint32_t> blocks);

  /// What blocks outside do with these impulses of the whole problem becomes part of b: they hold still.
  /// @param v Wλ + b of the whole problem @param part impulses of the blocks taken
  void hold_others(std::span<const double> v, std::span<const double> part);

  const ContactProblem& problem() const { return problem_; }
  void clear_carriers() { problem_.clear_carriers(); }                        ///< of them all, as of a problem
  void gather(std::span<const double> whole, std::span<double> part) const;   ///< numbers per row
  void scatter(std::span<const double> part, std::span<double> whole) const;

 private:
  void take_segments(const ContactProblem&, Block&);
  void take_coupled_segments(const ContactProblem&, std::span<const std::uint32_t> blocks);
  std::uint32_t take_segment(const ContactProblem&, std::uint32_t segment);
  void take_row_of_matrix(const ContactProblem&, std::uint32_t block);

  ContactProblem problem_;
  std::vector<double> v_, segment_velocity_;     ///< scratch of hold_others
  std::vector<std::uint32_t> blocks_, row_;      ///< of the whole problem
  std::vector<std::uint32_t> segment_, block_;   ///< per one of the whole problem: its number here; kNone elsewhere
  std::vector<std::uint32_t> taken_;             ///< segments of one block
};

}   // namespace stickslip
