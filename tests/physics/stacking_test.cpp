// Things that must rest: forces that match statics, stacks that stand.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

class Stack : public AtScale {};

struct Tower {
  World world;
  BodyId ground;
  std::vector<BodyId> boxes;
  double box_weight;
};

Tower tower_of(int n, const Scale& s) {
  Tower t;
  const MaterialId m = material(t.world, 0.5);
  t.ground = add_ground(t.world, m);
  const double half = 0.5 * s.size;
  for (int i = 0; i < n; ++i) t.boxes.push_back(add_body(t.world, Box{Vec3::Constant(half)}, {0, 0, (2 * i + 1) * half}, m));
  t.box_weight = t.world.body(t.boxes[0]).mass.mass * kGravity;
  return t;
}

TEST_P(Stack, contact_forces_under_ten_boxes_sum_to_the_weights_above_within_1e6) {
  const Scale s = GetParam();
  Tower t = tower_of(10, s);
  StepOptions o = options(0.01 * s.time(), 5000);
  o.tolerance = 1e-8;
  Stepper stepper(o);
  simulate(t.world, stepper, s.time());
  const StepReport& r = stepper.step(t.world);
  ASSERT_EQ(r.solve->status, SolveStatus::converged) << r.solve->reason;
  for (int i = 0; i < 10; ++i) {
    const BodyId below = i == 0 ? t.ground : t.boxes[i - 1];
    const Wrench w = r.wrench(t.boxes[i], below, t.world.body(t.boxes[i]).position);
    const double weight_above = (10 - i) * t.box_weight;
    EXPECT_NEAR(w.force.z(), weight_above, 1e-6 * weight_above) << "under box " << i;
    EXPECT_LT(w.force.head<2>().norm(), 1e-6 * weight_above);
    EXPECT_LT(w.torque.norm(), 1e-5 * weight_above * s.size);
    EXPECT_LT(r.force_on(t.boxes[i]).head<2>().norm(), 1e-6 * weight_above);
    EXPECT_NEAR(r.force_on(t.boxes[i]).z(), t.box_weight, 1e-5 * t.box_weight);
    const auto pressure = r.center_of_pressure(t.boxes[i], below);
    ASSERT_TRUE(pressure.has_value());
    EXPECT_LT(pressure->head<2>().norm(), 1e-5 * s.size);
  }
  EXPECT_NEAR(r.force_on(t.ground).z(), -10 * t.box_weight, 1e-5 * t.box_weight) << "what the ground feels points down";
}

TEST_P(Stack, ten_boxes_stay_within_a_millimetre_for_10_s) {
  const Scale s = GetParam();
  Tower t = tower_of(10, s);
  Stepper stepper(options(0.01 * s.time()));
  simulate(t.world, stepper, 10 * s.time(), [&](const StepReport&) {
    for (int i = 0; i < 10; ++i)
      ASSERT_LT((t.world.body(t.boxes[i]).position - Vec3(0, 0, (i + 0.5) * s.size)).norm(), 1e-3 * std::min(s.size, 1.0));
  });
}

TEST_P(Stack, a_thousand_kilograms_rest_on_one) {
  const Scale s = GetParam();
  Tower t = tower_of(1, s);
  BodyDescription heavy;
  heavy.parts = {{Box{Vec3::Constant(0.5 * s.size)}, {}, {}}};
  heavy.pose.position = {0, 0, 1.5 * s.size};
  heavy.mass = 1000 * t.world.body(t.boxes[0]).mass.mass;
  const BodyId top = t.world.add(heavy);
  Stepper stepper(options(0.01 * s.time(), 20000));
  simulate(t.world, stepper, 3 * s.time());
  EXPECT_LT((t.world.body(top).position - Vec3(0, 0, 1.5 * s.size)).norm(), 1e-3 * s.size);
  EXPECT_LT((t.world.body(t.boxes[0]).position - Vec3(0, 0, 0.5 * s.size)).norm(), 1e-3 * s.size);
  EXPECT_LT(t.world.body(top).velocity.norm(), 1e-4 * s.speed());
  const StepReport& r = stepper.step(t.world);
  EXPECT_NEAR(r.force_on(t.ground).z(), -1001 * t.box_weight, 1e-3 * 1001 * t.box_weight);
}

