// Projections on the cones of all laws, against their definition and against brute force.
#include <gtest/gtest.h>

#include <random>

#include "friction/sample_sets.h"
#include "stickslip/friction/cone.h"

namespace stickslip {
namespace {

template <class Vector>
Vector random_vector(std::mt19937& random, double scale) {
  std::normal_distribution<double> normal(0, scale);
  Vector x;
  for (auto& number : x) number = normal(random);
  return x;
}

/// y is the closest point of the convex cone K to x exactly if y ∈ K, ⟨x − y, y⟩ = 0 and y − x ∈ K*, that is
/// (y − x)ₙ ≥ support(−(y − x)_f).
template <class Law>
void expect_closest(const Law& law, const ConeVector<Law>& x) {
  const ConeVector<Law> y = project_on_cone(law, x), rest = y - x;
  const double scale = 1 + x.norm();
  const typename Law::Vector friction = y.template tail<Law::rows>(), rest_friction = rest.template tail<Law::rows>();
  EXPECT_GE(y[0], 0) << x.transpose();
  EXPECT_LT((law.project(y[0], friction) - friction).norm(), 1e-12 * scale) << x.transpose();
  EXPECT_NEAR(rest.dot(y), 0, 1e-11 * scale * scale) << x.transpose();
  EXPECT_GE(rest[0], law.support(-rest_friction) - 1e-11 * scale) << x.transpose();
}

template <class Law>
void expect_closest_everywhere(const Law& law) {
  std::mt19937 random(7);
  for (const double scale : {1e-3, 1.0, 1e3})
    for (int k = 0; k < 300; ++k) expect_closest(law, random_vector<ConeVector<Law>>(random, scale));
  ConeVector<Law> x = ConeVector<Law>::Zero();
  expect_closest(law, x);
  x[0] = 1;
  expect_closest(law, x);
  x[0] = -1;
  expect_closest(law, x);
  x.setOnes();
  x[0] = 0;
  expect_closest(law, x);
}

TEST(Cone, the_closest_point_meets_its_optimality_conditions_for_every_law) {
  for (const double mu : {0.0, 0.3, 1.0, 5.0}) {
    expect_closest_everywhere(PlanarFriction{mu});
    expect_closest_everywhere(CircularFriction{mu});
    for (const double other : {0.0, 0.01, 2.0}) {
      expect_closest_everywhere(RollingFriction{mu, other});
      expect_closest_everywhere(EllipsoidFriction{mu, 0.5, other});
    }
  }
}

TEST(Cone, the_closest_point_meets_its_optimality_conditions_for_every_kind_of_set) {
  testing::for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    const std::shared_ptr<const ConvexSet<Rows>> borrowed(&set, [](const ConvexSet<Rows>*) {});
    if (set.scales_with_normal()) expect_closest_everywhere(CustomFriction<Rows>{borrowed});
  });
  for (const Vec2& axes : {Vec2(0, 0), Vec2(0.5, 0), Vec2(0.7, 0.1), Vec2(2, 1e-4), Vec2(1e-6, 1)})
    expect_closest_everywhere(EllipseFriction{axes[0], axes[1]});
  for (const Vec3& axes : {Vec3(0.5, 1e-4, 1e-8), Vec3(2, 1e-3, 0.1)})
    expect_closest_everywhere(EllipsoidFriction{axes[0], axes[1], axes[2]});
}

TEST(Cone, of_ellipses_and_ellipsoids_is_the_same_at_every_size) {
  std::mt19937 random(8);
  for (const double size : {0x1p-1000, 0x1p-540, 0x1p-300, 0x1p300})
    for (int k = 0; k < 100; ++k) {
      const EllipseFriction ellipse{0.7, k % 2 ? 0.1 : 0.7};
      const Vec3 x = random_vector<Vec3>(random, 1);
      EXPECT_LT((project_on_cone(ellipse, Vec3(size * x)) / size - project_on_cone(ellipse, x)).norm(), 1e-12) << size;
      const EllipsoidFriction ellipsoid{0.7, 0.1, 0.02};
      const Vec4 y = random_vector<Vec4>(random, 1);
      EXPECT_LT((project_on_cone(ellipsoid, Vec4(size * y)) / size - project_on_cone(ellipsoid, y)).norm(), 1e-12) << size;
    }
}

TEST(Cone, of_a_set_that_does_not_scale_is_a_product_without_shift) {
  const CustomFriction<2> law{std::make_shared<TrescaSet>(0.5)};
  EXPECT_LT((project_on_cone(law, Vec3(-2, 3, 4)) - Vec3(0, 0.3, 0.4)).norm(), 1e-15);
  EXPECT_EQ(project_on_cone(law, Vec3(2, 0.1, 0.2)), Vec3(2, 0.1, 0.2));
  EXPECT_EQ(normal_shift(law, Vec2(3, 4)), 0);
  EXPECT_EQ(normal_shift(CircularFriction{0.5}, Vec2(3, 4)), 2.5);
}

