// The built-in custom sets: how they are made, from what, and what their polyhedra are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_message.h"
#include "friction/sample_sets.h"
#include "stickslip/friction/law.h"
#include "stickslip/friction/set_maker.h"
#include "stickslip/friction/sets.h"

namespace stickslip {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(Polygon, keeps_corners_only_counter_clockwise_with_the_origin_inside) {
  const PolygonSet set({{1, 1}, {-1, -1}, {1, -1}, {0, 0.3}, {-1, 1}, {1, 0}, {1, 1}});
  EXPECT_EQ(set.corners(), (std::vector<Vec2>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}));
  EXPECT_EQ(PolygonSet({{1, 0}, {1, 1}}).corners(), (std::vector<Vec2>{{0, 0}, {1, 0}, {1, 1}}));
  EXPECT_EQ(PolygonSet({{0.1, 0.3}, {-0.2, -0.6}, {0.3, 0.9}}).corners(), (std::vector<Vec2>{{-0.2, -0.6}, {0.3, 0.9}}));
  EXPECT_EQ(PolygonSet({{0, 0}}).corners(), (std::vector<Vec2>{{0, 0}}));
}

TEST(Polygon, regular_and_box_are_where_they_should_be) {
  const PolygonSet square = PolygonSet::regular(0.5, 4);
  EXPECT_EQ(square.corners(), (std::vector<Vec2>{{-0.5, 0}, {0, -0.5}, {0.5, 0}, {0, 0.5}}));
  EXPECT_EQ(square.project(2, Vec2(2, 2)), Vec2(0.5, 0.5));
  const PolygonSet box = PolygonSet::box({-0.1, -0.2}, {0.3, 0.4});
  EXPECT_EQ(box.project(10, Vec2(7, -9)), Vec2(3, -2));
  EXPECT_DOUBLE_EQ(box.implicit(1, Vec2(0.6, 0.1)).value, 1);   // twice as far as it reaches
  for (const int k : {3, 5, 6, 64}) EXPECT_EQ(PolygonSet::regular(0.3, k).corners().size(), static_cast<std::size_t>(k));
}

TEST(Polygon, many_corners_approach_the_circle) {
  const PolygonSet polygon = PolygonSet::regular(0.6, 2000);
  const CircularFriction circle{0.6};
  for (int k = 0; k < 50; ++k) {
    const Vec2 z = 3 * Vec2(std::cos(k), std::sin(2.0 * k));
    EXPECT_LT((polygon.project(1.5, z) - circle.project(1.5, z)).norm(), 2e-3);
  }
}

TEST(Hull, a_block_is_a_clamp_and_its_facets_have_no_diagonals) {
  const HullSet block({{1, 2, 3}, {-1, 2, 3}, {1, -2, 3}, {-1, -2, 3}, {1, 2, -3}, {-1, 2, -3}, {1, -2, -3}, {-1, -2, -3}});
  for (const Vec3& z : {Vec3(5, 0, 0), Vec3(0, 0, -9), Vec3(5, 0.3, 0.2), Vec3(4, -7, 1), Vec3(9, 9, 9), Vec3(0.1, 0.2, 0.3)}) {
    const Vec3 expected = z.cwiseMax(-0.5 * Vec3(1, 2, 3)).cwiseMin(0.5 * Vec3(1, 2, 3));
    EXPECT_LT((block.project(0.5, z) - expected).norm(), 1e-15) << z.transpose();
    // One for rows that move with the point.
    const Vec3 free = (z.array() == expected.array()).cast<double>();
    EXPECT_LT((block.differentiate(0.5, z).by_point - Mat3(free.asDiagonal())).norm(), 1e-12) << z.transpose();
  }
}

TEST(Hull, is_the_limit_surface_that_its_points_are_taken_from) {
  const EllipsoidFriction ellipsoid{0.6, 0.4, 0.1};
  const HullSet hull(polyhedron(ellipsoid, 2000));
  for (int k = 0; k < 50; ++k) {
    const Vec3 z(std::cos(k), std::sin(2.0 * k), 0.3 * std::sin(3.0 * k));
    EXPECT_LT((hull.project(1, z) - ellipsoid.project(1, z)).norm(), 0.02);
    EXPECT_LE(ellipsoid.implicit(1, hull.project(1, z)).value, 1e-14);
  }
}

