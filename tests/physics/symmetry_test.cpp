// Symmetric scenes get symmetric forces, however many ways there are to share a load.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

/// A block of 2 kg between two tall fingers. A motor presses the right one against it, or where there is a gap, two motors
/// both.
struct Gripper {
  World world;
  BodyId block;
};
Gripper gripper(double press, double friction, double gap) {
  Gripper g;
  const MaterialId m = material(g.world, friction);
  const auto add = [&](const Vec3& half, const Vec3& at, double mass) {
    BodyDescription d;
    d.parts = {{Box{half}, {}, m}};
    d.pose.position = at;
    d.mass = mass;
    return g.world.add(d);
  };
  const BodyId left = add({0.02, 0.05, 0.3}, {-0.07 - gap, 0, 0}, 1), right = add({0.02, 0.05, 0.3}, {0.07 + gap, 0, 0}, 1);
  g.block = add(Vec3::Constant(0.05), Vec3::Zero(), 2);
  JointAxis drive;
  drive.motor = JointMotor{1, press};
  if (gap > 0) join(g.world, JointType::prismatic, kWorld, left, {-0.07 - gap, 0, 0}, Vec3::UnitX(), drive);
  else join(g.world, JointType::fixed, kWorld, left, {-0.07, 0, 0});
  join(g.world, JointType::prismatic, kWorld, right, {0.07 + gap, 0, 0}, -Vec3::UnitX(), drive);
  return g;
}

TEST(Gripper, lets_a_block_slip_straight_down_with_the_acceleration_of_what_friction_leaves) {
  for (const double part : {0.5, 0.9, 0.98}) {
    const double friction = 0.5, weight = 2 * kGravity;
    Gripper g = gripper(part * weight / (2 * friction), friction, 0);
    Stepper stepper(options(0.01));
    simulate(g.world, stepper, 0.25);
    const Body& block = g.world.body(g.block);
    EXPECT_NEAR(block.velocity.z(), -(1 - part) * kGravity * 0.25, 1e-6) << part;
    EXPECT_LT(block.angular_velocity.norm(), 1e-6) << part;
    EXPECT_LT(block.velocity.head<2>().norm(), 1e-6) << part;
  }
}

TEST(Gripper, that_closes_on_a_falling_block_slows_it_down_straight) {
  const double friction = 0.5;
  Gripper g = gripper(0.9 * 2 * kGravity / (2 * friction), friction, 0.002);
  Stepper stepper(options(0.01));
  simulate(g.world, stepper, 0.2);
  const double before = g.world.body(g.block).velocity.z();
  simulate(g.world, stepper, 0.5);
  const Body& block = g.world.body(g.block);
  EXPECT_NEAR(block.velocity.z(), before - 0.1 * kGravity * 0.5, 1e-5);
  EXPECT_LT(block.angular_velocity.norm(), 1e-5);
  EXPECT_LT(block.position.head<2>().norm(), 1e-6);
}

TEST(Gripper, loads_both_sides_of_a_finger_alike) {
  Gripper g = gripper(40, 0.5, 0);
  Stepper stepper(options(0.01));
  const StepReport& r = stepper.step(g.world);
  ASSERT_EQ(r.contacts.size(), 8u);
  for (const ContactRecord& c : r.contacts)
    for (const ContactRecord& d : r.contacts)
      if (c.body_a == d.body_a && std::abs(c.position.z() - d.position.z()) < 1e-6) {
        EXPECT_NEAR(c.normal_impulse, d.normal_impulse, 1e-6 * 0.4) << c.key.feature << " " << d.key.feature;
      }
}

TEST(Table, on_four_legs_carries_a_weight_in_its_middle_by_all_four_alike) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  BodyDescription table;
  for (const double x : {-0.4, 0.4})
    for (const double y : {-0.3, 0.3}) table.parts.push_back({Box{{0.03, 0.03, 0.3}}, {{x, y, -0.3}, Quat::Identity()}, m});
  table.parts.push_back({Box{{0.5, 0.4, 0.02}}, {{0, 0, 0.02}, Quat::Identity()}, m});
  table.pose.position = {0, 0, 0.6};
  world.add(table);
  add_body(world, Box{Vec3::Constant(0.05)}, {0, 0, 0.69}, m);
  Stepper stepper(options(0.01));
  const StepReport& r = stepper.step(world);
  const auto at = [&](double x, double y) {
    for (const ContactRecord& c : r.contacts)
      if (c.position.z() < 0.1 && (c.position.head<2>() - Vec2(x, y)).norm() < 1e-6) return c.normal_impulse;
    return 0.0;
  };
  for (const ContactRecord& c : r.contacts) {
    if (c.position.z() > 0.1) continue;
    const Vec3 p = c.position;
    ASSERT_GT(c.normal_impulse, 0);
    for (const double other : {at(-p.x(), p.y()), at(p.x(), -p.y())})
      EXPECT_NEAR(other, c.normal_impulse, 1e-6 * c.normal_impulse) << p.transpose();
  }
}

}   // namespace
}   // namespace stickslip::testing
