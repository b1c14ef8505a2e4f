// Patches of pressure: projections on their cones against the definition, derivatives against differences, arms of friction
// against closed forms.
#include "stickslip/friction/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "error_message.h"
#include "stickslip/friction/cone.h"
#include "stickslip/friction/set_maker.h"

namespace stickslip {
namespace patch_test {

using ::testing::HasSubstr;
using testing::message_of;

std::vector<Vec2> regular(int corners, double radius, const Vec2& center = Vec2::Zero()) {
  std::vector<Vec2> points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners + 0.1;
    points.emplace_back(center + radius * Vec2(std::cos(angle), std::sin(angle)));
  }
  return points;
}

std::vector<PressurePatch> samples() {
  return {PressurePatch::polygon({{0, 0}}),
          PressurePatch::polygon({{0.4, -0.7}}),
          PressurePatch::polygon({{-0.5, 0}, {0.5, 0.2}}),
          PressurePatch::polygon({{1, 1}, {1.2, 3}}),
          PressurePatch::polygon({{-1, -0.5}, {1, -0.5}, {1, 0.5}, {-1, 0.5}}),
          PressurePatch::polygon(regular(3, 0.01)),
          PressurePatch::polygon(regular(8, 0.7)),
          PressurePatch::polygon(regular(8, 0.7, {2, -1})),
          PressurePatch::polygon({{-1, 0}, {1, 0}, {0, 1e-6}}),
          PressurePatch::ellipse({0, 0}, {0.8, 0}, 0.8),
          PressurePatch::ellipse({0, 0}, {0.6, 0.3}, 0.1),
          PressurePatch::ellipse({1.5, -2}, {0.6, 0.3}, 1.1),
          PressurePatch::ellipse({0.2, 0.1}, {1, 0.2}, 1e-4),
          PressurePatch::ellipse({0.3, 0}, {0, 0}, 0.4),
          PressurePatch::ellipse({0.3, 0.2}, {0.4, 0.1}, 0)};
}

Vec3 random_point(std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> decades(-3, 3);
  return std::pow(10, decades(random)) * Vec3(normal(random), normal(random), normal(random));
}

TEST(PressurePatch, the_closest_point_of_its_cone_meets_the_optimality_conditions) {
  std::mt19937 random(3);
  for (const PressurePatch& patch : samples())
    for (int k = 0; k < 400; ++k) {
      const Vec3 x = random_point(random), y = patch.project_on_cone(x), rest = y - x;
      const double scale = x.norm();
      EXPECT_GE(y[0], 0);
      EXPECT_LT((patch.project(y[0], y.tail<2>()) - y.tail<2>()).norm(), 2e-12 * scale) << x.transpose();
      EXPECT_NEAR(rest.dot(y), 0, 1e-12 * scale * scale) << x.transpose();
      EXPECT_GE(patch.parting_velocity(rest), -2e-12 * scale) << x.transpose();   // y − x lies in the dual cone
      EXPECT_LT((patch.project_on_cone(y) - y).norm(), 1e-12 * scale);
      EXPECT_LT((patch.span() * y - y).norm(), 1e-12 * scale);
    }
}

TEST(PressurePatch, the_derivative_of_the_projection_is_that_of_differences) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int moved = 0;
  for (const PressurePatch& patch : samples())
    for (int k = 0; k < 200; ++k) {
      const Vec3 x(normal(random), normal(random), normal(random));
      const Mat3 derivative = patch.differentiate_cone(x).by_point;
      constexpr double step = 1e-6;
      Mat3 forward, backward;
      for (int i = 0; i < 3; ++i) {
        const Vec3 here = patch.project_on_cone(x);
        forward.col(i) = (patch.project_on_cone(x + step * Vec3::Unit(i)) - here) / step;
        backward.col(i) = (here - patch.project_on_cone(x - step * Vec3::Unit(i))) / step;
      }
      if ((forward - backward).norm() > 1e-4) continue;   // on a kink, or curved too strongly for differences
      ++moved;
      EXPECT_LT((derivative - 0.5 * (forward + backward)).norm(), 1e-5) << x.transpose();
      EXPECT_LT((derivative - derivative.transpose()).norm(), 1e-9);
    }
  EXPECT_GT(moved, 2500);
}