INSTANTIATE_TEST_SUITE_P(Scales, Stack, kScales, scale_name);

TEST(CenterOfPressure, moves_to_the_side_that_a_force_pushes_down) {
  World world;
  const MaterialId m = material(world, 1.0);
  const BodyId ground = add_ground(world, m);
  const BodyId box = add_body(world, Box{Vec3::Constant(0.5)}, {0, 0, 0.5}, m);
  const double weight = world.body(box).mass.mass * kGravity;
  world.set_applied(box, {0, 0, 0}, {0, 0.2 * weight, 0});   // a torque about y
  Stepper stepper(options(0.01, 2000));
  simulate(world, stepper, 1);
  const StepReport& r = stepper.step(world);
  // Statics: Σ λ (p × z) = −τ, so the pressure centre moves by τ / weight along x.
  EXPECT_NEAR(r.center_of_pressure(ground, box)->x(), 0.2, 1e-5);
}

TEST(Stabilisation, every_way_removes_an_initial_penetration) {
  const auto depth_after = [](auto&& change) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    add_body(world, Box{Vec3::Constant(0.5)}, {0, 0, 0.45}, m);
    StepOptions o = options(0.01);
    change(o);
    Stepper stepper(o);
    simulate(world, stepper, 1);
    return 0.5 - world.bodies()[1].position.z();
  };
  EXPECT_NEAR(depth_after([](StepOptions& o) { o.stabilisation = NoStabilisation{}; }), 0.05, 1e-6);
  EXPECT_NEAR(depth_after([](StepOptions& o) { o.stabilisation = Baumgarte{0.2, 0}; }), 0, 1e-6);
  EXPECT_NEAR(depth_after([](StepOptions& o) { o.stabilisation = NoStabilisation{}, o.projection.enabled = true; }), 0,
              1.01 * StepOptions{}.contact_band)
      << "within the band bodies touch";
  // A spring under a weight stays compressed by m g / (4 k), k per contact point.
  const double mass = 1000, k = 1e6;
  EXPECT_NEAR(depth_after([&](StepOptions& o) { o.stabilisation = SpringDamper{k, 3e4}; }), mass * kGravity / (4 * k), 1e-5);
}

TEST(Stabilisation, projection_leaves_velocities_alone) {
  World world;
  world.gravity.setZero();
  add_body(world, Sphere{0.5}, {0, 0, 0}, {});
  add_body(world, Sphere{0.5}, {0.9, 0, 0}, {});
  StepOptions o = options(0.01);
  o.stabilisation = NoStabilisation{};
  o.projection.enabled = true;
  Stepper stepper(o);
  simulate(world, stepper, 0.5);
  EXPECT_NEAR((world.bodies()[0].position - world.bodies()[1].position).norm(), 1, 1.01 * o.contact_band);
  EXPECT_EQ(world.kinetic_energy(), 0);
}

TEST(Sleep, a_resting_stack_falls_asleep_keeps_its_forces_and_wakes_when_hit) {
  Tower t = tower_of(3, {1});
  StepOptions o = options(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(t.world, stepper, 2);
  const StepReport& resting = stepper.step(t.world);
  EXPECT_EQ(resting.sleeping_bodies, 3u);
  EXPECT_NEAR(resting.force_on(t.ground).z(), -3 * t.box_weight, 1e-4 * t.box_weight);
  const BodyId ball = add_body(t.world, Sphere{0.4}, {-3, 0, 2.6}, {}, {8, 0, 0});
  simulate(t.world, stepper, 0.6);
  EXPECT_FALSE(t.world.body(t.boxes[2]).asleep);
  EXPECT_GT(t.world.body(t.boxes[2]).velocity.norm(), 0.01);
  EXPECT_TRUE(t.world.contains(ball));
}

TEST(Sleep, removing_the_support_wakes_what_stood_on_it) {
  Tower t = tower_of(2, {1});
  StepOptions o = options(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(t.world, stepper, 2);
  ASSERT_TRUE(t.world.body(t.boxes[1]).asleep);
  t.world.remove(t.boxes[0]);
  simulate(t.world, stepper, 1);
  EXPECT_LT(t.world.body(t.boxes[1]).position.z(), 0.6);
}

}   // namespace
}   // namespace stickslip::testing
