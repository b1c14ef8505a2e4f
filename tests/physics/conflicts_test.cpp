// Joints that ask for what cannot be, and joints that ask for the same thing twice.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

/// A joint between the world and a body whose frames lie where they are told, not where the bodies are.
JointId pin_to_world(World& world, JointType type, BodyId body, const Pose& in_world, const Pose& in_body) {
  JointDescription d;
  d.type = type;
  d.b = body;
  d.frame_a = in_world;
  d.frame_b = in_body;
  return world.add(d);
}

/// Bystanders: a swinging chain of three, and a block that rests on the ground.
struct Bystanders {
  std::vector<BodyId> bodies;

  Bystanders(World& world, double size) {
    BodyId above = kWorld;
    for (int i = 0; i < 3; ++i) {
      const Vec3 from = size * Vec3(5 + i, 0, 2);
      bodies.push_back(add_rod(world, 1, from, from + size * Vec3::UnitX()));
      join(world, JointType::hinge, above, bodies.back(), from);
      above = bodies.back();
    }
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    bodies.push_back(add_body(world, Box{Vec3::Constant(0.1 * size)}, {-3 * size, 0, 0.1 * size}, m));
  }
};

/// Takes 200 steps and checks that nothing flies off and that exactly these joints are named at every step from the first.
void expect_conflict(World& world, const Scale& scale, std::vector<JointId> expected) {
  std::sort(expected.begin(), expected.end());
  Stepper stepper(options(0.01 * scale.time()));
  for (int i = 0; i < 200; ++i) {
    const StepReport& report = stepper.step(world);
    std::vector<JointId> named;
    for (const JointConflict& c : report.conflicts) {
      named.push_back(c.joint);
      EXPECT_GT(c.speed, 0) << i;
    }
    std::sort(named.begin(), named.end());
    ASSERT_EQ(named, expected) << "step " << i;
    for (const JointRecord& j : report.joints) ASSERT_TRUE(j.force.allFinite() && j.torque.allFinite()) << i;
    for (const Body& b : world.bodies()) {
      ASSERT_TRUE(b.position.allFinite() && b.velocity.allFinite() && b.orientation.coeffs().allFinite() &&
                  b.angular_velocity.allFinite())
          << i;
      ASSERT_LT(b.velocity.norm(), 20 * scale.speed()) << i;
    }
  }
}

class Conflicts : public AtScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Conflicts, kScales, scale_name);

TEST_P(Conflicts, a_rod_too_long_for_its_anchors_names_both_and_stays_between_them) {
  const Scale scale = GetParam();
  const double size = scale.size;
  World world;
  const Bystanders bystanders(world, size);
  const BodyId rod = add_rod(world, 1, size * Vec3(-0.6, 0, 1), size * Vec3(0.6, 0, 1));
  const JointId left = pin_to_world(world, JointType::ball, rod, {size * Vec3(-0.5, 0, 1), Quat::Identity()},
                                    {-0.6 * size * Vec3::UnitX(), Quat::Identity()});
  const JointId right = pin_to_world(world, JointType::ball, rod, {size * Vec3(0.5, 0, 1), Quat::Identity()},
                                     {0.6 * size * Vec3::UnitX(), Quat::Identity()});
  // Innocent, though it hangs on the same rod.
  const BodyId hanging = add_rod(world, 0.3, size * Vec3(0, 0, 1), size * Vec3(0.3, 0, 0.6));
  join(world, JointType::ball, rod, hanging, size * Vec3(0, 0, 1));
  expect_conflict(world, scale, {left, right});
  EXPECT_LT((world.body(rod).position - size * Vec3(0, 0, 1)).norm(), 0.02 * size);
  EXPECT_LT(world.body(hanging).position.z(), size);
}

TEST_P(Conflicts, two_hinges_whose_axes_disagree_are_named_and_share_the_difference) {
  const Scale scale = GetParam();
  const double size = scale.size, between = 0.3;
  World world;
  const Bystanders bystanders(world, size);
  const BodyId door = add_mass(world, 2, Vec3(0.1, 0.2, 0.15) * size * size, size * Vec3(0, 0, 1));
  // The door's own x axis is to lie along two directions at once.
  const Quat along_x = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
  const Quat turned = Quat(Eigen::AngleAxisd(between, Vec3::UnitY())) * along_x;
  const JointId first = pin_to_world(world, JointType::hinge, door, {size * Vec3(0, 0, 1), along_x}, {Vec3::Zero(), along_x});
  const JointId second = pin_to_world(world, JointType::hinge, door, {size * Vec3(0, 0, 1), turned}, {Vec3::Zero(), along_x});
  expect_conflict(world, scale, {first, second});
  const Vec3 axis = world.body(door).orientation * Vec3::UnitX();
  EXPECT_NEAR(std::atan2(-axis.z(), axis.x()), 0.5 * between, 0.05 * between);
  EXPECT_LT((world.body(door).position - size * Vec3(0, 0, 1)).norm(), 1e-3 * size);
}

