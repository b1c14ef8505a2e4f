#include <gtest/gtest.h>

#include "distance/feature_samples.h"
#include "stickslip/distance/closest.h"

namespace stickslip::distance_test {
namespace {

using LongVec3 = Eigen::Matrix<long double, 3, 1>;

LongVec3 precise(const Vec3& v) { return v.cast<long double>(); }

// The reference: every feature pair by itself, in long double, the smallest of those that are feasible.

long double reference_edge(const LongVec3& p, const LongVec3& a, const LongVec3& b) {
  const LongVec3 e = b - a;
  long double best = std::min((p - a).norm(), (p - b).norm());
  if (e.squaredNorm() > 0) {
    const long double w = (p - a).dot(e) / e.squaredNorm();
    if (w > 0 && w < 1) best = std::min(best, (p - a - w * e).norm());
  }
  return best;
}

/// Solves the 2×2 system of the free weights by its rows, not by a normal.
bool reference_weights(const LongVec3& e1, const LongVec3& e2, const LongVec3& d, long double& s, long double& t) {
  // Gram–Schmidt: e2 and d without their parts along e1.
  const long double e11 = e1.squaredNorm();
  if (!(e11 > 0)) return false;
  const long double along = e1.dot(e2) / e11;
  const LongVec3 rest = e2 - along * e1;
  if (!(rest.squaredNorm() > 1e-36L * e2.squaredNorm())) return false;
  t = rest.dot(d - e1.dot(d) / e11 * e1) / rest.squaredNorm();
  s = (d - t * e2).dot(e1) / e11;
  return true;
}

long double reference_triangle(const Vec3& pd, const std::array<Vec3, 3>& xd) {
  const LongVec3 p = precise(pd), a = precise(xd[0]), b = precise(xd[1]), c = precise(xd[2]);
  long double best = std::min({reference_edge(p, a, b), reference_edge(p, b, c), reference_edge(p, c, a)}), s, t;
  if (reference_weights(b - a, c - a, p - a, s, t) && s >= 0 && t >= 0 && s + t <= 1)
    best = std::min(best, (p - a - s * (b - a) - t * (c - a)).norm());
  return best;
}

long double reference_edges(const std::array<Vec3, 4>& x) {
  const LongVec3 a = precise(x[0]), b = precise(x[1]), c = precise(x[2]), d = precise(x[3]);
  long double best =
      std::min({reference_edge(a, c, d), reference_edge(b, c, d), reference_edge(c, a, b), reference_edge(d, a, b)});
  long double s, t;
  if (reference_weights(b - a, c - d, c - a, s, t) && s >= 0 && s <= 1 && t >= 0 && t <= 1)
    best = std::min(best, (a - c + s * (b - a) - t * (d - c)).norm());
  return best;
}

constexpr int kPairs = 100000;
constexpr double kRounding = 1e-14;   ///< of the extent

TEST(Closest, a_point_and_an_edge_agree_in_distance_and_normal_with_every_feature_by_itself) {
  Samples samples(1);
  for (int i = 0, count = pair_count(kPairs); i < count; ++i) {
    const auto x = samples.points<3>(i);
    const ClosestOnEdge found = closest_on_edge(x[0], x[1], x[2]);
    const double d = std::sqrt(found.squared_distance);
    ASSERT_NEAR(d, static_cast<double>(reference_edge(precise(x[0]), precise(x[1]), precise(x[2]))), kRounding * extent(x))
        << i;
    ASSERT_TRUE(found.weight >= 0 && found.weight <= 1);
    ASSERT_NEAR((x[0] - x[1] - found.weight * (x[2] - x[1])).norm(), d, kRounding * extent(x));
    const Vec3 point = x[1] + found.weight * (x[2] - x[1]);
    ASSERT_LE(normal_error({&x[0], 1}, {&x[1], 2}, x[0], point), normal_rounding(extent(x), d)) << i;
    ASSERT_EQ(found.on, found.weight == 0 ? OnEdge::vertex_0 : found.weight == 1 ? OnEdge::vertex_1 : OnEdge::inside);
  }
}

TEST(Closest, a_point_and_a_triangle_agree_in_distance_and_normal_with_every_feature_by_itself) {
  Samples samples(2);
  for (int i = 0, count = pair_count(kPairs); i < count; ++i) {
    const auto x = samples.points<4>(i);
    const ClosestOnTriangle found = closest_on_triangle(x[0], x[1], x[2], x[3]);
    const double d = std::sqrt(found.squared_distance);
    ASSERT_NEAR(d, static_cast<double>(reference_triangle(x[0], {x[1], x[2], x[3]})), kRounding * extent(x)) << i;
    ASSERT_GE(found.weights.minCoeff(), 0);
    ASSERT_NEAR(found.weights.sum(), 1, 1e-15);
    const Vec3 point = found.weights[0] * x[1] + found.weights[1] * x[2] + found.weights[2] * x[3];
    ASSERT_NEAR((x[0] - point).norm(), d, kRounding * (extent(x) + 3));
    ASSERT_LE(normal_error({&x[0], 1}, {&x[1], 3}, x[0], point), triangle_normal_rounding(extent(x), d)) << i;
    const int zeros = static_cast<int>((found.weights.array() == 0).count());
    const int expected = found.on == OnTriangle::inside ? 0 : found.on >= OnTriangle::edge_01 ? 1 : 2;
    ASSERT_GE(zeros, expected) << i;
  }
}

TEST(Closest, two_edges_agree_in_distance_and_normal_with_every_feature_by_itself) {
  Samples samples(3);
  int parallel = 0;
  for (int i = 0, count = pair_count(kPairs); i < count; ++i) {
    const auto x = samples.points<4>(i);
    const ClosestOfEdges found = closest_of_edges(x[0], x[1], x[2], x[3]);
    const double d = std::sqrt(found.squared_distance);
    ASSERT_NEAR(d, static_cast<double>(reference_edges(x)), kRounding * extent(x)) << i;
    ASSERT_TRUE(found.weight_a >= 0 && found.weight_a <= 1 && found.weight_b >= 0 && found.weight_b <= 1);
    const Vec3 on_a = x[0] + found.weight_a * (x[1] - x[0]), on_b = x[2] + found.weight_b * (x[3] - x[2]);
    ASSERT_NEAR((on_b - on_a).norm(), d, kRounding * (extent(x) + 3));
    ASSERT_LE(normal_error({&x[0], 2}, {&x[2], 2}, on_a, on_b), normal_rounding(extent(x), d)) << i;
    if (found.parallel) {
      ++parallel;
      ASSERT_FALSE(found.on_a == OnEdge::inside && found.on_b == OnEdge::inside);
    }
  }
  EXPECT_GT(parallel, pair_count(kPairs) / 20);
}

TEST(Closest, no_sample_of_two_features_is_nearer_and_refined_samples_come_as_near) {
  Samples samples(4);
  for (int i = 0; i < 300; ++i) {
    const auto x = samples.points<4>(i);
    const double triangle = std::sqrt(closest_on_triangle(x[0], x[1], x[2], x[3]).squared_distance);
    const double edges = std::sqrt(closest_of_edges(x[0], x[1], x[2], x[3]).squared_distance);
    double best_triangle = 1e300, best_edges = 1e300;
    Vec2 at_triangle(0.5, 0.5), at_edges(0.5, 0.5);
    for (double width = 1; width > 1e-5; width *= 0.6) {   // grids of 11 × 11 that shrink towards the best so far
      const Vec2 around_triangle = at_triangle, around_edges = at_edges;
      for (int k = 0; k < 121; ++k) {
        const Vec2 shift = width * Vec2(k % 11 / 10.0 - 0.5, k / 11 / 10.0 - 0.5);
        Vec2 w = (around_triangle + shift).cwiseMax(0).cwiseMin(1);
        if (w.sum() > 1) w /= w.sum();
        const double d = (x[0] - x[1] - w[0] * (x[2] - x[1]) - w[1] * (x[3] - x[1])).norm();
        if (d < best_triangle) best_triangle = d, at_triangle = w;
        w = (around_edges + shift).cwiseMax(0).cwiseMin(1);
        const double e = (x[0] - x[2] + w[0] * (x[1] - x[0]) - w[1] * (x[3] - x[2])).norm();
        if (e < best_edges) best_edges = e, at_edges = w;
      }
    }
    EXPECT_GE(best_triangle, triangle - kRounding * extent(x));
    EXPECT_GE(best_edges, edges - kRounding * extent(x));
    EXPECT_NEAR(best_triangle, triangle, 0.02 * extent(x)) << i;
    EXPECT_NEAR(best_edges, edges, 0.02 * extent(x)) << i;
  }
}

TEST(Closest, every_place_of_a_triangle_is_named) {
  const Vec3 a(0, 0, 0), b(4, 0, 0), c(0, 4, 0);
  const auto on = [&](double x, double y) { return closest_on_triangle({x, y, 1}, a, b, c).on; };
  EXPECT_EQ(on(-1, -1), OnTriangle::vertex_0);
  EXPECT_EQ(on(6, -1), OnTriangle::vertex_1);
  EXPECT_EQ(on(-1, 6), OnTriangle::vertex_2);
  EXPECT_EQ(on(2, -1), OnTriangle::edge_01);
  EXPECT_EQ(on(3, 3), OnTriangle::edge_12);
  EXPECT_EQ(on(-1, 2), OnTriangle::edge_20);
  EXPECT_EQ(on(1, 1), OnTriangle::inside);
  EXPECT_EQ(closest_on_triangle({1, 1, -2}, a, b, c).squared_distance, 4);
}

TEST(Closest, lines_and_planes_reach_beyond_their_points) {
  EXPECT_EQ(closest_on_line({7, 2, 0}, {0, 0, 0}, {1, 0, 0}).squared_distance, 4);
  EXPECT_EQ(closest_on_line({7, 2, 0}, {0, 0, 0}, {1, 0, 0}).weight, 7);
  EXPECT_EQ(closest_on_plane({-9, 8, 3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}).squared_distance, 9);
  EXPECT_EQ(closest_on_plane({-9, 8, 3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}).weights, Vec3(2, -9, 8));
  const ClosestOfEdges lines = closest_of_lines({0, 0, 0}, {1, 0, 0}, {5, 3, 2}, {5, 4, 2});
  EXPECT_EQ(lines.squared_distance, 4);
  EXPECT_EQ(lines.weight_a, 5);
  EXPECT_EQ(lines.weight_b, -3);
  const ClosestOfEdges parallel = closest_of_lines({0, 0, 0}, {1, 0, 0}, {5, 3, 0}, {7, 3, 0});
  EXPECT_TRUE(parallel.parallel);
  EXPECT_EQ(parallel.squared_distance, 9);
  // What is left of a line or plane without extent.
  EXPECT_EQ(closest_on_line({7, 2, 0}, {1, 2, 0}, {1, 2, 0}).squared_distance, 36);
  EXPECT_EQ(closest_on_plane({5, 2, 0}, {0, 0, 0}, {1, 0, 0}, {-2, 0, 0}).squared_distance, 4);
  EXPECT_EQ(closest_of_lines({0, 0, 0}, {1, 0, 0}, {5, 3, 0}, {5, 3, 0}).squared_distance, 9);
}

TEST(Closest, the_same_at_every_scale) {
  Samples samples(5);
  for (int i = 0; i < 2000; ++i) {
    const auto x = samples.points<4>(i);
    for (int power : {-200, -20, 20, 200}) {
      std::array<Vec3, 4> y = x;
      for (Vec3& p : y) p *= std::ldexp(1.0, power);
      const double factor = std::ldexp(1.0, 2 * power);
      ASSERT_EQ(closest_of_edges(y[0], y[1], y[2], y[3]).squared_distance,
                factor * closest_of_edges(x[0], x[1], x[2], x[3]).squared_distance)
          << i << ' ' << power;
      ASSERT_EQ(closest_on_triangle(y[0], y[1], y[2], y[3]).squared_distance,
                factor * closest_on_triangle(x[0], x[1], x[2], x[3]).squared_distance)
          << i << ' ' << power;
    }
  }
}

TEST(Closest, a_half_space_is_negative_inside) {
  const Vec3 n = Vec3(1, 2, 2) / 3;
  EXPECT_NEAR(signed_distance_to_half_space({3, 3, 3}, n, 1), 4, 1e-15);
  EXPECT_NEAR(signed_distance_to_half_space({0, 0, 0}, n, 1), -1, 1e-15);
}

}   // namespace
}   // namespace stickslip::distance_test
