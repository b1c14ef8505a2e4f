#include "serve/drag.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip::serve {

namespace {

/// Diameter of the ball around the centre of mass that holds the body [m].
double size_of(const World& world, const Body& body) {
  double reach = 0;
  for (const std::uint32_t c : body.colliders) reach = std::max(reach, world.colliders()[c].reach);
  return 2 * reach;
}

}  // namespace

Wrench drag_wrench(const World& world, const Drag& drag, double h) {
  const Body& body = world.body(drag.body);
  const double size = size_of(world, body), gravity = world.gravity.norm();
  const double omega = gravity > 0 ? std::min(std::sqrt(20 * gravity / size), 0.25 / h) : 0.1 / h;
  const Vec3 arm = body.orientation * drag.local;
  Vec3 pull = drag.target - (body.position + arm);
  if (const double length = pull.norm(), most = 4 * size; length > most) pull *= most / length;
  const Mat3 inverse_mass = body.inverse_mass * Mat3::Identity() - skew(arm) * body.world_inverse_inertia() * skew(arm);
  Wrench wrench;
  wrench.force = inverse_mass.inverse() * (omega * omega * pull - 2 * omega * body.velocity_at(body.position + arm));
  wrench.torque = arm.cross(wrench.force) - 0.5 * omega * (body.world_inertia() * body.angular_velocity);
  return wrench;
}

void Drags::set(World& world, ViewerId viewer, const Drag& drag) {
  const Body& body = world.body(drag.body);
  if (body.motion != MotionType::dynamic)
    throw Error(fmt::format("'{}' is {} and cannot be dragged. Only dynamic bodies can.", body.name, body.motion == MotionType::fixed ? "fixed" : "kinematic"));
  if (drag.local.norm() > size_of(world, body))
    throw Error(fmt::format("The point to drag '{}' by is {:.3g} m from its centre of mass, far outside. Give one on the body, in its own axes.", body.name,
                            drag.local.norm()));
  if (const auto old = drags_.find(viewer); old != drags_.end() && old->second.body != drag.body) release(world, viewer);
  own_.try_emplace(drag.body, Applied{body.force, body.torque});
  drags_[viewer] = drag;
}

void Drags::release(World& world, ViewerId viewer) {
  const auto released = drags_.find(viewer);
  if (released == drags_.end()) return;
  const BodyId id = released->second.body;
  drags_.erase(released);
  const auto holds_it = [&](const auto& other) { return other.second.body == id; };
  if (std::any_of(drags_.begin(), drags_.end(), holds_it)) return;
  const Applied own = own_.at(id);
  own_.erase(id);
  if (world.contains(id)) world.set_applied(id, own.force, own.torque);
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
}

}  // namespace stickslip::serve
