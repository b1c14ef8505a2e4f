// Small worlds with closed-form answers, at any scale: lengths times `size`, times and speeds times √size, gravity as is.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "stickslip/step/stepper.h"
#include "stickslip/world/world.h"

namespace stickslip::testing {

inline constexpr double kGravity = 9.81;

struct Scale {
  double size = 1;                                   ///< [m] per unit of length
  double time() const { return std::sqrt(size); }    ///< [s] per unit of time
  double speed() const { return std::sqrt(size); }   ///< [m/s] per unit of speed
};

inline const auto kScales = ::testing::Values(Scale{1e-3}, Scale{1}, Scale{100});
inline std::string scale_name(const ::testing::TestParamInfo<Scale>& info) {
  return info.param.size < 1 ? "at_1_mm" : info.param.size > 1 ? "at_100_m" : "at_1_m";
}
class AtScale : public ::testing::TestWithParam<Scale> {};

inline MaterialId material(World& world, double friction, double restitution = 0, double density = 1000) {
  return world.materials.add({"m" + std::to_string(world.materials.size()), density, friction, restitution});
}

/// The ground: everything below the plane through the origin with this normal.
inline BodyId add_ground(World& world, MaterialId m, const Vec3& normal = Vec3::UnitZ()) {
  BodyDescription d;
  d.name = "ground";
  d.motion = MotionType::fixed;
  d.parts = {{HalfSpace{}, {}, m}};
  d.pose.orientation = rotation_between(Vec3::UnitZ(), normal);
  return world.add(d);
}

inline BodyId add_body(World& world, Shape shape, const Vec3& position, MaterialId m, const Vec3& velocity = Vec3::Zero(),
                       const Vec3& angular_velocity = Vec3::Zero(), const Quat& orientation = Quat::Identity()) {
  BodyDescription d;
  d.parts = {{std::move(shape), {}, m}};
  d.pose = {position, orientation};
  d.velocity = velocity;
  d.angular_velocity = angular_velocity;
  return world.add(d);
}

/// Steps until `seconds` have passed; calls `each` after every step.
inline void simulate(World& world, Stepper& stepper, double seconds,
                     const std::function<void(const StepReport&)>& each = nullptr) {
  const auto steps = static_cast<long>(std::lround(seconds / stepper.options().h));
  for (long i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(world);
    if (each) each(report);
  }
}

inline StepOptions options(double h, int max_iterations = 500) {
  StepOptions o;
  o.h = h;
  o.max_iterations = max_iterations;
  return o;
}

}   // namespace stickslip::testing
