// Nested dissection of meshes whose nodes have places: which unknowns a factorisation eliminates last.
//
// A plane parts the nodes in two halves; of the edges that it cuts the fewest nodes that meet all of them separate the halves
// (a minimum vertex cover of a bipartite graph, by a maximum matching [König 1931]), and each half is parted likewise
// [George 1973]. Thirteen directions of planes and three places of each are tried: which is best depends on how a mesh was
// made. A cube of five tetrahedra a cell has its smallest separators along body diagonals, 3/4 of a section across an axis,
// which methods that know the graph alone find by luck (22³ nodes: 6 Gflop in place of 9).
#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.h"

namespace stickslip {

/// Which nodes of a mesh are neighbours: those of node i are neighbour[first[i]] … neighbour[first[i + 1] − 1].
struct NodeGraph {
  std::vector<int> first, neighbour;
  std::size_t size() const { return first.size() - 1; }
};

/// The part that each node belongs to: halves that were not divided again and separators, numbered so that a separator comes
/// after both of its halves. To eliminate part by part is cheap.
/// @param places of the nodes, finite
std::vector<int> dissect(const NodeGraph&, std::span<const Vec3> places);

}   // namespace stickslip
