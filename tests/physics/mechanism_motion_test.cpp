// Mechanisms in motion, at default settings: what they must keep for as long as they move.
#include "physics/joint_worlds.h"
#include "step/anderson.h"

namespace stickslip::testing {
namespace {

/// Energy with velocities and positions of the same instant: velocities are those of half a step, or a piece, before.
double energy_of(const World& world) {
  double sum = world.kinetic_energy() + world.potential_energy();
  for (const Body& b : world.bodies())
    if (b.alive && b.moves_by_forces()) sum += 0.5 * world.memory.h * b.mass.mass * world.gravity.dot(b.velocity);
  return sum;
}

struct Course {
  double joint_error = 0;        ///< largest [m]
  double energy_change = 0;      ///< largest, relative to `unit`
  double trend = 0;              ///< mean energy of the last quarter minus that of the first, relative to `unit`
  int fewest = 1000, most = 0;   ///< pieces of a step
};

/// @param unit [J]
Course follow(World& world, double seconds, double unit) {
  const StepOptions o;
  Stepper stepper(o);
  Course course;
  const double start = energy_of(world);
  const int steps = static_cast<int>(std::lround(seconds / o.h)), quarter = steps / 4;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(world);
    course.joint_error = std::max(course.joint_error, report.joint_error_max);
    course.fewest = std::min(course.fewest, report.pieces);
    course.most = std::max(course.most, report.pieces);
    const double change = (energy_of(world) - start) / unit;
    course.energy_change = std::max(course.energy_change, std::abs(change));
    if (i < quarter) course.trend -= change / quarter;
    if (i >= steps - quarter) course.trend += change / quarter;
  }
  return course;
}

/// Links of 1 kg and 10 cm with a heavy ball at their end, `angle` from hanging down.
struct HeavyChain {
  World world;
  double unit = 0;   ///< what lifts the whole by its length [J]

