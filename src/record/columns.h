// Numbers for bodies and joints that hold for a whole record.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/world/world.h"

namespace stickslip {

/// A column stands for one body or joint for good, even if the world gives its slot to another later.
template <class Id>
class Columns {
 public:
  std::span<const Id> ids() const { return ids_; }   ///< by column, in the order of arrival
  std::size_t size() const { return ids_.size(); }
  /// Column of a body or joint; none if it was never given one.
  std::optional<std::uint32_t> of(Id id) const {
    if (id.index >= newest_.size() || newest_[id.index] >= ids_.size() || ids_[newest_[id.index]] != id) return std::nullopt;
    return newest_[id.index];
  }
  std::uint32_t of_slot(std::uint32_t slot) const { return newest_[slot]; }   ///< column of what uses the slot now

 protected:
  template <class Slot>
  void add_new(std::span<const Slot> slots) {
    newest_.resize(slots.size(), std::numeric_limits<std::uint32_t>::max());
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
      const Id id{slot, slots[slot].generation};
      if (!slots[slot].alive || of(id)) continue;
      newest_[slot] = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(id);
    }
  }

 private:
  std::vector<Id> ids_;
  std::vector<std::uint32_t> newest_;   ///< column of the newest of each slot
};

class BodyColumns : public Columns<BodyId> {
 public:
  /// Gives columns to the bodies that have none, in the order of their slots.
  void add_new(const World& world) { Columns::add_new(world.bodies()); }
};

class JointColumns : public Columns<JointId> {
 public:
  /// The same for joints.
  void add_new(const World& world) { Columns::add_new(world.joints()); }
};

}   // namespace stickslip
