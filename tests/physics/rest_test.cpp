// Rest is a fixed point of the step: what lies asks for nothing, whatever the last nanometres of its gaps.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

class Rest : public AtScale {};

/// A box on the ground whose corners have gaps between ± `part` of the band.
struct TiltedBox {
  World world;
  BodyId box;
  double band;
};
TiltedBox tilted_box(const Scale& s, double part) {
  TiltedBox t;
  const MaterialId m = material(t.world, 0.5);
  add_ground(t.world, m);
  const double half = 0.5 * s.size;
  t.band = StepOptions{}.contact_band * s.size;
  const Quat tilt(Eigen::AngleAxisd(part * t.band / s.size, Vec3(1, 1, 0).normalized()));
  t.box = add_body(t.world, Box{Vec3::Constant(half)}, {0, 0, half}, m, Vec3::Zero(), Vec3::Zero(), tilt);
  return t;
}

TEST_P(Rest, a_box_whose_corners_differ_within_the_band_stays_as_it_is) {
  const Scale s = GetParam();
  TiltedBox t = tilted_box(s, 0.9);
  const Body start = t.world.body(t.box);
  Stepper stepper(options(0.01 * s.time()));
  int iterations = 0;
  simulate(t.world, stepper, s.time(), [&](const StepReport& r) {
    EXPECT_EQ(r.solve->status, SolveStatus::converged);
    iterations += r.solve->iterations;
  });
  EXPECT_LT((t.world.body(t.box).position - start.position).norm(), 1e-3 * t.band);
  EXPECT_LT(t.world.body(t.box).orientation.angularDistance(start.orientation), 1e-3 * t.band / s.size);
  EXPECT_LE(iterations, 30) << "the impulses of the last step are the answer, but for the first steps";
}

TEST_P(Rest, a_box_that_starts_deeper_than_the_band_comes_back_to_its_edge_and_no_farther) {
  const Scale s = GetParam();
  TiltedBox t = tilted_box(s, 0);
  World& world = t.world;
  world.mutable_bodies()[t.box.index].position.z() -= 20 * t.band;
  Stepper stepper(options(0.01 * s.time()));
  double highest = -1;
  simulate(world, stepper, s.time(), [&](const StepReport&) { highest = std::max(highest, world.body(t.box).position.z()); });
  EXPECT_NEAR(world.body(t.box).position.z(), 0.5 * s.size - t.band, 0.06 * t.band);
  EXPECT_LT(highest, 0.5 * s.size - 0.9 * t.band) << "nothing leaps";
  EXPECT_LT(world.body(t.box).velocity.norm(), 1e-6 * kGravity * 0.01 * s.time());
}

TEST_P(Rest, what_is_wedged_in_presses_with_a_bounded_force) {
  const Scale s = GetParam();
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  for (const double side : {-1.0, 1.0}) {
    BodyDescription wall;
    wall.motion = MotionType::fixed;
    wall.parts = {{Box{s.size * Vec3(0.2, 1, 1)}, {}, m}};
    wall.pose.position = s.size * Vec3(side * 0.69, 0, 1);   // 2 % too narrow
    world.add(wall);
  }
  const BodyId box = add_body(world, Box{Vec3::Constant(0.5 * s.size)}, {0, 0, 0.5 * s.size}, m);
  Stepper stepper(options(0.01 * s.time()));
  double early = 0, late = 0;
  simulate(world, stepper, 4 * s.time(), [&](const StepReport& r) {
    for (const ContactRecord& c : r.contacts)
      (r.time < s.time() ? early : late) = std::max(r.time < s.time() ? early : late, c.normal_impulse);
  });
  EXPECT_LT(late, 1.01 * early) << "the force does not grow";
  EXPECT_LT(world.body(box).velocity.norm(), 1e-3 * s.speed());
}

INSTANTIATE_TEST_SUITE_P(Scales, Rest, kScales, scale_name);

TEST(TallStack, fifty_boxes_stand_still_as_a_user_gets_them) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  std::vector<BodyId> boxes;
  for (int i = 0; i < 50; ++i) boxes.push_back(add_body(world, Box{Vec3::Constant(0.1)}, {0, 0, 0.1 + 0.2 * i}, m));
  Stepper stepper(StepOptions{});
  simulate(world, stepper, 4,
           [&](const StepReport& r) { ASSERT_EQ(r.solve->status, SolveStatus::converged) << r.solve->reason; });
  for (int i = 0; i < 50; ++i)
    EXPECT_LT((world.body(boxes[static_cast<std::size_t>(i)]).position - Vec3(0, 0, 0.1 + 0.2 * i)).norm(), 1e-4) << i;
}

/// With impulses that stay as they are a column is unstable, the taller the faster: what leans is put right again and again.
TEST(TallStack, costs_at_rest_little_more_than_its_height) {
  const auto work = [](int count) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    for (int i = 0; i < count; ++i) add_body(world, Box{Vec3::Constant(0.1)}, {0, 0, 0.1 + 0.2 * i}, m);
    Stepper stepper(StepOptions{});
    simulate(world, stepper, 1);
    double sum = 0;
    int steps = 0;
    simulate(world, stepper, 4, [&](const StepReport& r) {
      EXPECT_EQ(r.solve->status, SolveStatus::converged);
      sum += r.solve->iterations * (16e-3 * 12 * count + 20);   // µs of the cost model
      ++steps;
    });
    return sum / steps;
  };
  const double of_25 = work(25), of_100 = work(100);
  EXPECT_LT(of_100, 250) << "µs a step";
  EXPECT_LT(of_100, 8 * std::max(of_25, 20.0));
}

/// Boxes that fall onto each other crosswise share eight corners. With four of them, the others sink in one after the other.
TEST(TallStack, boxes_that_land_crosswise_do_not_sink_into_each_other) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const Quat across(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()));
  for (int i = 0; i < 8; ++i) {
    const Quat tilt(Eigen::AngleAxisd(0.02 * (i % 3 - 1), Vec3(1, i, 0).normalized()));
    add_body(world, Box{Vec3::Constant(0.1)}, {0.001 * (i % 3), 0, 0.106 + 0.211 * i}, m, Vec3::Zero(), Vec3::Zero(),
             i % 2 ? tilt * across : tilt);
  }
  Stepper stepper(StepOptions{});
  double deepest = 0;
  simulate(world, stepper, 2, [&](const StepReport& r) { deepest = std::max(deepest, r.penetration_max); });
  EXPECT_LT(deepest, 2 * 0.2 * StepOptions{}.contact_band);
  for (const Body& b : world.bodies()) EXPECT_LT(b.velocity.norm(), 1e-6) << b.name;
}

TEST(HeavyOnLight, a_mass_of_a_million_stands_on_a_light_box_within_a_micrometre_beyond_the_band) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  BodyDescription d;
  d.parts = {{Box{Vec3::Constant(0.5)}, {}, m}};
  d.mass = 1;
  d.pose.position = {0, 0, 0.5};
  world.add(d);
  d.mass = 1e6;
  d.pose.position = {0, 0, 1.5};
  const BodyId top = world.add(d);
  const StepOptions o;   // as a user gets them
  Stepper stepper(o);
  simulate(world, stepper, 3, [&](const StepReport& r) {
    EXPECT_EQ(r.solve->status, SolveStatus::converged) << r.solve->reason;
    EXPECT_LT(r.penetration_max, o.contact_band + 1e-6);
  });
  EXPECT_NEAR(world.body(top).position.z(), 1.5, 2 * o.contact_band);
}

}   // namespace
}   // namespace stickslip::testing
