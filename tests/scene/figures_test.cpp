// Articulated figures and snakes: they hang, settle, stand and tumble as they say, and as statics says.
#include <gtest/gtest.h>

#include "scene/scene_text.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

constexpr double kG = 9.81;

/// A scene on its way, and the worst that was seen.
struct Course {
  Scene scene;
  Stepper stepper{scene.step};
  double joint_error = 0, beyond_limits = 0, penetration = 0;   ///< [m, rad, m]

  explicit Course(const std::string& name, std::vector<Override> overrides = {}) : scene(load_scene(name, overrides)) {}

  const World& world() const { return scene.world; }

  const StepReport& until(double seconds) {
    const StepReport* report = nullptr;
    while (!report || scene.world.time < seconds - 0.5 * scene.step.h) {
      report = &stepper.step(scene.world);
      joint_error = std::max(joint_error, report->joint_error_max);
      penetration = std::max(penetration, report->penetration_max);
      for (const JointRecord& record : report->joints) look_at_limits(record);
    }
    return *report;
  }

  void look_at_limits(const JointRecord& record) {
    const Joint& joint = world().joint(record.joint);
    for (std::size_t k = 0; k < kJointCoordinates; ++k) {
      const JointAxis& axis = joint.description.axes[k];
      beyond_limits = std::max({beyond_limits, axis.lower - record.position[k], record.position[k] - axis.upper});
    }
    if (std::isfinite(joint.description.swing_limit))
      beyond_limits = std::max(beyond_limits, swing_of(locate(world(), joint)).first - joint.description.swing_limit);
  }

  double fastest() const {
    double speed = 0;
    for (const Body& b : world().bodies())
      if (b.alive) speed = std::max(speed, b.velocity.norm());
    return speed;
  }

  /// The fastest that any body is over the next while [m/s].
  double fastest_during(double seconds) {
    double speed = 0;
    for (const double end = world().time + seconds; world().time < end;) {
      until(world().time + scene.step.h);
      speed = std::max(speed, fastest());
    }
    return speed;
  }

  double lowest() const {
    double z = std::numeric_limits<double>::infinity();
    for (const Body& b : world().bodies())
      if (b.alive && b.motion == MotionType::dynamic) z = std::min(z, b.position.z());
    return z;
  }

  double weight() const {
    double mass = 0;
    for (const Body& b : world().bodies())
      if (b.alive && b.motion == MotionType::dynamic) mass += b.mass.mass;
    return mass * kG;
  }
};

/// Force of joints on their second body, added up over those whose name ends so [N].
Vec3 force_of(const Course& run, const StepReport& report, std::string_view ending) {
  Vec3 sum = Vec3::Zero();
  for (const JointRecord& j : report.joints)
    if (run.world().joint(j.joint).description.name.ends_with(ending)) sum += j.force;
  return sum;
}

std::vector<Override> with(const std::string& parameter, double value) {
  return {{"/parameters/" + parameter, fmt::format("{}", value)}};
}

TEST(Figure, has_sixteen_parts_of_seventy_kilograms_and_starts_assembled_within_its_limits) {
  for (const char* name : {"agony", "pain", "ragdolls"}) {
    Course run(name, std::string(name) == "ragdolls" ? with("count", 1) : std::vector<Override>{});
    int parts = 0;
    double mass = 0;
    for (const Body& b : run.world().bodies())
      if (b.motion == MotionType::dynamic && b.name != "ball" && b.name != "box") {
        ++parts;
        mass += b.mass.mass;
      }
    EXPECT_EQ(parts, 16) << name;
    EXPECT_NEAR(mass, 70, 1e-9) << name;
    EXPECT_TRUE(run.scene.warnings.empty()) << name;
    for (const Joint& joint : run.world().joints()) {
      const JointPlace place = locate(run.world(), joint);
      EXPECT_LT((place.frame_a.position - place.frame_b.position).norm(), 1e-12) << joint.description.name;
      EXPECT_LE(swing_of(place).first, joint.description.swing_limit) << joint.description.name;
    }
  }
}

TEST(Agony, hangs_still_although_the_ball_has_a_thousand_times_the_mass_of_the_figure) {
  for (const double ratio : {1.0, 1000.0, 1e5}) {
    Course run("agony", with("ratio", ratio));
    const double ball = named(run.scene, "ball").position.z();
    run.until(5);
    EXPECT_LT(run.joint_error, 1e-5) << ratio;
    if (ratio == 1.0) continue;   // light enough to swing a little, as the feet point forward
    EXPECT_LT(run.fastest_during(0.5), 1e-3) << ratio;
    EXPECT_NEAR(named(run.scene, "ball").position.z(), ball, 1e-5) << ratio;
    const Vec3 grip = force_of(run, run.until(run.world().time + run.scene.step.h), "grip");
    EXPECT_NEAR(grip.z() / run.weight(), 1, 1e-4) << ratio;
  }
}

TEST(Agony, a_push_at_the_chest_dies_out) {
  Course run("agony");
  run.scene.world.set_velocity(run.world().find("chest"), {0.5, 0.3, 0}, Vec3::Zero());
  EXPECT_GT(run.fastest_during(0.02), 0.05);
  run.until(8);
  EXPECT_LT(run.fastest_during(0.5), 1e-3);
  EXPECT_LT(run.joint_error, 1e-3);
}

