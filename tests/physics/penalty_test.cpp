// The penalty integrator against closed forms: laws and their slopes, rest, blows, friction, limits of stability, energy.
#include "step/penalty/penalty_law.h"

#include "error_message.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "worlds.h"

namespace stickslip::penalty_test {
namespace {

using namespace stickslip::testing;

constexpr PenaltyLaw kLaws[] = {PenaltyLaw::linear, PenaltyLaw::exponential, PenaltyLaw::power, PenaltyLaw::receding,
                                PenaltyLaw::layered};

std::string name_of(PenaltyLaw law) { return penalty_law_names()[static_cast<std::size_t>(law)]; }

StepOptions penalty(double h) {
  StepOptions o = options(h);
  o.integrator = "penalty";
  return o;
}

TEST(PenaltyLaws, force_is_the_slope_of_energy_and_stiffness_that_of_force) {
  for (const PenaltyLaw law : kLaws) {
    const PenaltySpring spring{law, 7, 0.02, 1.7};
    for (double gap = -0.075; gap < 0.03; gap += 0.00037) {
      const double d = 1e-8;
      const auto above = spring.at(gap + d), below = spring.at(gap - d), here = spring.at(gap);
      // Layers begin with a step of stiffness, and so does what is linear.
      if (std::abs(above.stiffness - below.stiffness) > 1e-3 * here.stiffness) continue;
      EXPECT_NEAR(here.force, (below.energy - above.energy) / (2 * d), 1e-5 * (here.force + 1)) << name_of(law) << " " << gap;
      EXPECT_NEAR(here.stiffness, (below.force - above.force) / (2 * d), 1e-5 * (here.stiffness + 1))
          << name_of(law) << " " << gap;
      EXPECT_GE(here.force, 0);
    }
    EXPECT_NEAR(spring.at(-0.02).force, 7, 1e-12) << name_of(law) << " at the wanted depth";
  }
}

TEST(PenaltyLaws, slopes_of_the_force_with_its_damper_are_right_and_it_never_pulls) {
  for (const bool receding : {false, true}) {
    const PenaltySpring spring{receding ? PenaltyLaw::receding : PenaltyLaw::power, 7, 0.02, 1.7};
    const PenaltyDamper damper{0.3, 0.4, 0.5};
    const auto force = [&](double gap, double speed) { return penalty_force(spring.at(gap), receding, damper, speed, 11); };
    for (double gap = -0.05; gap < 0; gap += 0.0071)
      for (double speed = -2; speed < 2; speed += 0.0831) {
        const PenaltyForce f = force(gap, speed);
        const double d = 1e-7;
        EXPECT_GE(f.total, 0);
        if ((force(gap, speed + d).total == 0) != (force(gap, speed - d).total == 0)) continue;
        EXPECT_NEAR(f.by_gap, (force(gap - d, speed).total - force(gap + d, speed).total) / (2 * d), 1e-4 * (1 + f.by_gap));
        EXPECT_NEAR(f.by_speed, (force(gap, speed - d).total - force(gap, speed + d).total) / (2 * d), 1e-4 * (1 + f.by_speed));
      }
  }
}

/// A mass of 1 kg that meets a spring of 1 N/m with speed 1: what it leaves with.
double speed_after_blow(double zeta) {
  double x = 0, v = -1;
  for (const double dt = 1e-4;;) {
    v += dt * std::max(0.0, -x - 2 * zeta * v);
    x += dt * v;
    if (v > 0 && -x - 2 * zeta * v <= 0) return v;
  }
}

TEST(PenaltyLaws, the_damping_for_a_restitution_gives_it) {
  for (const double e : {0.2, 0.5, 0.8, 0.95}) EXPECT_NEAR(speed_after_blow(damping_for_restitution(e, 1)), e, 1e-3);
  EXPECT_EQ(damping_for_restitution(1, 1), 0);
  EXPECT_EQ(damping_for_restitution(0, 1), 1);
}

struct Ball {
  World world;
  BodyId ground, ball;
  double radius, mass;
};

/// A ball above the ground.
Ball ball_above(const Scale& s, double height, double speed, double e, double mu = 0.5) {
  Ball b;
  b.radius = 0.1 * s.size;
  const MaterialId m = material(b.world, mu, e);
  b.ground = add_ground(b.world, m);
  b.ball = add_body(b.world, Sphere{b.radius}, {0, 0, b.radius + height * s.size}, m, {0, 0, -speed * s.speed()});
  b.mass = b.world.body(b.ball).mass.mass;
  return b;
}

class Penalty : public AtScale {};

TEST_P(Penalty, a_ball_at_rest_presses_with_its_weight_and_sinks_by_weight_over_stiffness) {
  const Scale s = GetParam();
  for (const char* stepping : {"explicit", "implicit"}) {
    Ball b = ball_above(s, 0, 0, 0);
    StepOptions o = penalty(0.01 * s.time());
    o.penalty.stepping = std::string(stepping) == "implicit" ? PenaltyStepping::implicit : PenaltyStepping::explicit_;
    o.penalty.stiffness = 2e3 * b.mass * kGravity / b.radius;
    Stepper stepper(o);
    simulate(b.world, stepper, 2 * s.time());
    const StepReport& report = stepper.step(b.world);
    const double weight = b.mass * kGravity;
    EXPECT_EQ(report.outcome.status, SolveStatus::converged);
    EXPECT_NEAR(-report.force_on(b.ground).z(), weight, 1e-4 * weight) << stepping;
    EXPECT_NEAR(b.radius - b.world.body(b.ball).position.z(), weight / o.penalty.stiffness, 1e-4 * weight / o.penalty.stiffness)
        << stepping;
    EXPECT_NEAR(report.penetration_max, weight / o.penalty.stiffness, 1e-4 * weight / o.penalty.stiffness);
  }
}

TEST_P(Penalty, every_law_lets_a_ball_sink_to_the_wanted_depth) {
  const Scale s = GetParam();
  for (const PenaltyLaw law : kLaws)
    for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
      Ball b = ball_above(s, 0, 0, 0.3);
      StepOptions o = penalty(0.005 * s.time());
      o.penalty.law = law;
      o.penalty.stepping = stepping;
      o.penalty.depth = 1e-3;
      Stepper stepper(o);
      simulate(b.world, stepper, 2 * s.time());
      const double wanted = 1e-3 * 2 * b.radius;
      EXPECT_NEAR(b.radius - b.world.body(b.ball).position.z(), wanted, 1e-3 * wanted)
          << name_of(law) << (stepping == PenaltyStepping::implicit ? " implicit" : " explicit");
    }
}

TEST_P(Penalty, a_blow_lasts_pi_times_the_root_of_mass_over_stiffness) {
  const Scale s = GetParam();
  const double height = 0.05, speed = 2, time = 0.1;
  Ball b = ball_above(s, height, speed, 1);
  b.world.gravity.setZero();
  StepOptions o = penalty(0.001 * s.time());
  const double lasting = 0.02 * s.time();
  o.penalty.stiffness = b.mass * std::pow(std::numbers::pi / lasting, 2);
  o.penalty.substeps = 50;
  Stepper stepper(o);
  simulate(b.world, stepper, time * s.time());
  const Body& ball = b.world.body(b.ball);
  EXPECT_NEAR(ball.velocity.z(), speed * s.speed(), 2e-3 * speed * s.speed());
  const double in_flight = height * s.size / (speed * s.speed()) + (ball.position.z() - b.radius) / ball.velocity.z();
  EXPECT_NEAR(time * s.time() - in_flight, lasting, 0.005 * lasting);
}

TEST_P(Penalty, a_ball_leaves_with_its_restitution_times_its_speed) {
  const Scale s = GetParam();
  for (const PenaltyLaw law : {PenaltyLaw::linear, PenaltyLaw::receding})
    for (const double e : {0.3, 0.6, 0.9, 1.0}) {
      Ball b = ball_above(s, 0.05, 2, e);
      b.world.gravity = Vec3(0, 0, -1e-3);   // next to nothing
      StepOptions o = penalty(0.001 * s.time());
      o.penalty.law = law;
      o.penalty.stiffness = b.mass * std::pow(std::numbers::pi / (0.02 * s.time()), 2);
      o.penalty.substeps = 50;
      Stepper stepper(o);
      simulate(b.world, stepper, 0.1 * s.time());
      EXPECT_NEAR(b.world.body(b.ball).velocity.z(), 2 * e * s.speed(), 0.02 * 2 * s.speed()) << name_of(law) << " " << e;
    }
}

TEST_P(Penalty, layers_stop_what_is_fast_before_the_barrier) {
  const Scale s = GetParam();
  Ball b = ball_above(s, 0.05, 100, 0);
  StepOptions o = penalty(0.001 * s.time());
  o.penalty.law = PenaltyLaw::layered;
  o.penalty.depth = 0.01;
  Stepper stepper(o);
  double lowest = b.radius;
  simulate(b.world, stepper, 0.05 * s.time(), [&](const StepReport& r) {
    lowest = std::min(lowest, b.world.body(b.ball).position.z());
    EXPECT_EQ(r.outcome.status, SolveStatus::converged);
  });
  EXPECT_LT(b.radius - lowest, 4 * 0.01 * 2 * b.radius);
}

/// A block on a slope.
struct Slope {
  World world;
  BodyId ground, block;
  Vec3 downhill;
};
Slope block_on_slope(const Scale& s, double angle, double mu, double speed = 0) {
  Slope w;
  const MaterialId m = material(w.world, mu);
  const Vec3 normal(std::sin(angle), 0, std::cos(angle));
  w.downhill = {std::cos(angle), 0, -std::sin(angle)};
  w.ground = add_ground(w.world, m, normal);
  w.block = add_body(w.world, Box{s.size * Vec3(0.2, 0.2, 0.05)}, 0.05 * s.size * normal, m, speed * s.speed() * w.downhill,
                     Vec3::Zero(), rotation_between(Vec3::UnitZ(), normal));
  return w;
}

TEST_P(Penalty, a_block_on_a_slope_sticks_below_atan_mu_without_creeping) {
  const Scale s = GetParam();
  for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit})
    for (const double fraction : {0.3, 0.9, 0.99}) {
      Slope w = block_on_slope(s, fraction * std::atan(0.5), 0.5);
      StepOptions o = penalty(0.01 * s.time());
      o.penalty.stepping = stepping;
      Stepper stepper(o);
      simulate(w.world, stepper, s.time());
      const Vec3 settled = w.world.body(w.block).position;
      simulate(w.world, stepper, 4 * s.time());
      EXPECT_LT((w.world.body(w.block).position - settled).norm() / (4 * s.time()), 1e-9 * s.speed()) << fraction;
    }
}

