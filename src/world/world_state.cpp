// The state of bodies of every kind: changed from outside, and summed up.
#include <fmt/format.h>

#include <algorithm>

#include "stickslip/math/error.h"
#include "stickslip/world/world.h"
#include "world/check_numbers.h"

namespace stickslip {

namespace {

bool is_rigid_and_moves(const Body& b) { return b.alive && b.motion == MotionType::dynamic && b.is_rigid(); }

/// @param f of mass, position and velocity
void for_each_node(const std::vector<NodalBody>& bodies, auto&& f) {
  for (const NodalBody& b : bodies)
    for (std::size_t i = 0; i < b.size(); ++i) f(b.masses[i], b.positions[i], b.velocities[i]);
}

/// Of what turns behind gears.
double armature_energy(const World& world, const Joint& joint) {
  const JointDescription& d = joint.description;
  if (std::all_of(d.axes.begin(), d.axes.end(), [](const JointAxis& a) { return a.armature == 0; })) return 0;
  const JointPlace place = locate(world, joint);
  double sum = 0;
  for (int k = 0; k < kJointCoordinates; ++k)
    if (const double inertia = d.axes[static_cast<std::size_t>(k)].armature; inertia > 0)
      sum += 0.5 * inertia * std::pow(rate(world, d, armature_row(d, place, k)), 2);
  return sum;
}

}   // namespace

void World::set_frame(BodyId id, const Pose& frame) {
  require_finite(frame.position, "position", "m");
  if (!(frame.orientation.norm() > 0)) throw Error("A quaternion must not be zero.").at("orientation_wxyz");
  Body& b = checked(id);
  wake(id);
  if (!b.is_rigid()) {
    for (Vec3& x : nodal_bodies_[b.place].positions) x = frame.position + frame.orientation.normalized() * (x - b.position);
    return summarise_nodes();
  }
  b.orientation = frame.orientation.normalized();
  b.position = frame.position + b.orientation * b.mass.center;
}

void World::set_velocity(BodyId id, const Vec3& velocity, const Vec3& angular_velocity) {
  require_finite(velocity, "velocity", "m/s");
  require_finite(angular_velocity, "angular_velocity", "rad/s");
  Body& b = checked(id);
  if (b.motion == MotionType::fixed) throw Error(fmt::format("'{}' is fixed and has no velocity. Make it kinematic.", b.name));
  wake(id);
  if (!b.is_rigid()) {
    NodalBody& nodes = nodal_bodies_[b.place];
    for (std::size_t i = 0; i < nodes.size(); ++i)
      nodes.velocities[i] = velocity + angular_velocity.cross(nodes.positions[i] - b.position);
    return summarise_nodes();
  }
  b.velocity = velocity;
  b.angular_velocity = angular_velocity;
}

void World::set_applied(BodyId id, const Vec3& force, const Vec3& torque) {
  require_finite(force, "force", "N");
  require_finite(torque, "torque", "N m");
  Body& b = checked(id);
  if (!b.is_rigid() && !torque.isZero(0))
    throw Error(fmt::format("'{}' is a body of nodes: nothing hands a torque on to them. Apply forces.", b.name)).at("torque");
  wake(id);
  b.force = force;
  b.torque = torque;
}

void World::apply_impulse(BodyId id, const Vec3& impulse, const Vec3& point) {
  require_finite(impulse, "impulse", "N s");
  require_finite(point, "point", "m");
  Body& b = checked(id);
  wake(id);
  if (!b.is_rigid()) {
    NodalBody& nodes = nodal_bodies_[b.place];
    const auto nearer = [&](const Vec3& x, const Vec3& y) { return (x - point).squaredNorm() < (y - point).squaredNorm(); };
    const auto nearest = std::min_element(nodes.positions.begin(), nodes.positions.end(), nearer) - nodes.positions.begin();
    nodes.velocities[nearest] += impulse / nodes.masses[nearest];
    return summarise_nodes();
  }
  b.velocity += b.inverse_mass * impulse;
  b.angular_velocity += b.world_inverse_inertia() * (point - b.position).cross(impulse);
}

double World::kinetic_energy() const {
  double sum = 0;
  for (const Body& b : bodies_)
    if (is_rigid_and_moves(b))
      sum +=
          0.5 * b.mass.mass * b.velocity.squaredNorm() + 0.5 * b.angular_velocity.dot(b.world_inertia() * b.angular_velocity);
  for_each_node(nodal_bodies_, [&](double m, const Vec3&, const Vec3& v) { sum += 0.5 * m * v.squaredNorm(); });
  for (const Joint& j : joints_)
    if (j.acts()) sum += armature_energy(*this, j);
  return sum;
}

double World::potential_energy() const {
  double sum = 0;
  for (const Body& b : bodies_)
    if (is_rigid_and_moves(b)) sum -= b.mass.mass * gravity.dot(b.position);
  for_each_node(nodal_bodies_, [&](double m, const Vec3& x, const Vec3&) { sum -= m * gravity.dot(x); });
  return sum + elastic_energy();
}

Vec3 World::linear_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (const Body& b : bodies_)
    if (is_rigid_and_moves(b)) sum += b.mass.mass * b.velocity;
  for_each_node(nodal_bodies_, [&](double m, const Vec3&, const Vec3& v) { sum += m * v; });
  return sum;
}

Vec3 World::angular_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (const Body& b : bodies_)
    if (is_rigid_and_moves(b)) sum += b.position.cross(b.mass.mass * b.velocity) + b.world_inertia() * b.angular_velocity;
  for_each_node(nodal_bodies_, [&](double m, const Vec3& x, const Vec3& v) { sum += x.cross(m * v); });
  return sum;
}

}   // namespace stickslip
