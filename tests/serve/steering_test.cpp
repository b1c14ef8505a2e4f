// What viewers do: pause, step, reset, settings, dragging, capture, comparison.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "serve/drag.h"
#include "serve/viewer.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using namespace test;

TEST(Steering, pause_holds_time_and_run_lets_it_go) {
  Server server(box_and_ball());
  Viewer viewer(server);
  viewer.send({{"type", "pause"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.state.value("running", true) == false; }));
  viewer.drain();
  const std::uint64_t steps = server.statistics().steps;
  viewer.drain();
  EXPECT_EQ(server.statistics().steps, steps);
  EXPECT_EQ(viewer.frame.step, steps) << "the state it stopped in is shown";
  viewer.send({{"type", "run"}});
  EXPECT_TRUE(viewer.until([&] { return viewer.frame.step > steps && viewer.state["running"] == true; }));
}

TEST(Steering, step_makes_exactly_as_many_steps_as_asked) {
  Server server(box_and_ball());
  Viewer viewer(server);
  viewer.step(1);
  const std::uint32_t before = viewer.frame.step;
  viewer.send({{"type", "step"}, {"count", 25}});
  viewer.send({{"type", "step"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.step >= before + 26; }));
  viewer.drain();
  EXPECT_EQ(viewer.frame.step, before + 26);
  EXPECT_EQ(viewer.state["running"], false);
}

TEST(Steering, reset_goes_back_to_the_start_and_keeps_what_was_set) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "set"}, {"solver", "pgs"}, {"friction", 0.25}});
  viewer.step(10);
  ASSERT_LT(viewer.bodies[2].position.z(), 5);
  viewer.send({{"type", "reset"}});
  ASSERT_TRUE(viewer.until([&] { return viewer.scenes == 2 && viewer.bodies[2].known; }));
  EXPECT_EQ(viewer.frame.step, 0u);
  EXPECT_EQ(viewer.frame.flags & 1, 1);
  EXPECT_NEAR(viewer.bodies[2].position.z(), 5, 1e-9);
  EXPECT_EQ(viewer.description["solver"], "pgs");
  EXPECT_EQ(viewer.state["friction"], 0.25);
}

TEST(Steering, speed_is_simulated_over_real_time) {
  Server server(box_and_ball());
  Viewer viewer(server);
  viewer.send({{"type", "speed"}, {"value", 20}});
  ASSERT_TRUE(viewer.until([&] { return viewer.state.value("speed", 0.0) == 20; }));
  const auto start = std::chrono::steady_clock::now();
  const double from = viewer.frame.time;
  ASSERT_TRUE(viewer.until([&] { return viewer.frame.time >= from + 4; }));
  const double real = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(real, 0.1);
  EXPECT_LT(real, 2);
}

TEST(Steering, solver_and_step_size_change_while_it_runs) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "set"}, {"solver", "nsgs"}, {"h", 0.002}});
  ASSERT_TRUE(viewer.until([&] { return viewer.state.value("solver", "") == "nsgs" && viewer.state["h"] == 0.002; }));
  viewer.step(1);
  const double before = viewer.frame.time;
  viewer.step(1);
  EXPECT_NEAR(viewer.frame.time - before, 0.002, 1e-12);
}

/// A box that slides on the ground at 1 m/s.
Scene sliding_box() {
  Scene scene = box_and_ball();
  scene.world.set_velocity(scene.world.find("box"), {1, 0, 0}, Vec3::Zero());
  return scene;
}

TEST(Steering, friction_is_one_number_until_null_brings_back_the_scenes_own) {
  Server server(sliding_box(), paused());
  Viewer viewer(server);
  viewer.send({{"type", "want"}, {"contacts", true}});
  viewer.send({{"type", "set"}, {"friction", 0}});
  ASSERT_TRUE(viewer.until([&] { return viewer.state.contains("friction") && viewer.state["friction"] == 0; }));
  viewer.step(10);
  EXPECT_NEAR(viewer.bodies[1].position.x(), viewer.frame.time, 1e-4) << "on ice it keeps its speed";
  EXPECT_EQ(viewer.frame.contacts.at(0).friction, 0);
  viewer.send({{"type", "set"}, {"friction", nullptr}});
  viewer.step(5);
  EXPECT_TRUE(viewer.state["friction"].is_null());
  EXPECT_FLOAT_EQ(viewer.frame.contacts.at(0).friction, 0.5f);
}

