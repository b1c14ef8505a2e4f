// What contact generation keeps of pairs of shapes from look to look: it saves time and never changes a contact.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/collide/broad_phase.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// Of two meshes: the triangles that came near each other when the trees were last asked. While the meshes have moved little,
/// those that are near now are among them.
struct PairMemory {
  const void *a = nullptr, *b = nullptr;             ///< the meshes, in the order in which they are looked at
  Pose b_in_a;                                       ///< where B was then
  double reach = -1;                                 ///< all pairs nearer than this are there [m]
  std::vector<std::array<std::uint32_t, 2>> pairs;   ///< in the order of the trees
};

/// The memories of the pairs of a world.
class PairMemories {
 public:
  /// Makes room for pairs, forgets others. @param pairs sorted
  void keep(std::span<const ProxyPair> pairs);
  /// Null if no room was made for the pair. Pairs may be asked for by several threads, each by one.
  PairMemory* of(const ProxyPair&);

 private:
  static constexpr std::uint32_t kNew = ~std::uint32_t{0};
  struct Slot {
    ProxyPair pair;
    std::uint32_t memory;
  };
  std::vector<Slot> slots_, next_;   ///< sorted by pair
  std::vector<PairMemory> memories_;
  std::vector<std::uint32_t> free_;
};

}   // namespace stickslip
