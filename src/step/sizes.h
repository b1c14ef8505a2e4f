// How large bodies are: of two the thinner says how deep is deep, of one its reach how far a turn moves it.
#pragma once

#include <algorithm>

#include "stickslip/world/world.h"

namespace stickslip {

/// The smaller of two lengths, of which an endless shape has none (0).
inline double thinner(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }
/// Thickness of the thinner of two colliders [m].
inline double thinner(const Collider& a, const Collider& b) { return thinner(a.characteristic_length, b.characteristic_length); }

/// Largest distance of a point of the body from its centre of mass [m]; infinite with a half-space.
inline double reach_of(const World& world, const Body& body) {
  double reach = 0;
  for (const std::uint32_t c : body.colliders) reach = std::max(reach, world.colliders()[c].reach);
  return reach;
}

}  // namespace stickslip
