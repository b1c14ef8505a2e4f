// The joints that a replay tells about: decoded here as docs/viewer-protocol.md says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "record/description.h"
#include "record/joint_description.h"
#include "record_scenes.h"
#include "replay_reader.h"
#include "stickslip/record/recorder.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using Json = nlohmann::json;

Vec3 vector_of(const Json& j) { return Vec3(j[0].get<double>(), j[1].get<double>(), j[2].get<double>()); }
Quat quaternion_of(const Json& j) {
  return Quat(j[0].get<double>(), j[1].get<double>(), j[2].get<double>(), j[3].get<double>());
}

TEST(JointDescription, frames_on_the_described_bodies_are_where_the_world_has_them) {
  Scene scene = test::mechanism();
  // A body whose frame is not at its centre of mass.
  BodyDescription lopsided;
  lopsided.name = "lopsided";
  lopsided.parts = {{Sphere{0.2}, {{0.5, 0.1, 0}}, {}}, {Sphere{0.1}, {{0, 0, 0.3}}, {}}};
  lopsided.pose = {{0, 4, 2}, Quat(0.8, 0.1, 0.5, 0.2).normalized()};
  JointDescription ball;
  ball.name = "ball";
  ball.type = JointType::ball;
  ball.a = scene.world.find("upper");
  ball.b = scene.world.add(lopsided);
  ball.swing_limit = 0.5;
  place_joint(ball, scene.world, {0.1, 3.9, 2.2}, {1, 2, 3});
  scene.world.add(ball);

  const Json description = describe_scene(scene, 1e-6);
  const std::vector<BodyId> bodies = described_bodies(scene.world);
  const std::vector<JointId> ids = described_joints(scene.world);
  ASSERT_EQ(description.at("joints").size(), ids.size());
  ASSERT_EQ(ids.size(), scene.world.joint_count());
  const auto in_world = [&](const Json& body, const Json& frame) {
    const Pose local{vector_of(frame.at("position")), quaternion_of(frame.at("orientation_wxyz"))};
    if (body == -1) return local;
    const Body& b = scene.world.body(bodies.at(body.get<std::size_t>()));
    return Pose{b.position, b.orientation} * local;
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Joint& joint = scene.world.joint(ids[i]);
    const Json& d = description["joints"][i];
    SCOPED_TRACE(d.dump());
    EXPECT_EQ(d.at("name"), joint.description.name);
    EXPECT_EQ(d.at("type"), joint_type_name(joint.description.type));
    if (joint.description.type == JointType::gear) {
      EXPECT_EQ(ids.at(d.at("first").at("joint").get<std::size_t>()), joint.description.first.joint);
      EXPECT_EQ(d.at("second").at("coordinate"), "turn_z");
      continue;
    }
    const JointPlace place = locate(scene.world, joint);
    const Pose a = in_world(d.at("a"), d.at("frame_a")), b = in_world(d.at("b"), d.at("frame_b"));
    EXPECT_LT((a.position - place.frame_a.position).norm(), 1e-12);
    EXPECT_LT((b.position - place.frame_b.position).norm(), 1e-12);
    EXPECT_LT(a.orientation.angularDistance(place.frame_a.orientation), 1e-7);
    EXPECT_LT(b.orientation.angularDistance(place.frame_b.orientation), 1e-7);
    EXPECT_EQ(d.at("free").size() + d.at("locked").size(), joint.description.type != JointType::distance ? 6u
                                                           : joint.description.axes[joint_x].locked      ? 0u
                                                                                                         : 1u);
  }
  const auto named = [&](const char* name) {
    return description["joints"]
                      [static_cast<std::size_t>(std::find(ids.begin(), ids.end(), scene.world.find_joint(name)) - ids.begin())];
  };
  EXPECT_EQ(named("elbow")["free"], Json::parse(R"([{"coordinate": "turn_z", "lower": -0.2, "upper": 0.4, "friction": 0.3}])"));
  EXPECT_EQ(named("shoulder")["free"][0]["servo"],
            Json::parse(R"({"target": 0.3, "stiffness": 400.0, "damping": 30.0, "max_force": 500.0, "follows_path": true})"));
  EXPECT_FALSE(named("shoulder")["free"][0].contains("upper")) << "JSON has no infinity";
  EXPECT_EQ(named("ball")["swing_limit"], 0.5);
  EXPECT_EQ(named("thread")["length"], 1);
  EXPECT_EQ(named("thread")["break_force"], 30);
  EXPECT_FALSE(describe_scene(test::falling_ball(), 1e-6).contains("joints"));
}

/// Running sums of the differences of one channel.
std::vector<double> channel(test::ReplayReader& r, std::size_t frames) {
  std::vector<double> values;
  std::int64_t sum = 0;
  for (std::size_t f = 0; f < frames; ++f) values.push_back(static_cast<double>(sum += r.varint()));
  return values;
}