TEST_P(Penalty, a_block_slides_above_atan_mu_with_the_acceleration_that_is_left) {
  const Scale s = GetParam();
  const double mu = 0.3, angle = 0.5;
  const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle)) * s.time();
  for (const PenaltyFriction friction : {PenaltyFriction::anchored, PenaltyFriction::damping})
    for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
      Slope w = block_on_slope(s, angle, mu);
      StepOptions o = penalty(0.005 * s.time());
      o.penalty.friction = friction;
      o.penalty.stepping = stepping;
      Stepper stepper(o);
      simulate(w.world, stepper, s.time());
      EXPECT_NEAR(w.world.body(w.block).velocity.dot(w.downhill), expected, 0.02 * expected);
    }
}

TEST_P(Penalty, a_block_stops_after_v_squared_over_two_mu_g) {
  const Scale s = GetParam();
  const double mu = 0.4, speed = 3, way = speed * speed / (2 * mu * kGravity);
  for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
    Slope w = block_on_slope(s, 0, mu, speed);
    StepOptions o = penalty(0.002 * s.time());
    o.penalty.stepping = stepping;
    Stepper stepper(o);
    const Vec3 start = w.world.body(w.block).position;
    double lost = 0;
    const double kinetic = w.world.kinetic_energy();
    simulate(w.world, stepper, 2 * s.time(), [&](const StepReport& r) { lost += r.energy.friction; });
    EXPECT_NEAR((w.world.body(w.block).position - start).dot(w.downhill), way * s.size, 0.01 * way * s.size);
    EXPECT_LT(w.world.body(w.block).velocity.norm(), 1e-6 * s.speed());
    EXPECT_NEAR(lost, kinetic, 0.02 * kinetic);
  }
}

