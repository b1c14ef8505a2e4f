// Scenes of contact over areas, and scenes that ask for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stickslip/math/error.h"
#include "stickslip/scene/scene.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"

namespace stickslip::testing {
namespace {

TEST(PatchMotion, forces_of_a_stack_are_its_weights_and_nothing_creeps) {
  Scene scene = load_scene("nested-stack");
  Stepper stepper(scene.step);
  std::vector<Vec3> start;
  for (const Body& b : scene.world.bodies()) start.push_back(b.position);
  double force = 0, weight = 0;
  for (const Body& b : scene.world.bodies()) weight += b.mass.mass * 9.81 * (b.motion == MotionType::dynamic);
  for (int i = 0; i < 200; ++i) {
    const StepReport& r = stepper.step(scene.world);
    EXPECT_EQ(r.contacts.size(), 10u);
    force = 0;
    for (const ContactRecord& c : r.contacts)
      if (c.position.z() < 0.01) force += c.impulse.z() / scene.step.h;
  }
  EXPECT_NEAR(force, weight, 1e-5 * weight);
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_LT((scene.world.bodies()[i].position - start[i]).norm(), 1e-6) << i;   // 0.5 µm/s
}

TEST(PatchMotion, a_body_that_says_points_has_points) {
  Scene scene =
      load_scene("nested-stack", std::vector<Override>{{"/parameters/count", "2"}, {"/bodies/1/contact", "\"points\""}});
  Stepper stepper(scene.step);
  EXPECT_EQ(stepper.step(scene.world).contacts.size(), 8u);
}

TEST(PatchMotion, a_law_that_keeps_points_is_named) {
  const auto warnings = [](const char* of_step) {
    return load_scene("nested-stack",
                      std::vector<Override>{{"/parameters/count", "2"},
                                            {"/materials/0/friction", R"({"law": "polyhedral", "friction": 0.5})"},
                                            {"/step/contact", of_step}})
        .warnings;
  };
  ASSERT_EQ(warnings("\"patch\"").size(), 1u);
  EXPECT_NE(warnings("\"patch\"")[0].find("the law 'polyhedral' is about points"), std::string::npos)
      << warnings("\"patch\"")[0];
  EXPECT_TRUE(warnings("\"points\"").empty());
}

TEST(PatchMotion, a_pair_of_materials_goes_before_bodies_and_step) {
  const auto load = [](const char* of_step, const char* of_body, const char* of_pair) {
    const std::string text = fmt::format(
        R"({{"step": {{"contact": "{}"}}, "materials": [{{"name": "wood"}}, {{"name": "floor"}}],
             "material_pairs": [{{"between": ["floor", "wood"], "contact": "{}"}}],
             "bodies": [{{"motion": "fixed", "material": "floor", "shape": {{"type": "half-space"}}}},
               {{"material": "wood", "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}}, "position": [0, 0, 0.1]}},
               {{"material": "wood", "contact": "{}", "shape": {{"type": "box", "half_extents": [0.1, 0.1, 0.1]}},
                 "position": [0, 0, 0.3]}}]}})",
        of_step, of_pair, of_body);
    return parse_scene(text, "pair.json");
  };
  // Contacts of the lower box with the floor, which is a pair of materials, and of the boxes with each other.
  const auto counts = [&](Scene scene) {
    Stepper stepper(scene.step);
    std::pair<int, int> found;
    for (const ContactRecord& c : stepper.step(scene.world).contacts) ++(c.position.z() < 0.1 ? found.first : found.second);
    return found;
  };
  EXPECT_EQ(counts(load("points", "automatic", "patch")), std::pair(1, 4));
  EXPECT_EQ(counts(load("patch", "automatic", "points")), std::pair(4, 1));
  EXPECT_EQ(counts(load("points", "patch", "automatic")), std::pair(4, 1));
  EXPECT_EQ(counts(load("patch", "points", "automatic")), std::pair(1, 4));
  EXPECT_THROW(load("points", "points", "area"), Error);
  // A solver that cannot take areas is refused for a pair too.
  Scene scene = load("points", "automatic", "volume");
  EXPECT_NE(scene.world.state_hash(), load("points", "automatic", "patch").world.state_hash());
}

/// Sweeps to 1e-12 m/s from zero impulses on the problem of the second step.
int sweeps(const std::vector<Override>& overrides, const char* solver) {
  Scene scene = load_scene("nested-stack", overrides);
  Stepper stepper(scene.step);
  for (int i = 0; i < 2; ++i) stepper.step(scene.world);
  SolveControl control;
  control.tolerance = 1e-12;
  control.max_iterations = 20000;
  Workspace workspace;
  std::vector<double> impulses(stepper.problem().rows(), 0.0);
  const SolveReport report = make_solver(solver)->solve(stepper.problem(), impulses, workspace, control);
  EXPECT_EQ(report.status, SolveStatus::converged) << report.residual.total();
  return report.iterations;
}

TEST(PatchScenes, a_nested_stack_takes_under_eighty_sweeps_and_by_points_many_times_as_many) {
  const Override points{"/step/contact", "\"points\""};
  EXPECT_LT(sweeps({}, "accelerated-nsgs"), 80);
  EXPECT_GT(sweeps({points}, "nsgs"), 15 * sweeps({}, "nsgs"));   // four points a face: those of manifolds are reduced
}

TEST(PatchMotion, boxes_fall_tumble_and_come_to_rest_on_patches) {
  Scene scene = load_scene("boxes", std::vector<Override>{{"/parameters/count", "27"}, {"/step/contact", "\"patch\""}});
  Stepper stepper(scene.step);
  double deepest = 0, energy = 0;
  for (int i = 0; i < 300; ++i) {
    const StepReport& r = stepper.step(scene.world);
    deepest = std::max(deepest, r.penetration_max);
    energy = r.energy.kinetic_end;
  }
  EXPECT_LT(deepest, 2e-3);
  EXPECT_LT(energy, 1e-3);
}

TEST(PatchScenes, a_solver_that_cannot_take_patches_is_refused_before_anything_falls) {
  for (const auto& overrides :
       {std::vector<Override>{{"/step/solver", "\"pgs\""}},
        std::vector<Override>{
            {"/step/solver", "\"pgs\""}, {"/step/contact", "\"points\""}, {"/bodies/1/contact", "\"patch\""}}}) {
    try {
      load_scene("nested-stack", overrides);
      FAIL() << "loaded";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("/step/solver"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("cannot take contact as patches"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("nsgs"), std::string::npos) << e.what();
    }
  }
}

TEST(PatchScenes, discs_slow_down_in_inverse_proportion_to_their_radius) {
  Scene scene = load_scene("spinning-discs");
  Stepper stepper(scene.step);
  std::vector<double> before, slowing;
  for (const Body& b : scene.world.bodies()) before.push_back(b.angular_velocity.z());
  for (int i = 0; i < 10; ++i) stepper.step(scene.world);
  for (std::size_t i = 1; i < before.size(); ++i)
    slowing.push_back((before[i] - scene.world.bodies()[i].angular_velocity.z()) * static_cast<double>(i));
  ASSERT_EQ(slowing.size(), 3u);
  EXPECT_GT(slowing[0], 1);
  for (const double s : slowing) EXPECT_NEAR(s, slowing[0], 1e-6 * slowing[0]);
}

TEST(PatchScenes, plates_that_spin_slide_farther) {
  Scene scene = load_scene("octagon-slide");
  Stepper stepper(scene.step);
  for (int i = 0; i < 300; ++i) stepper.step(scene.world);
  double last = 4 / (2 * 0.3 * 9.81);   // the first slides as a point would, up to a step
  EXPECT_NEAR(scene.world.bodies()[1].position.x(), last, 2 * 0.01);
  for (std::size_t i = 2; i < scene.world.bodies().size(); ++i) {
    EXPECT_GT(scene.world.bodies()[i].position.x(), last + 0.05) << i;
    last = scene.world.bodies()[i].position.x();
  }
}

/// A scene after some steps.
Scene stepped(const std::string& name, int steps, const std::vector<Override>& overrides = {}) {
  Scene scene = load_scene(name, overrides);
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) stepper.step(scene.world);
  return scene;
}

const Body& body_of(const Scene& scene, const std::string& name) { return scene.world.body(scene.world.find(name)); }

TEST(VolumeScenes, the_softer_a_ball_the_sooner_it_stops) {
  const Scene rolled = stepped("deflated-balls", 250), spun = stepped("spinning-balls", 20);
  for (int i = 1; i < 4; ++i) {
    const std::string one = fmt::format("ball-{}", i), before = fmt::format("ball-{}", i - 1);
    EXPECT_LT(body_of(rolled, one).velocity.norm(), 1e-6);
    EXPECT_LT(body_of(rolled, one).position.x(), 0.7 * body_of(rolled, before).position.x());
    EXPECT_LT(body_of(spun, one).angular_velocity.z(), body_of(spun, before).angular_velocity.z() - 0.5);
  }
  const Scene slid = stepped("deflated-balls", 50, {{"/parameters/mu", "0"}});
  for (const Body& b : slid.world.bodies())
    if (b.motion == MotionType::dynamic) {
      EXPECT_NEAR(b.velocity.x(), 1, 1e-9);
      EXPECT_LT(b.angular_velocity.norm(), 1e-9);
    }
}

TEST(VolumeScenes, cylinders_that_are_pushed_rock_or_tip) {
  const Scene scene = stepped("tumbling-cylinders", 400);
  const auto lean = [&](const char* name) { return (body_of(scene, name).orientation * Vec3::UnitZ()).z(); };
  EXPECT_NEAR(lean("cylinder-0"), 1, 1e-6);
  EXPECT_NEAR(lean("cylinder-1"), 1, 1e-6);
  EXPECT_NEAR(lean("cylinder-2"), 0, 0.01);
  for (const Body& b : scene.world.bodies()) EXPECT_LT(b.velocity.norm(), 1e-3);
}

TEST(VolumeScenes, a_coin_lies_still_at_last) {
  const Scene scene = stepped("spinning-coin", 1000);
  const Body& coin = body_of(scene, "coin");
  EXPECT_NEAR(std::abs((coin.orientation * Vec3::UnitZ()).z()), 1, 1e-6);
  EXPECT_LT(coin.angular_velocity.norm(), 1e-3);
}

TEST(VolumeScenes, boxes_that_stand_askew_do_not_move) {
  const Scene start = load_scene("sloppy-stack"), scene = stepped("sloppy-stack", 200);
  for (const Body& b : scene.world.bodies())
    EXPECT_LT((b.position - body_of(start, b.name).position).norm(), 1e-4) << b.name;   // the side of a box is 0.2 m
}

TEST(VolumeScenes, soft_tips_hold_a_ruler_level_and_hard_ones_let_it_turn) {
  const auto turned = [](const char* overlap) {
    const Scene scene = stepped("soft-grasp", 200, {{"/parameters/overlap", overlap}});
    const Body& ruler = body_of(scene, "ruler");
    EXPECT_NEAR(ruler.position.z(), 0.3, 0.02) << "it does not fall";
    return std::abs((ruler.orientation * Vec3::UnitX()).z());
  };
  EXPECT_LT(turned("0.1"), 0.03);
  EXPECT_GT(turned("0.001"), 0.2);
}

TEST(VolumeScenes, a_bumpy_cube_slides_on_one_block_as_far_as_a_smooth_one) {
  Scene scene = load_scene("bumpy-cube", std::vector<Override>{{"/parameters/divisions", "40"}});
  Stepper stepper(scene.step);
  std::size_t most = 0;
  for (int i = 0; i < 60; ++i) {
    const std::size_t count = stepper.step(scene.world).contacts.size();
    if (i > 20) most = std::max(most, count);
  }
  EXPECT_EQ(most, 1u);
  EXPECT_NEAR(body_of(scene, "cube").position.x(), 1 / (2 * 0.5 * 9.81), 0.02);
  EXPECT_LT(body_of(scene, "cube").velocity.norm(), 1e-6);
}

TEST(VolumeScenes, rough_bodies_in_a_crate_have_fewer_contacts_by_volume_than_by_points) {
  std::size_t contacts[2] = {};
  for (const char* form : {"volume", "points"}) {
    Scene scene = load_scene("salad", std::vector<Override>{{"/step/contact", fmt::format("\"{}\"", form)}});
    Stepper stepper(scene.step);
    for (int i = 0; i < 22; ++i) {
      const StepReport& r = stepper.step(scene.world);
      EXPECT_EQ(r.outcome.status, SolveStatus::converged) << form << i;
      if (i >= 18) contacts[form[0] == 'v'] += r.contacts.size();
    }
    for (const Body& b : scene.world.bodies()) EXPECT_TRUE(b.position.allFinite());
  }
  EXPECT_LT(contacts[1], contacts[0] * 7 / 10);
}

/// A ring rocks across the rim of a rough table: of its corners above the top some are behind the plane of the side.
TEST(VolumeScenes, what_is_above_a_table_is_not_inside_its_side) {
  Scene scene = parse_scene(R"({"step": {"h": 0.01, "contact": "volume"}, "meshes": [
      {"name": "ring", "make": "torus", "radius": 0.075, "tube": 0.03, "segments": 40, "around": 24},
      {"name": "table", "make": "box", "half_extents": [0.5, 0.5, 0.1], "divisions": 12, "bumps": 0.01, "waves": 6}],
    "bodies": [{"motion": "fixed", "shape": {"type": "mesh", "mesh": "table"}, "position": [0, 0, -0.1]},
      {"shape": {"type": "mesh", "mesh": "ring"}, "position": [0.148407969733, -0.448556994517, 0.0353688191733],
       "orientation_wxyz": [0.0222825307318, -0.497680265933, -0.865951553211, -0.0441106474353],
       "velocity": [0.293652, -0.226153, -0.254965], "angular_velocity": [5.66281, 9.40601, 0.53502]}]})",
                            "rim.json");
  Stepper stepper(scene.step);
  for (int k = 0; k < 3; ++k) EXPECT_LT(stepper.step(scene.world).penetration_max, 1e-4) << k;
}

