#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"

namespace stickslip::trajectory_test {
namespace {

using test::Directory;
using ::testing::HasSubstr;

std::vector<double> numbers(hid_t file, const std::string& name) {
  const h5::Extent extent = h5::extent_of(h5::open_dataset(file, name).get());
  std::size_t count = 1;
  for (const hsize_t length : extent) count *= length;
  std::vector<double> values(count);
  h5::read_values(file, name, H5T_NATIVE_DOUBLE, values.data(), extent);
  return values;
}

/// Records `steps` steps; `meddle(world, step)` may change the world before each.
template <class Meddle>
void record(Scene& scene, const std::filesystem::path& path, int steps, Meddle meddle, RecordOptions options = {}) {
  const auto recorder = make_recorder(path, options);
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) {
    meddle(scene.world, i);
    recorder->record(scene.world, stepper.step(scene.world));
  }
  recorder->finish();
}
void record(Scene& scene, const std::filesystem::path& path, int steps, RecordOptions options = {}) {
  record(
      scene, path, steps, [](World&, int) {}, options);
}

TEST(Trajectory, a_falling_ball_is_recorded_on_its_parabola) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.h5", 150);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> time = numbers(file.get(), "time"), position = numbers(file.get(), "position");
  const std::vector<double> velocity = numbers(file.get(), "velocity"), orientation = numbers(file.get(), "orientation_wxyz");
  ASSERT_EQ(time.size(), 151u);
  ASSERT_EQ(position.size(), 151u * 3);
  const double h = scene.step.h, g = 9.81;
  for (std::size_t n = 0; n < time.size(); ++n) {
    const double t = static_cast<double>(n) * h;
    EXPECT_NEAR(time[n], t, 1e-12);
    // Semi-implicit Euler falls g h t / 2 ahead of the parabola; the midpoint scheme would not.
    EXPECT_NEAR(position[3 * n + 2], 10 - g * t * t / 2, g * h * t / 2 + 1e-9);
    EXPECT_NEAR(velocity[3 * n + 2], -g * t, 1e-9);
    EXPECT_EQ(orientation[4 * n], 1);
  }
  EXPECT_EQ(position[3 * 150 + 2], scene.world.bodies()[0].position.z());
  EXPECT_EQ(h5::read_text_attribute(file.get(), "format"), "stickslip-trajectory");
  EXPECT_EQ(h5::read_text_attribute(file.get(), "scene"), "falling ball");
}

TEST(Trajectory, a_contact_over_an_area_has_its_outline_its_centre_of_pressure_and_its_volume) {
  const Directory directory;
  Scene scene = load_scene("deflated-balls", std::vector<Override>{{"/parameters/count", "1"}});
  record(scene, directory / "t.h5", 5);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const auto offset = numbers(file.get(), "contacts/outline_offset"), outline = numbers(file.get(), "contacts/outline"),
             place = numbers(file.get(), "contacts/position"), pressure = numbers(file.get(), "contacts/center_of_pressure"),
             volume = numbers(file.get(), "contacts/volume"), position = numbers(file.get(), "position");
  ASSERT_EQ(offset, (std::vector<double>{0, 16, 32, 48, 64, 80}));
  ASSERT_EQ(outline.size(), 3 * 80u);
  // The ball has a radius of 0.1 m: where it cuts the ground, in the frame before the step of the contact.
  const double depth = 0.1 - position[3 * 2 * 4 + 5], radius = std::sqrt(depth * (0.2 - depth));
  for (std::size_t k = 64; k < 80; ++k)
    EXPECT_NEAR(std::hypot(outline[3 * k] - place[12], outline[3 * k + 1] - place[13]), radius, 1e-3 * radius) << k;
  EXPECT_NEAR(volume[4], std::numbers::pi * depth * depth * (0.3 - depth) / 3, 1e-3 * volume[4]);
  EXPECT_NEAR(pressure[12] - place[12], radius, 1e-2 * radius) << "it rolls along x, against the pressure at its front";
}

