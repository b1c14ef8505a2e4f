// What some integrators have no law for.
#pragma once

#include <fmt/format.h>

#include "stickslip/math/error.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Of integrators to which contact is a force that grows with depth: a blow then has no instant at which a law of impact could
/// act. @throws Error
inline void refuse_tangential_restitution(const World& world, std::string_view integrator) {
  const auto refuse = [&](const std::string& whose) {
    throw Error(
        fmt::format("{} tangential restitution, which the integrator '{}' has no law for. Use 'impulse', or leave it out.",
                    whose, integrator));
  };
  const MaterialTable& all = world.materials;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (const Material& m = all[MaterialId{i}]; m.tangential_restitution > 0)
      refuse(fmt::format("The material '{}' has", m.name));
  for (const auto& [key, pair] : all.pairs())
    if (pair.tangential_restitution > 0)
      refuse(
          fmt::format("The materials '{}' and '{}' have", all[MaterialId{key.first}].name, all[MaterialId{key.second}].name));
}

}   // namespace stickslip
