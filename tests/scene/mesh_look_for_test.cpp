// Scenes of meshes say what to look for: here it is looked for, in small ones.
#include <gtest/gtest.h>

#include <numbers>

#include "scene/scene_text.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/step/stepper.h"

namespace stickslip::mesh_look_for_test {
namespace {

constexpr double kPi = std::numbers::pi;

/// Steps a scene to a time, with a look after each step.
template <class Look>
Scene watched(const std::string& name, double seconds, std::vector<Override> overrides, Look look) {
  Scene scene = load_scene(name, overrides);
  Stepper stepper(scene.step);
  while (scene.world.time < seconds - 0.5 * scene.step.h) {
    stepper.step(scene.world);
    look(scene);
  }
  return scene;
}
Scene simulated(const std::string& name, double seconds, std::vector<Override> overrides = {}) {
  return watched(name, seconds, std::move(overrides), [](const Scene&) {});
}

Override parameter(const std::string& name, double value) { return {"/parameters/" + name, fmt::format("{}", value)}; }

/// Lowest vertex of all meshes of moving bodies [m].
double lowest(const Scene& scene) {
  double z = 1e300;
  for (const Collider& c : scene.world.colliders()) {
    const auto* mesh = std::get_if<Mesh>(&c.shape);
    const Body& body = scene.world.bodies()[c.body];
    if (!mesh || body.motion != MotionType::dynamic) continue;
    const Pose pose = Pose{body.position, body.orientation} * c.local;
    for (const Vec3& v : mesh->solid->mesh().vertices) z = std::min(z, (pose * v).z());
  }
  return z;
}

double largest_move(const Scene& scene, const Scene& start) {
  double largest = 0;
  for (std::size_t i = 0; i < start.world.bodies().size(); ++i)
    largest = std::max(largest, (scene.world.bodies()[i].position - start.world.bodies()[i].position).norm());
  return largest;
}

TEST(MeshLookFor, jacks_and_glasses_and_chalices_fall_on_the_ground_and_not_through_it) {
  for (const char* name : {"jacks", "glasses", "chalices"}) {
    const Scene scene = simulated(name, 0.6, {parameter("count", 2)});
    EXPECT_GT(lowest(scene), -1e-3) << name;
    EXPECT_LT(lowest(scene), 1e-2) << name;
  }
}

TEST(MeshLookFor, a_temple_of_four_columns_stands) {
  const std::vector<Override> small = {parameter("columns_x", 2), parameter("columns_y", 2), parameter("drums", 2)};
  EXPECT_LT(largest_move(simulated("temple", 0.2, small), load_scene("temple", small)), 1e-3);
}

TEST(MeshLookFor, one_storey_of_arches_stands) {
  const std::vector<Override> small = {parameter("bays", 8), parameter("storeys", 1)};
  EXPECT_LT(largest_move(simulated("colosseum", 0.2, small), load_scene("colosseum", small)), 2e-3);
}

TEST(MeshLookFor, a_ball_swings_in_the_bowl_as_one_that_rolls) {
  // ω² = 5/7 g/(R − r) for small swings; at 10° a pendulum is slower by 0.2 %.
  const double omega = std::sqrt(5.0 / 7 * 9.81 / 0.9), quarter = kPi / 2 / omega * 1.0019;
  double passed = 0, before = 1;
  watched("bowl", 1.3 * quarter, {parameter("start_degrees", 10)}, [&](const Scene& scene) {
    const double x = named(scene, "ball-0").position.x(), h = scene.step.h;
    if (passed == 0 && x < 0) passed = scene.world.time - h * x / (x - before);
    before = x;
  });
  EXPECT_NEAR(passed, quarter, 0.02 * quarter);
}

TEST(MeshLookFor, the_driven_wheel_turns_by_the_ratio_of_the_teeth) {
  double turned = 0;
  const Scene scene = watched("gears", 0.5, {}, [&](const Scene& s) {
    if (s.world.time > 0.2) turned += named(s, "driven").angular_velocity.z() * s.step.h;
  });
  EXPECT_NEAR(named(scene, "driver").angular_velocity.z(), 2, 0.01);
  EXPECT_NEAR(turned / 0.3, -2.0 * 18 / 27, 0.03);
}

TEST(MeshLookFor, no_sheet_lets_the_bullet_pass) {
  const Scene scene = watched("bullet-through-paper", 0.05, {}, [](const Scene& s) {
    for (int i = 0; i < 5; ++i) {
      const double next = i == 0 ? named(s, "bullet").position.x() : named(s, fmt::format("sheet-{}", i - 1)).position.x();
      ASSERT_LT(next, named(s, fmt::format("sheet-{}", i)).position.x()) << i << " at " << s.world.time;
    }
  });
  EXPECT_GT(named(scene, "bullet").position.x(), 0.3);   // nearly at the last
}

TEST(MeshLookFor, marbles_stay_in_the_gutter) {
  watched("marble-run", 1.5, {parameter("count", 2), parameter("turns", 1)}, [](const Scene& s) {
    for (const char* name : {"marble-0", "marble-1"}) {
      const Vec3& x = named(s, name).position;
      const double off = x.y() > 0.05 && x.z() < 0.11 ? std::abs(x.x() - 0.5) : std::abs(x.head<2>().norm() - 0.5);
      ASSERT_LT(off, 0.035) << name << " at " << s.world.time;
      ASSERT_GT(x.z(), 0.06) << name << " at " << s.world.time;
    }
  });
}

TEST(MeshLookFor, no_ring_comes_off_the_hook) {
  const Scene start = load_scene("hook-and-ring"), scene = simulated("hook-and-ring", 0.3);
  for (const char* name : {"ring-0", "ring-1", "ring-2"})
    EXPECT_GT(named(scene, name).position.z(), named(start, name).position.z() - 0.012) << name;
}

TEST(MeshLookFor, rings_of_a_long_chain_neither_sink_into_each_other_nor_fly_apart) {
  const std::vector<Override> six = {parameter("rings", 6)};
  Scene scene = load_scene("hook-and-ring", six);
  Stepper stepper(scene.step);
  double deepest = 0, given = 0;
  for (int i = 0; i < 250; ++i) {
    const StepReport& r = stepper.step(scene.world);
    deepest = std::max(deepest, r.penetration_max);
    given += r.energy.stabilisation;
  }
  EXPECT_LT(deepest, 1e-4);   // of a tube of 14 mm
  EXPECT_LT(given, 5e-4);     // of 0.14 J that falling brings
}

/// Way down the bolt [m] and turn [rad] of a nut.
std::pair<double, double> way_of_nut(double seconds, double mu) {
  const std::vector<Override> one = {parameter("count", 1), parameter("mu", mu)};
  double turned = 0;
  const Scene start = load_scene("nut-and-bolt", one);
  const Scene scene = watched("nut-and-bolt", seconds, one,
                              [&](const Scene& s) { turned += named(s, "nut-0").angular_velocity.z() * s.step.h; });
  return {named(scene, "nut-0").position.z() - named(start, "nut-0").position.z(), turned};
}

TEST(MeshLookFor, a_nut_goes_down_one_pitch_a_turn) {
  const auto [way, turned] = way_of_nut(0.2, 0.02);
  EXPECT_LT(way, -1.5e-4);
  EXPECT_NEAR(way, 0.0015 * turned / (2 * kPi), 1.5e-4);   // the play
}

TEST(MeshLookFor, friction_beyond_the_slope_of_the_thread_holds_the_nut) {
  // tan of the lead over the cosine of the flank: 0.0015/(2π 0.00265) cos 20° = 0.085.
  const auto [way, turned] = way_of_nut(0.1, 0.12);
  EXPECT_GT(way, -1.5e-4);   // it only takes up the play
  EXPECT_LT(std::abs(turned), 0.2);
}

TEST(MeshLookFor, nothing_leaks_through_the_funnel) {
  bool touched = false;
  watched("funnel", 0.3, {parameter("count", 4), parameter("outlet", 0.1)}, [&](const Scene& s) {
    for (const Body& b : s.world.bodies())
      if (b.motion == MotionType::dynamic) {
        // Inside the cone that widens by cot 55° above the throat at 1.5 m, of 0.1 m.
        const double room = b.position.z() < 1.5 ? 0.1 : 0.1 + (b.position.z() - 1.5) / std::tan(55 * kPi / 180);
        ASSERT_LT(b.position.head<2>().norm(), room) << b.name;
        touched |= std::abs(b.velocity.x()) > 0.1;
      }
  });
  EXPECT_TRUE(touched);   // the wall turned one aside
}

}   // namespace
}   // namespace stickslip::mesh_look_for_test
