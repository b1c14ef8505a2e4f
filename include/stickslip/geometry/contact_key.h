// The name of a contact: what contact generation, remembered impulses and records agree on.
#pragma once

#include <compare>
#include <cstdint>

namespace stickslip {

/// A pair of parts of two colliders: convex pieces, or clusters of faces of which each pair has a normal of its own.
struct PartPair {
  std::uint32_t a = 0, b = 0;   ///< colliders, a < b
  std::uint64_t parts = 0;      ///< (part of a) << 32 | (part of b); 0 for convex shapes, which are one part each

  auto operator<=>(const PartPair&) const = default;
};

constexpr std::uint64_t pair_of_parts(std::uint32_t part_of_a, std::uint32_t part_of_b) {
  return std::uint64_t{part_of_a} << 32 | part_of_b;
}

/// Names a contact: the same from step to step while its features touch. Contacts are sorted by it.
struct ContactKey : PartPair {
  std::uint64_t feature = 0;   ///< of the two parts

  auto operator<=>(const ContactKey&) const = default;
};

}   // namespace stickslip
