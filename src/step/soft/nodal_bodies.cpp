// Bodies of nodes in a step: every node drifts along a straight line; those that no solid holds together fall on their own.
#include <fmt/format.h>

#include "step/body_kinds.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

class NodalSteps final : public BodyKindSteps {
  void check(const World& world) const override {
    for (const NodalBody& nodes : world.nodal_bodies())
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!(nodes.positions[i].allFinite() && nodes.velocities[i].allFinite()))
          throw Error(
              fmt::format("The state of node {} of body '{}' is not finite at t = {} s. A smaller step or less extreme "
                          "masses and velocities may help.",
                          i, world.bodies()[nodes.body].name, world.time));
  }

  void append(const World& world, const StepOptions& options, double kick, VelocitySpace& space, ContactProblem& problem,
              SoftSystems* soft) const override {
    for (const NodalBody& nodes : world.nodal_bodies()) {
      const Body& body = world.bodies()[nodes.body];
      if (!body.moves_by_forces()) continue;
      if (nodes.is_soft() && soft) {
        const double ahead = options.scheme == Scheme::moreau_midpoint ? 0 : options.h / 2;
        soft->append(world, nodes, {kick, options.h, ahead}, manner_of(options.soft.operator_), space, problem);
        continue;
      }
      const Vec3 change = kick * (world.gravity + body.inverse_mass * body.force);
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        problem.segments.push_back({1 / nodes.masses[i], Mat3::Zero(), kNodeSize});
        if (nodes.is_free(i))
          space.add_node(mover_of(world, nodes, i), nodes.positions[i], nodes.velocities[i], nodes.velocities[i] + change);
        else space.add_held_node(nodes.positions[i], nodes.velocities[i]);
      }
    }
  }

  void drift(World& world, Gyroscopic, double t) const override {
    for_each_moving(world, [&](NodalBody& nodes, const Body&) {
      for (std::size_t i = 0; i < nodes.size(); ++i) nodes.positions[i] += t * nodes.velocities[i];
    });
  }

  void move(World& world, const VelocitySpace& space, std::span<const double> velocity, const Kick& kick, EnergyLedger& energy,
            MotionJudge& judge) const override {
    for_each_moving(world, [&](NodalBody& nodes, const Body& body) {
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (!nodes.is_free(i)) continue;
        Vec3& v = nodes.velocities[i];
        const Vec3 after = space.twist(velocity, space.segment_of(mover_of(world, nodes, i))).linear;
        energy.applied += 0.5 * kick.time * nodes.masses[i] * body.inverse_mass * body.force.dot(v + after);
        v = after;
        judge.see_fall(world, nodes.masses[i], v, kick.h);
      }
      if (!nodes.is_soft()) return;
      energy.driven += work_of_holders(world, nodes, kick);
      energy.damping += dissipation(nodes, kick);
    });
    drift(world, kick.gyroscopic, kick.drift_time);
    world.summarise_nodes();
  }

  void displace(World& world, const VelocitySpace& space, std::span<const double> change) const override {
    for_each_moving(world, [&](NodalBody& nodes, const Body&) {
      for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (nodes.is_free(i)) nodes.positions[i] += space.twist(change, space.segment_of(mover_of(world, nodes, i))).linear;
    });
    world.summarise_nodes();
  }

  /// The way of the fastest node counts: no node went farther.
  void watch(World& world, const StepOptions& options) const override {
    const double limit = options.sleep.speed * world.gravity.norm() * options.h;
    for (NodalBody& nodes : world.mutable_nodal_bodies()) {
      Body& body = world.mutable_bodies()[nodes.body];
      if (!body.moves_by_forces()) continue;
      double fastest = 0;
      for (const Vec3& v : nodes.velocities) fastest = std::max(fastest, v.norm());
      body.quiet.moved += options.h * Vec3(fastest, 0, 0);
      body.quiet.note(body.can_sleep && fastest < limit, body.quiet.moved.norm(), options.h, options.sleep.time);
    }
  }

  void stop(World& world, Body& body) const override {
    for (Vec3& v : world.mutable_nodal_bodies()[body.place].velocities) v.setZero();
    body.velocity.setZero();
  }

  /// What damping takes in a step [J].
  static double dissipation(const NodalBody& nodes, const Kick& kick) {
    return kick.time * nodes.solid->dissipation(nodes.positions, nodes.velocities, MassMatrix::lumped, -kick.h);
  }
  /// What bodies that hold nodes do with the forces that these need to follow them [J].
  static double work_of_holders(const World& world, const NodalBody& nodes, const Kick& kick) {
    const auto rests = [&](const HeldNode& h) { return nodes.velocities[h.node].isZero(0); };
    if (std::ranges::all_of(nodes.held, rests)) return 0;
    static thread_local std::vector<Vec3> ends, forces;
    forces.assign(nodes.size(), Vec3::Zero());
    ends.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) ends[i] = nodes.positions[i] + kick.h * nodes.velocities[i];
    add_applied_forces(world, nodes, ends, forces);
    nodes.solid->add_forces(ends, forces);
    nodes.solid->add_damping(ends, nodes.velocities, forces, MassMatrix::lumped, kick.h);
    double work = 0;
    for (const HeldNode& h : nodes.held) work -= kick.time * forces[h.node].dot(nodes.velocities[h.node]);
    return work;
  }
  static SoftSystems::Manner manner_of(SoftOperator o) {
    using enum SoftSystems::Manner;
    if (o == SoftOperator::lumped) return lumped;
    return o == SoftOperator::automatic || o == SoftOperator::factored ? reused : factored;
  }
  static std::uint32_t mover_of(const World& world, const NodalBody& nodes, std::uint32_t i) {
    return static_cast<std::uint32_t>(world.bodies().size()) + nodes.first_node + i;
  }
  static void for_each_moving(World& world, auto&& f) {
    for (NodalBody& nodes : world.mutable_nodal_bodies())
      if (const Body& body = world.bodies()[nodes.body]; body.moves_by_forces()) f(nodes, body);
  }
};

}   // namespace

const BodyKindSteps& nodal_steps() {
  static const NodalSteps steps;
  return steps;
}

}   // namespace stickslip
