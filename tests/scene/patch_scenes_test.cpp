// Scenes of contact over areas, and scenes that ask for it.
#include <gtest/gtest.h>

#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::testing {
namespace {

TEST(PatchMotion, forces_of_a_stack_are_its_weights_and_nothing_creeps) {
  Scene scene = load_scene("nested-stack");
  Stepper stepper(scene.step);
  std::vector<Vec3> start;
  for (const Body& b : scene.world.bodies()) start.push_back(b.position);
  double force = 0, weight = 0;
  for (const Body& b : scene.world.bodies()) weight += b.mass.mass * 9.81 * (b.motion == MotionType::dynamic);
  for (int i = 0; i < 200; ++i) {
    const StepReport& r = stepper.step(scene.world);
    EXPECT_EQ(r.contacts.size(), 10u);
    force = 0;
    for (const ContactRecord& c : r.contacts)
      if (c.position.z() < 0.01) force += c.impulse.z() / scene.step.h;
  }
  EXPECT_NEAR(force, weight, 1e-5 * weight);
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_LT((scene.world.bodies()[i].position - start[i]).norm(), 1e-6) << i;   // 0.5 µm/s
}

TEST(PatchMotion, a_body_that_says_points_has_points) {
  Scene scene =
      load_scene("nested-stack", std::vector<Override>{{"/parameters/count", "2"}, {"/bodies/1/contact", "\"points\""}});
  Stepper stepper(scene.step);
  EXPECT_EQ(stepper.step(scene.world).contacts.size(), 8u);
}

TEST(PatchMotion, boxes_fall_tumble_and_come_to_rest_on_patches) {
  Scene scene = load_scene("boxes", std::vector<Override>{{"/parameters/count", "27"}, {"/step/contact", "\"patch\""}});
  Stepper stepper(scene.step);
  double deepest = 0, energy = 0;
  for (int i = 0; i < 300; ++i) {
    const StepReport& r = stepper.step(scene.world);
    deepest = std::max(deepest, r.penetration_max);
    energy = r.energy.kinetic_end;
  }
  EXPECT_LT(deepest, 2e-3);
  EXPECT_LT(energy, 1e-3);
}

TEST(PatchScenes, a_solver_that_cannot_take_patches_is_refused_before_anything_falls) {
  for (const auto& overrides :
       {std::vector<Override>{{"/step/solver", "\"pgs\""}},
        std::vector<Override>{
            {"/step/solver", "\"pgs\""}, {"/step/contact", "\"points\""}, {"/bodies/1/contact", "\"patch\""}}}) {
    try {
      load_scene("nested-stack", overrides);
      FAIL() << "loaded";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("/step/solver"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("cannot take contact as patches"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("nsgs"), std::string::npos) << e.what();
    }
  }
}

TEST(PatchScenes, discs_slow_down_in_inverse_proportion_to_their_radius) {
  Scene scene = load_scene("spinning-discs");
  Stepper stepper(scene.step);
  std::vector<double> before, slowing;
  for (const Body& b : scene.world.bodies()) before.push_back(b.angular_velocity.z());
  for (int i = 0; i < 10; ++i) stepper.step(scene.world);
  for (std::size_t i = 1; i < before.size(); ++i)
    slowing.push_back((before[i] - scene.world.bodies()[i].angular_velocity.z()) * static_cast<double>(i));
  ASSERT_EQ(slowing.size(), 3u);
  EXPECT_GT(slowing[0], 1);
  for (const double s : slowing) EXPECT_NEAR(s, slowing[0], 1e-6 * slowing[0]);
}

TEST(PatchScenes, plates_that_spin_slide_farther) {
  Scene scene = load_scene("octagon-slide");
  Stepper stepper(scene.step);
  for (int i = 0; i < 300; ++i) stepper.step(scene.world);
  double last = 4 / (2 * 0.3 * 9.81);   // the first slides as a point would, up to a step
  EXPECT_NEAR(scene.world.bodies()[1].position.x(), last, 2 * 0.01);
  for (std::size_t i = 2; i < scene.world.bodies().size(); ++i) {
    EXPECT_GT(scene.world.bodies()[i].position.x(), last + 0.05) << i;
    last = scene.world.bodies()[i].position.x();
  }
}

}   // namespace
}   // namespace stickslip::testing
