// The example scenes with joints do what their descriptions say, measured against closed forms.
#include <gtest/gtest.h>

#include <numbers>

#include "places.h"
#include "scene/scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

Scene example(const std::string& name, std::vector<Override> overrides = {}) {
  return load_scene(fmt::format("{}/scenes/{}.json", places::kSourceDir, name), overrides);
}

const JointRecord& record_of(const StepReport& report, const World& world, std::string_view joint) {
  const JointRecord* record = report.joint(world.find_joint(joint));
  if (!record) throw Error(fmt::format("The joint '{}' did not act.", joint));
  return *record;
}

/// Angle of the rocker of the linkage [rad] for an angle of the crank, both from the x axis towards z: where the circles about
/// the crank pin and the rocker pivot intersect above their line of centres.
double rocker_angle(double crank_angle) {
  const double ground = 0.3, crank = 0.1, coupler = 0.35, rocker = 0.25;
  const Vec2 pin = crank * Vec2(std::cos(crank_angle), std::sin(crank_angle)), pivot(ground, 0);
  const Vec2 between = pivot - pin;
  const double d = between.norm(), along = (d * d + coupler * coupler - rocker * rocker) / (2 * d);
  const Vec2 unit = between / d, across(-unit.y(), unit.x());
  const Vec2 end = pin + along * unit + std::sqrt(coupler * coupler - along * along) * across - pivot;
  return std::atan2(end.y(), end.x());
}

TEST(JointExamples, the_rocker_of_the_linkage_follows_the_crank_as_geometry_says) {
  Scene scene = example("linkage");
  Stepper stepper(scene.step);
  const JointId crank = scene.world.find_joint("crank-pivot"), rocker = scene.world.find_joint("rocker-pivot");
  const double start = std::numbers::pi / 2;
  double least = 10, most = -10;
  while (scene.world.time < scene.seconds - scene.step.h / 2) {
    const StepReport& report = stepper.step(scene.world);
    // Positive angles about y turn z towards x.
    const double crank_angle = start - scene.world.joint_position(crank, joint_turn_z);
    const double angle = rocker_angle(start) - scene.world.joint_position(rocker, joint_turn_z);
    ASSERT_NEAR(angle, rocker_angle(crank_angle), 2e-4) << "t = " << scene.world.time;
    EXPECT_TRUE(report.conflicts.empty());
    least = std::min(least, angle);
    most = std::max(most, angle);
  }
  EXPECT_NEAR(scene.world.joint_position(crank, joint_turn_z), 2 * std::numbers::pi * scene.seconds, 0.2);
  EXPECT_GT(most - least, 0.5);
}

TEST(JointExamples, the_lamp_stays_in_place_and_falls_without_its_springs) {
  Scene scene = example("lamp");
  const Scene start = example("lamp");
  Stepper stepper(scene.step);
  while (scene.world.time < scene.seconds) stepper.step(scene.world);
  for (std::size_t i = 0; i < scene.world.bodies().size(); ++i)
    EXPECT_LT((scene.world.bodies()[i].position - start.world.bodies()[i].position).norm(), 1e-4)
        << scene.world.bodies()[i].name;

  Scene weak = example("lamp", {{"/joints/4/spring/stiffness", "1"}, {"/joints/5/spring/stiffness", "1"}});
  Stepper other(weak.step);
  while (weak.world.time < 1) other.step(weak.world);
  EXPECT_LT(named(weak, "shade").position.z(), named(start, "shade").position.z() - 0.1);
}

TEST(JointExamples, the_motor_of_the_gears_does_the_work_of_lifting_and_then_stalls) {
  Scene scene = example("gears");
  Stepper stepper(scene.step);
  const StepReport* report = nullptr;
  while (scene.world.time < 2) report = &stepper.step(scene.world);
  // Power in is power out: torque · 1 rad/s = weight of 2 kg · 0.1 m/s.
  EXPECT_NEAR(named(scene, "rack").velocity.z(), 0.1, 1e-6);
  EXPECT_NEAR(record_of(*report, scene.world, "small axle").motor_force[joint_turn_z], 2 * 9.81 * 0.1, 1e-4);
  EXPECT_NEAR(scene.world.joint_position(scene.world.find_joint("small axle"), joint_turn_z),
              -2 * scene.world.joint_position(scene.world.find_joint("large axle"), joint_turn_z), 1e-6);
  // The teeth push the rack up with its weight; that is the force of the second gear on its second coordinate.
  EXPECT_NEAR(record_of(*report, scene.world, "large to rack").coupling_force, 2 * 9.81, 1e-3);

  while (scene.world.time < scene.seconds) report = &stepper.step(scene.world);
  EXPECT_NEAR(scene.world.joint_position(scene.world.find_joint("guide"), joint_z), 0.3, 1e-4);
  EXPECT_NEAR(named(scene, "rack").velocity.z(), 0, 1e-6);
  EXPECT_NEAR(record_of(*report, scene.world, "small axle").motor_force[joint_turn_z], 5, 1e-9);
  // 5 N m at 1 rad/s for 0.1 m/s would lift 50 N; the stop takes what the rack does not weigh.
  EXPECT_NEAR(record_of(*report, scene.world, "guide").free_force[joint_z], 2 * 9.81 - 50, 1e-3);
}

TEST(JointExamples, the_rope_of_the_drawbridge_breaks_where_the_load_makes_it_carry_its_limit) {
  Scene scene = example("drawbridge");
  Stepper stepper(scene.step);
  const JointId rope = scene.world.find_joint("rope");
  double where = 0;
  while (scene.world.time < scene.seconds && !scene.world.joint(rope).broken) {
    where = named(scene, "load").position.x();
    stepper.step(scene.world);
  }
  ASSERT_TRUE(scene.world.joint(rope).broken);
  // Torque about the hinge: 1 m · 50 N = 0.5 m · weight of the bridge + x · weight of the load.
  EXPECT_NEAR(where, (50 - 0.5 * 2 * 9.81) / (8 * 9.81), 2 * 0.4 * scene.step.h);
  while (scene.world.time < scene.seconds) stepper.step(scene.world);
  EXPECT_LT(named(scene, "bridge").position.z(), -0.1);
}

}   // namespace
}   // namespace stickslip
