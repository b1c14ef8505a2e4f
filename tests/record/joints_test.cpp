// Joints in checkpoints, trajectories and ParaView files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "record/joint_sample.h"
#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"

namespace stickslip::joints_test {
namespace {

using test::Directory;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(JointCheckpoint, a_mechanism_continues_to_the_same_bits) {
  const Directory directory;
  Scene through = test::mechanism();
  test::simulate(through, 160);
  for (const int before : {0, 1, 60}) {
    Scene first = test::mechanism();
    test::simulate(first, before);
    save_checkpoint(directory / "c.h5", first);
    Scene second = load_checkpoint(directory / "c.h5");
    EXPECT_EQ(second.world.state_hash(), first.world.state_hash());
    test::simulate(second, 160 - before);
    EXPECT_EQ(second.world.state_hash(), through.world.state_hash()) << before;
  }
  EXPECT_TRUE(through.world.joint(through.world.find_joint("thread")).broken) << "the test has a joint that breaks";
  EXPECT_GT(std::abs(through.world.joint_position(through.world.find_joint("driven"), joint_turn_z)), 7)
      << "and one that turns round and round";
}

TEST(JointCheckpoint, everything_about_a_joint_survives) {
  const Directory directory;
  Scene scene = test::mechanism();
  test::simulate(scene, 30);
  Joint& odd = scene.world.mutable_joints()[scene.world.find_joint("elbow").index];
  odd.memory.locked = {1, 2, 3, 4, 5, 6}, odd.memory.swing = 7, odd.memory.coupling = 8, odd.memory.force = {9, 10, 11};
  odd.memory.motor = {-1, 0, 0, 0, 0, 0}, odd.memory.servo = {0, -2, 0, 0, 0, 0}, odd.memory.spring = {0, 0, -3, 0, 0, 0};
  odd.memory.friction = {0, 0, 0, -4, 0, 0}, odd.memory.lower = {0, 0, 0, 0, -5, 0}, odd.memory.upper = {0, 0, 0, 0, 0, -6};
  save_checkpoint(directory / "c.h5", scene);
  const Scene loaded = load_checkpoint(directory / "c.h5");
  ASSERT_EQ(loaded.world.joints().size(), scene.world.joints().size());
  EXPECT_EQ(loaded.world.joint_count(), scene.world.joint_count());
  EXPECT_EQ(loaded.world.ignored_pairs(), scene.world.ignored_pairs());
  EXPECT_FALSE(loaded.step.geometric_stiffness);
  for (std::uint32_t i = 0; i < scene.world.joints().size(); ++i) {
    const Joint &a = scene.world.joints()[i], &b = loaded.world.joints()[i];
    const JointDescription &x = a.description, &y = b.description;
    SCOPED_TRACE(x.name);
    EXPECT_EQ(std::tie(a.generation, a.alive, a.broken, a.row_length, a.coupling_start, a.turns),
              std::tie(b.generation, b.alive, b.broken, b.row_length, b.coupling_start, b.turns));
    EXPECT_EQ(
        std::tie(x.name, x.type, x.a, x.b, x.swing_limit, x.length, x.pitch, x.ratio, x.collide, x.break_force, x.break_torque),
        std::tie(y.name, y.type, y.a, y.b, y.swing_limit, y.length, y.pitch, y.ratio, y.collide, y.break_force,
                 y.break_torque));
    EXPECT_EQ(std::tie(x.first.joint, x.first.coordinate, x.second.joint, x.second.coordinate),
              std::tie(y.first.joint, y.first.coordinate, y.second.joint, y.second.coordinate));
    EXPECT_EQ(x.frame_a.position, y.frame_a.position);
    EXPECT_EQ(x.frame_b.orientation.coeffs(), y.frame_b.orientation.coeffs());
    EXPECT_EQ(std::tie(a.memory.locked, a.memory.motor, a.memory.servo, a.memory.spring, a.memory.friction, a.memory.lower,
                       a.memory.upper, a.memory.coupling, a.memory.swing),
              std::tie(b.memory.locked, b.memory.motor, b.memory.servo, b.memory.spring, b.memory.friction, b.memory.lower,
                       b.memory.upper, b.memory.coupling, b.memory.swing));
    EXPECT_EQ(a.memory.force, b.memory.force);
    for (std::size_t c = 0; c < kJointCoordinates; ++c) {
      const JointAxis &p = x.axes[c], &q = y.axes[c];
      EXPECT_EQ(std::tie(p.locked, p.lower, p.upper, p.limit_stiffness, p.limit_damping, p.friction),
                std::tie(q.locked, q.lower, q.upper, q.limit_stiffness, q.limit_damping, q.friction));
      ASSERT_EQ(p.motor.has_value(), q.motor.has_value());
      if (p.motor) {
        EXPECT_EQ(std::tie(p.motor->speed, p.motor->max_force), std::tie(q.motor->speed, q.motor->max_force));
      }
      ASSERT_EQ(p.servo.has_value(), q.servo.has_value());
      if (p.servo) {
        EXPECT_EQ(std::tie(p.servo->target, p.servo->stiffness, p.servo->damping, p.servo->max_force, p.servo->path),
                  std::tie(q.servo->target, q.servo->stiffness, q.servo->damping, q.servo->max_force, q.servo->path));
      }
      ASSERT_EQ(p.spring.has_value(), q.spring.has_value());
      if (p.spring) {
        EXPECT_EQ(std::tie(p.spring->rest, p.spring->stiffness, p.spring->damping),
                  std::tie(q.spring->rest, q.spring->stiffness, q.spring->damping));
      }
    }
  }
}

/// A box that slides on the ground, after 20 steps.
constexpr const char* kBeforeJoints = "checkpoint-2.h5.gz";

TEST(JointCheckpoint, a_checkpoint_of_the_time_before_joints_is_read_and_runs_on) {
  const Directory directory;
  test::unpack_older_checkpoint(kBeforeJoints, directory / "c.h5");
  EXPECT_TRUE(is_checkpoint(directory / "c.h5"));
  Scene scene = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(scene.name, "old-box");
  EXPECT_EQ(scene.world.joints().size(), 0u);
  EXPECT_EQ(scene.world.step_count, 20u);
  const BodyId box = scene.world.find("box");
  EXPECT_EQ(scene.world.body(box).position, Vec3(0.048022499832044999, 2.0142894272141135e-10, 0.25000000032989494));
  test::simulate(scene, 30);
  EXPECT_NEAR(scene.world.body(box).position.z(), 0.25, 1e-6);
  save_checkpoint(directory / "d.h5", scene);
  EXPECT_EQ(load_checkpoint(directory / "d.h5").world.state_hash(), scene.world.state_hash());
}

TEST(JointCheckpoint, a_damaged_checkpoint_of_the_older_format_is_refused_too) {
  const Directory directory;
  test::unpack_older_checkpoint(kBeforeJoints, directory / "c.h5");
  std::string bytes = test::content_of(directory / "c.h5");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  test::write_content(directory / "c.h5", bytes);
  EXPECT_THROW(load_checkpoint(directory / "c.h5"), Error);
}

std::vector<double> numbers(hid_t file, const std::string& name, h5::Extent* shape = nullptr) {
  const h5::Extent extent = h5::extent_of(h5::open_dataset(file, name).get());
  std::size_t count = 1;
  for (const hsize_t length : extent) count *= length;
  std::vector<double> values(count);
  h5::read_values(file, name, H5T_NATIVE_DOUBLE, values.data(), extent);
  if (shape) *shape = extent;
  return values;
}

/// Records `steps` steps; `meddle(world, step)` may change the world before each.
template <class Meddle>
std::vector<StepReport> record(Scene& scene, const std::filesystem::path& path, int steps, Meddle meddle) {
  const auto recorder = make_recorder(path);
  recorder->begin(scene);
  Stepper stepper(scene.step);
  std::vector<StepReport> reports;
  for (int i = 0; i < steps; ++i) {
    meddle(scene.world, i);
    reports.push_back(stepper.step(scene.world));
    recorder->record(scene.world, reports.back());
  }
  recorder->finish();
  return reports;
}
constexpr auto let_it_be = [](World&, int) {};

TEST(JointTrajectory, the_force_of_a_hook_carries_the_weight) {
  const Directory directory;
  Scene scene = test::hanging_weight();
  record(scene, directory / "t.h5", 50, let_it_be);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  h5::Extent shape;
  const std::vector<double> force = numbers(file.get(), "joints/force", &shape);
  EXPECT_EQ(shape, (h5::Extent{51, 1, 3}));
  EXPECT_TRUE(std::isnan(force[2])) << "no step led to the first frame";
  EXPECT_NEAR(force[3 * 50 + 2], 100 * 9.81, 1e-4 * 981);
  EXPECT_EQ(numbers(file.get(), "joints/body_a"), std::vector<double>{-1}) << "the world";
  EXPECT_EQ(numbers(file.get(), "joints/body_b"), std::vector<double>{0});
  EXPECT_THAT(numbers(file.get(), "joints/alive"), Each(1));
  EXPECT_THAT(numbers(file.get(), "joints/broken"), Each(0));
  const std::vector<double> error = numbers(file.get(), "joints/error");
  EXPECT_LT(error.back(), 1e-6);
  EXPECT_EQ(numbers(file.get(), "telemetry/joints").back(), 1);
  EXPECT_EQ(numbers(file.get(), "telemetry/joint_error_max").back(), error.back());
}

TEST(JointTrajectory, every_number_is_that_of_the_report) {
  const Directory directory;
  Scene scene = test::mechanism();
  const std::vector<StepReport> reports = record(scene, directory / "t.h5", 40, let_it_be);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  h5::Extent shape;
  const std::vector<double> position = numbers(file.get(), "joints/position", &shape),
                            velocity = numbers(file.get(), "joints/velocity");
  const std::vector<double> motor = numbers(file.get(), "joints/motor_force"), torque = numbers(file.get(), "joints/torque");
  const std::size_t count = scene.world.joint_count();
  ASSERT_EQ(shape, (h5::Extent{41, count, 6}));
  std::vector<std::size_t> column;   // of each slot: only joints that are there have one
  std::size_t next = 0;
  for (const Joint& joint : scene.world.joints()) column.push_back(joint.alive ? next++ : count);
  ASSERT_FALSE(scene.world.joints()[0].alive);
  for (std::size_t t = 1; t <= 40; ++t)
    for (const JointRecord& joint : reports[t - 1].joints) {
      const std::size_t at = t * count + column[joint.joint.index];
      for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_EQ(position[6 * at + c], joint.position[c]);
        EXPECT_EQ(velocity[6 * at + c], joint.velocity[c]);
        EXPECT_EQ(motor[6 * at + c], joint.motor_force[c]);
      }
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(torque[3 * at + k], joint.torque[static_cast<int>(k)]);
    }
  const std::size_t gear = column[scene.world.find_joint("gear").index],
                    driven = column[scene.world.find_joint("driven").index];
  EXPECT_EQ(numbers(file.get(), "joints/first")[gear], static_cast<double>(driven));
  EXPECT_EQ(numbers(file.get(), "joints/second")[driven], -1);
}

TEST(JointTrajectory, a_broken_joint_exerts_nothing_and_its_place_is_still_told) {
  const Directory directory;
  Scene scene = test::hanging_weight(500);
  const std::vector<StepReport> reports = record(scene, directory / "t.h5", 20, let_it_be);
  ASSERT_TRUE(reports[0].joints.at(0).broke);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> broken = numbers(file.get(), "joints/broken"), force = numbers(file.get(), "joints/force");
  const std::vector<double> position = numbers(file.get(), "joints/position"),
                            breaks = numbers(file.get(), "telemetry/joints_broken");
  for (std::size_t t = 0; t <= 20; ++t) EXPECT_EQ(broken[t], t > 0) << t;
  EXPECT_NEAR(force[3 + 2], 981, 1) << "what broke it";
  EXPECT_EQ(force[3 * 20 + 2], 0);
  const double fallen = 2 - 1 - scene.world.bodies()[0].position.z();
  EXPECT_NEAR(position[6 * 20 + 2], -fallen, 1e-9) << "the two frames part";
  EXPECT_EQ(breaks[0], 1);
  EXPECT_EQ(breaks[1], 0);
}

TEST(JointTrajectory, joints_that_come_and_go_have_columns_of_their_own) {
  const Directory directory;
  Scene scene = test::falling_ball();
  JointId late, later;
  const auto pin = [&](World& world, const char* name) {
    JointDescription d;
    d.name = name;
    d.b = world.id_of(0);
    place_joint(d, world, world.bodies()[0].position);
    return world.add(d);
  };
  record(scene, directory / "t.h5", 30, [&](World& world, int step) {
    if (step == 10) late = pin(world, "late");
    if (step == 20) world.remove(late);
    if (step == 25) later = pin(world, "later");
  });
  EXPECT_EQ(late.index, later.index) << "the slot is used again";
  const h5::Handle file = h5::open_file(directory / "t.h5");
  h5::Extent shape;
  const std::vector<double> alive = numbers(file.get(), "joints/alive", &shape), force = numbers(file.get(), "joints/force");
  ASSERT_EQ(shape, (h5::Extent{31, 2}));
  for (std::size_t t = 0; t <= 30; ++t) {
    EXPECT_EQ(alive[2 * t], t > 10 && t <= 20) << t;
    EXPECT_EQ(alive[2 * t + 1], t > 25) << t;
    EXPECT_EQ(std::isnan(force[6 * t + 2]), !(t > 10 && t <= 20)) << t;
  }
  EXPECT_EQ(numbers(file.get(), "time").size(), 31u);
}

TEST(JointTrajectory, a_run_without_joints_has_an_empty_group_of_the_right_length) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.h5", 10, let_it_be);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  h5::Extent shape;
  numbers(file.get(), "joints/force", &shape);
  EXPECT_EQ(shape, (h5::Extent{11, 0, 3}));
}

