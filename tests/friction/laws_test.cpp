// What every friction set must be: a convex set with its projection, its support, its bounds, its derivatives.
#include <gtest/gtest.h>

#include "friction/sample_sets.h"
#include "stickslip/friction/law.h"

namespace stickslip::testing {
namespace {

constexpr int samples = 100'000;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// n of F(n) = n F(1), or 1 for sets that do not scale.
template <int Rows>
double growth(const ConvexSet<Rows>& set, double n) {
  return set.scales_with_normal() ? n : 1;
}

TEST(EverySet, projects_idempotently_without_expanding_and_with_the_variational_inequality) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Points<Rows> points(set);
    Largest moved, expanded, beyond, outside;
    for (int k = 0; k < samples; ++k) {
      const double n = points.normal();
      const Vector<Rows> x = points.point(n), y = points.point(n), px = set.project(n, x), py = set.project(n, y),
                         rest = x - px;
      const double size = growth(set, n) * points.size(), g = growth(set, n);
      moved.add((set.project(n, px) - px).norm() / size, n, x);
      expanded.add(((px - py).norm() - (x - y).norm()) / (x.norm() + y.norm() + size), n, x, y);
      // No member lies farther towards x than the closest point does: not the farthest one of all, and not any other.
      beyond.add((g * set.support(rest) - rest.dot(px)) / ((x.norm() + size) * size), n, x);
      beyond.add(rest.dot(py - px) / ((x.norm() + size) * size), n, x);
      const Vector<Rows> d = points.direction();
      outside.add((px.dot(d) - g * set.support(d)) / size, n, x, d);
    }
    EXPECT_LE(moved.value(), 8 * epsilon) << moved.at();
    EXPECT_LE(expanded.value(), 8 * epsilon) << expanded.at();
    EXPECT_LE(beyond.value(), 16 * epsilon) << beyond.at();
    EXPECT_LE(outside.value(), 8 * epsilon) << outside.at();
  });
}

/// Distance of x from g F(1) by minimisation over convex combinations of support points, without the projection:
/// the one that lies farthest towards x joins, then weight moves between all that
/// have joined until none gains. Never below the true distance.
/// @param gap at most by how much half its square is above that of the true distance
template <int Rows>
double minimised_distance(const ConvexSet<Rows>& set, double g, const Vector<Rows>& x, double& gap) {
  std::vector<Vector<Rows>> members{g * set.support_point(x)};
  std::vector<double> weights{1};
  Vector<Rows> point = members[0];
  for (int round = 0; round < 120; ++round) {
    members.push_back(g * set.support_point(x - point));
    weights.push_back(0);
    for (int k = 0; k < 400; ++k) {
      const Vector<Rows> rest = x - point;
      std::size_t nearest = 0, farthest = members.size();
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].dot(rest) > members[nearest].dot(rest)) nearest = i;
        if (weights[i] > 0 && (farthest == members.size() || members[i].dot(rest) < members[farthest].dot(rest))) farthest = i;
      }
      const Vector<Rows> along = members[nearest] - members[farthest];
      const double gain = along.dot(rest);
      if (!(gain > 1e-12 * along.norm() * rest.norm())) break;
      const double moved = std::min(weights[farthest], gain / along.squaredNorm());
      weights[nearest] += moved;
      weights[farthest] = moved == weights[farthest] ? 0 : weights[farthest] - moved;
      point += moved * along;
    }
    // Again from the weights: additions above have rounded it off the hull.
    double sum = 0;
    point.setZero();
    for (std::size_t i = 0; i < members.size(); ++i) {
      point += weights[i] * members[i];
      sum += weights[i];
    }
    point /= sum;
  }
  gap = g * set.support(x - point) - (x - point).dot(point);
  return (x - point).norm();
}

TEST(EverySet, is_as_far_from_a_point_as_minimisation_over_its_members_finds) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Points<Rows> points(set, 5);
    Largest closer, farther;
    int converged = 0;
    for (int k = 0; k < 30; ++k) {
      const double n = points.normal();
      const Vector<Rows> x = points.point(n);
      const double scale = x.norm() + points.size(), distance = (x - set.project(n, x)).norm();
      double gap;
      const double minimised = minimised_distance(set, growth(set, n), x, gap);
      closer.add((distance - minimised) / scale, n, x);
      farther.add((0.5 * (minimised * minimised - distance * distance) - gap) / (scale * scale), n, x);
      converged += gap < 1e-8 * scale * scale;
    }
    EXPECT_LE(closer.value(), 8 * epsilon) << closer.at();
    EXPECT_LE(farther.value(), 8 * epsilon) << farther.at();
    EXPECT_GE(converged, 10);
  });
}

