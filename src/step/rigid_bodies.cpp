// Rigid bodies in a step.
#include <fmt/format.h>

#include "step/body_kinds.h"
#include "step/free_motion.h"
#include "step/sizes.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

class RigidSteps final : public BodyKindSteps {
  void check(const World& world) const override {
    for (const Body& b : world.bodies())
      if (b.alive && !(b.position.allFinite() && b.orientation.coeffs().allFinite() && b.velocity.allFinite() &&
                       b.angular_velocity.allFinite()))
        throw Error(
            fmt::format("The state of body '{}' is not finite at t = {} s. A smaller step or less extreme masses and "
                        "velocities may help.",
                        b.name, world.time));
  }

  void append(const World& world, const StepOptions& options, double kick, VelocitySpace& space, ContactProblem& problem,
              SoftSystems*) const override {
    const auto bodies = world.bodies();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      const Body& b = bodies[i];
      if (!moves(b)) continue;
      problem.segments.push_back({b.inverse_mass, b.world_inverse_inertia()});
      space.add_rigid(i, b.position, {b.velocity, b.angular_velocity},
                      free_velocity(b, world.gravity, options.gyroscopic, options.h, kick));
    }
  }

  void drift(World& world, Gyroscopic gyroscopic, double t) const override {
    for (Body& b : world.mutable_bodies())
      if (moves(b)) stickslip::drift(b, gyroscopic, t);
  }

  void move(World& world, const VelocitySpace& space, std::span<const double> velocity, const Kick& kick, EnergyLedger& energy,
            MotionJudge& judge) const override {
    auto& bodies = world.mutable_bodies();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      Body& b = bodies[i];
      if (!moves(b)) continue;
      const Twist after = space.twist(velocity, space.segment_of(i));
      energy.applied +=
          0.5 * kick.time * (b.force.dot(b.velocity + after.linear) + b.torque.dot(b.angular_velocity + after.angular));
      b.velocity = after.linear;
      b.angular_velocity = after.angular;
      judge.see_fall(world, b.mass.mass, b.velocity, kick.h);
      judge.see_spin(world, i, b.angular_velocity.norm(), kick.h);
      stickslip::drift(b, kick.gyroscopic, kick.drift_time);
    }
  }

  void displace(World& world, const VelocitySpace& space, std::span<const double> change) const override {
    auto& bodies = world.mutable_bodies();
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      if (!moves(bodies[i])) continue;
      const Twist by = space.twist(change, space.segment_of(i));
      bodies[i].position += by.linear;
      if (!by.angular.isZero(0))
        bodies[i].orientation = (rotation_from_vector(by.angular) * bodies[i].orientation).normalized();
    }
  }

  void watch(World& world, const StepOptions& options) const override {
    const double limit = options.sleep.speed * world.gravity.norm() * options.h;
    for (Body& b : world.mutable_bodies()) {
      if (!moves(b)) continue;
      const double reach = reach_of(world, b);
      b.quiet.moved += options.h * b.velocity;
      b.quiet.turned += options.h * b.angular_velocity;
      b.quiet.note(b.can_sleep && b.velocity.norm() + reach * b.angular_velocity.norm() < limit,
                   b.quiet.moved.norm() + reach * b.quiet.turned.norm(), options.h, options.sleep.time);
    }
  }

  void stop(World&, Body& body) const override {
    body.velocity.setZero();
    body.angular_velocity.setZero();
  }

  static bool moves(const Body& b) { return b.alive && b.is_rigid() && b.moves_by_forces(); }
};

}   // namespace

const BodyKindSteps& rigid_steps() {
  static const RigidSteps steps;
  return steps;
}

}   // namespace stickslip