TEST_P(Penalty, damping_friction_creeps_at_the_speed_that_its_damper_says) {
  const Scale s = GetParam();
  const double angle = 0.3;
  Slope w = block_on_slope(s, angle, 0.8);
  const double mass = w.world.body(w.block).mass.mass;
  StepOptions o = penalty(0.01 * s.time());
  o.penalty.friction = PenaltyFriction::damping;
  o.penalty.friction_damping = mass * kGravity / s.speed() * 10;
  Stepper stepper(o);
  simulate(w.world, stepper, s.time());
  const double expected = mass * kGravity * std::sin(angle) / (4 * o.penalty.friction_damping);
  EXPECT_NEAR(w.world.body(w.block).velocity.dot(w.downhill), expected, 0.01 * expected);
}

TEST_P(Penalty, names_the_longest_stable_substep) {
  const Scale s = GetParam();
  // A ball without friction: t ω < 2.
  for (const double part : {0.9, 1.1}) {
    Ball b = ball_above(s, 0, 0.1, 1, 0);
    StepOptions o = penalty(0.001 * s.time());
    o.penalty.damping = 0;
    o.penalty.substeps = 11;
    const double longest = o.h / 11 / part;
    o.penalty.stiffness = b.mass * std::pow(2 / longest, 2);
    Stepper stepper(o);
    const StepReport first = stepper.step(b.world);   // while it touches
    EXPECT_NEAR(first.motion[MotionKind::unstable], part, 1e-6);
    EXPECT_EQ(first.outcome.status == SolveStatus::converged, part < 1);
    EXPECT_NEAR(first.outcome.error / first.outcome.tolerance, part, 1e-6);
    if (part < 1) {
      EXPECT_EQ(std::ranges::count(first.findings, MotionKind::unstable, &MotionFinding::kind), 0);
    } else {
      ASSERT_EQ(std::ranges::count(first.findings, MotionKind::unstable, &MotionFinding::kind), 1);
      const MotionFinding& f = *std::ranges::find(first.findings, MotionKind::unstable, &MotionFinding::kind);
      EXPECT_EQ(f.kind, MotionKind::unstable);
      EXPECT_NEAR(f.amount, longest, 1e-6 * longest);
      EXPECT_THAT(remedy(f, o.h), ::testing::HasSubstr("13 or more"));
    }
  }
}

