#include "step/soft/inversion.h"

#include "stickslip/soft/elastic_solid.h"

namespace stickslip {

bool inverts_elements(const World& world, const VelocitySpace& space, std::span<const double> velocity, double h) {
  std::vector<Vec3> ends;
  for (const NodalBody& nodes : world.nodal_bodies()) {
    if (!nodes.is_soft() || !world.bodies()[nodes.body].moves_by_forces()) continue;
    ends.assign(nodes.positions.begin(), nodes.positions.end());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::uint32_t segment = space.segment_of(static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i);
      ends[i] += h * (segment == kNoSegment ? nodes.velocities[i] : space.twist(velocity, segment).linear);
    }
    const ElasticSolid& solid = *nodes.solid;
    for (std::size_t e = 0; e < solid.elements(); ++e)
      if (!(solid.deformation_gradient(e, ends).determinant() > 0) &&
          solid.deformation_gradient(e, nodes.positions).determinant() > 0)
        return true;
  }
  return false;
}

}   // namespace stickslip
