// Sensors against closed-form mechanics, and against the same scene without them.
#include "stickslip/step/sensors.h"

#include "error_message.h"
#include "physics/joint_worlds.h"
#include "stickslip/world/ray_cast.h"

namespace stickslip::testing {
namespace {

/// The number of a channel after the last reading.
double value(const SensorReader& reader, const std::string& sensor, std::string_view quantity) {
  for (std::size_t i = 0; i < reader.channels().size(); ++i)
    if (reader.channels()[i].quantity == quantity && reader.sensors()[reader.channels()[i].sensor].name == sensor)
      return reader.values()[i];
  ADD_FAILURE() << sensor << "." << quantity;
  return 0;
}

void run(World& world, Stepper& stepper, SensorReader& reader, int steps) {
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(world);
    reader.read(world, report);
  }
}

TEST(Sensors, contact_force_of_a_body_and_of_a_pair) {
  World world;
  const BodyId ground = world.add({.name = "ground", .motion = MotionType::fixed, .parts = {{HalfSpace{}, {}, {}}}});
  const BodyId lower =
      world.add({.name = "lower", .parts = {{Box{Vec3::Constant(0.1)}, {}, {}}}, .pose = {{0, 0, 0.1}}, .mass = 3.0});
  const BodyId upper =
      world.add({.name = "upper", .parts = {{Box{Vec3::Constant(0.1)}, {}, {}}}, .pose = {{0, 0, 0.3}}, .mass = 2.0});
  SensorReader reader(
      world, {{"all", ContactSensor{lower}}, {"under", ContactSensor{lower, ground}}, {"over", ContactSensor{lower, upper}}});
  Stepper stepper(options(0.005));
  run(world, stepper, reader, 200);
  EXPECT_NEAR(value(reader, "all", "force_z"), 3 * kGravity, 1e-3);
  EXPECT_NEAR(value(reader, "under", "force_z"), 5 * kGravity, 1e-3);
  EXPECT_NEAR(value(reader, "over", "force_z"), -2 * kGravity, 1e-3);
  EXPECT_NEAR(value(reader, "all", "force_x"), 0, 1e-3);
}

TEST(Sensors, joint_state_is_that_of_the_joint) {
  World world;
  world.gravity.setZero();
  JointAxis axis;
  axis.effort = JointEffort{.force = 0.8};
  const JointId hinge = join(world, JointType::hinge, kWorld, add_mass(world, 1, Vec3::Constant(0.4), Vec3::Zero()),
                             Vec3::Zero(), Vec3::UnitZ(), axis);
  SensorReader reader(world, {{"hip", JointSensor{hinge, joint_turn_z}}});
  Stepper stepper(options(0.001));
  run(world, stepper, reader, 1000);
  EXPECT_NEAR(value(reader, "hip", "position"), 0.5 * 2 * 1, 2e-3);
  EXPECT_NEAR(value(reader, "hip", "velocity"), 2, 1e-6);
  EXPECT_NEAR(value(reader, "hip", "effort"), 0.8, 1e-9);
}

TEST(Sensors, an_inertial_one_feels_what_holds_it_and_nothing_in_free_fall) {
  World world;
  const BodyId falling = add_mass(world, 1, Vec3(0.1, 0.2, 0.3), {0, 0, 5}, rotation_from_vector(Vec3(0.3, 1, -0.4)));
  world.add({.name = "ground", .motion = MotionType::fixed, .parts = {{HalfSpace{}, {}, {}}}});
  const BodyId lying = world.add({.name = "lying", .parts = {{Box{Vec3::Constant(0.1)}, {}, {}}}, .pose = {{3, 0, 0.1}}});
  // Its z axis is x of the body.
  const Pose sideways{{0.05, 0, 0}, rotation_between(Vec3::UnitZ(), Vec3::UnitX())};
  SensorReader reader(world, {{"falling", InertialSensor{falling}}, {"lying", InertialSensor{lying, sideways}}});
  Stepper stepper(options(0.002));
  run(world, stepper, reader, 300);
  for (const char* q : {"acceleration_x", "acceleration_y", "acceleration_z"})
    EXPECT_NEAR(value(reader, "falling", q), 0, 1e-9);
  const Vec3 up = sideways.orientation.conjugate() * Vec3::UnitZ();
  EXPECT_NEAR(value(reader, "lying", "acceleration_x"), kGravity * up.x(), 1e-3);
  EXPECT_NEAR(value(reader, "lying", "acceleration_y"), kGravity * up.y(), 1e-3);
  EXPECT_NEAR(value(reader, "lying", "acceleration_z"), kGravity * up.z(), 1e-3);
}

TEST(Sensors, an_inertial_one_on_a_turntable_feels_omega_squared_r_inwards) {
  World world;
  world.gravity.setZero();
  const BodyId table = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero());
  join(world, JointType::hinge, kWorld, table, Vec3::Zero(), Vec3::UnitZ());
  world.set_velocity(table, Vec3::Zero(), {0, 0, 3});
  SensorReader reader(world, {{"rim", InertialSensor{table, {{0.5, 0, 0}, Quat::Identity()}}}});
  Stepper stepper(options(0.001));
  run(world, stepper, reader, 500);
  EXPECT_NEAR(value(reader, "rim", "acceleration_x"), -9 * 0.5, 1e-2);
  EXPECT_NEAR(value(reader, "rim", "acceleration_y"), 0, 1e-2);
  EXPECT_NEAR(value(reader, "rim", "angular_velocity_z"), 3, 1e-9);
}

