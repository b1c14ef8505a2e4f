#include "serve/drag.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "record/description.h"
#include "stickslip/math/error.h"

namespace stickslip::serve {

namespace {

/// Diameter of the ball around the centre of mass that holds the body [m].
double size_of(const World& world, const Body& body) {
  double reach = 0;
  for (const std::uint32_t c : body.colliders) reach = std::max(reach, world.colliders()[c].reach);
  return 2 * reach;
}

/// ω of the spring [1/s].
double frequency(const World& world, double size, double h) {
  const double gravity = world.gravity.norm();
  return gravity > 0 ? std::min(std::sqrt(20 * gravity / size), 0.25 / h) : 0.1 / h;
}

/// From a point to where it is pulled, over four sizes at most [m].
Vec3 pull_to(const Vec3& target, const Vec3& point, double size) {
  const Vec3 pull = target - point;
  const double length = pull.norm(), most = 4 * size;
  return length > most ? Vec3(pull * (most / length)) : pull;
}

std::uint32_t nearest_node(const NodalBody& nodes, const Vec3& point) {
  const auto nearer = [&](const Vec3& x, const Vec3& y) { return (x - point).squaredNorm() < (y - point).squaredNorm(); };
  const auto nearest = std::min_element(nodes.positions.begin(), nodes.positions.end(), nearer);
  return static_cast<std::uint32_t>(nearest - nodes.positions.begin());
}

void check(const World& world, const Drag& drag) {
  const Body& body = world.body(drag.body);
  if (body.motion != MotionType::dynamic)
    throw Error(fmt::format("'{}' is {} and cannot be dragged. Only dynamic bodies can.", body.name, motion_name(body.motion)));
  if (!body.is_rigid()) {
    const std::size_t count = world.nodal_body(drag.body).size();
    if (drag.node != kNoNode && drag.node >= count)
      throw Error(fmt::format("There is no node {}; '{}' has {}, counted from 0.", drag.node, body.name, count));
    return;
  }
  if (drag.node != kNoNode)
    throw Error(fmt::format("'{}' is a rigid body and has no nodes. Give the point as local.", body.name));
  if (drag.local.norm() > size_of(world, body))
    throw Error(
        fmt::format("The point to drag '{}' by is {:.3g} m from its centre of mass, far outside. Give one on the body, in "
                    "its own axes.",
                    body.name, drag.local.norm()));
}

}   // namespace

Wrench drag_wrench(const World& world, const Drag& drag, double h) {
  const Body& body = world.body(drag.body);
  const double size = size_of(world, body), omega = frequency(world, size, h);
  const Vec3 arm = body.orientation * drag.local;
  const Vec3 pull = pull_to(drag.target, body.position + arm, size);
  const Mat3 inverse_mass = body.inverse_mass * Mat3::Identity() - skew(arm) * body.world_inverse_inertia() * skew(arm);
  Wrench wrench;
  wrench.force = inverse_mass.inverse() * (omega * omega * pull - 2 * omega * body.velocity_at(body.position + arm));
  wrench.torque = arm.cross(wrench.force) - 0.5 * omega * (body.world_inertia() * body.angular_velocity);
  return wrench;
}

Vec3 node_impulse(const World& world, const Drag& drag, double h) {
  const NodalBody& nodes = world.nodal_body(drag.body);
  const double size = 2 * nodes.radius, omega = frequency(world, size, h);
  const Vec3 pull = pull_to(drag.target, nodes.positions[drag.node], size);
  return h * nodes.masses[drag.node] * (omega * omega * pull - 2 * omega * nodes.velocities[drag.node]);
}

void Drags::set(World& world, ViewerId viewer, const Drag& drag) {
  check(world, drag);
  const Body& body = world.body(drag.body);
  const auto old = drags_.find(viewer);
  const bool goes_on = old != drags_.end() && old->second.body == drag.body;
  std::uint32_t node = drag.node;
  if (!body.is_rigid() && node == kNoNode)
    node = goes_on ? old->second.node : nearest_node(world.nodal_body(drag.body), body.position + drag.local);
  if (old != drags_.end() && !goes_on) release(world, viewer);
  if (body.is_rigid()) own_.try_emplace(drag.body, Applied{body.force, body.torque});
  drags_[viewer] = {drag.body, drag.local, drag.target, node};
}

void Drags::release(World& world, ViewerId viewer) {
  const auto released = drags_.find(viewer);
  if (released == drags_.end()) return;
  const BodyId id = released->second.body;
  drags_.erase(released);
  const auto own = own_.find(id);
  const auto holds_it = [&](const auto& other) { return other.second.body == id; };
  if (own == own_.end() || std::any_of(drags_.begin(), drags_.end(), holds_it)) return;
  const Applied applied = own->second;
  own_.erase(own);
  if (world.contains(id)) world.set_applied(id, applied.force, applied.torque);
}

void Drags::clear() {
  drags_.clear();
  own_.clear();
}

void Drags::apply(World& world, double h) const {
  for (const auto& [id, own] : own_) {
    if (!world.contains(id)) continue;
    Wrench sum{own.force, own.torque};
    for (const auto& [viewer, drag] : drags_) {
      if (drag.body != id) continue;
      const Wrench wrench = drag_wrench(world, drag, h);
      sum.force += wrench.force;
      sum.torque += wrench.torque;
    }
    if (sum.force.allFinite() && sum.torque.allFinite()) world.set_applied(id, sum.force, sum.torque);
  }
  for (const auto& [viewer, drag] : drags_) {
    if (drag.node == kNoNode || !world.contains(drag.body)) continue;
    const Vec3 impulse = node_impulse(world, drag, h), point = world.nodal_body(drag.body).positions[drag.node];
    if (impulse.allFinite()) world.apply_impulse(drag.body, impulse, point);
  }
}

}   // namespace stickslip::serve
