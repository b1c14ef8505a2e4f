// Bodies of nodes: points with mass that move on their own.
//
// Nothing holds the nodes of a cloud of beads together; each carries a ball that touches whatever it meets, other beads of the
// cloud among it. A node has no spin: friction at the surface of its bead acts on its centre, and the couple of it is lost.
// Triangles between nodes are drawn, and name material points of the surface (world/stencil.h).
//
// A soft body is one of nodes that an elastic solid holds together. It touches with its surface.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/world/colour.h"
#include "stickslip/world/ids.h"

namespace stickslip {

/// What a user gives to make a body of nodes.
struct NodalDescription {
  std::string name = {};              ///< unique among bodies if not empty; empty gets "body-<index>"
  std::vector<Vec3> positions = {};   ///< of the nodes, world frame [m]; at least one
  double radius = 0.01;               ///< of the bead that each node carries [m]
  MaterialId material = {};
  std::optional<Colour> colour = {};   ///< that it is shown in; without: that of its material
  std::optional<double> mass = {};     ///< of each node [kg]; that of a ball of the material if not given
  std::vector<std::array<std::uint32_t, 3>> triangles =
      {};                         ///< between nodes, counter-clockwise seen from outside; may be empty
  Vec3 velocity = Vec3::Zero();   ///< of all nodes, world frame [m/s]
  Vec3 force = Vec3::Zero();      ///< constant applied force, shared by the nodes by mass, world frame [N]
  bool can_sleep = true;
};

class ElasticSolid;   // soft/elastic_solid.h

/// Nodes of a soft body that are held: they keep their place in the frame of a rigid body, or in the world. Of one that moves
/// by forces they are attached: it feels what they weigh and pull. The first pin that names a node holds it.
struct NodePins {
  std::vector<std::uint32_t> nodes = {};
  BodyId body = {};   ///< rigid; none: the world
};

/// What a user gives to make a soft body.
struct SoftDescription {
  std::string name = {};                       ///< as of NodalDescription
  std::shared_ptr<const ElasticSolid> solid;   ///< rest shape, elements and what they are made of
  Pose pose = {};                              ///< of the rest shape in the world
  std::vector<Vec3> positions = {};       ///< of the nodes at the start, in the frame of the rest shape [m]; empty: at rest
  MaterialId material = {};               ///< of its surface; its density is not read, the solid has one
  std::optional<Colour> colour = {};      ///< that it is shown in; without: that of its material
  Vec3 velocity = Vec3::Zero();           ///< of the centre of mass, world frame [m/s]
  Vec3 angular_velocity = Vec3::Zero();   ///< world frame [rad/s]
  Vec3 force = Vec3::Zero();              ///< constant applied force, shared by the nodes by mass, world frame [N]
  double pressure = 0;                    ///< of a gas inside, acts on the surface along its outward normals [Pa]
  std::vector<NodePins> pins = {};
  bool self_contact = false;   ///< whether its surface touches itself
  bool can_sleep = true;
};

/// Checks nodes, radius, mass and triangles. @throws Error naming the field, its value and what is valid.
void validate_nodes(const NodalDescription&);

/// A node that keeps its place in the frame of a body that forces do not move.
struct HeldNode {
  static constexpr std::uint32_t kWorld = ~0u;

  std::uint32_t node = 0;
  std::uint32_t body = kWorld;   ///< slot; kWorld: none
  Vec3 local = Vec3::Zero();     ///< its place in the frame that has its origin in the body's centre of mass, or in the world
};

/// A node that keeps its place in the frame of a body that moves by forces: rows of the contact problem hold the two together.
struct AttachedNode {
  std::uint32_t node = 0;
  std::uint32_t body = 0;        ///< slot
  Vec3 local = Vec3::Zero();     ///< its place in the frame that has its origin in the body's centre of mass [m]
  Vec3 impulse = Vec3::Zero();   ///< state: of the last step on the node, world frame [N s]
};

/// Where the matrix of a large soft body was factored last: its factors serve the steps after it while little has changed
/// (src/step/soft/soft_systems.h). It belongs to the state, so that a copy of a world moves on to the same bits.
struct SoftMemory {
  std::vector<Vec3> places = {};             ///< of the nodes, world frame [m]; empty: nothing is remembered
  double kick = 0, h = 0;                    ///< how long forces acted, and until the next contacts [s]
  std::vector<std::uint32_t> touched = {};   ///< nodes between which the inverse was found, ascending

  bool operator==(const SoftMemory&) const = default;
};

struct NodalBody {
  std::uint32_t body = 0;         ///< slot
  std::vector<Vec3> positions;    ///< state: world frame [m]
  std::vector<Vec3> velocities;   ///< state: world frame [m/s]
  std::vector<double> masses;     ///< [kg]
  double radius = 0;              ///< of the beads [m]
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::uint32_t first_node = 0;   ///< of its nodes among those of all bodies

  // Of soft bodies.
  std::shared_ptr<const ElasticSolid> solid = nullptr;   ///< null: nothing holds the nodes together
  std::vector<HeldNode> held = {};                       ///< ascending by node
  std::vector<AttachedNode> attached = {};               ///< ascending by node; none of them is held
  double pressure = 0;                                   ///< [Pa]
  bool self_contact = false;
  SoftMemory memory = {};

  std::size_t size() const { return positions.size(); }
  bool is_soft() const { return solid != nullptr; }
  /// Whether forces move a node.
  bool is_free(std::uint32_t node) const {
    const auto at =
        std::lower_bound(held.begin(), held.end(), node, [](const HeldNode& h, std::uint32_t n) { return h.node < n; });
    return at == held.end() || at->node != node;
  }
  /// Whether a node is attached to the body in a slot.
  bool is_attached(std::uint32_t node, std::uint32_t slot) const {
    const auto at = std::lower_bound(attached.begin(), attached.end(), node,
                                     [](const AttachedNode& a, std::uint32_t n) { return a.node < n; });
    return at != attached.end() && at->node == node && at->body == slot;
  }
};

}   // namespace stickslip
