#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include "distance/feature_samples.h"
#include "stickslip/distance/intersection.h"
#include "stickslip/distance/triangles.h"

namespace stickslip::distance_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using RationalVec3 = std::array<Rational, 3>;
using Triangle = std::array<Vec3, 3>;

RationalVec3 rational(const Vec3& v) { return {Rational(v[0]), Rational(v[1]), Rational(v[2])}; }
RationalVec3 operator-(const RationalVec3& a, const RationalVec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Rational dot(const RationalVec3& a, const RationalVec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
RationalVec3 cross(const RationalVec3& a, const RationalVec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
bool is_zero(const RationalVec3& a) { return a[0].is_zero() && a[1].is_zero() && a[2].is_zero(); }

// The reference: the squared distance of both triangles in rational numbers, by all their features; they meet if it is zero
// or an edge of one pierces the other.

Rational squared_edge_distance(const RationalVec3& p, const RationalVec3& a, const RationalVec3& b) {
  const RationalVec3 e = b - a, d = p - a;
  const Rational ee = dot(e, e), along = dot(d, e);
  if (along <= 0) return dot(d, d);
  if (along >= ee) return dot(p - b, p - b);
  return dot(d, d) - along * along / ee;
}

bool inside(const RationalVec3& p, const std::array<RationalVec3, 3>& x, const RationalVec3& n) {
  for (int i = 0; i < 3; ++i)
    if (dot(cross(x[(i + 1) % 3] - x[i], p - x[i]), n) < 0) return false;
  return true;
}

Rational squared_edges_distance(const RationalVec3& a0, const RationalVec3& a1, const RationalVec3& b0,
                                const RationalVec3& b1) {
  const RationalVec3 a = a1 - a0, b = b1 - b0, r = b0 - a0, n = cross(a, b);
  Rational best = std::min({squared_edge_distance(a0, b0, b1), squared_edge_distance(a1, b0, b1),
                            squared_edge_distance(b0, a0, a1), squared_edge_distance(b1, a0, a1)});
  const Rational nn = dot(n, n), s = dot(cross(r, b), n), t = dot(cross(r, a), n);
  if (nn > 0 && s >= 0 && s <= nn && t >= 0 && t <= nn) best = std::min(best, Rational(dot(n, r) * dot(n, r) / nn));
  return best;
}

/// Squared distance; 0 if they meet.
Rational squared_triangle_distance(const Triangle& ad, const Triangle& bd) {
  std::array<RationalVec3, 3> x[2];
  for (int i = 0; i < 3; ++i) x[0][i] = rational(ad[i]), x[1][i] = rational(bd[i]);
  Rational best = dot(x[0][0] - x[1][0], x[0][0] - x[1][0]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      best = std::min(best, squared_edges_distance(x[0][i], x[0][(i + 1) % 3], x[1][j], x[1][(j + 1) % 3]));
  for (int side = 0; side < 2; ++side) {
    const auto &a = x[side], &b = x[1 - side];
    const RationalVec3 n = cross(b[1] - b[0], b[2] - b[0]);
    if (is_zero(n)) continue;
    for (int i = 0; i < 3; ++i) {
      const RationalVec3 &p = a[i], &q = a[(i + 1) % 3];
      const Rational from = dot(n, p - b[0]), to = dot(n, q - b[0]), span = from - to;
      if (inside(p, b, n)) best = std::min(best, Rational(from * from / dot(n, n)));
      if (span.is_zero() || from * to > 0) continue;
      const Rational weight = from / span;
      RationalVec3 at;
      for (int k = 0; k < 3; ++k) at[k] = p[k] + weight * (q[k] - p[k]);
      if (inside(at, b, n)) return 0;
    }
  }
  return best;
}

TEST(Orientation, is_that_of_rational_arithmetic) {
  Samples samples(21);
  std::array<int, 3> seen{};
  for (int i = 0; i < 4000; ++i) {
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
  for (int i = 0; i < 600; ++i) {
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

TEST(ClosestOfTriangles, agree_with_rational_arithmetic_and_name_points_at_that_distance) {
  Samples samples(23);
  std::array<int, 4> seen{};
  for (int i = 0; i < 600; ++i) {
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
    ++seen[static_cast<int>(found.kind)];
  }
  for (int count : seen) EXPECT_GT(count, 20);
}

TEST(ClosestOfTriangles, a_hundred_thousand_pairs_are_the_smallest_of_their_features) {
  Samples samples(24);
  for (int i = 0; i < 100000; ++i) {
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