TEST(Cone, the_shift_makes_sliding_impulses_and_shifted_velocities_complementary_also_for_lopsided_sets) {
  const CustomFriction<2> law{std::make_shared<PolygonSet>(PolygonSet::box({-0.1, -0.2}, {0.7, 0.3}))};
  for (const Vec2& slip : {Vec2(1, 0.5), Vec2(-1, 0.5), Vec2(-0.3, -2)}) {
    const Vec2 friction = law.support_point(-slip);   // of maximal dissipation, normal impulse 1
    EXPECT_NEAR(normal_shift(law, slip) + friction.dot(slip), 0, 1e-15);
  }
}

TEST(Cone, the_search_for_any_set_finds_what_closed_forms_find) {
  std::mt19937 random(13);
  const auto compare = [&](const auto& law) {
    using Law = std::decay_t<decltype(law)>;
    const CustomFriction<Law::rows> custom{std::make_shared<testing::Wrapped<Law>>(law)};
    double worst = 0;
    for (int k = 0; k < 20'000; ++k) {
      const auto x = random_vector<ConeVector<Law>>(random, 1);
      worst = std::max(worst, (project_on_cone(custom, x) - project_on_cone(law, x)).norm() / x.norm());
    }
    EXPECT_LT(worst, 1e-14);
  };
  compare(CircularFriction{0.7});
  compare(EllipseFriction{0.7, 0.02});
  compare(EllipsoidFriction{0.7, 0.4, 0.01});
  compare(RollingFriction{0.7, 0.1});
}

TEST(Cone, no_point_of_a_sampled_cone_is_closer) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> height(0, 4);
  const auto check = [&](const auto& law) {
    using Law = std::decay_t<decltype(law)>;
    for (int k = 0; k < 20; ++k) {
      const auto x = random_vector<ConeVector<Law>>(random, 1);
      const double distance = (x - project_on_cone(law, x)).norm();
      for (int s = 0; s < 500; ++s) {
        ConeVector<Law> candidate;
        candidate[0] = height(random);
        candidate.template tail<Law::rows>() = law.project(candidate[0], random_vector<typename Law::Vector>(random, 2));
        EXPECT_GE((x - candidate).norm(), distance - 1e-12);
      }
    }
  };
  check(PlanarFriction{0.6});
  check(CircularFriction{0.6});
  check(RollingFriction{0.6, 0.2});
  check(EllipsoidFriction{0.6, 0.3, 0.1});
}

TEST(Cone, laws_that_describe_the_same_set_project_alike) {
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    const Vec3 x = random_vector<Vec3>(random, 1);
    const Vec3 circle = project_on_cone(CircularFriction{0.7}, x);
    Vec4 with_torsion;
    with_torsion.head<3>() = x;
    with_torsion[3] = 0;
    EXPECT_LT((project_on_cone(EllipsoidFriction{0.7, 0.7, 0}, with_torsion).head<3>() - circle).norm(), 1e-12);
    ConeVector<RollingFriction> with_rolling;
    with_rolling.head<3>() = x;
    with_rolling.tail<2>().setZero();
    EXPECT_LT((project_on_cone(RollingFriction{0.7, 0.1}, with_rolling).head<3>() - circle).norm(), 1e-12);
    const Vec2 plane = project_on_cone(PlanarFriction{0.7}, Vec2(x[0], x[1]));
    EXPECT_LT((plane - project_on_cone(CircularFriction{0.7}, Vec3(x[0], x[1], 0)).head<2>()).norm(), 1e-14);
  }
}

TEST(Ellipsoid, the_closest_point_meets_its_optimality_conditions) {
  std::mt19937 random(5);
  for (const Vec3& axes : {Vec3(0.5, 0.5, 0.5), Vec3(1, 0.1, 0.01), Vec3(0.4, 0, 0.2), Vec3(3, 1e-4, 0)})
    for (int k = 0; k < 300; ++k) {
      const EllipsoidFriction law{axes[0], axes[1], axes[2]};
      const Vec3 x = random_vector<Vec3>(random, 1), y = law.project(2, x), outward = x - y;
      // y ∈ F(2), and no point of F(2) lies farther along x − y.
      double size = 0;
      for (int i = 0; i < 3; ++i)
        if (axes[i] > 0) size += std::pow(y[i] / axes[i], 2);
        else EXPECT_EQ(y[i], 0);
      EXPECT_LE(std::sqrt(size), 2 * (1 + 1e-10));
      EXPECT_NEAR(outward.dot(y), 2 * law.support(outward), 1e-9);
    }
}

}   // namespace
}   // namespace stickslip
