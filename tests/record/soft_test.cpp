// Soft bodies in checkpoints, trajectories and replays.
#include <gtest/gtest.h>

#include "record_scenes.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/soft/elastic_solid.h"

namespace stickslip::test {
namespace {

Scene soft_scene() {
  return parse_scene(R"({"seconds": 0.2, "bodies": [
    {"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
    {"name": "hook", "motion": "kinematic", "shape": {"type": "sphere", "radius": 0.01}, "position": [0, 0, 0.6],
     "velocity": [0.1, 0, 0]},
    {"name": "weight", "shape": {"type": "sphere", "radius": 0.02}, "position": [0, 0, 0.33]},
    {"name": "pad", "position": [0, 0, 0.11], "velocity": [0.5, 0, 0],
     "soft": {"shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]}, "size": 0.1, "pressure": 10, "self_contact": true,
              "material": {"model": "corotated", "young": 5e4, "poisson": 0.3, "viscosity": 20}}},
    {"name": "bell", "position": [0, 0, 0.45],
     "soft": {"shape": {"type": "sphere", "radius": 0.1}, "size": 0.08,
              "pins": [{"box": {"lower": [-1, -1, 0.08], "upper": [1, 1, 1]}, "body": "hook"},
                       {"box": {"lower": [-1, -1, -1], "upper": [1, 1, -0.08]}, "body": "weight"}]}}]})",
                     "soft.json");
}

TEST(SoftCheckpoints, continue_to_the_same_bits) {
  Scene scene = soft_scene();
  Stepper stepper(scene.step);
  for (int i = 0; i < 15; ++i) stepper.step(scene.world);
  const Directory directory;
  save_checkpoint(directory / "soft.ckpt", scene);
  Scene loaded = load_checkpoint(directory / "soft.ckpt");
  ASSERT_EQ(loaded.world.state_hash(), scene.world.state_hash());
  const NodalBody& pad = loaded.world.nodal_body(loaded.world.find("pad"));
  EXPECT_EQ(pad.solid->material(), scene.world.nodal_body(scene.world.find("pad")).solid->material());
  EXPECT_EQ(pad.pressure, 10);
  EXPECT_TRUE(pad.self_contact);
  EXPECT_FALSE(loaded.world.nodal_body(loaded.world.find("bell")).held.empty());
  const auto& attached = loaded.world.nodal_body(loaded.world.find("bell")).attached;
  ASSERT_FALSE(attached.empty());
  EXPECT_GT(attached[0].impulse.norm(), 0);
  Stepper again(loaded.step);
  for (int i = 0; i < 15; ++i) {
    stepper.step(scene.world);
    again.step(loaded.world);
  }
  EXPECT_EQ(loaded.world.state_hash(), scene.world.state_hash());
}

TEST(SoftCheckpoints, of_large_bodies_know_where_they_were_factored) {
  Scene scene = parse_scene(R"({"seconds": 0.2, "bodies": [
    {"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
    {"name": "cube", "position": [0, 0, 0.1],
     "soft": {"shape": {"type": "box", "half_extents": [0.1, 0.1, 0.1]}, "size": 0.01538,
              "material": {"stiffness_damping": 0.02}}}]})",
                            "cube.json");
  Stepper stepper(scene.step);
  for (int i = 0; i < 12; ++i) stepper.step(scene.world);
  const NodalBody& cube = scene.world.nodal_body(scene.world.find("cube"));
  ASSERT_FALSE(cube.memory.places.empty());
  ASSERT_NE(cube.memory.places, cube.positions);
  const Directory directory;
  save_checkpoint(directory / "cube.ckpt", scene);
  Scene loaded = load_checkpoint(directory / "cube.ckpt");
  EXPECT_EQ(loaded.world.nodal_body(loaded.world.find("cube")).memory, cube.memory);
  Stepper again(loaded.step);
  for (int i = 0; i < 3; ++i) {
    stepper.step(scene.world);
    again.step(loaded.world);
  }
  EXPECT_EQ(loaded.world.state_hash(), scene.world.state_hash());
}

TEST(SoftCheckpoints, of_the_time_before_minimisation_are_read_as_newtons_method_and_run_on) {
  const Directory directory;
  unpack_older_checkpoint("checkpoint-17.h5.gz", directory / "c.h5");
  Scene scene = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(scene.name, "old-jelly");
  EXPECT_EQ(scene.world.step_count, 3u);
  EXPECT_EQ(scene.step.soft.max_linearisations, 3);
  EXPECT_EQ(scene.step.soft.solution, SoftSolution::newton);
  const double before = scene.world.body(scene.world.find("jelly")).position.z();
  simulate(scene, 40);
  const double after = scene.world.body(scene.world.find("jelly")).position.z();
  EXPECT_LT(after, before - 0.15) << "it fell to the ground";
  EXPECT_GT(after, 0.08) << "and stands on it";
}

}   // namespace
}   // namespace stickslip::test
