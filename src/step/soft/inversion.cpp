#include "step/soft/inversion.h"

#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

bool inverts_elements(const World& world, const VelocitySpace& space, std::span<const double> velocity, double h) {
  for (const NodalBody& nodes : world.nodal_bodies()) {
    if (!nodes.is_soft() || !world.bodies()[nodes.body].moves_by_forces()) continue;
    const auto end = [&](std::uint32_t i) -> Vec3 {
      const std::uint32_t segment = space.segment_of(static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i);
      return nodes.positions[i] + h * (segment == kNoSegment ? nodes.velocities[i] : space.twist(velocity, segment).linear);
    };
    const auto now = [&](std::uint32_t i) -> Vec3 { return nodes.positions[i]; };
    const auto is_upright = [](const auto& corners, const auto& place) {
      const Vec3 first = place(corners[0]);
      return (place(corners[1]) - first).cross(place(corners[2]) - first).dot(place(corners[3]) - first) > 0;
    };
    for (const auto& corners : nodes.solid->tetrahedra())
      if (!is_upright(corners, end) && is_upright(corners, now)) return true;
  }
  return false;
}

}   // namespace stickslip
