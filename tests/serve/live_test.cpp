// What viewers see: descriptions, frames, several at once, slow ones.
#include <gtest/gtest.h>

#include <thread>

#include "geometry/triangle_meshes.h"
#include "serve/viewer.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using namespace test;

TEST(Live, a_viewer_is_told_the_scene_first_and_then_sees_all_bodies) {
  Server server(box_and_ball());
  Viewer viewer(server);
  EXPECT_EQ(viewer.description["protocol"], 6);
  EXPECT_EQ(viewer.description["name"], "box and ball");
  ASSERT_EQ(viewer.description["bodies"].size(), 3u);
  EXPECT_EQ(viewer.description["bodies"][1]["name"], "box");
  EXPECT_EQ(viewer.description["solvers"].size(), solvers().size());
  ASSERT_TRUE(viewer.wait_for_frame());
  EXPECT_EQ(viewer.frame.flags & 1, 1);
  EXPECT_EQ(viewer.frame.records, 3u);
  EXPECT_EQ(viewer.frame.telemetry.size(), viewer.description["telemetry"].size());
  ASSERT_TRUE(viewer.until([&] { return viewer.state.contains("viewers"); }));
  EXPECT_EQ(viewer.state["viewers"], 1);
  EXPECT_EQ(viewer.state["running"], true);
  EXPECT_EQ(viewer.state["solver"], "auto");
  EXPECT_TRUE(viewer.state["friction"].is_null());
}

TEST(Live, frames_show_the_poses_that_the_same_steps_give_elsewhere) {
  Scene scene = box_and_ball();
  scene.world.set_velocity(scene.world.find("box"), {1, 0, 0}, {0, 0, 3});
  Scene same = scene;
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  viewer.step(7);
  Stepper stepper(same.step);
  while (same.world.step_count < viewer.frame.step) stepper.step(same.world);
  ASSERT_NEAR(viewer.frame.time, same.world.time, 1e-12);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Body& body = same.world.bodies()[i];
    EXPECT_LT((viewer.bodies[i].position - body.position).cwiseAbs().maxCoeff(),
              0.51 * viewer.description["quantum"].get<double>());
    EXPECT_LT((viewer.bodies[i].orientation.coeffs() - body.orientation.coeffs()).cwiseAbs().maxCoeff(), 0.51 / 32767);
    EXPECT_EQ(viewer.bodies[i].state, 0);
  }
}

TEST(Live, bodies_that_do_not_move_are_left_out) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.step(1);
  viewer.step(1);
  EXPECT_EQ(viewer.frame.flags & 1, 0);
  EXPECT_EQ(viewer.frame.records, 1u) << "only the ball moves";
  EXPECT_TRUE(viewer.bodies[0].known && viewer.bodies[1].known);
}

TEST(Live, contacts_carry_the_weight_of_the_box_and_come_only_if_wanted) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server), other(server);
  viewer.step(3);
  EXPECT_EQ(viewer.frame.flags & 6, 0);
  viewer.send({{"type", "want"}, {"contacts", true}, {"history", true}});
  ASSERT_TRUE(viewer.until([&] { return (viewer.frame.flags & 6) == 6; })) << "also while it is paused";
  double weight = 0;
  for (const ReceivedContact& c : viewer.frame.contacts) {
    EXPECT_EQ(c.a, 0u);
    EXPECT_EQ(c.b, 1u);
    EXPECT_FLOAT_EQ(c.normal[2], 1);
    weight += c.force[2];
  }
  EXPECT_NEAR(weight, 0.125 * 1000 * 9.81, 1);
  ASSERT_FALSE(viewer.frame.history.empty());
  EXPECT_EQ(viewer.frame.history.front().first, 0u);
  ASSERT_TRUE(other.until([&] { return other.frame.step == viewer.frame.step; }));
  EXPECT_EQ(other.frame.flags & 6, 0) << "the other viewer did not ask";
}

