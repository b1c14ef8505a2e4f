// The graph of bodies and contacts behind a problem: how far everything is from the unmoving world, and where contacts lie.
#pragma once

#include "problem/incidence.h"

namespace stickslip {

/// Distances are counted in contacts. A body that touches the unmoving world (a block of one segment) has distance 1, its
/// neighbours 2, and so on; of bodies that hang together without touching the world the heaviest has distance 0. A block lies
/// in the layer that carries its farther body, one less than the distance of that: in a stack, layers are numbered from the
/// ground, which is 0, and contacts between bodies side by side belong to the layer they stand on.
///
/// Where W is a matrix bodies are unknown: layers are distances between blocks that share a number of W, from the block with
/// the largest effective mass.
class ContactGraph {
 public:
  /// Finds distances and layers. Allocates only if the problem is larger than any before.
  void build(const ContactProblem&);

  const std::vector<std::uint32_t>& distance() const { return distance_; }   ///< per segment; empty if W is a matrix
  const std::vector<std::uint32_t>& layer() const { return layer_; }         ///< per block
  std::uint32_t layers() const { return layers_; }

  /// Position of every block along an axis (0, 1, 2: x, y, z), up to a shift for every set of bodies that hang together, which
  /// does not matter to a sweep: such sets do not act on each other. The arm r of a block follows from its rows (d, r × d), and
  /// the distance between two bodies from their arms to a common contact. Blocks of one row know only the part of the arm
  /// across the row. A node has no arms: it lies where it is touched. Where W is a
  /// matrix: the number of the block in breadth-first order.
  void coordinates(const ContactProblem&, int axis, std::span<double> out);

  /// A colour for every block, from 0, each the least that no block before it with a common segment has; where W is a matrix,
  /// with a common number.
  void colours(const ContactProblem&, std::span<double> out);

 private:
  void spread(const ContactProblem&, std::uint32_t from);
  void spread_over_matrix(const ContactProblem&);
  static Vec3 arm(const ContactProblem&, const Block&, std::size_t slot);

  Incidence incidence_;
  std::vector<std::uint32_t> distance_, layer_, queue_, by_mass_, neighbours_;
  std::vector<Vec3> center_;
  std::uint32_t layers_ = 0;
};

}   // namespace stickslip
