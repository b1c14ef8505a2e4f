// Sensors, efforts and armature in records and checkpoints.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "record_scenes.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"

namespace stickslip::sensors_test {
namespace {

using test::Directory;

/// A mechanism with an effort along a path, armature and a motor that follows one, on which sensors look.
Scene driven() {
  Scene scene = test::mechanism();
  World& world = scene.world;
  const auto change = [&](const char* name, int coordinate, auto&& f) {
    const JointId id = world.find_joint(name);
    JointAxis axis = world.joint(id).description.axes[static_cast<std::size_t>(coordinate)];
    f(axis);
    world.set_joint_axis(id, coordinate, axis);
  };
  change("elbow", joint_turn_z, [](JointAxis& a) {
    a.effort = JointEffort{7, 5, {{0, 0}, {0.3, 20}, {0.5, -3}}};
    a.armature = 0.2;
  });
  change("driven", joint_turn_z, [](JointAxis& a) { a.motor->path = {{0, 0}, {0.4, 9}}; });
  scene.sensors = {{"elbow", JointSensor{world.find_joint("elbow"), joint_turn_z}},
                   {"feel", InertialSensor{world.find("lower"), {{0.1, 0, 0}, Quat(1, 0, 1, 0).normalized()}}},
                   {"touch", ContactSensor{world.find("stone")}},
                   {"eye", RaySensor{world.find("upper"), Vec3::Zero(), {0, 0, -1}, 3}}};
  return scene;
}

TEST(SensorRecords, csv_and_trajectory_hold_what_a_reader_reads) {
  const Directory directory;
  Scene scene = driven();
  std::vector<std::unique_ptr<Recorder>> recorders;
  recorders.push_back(make_recorder(directory / "r.csv"));
  recorders.push_back(make_recorder(directory / "r.h5", {.frames_per_second = 50}));
  for (auto& r : recorders) r->begin(scene);
  SensorReader reader(scene.world, scene.sensors);
  Stepper stepper(scene.step);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 40; ++i) {
    const StepReport& report = stepper.step(scene.world);
    for (auto& r : recorders) r->record(scene.world, report);
    const auto values = reader.read(scene.world, report);
    rows.emplace_back(values.begin(), values.end());
  }
  for (auto& r : recorders) r->finish();

  std::ifstream csv(directory / "r.csv");
  std::string line, cell;
  std::getline(csv, line);
  EXPECT_NE(line.find(",elbow.position_rad,elbow.velocity_rad_per_s,elbow.effort_N_m,feel.acceleration_x_m_per_s2"), line.npos)
      << line;
  for (const auto& row : rows) {
    ASSERT_TRUE(std::getline(csv, line));
    std::vector<std::string> cells;
    std::istringstream in(line);
    while (std::getline(in, cell, ',')) cells.push_back(cell);
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(std::stod(cells[cells.size() - row.size() + i]), row[i]);
  }

  const h5::Handle file(H5Fopen((directory / "r.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const auto elbow = h5::read_list<double>(file.get(), "sensors/elbow"), eye = h5::read_list<double>(file.get(), "sensors/eye");
  ASSERT_EQ(elbow.size(), 3 * rows.size()) << "every step, whatever the frames";
  ASSERT_EQ(eye.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(elbow[3 * i], rows[i][0]);
    EXPECT_EQ(eye[i], rows[i].back());
  }
  EXPECT_GT(std::abs(rows[20][2]), 1) << "there is an effort to be seen";
}

TEST(SensorRecords, a_checkpoint_continues_motion_and_readings_to_the_same_bits) {
  const Directory directory;
  Scene through = driven();
  Stepper stepper(through.step);
  SensorReader reader(through.world, through.sensors);
  for (int i = 0; i < 30; ++i) reader.read(through.world, stepper.step(through.world));
  save_checkpoint(directory / "c.h5", through);
  Scene second = load_checkpoint(directory / "c.h5");
  EXPECT_EQ(second.world.state_hash(), through.world.state_hash());
  ASSERT_EQ(second.sensors.size(), through.sensors.size());
  const JointAxis& elbow = second.world.joint(second.world.find_joint("elbow")).description.axes[joint_turn_z];
  ASSERT_TRUE(elbow.effort);
  EXPECT_EQ(std::tie(elbow.armature, elbow.effort->force, elbow.effort->max_force), std::tuple(0.2, 7.0, 5.0));
  EXPECT_EQ(elbow.effort->path, (JointPath{{0, 0}, {0.3, 20}, {0.5, -3}}));
  EXPECT_EQ(second.world.joint(second.world.find_joint("driven")).description.axes[joint_turn_z].motor->path,
            (JointPath{{0, 0}, {0.4, 9}}));
  Stepper next(second.step);
  SensorReader again(second.world, second.sensors);
  for (int i = 0; i < 50; ++i) {
    const auto a = reader.read(through.world, stepper.step(through.world)),
               b = again.read(second.world, next.step(second.world));
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k], b[k]) << i << ' ' << k;
  }
  EXPECT_EQ(second.world.state_hash(), through.world.state_hash());
}

TEST(SensorRecords, a_checkpoint_from_before_efforts_goes_on_as_it_did_then) {
  const Directory directory;
  test::unpack_older_checkpoint("checkpoint-12.h5.gz", directory / "c.h5");
  Scene scene = load_checkpoint(directory / "c.h5");
  const JointAxis& axis = scene.world.joint(scene.world.find_joint("axle")).description.axes[joint_turn_z];
  EXPECT_TRUE(axis.motor && axis.motor->path.empty() && !axis.effort && axis.armature == 0);
  EXPECT_TRUE(scene.sensors.empty());
  test::simulate(scene, 20);
  // The servo follows its path to 0.3 rad, and sags by the weight of the arm over its stiffness.
  const double angle = scene.world.joint_position(scene.world.find_joint("shoulder"), joint_turn_z);
  EXPECT_GT(angle, 0.05);
  EXPECT_LT(angle, 0.3);
  EXPECT_NEAR(scene.world.body(scene.world.find("wheel")).angular_velocity.y(), 3, 1e-6);
}

}   // namespace
}   // namespace stickslip::sensors_test