  HeavyChain(int links, double ratio, double degrees) {
    const double angle = degrees * std::numbers::pi / 180, length = 0.1;
    const Vec3 along(std::sin(angle), 0, -std::cos(angle));
    BodyId above = kWorld;
    for (int i = 0; i < links; ++i) {
      const Vec3 top = length * i * along;
      const BodyId link = add_rod(world, 1, top, top + length * along);
      join(world, JointType::ball, above, link, top);
      above = link;
    }
    const BodyId ball = add_mass(world, ratio, Vec3::Constant(1e-3 * ratio), length * links * along);
    join(world, JointType::ball, above, ball, length * links * along);
    unit = (links + ratio) * kGravity * length * links;
  }
};

TEST(MechanismMotion, heavy_on_light_holds_and_keeps_its_energy_at_any_angle) {
  for (const auto& [links, ratio, degrees] :
       {std::tuple(5, 1000.0, 90.0), std::tuple(5, 1000.0, 60.0), std::tuple(10, 1e4, 60.0), std::tuple(20, 10.0, 30.0),
        std::tuple(2, 1e4, 90.0), std::tuple(10, 1.0, 5.0)}) {
    HeavyChain chain(links, ratio, degrees);
    const Course course = follow(chain.world, 4, chain.unit);
    EXPECT_LT(course.joint_error, 1e-4) << links << " " << ratio << " " << degrees;
    EXPECT_LT(course.energy_change, 0.02) << links << " " << ratio << " " << degrees;
  }
}

TEST(MechanismMotion, chains_that_whip_and_snap_taut_keep_their_energy) {
  for (const auto& [links, ratio, degrees] :
       {std::tuple(2, 1.0, 60.0), std::tuple(5, 1.0, 60.0), std::tuple(5, 10.0, 90.0), std::tuple(5, 100.0, 80.0)}) {
    HeavyChain chain(links, ratio, degrees);
    const Course course = follow(chain.world, 8, chain.unit);
    EXPECT_LT(course.joint_error, 1e-5) << links << " " << ratio << " " << degrees;
    EXPECT_LT(std::abs(course.trend), 0.02) << links << " " << ratio << " " << degrees;
  }
}

TEST(MechanismMotion, only_what_whirls_about_a_joint_is_taken_in_pieces) {
  World calm;   // a rod of a metre, and a wheel on its axle at 300 rad/s
  join(calm, JointType::hinge, kWorld, add_rod(calm, 1, Vec3::Zero(), Vec3::UnitX()), Vec3::Zero());
  const BodyId wheel = add_mass(calm, 1, {0.01, 0.01, 0.02}, {0, 0, 5});
  join(calm, JointType::hinge, kWorld, wheel, {0, 0, 5}, Vec3::UnitZ());
  calm.set_velocity(wheel, Vec3::Zero(), {0, 0, 300});
  EXPECT_EQ(follow(calm, 3, 1).most, 1);

  World violent;   // one of 5 cm that falls over
  join(violent, JointType::hinge, kWorld, add_rod(violent, 1, Vec3::Zero(), Vec3(1e-3, 0, 0.05)), Vec3::Zero());
  const Course course = follow(violent, 3, 1);
  EXPECT_EQ(course.fewest, 1);
  EXPECT_GT(course.most, 1);
}

TEST(MechanismMotion, steps_in_pieces_report_forces_times_and_energies_of_the_whole) {
  World world;
  const MaterialId stone = material(world, 0.5);
  const BodyId ground = add_ground(world, stone), box = add_body(world, Box{{0.1, 0.1, 0.1}}, {1, 0, 0.1}, stone);
  const double weight = world.body(box).mass.mass * kGravity;
  const BodyId rod = add_rod(world, 1, {0, 0, 1}, Vec3(1e-3, 0, 1.05));
  join(world, JointType::hinge, kWorld, rod, {0, 0, 1});
  const StepOptions o;
  Stepper stepper(o);
  int pieces = 0, changes = 0;
  for (int i = 1; i <= 200; ++i) {
    const StepReport& r = stepper.step(world);
    EXPECT_EQ(r.step, static_cast<std::uint64_t>(i));
    EXPECT_NEAR(r.time, i * o.h, 1e-12);
    EXPECT_NEAR(r.force_on(box).z() / weight, 1, 1e-4) << i << " of " << r.pieces;
    EXPECT_NEAR(r.wrench(box, ground, Vec3::Zero()).force.z() / weight, 1, 1e-4) << i;
    const EnergyLedger& e = r.energy;
    EXPECT_NEAR(e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start,
                e.applied + e.driven + e.motors + e.springs + e.stabilisation - e.friction - e.impact + e.integration, 1e-10);
    EXPECT_NEAR(e.kinetic_end, world.kinetic_energy(), 1e-12);
    changes += pieces > 0 && r.pieces != pieces;
    pieces = r.pieces;
  }
  EXPECT_GT(changes, 10);
}

TEST(MechanismMotion, a_stepper_that_knows_nothing_of_the_steps_before_takes_the_same_pieces) {
  HeavyChain one(5, 10, 90), other(5, 10, 90);
  Stepper stepper(StepOptions{});
  int most = 0;
  for (int i = 0; i < 150; ++i) {
    most = std::max(most, stepper.step(one.world).pieces);
    Stepper(StepOptions{}).step(other.world);
    ASSERT_EQ(one.world.state_hash(), other.world.state_hash()) << i;
  }
  EXPECT_GT(most, 2);
}

TEST(MechanismMotion, a_pendulum_swings_on_for_minutes) {
  World world;
  const BodyId rod = add_rod(world, 1, Vec3::Zero(), Vec3::UnitX());
  join(world, JointType::hinge, kWorld, rod, Vec3::Zero());
  const Course course = follow(world, 300, 0.5 * kGravity);
  EXPECT_LT(course.joint_error, 1e-5);
  EXPECT_LT(course.energy_change, 0.01);
  EXPECT_LT(std::abs(course.trend), 1e-3);
}

TEST(MechanismMotion, a_double_pendulum_has_no_trend_in_its_energy) {
  const auto trend = [](double length) {   // of each rod
    World world;
    const Vec3 middle = length * Vec3::UnitX();
    const BodyId upper = add_rod(world, 1, Vec3::Zero(), middle), lower = add_rod(world, 1, middle, 2 * middle);
    join(world, JointType::hinge, kWorld, upper, Vec3::Zero());
    join(world, JointType::hinge, upper, lower, middle);
    const Course course = follow(world, 100, 2 * kGravity * length);
    EXPECT_LT(course.joint_error, 1e-4 * length) << length;
    return course.trend;
  };
  EXPECT_LT(std::abs(trend(1)), 0.003);
  // Steps of 10 ms are too long for short ones. Their motion is chaotic and the energy swings by some per cent: the means of
  // two quarters differ by chance, of either sign, and only over several pendulums does a trend show.
  double sum = 0;
  const auto lengths = {0.09, 0.1, 0.11, 0.12, 0.13};
  for (const double length : lengths) {
    const double one = trend(length);
    EXPECT_LT(std::abs(one), 0.01) << length;
    sum += one;
  }
  EXPECT_LT(std::abs(sum / static_cast<double>(lengths.size())), 0.003);
}

TEST(MechanismMotion, a_ball_on_a_rope_swings_as_on_a_rod) {
  World world;
  const BodyId ball = add_mass(world, 1, Vec3::Constant(1e-3), {std::sin(1.0), 0, -std::cos(1.0)});
  JointDescription rope{.type = JointType::distance, .b = ball};
  rope.axes[joint_x].upper = 1;
  world.add(rope);
  const Course course = follow(world, 60, kGravity);
  EXPECT_LT(course.energy_change, 0.002);
  EXPECT_LT(std::abs(course.trend), 2e-4);
  EXPECT_NEAR(world.body(ball).position.norm(), 1, 1e-5);
}

TEST(MechanismMotion, a_rod_spins_on_about_its_end) {
  for (const double speed : {5.0, 20.0, 30.0}) {
    World world;
    world.gravity.setZero();
    const BodyId rod = add_rod(world, 1, Vec3::Zero(), Vec3::UnitX());
    join(world, JointType::hinge, kWorld, rod, Vec3::Zero(), Vec3::UnitZ());
    world.set_velocity(rod, {0, 0.5 * speed, 0}, {0, 0, speed});
    const Course course = follow(world, 60, speed * speed / 6);
    EXPECT_LT(course.joint_error, 1e-5) << speed;
    EXPECT_LT(course.energy_change, 0.004) << speed;
    EXPECT_LT(std::abs(course.trend), 1e-6) << speed;
    // Its centre moves on chords of its circle: the angular momentum about the hinge is I ω + m R² ω sin(ω h) / (ω h).
    const double spin = world.body(rod).angular_velocity.z(), turn = spin * world.memory.h;
    EXPECT_NEAR(spin * (0.25 + 0.75 * std::sin(turn) / turn) / speed, 1, 1e-5) << speed;
    EXPECT_NEAR(spin / speed, 1, 2e-3) << speed;
  }
}

/// Largest change of momentum and angular momentum, relative to the sums of their sizes.
double momentum_lost(World& world, double seconds) {
  double linear = 0, angular = 0;
  for (const Body& b : world.bodies()) {
    linear += b.mass.mass * b.velocity.norm();
    angular += (b.position.cross(b.mass.mass * b.velocity) + b.world_inertia() * b.angular_velocity).norm();
  }
  const Vec3 p = world.linear_momentum(), l = world.angular_momentum();
  Stepper stepper(StepOptions{});
  double worst = 0;
  simulate(world, stepper, seconds, [&](const StepReport& r) {
    worst = std::max({worst, (r.linear_momentum - p).norm() / linear, (r.angular_momentum - l).norm() / angular});
  });
  return worst;
}

TEST(MechanismMotion, what_floats_keeps_its_momentum_and_angular_momentum) {
  World dumbbell;
  dumbbell.gravity.setZero();
  const BodyId left = add_mass(dumbbell, 1, Vec3::Constant(1.0 / 150), {-0.5, 0, 0});
  const BodyId right = add_mass(dumbbell, 1, Vec3::Constant(1.0 / 150), {0.5, 0, 0});
  dumbbell.set_velocity(left, {0, -15, 0}, {0, 0, 30});
  dumbbell.set_velocity(right, {0, 15, 0}, {0, 0, 30});
  join(dumbbell, JointType::fixed, left, right, Vec3::Zero());
  EXPECT_LT(momentum_lost(dumbbell, 3), 1e-12);

  World bolas;   // a hundred kilograms at each end of a chain of ten links of a hundred grams, thrown askew
  bolas.gravity.setZero();
  BodyId before = add_mass(bolas, 100, Vec3::Constant(0.1), {-0.5, 0, 0});
  bolas.set_velocity(before, {1, -2.5, 0}, {0, 0, 5});
  for (int i = 0; i < 10; ++i) {
    const Vec3 from(-0.5 + 0.1 * i, 0, 0);
    const BodyId link = add_rod(bolas, 0.1, from, from + Vec3(0.1, 0, 0));
    bolas.set_velocity(link, {1, 5 * (from.x() + 0.05), 0.1}, {0, 0, 5});
    join(bolas, JointType::ball, before, link, from);
    before = link;
  }
  const BodyId end = add_mass(bolas, 100, Vec3::Constant(0.1), {0.5, 0, 0});
  bolas.set_velocity(end, {1, 2.5, 0.2}, {0, 0, 5});
  join(bolas, JointType::ball, before, end, {0.5, 0, 0});
  EXPECT_LT(momentum_lost(bolas, 3), 1e-11);
}

TEST(Anderson, solves_a_linear_fixed_point_problem_of_three_unknowns_in_four_steps_although_it_diverges_by_itself) {
  const Mat3 f = (Mat3() << 1.5, 0.3, 0, -0.2, -2, 0.5, 0.1, 0, 0.7).finished();
  const Vec3 constant(1, -2, 3), solution = (Mat3::Identity() - f).lu().solve(constant);
  Anderson mixing;
  Vec3 x = Vec3::Zero();
  for (int i = 0; i < 4; ++i) {
    Vec3 image = f * x + constant;
    mixing.mix({x.data(), 3}, {image.data(), 3});
    x = image;
  }
  EXPECT_LT((x - solution).norm(), 1e-9);
}

}   // namespace
}   // namespace stickslip::testing
