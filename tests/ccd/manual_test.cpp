#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "places.h"

// The example of docs/continuous-collision.md; the last test says when they differ.
// <manual>
#include <stickslip/ccd/inclusion.h>
#include <stickslip/distance/derivatives.h>

using namespace stickslip;

/// The longest part of a step that brings the vertex no nearer to the face than a fifth of the distance they have now.
double safe_part(const PointsAt<4>& now, const PointsAt<4>& then) {
  const auto& [p, a, b, c] = now;
  const double distance = std::sqrt(closest_on_triangle(p, a, b, c).squared_distance);
  const auto impact = vertex_face_impact(now, then, {.min_distance = 0.2 * distance, .resolve_start = true});
  return impact ? impact->time : 1;
}

/// −κ (D − D̂)² ln(D / D̂) of the squared distance D [m²], and its gradient by the positions of vertex and corners.
double barrier(const PointsAt<4>& x, double stiffness, double reach_squared, Eigen::Matrix<double, 12, 1>& gradient) {
  const WithDerivatives<12> squared = squared_point_triangle(x[0], x[1], x[2], x[3]);
  const double D = squared.value, beyond = D - reach_squared;
  gradient.setZero();
  if (beyond >= 0) return 0;
  gradient = -stiffness * beyond * (2 * std::log(D / reach_squared) + beyond / D) * squared.gradient;
  return -stiffness * beyond * beyond * std::log(D / reach_squared);
}
// </manual>

namespace stickslip::ccd_test {
namespace {

const PointsAt<4> kNow{Vec3(0.2, 0.3, 0.1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

TEST(CcdManual, a_part_of_a_step_leaves_a_fifth_of_the_distance) {
  PointsAt<4> then = kNow;
  then[0].z() = -0.3;
  EXPECT_NEAR(safe_part(kNow, then), 0.2, 1e-6);   // 0.08 m of 0.4 m
  then[0].z() = 0.03;
  EXPECT_EQ(safe_part(kNow, then), 1);
}

TEST(CcdManual, the_barrier_pushes_along_its_gradient) {
  Eigen::Matrix<double, 12, 1> gradient, ignored;
  barrier(kNow, 3, 0.04, gradient);
  for (int i = 0; i < 12; ++i) {
    PointsAt<4> up = kNow, down = kNow;
    up[i / 3][i % 3] += 1e-6, down[i / 3][i % 3] -= 1e-6;
    EXPECT_NEAR((barrier(up, 3, 0.04, ignored) - barrier(down, 3, 0.04, ignored)) / 2e-6, gradient[i], 1e-8);
  }
  EXPECT_LT(gradient[2], 0);   // nearer costs more
  EXPECT_EQ(barrier(kNow, 3, 0.005, gradient), 0);
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

TEST(CcdManual, shows_the_example_that_is_compiled_here) {
  const auto read = [](const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(std::string(places::kSourceDir) + "/" + file).rdbuf();
    return text.str();
  };
  const std::string here = between(read("tests/ccd/manual_test.cpp"), "// <manual>\n", "// </manual>");
  EXPECT_EQ(between(read("docs/continuous-collision.md"), "```cpp\n", "```"), here);
}

}   // namespace
}   // namespace stickslip::ccd_test