TEST(Trajectory, the_contact_impulses_of_a_frame_carry_the_weight) {
  const Directory directory;
  Scene scene = test::resting_box();
  record(scene, directory / "t.h5", 100);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> offset = numbers(file.get(), "contacts/offset"), impulse = numbers(file.get(), "contacts/impulse");
  const std::vector<double> a = numbers(file.get(), "contacts/body_a"), mass = numbers(file.get(), "bodies/mass");
  ASSERT_EQ(offset.size(), 102u);
  EXPECT_EQ(offset[1], 0) << "no contacts before the first step";
  double sum = 0;
  for (auto i = static_cast<std::size_t>(offset[100]); i < static_cast<std::size_t>(offset[101]); ++i)
    sum += (a[i] == 0 ? 1 : -1) * impulse[3 * i + 2];   // column 0 is the ground
  EXPECT_NEAR(sum, mass[1] * 9.81 * scene.step.h, 1e-4 * sum);
  EXPECT_GT(sum, 0);
}

TEST(Trajectory, bodies_that_come_and_go_have_columns_of_their_own) {
  const Directory directory;
  Scene scene = test::falling_ball();
  BodyId ball = scene.world.id_of(0), late;
  record(scene, directory / "t.h5", 30, [&](World& world, int step) {
    if (step == 10) world.remove(ball);
    if (step == 20) late = world.add(test::body_of(Box{{0.1, 0.2, 0.3}}, {1, 2, 3}, "late"));
  });
  EXPECT_EQ(late.index, ball.index) << "the slot is used again";
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> alive = numbers(file.get(), "alive"), position = numbers(file.get(), "position");
  ASSERT_EQ(alive.size(), 31u * 2);
  for (std::size_t n = 0; n <= 30; ++n) {
    EXPECT_EQ(alive[2 * n], n <= 10 ? 1 : 0) << n;
    EXPECT_EQ(alive[2 * n + 1], n > 20 ? 1 : 0) << n;
    EXPECT_EQ(std::isnan(position[6 * n]), n > 10) << n;
    EXPECT_EQ(std::isnan(position[6 * n + 3]), n <= 20) << n;
  }
  EXPECT_EQ(position[6 * 30 + 3], 1);
  const std::vector<double> size = numbers(file.get(), "shapes/size");
  EXPECT_EQ(size[0], 0.5);
  EXPECT_EQ(size[5], 0.3);
}

TEST(Trajectory, hull_vertices_are_stored_once_per_shape) {
  const Directory directory;
  Scene scene = test::everything();
  record(scene, directory / "t.h5", 3);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> count = numbers(file.get(), "shapes/vertex_count"),
                            vertices = numbers(file.get(), "shapes/vertices");
  double sum = 0;
  for (const double c : count) sum += c;
  EXPECT_EQ(sum, 8) << "two tetrahedra";
  EXPECT_EQ(vertices.size(), 24u);
}

TEST(Trajectory, others_read_it_while_it_grows) {
  const Directory directory;
  Scene scene = test::falling_ball();
  const auto recorder = make_recorder(directory / "t.h5", {.flush_interval = 0});
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int n = 1; n <= 100; ++n) {
    recorder->record(scene.world, stepper.step(scene.world));
    if (n % 20 != 0) continue;
    const h5::Handle file(
        h5::check(H5Fopen((directory / "t.h5").c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT), "open"), H5Fclose);
    const std::vector<double> time = numbers(file.get(), "time"), position = numbers(file.get(), "position");
    ASSERT_EQ(time.size(), static_cast<std::size_t>(n) + 1);
    ASSERT_EQ(position.size(), 3 * time.size());
    EXPECT_EQ(position.back(), scene.world.bodies()[0].position.z());
  }
  recorder->finish();
}

TEST(Trajectory, a_recorder_that_is_destroyed_unfinished_leaves_a_readable_file) {
  const Directory directory;
  Scene scene = test::falling_ball();
  {
    const auto recorder = make_recorder(directory / "t.h5", {.flush_interval = 0});
    recorder->begin(scene);
    Stepper stepper(scene.step);
    for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
  }
  const h5::Handle file = h5::open_file(directory / "t.h5");
  EXPECT_EQ(numbers(file.get(), "time").size(), 6u);
}

