#include "stickslip/collide/pair_memory.h"

#include <algorithm>

namespace stickslip {

void PairMemories::keep(std::span<const ProxyPair> pairs) {
  next_.clear();
  auto old = slots_.begin();
  const auto forget_before = [&](const ProxyPair* pair) {
    for (; old != slots_.end() && (!pair || old->pair < *pair); ++old) {
      memories_[old->memory].reach = -1;
      free_.push_back(old->memory);
    }
  };
  for (const ProxyPair& pair : pairs) {
    forget_before(&pair);
    const bool known = old != slots_.end() && old->pair == pair;
    next_.push_back({pair, known ? old++->memory : kNew});
  }
  forget_before(nullptr);
  for (Slot& slot : next_) {
    if (slot.memory != kNew) continue;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(memories_.size()));
      memories_.emplace_back();
    }
    slot.memory = free_.back();
    free_.pop_back();
  }
  slots_.swap(next_);
}

PairMemory* PairMemories::of(const ProxyPair& pair) {
  const auto at =
      std::lower_bound(slots_.begin(), slots_.end(), pair, [](const Slot& s, const ProxyPair& p) { return s.pair < p; });
  return at != slots_.end() && at->pair == pair ? &memories_[at->memory] : nullptr;
}

}   // namespace stickslip