TEST(EverySet, dissipates_the_most_at_its_support_points) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Points<Rows> points(set, 2);
    Largest outside, less, differs;
    for (int k = 0; k < samples; ++k) {
      const Vector<Rows> d = points.direction(), farthest = set.support_point(d), member = set.project(1, points.point(1));
      outside.add((set.project(1, farthest) - farthest).norm() / points.size(), d);
      less.add((member - farthest).dot(d) / points.size(), d, member);
      differs.add(std::abs(set.support(d) - farthest.dot(d)) / points.size(), d);
    }
    EXPECT_LE(outside.value(), 8 * epsilon) << outside.at();
    EXPECT_LE(less.value(), 8 * epsilon) << less.at();
    EXPECT_LE(differs.value(), 8 * epsilon) << differs.at();
  });
}

TEST(EverySet, scales_with_the_normal_impulse_or_not_at_all) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Points<Rows> points(set, 3);
    Largest scaled, negative;
    for (int k = 0; k < samples; ++k) {
      const double n = points.normal(), factor = 2.7;
      const Vector<Rows> x = points.point(n), px = set.project(n, x);
      const Vector<Rows> other =
          set.scales_with_normal() ? Vector<Rows>(set.project(factor * n, factor * x) / factor) : set.project(factor * n, x);
      scaled.add((other - px).norm() / (growth(set, n) * points.size() + x.norm()), n, x);
      const Vector<Rows> without = set.scales_with_normal() ? Vector<Rows>::Zero() : px;
      negative.add((set.project(-n, x) - without).norm() + (set.project(0, x) - without).norm(), n, x);
    }
    EXPECT_LE(scaled.value(), 16 * epsilon) << scaled.at();
    EXPECT_EQ(negative.value(), 0) << negative.at();
  });
}

TEST(EverySet, fills_its_box_and_has_zero_inside) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Points<Rows> points(set, 4);
    Largest outside;
    for (int k = 0; k < samples; ++k) {
      const double n = points.normal();
      const Vector<Rows> member = set.project(n, points.point(n));
      const FrictionBox<Rows> box = set.box(n);
      outside.add((member - box.clamp(member)).norm() / (growth(set, n) * points.size()), n, member);
    }
    EXPECT_LE(outside.value(), 4 * epsilon) << outside.at();
    const FrictionBox<Rows> box = set.box(2);
    for (int i = 0; i < Rows; ++i) {
      const double g = growth(set, 2);
      EXPECT_NEAR(g * set.support_point(Vector<Rows>::Unit(i))[i], box.upper[i], 4 * epsilon * points.size());
      EXPECT_NEAR(g * set.support_point(-Vector<Rows>::Unit(i))[i], box.lower[i], 4 * epsilon * points.size());
      EXPECT_LE(box.lower[i], 0);
      EXPECT_GE(box.upper[i], 0);
      EXPECT_LE(set.box(-1).upper[i], set.scales_with_normal() ? 0 : box.upper[i]);
    }
    EXPECT_EQ(set.project(1, Vector<Rows>::Zero()), Vector<Rows>::Zero().eval());
  });
}

TEST(EverySet, is_where_its_implicit_function_is_not_positive) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    const bool costly = typeid(set) == typeid(HullSet) || typeid(set) == typeid(Stadium<Rows>);
    Points<Rows> points(set, 6);
    Largest wrong;
    int inside = 0, outside = 0;
    for (int k = 0; k < (costly ? samples / 10 : samples); ++k) {
      const double n = points.normal();
      Vector<Rows> x = points.point(n);
      if (k % 3 == 0) x = (k % 2 ? 0.999 : 1.001) * set.project(n, x);   // near the boundary, and in thin sets
      const double value = set.implicit(n, x).value,
                   distance = (x - set.project(n, x)).norm() / (growth(set, n) * points.size());
      (distance > 0 ? outside : inside) += 1;
      if (value <= 0) wrong.add(distance, n, x);
      if (distance == 0) wrong.add(value / n, n, x);
    }
    EXPECT_LE(wrong.value(), 1e-14) << wrong.at();
    EXPECT_GE(outside, 100);
    EXPECT_GE(inside, points.size() > 1e-3 ? 100 : 0);
  });
}

/// Central differences of f at x, a column for each row of x. `kink` is at most how much those from both sides differ: if the
/// difference steps over a kink, it is wrong by up to half that.
template <int Rows, class Function>
auto differences(const Function& f, const Vector<Rows>& x, double step, double& kink) {
  const auto centre = f(x);
  Eigen::Matrix<double, decltype(centre)::RowsAtCompileTime, Rows> d;
  kink = 0;
  for (int i = 0; i < Rows; ++i) {
    const auto after = f(x + step * Vector<Rows>::Unit(i)), before = f(x - step * Vector<Rows>::Unit(i));
    d.col(i) = (after - before) / (2 * step);
    kink = std::max(kink, (after + before - 2 * centre).norm() / step);
  }
  return d;
}

// Below, rows are measured in widths of the set, so that differences see thin sets as they see round ones.

