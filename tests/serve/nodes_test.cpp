// Bodies of nodes in the live view: where they are, and how they are dragged.
#include <gtest/gtest.h>

#include "serve/drag.h"
#include "serve/viewer.h"
#include "stickslip/step/stepper.h"

namespace stickslip::live_nodes_test {
namespace {

using namespace test;

/// Nine beads of 2 cm on the ground, a box beside them.
Scene beads() {
  Scene scene;
  scene.name = "beads";
  scene.document = "{}";
  scene.world.add(body_of(HalfSpace{}, Vec3::Zero(), "ground", MotionType::fixed));
  NodalDescription d;
  d.name = "cloud";
  d.radius = 0.02;
  for (int i = 0; i < 9; ++i) d.positions.push_back({0.1 * (i % 3), 0.1 * (i / 3), 0.02});
  d.triangles = {{0, 1, 3}};
  scene.world.add(std::move(d));
  scene.world.add(body_of(Box{Vec3::Constant(0.1)}, {1, 0, 0.1}, "box"));
  return scene;
}

TEST(LiveNodes, are_where_the_same_steps_put_them_elsewhere) {
  Scene scene = beads();
  scene.world.set_velocity(scene.world.find("cloud"), {0.3, 0.1, 1}, Vec3::Zero());
  Scene same = scene;
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  const Json described = viewer.description["bodies"][1]["nodes"];
  EXPECT_EQ(described["count"], 9);
  EXPECT_EQ(described["triangles"], Json::parse("[[0,1,3]]"));
  viewer.step(7);
  Stepper stepper(same.step);
  while (same.world.step_count < viewer.frame.step) stepper.step(same.world);
  const NodalBody& nodes = same.world.nodal_bodies()[0];
  ASSERT_EQ(viewer.bodies[1].nodes.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_LT((viewer.bodies[1].nodes[i] - nodes.positions[i]).cwiseAbs().maxCoeff(),
              0.51 * described["quantum"].get<double>());
}

TEST(LiveNodes, that_rest_are_left_out_and_whoever_comes_late_gets_all) {
  Server server(beads(), paused());
  Viewer viewer(server);
  viewer.step(1);
  viewer.step(1);
  EXPECT_EQ(viewer.frame.node_records, 0u);
  EXPECT_EQ(viewer.bodies[1].nodes.size(), 9u);
  Viewer late(server);
  ASSERT_TRUE(late.wait_for_frame());
  EXPECT_EQ(late.frame.node_records, 1u);
  viewer.send({{"type", "drag"}, {"body", 1}, {"node", 0}, {"target", {0, 0, 1}}});
  viewer.step(3);
  EXPECT_EQ(viewer.frame.node_records, 1u);
}

TEST(LiveNodes, one_follows_the_drag_and_the_others_stay) {
  Server server(beads(), paused());
  Viewer viewer(server);
  viewer.step(1);
  const std::vector<Vec3> start = viewer.bodies[1].nodes;
  const Vec3 target(0.1, 0.1, 0.4);
  viewer.send({{"type", "drag"}, {"body", 1}, {"node", 4}, {"target", {target.x(), target.y(), target.z()}}});
  viewer.step(300);
  const Vec3 off = viewer.bodies[1].nodes[4] - target;
  EXPECT_LT(off.head<2>().norm(), 1e-3);
  EXPECT_LT(off.z(), 0) << "it hangs in the spring";
  EXPECT_GT(off.z(), -0.02);
  for (const std::size_t other : {0, 1, 8}) EXPECT_LT((viewer.bodies[1].nodes[other] - start[other]).norm(), 1e-4);
  viewer.send({{"type", "release"}});
  viewer.step(200);
  EXPECT_NEAR(viewer.bodies[1].nodes[4].z(), 0.02, 1e-3) << "on the ground again";
}

TEST(LiveNodes, a_drag_without_a_node_takes_the_nearest_and_keeps_it) {
  Scene scene = beads();
  World& world = scene.world;
  world.gravity = Vec3::Zero();
  const BodyId cloud = world.find("cloud");
  serve::Drags drags;
  const Vec3 corner = Vec3(0.2, 0.2, 0.03) - world.body(cloud).position;   // near node 8
  Stepper stepper(scene.step);
  for (int i = 0; i < 200; ++i) {
    drags.set(world, 1, {cloud, corner, {0.5, 0.5, 0.5}});
    drags.apply(world, scene.step.h);
    stepper.step(world);
  }
  EXPECT_LT((world.nodal_body(cloud).positions[8] - Vec3(0.5, 0.5, 0.5)).norm(), 1e-3);
  EXPECT_LT((world.nodal_body(cloud).positions[5] - Vec3(0.2, 0.1, 0.02)).norm(), 1e-9);
}

TEST(LiveNodes, a_free_node_comes_to_its_target_as_the_critically_damped_oscillator_does) {
  World world;
  world.gravity = Vec3::Zero();
  NodalDescription d;
  d.radius = 0.02;
  d.positions = {Vec3::Zero()};
  const BodyId bead = world.add(std::move(d));
  StepOptions options;
  options.h = 1e-3;
  Stepper stepper(options);
  serve::Drags drags;
  const double length = 0.1, omega = 0.1 / options.h;
  drags.set(world, 1, {bead, Vec3::Zero(), {length, 0, 0}});
  for (int i = 1; i <= 60; ++i) {
    drags.apply(world, options.h);
    stepper.step(world);
    const double t = i * options.h, exact = length * (1 - (1 + omega * t) * std::exp(-omega * t));
    EXPECT_NEAR(world.nodal_body(bead).positions[0].x(), exact, 0.06 * length) << "at " << t << " s; explicit steps of 0.1/ω";
  }
}

TEST(LiveNodes, what_cannot_be_dragged_is_named) {
  Server server(beads());
  Viewer viewer(server);
  const auto answer = [&](Json message) {
    viewer.send(message);
    return viewer.wait_for("error")["message"].get<std::string>();
  };
  const Json zero = {0, 0, 0};
  EXPECT_NE(answer({{"type", "drag"}, {"body", 1}, {"node", 9}, {"target", zero}}).find("no node 9"), std::string::npos);
  EXPECT_NE(answer({{"type", "drag"}, {"body", 2}, {"node", 0}, {"target", zero}}).find("has no nodes"), std::string::npos);
  EXPECT_NE(answer({{"type", "drag"}, {"body", 1}, {"target", zero}}).find("local"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::live_nodes_test
