#include <gtest/gtest.h>

#include "distance/feature_samples.h"
#include "stickslip/distance/mollifier.h"

namespace stickslip::distance_test {
namespace {

template <int N>
using Points = std::array<Vec3, N / 3>;

template <int N, class F>
WithDerivatives<N> at(const Points<N>& x, const F& f) {
  return std::apply(f, x);
}

/// Gradient and Hessian against central differences of value and gradient.
/// @param scale of the value; @param curvature largest size of a third derivative times the step squared that is accepted
template <int N, class F>
void expect_derivatives(const Points<N>& x, const F& f, double step, double accuracy, const std::string& what) {
  const WithDerivatives<N> d = at<N>(x, f);
  ASSERT_TRUE(std::isfinite(d.value) && d.gradient.allFinite() && d.hessian.allFinite()) << what;
  ASSERT_EQ(d.hessian, d.hessian.transpose()) << what;
  const double gradient_scale = 1e-3 + d.gradient.cwiseAbs().maxCoeff();
  const double hessian_scale = 1 + d.hessian.cwiseAbs().maxCoeff();
  for (int i = 0; i < N; ++i) {
    Points<N> up = x, down = x;
    up[i / 3][i % 3] += step;
    down[i / 3][i % 3] -= step;
    const WithDerivatives<N> high = at<N>(up, f), low = at<N>(down, f);
    ASSERT_NEAR((high.value - low.value) / (2 * step), d.gradient[i], accuracy * gradient_scale) << what << " gradient " << i;
    const Eigen::Matrix<double, N, 1> column = (high.gradient - low.gradient) / (2 * step);
    for (int j = 0; j < N; ++j)
      ASSERT_NEAR(column[j], d.hessian(j, i), accuracy * hessian_scale) << what << ' ' << j << ',' << i;
  }
}

const auto point_point = [](auto&... x) { return squared_point_point(x...); };
const auto point_line = [](auto&... x) { return squared_point_line(x...); };
const auto point_plane = [](auto&... x) { return squared_point_plane(x...); };
const auto line_line = [](auto&... x) { return squared_line_line(x...); };

TEST(DistanceDerivatives, of_points_lines_and_planes_are_those_of_finite_differences) {
  Samples samples(11);
  for (int i = 0; i < 500; ++i) {
    const auto x = samples.points<4>(0);
    expect_derivatives<6>({x[0], x[1]}, point_point, 1e-5, 1e-7, "point point");
    if ((x[1] - x[2]).norm() < 0.3) continue;
    expect_derivatives<9>({x[0], x[1], x[2]}, point_line, 1e-5, 1e-6, "point line");
    const Vec3 normal = (x[2] - x[1]).cross(x[3] - x[1]), across = (x[1] - x[0]).cross(x[3] - x[2]);
    if (normal.norm() > 0.2) expect_derivatives<12>(x, point_plane, 1e-5, 1e-6, "point plane");
    if (across.norm() > 0.2) expect_derivatives<12>(x, line_line, 1e-5, 1e-6, "line line");
  }
}

TEST(DistanceDerivatives, of_triangles_hold_for_every_nearest_feature) {
  Samples samples(12);
  std::array<int, 7> seen{};
  for (int i = 0; i < 1500; ++i) {
    auto x = samples.points<4>(0);
    if ((x[2] - x[1]).cross(x[3] - x[1]).norm() < 0.3) continue;
    x[0] *= 2;
    const OnTriangle on = closest_on_triangle(x[0], x[1], x[2], x[3]).on;
    const auto fixed = [on](auto&... y) { return squared_point_triangle(y..., on); };
    expect_derivatives<12>(x, fixed, 1e-5, 1e-6, "point triangle " + std::to_string(static_cast<int>(on)));
    EXPECT_EQ(squared_point_triangle(x[0], x[1], x[2], x[3]).hessian, at<12>(x, fixed).hessian);
    ++seen[static_cast<int>(on)];
  }
  for (int count : seen) EXPECT_GT(count, 20);
}

TEST(DistanceDerivatives, of_edges_hold_for_every_nearest_feature) {
  Samples samples(13);
  std::array<int, 9> seen{};
  for (int i = 0; i < 6000; ++i) {
    auto x = samples.points<4>(0);
    const Vec3 a = x[1] - x[0], b = x[3] - x[2];
    if (a.cross(b).norm() < 0.3) continue;
    x[2] += 0.5 * b, x[3] += 0.5 * b;
    const ClosestOfEdges closest = closest_of_edges(x[0], x[1], x[2], x[3]);
    const auto fixed = [&](auto&... y) { return squared_edge_edge(y..., closest.on_a, closest.on_b); };
    expect_derivatives<12>(x, fixed, 1e-5, 1e-6, "edge edge");
    EXPECT_EQ(squared_edge_edge(x[0], x[1], x[2], x[3]).gradient, at<12>(x, fixed).gradient);
    const auto fixed_edge = [on = closest_on_edge(x[0], x[2], x[3]).on](auto&... y) { return squared_point_edge(y..., on); };
    expect_derivatives<9>({x[0], x[2], x[3]}, fixed_edge, 1e-5, 1e-6, "point edge");
    ++seen[3 * static_cast<int>(closest.on_a) + static_cast<int>(closest.on_b)];
  }
  for (int count : seen) EXPECT_GT(count, 20);
}

TEST(DistanceDerivatives, near_flat_triangles_and_near_parallel_edges_agree_with_finite_differences) {
  Samples samples(14);
  for (double angle : {1e-1, 1e-2, 1e-3}) {
    for (int i = 0; i < 100; ++i) {
      const Vec3 a = samples.direction(), n = a.cross(samples.vector()).normalized(), m = n.cross(a);
      const Vec3 b = a + angle * m;
      // A sliver below the point; two edges that cross at the angle. Steps far below the width, accuracy in its units.
      const Points<12> sliver{0.4 * a + 0.15 * angle * m + 0.3 * angle * n, Vec3::Zero(), a, 0.8 * b};
      ASSERT_EQ(closest_on_triangle(sliver[0], sliver[1], sliver[2], sliver[3]).on, OnTriangle::inside);
      expect_derivatives<12>(sliver, point_plane, 1e-4 * angle, 1e-5, "sliver");
      const Points<12> crossing{Vec3(-0.5 * a), Vec3(0.5 * a), 0.4 * angle * n - 0.5 * b, 0.4 * angle * n + 0.5 * b};
      ASSERT_EQ(closest_of_edges(crossing[0], crossing[1], crossing[2], crossing[3]).on_a, OnEdge::inside);
      expect_derivatives<12>(crossing, line_line, 1e-4 * angle, 1e-5, "crossing");
    }
  }
}

TEST(DistanceDerivatives, values_are_those_of_the_closest_points_for_any_input_and_gradients_stay_finite) {
  Samples samples(15);
  for (int i = 0; i < 40000; ++i) {
    const auto x = samples.points<4>(i);
    const auto triangle = squared_point_triangle(x[0], x[1], x[2], x[3]);
    const auto edges = squared_edge_edge(x[0], x[1], x[2], x[3]);
    const auto edge = squared_point_edge(x[0], x[1], x[2]);
    for (bool finite : {triangle.gradient.allFinite(), triangle.hessian.allFinite(), edges.gradient.allFinite(),
                        edges.hessian.allFinite(), edge.gradient.allFinite(), edge.hessian.allFinite()})
      ASSERT_TRUE(finite) << i;
    const double rounding = 1e-13 * extent(x);
    ASSERT_NEAR(std::sqrt(edge.value), std::sqrt(closest_on_edge(x[0], x[1], x[2]).squared_distance), rounding) << i;
    // Of a normal that rounding turns by η a distance d loses η d.
    const double thin = (x[2] - x[1]).cross(x[3] - x[1]).norm(), flat = (x[1] - x[0]).cross(x[3] - x[2]).norm();
    const double triangle_distance = std::sqrt(closest_on_triangle(x[0], x[1], x[2], x[3]).squared_distance);
    const double edge_distance = std::sqrt(closest_of_edges(x[0], x[1], x[2], x[3]).squared_distance);
    const double shape = 1e-4 * extent(x) * extent(x);
    ASSERT_TRUE(thin < shape || std::abs(std::sqrt(triangle.value) - triangle_distance) <= 1e3 * rounding) << i;
    ASSERT_TRUE(flat < shape || std::abs(std::sqrt(edges.value) - edge_distance) <= 1e3 * rounding) << i;
    ASSERT_TRUE(squared_point_plane(x[0], x[1], x[2], x[3]).hessian.allFinite());
    ASSERT_TRUE(squared_line_line(x[0], x[1], x[2], x[3]).hessian.allFinite());
  }
}

TEST(DistanceDerivatives, do_not_change_with_a_common_shift_and_give_no_moment) {
  Samples samples(16);
  for (int i = 0; i < 500; ++i) {
    const auto x = samples.points<4>(0);
    for (const auto& d : {squared_point_triangle(x[0], x[1], x[2], x[3]), squared_edge_edge(x[0], x[1], x[2], x[3])}) {
      Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
      for (int k = 0; k < 4; ++k) {
        const Vec3 f = d.gradient.segment<3>(3 * k);
        force += f;
        moment += x[k].cross(f);
      }
      EXPECT_LT(force.norm(), 1e-13);
      EXPECT_LT(moment.norm(), 1e-12);
      const Eigen::Matrix<double, 12, 1> shift = Vec3(1, 2, 3).replicate<4, 1>();
      EXPECT_LT((d.hessian * shift).norm(), 1e-11 * (1 + d.hessian.norm()));
      // The square of a distance is of degree two: H x = ∇.
      Eigen::Matrix<double, 12, 1> all;
      for (int k = 0; k < 4; ++k) all.segment<3>(3 * k) = x[k];
      EXPECT_LT((d.hessian * all - d.gradient).norm(), 1e-11 * (1 + d.hessian.norm()));
    }
  }
}

TEST(DistanceDerivatives, of_a_half_space_are_those_of_finite_differences) {
  const Vec3 n = Vec3(1, 2, 2) / 3;
  const auto f = [&](const Vec3& p) { return squared_point_half_space(p, n, 0.3); };
  expect_derivatives<3>({Vec3(0.3, -0.7, 2)}, f, 1e-5, 1e-7, "outside");
  expect_derivatives<3>({Vec3(0.3, -0.7, -2)}, f, 1e-5, 1e-7, "inside");
}

TEST(EdgeMollifier, derivatives_are_those_of_finite_differences_on_both_sides_of_the_threshold) {
  Samples samples(17);
  const auto cross = [](auto&... x) { return squared_cross_with_derivatives(x...); };
  int inside = 0, outside = 0;
  for (int i = 0; i < 400; ++i) {
    const auto x = samples.points<4>(i % 2 == 0 ? 0 : 5);
    expect_derivatives<12>(x, cross, 1e-5, 1e-6, "cross");
    const double c = squared_cross_of_edges(x[0], x[1], x[2], x[3]), threshold = 0.2;
    if (std::abs(c - threshold) < 0.01) continue;
    const auto mollifier = [&](auto&... y) { return edge_mollifier_with_derivatives(y..., threshold); };
    expect_derivatives<12>(x, mollifier, 1e-5, 1e-5, "mollifier");
    EXPECT_NEAR(at<12>(x, mollifier).value, edge_mollifier(x[0], x[1], x[2], x[3], threshold), 1e-15);
    ++(c < threshold ? inside : outside);
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

TEST(EdgeMollifier, is_nothing_for_parallel_edges_and_one_beyond_the_threshold_with_a_continuous_slope) {
  const Vec3 o(0, 0, 0), x(1, 0, 0), up(0, 0, 1);
  const double threshold = mollifier_threshold(o, x, up, up + x);
  EXPECT_EQ(threshold, 1e-3);
  EXPECT_EQ(edge_mollifier(o, x, up, up + x, threshold), 0);
  EXPECT_EQ(edge_mollifier(o, x, up, up + Vec3(0, 1, 0), threshold), 1);
  const auto at_angle = [&](double sine) {
    return edge_mollifier_with_derivatives(o, x, up, up + Vec3(std::sqrt(1 - sine * sine), sine, 0), threshold);
  };
  const auto below = at_angle(std::sqrt(1e-3 * (1 - 1e-9))), above = at_angle(std::sqrt(1e-3 * (1 + 1e-9)));
  EXPECT_NEAR(below.value, above.value, 1e-12);
  EXPECT_LT((below.gradient - above.gradient).norm(), 1e-6);
  EXPECT_EQ(edge_mollifier(o, o, up, up + x, 0), 1);
  EXPECT_TRUE(edge_mollifier_with_derivatives(o, o, up, up + x, 0).hessian.allFinite());
}

}   // namespace
}   // namespace stickslip::distance_test