/// Largest kinetic energy of a block that is pressed to the ground so hard that it never leaves, over the first, when substeps
/// are this part of what is stable.
double growth(double part, double damping) {
  Slope w = block_on_slope({1}, 0, 0.5);
  const double weight = w.world.body(w.block).mass.mass * kGravity;
  w.world.set_applied(w.block, {0, 0, -1000 * weight}, Vec3::Zero());
  StepOptions o = penalty(0.001);
  o.penalty.damping = damping;
  o.penalty.stiffness = 1e4 * weight;
  w.world.set_frame(w.block, {{0, 0, 0.05 - 1001.0 / 4e4}, Quat::Identity()});   // at rest
  w.world.set_velocity(w.block, {0.01, 0, 0.01}, {0.1, 0.05, 0.2});
  o.penalty.substeps = 1;
  const double longest = o.h / Stepper(o).step(w.world).motion[MotionKind::unstable];
  o.h = part * longest;
  Stepper stepper(o);
  const double start = w.world.kinetic_energy();
  double most = 0;
  for (int i = 0; i < 3000; ++i) {
    stepper.step(w.world);
    most = std::max(most, w.world.kinetic_energy());
  }
  return most / start;
}

TEST(PenaltyLimits, a_block_on_four_springs_is_stable_up_to_the_limit_and_not_far_beyond_it) {
  for (const double damping : {0.0, 0.3, 1.0}) {
    EXPECT_LT(growth(0.99, damping), 100) << damping;
    EXPECT_GT(growth(1.6, damping), 1e3) << damping;
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, Penalty, kScales, scale_name);

TEST(PenaltyEnergy, a_ball_that_bounces_for_ever_keeps_its_energy) {
  Ball b = ball_above({1}, 0.2, 0, 1);
  StepOptions o = penalty(0.005);
  Stepper stepper(o);
  const double start = b.world.potential_energy() - b.mass * kGravity * b.radius;
  double most = 0, peak = 0;
  simulate(b.world, stepper, 10, [&](const StepReport& r) {
    const EnergyLedger& e = r.energy;
    EXPECT_NEAR(e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start,
                e.applied + e.driven + e.springs - e.friction - e.impact + e.integration, 1e-9 * start);
    most = std::max(most, e.kinetic_end + e.potential_end - b.mass * kGravity * b.radius);
    if (r.time > 9) peak = std::max(peak, b.world.body(b.ball).position.z() - b.radius);
  });
  EXPECT_LT(most, 1.01 * start);
  EXPECT_NEAR(peak, 0.2, 0.01);
}

World heap_of_boxes(int count) {
  World world;
  const MaterialId m = material(world, 0.5, 0.2);
  add_ground(world, m);
  for (int i = 0; i < count; ++i)
    add_body(world, Box{{0.1, 0.15, 0.2}}, {0.55 * (i % 2), 0.55 * (i / 2 % 2), 0.3 + 0.55 * (i / 4)}, m, Vec3::Zero(),
             {0.1 * i, 1, -0.5}, rotation_from_vector({0.3 * i, 0.2 * i, 0.1}));
  return world;
}

TEST(PenaltyEnergy, a_heap_never_has_more_than_the_ledger_says_and_comes_to_rest) {
  for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
    World world = heap_of_boxes(16);
    StepOptions o = penalty(0.01);
    o.penalty.stepping = stepping;
    Stepper stepper(o);
    const double start = world.kinetic_energy() + world.potential_energy();
    double created = 0, stored = 0;
    simulate(world, stepper, 4, [&](const StepReport& r) {
      created += r.energy.integration;
      stored -= r.energy.springs;
      EXPECT_LE(r.energy.kinetic_end + r.energy.potential_end, start * (1 + 1e-6));
      EXPECT_EQ(r.outcome.status, SolveStatus::converged);
    });
    EXPECT_LT(created, 0.01 * start);
    EXPECT_LT(world.kinetic_energy(), 1e-4 * start);
    EXPECT_GT(stored, 0);
  }
}