/// Round bodies fall on each other in fours and strike at 35 rad/s, several pairs in one step. What is tolerated of points
/// grows from one look at the step to the next; of bodies by volume it must not.
TEST(VolumeScenes, round_bodies_that_strike_while_they_spin_stay_out_of_each_other) {
  struct Round {
    const char* type;
    double radius, half_height;
    Vec3 position;
    std::array<double, 4> turned;   // w, x, y, z
    Vec3 spin;
  };
  const std::vector<Round> rounds = {
      {"cylinder", 0.0614, 0.0533, {-0.1798, -0.1806, 0.21}, {-0.0671, -0.3187, -0.6395, 0.6964}, {-1.818, -4.8738, 4.437}},
      {"capsule", 0.0406, 0.0962, {0.1781, -0.1801, 0.21}, {0.8696, 0.2497, 0.4246, 0.0334}, {3.8241, 4.0841, 2.9338}},
      {"sphere", 0.0537, 0, {-0.1829, 0.1782, 0.21}, {0.6442, -0.0941, 0.3853, 0.654}, {1.635, 2.1802, -0.0335}},
      {"capsule", 0.0593, 0.078, {0.1771, 0.1807, 0.21}, {-0.3071, 0.3439, 0.5464, 0.6992}, {3.0562, 1.3065, -4.7778}},
      {"cylinder", 0.0853, 0.0804, {-0.1805, -0.1821, 0.58}, {0.0591, -0.4336, 0.7706, 0.4633}, {1.1737, -3.1557, 2.3335}},
      {"cylinder", 0.0721, 0.036, {0.181, -0.1774, 0.58}, {0.8933, 0.3348, 0.2985, 0.0302}, {-0.4346, 4.6003, 1.2874}},
      {"sphere", 0.0485, 0, {-0.1799, 0.1802, 0.58}, {0.7962, 0.28, -0.1091, 0.5251}, {0.4405, 1.0584, -0.705}},
      {"cylinder", 0.036, 0.0945, {0.177, 0.1774, 0.58}, {-0.5257, -0.278, 0.6542, 0.4674}, {-0.679, -3.5569, 2.7881}},
      {"sphere", 0.0688, 0, {-0.1811, -0.1774, 0.95}, {0.7007, -0.3987, -0.5016, -0.3137}, {-0.4321, 3.9257, -2.3394}},
      {"capsule", 0.0302, 0.0609, {0.1808, -0.1791, 0.95}, {0.1876, -0.1948, 0.6655, 0.6957}, {-2.0633, -3.5089, 4.7589}},
      {"capsule", 0.0469, 0.0963, {-0.18, 0.1818, 0.95}, {-0.579, -0.2781, -0.2664, 0.7186}, {-1.2511, 0.1274, 4.4157}},
      {"cylinder", 0.034, 0.0558, {0.1824, 0.1822, 0.95}, {-0.6595, -0.3637, -0.1697, -0.6356}, {1.0104, 2.4801, -2.8386}}};
  World world;
  BodyDescription table;
  table.motion = MotionType::fixed;
  table.parts = {{Box{Vec3(0.5, 0.5, 0.1)}, {}, {}}};
  table.pose.position = {0, 0, -0.1};
  world.add(table);
  for (const Round& r : rounds) {
    BodyDescription d;
    if (r.type == std::string_view("cylinder")) d.parts = {{Cylinder{r.radius, r.half_height}, {}, {}}};
    else if (r.type == std::string_view("capsule")) d.parts = {{Capsule{r.radius, r.half_height}, {}, {}}};
    else d.parts = {{Sphere{r.radius}, {}, {}}};
    d.pose = {r.position, Quat(r.turned[0], r.turned[1], r.turned[2], r.turned[3]).normalized()};
    d.angular_velocity = r.spin;
    world.add(d);
  }
  StepOptions options;
  options.h = 0.01;
  options.contact = ContactForm::volume;
  Stepper stepper(options);
  for (int k = 0; k < 60; ++k) {
    const StepReport& report = stepper.step(world);
    EXPECT_TRUE(std::ranges::none_of(report.findings, [](const auto& f) { return f.kind == MotionKind::deep_overlap; })) << k;
  }
}

TEST(VolumeScenes, overlaps_that_cannot_be_are_refused) {
  for (const auto& [path, value] : {std::pair{"/step/overlap", "0"}, {"/step/overlap", "0.7"}, {"/bodies/1/overlap", "-0.1"}}) {
    try {
      load_scene("sloppy-stack", std::vector<Override>{{path, value}});
      FAIL() << path;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("overlap"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("0.5"), std::string::npos) << e.what();
    }
  }
}

}   // namespace
}   // namespace stickslip::testing
