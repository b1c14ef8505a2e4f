// Scenes of soft bodies say what to look for: here it is looked for, in small ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "error_message.h"
#include "scene/scene_text.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/step/stepper.h"

namespace stickslip::soft_scenes_test {
namespace {

using stickslip::testing::message_of;

struct Watched {
  Scene scene;
  StepReport last;
};

template <class Look>
Watched watched(const std::string& name, double seconds, const std::vector<std::pair<std::string, double>>& parameters,
                Look look) {
  std::vector<Override> overrides;
  for (const auto& [key, value] : parameters) overrides.push_back({"/parameters/" + key, fmt::format("{}", value)});
  Watched run{load_scene(name, overrides), {}};
  Stepper stepper(run.scene.step);
  while (run.scene.world.time < seconds - 0.5 * run.scene.step.h) {
    run.last = stepper.step(run.scene.world);
    look(run.scene, run.last);
  }
  return run;
}
Watched simulated(const std::string& name, double seconds, const std::vector<std::pair<std::string, double>>& parameters = {}) {
  return watched(name, seconds, parameters, [](const Scene&, const StepReport&) {});
}

const Body& named(const Watched& run, const std::string& name) { return run.scene.world.body(run.scene.world.find(name)); }
const NodalBody& nodes_of(const Watched& run, const std::string& name) {
  return run.scene.world.nodal_body(run.scene.world.find(name));
}

/// Force of contacts on a body [N].
Vec3 force_on(const Watched& run, const std::string& name) {
  const BodyId id = run.scene.world.find(name);
  Vec3 sum = Vec3::Zero();
  for (const ContactRecord& c : run.last.contacts) {
    if (c.body_a == id) sum -= c.impulse;
    if (c.body_b == id) sum += c.impulse;
  }
  return sum / run.last.force_time;
}

TEST(SoftScenes, a_gripper_lifts_its_box_and_with_little_friction_does_not) {
  const Watched held = simulated("gripper", 3.3), lost = simulated("gripper", 3.3, {{"mu", 0.05}});
  EXPECT_GT(named(held, "load").position.z(), 0.13);
  EXPECT_LT(named(held, "load").velocity.norm(), 1e-4);
  EXPECT_NEAR(force_on(held, "load").z(), 0.5 * 9.81, 1e-3 * 0.5 * 9.81);
  EXPECT_LT(named(lost, "load").position.z(), 0.05);
}

TEST(SoftScenes, a_hand_of_jelly_lifts_the_mug) {
  const Watched run = simulated("jelly-hand", 3.3, {{"size", 0.011}});
  EXPECT_GT(named(run, "mug").position.z(), 0.1 + 0.04);
  EXPECT_LT(named(run, "mug").velocity.norm(), 0.05);
}

TEST(SoftScenes, the_heavier_the_deeper_in_the_mattress) {
  const Watched run = simulated("rigid-on-soft", 1, {{"mass", 1}, {"size", 0.15}});
  const double ball = named(run, "ball").position.z(), box = named(run, "box").position.z(),
               drum = named(run, "drum").position.z();
  EXPECT_GT(box, drum);
  EXPECT_LT(ball, 0.28);
  EXPECT_GT(drum, 0.2);
}

TEST(SoftScenes, a_twisted_bar_winds_up_evenly) {
  const Watched run = simulated("twisted-bar", 3, {{"cells", 2}});
  const NodalBody& bar = nodes_of(run, "bar");
  const auto& rest = bar.solid->rest();
  // After half of one turn the middle has made a quarter, about where it hangs.
  Vec3 middle = Vec3::Zero();
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].norm() < 1e-9) middle = bar.positions[i];
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Vec3 now = bar.positions[i] - middle;
    if (std::abs(rest[i].x()) > 1e-9 || std::hypot(rest[i].y(), rest[i].z()) < 0.04) continue;
    const double turned =
        std::atan2(rest[i].y() * now.z() - rest[i].z() * now.y(), rest[i].y() * now.y() + rest[i].z() * now.z());
    EXPECT_NEAR(turned, std::numbers::pi / 2, 0.1);
  }
}

/// Force on a ball between two plates that have come nearer to its centre by `depth` each. Hertz's force 4/3 E* √R δ^(3/2) is
/// that of a half-space; on a ball the plate on the other side lifts what the first presses down [Tatara 1991].
double force_on_a_ball(double young, double poisson, double radius, double depth) {
  const double plane = 1 - poisson * poisson;
  double low = 0, high = radius, force = 0;
  for (int k = 0; k < 60; ++k) {
    const double a = 0.5 * (low + high), far = a * a + 4 * radius * radius;   // radius of the contact
    const double lifted = 2 * (1 + poisson) * radius * radius / std::pow(far, 1.5) + plane / std::sqrt(far);
    force = 4 * young * a * a * a / (3 * plane * radius);
    (a * a / radius - lifted * force / (std::numbers::pi * young) < depth ? low : high) = a;
  }
  return force;
}

