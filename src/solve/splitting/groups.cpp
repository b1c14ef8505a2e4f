#include "solve/splitting/groups.h"

#include <algorithm>
#include <limits>

namespace stickslip {

GroupList group_blocks(const ContactProblem& p, Grouping grouping, bool without_joints) {
  GroupList groups;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    if (!(without_joints && p.blocks[i].kind == BlockKind::bilateral)) groups.block.push_back(i);
  // Blocks with equal keys form a group.
  std::vector<std::uint64_t> key(p.blocks.size(), 0);
  if (grouping == Grouping::layer) {
    ContactGraph graph;
    graph.build(p);
    std::copy(graph.layer().begin(), graph.layer().end(), key.begin());
  } else if (grouping == Grouping::contact || (grouping == Grouping::pair && !p.is_factored())) {
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = i;
  } else if (grouping == Grouping::pair) {
    const std::uint64_t world = p.segments.size();
    for (std::size_t i = 0; i < key.size(); ++i) {
      const auto segments = p.segments_of(p.blocks[i]);
      const std::uint64_t a = segments[0], b = segments.size() >= 2 ? segments[1] : world;
      key[i] = std::min(a, b) * (world + 1) + std::max(a, b);
    }
    // By the first block of the pair instead, so that groups keep the order of the problem.
    std::vector<std::uint32_t> by_key = groups.block;
    std::sort(by_key.begin(), by_key.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key[a] != key[b] ? key[a] < key[b] : a < b; });
    std::vector<std::uint64_t> first_block(key.size(), 0);
    for (std::size_t n = 0; n < by_key.size(); ++n)
      first_block[by_key[n]] = n > 0 && key[by_key[n]] == key[by_key[n - 1]] ? first_block[by_key[n - 1]] : by_key[n];
    key = std::move(first_block);
  }
  std::sort(groups.block.begin(), groups.block.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key[a] != key[b] ? key[a] < key[b] : a < b; });
  for (std::uint32_t n = 0; n < groups.block.size(); ++n)
    if (n == 0 || key[groups.block[n]] != key[groups.block[n - 1]]) groups.first.push_back(n);
  groups.first.push_back(static_cast<std::uint32_t>(groups.block.size()));
  return groups;
}

BlockMatrix principal_submatrix(const BlockMatrix& w, std::span<const std::uint32_t> blocks) {
  // `blocks` increases, so a binary search tells the new number of a column.
  BlockMatrix sub;
  sub.offset.push_back(0);
  sub.first.push_back(0);
  for (const std::uint32_t i : blocks) {
    sub.offset.push_back(sub.offset.back() + w.dim(i));
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      const auto found = std::lower_bound(blocks.begin(), blocks.end(), w.column[e]);
      if (found == blocks.end() || *found != w.column[e]) continue;
      const auto entry = w.entry(i, e);
      sub.column.push_back(static_cast<std::uint32_t>(found - blocks.begin()));
      sub.position.push_back(static_cast<std::uint32_t>(sub.values.size()));
      sub.values.insert(sub.values.end(), entry.data(), entry.data() + entry.size());
    }
    sub.first.push_back(static_cast<std::uint32_t>(sub.column.size()));
  }
  return sub;
}

}   // namespace stickslip