TEST(PenaltyState, a_new_stepper_and_any_number_of_threads_go_on_to_the_same_bits) {
  const auto hash_after = [](int replace_at, int threads) {
    World world = heap_of_boxes(12);
    StepOptions o = penalty(0.01);
    o.threads = threads;
    Stepper stepper(o);
    for (int i = 0; i < 150; ++i) {
      if (i == replace_at) stepper = Stepper(o);
      stepper.step(world);
    }
    return world.state_hash();
  };
  const std::uint64_t expected = hash_after(-1, 1);
  EXPECT_EQ(hash_after(90, 1), expected);
  EXPECT_EQ(hash_after(-1, 2), expected);
}

TEST(PenaltyState, anchors_survive_a_change_of_the_integrator) {
  Slope w = block_on_slope({1}, 0.4, 0.6);
  Stepper impulse(options(0.01)), springs(penalty(0.01));
  simulate(w.world, impulse, 0.5);
  const Vec3 before = w.world.body(w.block).position;
  simulate(w.world, springs, 1);
  // From the first step on the springs pull as friction did, so that nothing has to slide to stretch them.
  EXPECT_LT(std::abs((w.world.body(w.block).position - before).dot(w.downhill)), 1e-5);
}

TEST(PenaltyStacks, a_wall_stands_and_the_ground_carries_its_weight) {
  World world;
  const MaterialId m = material(world, 0.6);
  const BodyId ground = add_ground(world, m);
  std::vector<BodyId> bricks;
  for (int row = 0; row < 6; ++row)
    for (int i = 0; i < 8 - row; ++i)
      bricks.push_back(add_body(world, Box{{0.1, 0.05, 0.04}}, {0.2 * i + 0.1 * row, 0, 0.04 + 0.08 * row}, m));
  std::vector<Vec3> start;
  for (const BodyId id : bricks) start.push_back(world.body(id).position);
  Stepper stepper(penalty(0.01));
  simulate(world, stepper, 1);
  const StepReport& report = stepper.step(world);
  double weight = 0;
  for (const BodyId id : bricks) weight += kGravity * world.body(id).mass.mass;
  EXPECT_NEAR(-report.force_on(ground).z(), weight, 1e-4 * weight);
  for (std::size_t i = 0; i < bricks.size(); ++i) {
    EXPECT_LT((world.body(bricks[i]).position - start[i]).norm(), 1e-3 * 0.08);
    EXPECT_LT(world.body(bricks[i]).velocity.norm(), 1e-5);
  }
  EXPECT_TRUE(report.findings.empty());
}

