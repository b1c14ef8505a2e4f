// What steps say about their own motion: each finding where it belongs, at 1 mm, 1 m and 100 m, and none where all is well.
#include "error_message.h"
#include "geometry/triangle_meshes.h"
#include "physics/worlds.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/step/motion_watch.h"

namespace stickslip::testing {
namespace {

class MotionFindings : public AtScale {
 protected:
  const Scale s = GetParam();
  World world;

  /// Runs the world. @returns what was found
  std::vector<MotionRecord> run(double seconds, double h = 0.01, const std::function<void(const StepReport&)>& each = nullptr) {
    Stepper stepper(options(h * s.time()));
    MotionWatch watch(world);
    simulate(world, stepper, seconds * s.time(), [&](const StepReport& r) {
      watch.add(world, r);
      if (each) each(r);
    });
    return watch.records();
  }
};
INSTANTIATE_TEST_SUITE_P(Scales, MotionFindings, kScales, scale_name);

const MotionRecord* find(const std::vector<MotionRecord>& records, MotionKind kind) {
  const auto at = std::find_if(records.begin(), records.end(), [&](const MotionRecord& r) { return r.worst.kind == kind; });
  return at == records.end() ? nullptr : &*at;
}

std::string names(const std::vector<MotionRecord>& records) {
  std::string all;
  for (const MotionRecord& r : records) all += fmt::format("{}\n", statement(r));
  return all;
}

JointDescription joint_at_origin(JointType type, const World& world, BodyId b, const Vec3& axis = Vec3::UnitZ()) {
  JointDescription d;
  d.name = "pivot";
  d.type = type;
  d.b = b;
  place_joint(d, world, Vec3::Zero(), axis);
  return d;
}

TEST_P(MotionFindings, are_none_where_boxes_fall_tip_slide_and_come_to_rest) {
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const Vec3 half = 0.5 * s.size * Vec3::Ones();
  add_body(world, Box{half}, s.size * Vec3(0, 0, 0.5), m);
  add_body(world, Box{half}, s.size * Vec3(0.2, 0, 1.5), m);
  add_body(world, Box{half}, s.size * Vec3(4, 0, 1.5), m, s.speed() * Vec3(2, 0, 0), Vec3::Zero(),
           rotation_from_vector({0.3, 0.2, 0}));
  add_body(world, Sphere{0.5 * s.size}, s.size * Vec3(-4, 0, 2), m, s.speed() * Vec3(-1, 0, 0));
  const auto found = run(3, 0.005);
  EXPECT_TRUE(found.empty()) << names(found);
}

TEST_P(MotionFindings, are_none_for_an_elastic_ball_and_a_free_fall_of_a_minute) {
  const MaterialId m = material(world, 0.5, 1);
  add_ground(world, m);
  add_body(world, Sphere{0.5 * s.size}, s.size * Vec3(0, 0, 3), m);
  World abyss;
  add_body(abyss, Box{s.size * Vec3(0.5, 0.4, 0.3)}, Vec3::Zero(), {}, Vec3::Zero(), Vec3(0.1, 2, 0) / s.time());
  auto found = run(5);
  EXPECT_TRUE(found.empty()) << names(found);
  world = abyss;
  found = run(60);
  EXPECT_TRUE(found.empty()) << names(found);
}

TEST_P(MotionFindings, are_none_for_a_pendulum_and_for_what_a_motor_drives) {
  const BodyId rod = add_body(world, Box{s.size * Vec3(0.5, 0.02, 0.02)}, s.size * Vec3(0.5, 0, 0), {});
  world.add(joint_at_origin(JointType::hinge, world, rod, Vec3::UnitY()));
  auto found = run(5, 0.002);
  EXPECT_TRUE(found.empty()) << names(found);

  world = World();
  const BodyId wheel = add_body(world, Cylinder{0.5 * s.size, 0.1 * s.size}, Vec3::Zero(), {});
  JointDescription d = joint_at_origin(JointType::hinge, world, wheel);
  d.axes[joint_turn_z].motor = JointMotor{50 / s.time(), std::numeric_limits<double>::infinity()};
  world.add(d);
  found = run(1);
  EXPECT_TRUE(found.empty()) << "the energy is the motor's: " << names(found);
}

TEST_P(MotionFindings, name_the_pair_that_starts_inside_each_other_and_how_deep) {
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  add_body(world, Box{0.5 * s.size * Vec3::Ones()}, s.size * Vec3(0, 0, 0.47), m);
  std::vector<std::uint64_t> steps;
  const auto found = run(1, 0.01, [&](const StepReport& r) {
    for (const MotionFinding& f : r.findings)
      if (f.kind == MotionKind::deep_overlap) steps.push_back(r.step);
  });
  const MotionRecord* deep = find(found, MotionKind::deep_overlap);
  ASSERT_NE(deep, nullptr) << names(found);
  EXPECT_NEAR(deep->worst.amount, 0.03 * s.size, 1e-9 * s.size);
  EXPECT_NEAR(deep->worst.value, 0.03, 2e-4) << "part of the thickness of the box";
  EXPECT_EQ(deep->where, "'ground' and 'body-1'");
  EXPECT_EQ(deep->first_step, 1u);
  EXPECT_EQ(deep->steps, steps.size());
  // A fifth of the depth goes in each step: 0.03 · 0.8ⁿ < 0.01 from the sixth step on.
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST_P(MotionFindings, name_the_joint_that_cannot_close) {
  // The rod is held at both ends by pivots that are 10 % too far apart.
  const BodyId rod = add_body(world, Box{s.size * Vec3(0.5, 0.05, 0.05)}, s.size * Vec3(0.5, 0, 0), {});
  world.add(joint_at_origin(JointType::ball, world, rod));
  JointDescription d;
  d.name = "far";
  d.type = JointType::ball;
  d.b = rod;
  d.frame_a.position = s.size * Vec3(1.1, 0, 0);
  d.frame_b.position = s.size * Vec3(0.5, 0, 0);
  world.add(d);
  const auto found = run(1);
  const MotionRecord* open = find(found, MotionKind::joint_open);
  ASSERT_NE(open, nullptr) << names(found);
  EXPECT_TRUE(open->where == "joint 'far'" || open->where == "joint 'pivot'") << open->where;
  EXPECT_GE(open->worst.amount, 0.05 * s.size * 0.99) << "one of the two is off by half the gap at least";
  EXPECT_EQ(open->steps, 100u);
}

TEST_P(MotionFindings, say_that_a_rotor_turns_too_far_in_a_step_but_not_so_of_a_ball) {
  world.gravity.setZero();
  add_body(world, Sphere{0.1 * s.size}, s.size * Vec3(3, 0, 0), {}, Vec3::Zero(), Vec3(0, 0, 300) / s.time());
  EXPECT_TRUE(run(0.1).empty()) << "a ball looks the same however it turns";
  add_body(world, Cylinder{0.1 * s.size, 0.01 * s.size}, Vec3::Zero(), {}, Vec3::Zero(), Vec3(0, 0, 300) / s.time());
  const auto found = run(0.1);
  ASSERT_EQ(found.size(), 1u) << names(found);
  EXPECT_EQ(found[0].worst.kind, MotionKind::fast_spin);
  EXPECT_EQ(found[0].where, "'body-1'");
  EXPECT_NEAR(found[0].worst.value, 3, 1e-9);
  EXPECT_NEAR(found[0].worst.amount * s.time(), 300, 1e-6);
}

/// A rod that falls on one end at an angle: Newton's law of impact with friction can give more than the rod had [Kane and
/// Levinson 1985].
TEST_P(MotionFindings, say_that_the_impact_law_gave_energy_as_much_as_the_rod_gained) {
  const MaterialId m = material(world, 0.5, 1);
  add_ground(world, m);
  add_body(world, Capsule{0.03 * s.size, 0.2 * s.size}, s.size * Vec3(0, 0, 1), m, Vec3::Zero(), Vec3::Zero(),
           Quat(-0.6673591951605813, -0.5131669457833979, -0.5225591879018462, -0.1349936499592602));
  double before = 0, gained = 0;
  const auto found = run(1.6, 0.01, [&](const StepReport& r) {
    const double now = r.energy.kinetic_end + r.energy.potential_end;
    for (const MotionFinding& f : r.findings)
      if (f.kind == MotionKind::energy_created) gained = std::max(gained, now - before);
    before = now;
  });
  const MotionRecord* created = find(found, MotionKind::energy_created);
  ASSERT_NE(created, nullptr) << names(found);
  EXPECT_EQ(created->worst.source, EnergySource::impact_law);
  EXPECT_EQ(created->where, "'ground' and 'body-1'");
  EXPECT_NEAR(created->worst.amount, gained, 0.05 * gained);
}

TEST_P(MotionFindings, say_that_a_row_of_balls_lost_energy_because_impacts_were_passed_on_within_a_step) {
  world.gravity.setZero();
  const MaterialId m = material(world, 0, 1);
  const double radius = 0.05 * s.size, gap = 1e-4 * s.size;
  add_body(world, Sphere{radius}, {-0.2 * s.size, 0, 0}, m, s.speed() * Vec3(1, 0, 0));
  for (int i = 0; i < 4; ++i) add_body(world, Sphere{radius}, {(2 * radius + gap) * (i + 1), 0, 0}, m);
  const double start = world.kinetic_energy();
  const auto found = run(0.5, 0.001);
  const MotionRecord* missed = find(found, MotionKind::rebound_missed);
  ASSERT_NE(missed, nullptr) << names(found);
  const double lost = start - world.kinetic_energy();
  EXPECT_GT(lost, 0.05 * start);
  EXPECT_NEAR(missed->worst.amount, lost, 0.05 * lost);
  EXPECT_NEAR(missed->worst.value, lost / start, 0.01);
}

TEST_P(MotionFindings, leave_a_row_of_balls_alone_whose_gaps_part_the_impacts) {
  world.gravity.setZero();
  const MaterialId m = material(world, 0, 1);
  for (int i = 0; i < 5; ++i)
    add_body(world, Sphere{0.05 * s.size}, {0.13 * i * s.size, 0, 0}, m, i == 0 ? Vec3(s.speed(), 0, 0) : Vec3::Zero());
  const double start = world.kinetic_energy();
  const auto found = run(0.5, 0.001);
  EXPECT_TRUE(found.empty()) << names(found);
  EXPECT_NEAR(world.kinetic_energy(), start, 1e-9 * start);
}

/// Painlevé's rod: pushed along over rough ground it drives itself in where 1 + 3 cos θ (cos θ − μ sin θ) < 0, θ its angle with
/// the ground.
class Painleve : public MotionFindings {
 protected:
  std::vector<MotionRecord> slide(double friction) {
    world = World();
    const MaterialId m = material(world, friction);
    add_ground(world, m);
    const double angle = std::numbers::pi / 3, length = 0.5, radius = 0.01;
    // The lower end leads: friction turns the rod about its centre so as to press that end down.
    const Vec3 axis(std::cos(angle), 0, -std::sin(angle));
    const Vec3 tip = s.size * Vec3(0, 0, radius);
    add_body(world, Capsule{radius * s.size, length * s.size}, tip - length * s.size * axis, m, s.speed() * Vec3(4, 0, 0),
             Vec3::Zero(), rotation_between(Vec3::UnitZ(), axis));
    return run(0.02, 0.002);
  }
};
INSTANTIATE_TEST_SUITE_P(Scales, Painleve, kScales, scale_name);

TEST_P(Painleve, a_rod_pushed_over_rough_ground_jams) {
  const double angle = std::numbers::pi / 3;
  for (const double friction : {0.5, 3.0}) {
    const bool paradox = 1 + 3 * std::cos(angle) * (std::cos(angle) - friction * std::sin(angle)) < 0;
    const auto found = slide(friction);
    EXPECT_EQ(find(found, MotionKind::jam) != nullptr, paradox) << "friction " << friction << ": " << names(found);
  }
}

TEST_P(MotionFindings, say_that_a_joint_makes_a_rod_turn_faster_little_by_little) {
  // Without stabilisation and with steps of a fifth of a radian, a held rod gains or loses; what it gained is what the watch
  // says.
  world.gravity.setZero();
  const BodyId rod = add_body(world, Box{s.size * Vec3(0.5, 0.02, 0.02)}, s.size * Vec3(0.5, 0, 0), {},
                              s.speed() * Vec3(0, 10, 0), Vec3(0, 0, 20) / s.time());
  world.add(joint_at_origin(JointType::hinge, world, rod));
  double lowest = world.kinetic_energy(), risen = 0;
  const auto found = run(10, 0.01, [&](const StepReport& r) {
    lowest = std::min(lowest, r.energy.kinetic_end);
    risen = std::max(risen, r.energy.kinetic_end - lowest);
  });
  const MotionRecord* drift = find(found, MotionKind::energy_drift);
  EXPECT_EQ(drift != nullptr, risen > 0.06 * lowest) << names(found);
  if (drift) {
    EXPECT_NEAR(drift->worst.amount, risen, 0.1 * risen);
  }
}

TEST_P(MotionFindings, say_that_momentum_got_lost_in_free_space) {
  world.gravity.setZero();
  const Box half{s.size * Vec3(0.5, 0.1, 0.1)};
  const Vec3 spin = Vec3(0, 0, 2) / s.time();
  const BodyId left = add_body(world, half, s.size * Vec3(-0.5, 0, 0), {}, s.speed() * Vec3(0, -1, 0), spin);
  const BodyId right = add_body(world, half, s.size * Vec3(0.5, 0, 0), {}, s.speed() * Vec3(0, 1, 0), spin);
  JointDescription d = joint_at_origin(JointType::ball, world, right);
  d.a = left;
  place_joint(d, world, Vec3::Zero(), Vec3::UnitZ());
  world.add(d);
  StepOptions o = options(0.002 * s.time());
  Stepper stepper(o);
  MotionWatch watch(world);
  for (int i = 0; i < 20; ++i) watch.add(world, stepper.step(world));
  EXPECT_EQ(find(watch.records(), MotionKind::momentum_lost), nullptr) << names(watch.records());
  // Whoever takes a twentieth of the spin away without touching anything is found out.
  for (const BodyId id : {left, right}) world.set_velocity(id, world.body(id).velocity, 0.9 * world.body(id).angular_velocity);
  watch.add(world, stepper.step(world));
  const auto found = watch.records();
  const MotionRecord* lost = find(found, MotionKind::momentum_lost);
  ASSERT_NE(lost, nullptr) << names(found);
  EXPECT_EQ(lost->worst_step, 21u);
  EXPECT_EQ(lost->first_step, 1u);
  EXPECT_GT(lost->worst.value, 0.01);
  EXPECT_LT(lost->worst.value, 0.1);
}

TEST_P(MotionFindings, do_not_ask_for_momentum_where_the_world_holds_a_body) {
  world.gravity.setZero();
  const Vec3 spin = Vec3(0, 0, 2) / s.time();
  const BodyId rod =
      add_body(world, Box{s.size * Vec3(0.5, 0.02, 0.02)}, s.size * Vec3(0.5, 0, 0), {}, s.speed() * Vec3(0, 1, 0), spin);
  world.add(joint_at_origin(JointType::hinge, world, rod));
  EXPECT_EQ(find(run(2), MotionKind::momentum_lost), nullptr) << "its momentum turns with it";
}

TEST_P(MotionFindings, say_that_a_block_creeps_although_it_sticks) {
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId block = add_body(world, Box{Vec3::Constant(0.5 * s.size)}, s.size * Vec3(0, 0, 0.5), m);
  Stepper stepper(options(0.01 * s.time()));
  MotionWatch watch(world);
  for (int i = 0; i < 100; ++i) {
    // A hand moves it by a five-thousandth of its size between the steps: none of its contacts ever slips.
    Pose moved = world.body(block).frame();
    moved.position.x() += 2e-4 * s.size;
    world.set_frame(block, moved);
    watch.add(world, stepper.step(world));
  }
  const auto found = watch.records();
  const MotionRecord* creep = find(found, MotionKind::creep);
  ASSERT_NE(creep, nullptr) << names(found);
  EXPECT_NEAR(creep->worst.amount, 99 * 2e-4 * s.size, 1e-6 * s.size);
  EXPECT_EQ(creep->where, "'ground' and 'body-1'");
}

TEST_P(MotionFindings, call_nothing_creep_that_slides_rolls_or_rests) {
  const MaterialId m = material(world, 0.3);
  add_ground(world, m);
  add_body(world, Box{Vec3::Constant(0.5 * s.size)}, s.size * Vec3(0, 0, 0.5), m, s.speed() * Vec3(3, 0, 0));
  add_body(world, Sphere{0.5 * s.size}, s.size * Vec3(0, 3, 0.5), m, s.speed() * Vec3(2, 0, 0), Vec3(0, 4, 0) / s.time());
  add_body(world, Cylinder{0.5 * s.size, 0.4 * s.size}, s.size * Vec3(0, -3, 0.5), m, s.speed() * Vec3(2, 0, 0),
           Vec3(0, 4, 0) / s.time(), rotation_from_vector({std::numbers::pi / 2, 0, 0}));
  add_body(world, Box{Vec3::Constant(0.5 * s.size)}, s.size * Vec3(0, 6, 0.5), m);
  const auto found = run(3);
  EXPECT_EQ(find(found, MotionKind::creep), nullptr) << names(found);
}

TEST_P(MotionFindings, call_nothing_creep_that_rolls_over_its_sides) {
  const MaterialId m = material(world, 0.8);
  add_ground(world, m);
  const double r = 0.5 * s.size, thick = 0.2 * s.size;
  const Shape wheel = make_mesh(revolved_mesh({{r, -thick}, {r, thick}}, -thick, thick, 40));
  const BodyId id = add_body(world, wheel, Vec3(0, 0, r), m, s.speed() * Vec3(1.5, 0, 0), Vec3(0, 3, 0) / s.time(),
                             rotation_from_vector({std::numbers::pi / 2, 0, 0}));
  const auto found = run(2);
  EXPECT_GT(world.body(id).position.x(), s.size) << "it has rolled on";
  EXPECT_EQ(find(found, MotionKind::creep), nullptr) << names(found);
}

TEST_P(MotionFindings, end_a_run_whose_body_is_faster_than_anything_explains) {
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.5 * s.size}, s.size * Vec3(0, 0, 2), m);
  Stepper stepper(options(0.01 * s.time()));
  MotionWatch watch(world);
  watch.add(world, stepper.step(world));
  world.set_velocity(ball, s.speed() * Vec3(0, 0, 40), Vec3::Zero());
  EXPECT_NO_THROW(watch.add(world, stepper.step(world))) << "a few times the speed of a fall through the scene";
  world.set_velocity(ball, s.speed() * Vec3(0, 0, 4000), Vec3::Zero());
  const StepReport& r = stepper.step(world);
  const std::string message = message_of([&] { watch.add(world, r); });
  EXPECT_NE(message.find("'body-1' moves at"), std::string::npos) << message;
  EXPECT_NE(message.find("--set /step/h="), std::string::npos) << message;
}

TEST_P(MotionFindings, do_not_end_a_run_whose_motor_or_force_explains_the_speed) {
  world.gravity.setZero();
  const BodyId rocket = add_body(world, Sphere{0.5 * s.size}, Vec3::Zero(), {});
  const double mass = world.body(rocket).mass.mass;
  world.set_applied(rocket, mass * Vec3(1e5, 0, 0), Vec3::Zero());
  EXPECT_NO_THROW(run(1));
  EXPECT_NEAR(world.body(rocket).velocity.x(), 1e5 * s.time(), 1e-6 * 1e5 * s.time());
}

}   // namespace
}   // namespace stickslip::testing
