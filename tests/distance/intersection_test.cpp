#include <gtest/gtest.h>

#include "distance/feature_samples.h"
#include "distance/rational_triangles.h"
#include "stickslip/distance/intersection.h"
#include "stickslip/distance/triangles.h"

namespace stickslip::distance_test {
namespace {

TEST(Orientation, is_that_of_rational_arithmetic) {
  Samples samples(21);
  std::array<int, 3> seen{};
  for (int i = 0; i < pair_count(4000); ++i) {
    auto x = samples.points<4>(i);
    if (i % 3 == 0) {   // the fourth in the plane of the others but for rounding
      const double u = samples.uniform(), v = samples.uniform();
      x[3] = x[0] + u * (x[1] - x[0]) + v * (x[2] - x[0]);
    }
    const RationalVec3 a = rational(x[0]), u = rational(x[1]) - a, v = rational(x[2]) - a, w = rational(x[3]) - a;
    const int expected = dot(cross(u, v), w).sign();
    ASSERT_EQ(orientation(x[0], x[1], x[2], x[3]), expected) << i;
    ++seen[expected + 1];
    const Vec2 p = x[0].head<2>(), q = x[1].head<2>(), r = x[2].head<2>();
    ASSERT_EQ(orientation(p, q, r), Rational(u[0] * v[1] - u[1] * v[0]).sign()) << i;
  }
  for (int count : seen) EXPECT_GT(count, 400);
}

TEST(TrianglesMeet, exactly_when_rational_arithmetic_says_so) {
  Samples samples(22);
  int meeting = 0, apart = 0;
  for (int i = 0; i < pair_count(600); ++i) {
    const auto x = samples.points<6>(i);
    const Triangle a{x[0], x[1], x[2]}, b{x[3], x[4], x[5]};
    const bool expected = squared_triangle_distance(a, b).is_zero();
    ASSERT_EQ(triangles_meet(a, b), expected) << i;
    ASSERT_EQ(triangles_meet(b, a), expected) << i;
    ASSERT_EQ(triangles_meet({x[1], x[2], x[0]}, {x[5], x[4], x[3]}), expected) << i;
    ++(expected ? meeting : apart);
  }
  EXPECT_GT(meeting, 100);
  EXPECT_GT(apart, 100);
}

TEST(TrianglesMeet, one_unit_in_the_last_place_decides) {
  const Triangle floor{Vec3(0, 0, 0.1), Vec3(1, 0, 0.1), Vec3(0, 1, 0.1)};
  const auto with_tip_at = [](double z) { return Triangle{Vec3(0.3, 0.3, z), Vec3(0.2, 0.3, 1), Vec3(0.3, 0.2, 1)}; };
  EXPECT_TRUE(triangles_meet(floor, with_tip_at(0.1)));
  EXPECT_FALSE(triangles_meet(floor, with_tip_at(std::nextafter(0.1, 1))));
  EXPECT_TRUE(triangles_meet(floor, with_tip_at(std::nextafter(0.1, 0))));
}

/// About the sine of the smallest angle.
double thinness(const Triangle& x) {
  const double longest = extent(x);
  return longest > 0 ? (x[1] - x[0]).cross(x[2] - x[0]).norm() / (longest * longest) : 1;
}

TEST(ClosestOfTriangles, agree_with_rational_arithmetic_and_name_points_at_that_distance_along_the_normal) {
  Samples samples(23);
  std::array<int, 4> seen{};
  for (int i = 0; i < pair_count(600); ++i) {
    const auto x = samples.points<6>(i);
    const Triangle a{x[0], x[1], x[2]}, b{x[3], x[4], x[5]};
    const ClosestOfTriangles found = closest_of_triangles(a, b);
    const Rational expected = squared_triangle_distance(a, b);
    ASSERT_EQ(found.squared_distance == 0, expected.is_zero()) << i;
    const double d = std::sqrt(found.squared_distance);
    ASSERT_NEAR(d, std::sqrt(expected.convert_to<double>()), 2e-14 * extent(x)) << i;
    for (const Vec3& weights : {found.weights_a, found.weights_b}) {
      ASSERT_GE(weights.minCoeff(), 0);
      ASSERT_NEAR(weights.sum(), 1, 1e-14);
    }
    const Vec3 on_a = found.weights_a[0] * a[0] + found.weights_a[1] * a[1] + found.weights_a[2] * a[2];
    const Vec3 on_b = found.weights_b[0] * b[0] + found.weights_b[1] * b[1] + found.weights_b[2] * b[2];
    // A common point is as uncertain as the normal of the thinner triangle.
    const double uncertain = found.kind == TrianglePairKind::meeting ? std::max(1e-10, std::min(thinness(a), thinness(b))) : 1;
    ASSERT_NEAR((on_a - on_b).norm(), d, 1e-14 * (extent(x) + 3) / uncertain) << i;
    if (found.kind != TrianglePairKind::meeting) {
      ASSERT_LE(normal_error(a, b, on_a, on_b), triangle_normal_rounding(extent(x), d)) << i;
    }
    ++seen[static_cast<int>(found.kind)];
  }
  for (int count : seen) EXPECT_GT(count, 20);
}

TEST(ClosestOfTriangles, are_as_near_as_the_nearest_of_their_features) {
  Samples samples(24);
  for (int i = 0; i < pair_count(100000); ++i) {
    const auto x = samples.points<6>(i);
    const ClosestOfTriangles found = closest_of_triangles({x[0], x[1], x[2]}, {x[3], x[4], x[5]});
    double best = 1e300;
    for (int k = 0; k < 3; ++k) {
      best = std::min(best, closest_on_triangle(x[k], x[3], x[4], x[5]).squared_distance);
      best = std::min(best, closest_on_triangle(x[3 + k], x[0], x[1], x[2]).squared_distance);
      for (int l = 0; l < 3; ++l)
        best = std::min(best, closest_of_edges(x[k], x[(k + 1) % 3], x[3 + l], x[3 + (l + 1) % 3]).squared_distance);
    }
    const double expected = found.kind == TrianglePairKind::meeting ? 0 : std::max(best, std::numeric_limits<double>::min());
    ASSERT_NEAR(std::sqrt(found.squared_distance), std::sqrt(expected), 1e-15 * extent(x)) << i;
  }
}

}   // namespace
}   // namespace stickslip::distance_test