TEST(Sensors, a_frame_is_seen_from_one_that_turns_as_it_would_be_there) {
  World world;
  world.gravity.setZero();
  const BodyId still = add_mass(world, 1, Vec3::Constant(0.1), {1, 0, 0}),
               table = add_mass(world, 1, Vec3::Constant(0.1), Vec3::Zero());
  join(world, JointType::hinge, kWorld, table, Vec3::Zero(), Vec3::UnitZ());
  world.set_velocity(table, Vec3::Zero(), {0, 0, 2});
  SensorReader reader(world, {{"seen", FrameSensor{{still}, {table}}}, {"own", FrameSensor{{table, {{0.5, 0, 0}}}, {}, true}}});
  Stepper stepper(options(0.001));
  run(world, stepper, reader, 500);
  // On the table, which has turned by 1 rad, the body at (1, 0) goes round backwards.
  EXPECT_NEAR(value(reader, "seen", "position_x"), std::cos(1), 1e-6);
  EXPECT_NEAR(value(reader, "seen", "position_y"), -std::sin(1), 1e-6);
  EXPECT_NEAR(value(reader, "seen", "velocity_x"), -2 * std::sin(1), 1e-6);
  EXPECT_NEAR(value(reader, "seen", "velocity_y"), -2 * std::cos(1), 1e-6);
  EXPECT_NEAR(value(reader, "seen", "angular_velocity_z"), -2, 1e-9);
  EXPECT_NEAR(value(reader, "seen", "orientation_w"), std::cos(0.5), 1e-6);
  EXPECT_NEAR(value(reader, "own", "velocity_y"), 1, 1e-9) << "forwards, whichever way it points";
  EXPECT_NEAR(value(reader, "own", "position_x"), 0.5 * std::cos(1), 1e-6);
}

TEST(Sensors, a_load_cell_carries_what_hangs_on_it_and_feels_its_lever) {
  World world;
  const BodyId arm = add_mass(world, 2, Vec3::Constant(0.1), {0.3, 0, 0}, rotation_from_vector(Vec3(0, 0, EIGEN_PI / 2)));
  const JointId weld = join(world, JointType::fixed, kWorld, arm, Vec3::Zero(), Vec3::UnitZ());
  const Pose root{world.body(arm).frame().inverse() * Vec3::Zero(), Quat::Identity()};   // where it is welded, in its axes
  SensorReader reader(world, {{"root", LoadSensor{weld, root}}, {"middle", LoadSensor{weld}}});
  Stepper stepper(options(0.002));
  run(world, stepper, reader, 50);
  EXPECT_NEAR(value(reader, "root", "force_z"), 2 * kGravity, 1e-6);
  // Gravity turns it down about y by −0.3 · 2 g; the weld holds against it. Its x axis is y of the world.
  EXPECT_NEAR(value(reader, "root", "torque_x"), -0.3 * 2 * kGravity, 1e-6);
  EXPECT_NEAR(value(reader, "root", "torque_y"), 0, 1e-6);
  EXPECT_NEAR(value(reader, "middle", "torque_x"), 0, 1e-6) << "no lever";
}