TEST(SetMaker, makes_every_built_in_set_again_to_the_last_bit) {
  const auto expect_again = [](const auto& set) {
    const FrictionSet made = make_set(set.name(), set.parameters());
    EXPECT_EQ(law_name(made), set.name());
    std::visit(
        [&](const auto& law) {
          if constexpr (requires { law.set; }) EXPECT_EQ(law.set->parameters(), set.parameters());
          else ADD_FAILURE() << "not a custom set";
        },
        made);
  };
  expect_again(PolygonSet({{0.1, 1.0 / 3}, {0.7, 0.2}, {-0.3, -0.1}, {0.2, -0.6}}));
  expect_again(PolygonSet::regular(1.0 / 3, 17));
  expect_again(PolygonSet({{0.1, 0.3}, {0.2, 0.6}}));
  expect_again(HullSet(testing::limit_surface(30)));
  expect_again(TrescaSet(0.1));
  expect_again(FullSet({0.1, 0.2, 0.3}, 0.4));
}

TEST(SetMaker, takes_sets_of_ones_own) {
  using Ball = testing::Stadium<4>;
  add_set_maker("test-ball", [](std::span<const double> numbers) -> FrictionSet {
    if (numbers.size() != 1) throw Error("A ball takes one number.");
    return CustomFriction<4>{std::make_shared<Ball>(Vec4::Zero(), 1e-3 * Vec4::UnitX(), numbers[0], true)};
  });
  const std::vector<double> radius{0.25};
  const FrictionSet law = make_set("test-ball", radius);
  EXPECT_EQ(law_rows(law), 4);
  EXPECT_DOUBLE_EQ(std::get<CustomFriction<4>>(law).support(Vec4::UnitW()), 0.25);
  EXPECT_THAT(message_of([] { make_set("test-ball", {}); }), HasSubstr("/test-ball: A ball takes one number."));
  EXPECT_THAT(message_of([] { add_set_maker("test-ball", [](auto) -> FrictionSet { return CircularFriction{}; }); }),
              HasSubstr("taken"));
  EXPECT_THAT(message_of([] { add_set_maker("hull", [](auto) -> FrictionSet { return CircularFriction{}; }); }),
              HasSubstr("'hull'"));
  EXPECT_THAT(message_of([] { add_set_maker("", [](auto) -> FrictionSet { return CircularFriction{}; }); }), HasSubstr("name"));
}