// The step cannot follow how light parts tremble under such a load, and lets that die out. It must not take the swing of the
// ball with it.
TEST(Agony, the_ball_swings_on_and_keeps_its_energy) {
  Course run("agony");
  const double mass = named(run.scene, "ball").mass.mass, height = named(run.scene, "ball").position.z();
  run.scene.world.set_velocity(run.world().find("ball"), {0.5, 0, 0}, {0, 0, 0});
  run.until(10);
  const Body& ball = named(run.scene, "ball");
  const double turning = 0.5 * ball.angular_velocity.dot(ball.world_inertia() * ball.angular_velocity);
  const double energy = 0.5 * mass * ball.velocity.squaredNorm() + turning + mass * kG * (ball.position.z() - height);
  EXPECT_NEAR(energy / (0.5 * mass * 0.25), 1, 0.04);
  EXPECT_LT(run.joint_error, 1e-3);
}

TEST(Pain, the_box_comes_to_rest_on_the_figure_and_nothing_reaches_the_floor) {
  for (const double ratio : {10.0, 100.0, 1000.0}) {
    Course run("pain", with("ratio", ratio));
    run.until(1);
    const double early = run.fastest_during(0.5);
    run.until(5);
    const double late = run.fastest_during(0.5);
    EXPECT_LT(late, 0.2 * early) << ratio;
    EXPECT_LT(late, 5e-3) << ratio;
    EXPECT_LT(run.joint_error, 1e-3) << ratio;
    EXPECT_LT(run.beyond_limits, 1e-3) << ratio;
    EXPECT_GT(run.lowest(), 0.8) << ratio;   // the back was at 0.9 m
    const StepReport& report = run.until(run.world().time + run.scene.step.h);
    EXPECT_NEAR(force_of(run, report, "strap").z() / run.weight(), 1, 0.01) << ratio;
    EXPECT_NEAR(report.force_on(run.world().find("box")).z() / (70 * ratio * kG), 1, 0.01) << ratio;
  }
}

/// The friction that the feet of the arch need. The hinges of a half resist bending further only: about each of them the push H
/// of the floor must turn the part below at least as far inwards as its lift V and the weights of that part turn it outwards. V
/// acts where that is easiest, at the inner edge.
double needed_friction(const World& world) {
  const double lift = [&] {
    double mass = 0;
    for (const Body& b : world.bodies())
      if (b.motion == MotionType::dynamic) mass += b.mass.mass;
    return 0.5 * mass * kG;
  }();
  const double inner_edge = 0.05;
  double needed = 0, torque = 0, weight = 0;
  for (int i = 0; i < 5; ++i) {
    const Body& link = world.body(world.find(fmt::format("link-{}", i)));
    const Vec3 hinge = locate(world, world.joint(world.find_joint(fmt::format("hinge-{}", i + 1)))).frame_a.position;
    weight += link.mass.mass * kG;
    torque += link.mass.mass * kG * link.position.x();
    const double outwards = lift * (hinge.x() - inner_edge) - (weight * hinge.x() - torque);
    needed = std::max(needed, outwards / (hinge.z() * lift));
  }
  return needed;
}

TEST(Snakes, the_arch_keeps_its_height_and_its_hinges_their_limits) {
  for (const char* name : {"arched-snake", "heavy-on-snake"}) {
    Course run(name);
    const double height = named(run.scene, "link-5").position.z();
    run.until(2);
    EXPECT_NEAR(named(run.scene, "link-5").position.z(), height, 1e-3 * height) << name;
    EXPECT_LT(run.beyond_limits, 1e-5) << name;
    EXPECT_LT(run.joint_error, 1e-6) << name;
    EXPECT_LT(run.fastest(), 1e-5) << name;
  }
}

TEST(Snakes, the_arch_carries_a_hundred_times_its_mass) {
  Course run("heavy-on-snake", with("ratio", 100));
  const double height = named(run.scene, "box").position.z();
  run.until(0.5);
  EXPECT_NEAR(named(run.scene, "box").position.z(), height, 1e-5);
  EXPECT_LT(run.beyond_limits, 1e-5);
}

TEST(Snakes, feet_hold_above_the_friction_of_statics_and_slide_apart_below) {
  for (const char* name : {"arched-snake", "heavy-on-snake"}) {
    const double needed = needed_friction(load_scene(name).world);
    Course above(name, with("mu", 1.05 * needed)), below(name, with("mu", 0.95 * needed));
    const double height = named(above.scene, "link-5").position.z();
    above.until(0.3);
    below.until(0.3);
    EXPECT_NEAR(named(above.scene, "link-5").position.z(), height, 1e-5) << name << " " << needed;
    EXPECT_LT(named(below.scene, "link-5").position.z(), height - 0.005) << name << " " << needed;
  }
}

TEST(Ragdolls, tumble_down_the_stairs_in_one_piece_and_come_to_rest) {
  Course run("ragdolls", with("count", 1));
  const double start = run.world().potential_energy();
  run.until(1);
  EXPECT_GT(run.fastest(), 1);
  run.until(4);
  EXPECT_LT(run.fastest_during(0.1), 0.1);
  EXPECT_LT(run.world().potential_energy(), start - 70 * kG);   // by more than a metre
  EXPECT_LT(run.joint_error, 5e-3);
  EXPECT_LT(run.beyond_limits, 0.05);
  EXPECT_LT(run.penetration, 0.02);   // a step of 5 ms at 4 m/s
  for (const Body& b : run.world().bodies()) {
    if (b.motion != MotionType::dynamic) continue;
    // Ten steps of 17 cm and 30 cm; the landing ends at x = 0.
    const double stair = 0.17 * std::clamp(10 - std::ceil(b.position.x() / 0.3), 0.0, 10.0);
    EXPECT_GT(b.position.z(), stair) << b.name;
  }
}

}   // namespace
}   // namespace stickslip