TEST(PenaltyStacks, a_soft_cube_rests_with_its_weight_implicitly_and_explicitly) {
  for (const PenaltyStepping stepping : {PenaltyStepping::automatic, PenaltyStepping::explicit_}) {
    World world;
    const MaterialId m = material(world, 0.5);
    const BodyId ground = add_ground(world, m);
    const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.1);
    SoftDescription d;
    d.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra,
                                                   SoftMaterial{.young = 1e5, .stiffness_damping = 0.01});
    d.pose.position = {0, 0, 0.101};
    d.material = m;
    const BodyId cube = world.add(d);
    StepOptions o = penalty(0.01);
    o.penalty.stepping = stepping;
    Stepper stepper(o);
    simulate(world, stepper, 3);
    const StepReport& report = stepper.step(world);
    const double weight = world.body(cube).mass.mass * kGravity;
    EXPECT_NEAR(-report.force_on(ground).z(), weight, 1e-4 * weight);
    for (const Vec3& v : world.nodal_body(cube).velocities) EXPECT_LT(v.norm(), 1e-5);
    EXPECT_LT(report.penetration_max, 2 * o.penalty.depth * 0.2);
  }
}

TEST(PenaltyStacks, beads_come_to_rest_on_the_ground) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  NodalDescription d;
  for (int i = 0; i < 27; ++i) d.positions.push_back({0.03 * (i % 3), 0.03 * (i / 3 % 3) + 1e-3 * i, 0.02 + 0.03 * (i / 9)});
  d.radius = 0.01;
  d.material = m;
  const BodyId beads = world.add(d);
  Stepper stepper(penalty(0.005));
  simulate(world, stepper, 3);
  const StepReport& report = stepper.step(world);
  const double weight = world.body(beads).mass.mass * kGravity;
  EXPECT_NEAR(-report.force_on(ground).z(), weight, 1e-3 * weight);
}