TEST(JointReplay, every_frame_tells_what_the_reports_said) {
  const test::Directory directory;
  Scene scene = test::mechanism();
  const auto recorder = make_recorder(directory / "r.html");
  recorder->begin(scene);
  Stepper stepper(scene.step);
  std::vector<StepReport> reports{StepReport{}};
  for (int i = 0; i < 40; ++i) {
    reports.push_back(stepper.step(scene.world));
    recorder->record(scene.world, reports.back());
  }
  recorder->finish();

  test::ReplayReader r = test::replay_of(directory / "r.html");
  r.at = 12;
  const auto length = r.number<std::uint32_t>();
  const Json head = Json::parse(r.data.substr(r.at, length));
  r.at += length;
  const std::size_t frames = head.at("frames");
  ASSERT_EQ(head.at("joint_stride"), 1);
  for (std::size_t i = 0; i < 8 * head.at("bodies").size() * frames; ++i) r.varint();
  std::size_t contacts = 0;
  for (std::size_t f = 0; f < frames; ++f) contacts += static_cast<std::size_t>(r.varint());
  for (std::size_t i = 0; i < 16 * contacts; ++i) r.varint();
  r.at += 4 * head.at("telemetry").size() * frames;
  for (std::size_t f = 0; f < frames; ++f) ASSERT_EQ(r.number<std::uint32_t>(), 0u) << "no histories were kept";

  const double quantum = head.at("quantum"), newton = head.at("force_unit").get<double>() / 1000,
               newton_metre = head.at("torque_unit").get<double>() / 1000;
  const std::vector<JointId> ids = described_joints(scene.world);
  bool broke = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Json& d = head["joints"][i];
    SCOPED_TRACE(d.at("name"));
    const std::vector<double> state = channel(r, frames), error = channel(r, frames);
    std::vector<std::vector<double>> force, torque, free;
    for (int k = 0; k < 3; ++k) force.push_back(channel(r, frames));
    for (int k = 0; k < 3; ++k) torque.push_back(channel(r, frames));
    const std::vector<double> coupling = channel(r, frames);
    for (std::size_t k = 0; k < 3 * d["free"].size(); ++k) free.push_back(channel(r, frames));
    EXPECT_EQ(state[0], 3) << "no step led there";
    for (std::size_t f = 1; f < frames; ++f) {
      const JointRecord* record = reports[f].joint(ids[i]);
      if (record == nullptr) {   // the thread after it broke, the rope while it is slack
        EXPECT_EQ(state[f], d.at("name") == "thread" ? 1 : 3);
        EXPECT_EQ(force[2][f], 0);
        continue;
      }
      EXPECT_EQ(state[f], record->broke ? 1 : 0);
      broke = broke || record->broke;
      EXPECT_NEAR(error[f] * quantum / 1000, record->error, 0.501 * quantum / 1000);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(force[k][f] * newton, record->force[static_cast<int>(k)], 0.501 * newton);
        EXPECT_NEAR(torque[k][f] * newton_metre, record->torque[static_cast<int>(k)], 0.501 * newton_metre);
      }
      EXPECT_NEAR(coupling[f] * newton, record->coupling_force, 0.501 * newton);
      for (std::size_t c = 0; c < d["free"].size(); ++c) {
        const auto at = static_cast<std::size_t>(joint_coordinate_from_name(d["free"][c]["coordinate"].get<std::string>()));
        const bool turn = is_turn(static_cast<int>(at));
        const double unit = turn ? 1e-5 : quantum, motor_unit = turn ? newton_metre : newton;
        EXPECT_NEAR(free[3 * c][f] * unit, record->position[at], 0.501 * unit);
        EXPECT_NEAR(free[3 * c + 1][f] * 1e-6, record->velocity[at], 0.501e-6);
        EXPECT_NEAR(free[3 * c + 2][f] * motor_unit, record->motor_force[at], 0.501 * motor_unit);
      }
    }
  }
  EXPECT_TRUE(broke);
  EXPECT_EQ(r.at, r.data.size());
}

TEST(JointReplay, long_runs_keep_every_second_frame_and_then_every_fourth) {
  const Scene scene = test::mechanism();
  JointTracks tracks(scene.world, 1e-5, 1);
  std::size_t numbers = 0;
  for (const JointId id : described_joints(scene.world))
    numbers += 9 + 3 * free_coordinates(scene.world.joint(id).description).size();
  const StepReport nothing;
  std::size_t frames = 0;
  const auto add_until_stride = [&](std::size_t stride) {
    while (tracks.stride() < stride) {
      tracks.add_frame(scene.world, nothing);
      ++frames;
    }
  };
  add_until_stride(2);
  EXPECT_NEAR(static_cast<double>(frames * numbers), 1e6, static_cast<double>(numbers));
  add_until_stride(4);
  EXPECT_NEAR(static_cast<double>(frames * numbers), 2e6, 2 * static_cast<double>(numbers));
  test::ReplayReader r;
  tracks.append_to(r.data);
  std::size_t count = 0;
  while (r.at < r.data.size()) r.varint(), ++count;
  EXPECT_EQ(count, numbers * ((frames + 3) / 4)) << "as many as frames 0, 4, 8, …";
}

TEST(JointReplay, a_removed_joint_is_told_as_not_there_where_it_was_last) {
  Scene scene = test::mechanism();
  JointTracks tracks(scene.world, 1e-5, 1);
  const StepReport nothing;
  tracks.add_frame(scene.world, nothing);
  scene.world.remove(scene.world.find_joint("rope"));
  tracks.add_frame(scene.world, nothing);
  test::ReplayReader r;
  tracks.append_to(r.data);
  const Scene same = test::mechanism();
  for (const JointId id : described_joints(same.world)) {
    const JointDescription& d = same.world.joint(id).description;
    const std::size_t channels = 9 + 3 * free_coordinates(d).size();
    for (std::size_t c = 0; c < channels; ++c) {
      const std::vector<double> values = channel(r, 2);
      if (d.name != "rope") continue;
      if (c == 0) {
        EXPECT_EQ(values, (std::vector<double>{3, 2}));
      }
      if (c == 9) {
        EXPECT_EQ(values, (std::vector<double>(2, std::round(std::sqrt(0.5) * 1e5))));
      }
    }
  }
}

}   // namespace
}   // namespace stickslip