TEST(Live, contacts_over_areas_come_with_their_outlines) {
  Scene scene = box_and_ball();
  scene.step.contact = ContactForm::patch;
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  viewer.step(3);
  viewer.send({{"type", "want"}, {"contacts", true}});
  ASSERT_TRUE(viewer.until([&] { return (viewer.frame.flags & 34) == 34; }));
  ASSERT_EQ(viewer.frame.areas.size(), 1u) << "of the box";
  const ReceivedArea& area = viewer.frame.areas[0];
  ASSERT_LT(area.contact, viewer.frame.contacts.size());
  const ReceivedContact& contact = viewer.frame.contacts[area.contact];
  const Vec3 place(contact.position[0], contact.position[1], contact.position[2]);
  ASSERT_EQ(area.corners.size(), 4u);
  EXPECT_LT((0.25 * (area.corners[0] + area.corners[1] + area.corners[2] + area.corners[3]) - place).norm(), 1e-5);
  EXPECT_LT((area.pressure - place).norm(), 1e-3) << "its weight is above its middle";
}

TEST(Live, what_bodies_by_volume_share_comes_to_those_who_want_it) {
  Scene scene = box_and_ball();
  scene.step.contact = ContactForm::volume;
  scene.step.overlap = 0.01;
  Server server(std::move(scene), paused());
  Viewer viewer(server), other(server);
  viewer.step(30);
  viewer.send({{"type", "want"}, {"contacts", true}, {"overlaps", true}});
  other.send({{"type", "want"}, {"contacts", true}});
  ASSERT_TRUE(viewer.until([&] { return (viewer.frame.flags & 162) == 162; }));
  ASSERT_FALSE(viewer.frame.overlaps.empty());
  for (const ReceivedOverlap& overlap : viewer.frame.overlaps) {
    ASSERT_LT(overlap.contact, viewer.frame.contacts.size());
    const ReceivedContact& contact = viewer.frame.contacts[overlap.contact];
    double lowest = 1, highest = -1;
    for (const Vec3& x : overlap.vertices) {
      const double height = x.dot(Vec3(contact.normal[0], contact.normal[1], contact.normal[2]));
      lowest = std::min(lowest, height), highest = std::max(highest, height);
    }
    EXPECT_NEAR(highest - lowest, -contact.gap, 0.1 * -contact.gap) << "as deep as the contact is";
    for (const std::uint32_t corner : overlap.corners) EXPECT_LT(corner, overlap.vertices.size());
  }
  ASSERT_TRUE(other.until([&] { return (other.frame.flags & 34) == 34; }));
  EXPECT_EQ(other.frame.flags & 128, 0) << "the other viewer did not ask";
}

TEST(Live, a_mesh_comes_with_the_scene_and_contacts_tell_what_of_it_touches) {
  Scene scene;
  BodyDescription ground, block;
  ground.motion = MotionType::fixed;
  ground.parts = {{Box{{2, 2, 0.5}}, {}, {}}};
  block.parts = {{Sphere{0.1}, {{0, 0, 0.5}}, {}}, {make_mesh(box_mesh(Vec3::Constant(0.25)), "block"), {}, {}}};
  block.pose.position = {0, 0, 0.75};
  scene.world.add(ground);
  scene.world.add(block);
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  EXPECT_EQ(viewer.description["meshes"].size(), 1u);
  EXPECT_EQ(viewer.description["meshes"][0]["name"], "block");
  viewer.send({{"type", "want"}, {"contacts", true}});
  viewer.step(3);
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.contacts.size() >= 3; }));
  for (const ReceivedContact& c : viewer.frame.contacts) {
    EXPECT_EQ(c.a, 0u);
    EXPECT_EQ(c.shape_b, 1u) << "the ball above it is the first part";
    EXPECT_EQ(c.facet_a, 0u);
    EXPECT_GE(c.facet_b, 1u);
    EXPECT_LE(c.facet_b, 6u);
    EXPECT_EQ(c.touch, 2u) << "the face of the ground under a vertex of the block";
  }
}

