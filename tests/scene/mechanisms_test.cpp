// The built-in mechanisms do what they say.
#include <gtest/gtest.h>

#include <numbers>

#include "scene/scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip::mechanisms_test {
namespace {

constexpr double kGravity = 9.81;

/// Steps a built-in scene and calls `each` with the world and the report of every step.
Scene simulated(const std::string& name, double seconds, const std::vector<Override>& overrides,
                const std::function<void(const World&, const StepReport&)>& each = nullptr) {
  Scene scene = load_scene(name, overrides);
  Stepper stepper(scene.step);
  while (scene.world.time < seconds - 0.5 * scene.step.h) {
    const StepReport& report = stepper.step(scene.world);
    if (each) each(scene.world, report);
  }
  return scene;
}

double weight_of(const World& world, std::string_view prefix) {
  double mass = 0;
  for (const Body& b : world.bodies())
    if (b.motion == MotionType::dynamic && b.name.starts_with(prefix)) mass += b.mass.mass;
  return mass * kGravity;
}

TEST(HeavyChain, its_joints_carry_the_weight_below_them) {
  simulated("heavy-chain", 0.5, {{"/parameters/lean_degrees", "0"}}, [](const World& world, const StepReport& report) {
    if (report.time < 0.4) return;
    EXPECT_NEAR(report.joint(world.find_joint("eye"))->force.z() / (-10'000 * kGravity), -1, 1e-6);
    for (int i = 0; i < 20; ++i) {
      const Vec3 force = report.joint(world.find_joint(fmt::format("joint-{}", i)))->force;
      EXPECT_NEAR(force.z() / ((10'000 + 20 - i) * kGravity), 1, 1e-6) << i;
      EXPECT_LT(force.head<2>().norm(), 1e-3) << i;
    }
  });
}

TEST(HeavyChain, it_swings_straight_and_whole_and_does_not_gain_energy) {
  const Scene start = load_scene("heavy-chain");
  const double energy = start.world.kinetic_energy() + start.world.potential_energy();
  const double swing = 10'000 * kGravity * 4.674 * (1 - std::cos(5 * std::numbers::pi / 180));
  const Vec3 top = start.world.body(start.world.find("beam")).position - 0.1 * Vec3::UnitZ();
  double most = 0, error = 0, bend = 0, left = 0, right = 0;
  simulated("heavy-chain", 20, {}, [&](const World& world, const StepReport& report) {
    most = std::max(most, report.energy.kinetic_end + report.energy.potential_end - energy);
    error = std::max(error, report.joint_error_max);
    const Body& last = world.body(world.find("link-19"));
    const Vec3 line = (last.position - top).normalized();
    for (int i = 0; i < 19; ++i)
      bend = std::max(bend, line.cross(world.body(world.find(fmt::format("link-{}", i))).position - top).norm());
    left = std::min(left, world.body(world.find("weight")).position.x());
    right = std::max(right, world.body(world.find("weight")).position.x());
  });
  EXPECT_LT(most / swing, 0.01);
  EXPECT_LT(error, 1e-5);
  EXPECT_LT(bend, 1e-3);
  EXPECT_LT(left, -0.38);   // it does swing: as far as it began, 0.407 m
  EXPECT_LT(right, 0.408);
}

TEST(RopeBridge, it_carries_what_falls_onto_it) {
  const std::vector<Override> overrides = {{"/parameters/planks", "10"}, {"/parameters/loads", "3"}};
  double carried = 0, time = 0, error = 0, deepest = 0;
  Vec3 start = Vec3::Zero();
  const Scene scene = simulated("rope-bridge", 3, overrides, [&](const World& world, const StepReport& report) {
    error = std::max(error, report.joint_error_max);
    deepest = std::max(deepest, report.penetration_max);
    if (report.time <= 1) {
      start = report.linear_momentum;
      return;
    }
    // Newton's second law for everything that moves, from 1 s to the end.
    time += report.h;
    const Vec3 force = report.joint(world.find_joint("hinge-0"))->force - report.joint(world.find_joint("hinge-10"))->force -
                       report.force_on(world.find("left-bank")) - report.force_on(world.find("right-bank"));
    carried += report.h * force.z();
    EXPECT_EQ(report.force_on(world.find("ground")), Vec3(Vec3::Zero()));
  });
  const double weight = weight_of(scene.world, "");
  EXPECT_NEAR((carried - (scene.world.linear_momentum() - start).z()) / (weight * time), 1, 1e-6);
  EXPECT_LT(error, 1e-3);
  EXPECT_LT(deepest, 2e-3);
  for (int i = 0; i < 3; ++i) {
    const Body& load = named(scene, fmt::format("load-{}", i));
    EXPECT_GT(load.position.z(), 1) << i;   // the lowest plank hangs at 1 m
    EXPECT_LT(load.velocity.norm(), 1) << i;
  }
}

TEST(FourBar, the_crank_turns_round_and_the_rocker_swings_between_the_angles_of_the_stretched_and_folded_linkage) {
  const double a = 0.2, b = 0.5, c = 0.45, d = 0.55;
  double least = 10, most = -10, turned = 0, error = 0;
  simulated("four-bar", 2.5, {}, [&](const World& world, const StepReport& report) {
    const Body& rocker = world.body(world.find("rocker"));
    const Vec3 up = rocker.orientation * -Vec3::UnitX();   // from the pivot to the elbow
    const double angle = std::atan2(up.z(), -up.x());      // from the direction to the crank's axis
    least = std::min(least, angle);
    most = std::max(most, angle);
    turned = report.joint(world.find_joint("motor"))->position[joint_turn_z];
    error = std::max(error, report.joint_error_max);
  });
  const auto angle = [&](double reach) { return std::acos((d * d + c * c - reach * reach) / (2 * d * c)); };
  EXPECT_NEAR(turned, 6 * 2.5, 0.1);   // more than two turns
  EXPECT_NEAR(least, angle(b - a), 1e-4);
  EXPECT_NEAR(most, angle(b + a), 1e-4);
  EXPECT_LT(error, 1e-4);
}

TEST(SliderCrank, the_slider_goes_two_cranks_far_and_spends_more_time_in_the_near_half) {
  const double r = 0.15, l = 0.45;
  double least = 10, most = -10, near_time = 0, time = 0;
  const double turn = 2 * std::numbers::pi / 6;   // [s]
  simulated("slider-crank", 0.2 + 3 * turn, {}, [&](const World& world, const StepReport& report) {
    const double x = world.body(world.find("slider")).position.x();
    least = std::min(least, x);
    most = std::max(most, x);
    if (report.time < 0.2) return;
    EXPECT_NEAR(report.joint(world.find_joint("motor"))->velocity[joint_turn_z], 6, 1e-3);
    time += report.h;
    if (x < l) near_time += report.h;
  });
  EXPECT_NEAR(least, l - r, 1e-4);
  EXPECT_NEAR(most, l + r, 1e-4);
  // The slider is halfway where cos θ = r / 2l.
  EXPECT_NEAR(near_time / time, 1 - std::acos(r / (2 * l)) / std::numbers::pi, 0.003);
}

TEST(Car, it_crosses_the_stones_with_its_wheels_on_and_its_body_level) {
  double error = 0, tilt = 0, deepest = 0, lifted = 0;
  const Scene scene = simulated("car", 3.4, {{"/parameters/stone", "0.15"}}, [&](const World& world, const StepReport& report) {
    const Body& chassis = world.body(world.find("chassis"));
    tilt = std::max(tilt, std::acos((chassis.orientation * Vec3::UnitZ()).z()));
    error = std::max(error, report.joint_error_max);
    deepest = std::max(deepest, report.penetration_max);
    lifted = std::max(lifted, world.body(world.find("front-left-wheel")).position.z() - 0.25);
  });
  EXPECT_GT(named(scene, "chassis").position.x() - 0.8, 1.3 + 2);   // its rear is past the last stone
  EXPECT_LT(std::abs(named(scene, "chassis").position.y()), 0.5);
  EXPECT_GT(lifted, 0.05);   // it did go over stones
  EXPECT_LT(tilt, 20 * std::numbers::pi / 180);
  EXPECT_LT(error, 1e-3);
  EXPECT_LT(deepest, 0.01);
  for (const char* wheel : {"front-left", "front-right", "rear-left", "rear-right"})
    EXPECT_NEAR(scene.world.joint_position(scene.world.find_joint(wheel), joint_x), 0, 0.121) << wheel;
}

}   // namespace
}   // namespace stickslip::mechanisms_test