TEST(SetMaker, names_what_is_wrong_and_what_would_be_right) {
  const std::vector<double> three{1, 2, 3}, negative{-1};
  EXPECT_THAT(message_of([&] { make_set("poligon", three); }), HasSubstr("Did you mean 'polygon'?"));
  EXPECT_THAT(message_of([&] { make_set("polygon", three); }), HasSubstr("3 numbers are not points of 2 coordinates"));
  EXPECT_THAT(message_of([&] { make_set("hull", {}); }), HasSubstr("multiple of 3"));
  EXPECT_THAT(message_of([&] { make_set("full", three); }), HasSubstr("It takes 4: mu_t, mu_b, mu_torsion, mu_rolling"));
  EXPECT_THAT(message_of([&] { make_set("tresca", negative); }), HasSubstr("/tresca/bound: -1 is not a bound"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([&] { PolygonSet({{0, 1}, {nan, 0}}); }), HasSubstr("/points/1"));
  EXPECT_THAT(message_of([&] { HullSet({{0, 1, 2}, {0, nan, 0}}); }), HasSubstr("/points/1"));
  EXPECT_THAT(message_of([&] { PolygonSet(std::vector<Vec2>{}); }), HasSubstr("at least one point"));
  EXPECT_THAT(message_of([&] { PolygonSet::box({0.1, -1}, {1, 1}); }), HasSubstr("/t: 0.1 … 1"));
  EXPECT_THAT(message_of([&] { PolygonSet::regular(0.5, 2); }), HasSubstr("at least 3"));
  EXPECT_THAT(message_of([&] { FullSet({0.1, -0.2, 0}, 0); }), HasSubstr("/mu_b"));
}

TEST(FrictionSet, has_a_name_and_rows_for_every_alternative) {
  EXPECT_EQ(law_name(CircularFriction{}), "circle");
  EXPECT_EQ(law_name(PlanarFriction{}), "plane");
  EXPECT_EQ(law_name(EllipseFriction{}), "ellipse");
  EXPECT_EQ(law_name(EllipsoidFriction{}), "ellipsoid");
  EXPECT_EQ(law_name(RollingFriction{}), "rolling");
  EXPECT_EQ(law_name(CustomFriction<2>{std::make_shared<TrescaSet>(1)}), "tresca");
  EXPECT_EQ(law_rows(RollingFriction{}), 4);
  EXPECT_EQ(law_rows(CustomFriction<5>{std::make_shared<FullSet>(EllipsoidFriction{}, 0)}), 5);
}

TEST(Polyhedron, of_a_circle_has_evenly_spread_corners_in_exactly_opposite_pairs) {
  for (const int k : {4, 6, 8, 10, 32}) {
    const std::vector<Vec2> corners = polyhedron(CircularFriction{0.7}, k);
    ASSERT_EQ(corners.size(), static_cast<std::size_t>(k));
    for (int i = 0; i < k; ++i) {
      const double angle = 2 * std::numbers::pi * i / k;
      EXPECT_LT((corners[i] - 0.7 * Vec2(std::cos(angle), std::sin(angle))).norm(), 1e-15);
      EXPECT_EQ(corners[i], Vec2(-corners[(i + k / 2) % k]));
    }
    EXPECT_EQ(corners[0], Vec2(0.7, 0));
  }
  EXPECT_THAT(message_of([] { polyhedron(CircularFriction{0.5}, 5); }), HasSubstr("5 is not a number of corners"));
  EXPECT_THAT(message_of([] { polyhedron(CircularFriction{0.5}, 2); }), HasSubstr("at least 4"));
}

TEST(Polyhedron, lies_in_the_set_and_reaches_its_box) {
  testing::for_all_sets([]<int Rows>(const ConvexSet<Rows>& set) {
    const CustomFriction<Rows> law{std::shared_ptr<const ConvexSet<Rows>>(&set, [](const auto*) {})};
    const FrictionBox<Rows> box = law.box(1);
    const double size = box.lower.norm() + box.upper.norm();
    for (const int k : {4, 8, 30, 60}) {
      auto lower = FrictionBox<Rows>::Vector::Zero().eval(), upper = lower;
      for (const auto& corner : polyhedron(law, k)) {
        EXPECT_TRUE(contains(law, 1, corner, 1e-15 * size)) << corner.transpose();
        lower = lower.cwiseMin(corner).eval();
        upper = upper.cwiseMax(corner).eval();
      }
      if (Rows > 3 || (Rows == 2 && k % 4)) continue;   // the axes are not among the directions
      EXPECT_LE((lower - box.lower).norm() + (upper - box.upper).norm(), 1e-15 * size);
    }
  });
}

TEST(Polyhedron, in_space_is_spread_evenly_in_opposite_pairs_and_approaches_the_sphere) {
  const EllipsoidFriction sphere{1, 1, 1};
  for (const int k : {6, 14, 40, 200}) {
    const std::vector<Vec3> corners = polyhedron(sphere, k);
    ASSERT_EQ(corners.size(), static_cast<std::size_t>(k));
    double nearest = 2, loneliest = 0;
    for (int i = 0; i < k; i += 2) {
      EXPECT_EQ(corners[i], Vec3(-corners[i + 1]));
      double neighbour = 2;
      for (int j = 0; j < k; ++j)
        if (j != i) neighbour = std::min(neighbour, (corners[i] - corners[j]).norm());
      nearest = std::min(nearest, neighbour);
      loneliest = std::max(loneliest, neighbour);
    }
    const double even = std::sqrt(4 * std::numbers::pi / k);   // side of the square that each would have for itself
    EXPECT_GT(nearest, 0.4 * even) << k;
    EXPECT_LT(loneliest, 1.4 * even) << k;
  }
  const std::vector<Vec4> rolling = polyhedron(RollingFriction{0.5, 0.1}, 64);
  EXPECT_EQ(rolling.size(), 64u);   // 8 × 8
  EXPECT_EQ(polyhedron(PlanarFriction{0.5}, 8).size(), 2u);
}

}   // namespace
}   // namespace stickslip
