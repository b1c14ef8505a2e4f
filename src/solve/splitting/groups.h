// Groups of blocks that are solved together.
#pragma once

#include "solve/contact_graph.h"

namespace stickslip {

enum class Grouping { contact, pair, layer, all };

/// Blocks as runs of one list: group g holds `block[first[g]]` to `block[first[g + 1] − 1]`, increasing. Groups stand in the
/// order of their layer, or of their first block.
struct GroupList {
  std::vector<std::uint32_t> first, block;

  std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t g) const {
    return std::span(block).subspan(first[g], first[g + 1] - first[g]);
  }
};

/// All blocks, or all but the bilateral ones, in groups.
GroupList group_blocks(const ContactProblem&, Grouping, bool without_joints);

/// The rows and columns of W that belong to these blocks.
BlockMatrix principal_submatrix(const BlockMatrix&, std::span<const std::uint32_t> blocks);

}   // namespace stickslip
