// Broad phase: which pairs of bounding boxes overlap.
//
// A dynamic tree of fattened boxes. A proxy is touched only when its box leaves the fattened one, so a heap at rest costs
// one containment test per proxy. The pairs reported depend only on the boxes given, never on the history of the tree:
// every candidate is tested with the tight boxes before it is reported.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/geometry/aabb.h"

namespace stickslip {

struct ProxyPair {
  std::uint32_t a, b;   ///< proxy keys, a < b
  auto operator<=>(const ProxyPair&) const = default;
};

class BroadPhase {
 public:
  BroadPhase();
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;

  /// Adds or moves the proxy `key`. Keys are small non-negative integers (used as array index). Two proxies that are both
  /// `passive` (fixed, kinematic or asleep) never pair. Boxes may be infinite; a box that is empty or holds a NaN pairs with
  /// nothing.
  void set(std::uint32_t key, const Aabb& box, bool passive);
  void remove(std::uint32_t key);
  void clear();

  /// All pairs of tight boxes that overlap and are not both passive, sorted. The span stays valid until the next call.
  /// @throws Error if there are more than `max_pairs` (bodies piled into one spot), before memory runs out: the default is
  /// far beyond a heap of a million bodies and keeps the broad phase below 2 GB. The next call works as if nothing happened.
  std::span<const ProxyPair> pairs(std::size_t max_pairs = 32'000'000);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}   // namespace stickslip
