// The replay page holds what was recorded: decoded here as docs/viewer-protocol.md says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "record/description.h"
#include "record_scenes.h"
#include "replay_reader.h"
#include "stickslip/math/error.h"
#include "stickslip/record/recorder.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using test::content_of;
using test::Directory;
using ::testing::HasSubstr;

using test::replay_of;
using Reader = test::ReplayReader;

TEST(ReplayPage, holds_poses_contacts_telemetry_and_histories_of_every_frame) {
  const Directory directory;
  Scene scene = load_scene("dominoes", std::vector<Override>{{"/step/keep_history", "true"}});
  const auto recorder = make_recorder(directory / "r.html");
  recorder->begin(scene);
  Stepper stepper(scene.step);
  std::vector<std::vector<Body>> bodies{{scene.world.bodies().begin(), scene.world.bodies().end()}};
  std::vector<StepReport> reports{StepReport{}};
  for (int i = 0; i < 40; ++i) {
    reports.push_back(stepper.step(scene.world));
    recorder->record(scene.world, reports.back());
    bodies.emplace_back(scene.world.bodies().begin(), scene.world.bodies().end());
  }
  recorder->finish();

  Reader r = replay_of(directory / "r.html");
  EXPECT_EQ(r.data.substr(0, 8), "SLREPLAY");
  r.at = 8;
  EXPECT_EQ(r.number<std::uint32_t>(), 6u);
  const auto length = r.number<std::uint32_t>();
  const auto head = nlohmann::json::parse(r.data.substr(r.at, length));
  r.at += length;
  const double quantum = head.at("quantum"), force_unit = head.at("force_unit");
  const std::size_t frames = head.at("frames"), count = head.at("bodies").size();
  ASSERT_EQ(frames, 41u);
  ASSERT_EQ(count, scene.world.body_count());
  ASSERT_EQ(head.at("contact_stride"), 1);
  EXPECT_EQ(head.at("step_of_frame").back(), 40);
  EXPECT_NEAR(head.at("time_of_frame").back().get<double>(), scene.world.time, 1e-12);

  double worst_position = 0, worst_turn = 0;
  std::vector<std::array<double, 8>> value(frames * count);
  for (int channel = 0; channel < 8; ++channel)
    for (std::size_t body = 0; body < count; ++body) {
      std::int64_t sum = 0;
      for (std::size_t frame = 0; frame < frames; ++frame)
        value[frame * count + body][channel] = static_cast<double>(sum += r.varint());
    }
  for (std::size_t frame = 0; frame < frames; ++frame)
    for (std::size_t body = 0; body < count; ++body) {
      const auto& v = value[frame * count + body];
      const Body& b = bodies[frame][body];
      worst_position = std::max(worst_position, (quantum * Vec3(v[0], v[1], v[2]) - b.position).cwiseAbs().maxCoeff());
      const Quat q = Quat(v[3], v[4], v[5], v[6]).normalized();
      worst_turn = std::max(worst_turn, q.angularDistance(b.orientation));
      EXPECT_EQ(v[7], 0);
    }
  EXPECT_LE(worst_position, 0.501 * quantum);
  EXPECT_LE(worst_turn, 1e-4);

  std::vector<std::size_t> contacts;
  for (std::size_t frame = 0; frame < frames; ++frame) contacts.push_back(static_cast<std::size_t>(r.varint()));
  std::array<std::vector<double>, 16> channels;
  std::size_t total = 0;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    EXPECT_EQ(contacts[frame], reports[frame].contacts.size());
    total += contacts[frame];
  }
  ASSERT_GT(total, 100u);
  for (auto& channel : channels)
    for (std::size_t i = 0; i < total; ++i) channel.push_back(static_cast<double>(r.varint()));
  std::size_t i = 0;
  for (std::size_t frame = 0; frame < frames; ++frame)
    for (const ContactRecord& c : reports[frame].contacts) {
      const Body& a = bodies[frame][c.body_a.index];
      EXPECT_EQ(channels[0][i], c.body_a.index);
      EXPECT_EQ(channels[1][i], c.body_b.index);
      const Vec3 origin = a.motion == MotionType::fixed ? Vec3(Vec3::Zero()) : a.position;
      const auto three = [&](int first) { return Vec3(channels[first][i], channels[first + 1][i], channels[first + 2][i]); };
      EXPECT_LE((origin + quantum * three(2) - c.position).cwiseAbs().maxCoeff(), 0.501 * quantum);
      EXPECT_LE((three(5) / 127 - c.normal).cwiseAbs().maxCoeff(), 0.51 / 127);
      EXPECT_LE((three(8) * force_unit / 1000 - c.impulse / reports[frame].h).cwiseAbs().maxCoeff(), 0.51e-3 * force_unit);
      EXPECT_NEAR(channels[11][i] * quantum, c.gap, 0.501 * quantum);
      EXPECT_LE((1e-6 * three(12) - c.slip_velocity).cwiseAbs().maxCoeff(), 0.51e-6);
      EXPECT_NEAR(channels[15][i] / 1000, c.friction, 0.51e-3);
      ++i;
    }
  const auto& columns = head.at("telemetry");
  for (const auto& column : columns)
    for (std::size_t frame = 0; frame < frames; ++frame) {
      const auto number = r.number<float>();
      if (column.at("name") == "contacts") {
        EXPECT_EQ(number, static_cast<float>(reports[frame].contacts.size()));
      }
    }
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto n = r.number<std::uint32_t>();
    const std::vector<double> history =
        reports[frame].solve ? reports[frame].solve->history : std::vector<double>();   // none before the first step
    ASSERT_EQ(n, history.size());
    for (std::uint32_t k = 0; k < n; ++k) {
      EXPECT_EQ(r.number<std::uint32_t>(), k);
      EXPECT_EQ(r.number<float>(), static_cast<float>(history[k]));
    }
  }
  EXPECT_EQ(r.at, r.data.size());
}