TEST(Steering, a_solver_that_cannot_honour_the_friction_of_the_scene_is_refused) {
  Scene scene = sliding_box();
  Material material = scene.world.materials[MaterialId{0}];
  material.law = std::make_shared<const SurfaceLaw>(make_surface_law("rolling", {{"friction", 0.5}, {"rolling", 0.01}}));
  scene.world.materials.set(MaterialId{0}, material);
  std::string unable;
  ContactSite site;
  site.h = 0.01;
  const auto able = solvers_that_honour(local_friction(*material.law, site).set);
  for (const SolverInfo& info : solvers())
    if (std::find(able.begin(), able.end(), info.name) == able.end()) unable = info.name;
  if (unable.empty()) GTEST_SKIP() << "all solvers honour it";
  Server server(std::move(scene), paused());
  Viewer viewer(server);
  viewer.send({{"type", "set"}, {"solver", unable}, {"h", 0.001}});
  const Json error = viewer.wait_for("error");
  EXPECT_NE(error["message"].get<std::string>().find("cannot honour"), std::string::npos) << error;
  ASSERT_TRUE(viewer.until([&] { return viewer.state.contains("h"); }));
  EXPECT_EQ(viewer.state["h"], 0.01) << "nothing of a refused command is done";
}

TEST(Steering, a_drag_moves_a_body_to_its_target_and_release_lets_it_fall) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.step(1);
  const Vec3 target(0.5, 0.3, 1.5);
  viewer.send({{"type", "drag"}, {"body", 1}, {"local", {0, 0, 0}}, {"target", {target.x(), target.y(), target.z()}}});
  viewer.step(300);
  const Vec3 off = viewer.bodies[1].position - target;
  EXPECT_LT(off.head<2>().norm(), 1e-3);
  EXPECT_LT(off.z(), 0) << "it hangs in the spring";
  EXPECT_GT(off.z(), -0.1);
  viewer.send({{"type", "release"}});
  viewer.step(300);
  EXPECT_NEAR(viewer.bodies[1].position.z(), 0.25, 0.01) << "on the ground again";
}

TEST(Steering, a_viewer_that_leaves_lets_go) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.step(1);
  {
    Viewer other(server);
    other.send({{"type", "drag"}, {"body", 1}, {"local", {0, 0, 0}}, {"target", {0, 0, 2}}});
    other.drain();
    viewer.step(200);
    ASSERT_GT(viewer.bodies[1].position.z(), 1.5);
  }
  ASSERT_TRUE(viewer.until([&] { return viewer.state["viewers"] == 1; }));
  viewer.step(300);
  EXPECT_NEAR(viewer.bodies[1].position.z(), 0.25, 0.01);
}

TEST(Steering, release_restores_the_force_that_the_scene_applies) {
  Scene scene = box_and_ball();
  World& world = scene.world;
  const BodyId box = world.find("box");
  world.set_applied(box, {1, 2, 3}, {4, 5, 6});
  serve::Drags drags;
  drags.set(world, 1, {box, {0.1, 0, 0}, {0, 0, 9}});
  drags.set(world, 2, {box, {0, 0.1, 0}, {0, 3, 9}});
  drags.apply(world, 0.01);
  EXPECT_GT(world.body(box).force.z(), 10);
  drags.release(world, 1);
  drags.apply(world, 0.01);
  EXPECT_GT(world.body(box).force.z(), 10) << "the other still pulls";
  drags.release(world, 2);
  EXPECT_EQ(world.body(box).force, Vec3(1, 2, 3));
  EXPECT_EQ(world.body(box).torque, Vec3(4, 5, 6));
}

TEST(Steering, a_dragged_point_approaches_its_target_without_overshoot_at_any_scale) {
  for (const double size : {1e-3, 1.0, 100.0}) {
    World world;
    world.gravity = Vec3::Zero();
    const BodyId box = world.add(body_of(Box{size * Vec3(0.5, 0.1, 0.2)}, Vec3::Zero(), "box"));
    StepOptions options;
    options.h = 0.01;
    Stepper stepper(options);
    serve::Drags drags;
    const Vec3 corner = size * Vec3(0.5, 0.1, 0.2), target = corner + size * Vec3(0, 0.5, 0);
    drags.set(world, 1, {box, corner, target});
    double farthest = 0;
    for (int i = 0; i < 300; ++i) {
      drags.apply(world, options.h);
      stepper.step(world);
      const Body& body = world.body(box);
      farthest = std::max(farthest, (body.position + body.orientation * corner - target).y());
    }
    const Body& body = world.body(box);
    EXPECT_LT((body.position + body.orientation * corner - target).norm(), 1e-3 * size);
    EXPECT_LT(farthest, 0.05 * size);
  }
}