TEST_P(Conflicts, two_fixed_joints_that_ask_for_different_places_are_named_and_meet_halfway) {
  const Scale scale = GetParam();
  const double size = scale.size;
  World world;
  const Bystanders bystanders(world, size);
  const BodyId body = add_mass(world, 2, Vec3::Constant(0.1 * size * size), size * Vec3(0, 0, 1));
  const JointId here = pin_to_world(world, JointType::fixed, body, {size * Vec3(0, 0, 1), Quat::Identity()}, {});
  const JointId there = pin_to_world(world, JointType::fixed, body, {size * Vec3(0.1, 0, 1), Quat::Identity()}, {});
  expect_conflict(world, scale, {here, there});
  EXPECT_LT((world.body(body).position - size * Vec3(0.05, 0, 1)).norm(), 0.005 * size);
  EXPECT_LT(world.body(body).velocity.norm(), 1e-3 * scale.speed());
}

TEST_P(Conflicts, a_loop_of_bars_that_cannot_close_names_every_joint_of_the_loop) {
  const Scale scale = GetParam();
  const double size = scale.size;
  World world;
  const Bystanders bystanders(world, size);
  // Two bars of one metre between anchors that are two and a half apart.
  const Vec3 left = size * Vec3(-1.25, 0, 1), right = size * Vec3(1.25, 0, 1);
  const BodyId first = add_rod(world, 1, left, left + size * Vec3::UnitX()),
               second = add_rod(world, 1, right, right - size * Vec3::UnitX());
  const JointId a = join(world, JointType::hinge, kWorld, first, left),
                b = join(world, JointType::hinge, kWorld, second, right);
  JointDescription d;
  d.type = JointType::ball;
  d.a = first;
  d.b = second;
  d.frame_a.position = d.frame_b.position = 0.5 * size * Vec3::UnitX();   // the far ends, half a metre from each other
  const JointId middle = world.add(d);
  expect_conflict(world, scale, {a, b, middle});
  EXPECT_LT((world.body(first).position - size * Vec3(-0.75, 0, 1)).norm(), 0.3 * size);
  EXPECT_LT((world.body(second).position - size * Vec3(0.75, 0, 1)).norm(), 0.3 * size);
}

TEST_P(Conflicts, bars_that_cannot_meet_come_to_rest_instead_of_turning_ever_faster) {
  const Scale scale = GetParam();
  const double size = scale.size, slope = 0.3;
  World world;
  const Vec3 left = size * Vec3(-1.25, 0, 1), right = size * Vec3(1.25, 0, 1), down = Vec3(0, 0, -std::sin(slope)),
             inward = std::cos(slope) * Vec3::UnitX();
  const BodyId first = add_rod(world, 1, left, left + size * (down + inward)),
               second = add_rod(world, 1, right, right + size * (down - inward));
  std::vector<JointId> loop = {join(world, JointType::hinge, kWorld, first, left),
                               join(world, JointType::hinge, kWorld, second, right)};
  JointDescription d;
  d.type = JointType::ball;
  d.a = first;
  d.b = second;
  d.frame_a.position = d.frame_b.position = 0.5 * size * Vec3::UnitX();
  loop.push_back(world.add(d));
  Stepper stepper(options(0.01 * scale.time()));
  double fastest = 0;
  simulate(world, stepper, 2 * scale.time(), [&](const StepReport& r) {
    fastest =
        std::max(fastest, std::max(world.body(first).velocity.norm(), world.body(second).velocity.norm()) / scale.speed());
    if (r.step < 100) return;
    std::vector<JointId> named;
    for (const JointConflict& c : r.conflicts) named.push_back(c.joint);
    std::sort(named.begin(), named.end());
    ASSERT_EQ(named, loop) << r.step;
    for (const JointRecord& j : r.joints) ASSERT_LT(j.force.norm(), 1e3 * kGravity) << r.step;
  });
  EXPECT_LT(fastest, 15);
  EXPECT_LT(std::max(world.body(first).velocity.norm(), world.body(second).velocity.norm()) / scale.speed(), 1e-2);
}