/// The varints that a replay ends with.
std::vector<std::int64_t> last_varints(const std::string& data, int count) {
  test::ReplayReader reader{data, data.size()};
  for (int numbers = 0; numbers < count; ++numbers) {
    --reader.at;
    while (static_cast<unsigned char>(data[reader.at - 1]) >= 0x80) --reader.at;
  }
  std::vector<std::int64_t> last;
  while (reader.at < data.size()) last.push_back(reader.varint());
  return last;
}

TEST(ReplayPage, brings_the_surface_of_what_bodies_share_only_where_it_is_asked_for) {
  const test::Directory directory;
  for (const bool asked : {false, true}) {
    Scene scene = parse_scene(R"({"step": {"h": 0.01, "contact": "volume", "overlap": 0.01}, "bodies": [
        {"motion": "fixed", "shape": {"type": "half-space"}},
        {"shape": {"type": "box", "half_extents": [0.1, 0.2, 0.05]}, "position": [0.3, 0, 0.049]}]})",
                              "sunk.json");
    const auto recorder = make_recorder(directory / "r.html", {.overlaps = asked});
    recorder->begin(scene);
    Stepper stepper(scene.step);
    const StepReport report = stepper.step(scene.world);
    recorder->record(scene.world, report);
    recorder->finish();
    const std::string data = test::replay_of(directory / "r.html").data;
    EXPECT_EQ(data.find("\"contact_overlaps\":true") != data.npos, asked);
    if (!asked) continue;
    // At the end: one surface of contact 0, with the eight corners and twelve triangles of a flat box.
    const std::vector<std::int64_t> last = last_varints(data, 64);
    EXPECT_EQ(std::vector<std::int64_t>(last.begin(), last.begin() + 3), (std::vector<std::int64_t>{1, 0, 8}));
    EXPECT_EQ(last[27], 12);
    Vec3 lower = Vec3::Constant(1), upper = -lower;
    std::int64_t value = 0;
    for (std::size_t k = 0; k < 24; ++k) {
      value += last[3 + k];
      const std::size_t axis = k / 8;
      const double place =
          1e-3 * position_quantum(scene.world) * static_cast<double>(value) + report.contacts[0].position[axis];
      lower[axis] = std::min(lower[axis], place), upper[axis] = std::max(upper[axis], place);
    }
    EXPECT_LT((lower - Vec3(0.2, -0.2, scene.world.bodies()[1].position.z() - 0.05)).cwiseAbs().maxCoeff(), 2e-8);
    EXPECT_LT((upper - Vec3(0.4, 0.2, 0)).cwiseAbs().maxCoeff(), 2e-8);
  }
}