TEST(SoftScenes, a_squeezed_ball_presses_as_hertz_says_of_a_whole_ball) {
  // From a quarter of the way of the press to all of it; elements come to touch one by one, which makes steps in between.
  double force[2] = {}, depth[2] = {}, mean = 0;
  int looks = 0;
  watched("squeezed-ball", 2, {}, [&](const Scene& scene, const StepReport& report) {
    const int which = std::abs(scene.world.time - 0.5) < 1e-6 ? 0 : 1;
    const Watched now{scene, report};
    depth[which] = 0.21 - named(now, "press").position.z();
    force[which] = force_on(now, "press").z();
    if (scene.world.time < 0.8) return;
    const double ratio = force[1] / force_on_a_ball(1e5, 0.3, 0.1, 0.5 * depth[1]);
    EXPECT_NEAR(ratio, 1, 0.08) << depth[1];
    mean += ratio, ++looks;
  });
  EXPECT_NEAR(mean / looks, 1, 0.03);
  EXPECT_NEAR(depth[1] / depth[0], 4, 1e-6);
  EXPECT_NEAR(std::log(force[1] / force[0]) / std::log(4), 1.5, 0.1);
}

TEST(SoftScenes, a_strap_around_a_log_holds_a_heavier_box_and_with_little_friction_does_not) {
  // Boxes swing for long: what the log bears is the weight of all on the mean, but for the momentum that they gain meanwhile.
  double borne = 0, start = 0;
  const Watched held = watched("strap-over-log", 3, {{"cells", 24}}, [&](const Scene& scene, const StepReport& report) {
    if (scene.world.time < 1) start = scene.world.linear_momentum().z();
    else borne -= force_on({scene, report}, "log").z() * report.h;
  });
  const double weight = (2.5 + nodes_of(held, "strap").solid->mass()) * 9.81;
  EXPECT_NEAR(borne - (held.scene.world.linear_momentum().z() - start), 2.005 * weight, 1e-4 * weight);
  EXPECT_GT(named(held, "right").position.z(), 0.3);
  const Watched lost = simulated("strap-over-log", 1.5, {{"cells", 24}, {"mu", 0.05}});
  // e^(0.05 π) = 1.17 is less than the ratio of the loads.
  EXPECT_LT(named(lost, "right").position.z(), 0.1);
}

TEST(SoftScenes, a_strap_that_is_attached_by_its_last_nodes_alone_solves_every_step) {
  // Edges of the boxes touch those of the strap beside these nodes: what holds the two together leaves nothing to press there.
  double most = 0;
  watched("strap-over-log", 0.2, {{"cells", 20}}, [&](const Scene& scene, const StepReport& report) {
    EXPECT_LE(report.outcome.error, report.outcome.tolerance) << scene.world.time;
    EXPECT_LT(report.energy.kinetic_end + report.energy.potential_end,
              report.energy.kinetic_start + report.energy.potential_start + 1e-3)
        << scene.world.time;
    for (const ContactRecord& c : report.contacts) most = std::max(most, c.normal_impulse);
  });
  EXPECT_LT(most, 2.5 * 9.81 * 0.2);   // all that gravity gives the boxes meanwhile
}

TEST(SoftScenes, jacks_fish_slabs_and_tyres_stay_above_the_ground) {
  for (const auto& [name, parameters] :
       std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>>{{"soft-jacks", {{"count", 2}}},
                                                                                        {"fish-in-net", {{"cells", 10}}},
                                                                                        {"soft-on-rigid", {}},
                                                                                        {"tyre", {{"stones", 3}}}}) {
    const Watched run = simulated(name, 0.25, parameters);
    double lowest = 1;
    for (const NodalBody& body : run.scene.world.nodal_bodies())
      for (const Vec3& x : body.positions) lowest = std::min(lowest, x.z());
    EXPECT_GT(lowest, -1e-3) << name;
    EXPECT_TRUE(std::isfinite(run.scene.world.kinetic_energy())) << name;
  }
}

/// What one step with an operator comes to.
struct Stepped {
  World world;
  StepReport report;
};
Stepped stepped(const Scene& scene, SoftOperator how) {
  StepOptions options = scene.step;
  options.soft.operator_ = how;
  options.tolerance /= 100;   // what residuals leave open of velocities is some ten times as large
  Stepper stepper(options);
  Stepped end{scene.world, {}};
  end.report = stepper.step(end.world);
  return end;
}