TEST(Steering, what_cannot_be_dragged_is_named) {
  Server server(box_and_ball());
  Viewer viewer(server);
  const auto answer = [&](Json message) {
    viewer.send(message);
    return viewer.wait_for("error")["message"].get<std::string>();
  };
  const Json zero = {0, 0, 0};
  EXPECT_NE(answer({{"type", "drag"}, {"body", 0}, {"local", zero}, {"target", zero}}).find("'ground' is fixed"),
            std::string::npos);
  EXPECT_NE(answer({{"type", "drag"}, {"body", 3}, {"local", zero}, {"target", zero}}).find("no body 3"), std::string::npos);
  EXPECT_NE(answer({{"type", "drag"}, {"body", 1}, {"local", {9, 0, 0}}, {"target", zero}}).find("far outside"),
            std::string::npos);
}

TEST(Steering, capture_writes_a_problem_that_can_be_read_and_solved) {
  std::string name = std::filesystem::temp_directory_path() / "stickslip-XXXXXX";
  const std::filesystem::path directory = ::mkdtemp(name.data());
  ServerOptions options = paused();
  options.directory = directory;
  {
    Server server(box_and_ball(), options);
    Viewer viewer(server);
    viewer.step(4);
    viewer.send({{"type", "capture"}});
    const Json captured = viewer.wait_for("captured");
    EXPECT_EQ(captured["file"], fmt::format("box-and-ball-step{}.hdf5", viewer.frame.step));
    const ProblemFile file = load_problem(directory / captured["file"].get<std::string>());
    EXPECT_EQ(file.problem.contact_count(), 4u);
    std::vector<double> impulses(file.problem.rows(), 0.0);
    Workspace workspace;
    EXPECT_EQ(make_solver("auto")->solve(file.problem, impulses, workspace).status, SolveStatus::converged);
  }
  std::filesystem::remove_all(directory);
}

TEST(Steering, compare_brings_the_curves_of_both_solvers_and_leaves_the_motion_alone) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  viewer.step(4);
  const Vec3 before = viewer.bodies[1].position;
  viewer.send({{"type", "compare"}, {"solvers", {"auto", "pgs"}}});
  const Json comparison = viewer.wait_for("comparison");
  EXPECT_EQ(comparison["step"], viewer.frame.step);
  ASSERT_EQ(comparison["solvers"].size(), 2u);
  EXPECT_EQ(comparison["solvers"][0]["name"], "auto");
  EXPECT_EQ(comparison["solvers"][1]["name"], "pgs");
  for (const Json& solver : comparison["solvers"]) {
    ASSERT_GE(solver["history"].size(), 2u);
    EXPECT_EQ(solver["history"][0][0], 0);
    EXPECT_LT(solver["history"].back()[1].get<double>(), solver["history"][0][1].get<double>());
  }
  EXPECT_EQ(comparison["solvers"][0]["status"], "converged");
  EXPECT_EQ(viewer.bodies[1].position, before);
}

TEST(Steering, there_is_nothing_to_capture_or_compare_before_the_first_step) {
  Server server(box_and_ball(), paused());
  Viewer viewer(server);
  for (const Json& message : {Json{{"type", "capture"}}, Json{{"type", "compare"}, {"solvers", {"auto", "pgs"}}}}) {
    viewer.send(message);
    EXPECT_NE(viewer.wait_for("error")["message"].get<std::string>().find("Step once first"), std::string::npos);
  }
}

TEST(Steering, a_step_that_fails_pauses_and_reset_starts_again) {
  Scene scene = box_and_ball();
  scene.world.add(body_of(Sphere{0.2}, {50, 0, 5}, "rocket"));
  scene.world.set_applied(scene.world.find("rocket"), {1e306, 0, 0}, Vec3::Zero());
  Server server(std::move(scene), quick());
  Viewer viewer(server);
  const Json error = viewer.wait_for("error");
  EXPECT_NE(error["message"].get<std::string>().find("failed"), std::string::npos) << error;
  ASSERT_TRUE(viewer.until([&] { return viewer.state.contains("running") && viewer.state["running"] == false; }));
  viewer.send({{"type", "reset"}});
  EXPECT_TRUE(viewer.until([&] { return viewer.scenes == 2 && viewer.frame.step == 0 && viewer.bodies[1].known; }));
}

}   // namespace
}   // namespace stickslip
