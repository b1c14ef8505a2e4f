// What the hands of the built-in scenes take, they hold, as statics says.
#include <gtest/gtest.h>

#include <numbers>

#include "scene/scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

/// The ruler seen from the finger that stays.
Pose in_hand(const World& world) {
  return world.body(world.find("left-tip")).frame().inverse() * world.body(world.find("ruler")).frame();
}

struct Grasp {
  double slip = 0;     ///< along the faces of the tips since the fingers closed [m]
  double turn = 0;     ///< about the direction of the pinch since then [rad]
  double height = 0;   ///< of the middle of the ruler at the end [m]
  double force = 0;    ///< that the right tip presses with at the end [N]
};

/// Pinches and lifts for some seconds.
Grasp pinch(double seconds, double mu, double offset = 0) {
  Scene scene = load_scene("pinch-grasp", std::vector<Override>{{"/parameters/mu", fmt::format("{}", mu)},
                                                                {"/parameters/offset", fmt::format("{}", offset)}});
  Stepper stepper(scene.step);
  const BodyId tip = scene.world.find("right-tip"), ruler = scene.world.find("ruler");
  Pose closed;
  Grasp grasp;
  while (scene.world.time < seconds - 0.5 * scene.step.h) {
    const StepReport& report = stepper.step(scene.world);
    if (scene.world.time < 1) {
      closed = in_hand(scene.world);
      continue;
    }
    const Pose now = in_hand(scene.world);
    const Vec3 moved = now.position - closed.position,
               axis = (closed.orientation.conjugate() * now.orientation) * Vec3::UnitX();
    grasp.slip = std::max(grasp.slip, std::hypot(moved.x(), moved.z()));
    grasp.turn = std::max(grasp.turn, std::abs(std::atan2(axis.z(), axis.x())));
    grasp.force = std::abs(report.wrench(ruler, tip, Vec3::Zero()).force.y());
  }
  grasp.height = scene.world.body(ruler).position.z();
  return grasp;
}

/// The coefficient with which two tips, each pressing with F/3 at the corners of a triangle, just hold a weight P at the
/// distance e from their middle. By the theorem of limit analysis it is the largest, over all centres c that the ruler could
/// turn about, of the power of the weight over that of friction with μ = 1: P (e − cₓ) / Σ N |p − c|. Far centres are
/// translations.
double needed_friction(double radius, double press, double weight, double e) {
  const auto needed = [&](double x, double z) {
    double friction = 0;
    for (const double degrees : {90, 210, 330}) {
      const double angle = degrees * std::numbers::pi / 180;
      friction += 2 * press / 3 * std::hypot(radius * std::cos(angle) - x, radius * std::sin(angle) - z);
    }
    return weight * (e - x) / friction;
  };
  // The function has one hill. A grid in s = 1 / (1 − x / radius) reaches all x below e ≈ 0, and is refined about its best
  // point.
  double best = weight / (2 * press), s = 0.5, z = 0, step_s = 0.5, step_z = 3 * radius;
  for (int round = 0; round < 40; ++round) {
    const double from_s = s, from_z = z;
    for (int i = -10; i <= 10; ++i)
      for (int k = -10; k <= 10; ++k) {
        const double at_s = std::clamp(from_s + step_s * i / 10, 1e-6, 1.5), at_z = from_z + step_z * k / 10;
        if (const double value = needed(radius * (1 - 1 / at_s), at_z); value > best) {
          best = value;
          s = at_s;
          z = at_z;
        }
      }
    step_s *= 0.7;
    step_z *= 0.7;
  }
  return best;
}

TEST(PinchGrasp, it_holds_the_ruler_for_a_minute_without_slipping) {
  const Grasp grasp = pinch(60, 0.5);
  EXPECT_LT(grasp.slip, 1e-4);
  EXPECT_LT(grasp.turn, 1e-3);
  EXPECT_NEAR(grasp.height, 0.115, 1e-3);
  EXPECT_NEAR(grasp.force / (2 * 0.05 * 9.81), 1, 1e-4);   // pinch = 2: twice the weight
}

TEST(PinchGrasp, it_holds_just_above_the_friction_of_statics_and_drops_the_ruler_just_below) {
  const double statics = 1 / (2 * 2.0);   // m g = 2 μ F with F = 2 m g
  const Grasp above = pinch(8, 1.05 * statics), below = pinch(8, 0.95 * statics);
  EXPECT_LT(above.slip, 1e-4);
  EXPECT_NEAR(above.height, 0.115, 1e-3);
  EXPECT_LT(below.height, 0.0151);   // on the ground, on its edge or flat: it lands on an edge of 3 mm
}

TEST(PinchGrasp, off_its_middle_the_ruler_needs_the_friction_that_also_carries_its_moment) {
  const double mass = 0.05, weight = mass * 9.81, radius = 0.012;
  EXPECT_NEAR(needed_friction(radius, 2 * weight, weight, 0), 0.25, 1e-6);
  for (const double offset : {0.01, 0.03}) {
    const double statics = needed_friction(radius, 2 * weight, weight, offset);
    EXPECT_GT(statics, 0.26);
    const Grasp above = pinch(6, 1.05 * statics, offset), below = pinch(6, 0.95 * statics, offset);
    EXPECT_LT(above.slip, 5e-4) << offset;
    EXPECT_LT(above.turn, 5e-3) << offset;   // while it leaves the ground
    EXPECT_GT(below.turn, 0.3) << offset;
  }
}

TEST(RobotHand, what_it_takes_rises_with_the_palm) {
  for (const char* object : {"0", "1", "2"}) {
    Scene scene = load_scene("robot-hand", std::vector<Override>{{"/parameters/object", object}});
    Stepper stepper(scene.step);
    double error = 0, deepest = 0, before = 0, palm_before = 0;
    bool on_pedestal = false;
    while (scene.world.time < 6 - 0.5 * scene.step.h) {
      const StepReport& report = stepper.step(scene.world);
      error = std::max(error, report.joint_error_max);
      deepest = std::max(deepest, report.penetration_max);
      if (scene.world.time < 1.8) {   // until the palm starts
        before = named(scene, "object").position.z();
        palm_before = named(scene, "palm").position.z();
      } else if (scene.world.time > 2.5) {
        on_pedestal = on_pedestal || !report.force_on(scene.world.find("pedestal")).isZero(0);
      }
    }
    const double palm_way = named(scene, "palm").position.z() - palm_before;
    EXPECT_NEAR(palm_way, 0.15, 1e-3) << object;
    EXPECT_NEAR(named(scene, "object").position.z() - before, palm_way, 2e-3) << object;
    EXPECT_LT(named(scene, "object").velocity.norm(), 1e-3) << object;
    EXPECT_FALSE(on_pedestal) << object;
    EXPECT_LT(error, 1e-4) << object;
    EXPECT_LT(deepest, 1e-4) << object;
  }
}

TEST(RobotHand, without_grip_the_object_stays) {
  Scene scene = load_scene("robot-hand", std::vector<Override>{{"/parameters/grip", "0.001"}});
  Stepper stepper(scene.step);
  while (scene.world.time < 4) stepper.step(scene.world);
  EXPECT_NEAR(named(scene, "object").position.z(), 0.162, 1e-4);
  EXPECT_GT(named(scene, "palm").position.z(), 0.35);
}

}   // namespace
}   // namespace stickslip
