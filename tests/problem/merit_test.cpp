// The merit functions of the papers against their formulas, and where they vanish.
#include "stickslip/problem/merit.h"

#include <gtest/gtest.h>

#include "problems.h"

namespace stickslip::merit_test {
namespace {

double phi(double a, double b) { return std::sqrt(a * a + b * b) - a - b; }

/// W = I: y = λ + b, so that every formula can be written down. μ = 0.5.
MeritValue of(Merit merit, const Vec3& b, const std::vector<double>& impulses, const std::vector<double>& before = {}) {
  const ContactProblem p = testing::particle_contact(b, 0.5);
  ResidualWorkspace work;
  return evaluate_merit(merit, p, impulses, before, work);
}

TEST(Merit, of_a_particle_is_what_the_formulas_say) {
  const Vec3 b(-1, 0.4, -0.3);
  const std::vector<double> x = {0.6, -0.2, 0.1};
  const double y0 = -0.4, y1 = 0.2, y2 = -0.2, bound = 0.3;
  const double h0 = -std::min(0.6, y0), h1 = std::min(bound + 0.2, -std::min(-0.2 + bound, y1)),
               h2 = std::min(bound - 0.1, -std::min(0.1 + bound, y2));
  const MeritValue map = of(Merit::min_map, b, x);
  EXPECT_NEAR(map.normal, h0 * h0 / 2, 1e-15);
  EXPECT_NEAR(map.friction, (h1 * h1 + h2 * h2) / 2, 1e-15);
  EXPECT_NEAR(map.total, map.normal + map.friction, 1e-15);
  EXPECT_NEAR(of(Merit::min_map_max, b, x).total, std::max({std::abs(h0), std::abs(h1), std::abs(h2)}), 1e-15);

  const double f0 = phi(0.6, y0), f1 = phi(-0.2 + bound, phi(-y1, bound + 0.2)), f2 = phi(0.1 + bound, phi(-y2, bound - 0.1));
  const MeritValue fischer = of(Merit::fischer, b, x);
  EXPECT_NEAR(fischer.normal, f0 * f0 / 2, 1e-15);
  EXPECT_NEAR(fischer.friction, (f1 * f1 + f2 * f2) / 2, 1e-15);

  const MeritValue lcp = of(Merit::complementarity, b, x);
  const double friction = -0.2 * y1 + 0.1 * y2 + 0.6 * 0.5 * std::hypot(y1, y2);
  EXPECT_NEAR(lcp.normal, std::abs(0.6 * y0), 1e-15);
  EXPECT_NEAR(lcp.friction, friction, 1e-15);
  EXPECT_NEAR(lcp.total, std::abs(0.6 * y0 + friction), 1e-15);

  const MeritValue step = of(Merit::step, b, x, {0.5, -0.5, 0.1});
  EXPECT_NEAR(step.normal, 0.1, 1e-15);
  EXPECT_NEAR(step.friction, 0.3, 1e-15);
  EXPECT_NEAR(step.total, 0.3, 1e-15);
  EXPECT_TRUE(std::isinf(of(Merit::step, b, x).total)) << "there is no iterate before";
  EXPECT_NEAR(of(Merit::impulse, b, x).total, 0.6, 1e-15);
  EXPECT_NEAR(of(Merit::impulse, b, x).friction, 0.2, 1e-15);
}

TEST(Merit, vanishes_at_solutions_and_only_there) {
  const struct {
    Vec3 b;
    std::vector<double> solution;
  } cases[] = {{{1, 0.2, 0}, {0, 0, 0}},       // parts
               {{-1, 0.2, 0}, {1, -0.2, 0}},   // sticks
               {{-1, 2, 0}, {1, -0.5, 0}},     // slides along t: boxed and exact agree
               {{-1, 0, -3}, {1, 0, 0.5}}};    // slides along b
  for (const auto& c : cases)
    for (const Merit merit : {Merit::min_map, Merit::min_map_max, Merit::fischer, Merit::complementarity}) {
      EXPECT_NEAR(of(merit, c.b, c.solution).total, 0, 1e-15) << merit_name(merit);
      for (int k = 0; k < 3; ++k) {
        if (merit == Merit::complementarity && c.solution[0] == 0) continue;   // blind there: it sees λ = 0 only
        std::vector<double> wrong = c.solution;
        wrong[static_cast<std::size_t>(k)] += 0.05;
        EXPECT_GT(of(merit, c.b, wrong).total, 1e-5) << merit_name(merit) << ' ' << k;
      }
    }
}

TEST(Merit, of_joints_and_boxes_counts_with_the_normal_rows) {
  const std::vector<Eigen::Triplet<double>> entries = {{0, 0, 2.0}, {1, 1, 1.0}};
  ContactProblem p = matrix_problem(block_matrix({0, 1, 2}, entries), BlockKind::bilateral);
  p.blocks[1].kind = BlockKind::box;
  p.b = {0.5, -2};
  p.lower = {0, -1};
  p.upper = {0, 1};
  p.finalize();
  const std::vector<double> x = {0.1, 0.8};   // y = (0.7, −1.2)
  ResidualWorkspace work;
  const MeritValue map = evaluate_merit(Merit::min_map, p, x, {}, work);
  EXPECT_NEAR(map.normal, 0.5 * (0.7 * 0.7 + 0.2 * 0.2), 1e-15) << "the box misses its upper bound by 0.2";
  EXPECT_EQ(map.friction, 0);
  EXPECT_NEAR(evaluate_merit(Merit::complementarity, p, x, {}, work).total, std::abs(0.1 * 0.7 + (0.8 - 1) * -1.2), 1e-15);
}

}   // namespace
}   // namespace stickslip::merit_test