TEST(Live, looking_at_convergence_does_not_change_the_motion) {
  Scene scene = load_scene("tower");
  Scene same = scene;
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  viewer.send({{"type", "want"}, {"contacts", false}, {"history", true}});
  viewer.step(20);
  Stepper stepper(same.step);
  while (same.world.step_count < viewer.frame.step) stepper.step(same.world);
  for (std::size_t i = 0; i < viewer.bodies.size(); ++i)
    EXPECT_LT((viewer.bodies[i].position - same.world.bodies()[i].position).cwiseAbs().maxCoeff(),
              0.51 * viewer.description["quantum"].get<double>());
}

TEST(Live, two_viewers_see_the_same) {
  Server server(box_and_ball(), paused());
  Viewer first(server), second(server);
  first.step(5);
  ASSERT_TRUE(
      second.until([&] { return second.frame.step == first.frame.step && second.state.value("running", true) == false; }));
  EXPECT_EQ(first.bodies[2].position, second.bodies[2].position);
  ASSERT_TRUE(second.until([&] { return second.state["viewers"] == 2; }));
  {
    Viewer third(server);
    ASSERT_TRUE(second.until([&] { return second.state["viewers"] == 3; }));
  }
  ASSERT_TRUE(second.until([&] { return second.state["viewers"] == 2; })) << "one has left";
}

TEST(Live, frames_keep_real_time) {
  Server server(box_and_ball());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.wait_for_frame());
  const auto start = std::chrono::steady_clock::now();
  const double from = viewer.frame.time;
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.time >= from + 0.3; }));
  const double real = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(real, 0.2);
  EXPECT_LT(viewer.frames, 60 * (real + 0.2)) << "no more than 60 frames a second";
}

TEST(Live, time_stands_still_while_nobody_looks) {
  Server server(box_and_ball(), quick());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(server.statistics().steps, 0u);
  Viewer viewer(server);
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.step > 0; }));
}

/// Many balls that fall without end: cheap steps, large frames in which everything changes.
Scene rain() {
  Scene scene;
  scene.name = "rain";
  scene.document = "{}";
  for (int i = 0; i < 2000; ++i)
    scene.world.add(body_of(Sphere{0.1}, {0.5 * (i % 50), 0.5 * (i / 50), 0}, "drop-" + std::to_string(i)));
  return scene;
}

TEST(Live, a_viewer_that_never_reads_slows_neither_the_simulation_nor_the_others) {
  Server server(rain(), quick());
  WebSocket deaf(server.port(), "/live", "Host: localhost\r\n", 4096);
  ASSERT_TRUE(deaf.open());
  Viewer viewer(server);
  ASSERT_TRUE(viewer.until([&] { return viewer.frames >= 40; }));   // 2.2 MB, far beyond what the pipe to the deaf one holds
  const ServerStatistics then = server.statistics();
  ASSERT_TRUE(viewer.until([&] { return viewer.frames >= 50; }));
  EXPECT_GT(server.statistics().steps, then.steps);
  // What the deaf one finds when it wakes up is little and then the newest.
  Viewer* const reader = &viewer;
  std::size_t frames = 0;
  std::uint32_t step = 0;
  while (step < reader->frame.step) {
    const auto message = deaf.receive();
    ASSERT_TRUE(message);
    if (message->opcode != 2) continue;
    ++frames;
    std::memcpy(&step, message->data.data() + 4, 4);
  }
  EXPECT_LT(frames, viewer.frames / 2);
}

TEST(Live, stopping_ends_all_connections_at_once) {
  auto server = std::make_unique<Server>(rain(), quick());
  Viewer viewer(*server), other(*server);
  WebSocket deaf(server->port());
  viewer.send({{"type", "step"}, {"count", 1000}});
  const auto start = std::chrono::steady_clock::now();
  server->stop();
  server->stop();
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2);
  while (viewer.next()) {
  }
  EXPECT_TRUE(viewer.socket.closed());
  server.reset();
}

}   // namespace
}   // namespace stickslip