TEST_P(Conflicts, bars_that_can_just_meet_do_so_without_a_word) {
  const Scale scale = GetParam();
  const double size = scale.size, slope = 0.3;
  World world;
  // Half the span is the cosine of 5.7°: the bars must turn until they are almost in one line.
  const Vec3 left = size * Vec3(-0.995, 0, 1), right = size * Vec3(0.995, 0, 1), down = Vec3(0, 0, -std::sin(slope)),
             inward = std::cos(slope) * Vec3::UnitX();
  const BodyId first = add_rod(world, 1, left, left + size * (down + inward)),
               second = add_rod(world, 1, right, right + size * (down - inward));
  join(world, JointType::hinge, kWorld, first, left);
  join(world, JointType::hinge, kWorld, second, right);
  JointDescription d;
  d.type = JointType::ball;
  d.a = first;
  d.b = second;
  d.frame_a.position = d.frame_b.position = 0.5 * size * Vec3::UnitX();
  world.add(d);
  Stepper stepper(options(0.01 * scale.time()));
  double error = 0;
  simulate(world, stepper, 2 * scale.time(), [&](const StepReport& r) {
    ASSERT_TRUE(r.conflicts.empty()) << r.step;
    if (r.step == 1) {
      EXPECT_GT(r.joint_error_max, 0.05 * size);
    }
    error = r.joint_error_max;
  });
  EXPECT_LT(error, 1e-6 * size);
}

TEST_P(Conflicts, a_plane_four_bar_with_hinges_in_space_is_redundant_but_no_conflict) {
  const Scale scale = GetParam();
  const double size = scale.size, mass = 1;
  World world;
  const Vec3 left = Vec3::Zero(), pin = size * Vec3(0.1, 0, 0.15), elbow = size * Vec3(0.5, 0, 0.4),
             right = size * Vec3(0.55, 0, 0);
  const BodyId crank = add_rod(world, mass, left, pin), coupler = add_rod(world, mass, pin, elbow),
               rocker = add_rod(world, mass, right, elbow);
  JointAxis drive;
  drive.motor = JointMotor{0, std::numeric_limits<double>::infinity()};
  const JointId first = join(world, JointType::hinge, kWorld, crank, left, Vec3::UnitY(), drive);
  join(world, JointType::hinge, crank, coupler, pin);
  join(world, JointType::hinge, coupler, rocker, elbow);
  const JointId last = join(world, JointType::hinge, kWorld, rocker, right);
  Stepper stepper(options(0.005 * scale.time()));
  Vec3 carried = Vec3::Zero();
  simulate(world, stepper, scale.time(), [&](const StepReport& r) {
    ASSERT_TRUE(r.conflicts.empty()) << r.step;
    carried = r.joint(first)->force + r.joint(last)->force;
  });
  EXPECT_LT((carried - 3 * mass * kGravity * Vec3::UnitZ()).norm() / (3 * mass * kGravity), 1e-4);
  // And turning, three times round.
  drive.motor = JointMotor{6 / scale.time(), std::numeric_limits<double>::infinity()};
  world.set_joint_axis(first, joint_turn_z, drive);
  simulate(world, stepper, 3 * scale.time(), [&](const StepReport& r) {
    ASSERT_TRUE(r.conflicts.empty()) << r.step;
    ASSERT_LT(r.joint_error_max, 2e-3 * size) << r.step;
    for (const JointRecord& j : r.joints) ASSERT_LT(j.force.norm(), 1e3 * mass * kGravity) << r.step;
  });
}

TEST_P(Conflicts, a_table_on_four_fixed_joints_is_no_conflict_and_its_weight_is_carried) {
  const Scale scale = GetParam();
  const double size = scale.size, mass = 7;
  World world;
  const BodyId table = add_mass(world, mass, Vec3(0.4, 0.5, 0.8) * size * size, size * Vec3(0.1, 0, 1));
  std::vector<JointId> legs;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-0.6, 0.6}) legs.push_back(join(world, JointType::fixed, kWorld, table, size * Vec3(x, y, 1)));
  Stepper stepper(options(0.01 * scale.time()));
  simulate(world, stepper, 2 * scale.time(), [&](const StepReport& r) {
    ASSERT_TRUE(r.conflicts.empty()) << r.step;
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (const JointId leg : legs) {
      const JointRecord* j = r.joint(leg);
      ASSERT_LT(j->force.norm(), 10 * mass * kGravity);
      force += j->force;
      moment += j->torque + (j->point - world.body(table).position).cross(j->force);
    }
    ASSERT_LT((force - mass * kGravity * Vec3::UnitZ()).norm() / (mass * kGravity), 1e-5) << r.step;
    ASSERT_LT(moment.norm() / (mass * kGravity * size), 1e-5) << r.step;
  });
  EXPECT_LT((world.body(table).position - size * Vec3(0.1, 0, 1)).norm() / size, 1e-6);
}

}   // namespace
}   // namespace stickslip::testing
