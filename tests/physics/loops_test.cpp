// Loops that are held more often than needed and turn all the same.
#include <fmt/format.h>

#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

/// Bennett's linkage: four bars of lengths a, b, a, b with twists α, β, α, β, sin α / a = sin β / b. Counted, it cannot move
/// (18 freedoms, 20 rows).
struct Bennett {
  World world;
  JointId first;
};
Bennett bennett(const std::optional<JointMotor>& motor) {
  const double a = 1, b = 0.6, alpha = std::numbers::pi / 3, turn = 100 * std::numbers::pi / 180;
  const double beta = std::asin(b / a * std::sin(alpha));
  // Denavit and Hartenberg: along each bar by its length, about it by its twist, about the next axis by the angle of that
  // joint.
  const double next = 2 * std::atan(std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha)) / std::tan(0.5 * turn));
  std::vector<Pose> axes = {{}};
  const double lengths[] = {a, b, a}, twists[] = {alpha, beta, alpha}, angles[] = {turn, next, -turn};
  for (int i = 0; i < 3; ++i) {
    const Pose about{Vec3::Zero(), Quat(Eigen::AngleAxisd(angles[i], Vec3::UnitZ()))};
    axes.push_back(axes.back() * about * Pose{lengths[i] * Vec3::UnitX(), Quat(Eigen::AngleAxisd(twists[i], Vec3::UnitX()))});
  }
  Bennett l;
  std::vector<BodyId> bars;   // the first is the world
  for (std::size_t i = 1; i < 4; ++i)
    bars.push_back(add_mass(l.world, 1, 0.1 * Vec3::Ones(), 0.5 * (axes[i].position + axes[(i + 1) % 4].position)));
  JointAxis drive;
  drive.motor = motor;
  const auto axis = [&](std::size_t i) { return Vec3(axes[i].rotation().col(2)); };
  l.first = join(l.world, JointType::hinge, kWorld, bars[2], axes[0].position, axis(0), drive);
  join(l.world, JointType::hinge, kWorld, bars[0], axes[1].position, axis(1));
  join(l.world, JointType::hinge, bars[0], bars[1], axes[2].position, axis(2));
  join(l.world, JointType::hinge, bars[1], bars[2], axes[3].position, axis(3));
  return l;
}

void expect_no_conflict(World& world, double seconds, double off, const std::string& what = {}) {
  Stepper stepper(options(0.01));
  simulate(world, stepper, seconds, [&](const StepReport& r) {
    ASSERT_TRUE(r.conflicts.empty()) << what << r.step;
    ASSERT_EQ(r.solve->status, SolveStatus::converged) << what << r.step << ": " << r.solve->residual.total();
    ASSERT_LT(r.joint_error_max, off) << what << r.step;
  });
}

TEST(Bennett, turns_without_conflict_with_a_motor_of_any_strength) {
  const double endless = std::numeric_limits<double>::infinity();
  const std::pair<double, double> motors[] = {{0.5, 100}, {2, 100}, {0.5, endless}, {2, endless}, {5, endless}};
  for (const auto& [speed, strength] : motors) {
    Bennett l = bennett(JointMotor{speed, strength});
    expect_no_conflict(l.world, 3, 1e-4 * speed * speed + 1e-5, fmt::format("{} rad/s, {} N m, step ", speed, strength));
  }
}

TEST(Bennett, swings_freely_and_keeps_its_energy) {
  Bennett l = bennett({});
  const double start = l.world.kinetic_energy() + l.world.potential_energy();
  expect_no_conflict(l.world, 10, 1e-4);
  EXPECT_NEAR(l.world.kinetic_energy() + l.world.potential_energy(), start, 0.01 * 3 * kGravity);
}

TEST(Parallelogram, with_bars_too_many_swings_as_with_two) {
  // All bars turn alike, the coupler only shifts: (n I + M L²) θ'' = −(n m / 2 + M) g L sin θ, and n m is the same for all.
  std::vector<double> angles;
  for (const int bars : {2, 3, 5}) {
    World world;
    const double lean = 0.8, length = 0.8;
    const Vec3 hang = length * Vec3(std::sin(lean), 0, -std::cos(lean));
    const BodyId coupler = add_mass(world, 2, 0.2 * Vec3::Ones(), Vec3(0.5, 0, 0) + hang);
    BodyId first{};
    for (int i = 0; i < bars; ++i) {
      const Vec3 pivot(static_cast<double>(i) / (bars - 1), 0, 0);
      const BodyId bar = add_rod(world, 1.0 / bars, pivot, pivot + hang);
      if (i == 0) first = bar;
      join(world, JointType::hinge, kWorld, bar, pivot);
      join(world, JointType::hinge, bar, coupler, pivot + hang);
    }
    expect_no_conflict(world, 2, 1e-3);
    const Vec3 x = world.body(first).position;
    angles.push_back(std::atan2(x.x(), -x.z()));
  }
  EXPECT_NEAR(angles[1], angles[0], 1e-3);
  EXPECT_NEAR(angles[2], angles[0], 1e-3);
}

}   // namespace
}   // namespace stickslip::testing
