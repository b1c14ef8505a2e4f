#include "problem/incidence.h"

#include <algorithm>

namespace stickslip {

void Incidence::neighbours(const ContactProblem& p, const Block& block, std::vector<std::uint32_t>& list) const {
  list.clear();
  for (const std::uint32_t s : p.segments_of(block)) list.insert(list.end(), at(s).begin(), at(s).end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}   // namespace stickslip