TEST(EverySet, has_the_projection_derivatives_of_finite_differences_away_from_kinks) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    Points<Rows> points(set, 8);
    const Vector<Rows> w = points.widths();
    Largest by_point, by_normal, asymmetry, value;
    const int count = typeid(set) == typeid(HullSet) ? samples / 4 : samples;
    int away = 0;
    for (int k = 0; k < count; ++k) {
      const double n = points.normal();
      const Vector<Rows> x = points.point(n), u = x.cwiseQuotient(w);
      const ProjectionDerivative<Rows> d = set.differentiate(n, x);
      value.add((d.value - set.project(n, x)).norm(), n, x);
      asymmetry.add((d.by_point - d.by_point.transpose()).norm(), n, x);
      const auto at_point = [&](const Vector<Rows>& z) -> Vector<Rows> {
        return set.project(n, w.cwiseProduct(z)).cwiseQuotient(w);
      };
      const auto at_normal = [&](const Vector<1>& m) -> Vector<Rows> { return set.project(m[0], x).cwiseQuotient(w); };
      double kink, kink_with_n;
      const Eigen::Matrix<double, Rows, Rows> numeric = differences<Rows>(at_point, u, 1e-6 * n, kink);
      const Vector<Rows> numeric_n = differences<1>(at_normal, Vector<1>(n), 1e-6 * n, kink_with_n);
      if (kink > 1e-4 || kink_with_n > 1e-4) continue;
      ++away;
      by_point.add((w.cwiseInverse().asDiagonal() * d.by_point * w.asDiagonal() - numeric).norm(), n, x);
      by_normal.add((d.by_normal.cwiseQuotient(w) - numeric_n).norm(), n, x);
    }
    EXPECT_LE(value.value(), 12 * epsilon * points.size()) << value.at();   // n is up to 3
    EXPECT_LE(by_point.value(), 1e-4) << by_point.at();
    EXPECT_LE(by_normal.value(), 1e-4) << by_normal.at();
    EXPECT_LE(asymmetry.value(), 1e-14) << asymmetry.at();
    EXPECT_GE(away, count / 2);
  });
}

TEST(EverySet, has_an_implicit_function_with_the_gradient_and_hessian_of_finite_differences_away_from_kinks) {
  for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    const bool rough = typeid(set) == typeid(Stadium<Rows>);   // itself from differences
    Points<Rows> points(set, 9);
    const Vector<Rows> w = points.widths();
    Largest gradient, hessian, by_normal;
    const int count = rough ? samples / 100 : typeid(set) == typeid(HullSet) ? samples / 10 : samples;
    int away = 0, finite = 0;
    double hessian_sum = 0;
    for (int k = 0; k < count; ++k) {
      const double n = points.normal();
      Vector<Rows> x = points.point(n);
      if (k % 2) x = set.project(n, x);   // also in thin sets
      const ImplicitValue<Rows> f = set.implicit(n, x);
      if (!std::isfinite(f.value) || x.norm() < 1e-6 * points.size()) continue;
      ++finite;
      by_normal.add(std::abs(set.implicit(1.5 * n, x).value - f.value - 0.5 * n * f.by_normal) / (n + std::abs(f.value)), n, x);
      const Vector<Rows> u = x.cwiseQuotient(w);
      const auto value = [&](const Vector<Rows>& z) { return Vector<1>(set.implicit(n, w.cwiseProduct(z)).value); };
      const auto slope = [&](const Vector<Rows>& z) -> Vector<Rows> {
        return w.cwiseProduct(set.implicit(n, w.cwiseProduct(z)).gradient);
      };
      const double size = u.norm(), step = (rough ? 1e-3 : 1e-6) * size;
      double kink, kink_of_gradient;
      const Vector<Rows> numeric = differences<Rows>(value, u, step, kink).transpose();
      const Eigen::Matrix<double, Rows, Rows> numeric_slope = differences<Rows>(slope, u, step, kink_of_gradient);
      // Infinite across the rows that thin sets do not have.
      const double kink_allowed = rough ? 1e-2 : 1e-4;
      if (!std::isfinite(numeric.norm()) || !(kink <= kink_allowed) || !(kink_of_gradient * size <= kink_allowed)) continue;
      ++away;
      const Vector<Rows> scaled = w.cwiseProduct(f.gradient);
      gradient.add((scaled - numeric).norm(), n, x);
      const double hessian_error = (w.asDiagonal() * f.hessian * w.asDiagonal() - numeric_slope).norm() * size;
      hessian.add(hessian_error, n, x);
      hessian_sum += hessian_error;
    }
    EXPECT_LE(gradient.value(), rough ? 1e-2 : 1e-4) << gradient.at();
    // Where the set differentiates by differences itself, single points lie within their step of a jump in curvature.
    if (rough) {
      EXPECT_LE(hessian_sum, 2e-3 * away);
    } else {
      EXPECT_LE(hessian.value(), 1e-4) << hessian.at();
    }
    EXPECT_LE(by_normal.value(), 1e-13) << by_normal.at();
    bool solid = true;
    for (int i = 0; i < Rows; ++i)
      for (const double sign : {-1, 1}) solid = solid && std::isfinite(set.implicit(1, sign * Vector<Rows>::Unit(i)).value);
    EXPECT_GE(away, solid ? finite / 4 : 0);
  });
}

}   // namespace
}   // namespace stickslip::testing
