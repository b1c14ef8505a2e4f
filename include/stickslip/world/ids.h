// Generational handles: small, by value, safe to keep after the thing they name is gone.
#pragma once

#include <compare>
#include <cstdint>

namespace stickslip {

struct BodyId {
  std::uint32_t index = 0xffffffffu;
  std::uint32_t generation = 0;
  auto operator<=>(const BodyId&) const = default;
};

struct JointId {
  std::uint32_t index = 0xffffffffu;
  std::uint32_t generation = 0;
  auto operator<=>(const JointId&) const = default;
};

struct MaterialId {
  std::uint32_t index = 0;   ///< 0 is the default material
  auto operator<=>(const MaterialId&) const = default;
};

}   // namespace stickslip