TEST(JointVtk, joints_have_points_with_their_forces_and_scenes_without_have_no_such_file) {
  const Directory directory;
  Scene scene = test::hanging_weight();
  record(scene, directory / "t.pvd", 5, let_it_be);
  const std::string list = test::content_of(directory / "t.pvd"), frame = test::content_of(directory / "t/joints_000005.vtp");
  EXPECT_THAT(list, HasSubstr("part=\"2\" name=\"joints\" file=\"t/joints_000005.vtp\""));
  EXPECT_THAT(frame, HasSubstr("NumberOfPoints=\"1\""));
  for (const char* name : {"force_N", "torque_N_m", "error_m", "broken", "conflicts", "joint", "type", "body_a", "body_b"})
    EXPECT_THAT(frame, HasSubstr("Name=\"" + std::string(name) + "\""));
  Scene without = test::falling_ball();
  record(without, directory / "t.pvd", 2, let_it_be);
  EXPECT_THAT(test::content_of(directory / "t.pvd"), ::testing::Not(HasSubstr("joints")));
  EXPECT_FALSE(std::filesystem::exists(directory / "t/joints_000000.vtp")) << "nothing of the older record stays";
}

TEST(JointSamples, tell_resting_broken_removed_and_contradicting_joints_apart) {
  Scene scene = test::mechanism();
  World& world = scene.world;
  const JointId elbow = world.find_joint("elbow"), rope = world.find_joint("rope"), thread = world.find_joint("thread");
  world.mutable_joints()[thread.index].broken = true;
  StepReport report;
  EXPECT_TRUE(std::isnan(JointSamples(world, report).of(rope).force.x())) << "no step yet";
  report.h = 0.01;
  report.joints.push_back({.joint = elbow, .force = {1, 2, 3}});
  report.conflicts.push_back({elbow, 0.1});
  const JointSamples samples(world, report);
  EXPECT_EQ(samples.of(elbow).state, JointState::conflicts);
  EXPECT_EQ(samples.of(elbow).force, Vec3(1, 2, 3));
  EXPECT_EQ(samples.of(rope).state, JointState::rests);
  EXPECT_EQ(samples.of(rope).force, Vec3(Vec3::Zero())) << "it hangs loose";
  EXPECT_NEAR(samples.of(rope).position[joint_x], std::sqrt(0.5), 1e-12);
  world.set_velocity(world.find("bob"), {1, 0, 0}, Vec3::Zero());
  EXPECT_NEAR(samples.of(rope).velocity[joint_x], -std::sqrt(0.5), 1e-12) << "it comes nearer";
  EXPECT_EQ(samples.of(thread).state, JointState::broken);
  EXPECT_EQ(samples.of(thread).force, Vec3(Vec3::Zero()));
  world.remove(rope);
  EXPECT_EQ(JointSamples(world, report).of(rope).state, JointState::absent);
}

}   // namespace
}   // namespace stickslip::joints_test
