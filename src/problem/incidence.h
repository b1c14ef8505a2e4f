// Which blocks of a problem act on each of its velocity segments.
#pragma once

#include "math/lists.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class Incidence {
 public:
  /// Memory is kept from the last problem.
  void find(const ContactProblem& p) {
    lists_.fill(p.segments.size(), [&](auto&& put) {
      for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
        for (const std::uint32_t s : p.segments_of(p.blocks[i])) put(s, i);
    });
  }

  /// Blocks in increasing order.
  std::span<const std::uint32_t> at(std::uint32_t segment) const { return lists_[segment]; }

  /// The blocks that share a segment with this one, itself among them, in increasing order.
  void neighbours(const ContactProblem&, const Block&, std::vector<std::uint32_t>& list) const;

 private:
  ListsByKey lists_;
};

}   // namespace stickslip