/// A ball of 1 kg that hangs from the world, 1 m below a joint at the origin.
struct Pendulum {
  World world;
  BodyId bob;
  JointId joint;
};
Pendulum pendulum(JointType type, double angle, const JointAxis& axis = {}) {
  Pendulum p;
  BodyDescription d;
  d.parts = {{Sphere{0.1}, {}, material(p.world, 0.5)}};
  d.mass = 1;
  d.pose.position = Vec3(std::sin(angle), 0, -std::cos(angle));
  p.bob = p.world.add(d);
  JointDescription j;
  j.type = type;
  j.b = p.bob;
  j.axes[joint_turn_z] = axis;
  place_joint(j, p.world, Vec3::Zero(), Vec3::UnitY());
  p.joint = p.world.add(j);
  return p;
}

TEST(PenaltyJointForces, a_body_that_hangs_pulls_with_its_weight_and_sags_by_the_depth) {
  for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
    Pendulum p = pendulum(JointType::ball, 0);
    StepOptions o = penalty(0.01);
    o.penalty.stepping = stepping;
    Stepper stepper(o);
    simulate(p.world, stepper, 2);
    const StepReport& report = stepper.step(p.world);
    EXPECT_LT((report.joint(p.joint)->force - Vec3(0, 0, kGravity)).norm(), 1e-4 * kGravity);
    const double sag = o.penalty.depth * p.world.joint(p.joint).row_length;
    EXPECT_NEAR(report.joint(p.joint)->error, sag, 1e-3 * sag);
  }
}

TEST(PenaltyJointForces, a_pendulum_swings_with_its_period_and_keeps_its_energy) {
  Pendulum p = pendulum(JointType::hinge, 0.2);
  Stepper stepper(penalty(0.005));
  const double moment = p.world.body(p.bob).mass.inertia(1, 1) + 1;
  const double period = 2 * std::numbers::pi * std::sqrt(moment / kGravity) * (1 + 0.2 * 0.2 / 16);
  const double start = p.world.potential_energy() + kGravity;
  std::vector<double> crossings;
  double before = p.world.body(p.bob).position.x();
  simulate(p.world, stepper, 10, [&](const StepReport& r) {
    const double now = p.world.body(p.bob).position.x();
    if (before > 0 && now <= 0) crossings.push_back(r.time - r.h * now / (now - before));
    before = now;
    const EnergyLedger& e = r.energy;
    EXPECT_NEAR(e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start,
                e.springs + e.motors - e.friction - e.impact + e.integration, 1e-12);
  });
  ASSERT_GE(crossings.size(), 4u);
  EXPECT_NEAR((crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1), period, 0.002 * period);
  EXPECT_NEAR(p.world.kinetic_energy() + p.world.potential_energy() + kGravity, start, 0.02 * start);
}

TEST(PenaltyJointForces, dry_friction_holds_without_creeping_and_gives_way_beyond_its_force) {
  const double angle = 0.3, torque = kGravity * std::sin(angle);
  for (const double part : {0.9, 1.1}) {
    JointAxis axis;
    axis.friction = torque / part;
    Pendulum p = pendulum(JointType::hinge, angle, axis);
    Stepper stepper(penalty(0.01));
    const double start = p.world.joint_position(p.joint, joint_turn_z);
    simulate(p.world, stepper, 2);
    const double settled = p.world.joint_position(p.joint, joint_turn_z);
    simulate(p.world, stepper, 1);
    const double creep = std::abs(p.world.joint_position(p.joint, joint_turn_z) - settled);
    EXPECT_LT(creep, 1e-7) << part;
    if (part < 1) EXPECT_LT(std::abs(settled - start), 1e-3);
    else EXPECT_GT(std::abs(settled - start), 1e-2);   // until the weight is no longer enough
  }
}

