// Numbers for bodies that hold for a whole record.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/world/world.h"

namespace stickslip {

/// A column stands for one body for good, even if the world gives its slot to another later.
class BodyColumns {
 public:
  /// Gives columns to the bodies that have none, in the order of their slots.
  void add_new(const World& world) {
    const auto bodies = world.bodies();
    newest_.resize(bodies.size(), std::numeric_limits<std::uint32_t>::max());
    for (std::uint32_t slot = 0; slot < bodies.size(); ++slot) {
      if (!bodies[slot].alive || (newest_[slot] < bodies_.size() && bodies_[newest_[slot]] == world.id_of(slot))) continue;
      newest_[slot] = static_cast<std::uint32_t>(bodies_.size());
      bodies_.push_back(world.id_of(slot));
    }
  }

  std::span<const BodyId> bodies() const { return bodies_; }                 ///< by column, in the order of arrival
  /// Column of a body; none if it was never given one.
  std::optional<std::uint32_t> of(BodyId id) const {
    if (id.index >= newest_.size() || newest_[id.index] >= bodies_.size() || bodies_[newest_[id.index]] != id) return std::nullopt;
    return newest_[id.index];
  }
  std::uint32_t of_slot(std::uint32_t slot) const { return newest_[slot]; }  ///< column of the body that uses the slot now

 private:
  std::vector<BodyId> bodies_;
  std::vector<std::uint32_t> newest_;  ///< column of the newest body of each slot
};

}  // namespace stickslip