/// Impulses of contacts that nearly part can be any small numbers, down to those whose squares are nothing.
TEST(PressurePatch, projection_and_derivative_are_the_same_at_every_size) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  const std::vector<PressurePatch> all = samples();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int k = 0; k < 20; ++k) {
      Vec3 x(normal(random), normal(random), normal(random));
      if (k % 4 == 0) x[0] = 0;
      const auto [value, by_point] = all[i].differentiate_cone(x);
      for (const double size : {0x1p-1000, 0x1p-540, 0x1p-300, 0x1p300}) {
        const auto there = all[i].differentiate_cone(size * x);
        EXPECT_LT((there.value / size - value).norm(), 1e-12 * (1 + value.norm())) << i << " " << k << " " << size;
        EXPECT_LT((there.by_point - by_point).norm(), 1e-9 * (1 + by_point.norm())) << i << " " << k << " " << size;
      }
    }
}

TEST(PressurePatch, a_polygon_with_many_corners_is_nearly_the_ellipse) {
  const PressurePatch ellipse = PressurePatch::ellipse({0.3, -0.2}, {0.6, 0.3}, 0.25);
  std::vector<Vec2> rim;
  const Vec2 half(0.6, 0.3), across = 0.25 * Vec2(-half.y(), half.x()).normalized();
  for (int i = 0; i < 2000; ++i) {
    const double angle = std::numbers::pi * i / 1000;
    rim.emplace_back(Vec2(0.3, -0.2) + std::cos(angle) * half + std::sin(angle) * across);
  }
  const PressurePatch polygon = PressurePatch::polygon(rim);
  std::mt19937 random(8);
  for (int k = 0; k < 100; ++k) {
    const Vec3 x = random_point(random);
    const Vec2 place = x.tail<2>();
    EXPECT_NEAR((ellipse.project_on_cone(x) - x).norm(), (polygon.project_on_cone(x) - x).norm(), 1e-5 * x.norm());
    EXPECT_NEAR((ellipse.project(1, place) - place).norm(), (polygon.project(1, place) - place).norm(), 1e-5);
    EXPECT_NEAR(ellipse.support(x.tail<2>()), polygon.support(x.tail<2>()), 1e-5 * x.norm());
  }
  EXPECT_NEAR(ellipse.mean_arm(), polygon.mean_arm(), 1e-5);
  Mat2 map;
  map << 2, 0.3, -0.4, 0.7;
  EXPECT_NEAR(ellipse.mapped(map).support({1, 2}), polygon.mapped(map).support({1, 2}), 1e-5);
}

TEST(PressurePatch, the_hull_keeps_the_corners_of_sides_that_rounding_bends) {
  // Four points on each of two sides along y, off them by a bit to either side.
  for (int bits = 0; bits < 256; ++bits) {
    std::vector<Vec2> points;
    for (int k = 0; k < 8; ++k) {
      const double x = k < 4 ? -0.3 : 0.1, off = (bits >> k & 1) ? 6e-17 : 0;
      points.push_back({x - off, -0.1 + 0.2 * (k % 4)});
    }
    const PressurePatch patch = PressurePatch::polygon(points);
    ASSERT_EQ(patch.corners().size(), 4u) << bits;
    for (const Vec2& corner : {Vec2(-0.3, -0.1), Vec2(0.1, -0.1), Vec2(0.1, 0.5), Vec2(-0.3, 0.5)})
      EXPECT_LT((patch.support_point(corner - Vec2(-0.1, 0.2)) - corner).norm(), 1e-12) << bits;
  }
}

