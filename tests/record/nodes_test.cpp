// Bodies of nodes in trajectories and replays: topology once, places in every frame.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nodes_scene.h"
#include "replay_reader.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"

namespace stickslip::nodes_test {
namespace {

using test::Directory;

std::vector<double> numbers(hid_t file, const std::string& name) {
  const h5::Extent extent = h5::extent_of(h5::open_dataset(file, name).get());
  std::size_t count = 1;
  for (const hsize_t length : extent) count *= length;
  std::vector<double> values(count);
  h5::read_values(file, name, H5T_NATIVE_DOUBLE, values.data(), extent);
  return values;
}

/// Records `steps` steps and tells what the nodes did; `meddle(world, step)` may change the world before each.
template <class Meddle>
test::NodeHistory record(Scene& scene, const std::filesystem::path& path, int steps, Meddle meddle) {
  test::NodeHistory history;
  history.keep(scene.world);
  const auto recorder = make_recorder(path);
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) {
    meddle(scene.world, i);
    const StepReport& report = stepper.step(scene.world);
    recorder->record(scene.world, report);
    history.keep(scene.world);
  }
  recorder->finish();
  return history;
}
test::NodeHistory record(Scene& scene, const std::filesystem::path& path, int steps) {
  return record(scene, path, steps, [](World&, int) {});
}

TEST(NodesOfTrajectory, keep_every_bit_of_places_and_velocities) {
  const Directory directory;
  Scene scene = test::beads();
  const test::NodeHistory history = record(scene, directory / "t.h5", 60);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> position = numbers(file.get(), "nodes/position"), velocity = numbers(file.get(), "nodes/velocity");
  ASSERT_EQ(position.size(), 61u * 29 * 3);
  ASSERT_EQ(velocity.size(), position.size());
  std::size_t at = 0;
  for (const auto& frame : history.frames)
    for (const NodalBody& nodes : frame)
      for (std::size_t i = 0; i < nodes.size(); ++i)
        for (int k = 0; k < 3; ++k, ++at) {
          ASSERT_EQ(position[at], nodes.positions[i][k]);
          ASSERT_EQ(velocity[at], nodes.velocities[i][k]);
        }
  EXPECT_NE(position[2], position[60 * 29 * 3 + 2]) << "something moved";
}

TEST(NodesOfTrajectory, have_their_topology_once_and_no_shapes) {
  const Directory directory;
  Scene scene = test::beads();
  record(scene, directory / "t.h5", 10);
  const h5::Handle file = h5::open_file(directory / "t.h5");
  EXPECT_EQ(numbers(file.get(), "nodes/body"), (std::vector<double>{2, 3}));
  EXPECT_EQ(numbers(file.get(), "nodes/radius"), (std::vector<double>{0.02, 0.01}));
  EXPECT_EQ(numbers(file.get(), "nodes/first_node"), (std::vector<double>{0, 24, 29}));
  EXPECT_EQ(numbers(file.get(), "nodes/first_triangle"), (std::vector<double>{0, 0, 2}));
  EXPECT_EQ(numbers(file.get(), "nodes/triangles"), (std::vector<double>{0, 1, 2, 0, 2, 3}));
  const std::vector<double> mass = numbers(file.get(), "nodes/mass"), of_bodies = numbers(file.get(), "bodies/mass");
  ASSERT_EQ(mass.size(), 29u);
  double sum = 0;
  for (std::size_t i = 0; i < 24; ++i) sum += mass[i];
  EXPECT_NEAR(sum, of_bodies[2], 1e-12 * sum);
  EXPECT_EQ(numbers(file.get(), "shapes/body"), (std::vector<double>{0, 1})) << "beads are not listed one by one";
}

TEST(NodesOfTrajectory, of_bodies_that_come_and_go_have_columns_of_their_own) {
  const Directory directory;
  Scene scene = test::falling_ball();
  BodyId first;
  record(scene, directory / "t.h5", 30, [&](World& world, int step) {
    if (step == 5) first = world.add(test::cloud());
    if (step == 10) world.remove(first);
    if (step == 20) world.add(test::kite());
  });
  const h5::Handle file = h5::open_file(directory / "t.h5");
  const std::vector<double> position = numbers(file.get(), "nodes/position");
  ASSERT_EQ(position.size(), 31u * 29 * 3);
  for (std::size_t n = 0; n <= 30; ++n) {
    EXPECT_EQ(std::isnan(position[n * 87]), n <= 5 || n > 10) << n;
    EXPECT_EQ(std::isnan(position[n * 87 + 72]), n <= 20) << n;
  }
  EXPECT_EQ(numbers(file.get(), "nodes/body"), (std::vector<double>{1, 2}));
}

TEST(NodesOfTrajectory, cost_as_much_in_every_frame_and_a_mesh_costs_once) {
  const Directory directory;
  const auto size_after = [&](int steps, bool meshed) {
    Scene scene;
    scene.world.gravity = Vec3::Zero();
    NodalDescription d;
    const int side = 100;
    unsigned state = 1;   // numbers that do not compress
    const auto noise = [&] { return 1e-9 * ((state = 1664525 * state + 1013904223) >> 8); };
    for (int i = 0; i < side * side; ++i) d.positions.push_back({i % side + noise(), i / side + noise(), noise()});
    d.velocity = {0.1, 0.2, 0.3};
    for (std::uint32_t i = 0; meshed && i + side + 1 < d.positions.size(); ++i)
      if (i % side + 1 < side)
        d.triangles.push_back({i, i + 1, i + side}), d.triangles.push_back({i + 1, i + side + 1, i + side});
    scene.world.add(std::move(d));
    const auto recorder =
        make_recorder(directory / "t.h5", {.flush_interval = 1000});   // sizes do not depend on how fast it runs
    recorder->begin(scene);
    StepReport report;
    for (int i = 0; i < steps; ++i) {
      for (NodalBody& nodes : scene.world.mutable_nodal_bodies())
        for (Vec3& x : nodes.positions) x *= 1.000001;
      recorder->record(scene.world, report);
    }
    recorder->finish();
    return static_cast<double>(std::filesystem::file_size(directory / "t.h5"));
  };
  const double ten = size_after(10, false), twenty = size_after(20, false), thirty = size_after(30, false);
  EXPECT_NEAR(thirty - twenty, twenty - ten, 0.1 * (twenty - ten));
  EXPECT_NEAR(size_after(30, true) - thirty, size_after(10, true) - ten, 0.05 * (thirty - twenty));
}

TEST(NodesOfReplay, decode_to_their_places_within_half_a_quantum) {
  const Directory directory;
  Scene scene = test::beads();
  BodyId late;
  const test::NodeHistory history = record(scene, directory / "r.html", 80, [&](World& world, int step) {
    if (step == 40) late = world.add(test::body_of(Sphere{0.1}, {3, 3, 3}, "late"));   // not in the replay
  });
  test::ReplayReader r = test::replay_of(directory / "r.html");
  r.at = 8;
  EXPECT_EQ(r.number<std::uint32_t>(), 6u);
  const auto length = r.number<std::uint32_t>();
  const auto head = nlohmann::json::parse(r.data.substr(r.at, length));
  r.at += length;
  const auto& cloud = head.at("bodies").at(2);
  EXPECT_EQ(head.at("protocol"), 6);
  EXPECT_TRUE(cloud.at("parts").empty());
  EXPECT_EQ(cloud.at("nodes").at("count"), 24);
  EXPECT_EQ(cloud.at("nodes").at("radius"), 0.02);
  EXPECT_FALSE(cloud.at("nodes").contains("triangles"));
  EXPECT_EQ(head.at("bodies").at(3).at("nodes").at("triangles"), nlohmann::json::parse("[[0,1,2],[0,2,3]]"));

  const std::size_t frames = head.at("frames");
  ASSERT_EQ(frames, 81u);
  for (std::size_t i = 0; i < 8 * 4 * frames; ++i) r.varint();   // poses of four bodies
  for (std::size_t body = 0; body < 2; ++body) {
    const auto& nodes = head.at("bodies").at(2 + body).at("nodes");
    const double quantum = nodes.at("quantum");
    EXPECT_LE(quantum, 1e-3 * nodes.at("radius").get<double>());
    for (int axis = 0; axis < 3; ++axis)
      for (std::size_t node = 0; node < nodes.at("count"); ++node) {
        std::int64_t before = 0, last = 0;
        for (std::size_t frame = 0; frame < frames; ++frame) {
          const std::int64_t predicted = frame == 0 ? 0 : frame == 1 ? last : 2 * last - before;
          before = std::exchange(last, predicted + r.varint());
          ASSERT_NEAR(quantum * static_cast<double>(last), history.frames[frame][body].positions[node][axis], 0.501 * quantum);
        }
      }
  }
}

TEST(NodesOfReplay, that_were_removed_stay_where_they_were_and_are_said_to_be_gone) {
  const Directory directory;
  Scene scene = test::beads();
  record(scene, directory / "r.html", 12, [&](World& world, int step) {
    if (step == 6) world.remove(world.find("cloud"));
  });
  test::ReplayReader r = test::replay_of(directory / "r.html");
  r.at = 12;
  r.at += r.number<std::uint32_t>();
  std::vector<std::int64_t> state;
  for (int channel = 0; channel < 8; ++channel)
    for (int body = 0; body < 4; ++body) {
      std::int64_t sum = 0;
      for (int frame = 0; frame < 13; ++frame) {
        sum += r.varint();
        if (channel == 7 && body == 2) state.push_back(sum);
      }
    }
  EXPECT_EQ(state, (std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2}));
  std::int64_t before = 0, last = 0;
  std::vector<std::int64_t> x;
  for (int frame = 0; frame < 13; ++frame) {
    const std::int64_t predicted = frame == 0 ? 0 : frame == 1 ? last : 2 * last - before;
    before = std::exchange(last, predicted + r.varint());
    x.push_back(last);
  }
  EXPECT_NE(x[5], x[6]);
  for (int frame = 7; frame < 13; ++frame) EXPECT_EQ(x[static_cast<std::size_t>(frame)], x[6]);
}

TEST(Description, says_equal_hulls_once) {
  const Directory directory;
  Scene scene = test::everything();
  record(scene, directory / "r.html", 1);
  test::ReplayReader r = test::replay_of(directory / "r.html");
  r.at = 12;
  const auto length = r.number<std::uint32_t>();
  const auto head = nlohmann::json::parse(r.data.substr(r.at, length));
  ASSERT_EQ(head.at("meshes").size(), 1u);
  EXPECT_EQ(head.at("meshes")[0].at("vertices").size(), 4u);
  EXPECT_EQ(head.at("meshes")[0].at("faces").size(), 4u);
  int hulls = 0;
  for (const auto& body : head.at("bodies"))
    for (const auto& part : body.at("parts"))
      if (part.at("shape").at("type") == "hull") {
        EXPECT_EQ(part.at("shape").at("mesh"), 0);
        ++hulls;
      }
  EXPECT_EQ(hulls, 2);
}

}   // namespace
}   // namespace stickslip::nodes_test
