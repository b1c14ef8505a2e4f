// Which impulses are remembered near rest.
#include <gtest/gtest.h>

#include "../problem/problems.h"
#include "step/rest_balance.h"

namespace stickslip::testing {
namespace {

/// Balls on the ground that a guess carries all but a part of, for some steps.
struct Balls {
  ContactProblem problem;
  std::vector<double> before, free, guess, solution, solved;
};
constexpr double kWeight = 0.1;   // speed that weight gives in a step [m/s]

Balls sagging(const std::vector<int>& steps, double missing) {
  Balls balls;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double mass = 1 + static_cast<double>(i), sunk = -steps[i] * missing * kWeight;
    balls.problem.segments.push_back(box_segment(mass));
    const Vec3 center(3.0 * static_cast<double>(i), 0, 0.5), point = center - Vec3(0, 0, 0.5);
    add_contact(balls.problem, -1, {}, static_cast<int>(i), center, point, Vec3::UnitZ(), 0.5, {sunk - kWeight, 0, 0});
    balls.before.insert(balls.before.end(), {0, 0, sunk, 0, 0, 0});
    balls.free.insert(balls.free.end(), {0, 0, sunk - kWeight, 0, 0, 0});
    balls.guess.insert(balls.guess.end(), {mass * kWeight * (1 - missing), 0, 0});
    balls.solution.insert(balls.solution.end(), {mass * (kWeight - sunk), 0, 0});
  }
  balls.problem.finalize();
  balls.solved.assign(6 * steps.size(), 0.0);
  balls.problem.add_scaled_velocity(balls.solution, balls.solved);
  return balls;
}

TEST(RestBalance, remembers_the_weight_however_long_the_guess_was_out_of_balance) {
  // Every ball is a disturbance of its own.
  Balls balls = sagging({0, 1, 5, 40}, 1e-6);
  std::vector<double> impulses = balls.solution;
  RestBalance().move(balls.problem, {balls.before, balls.free, balls.solved}, balls.guess, impulses);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(impulses[3 * i], (1 + static_cast<double>(i)) * kWeight, 1e-13);
}

TEST(RestBalance, leaves_impulses_that_the_solve_left) {
  Balls balls = sagging({3, 3}, 1e-6);
  // The second ball was not solved.
  std::copy(balls.guess.begin() + 3, balls.guess.end(), balls.solution.begin() + 3);
  std::fill(balls.solved.begin(), balls.solved.end(), 0.0);
  balls.problem.add_scaled_velocity(balls.solution, balls.solved);
  std::vector<double> impulses = balls.solution;
  RestBalance().move(balls.problem, {balls.before, balls.free, balls.solved}, balls.guess, impulses);
  EXPECT_NEAR(impulses[0], kWeight, 1e-13);
  EXPECT_EQ(impulses[3], balls.guess[3]);
}

}   // namespace
}   // namespace stickslip::testing