TEST(Trajectory, fewer_frames_per_second_keep_all_telemetry) {
  const Directory directory;
  Scene scene = test::falling_ball();   // h = 10 ms
  record(scene, directory / "t.h5", 100, {.frames_per_second = 25});
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> time = numbers(file.get(), "time");
  ASSERT_EQ(time.size(), 26u);
  for (std::size_t n = 0; n < time.size(); ++n) EXPECT_NEAR(time[n], 0.04 * static_cast<double>(n), 1e-9);
  EXPECT_EQ(numbers(file.get(), "telemetry/residual").size(), 100u);
}

TEST(Trajectory, telemetry_tells_the_fall_of_energy) {
  const Directory directory;
  Scene scene = test::falling_ball();
  record(scene, directory / "t.h5", 50);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> kinetic = numbers(file.get(), "telemetry/kinetic_energy"),
                            momentum = numbers(file.get(), "telemetry/momentum_z");
  const double mass = scene.world.bodies()[0].mass.mass, speed = 9.81 * 0.5;
  EXPECT_NEAR(kinetic.back(), mass * speed * speed / 2, 1e-9 * kinetic.back());
  EXPECT_NEAR(momentum.back(), -mass * speed, 1e-9 * mass * speed);
}

TEST(Records, a_full_disk_is_an_error_that_names_the_file) {
  const Directory directory;
  const Scene scene = test::falling_ball();
  for (const char* name : {"full.h5", "full.csv"}) {
    std::filesystem::create_symlink("/dev/full", directory / name);
    try {
      make_recorder(directory / name)->begin(scene);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
    }
  }
}

TEST(Records, bad_places_and_endings_are_errors_and_older_files_stay) {
  const Directory directory;
  const Scene scene = test::falling_ball();
  EXPECT_THROW(make_recorder(directory / "x.txt"), Error);
  EXPECT_THROW(make_recorder(directory / "x.h5", {.frames_per_second = -1}), Error);
  EXPECT_THROW(make_recorder(directory / "missing/x.h5")->begin(scene), Error);
  EXPECT_THROW(make_recorder(directory / "missing/x.csv")->begin(scene), Error);
  test::write_content(directory / "old.h5", "precious");
  make_recorder(directory / "old.h5");   // touches nothing before begin
  EXPECT_EQ(test::content_of(directory / "old.h5"), "precious");
  std::filesystem::create_directory(directory / "d.csv");
  EXPECT_THROW(make_recorder(directory / "d.csv")->begin(scene), Error);
}

TEST(Csv, every_row_has_a_value_under_every_name) {
  const Directory directory;
  Scene scene = test::resting_box();
  record(scene, directory / "t.csv", 20);
  std::ifstream file(directory / "t.csv");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  ASSERT_EQ(rows.size(), 21u);
  const auto& names = rows[0];
  const auto column = [&](const std::string& name) {
    const auto place = std::find(names.begin(), names.end(), name);
    EXPECT_NE(place, names.end()) << name;
    return static_cast<std::size_t>(place - names.begin());
  };
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), names.size());
    EXPECT_EQ(rows[i][column("step")], std::to_string(i));
  }
  EXPECT_EQ(std::stod(rows[20][column("time_s")]), scene.world.time) << "numbers keep their bits";
  EXPECT_EQ(std::stod(rows[20][column("kinetic_energy_J")]), scene.world.kinetic_energy());
  EXPECT_GE(std::stod(rows[20][column("contacts")]), 4);
}

TEST(Csv, ends_with_a_whole_row_whenever_its_writer_might_be_killed) {
  const Directory directory;
  Scene scene = test::resting_box();
  const auto recorder = make_recorder(directory / "t.csv");
  recorder->begin(scene);
  Stepper stepper(scene.step);
  std::string written;
  for (int i = 0; i < 40; ++i) {
    recorder->record(scene.world, stepper.step(scene.world));
    written = test::content_of(directory / "t.csv");
    EXPECT_TRUE(written.ends_with('\n')) << i;
  }
  EXPECT_GT(std::count(written.begin(), written.end(), '\n'), 20);
}

}   // namespace
}   // namespace stickslip::trajectory_test
