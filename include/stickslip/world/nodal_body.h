// Bodies of nodes: points with mass that move on their own.
//
// Nothing holds the nodes of a cloud of beads together; each carries a ball that touches whatever it meets, other beads of the
// cloud among it. A node has no spin: friction at the surface of its bead acts on its centre, and the couple of it is lost.
// Triangles between nodes are drawn, and name material points of the surface (world/stencil.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/world/ids.h"

namespace stickslip {

/// What a user gives to make a body of nodes.
struct NodalDescription {
  std::string name = {};              ///< unique among bodies if not empty; empty gets "body-<index>"
  std::vector<Vec3> positions = {};   ///< of the nodes, world frame [m]; at least one
  double radius = 0.01;               ///< of the bead that each node carries [m]
  MaterialId material = {};
  std::optional<double> mass = {};   ///< of each node [kg]; that of a ball of the material if not given
  std::vector<std::array<std::uint32_t, 3>> triangles =
      {};                         ///< between nodes, counter-clockwise seen from outside; may be empty
  Vec3 velocity = Vec3::Zero();   ///< of all nodes, world frame [m/s]
  Vec3 force = Vec3::Zero();      ///< constant applied force, shared by the nodes by mass, world frame [N]
  bool can_sleep = true;
};

/// Checks nodes, radius, mass and triangles. @throws Error naming the field, its value and what is valid.
void validate_nodes(const NodalDescription&);

struct NodalBody {
  std::uint32_t body = 0;         ///< slot
  std::vector<Vec3> positions;    ///< state: world frame [m]
  std::vector<Vec3> velocities;   ///< state: world frame [m/s]
  std::vector<double> masses;     ///< [kg]
  double radius = 0;              ///< of the beads [m]
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::uint32_t first_node = 0;   ///< of its nodes among those of all bodies

  std::size_t size() const { return positions.size(); }
};

}   // namespace stickslip