TEST(PenaltyJointForces, motors_limits_and_springs_do_what_they_say) {
  JointAxis motor;
  motor.motor = {.speed = 3, .max_force = 100};
  Pendulum driven = pendulum(JointType::hinge, 0, motor);
  driven.world.gravity.setZero();
  Stepper stepper(penalty(0.005));
  double work = 0;
  simulate(driven.world, stepper, 1, [&](const StepReport& r) { work += r.energy.motors; });
  EXPECT_NEAR(driven.world.body(driven.bob).angular_velocity.norm(), 3, 0.01);
  EXPECT_NEAR(work, driven.world.kinetic_energy(), 0.02 * work);

  JointAxis stop;
  stop.lower = -0.1;
  stop.upper = 0.1;
  Pendulum limited = pendulum(JointType::hinge, 0, stop);
  limited.world.gravity = {5, 0, -kGravity};   // would hang at 27°
  simulate(limited.world, stepper, 3);
  EXPECT_NEAR(std::abs(limited.world.joint_position(limited.joint, joint_turn_z)), 0.1, 1e-3);

  JointAxis sprung;
  sprung.spring = {.rest = 0, .stiffness = 200, .damping = 20};
  Pendulum held = pendulum(JointType::hinge, 0, sprung);
  held.world.gravity = {5, 0, -kGravity};
  simulate(held.world, stepper, 3);
  const double turn = std::abs(held.world.joint_position(held.joint, joint_turn_z));
  EXPECT_NEAR(200 * turn, 5 * std::cos(turn) - kGravity * std::sin(turn), 0.01);
}

TEST(PenaltyJointForces, a_new_stepper_goes_on_to_the_same_bits) {
  const auto hash_after = [](int replace_at) {
    JointAxis axis;
    axis.friction = 1.5;
    axis.upper = 0.2;
    Pendulum p = pendulum(JointType::hinge, 0.5, axis);
    Stepper stepper(penalty(0.01));
    for (int i = 0; i < 100; ++i) {
      if (i == replace_at) stepper = Stepper(penalty(0.01));
      stepper.step(p.world);
    }
    return p.world.state_hash();
  };
  EXPECT_EQ(hash_after(37), hash_after(-1));
}

TEST(PenaltyState, what_rests_falls_asleep_keeps_its_forces_and_wakes_when_struck) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  const BodyId box = add_body(world, Box{{0.1, 0.1, 0.1}}, {0, 0, 0.1}, m);
  StepOptions o = penalty(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(world, stepper, 2);
  const StepReport asleep = stepper.step(world);
  const double weight = world.body(box).mass.mass * kGravity;
  EXPECT_EQ(asleep.sleeping_bodies, 1u);
  EXPECT_NEAR(-asleep.force_on(ground).z(), weight, 1e-3 * weight);
  const BodyId ball = add_body(world, Sphere{0.05}, {0, 0, 0.3}, m, {0, 0, -1});
  simulate(world, stepper, 0.2);
  EXPECT_FALSE(world.body(box).asleep);
  simulate(world, stepper, 3);
  const StepReport after = stepper.step(world);
  EXPECT_NEAR(-after.force_on(ground).z(), weight + world.body(ball).mass.mass * kGravity, 2e-3 * weight);
}

TEST(PenaltyTrouble, what_it_does_not_know_is_named_with_a_remedy) {
  World world;
  Material rough;
  rough.name = "rough";
  rough.law = std::make_shared<const SurfaceLaw>(SurfaceLaw{"ellipse", {0.5, 0.2}, {}});
  const MaterialId m = world.materials.add(rough);
  add_ground(world, m);
  add_body(world, Sphere{0.1}, {0, 0, 0.1}, m);
  Stepper stepper(penalty(0.01));
  EXPECT_THAT(message_of([&] { stepper.step(world); }),
              ::testing::AllOf(::testing::HasSubstr("'ellipse'"), ::testing::HasSubstr("impulse")));
  StepOptions bad = penalty(0.01);
  bad.penalty.depth = 0;
  EXPECT_THAT(message_of([&] { Stepper{bad}; }), ::testing::HasSubstr("/penalty/depth"));
}

}   // namespace
}   // namespace stickslip::penalty_test