TEST(ReplayPage, tells_of_outlines_only_where_contacts_stand_for_areas) {
  const test::Directory directory;
  for (const char* form : {"patch", "points"}) {
    Scene scene = load_scene("nested-stack",
                             std::vector<Override>{{"/parameters/count", "1"}, {"/step/contact", fmt::format("\"{}\"", form)}});
    const auto recorder = make_recorder(directory / "r.html", {});
    recorder->begin(scene);
    Stepper stepper(scene.step);
    const StepReport report = stepper.step(scene.world);
    recorder->record(scene.world, report);
    recorder->finish();
    const std::string data = test::replay_of(directory / "r.html").data;
    const bool is_patch = std::string_view(form) == "patch";
    EXPECT_EQ(data.find("\"contact_areas\":true") != data.npos, is_patch);
    if (!is_patch) continue;
    // At the end: no area before the first step, then one of contact 0 with four corners, its centre of pressure in its middle.
    const std::vector<std::int64_t> last = last_varints(data, 20);
    ASSERT_TRUE(report.contacts.size() == 1 && report.contacts[0].outline);
    const ContactOutline& outline = *report.contacts[0].outline;
    const double side = (outline.corners[1] - outline.corners[0]).norm(), nanometre = 1e-9;
    EXPECT_NEAR(nanometre * static_cast<double>(last[4]), outline.volume / (side * side), 0.5 * nanometre) << "mean depth";
    EXPECT_EQ(std::vector<std::int64_t>(last.begin(), last.begin() + 4), (std::vector<std::int64_t>{0, 1, 0, 4}));
    std::int64_t sum = 0;
    for (std::size_t k = 8; k < 20; k += 3) {
      EXPECT_EQ(std::abs(last[k]), std::abs(last[k + 1]));
      EXPECT_GT(std::abs(last[k]), 1000);
      sum += last[k];
    }
    EXPECT_EQ(sum, 0);
  }
}

TEST(ReplayPage, of_500_bodies_and_500_frames_is_smaller_than_5_megabytes) {
  const Directory directory;
  Scene scene = load_scene(
      "boxes",
      std::vector<Override>{{"/parameters/count", "500"}, {"/step/max_iterations", "5"}, {"/step/solver", "\"prox-gs\""}});
  const auto recorder = make_recorder(directory / "r.html");
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < 499; ++i) recorder->record(scene.world, stepper.step(scene.world));
  recorder->finish();
  EXPECT_LT(std::filesystem::file_size(directory / "r.html"), 5'000'000u);
}

TEST(ReplayPage, keeps_the_older_page_until_the_new_one_is_whole) {
  const Directory directory;
  test::write_content(directory / "r.html", "older");
  const Scene scene = load_scene("dominoes");
  {
    const auto recorder = make_recorder(directory / "r.html");
    recorder->begin(scene);
    EXPECT_EQ(content_of(directory / "r.html"), "older");
  }
  EXPECT_THAT(content_of(directory / "r.html"), HasSubstr("<script id=\"replay\""));   // left without finish: what there was
  EXPECT_THROW(make_recorder(directory / "missing/r.html")->begin(scene), Error);
}

}   // namespace
}   // namespace stickslip
