// The same bits: for every number of threads, for repeated runs, for a stepper that takes over midway.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

/// A heap of all shapes that falls on the ground.
World mixed_heap() {
  World world;
  const MaterialId m = material(world, 0.5, 0.2);
  add_ground(world, m);
  const std::vector<Shape> shapes = {
      Sphere{0.3}, Box{{0.2, 0.3, 0.4}}, Capsule{0.2, 0.3}, Cylinder{0.3, 0.2},
      make_convex_hull({{0.4, 0, 0}, {-0.3, 0.3, 0}, {-0.3, -0.3, 0}, {0, 0, 0.4}, {0, 0.1, -0.3}})};
  for (int i = 0; i < 60; ++i)
    add_body(world, shapes[i % shapes.size()], {0.7 * (i % 3) + 0.05 * (i % 7), 0.75 * (i / 3 % 3), 0.6 + 0.9 * (i / 9)}, m,
             Vec3::Zero(), {0.1 * i, 1, -0.5}, rotation_from_vector({0.3 * i, 0.2 * i, 0.1}));
  return world;
}

std::uint64_t hash_after(int steps, int threads, int replace_stepper_at = -1) {
  World world = mixed_heap();
  StepOptions o = options(0.01, 50);
  o.threads = threads;
  Stepper stepper(o);
  for (int i = 0; i < steps; ++i) {
    if (i == replace_stepper_at) stepper = Stepper(o);
    stepper.step(world);
  }
  return world.state_hash();
}

TEST(Determinism, the_same_hash_for_one_and_two_threads_and_for_repeated_runs) {
  const std::uint64_t reference = hash_after(200, 1);
  EXPECT_EQ(hash_after(200, 1), reference);
  EXPECT_EQ(hash_after(200, 2), reference);
}

TEST(Determinism, a_new_stepper_continues_to_the_same_bits) { EXPECT_EQ(hash_after(200, 1, 120), hash_after(200, 1)); }

TEST(Determinism, a_heap_of_all_shapes_comes_to_rest_above_the_ground) {
  World world = mixed_heap();
  Stepper stepper(options(0.01, 50));
  simulate(world, stepper, 5);
  for (const Body& b : world.bodies())
    if (b.motion == MotionType::dynamic) {
      EXPECT_GT(b.position.z(), 0) << b.name;
      EXPECT_LT(b.position.norm(), 50) << b.name;
    }
}

}   // namespace
}   // namespace stickslip::testing