/// Of all scenes and at full size: bench/soft_agreement.cpp.
TEST(SoftScenes, step_to_the_same_velocities_and_forces_with_every_operator) {
  using Parameters = std::vector<std::pair<std::string, double>>;
  const std::tuple<const char*, double, Parameters> places[] = {
      {"gripper", 0.7, {}}, {"soft-stack", 0.2, {{"count", 2}, {"cells", 2}}}, {"squeezed-ball", 1, {{"size", 0.05}}}};
  for (const auto& [name, seconds, parameters] : places) {
    const Scene scene = simulated(name, seconds, parameters).scene;
    const Stepped expected = stepped(scene, SoftOperator::factored);
    ASSERT_FALSE(expected.report.contacts.empty()) << name;
    for (const SoftOperator how : {SoftOperator::assembled, SoftOperator::partial, SoftOperator::splitting}) {
      const Stepped found = stepped(scene, how);
      const std::string what = name + (" " + soft_operator_names()[static_cast<std::size_t>(how)]);
      EXPECT_EQ(found.report.outcome.status, SolveStatus::converged) << what;
      for (std::size_t k = 0; k < scene.world.nodal_bodies().size(); ++k) {
        const NodalBody &a = found.world.nodal_bodies()[k], &b = expected.world.nodal_bodies()[k];
        for (std::size_t i = 0; i < a.size(); ++i)
          ASSERT_LT((a.velocities[i] - b.velocities[i]).norm(), 100 * expected.report.outcome.tolerance) << what;
      }
      double force = 0, off = 0;   // largest on a body
      for (const Body& body : scene.world.bodies()) {
        const BodyId id = scene.world.find(body.name);
        force = std::max(force, expected.report.force_on(id).norm());
        off = std::max(off, (expected.report.force_on(id) - found.report.force_on(id)).norm());
      }
      EXPECT_LT(off, 1e-6 * force) << what;
    }
  }
}

TEST(SoftScenes, steps_too_long_for_the_lumped_operator_are_told_with_one_that_is_not) {
  const auto loaded = [](const std::string& h) {
    const std::vector<Override> overrides{{"/step/soft/operator", "\"lumped\""}, {"/step/h", h}};
    return load_scene("gripper", overrides);
  };
  const Scene scene = loaded("0.005");
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_THAT(scene.warnings[0], ::testing::AllOf(::testing::HasSubstr("lumped"), ::testing::HasSubstr("-pad")));
  Scene fine = loaded("1e-5");
  EXPECT_TRUE(fine.warnings.empty());
  Stepper stepper(fine.step);
  for (int k = 0; k < 300; ++k) stepper.step(fine.world);
  EXPECT_LT(fine.world.kinetic_energy(), 1e-4);
}

TEST(SoftScenes, mistakes_are_named_with_place_and_remedy) {
  const auto message = [](const std::string& soft) {
    return message_of([&] { parse_scene(R"({"bodies": [{"name": "pad", "soft": )" + soft + "}]}", "s.json"); });
  };
  EXPECT_NE(message(R"({"shape": {"type": "box", "half_extents": [1, 1, 1]}, "size": 0})").find("/bodies/0/soft"),
            std::string::npos);
  EXPECT_NE(message(R"({"shape": {"type": "sphere", "radius": 1}, "size": 0.5, "growth": 1.2})")
                .find("Elements of a sphere do not grow."),
            std::string::npos);
  EXPECT_NE(
      message(R"({"shape": {"type": "box", "half_extents": [1, 1, 1]}, "size": 0.5, "growth": 3})").find("3 is not a growth."),
      std::string::npos);
  EXPECT_NE(message(R"({})").find("A soft body needs tetrahedra."), std::string::npos);
  EXPECT_NE(message(R"({"shape": {"type": "half-space"}, "size": 0.1})").find("cannot be filled with tetrahedra"),
            std::string::npos);
  EXPECT_NE(message(R"({"shape": {"type": "sphere", "radius": 1}, "size": 0.5, "material": {"poisson": 0.5}})")
                .find("/bodies/0/soft/material/poisson"),
            std::string::npos);
  EXPECT_NE(message(R"({"mesh": "nowhere.msh"})").find("/bodies/0/soft/mesh"), std::string::npos);
  EXPECT_NE(message(R"({"shape": {"type": "sphere", "radius": 1}, "size": 0.5,
                        "pins": [{"box": {"lower": [5, 5, 5], "upper": [6, 6, 6]}}]})")
                .find("There is no node in this box."),
            std::string::npos);
  EXPECT_NE(message(R"({"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "tetrahedra": [[0, 2, 1, 3]]})")
                .find("/bodies/0/soft"),
            std::string::npos);
}

}   // namespace
}   // namespace stickslip::soft_scenes_test