TEST(Sensors, a_ray_measures_height_over_ground_and_sees_past_its_own_body) {
  World world;
  world.add({.name = "ground", .motion = MotionType::fixed, .parts = {{HalfSpace{}, {}, {}}}});
  const BodyId drone = world.add({.name = "drone", .parts = {{Box{Vec3::Constant(0.1)}, {}, {}}}, .pose = {{0, 0, 2}}});
  SensorReader reader(world, {{"down", RaySensor{drone, Vec3::Zero(), {0, 0, -2}}},
                              {"short", RaySensor{drone, Vec3::Zero(), {0, 0, -1}, 0.5}},
                              {"fixed", RaySensor{{}, {0, 0, 5}, {0, 0, -1}}}});
  Stepper stepper(options(0.01));
  run(world, stepper, reader, 20);
  const double height = world.body(drone).position.z();
  EXPECT_NEAR(value(reader, "down", "distance"), height, 1e-12);
  EXPECT_EQ(value(reader, "short", "distance"), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(value(reader, "fixed", "distance"), 5 - height - 0.1, 1e-12);
}

TEST(Sensors, change_nothing_and_read_the_same_from_a_copy_of_the_world) {
  const auto build = [] {
    World world;
    world.add({.name = "ground", .motion = MotionType::fixed, .parts = {{HalfSpace{}, {}, {}}}});
    for (int i = 0; i < 3; ++i)
      world.add(
          {.name = "ball-" + std::to_string(i), .parts = {{Sphere{0.1}, {}, {}}}, .pose = {{0.05 * i, 0, 0.3 + 0.25 * i}}});
    return world;
  };
  World with = build(), without = build();
  const std::vector<Sensor> sensors = {{"touch", ContactSensor{with.find("ball-0")}},
                                       {"feel", InertialSensor{with.find("ball-1")}},
                                       {"see", RaySensor{with.find("ball-2"), Vec3::Zero(), {0, 0, -1}}}};
  SensorReader reader(with, sensors);
  Stepper a(options(0.005)), b(options(0.005));
  for (int i = 0; i < 60; ++i) {
    reader.read(with, a.step(with));
    b.step(without);
  }
  EXPECT_EQ(with.state_hash(), without.state_hash());
  SensorReader fresh(without, sensors);
  const auto later = reader.read(with, a.step(with)), anew = fresh.read(without, b.step(without));
  for (std::size_t i = 0; i < later.size(); ++i) EXPECT_EQ(later[i], anew[i]) << i;
  with.remove(with.find("ball-0"));
  EXPECT_TRUE(std::isnan(reader.read(with, a.step(with))[0])) << "its body is gone";
}

TEST(Sensors, say_what_is_wrong_with_them) {
  World world;
  const BodyId ball = world.add({.name = "ball", .parts = {{Sphere{0.1}, {}, {}}}});
  const auto refusal = [&](const Sensor& s) { return message_of([&] { SensorReader(world, {s}); }); };
  EXPECT_NE(refusal({"", ContactSensor{ball}}).find("needs a name"), std::string::npos);
  EXPECT_NE(refusal({"a/b", ContactSensor{ball}}).find("is not a name for a sensor"), std::string::npos);
  EXPECT_NE(refusal({"a", ContactSensor{}}).find("not in this world"), std::string::npos);
  EXPECT_NE(refusal({"a", RaySensor{ball, Vec3::Zero(), Vec3::Zero()}}).find("not zero"), std::string::npos);
  EXPECT_NE(refusal({"a", RaySensor{ball, Vec3::Zero(), Vec3::UnitX(), 0}}).find("is not a range"), std::string::npos);
  EXPECT_NE(message_of([&] {
              SensorReader(world, {{"a", ContactSensor{ball}}, {"a", ContactSensor{ball}}});
            }).find("There is another sensor 'a'"),
            std::string::npos);
}

TEST(RayCast, finds_the_nearest_of_many_bodies_as_a_loop_over_balls_does) {
  World world;
  std::vector<Vec3> centers;
  for (int i = 0; i < 60; ++i) {
    centers.push_back({std::sin(3.1 * i) * 3, std::cos(1.7 * i) * 3, std::sin(0.7 * i) * 3});
    world.add({.name = {}, .motion = MotionType::fixed, .parts = {{Sphere{0.3}, {}, {}}}, .pose = {centers.back()}});
  }
  int met = 0;
  for (int i = 0; i < 100; ++i) {
    const Vec3 origin(5 * std::cos(0.31 * i), 5 * std::sin(0.31 * i), std::sin(1.3 * i));
    const Vec3 direction = (Vec3(std::sin(2.0 * i), std::cos(5.0 * i), std::sin(9.0 * i)) - origin).normalized();
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& c : centers) {
      const double along = (c - origin).dot(direction), square = 0.09 - ((origin + along * direction) - c).squaredNorm();
      if (square > 0 && along - std::sqrt(square) >= 0) nearest = std::min(nearest, along - std::sqrt(square));
    }
    const auto found = cast_ray(world, origin, 7 * direction);
    ASSERT_EQ(found.has_value(), std::isfinite(nearest)) << i;
    if (!found) continue;
    EXPECT_NEAR(found->distance, nearest, 1e-12);
    ++met;
  }
  EXPECT_GT(met, 10);
}

}   // namespace
}   // namespace stickslip::testing