TEST(PressurePatch, the_mean_arm_is_that_of_an_even_pressure) {
  EXPECT_NEAR(PressurePatch::ellipse({0, 0}, {0.9, 0}, 0.9).mean_arm(), 0.6, 1e-14);
  // a square of side 1: (√2 + asinh 1)/6
  EXPECT_NEAR(PressurePatch::polygon({{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}).mean_arm(),
              (std::sqrt(2.0) + std::asinh(1.0)) / 6, 1e-14);
  EXPECT_NEAR(PressurePatch::polygon({{-0.5, 0}, {0.5, 0}}).mean_arm(), 0.25, 1e-14);
  EXPECT_DOUBLE_EQ(PressurePatch::polygon({{3, 4}}).mean_arm(), 5);
  // far away it is the distance of the centre, from either side of the origin
  EXPECT_NEAR(PressurePatch::polygon(regular(8, 0.1, {-300, 400})).mean_arm(), 500, 1e-4);
  EXPECT_NEAR(PressurePatch::ellipse({-300, 400}, {0.1, 0}, 0.2).mean_arm(), 500, 1e-4);
}

TEST(PressurePatch, the_mean_arm_of_stretched_places_is_that_of_a_fine_grid) {
  const PressurePatch square = PressurePatch::polygon({{-0.5, -0.3}, {0.7, -0.3}, {0.7, 0.5}, {-0.5, 0.5}});
  const PressurePatch oval = PressurePatch::ellipse({0.1, 0.2}, {0.6, 0.3}, 0.4);
  for (const Vec2& stretch : {Vec2(1, 1), Vec2(0.3, 0.9), Vec2(0.5, 0), Vec2(0, 0.5), Vec2(0, 0)})
    for (const PressurePatch& patch : {square, oval}) {
      double sum = 0, count = 0;
      constexpr int n = 400;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const Vec2 place(-1 + 2 * (i + 0.5) / n, -1 + 2 * (j + 0.5) / n);
          if ((patch.project(1, place) - place).norm() > 0) continue;
          sum += stretch.cwiseProduct(place).norm();
          ++count;
        }
      EXPECT_NEAR(patch.mean_arm(stretch), sum / count, 2e-3 * (sum / count)) << stretch.transpose();
    }
}

TEST(PatchFriction, the_closest_point_of_all_six_rows_meets_the_optimality_conditions) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  for (const PressurePatch& patch : samples())
    for (const EllipsoidFriction& friction : {EllipsoidFriction{0.5, 0.5, 0.2}, EllipsoidFriction{}}) {
      const PatchFriction law{std::make_shared<PatchSet>(patch, friction)};
      for (int k = 0; k < 60; ++k) {
        PatchFriction::Block x;
        for (double& number : x) number = normal(random);
        const PatchFriction::Block y = project_on_cone(law, x), rest = y - x;
        EXPECT_GE(y[0], 0);
        EXPECT_LT((law.project(y[0], y.tail<5>()) - y.tail<5>()).norm(), 1e-12);
        EXPECT_NEAR(rest.dot(y), 0, 1e-11);
        EXPECT_GE(rest[0], law.support(-rest.tail<5>()) - 1e-11);
      }
    }
}

TEST(PatchSet, is_made_again_from_its_numbers_to_the_last_bit) {
  for (const PressurePatch& patch : samples()) {
    const PatchSet set(patch, {0.3, 0.4, 1.0 / 3});
    const FrictionSet made = make_set(set.name(), set.parameters());
    EXPECT_EQ(std::get<PatchFriction>(made).set->parameters(), set.parameters());
    const Vec3 x(0.1, 0.7, -0.9);
    EXPECT_EQ(std::get<PatchFriction>(made).patch().project_on_cone(x), patch.project_on_cone(x));
  }
  EXPECT_EQ(law_name(PatchFriction{std::make_shared<PatchSet>(samples()[0], EllipsoidFriction{})}), "patch");
}

TEST(PatchSet, says_what_is_wrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([] { PressurePatch::polygon({}); }), HasSubstr("at least one"));
  EXPECT_THAT(message_of([&] { PressurePatch::polygon({{0, nan}}); }), HasSubstr("finite"));
  EXPECT_THAT(message_of([] { PressurePatch::ellipse({0, 0}, {1, 0}, -1); }), HasSubstr("-1 is not half a width"));
  EXPECT_THAT(message_of([] { PatchSet(samples()[0], {-0.5, 0, 0}); }), HasSubstr("-0.5 is not a coefficient"));
  EXPECT_THAT(message_of([] {
                make_set("patch", std::vector<double>{0.1, 0.1, 0, 3, 1, 2});
              }),
              HasSubstr("do not make a patch"));
  EXPECT_THAT(message_of([] { make_set("patch", std::vector<double>{0.1}); }), HasSubstr("mu_torsion"));
}

}   // namespace patch_test
}   // namespace stickslip
