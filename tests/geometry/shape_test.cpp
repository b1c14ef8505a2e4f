#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "geometry/shapes.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

std::string complaint(const Shape& shape) {
  try {
    validate(shape);
  } catch (const Error& e) {
    return e.what();
  }
  return "valid";
}

TEST(ShapeName, is_the_word_of_the_scene_file) {
  EXPECT_EQ(shape_name(Shape(Sphere{})), "sphere");
  EXPECT_EQ(shape_name(Shape(Box{})), "box");
  EXPECT_EQ(shape_name(Shape(Capsule{})), "capsule");
  EXPECT_EQ(shape_name(Shape(Cylinder{})), "cylinder");
  EXPECT_EQ(shape_name(Shape(HalfSpace{})), "half-space");
  EXPECT_EQ(shape_name(Shape(ConvexHull{})), "hull");
  EXPECT_EQ(shape_name(std::size_t{4}), "half-space");
}

TEST(ShapeValidation, sound_shapes_of_every_size_pass) {
  for (double scale : kScales)
    for (const Shape& shape : bounded_shapes(scale)) EXPECT_EQ(complaint(shape), "valid");
  EXPECT_EQ(complaint(HalfSpace{}), "valid");
}

TEST(ShapeValidation, a_bad_number_is_named_with_its_place_and_remedy) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(complaint(Sphere{-0.5}), "/radius: -0.5 is not a length. A sphere radius must be finite and greater than 0.");
  EXPECT_EQ(complaint(Sphere{0}), "/radius: 0 is not a length. A sphere radius must be finite and greater than 0.");
  EXPECT_EQ(complaint(Sphere{nan}), "/radius: nan is not a length. A sphere radius must be finite and greater than 0.");
  EXPECT_EQ(complaint(Box{{1, 0, 1}}),
            "/half_extents/1: 0 is not a length. Each half extent of a box must be finite and greater than 0.");
  EXPECT_EQ(complaint(Capsule{inf, 1}), "/radius: inf is not a length. A capsule radius must be finite and greater than 0.");
  EXPECT_EQ(complaint(Capsule{1, -1}),
            "/half_height: -1 is not a length. The half height of a capsule must be finite and not negative.");
  EXPECT_EQ(complaint(Cylinder{1, 0}),
            "/half_height: 0 is not a length. The half height of a cylinder must be finite and greater than 0.");
  EXPECT_EQ(complaint(Cylinder{nan, 1}), "/radius: nan is not a length. A cylinder radius must be finite and greater than 0.");
  EXPECT_EQ(complaint(ConvexHull{}),
            "/points: 0 points cannot make a hull. A convex hull needs at least 4 points that do not lie in one plane.");
}

TEST(Support, is_in_the_shape_and_no_point_of_the_shape_is_farther) {
  std::mt19937 random(3);
  for (double scale : kScales)
    for (const Shape& shape : bounded_shapes(scale)) {
      const double reach = bounding_radius(shape);
      std::uniform_real_distribution<double> coordinate(-reach, reach);
      std::vector<Vec3> samples;
      while (samples.size() < 200) {
        const Vec3 x(coordinate(random), coordinate(random), coordinate(random));
        if (inside(shape, x, 0)) samples.push_back(x);
      }
      for (int i = 0; i < 50; ++i) {
        const Vec3 d = random_direction(random) * 7;
        const Vec3 s = support(shape, d);
        EXPECT_TRUE(inside(shape, s, 1e-12 * reach)) << shape_name(shape);
        EXPECT_LE(s.norm(), reach * (1 + 1e-12));
        for (const Vec3& x : samples) EXPECT_LE(d.dot(x), d.dot(s) + 1e-12 * reach) << shape_name(shape);
      }
    }
}

TEST(Support, along_an_axis_and_for_a_zero_direction_it_stays_a_finite_point_of_the_shape) {
  for (const Shape& shape : bounded_shapes(1))
    for (const Vec3& d : {Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(1e-200, 0, 0)})
      EXPECT_TRUE(inside(shape, support(shape, d), 1e-12)) << shape_name(shape);
}

TEST(BoundingRadius, some_point_of_the_shape_reaches_it) {
  for (const Shape& shape : bounded_shapes(1)) {
    double farthest = 0;
    for (const Vec3& d : sphere_points(20000)) farthest = std::max(farthest, support(shape, d).norm());
    EXPECT_NEAR(farthest, bounding_radius(shape), 1e-3 * bounding_radius(shape)) << shape_name(shape);
  }
  EXPECT_EQ(bounding_radius(HalfSpace{}), std::numeric_limits<double>::infinity());
}

TEST(CharacteristicLength, is_twice_the_inscribed_radius) {
  for (double scale : kScales) {
    EXPECT_DOUBLE_EQ(characteristic_length(Sphere{0.5 * scale}), scale);
    EXPECT_DOUBLE_EQ(characteristic_length(Box{Vec3(3, 0.25, 2) * scale}), 0.5 * scale);
    EXPECT_DOUBLE_EQ(characteristic_length(Capsule{0.5 * scale, 9 * scale}), scale);
    EXPECT_DOUBLE_EQ(characteristic_length(Cylinder{4 * scale, 0.5 * scale}), scale);

    // A corner tetrahedron with unit legs: r = 1 / (3 + √3).
    const Shape corner = make_convex_hull({{0, 0, 0}, {scale, 0, 0}, {0, scale, 0}, {0, 0, scale}});
    EXPECT_NEAR(characteristic_length(corner), 2 * scale / (3 + std::sqrt(3)), 2e-6 * scale);
    // A plate: many centres are equally good.
    const Shape plate = make_convex_hull(box_corners(Vec3(1, 2, 0.01) * scale));
    EXPECT_NEAR(characteristic_length(plate), 0.02 * scale, 2e-8 * scale);
  }
  EXPECT_EQ(characteristic_length(HalfSpace{}), 0);
}

TEST(CharacteristicLength, of_a_cone_is_right_although_its_vertices_crowd_at_the_base) {
  // Base radius 1, height 1: the inscribed circle of the section, r = 1 / (1 + √2), up to the tessellation.
  std::vector<Vec3> points = {{0, 0, 1}};
  for (int i = 0; i < 400; ++i) {
    const double angle = 2 * std::numbers::pi * i / 400;
    points.push_back({std::cos(angle), std::sin(angle), 0});
  }
  EXPECT_NEAR(characteristic_length(make_convex_hull(points)), 2 / (1 + std::sqrt(2)), 1e-4);
}

}   // namespace
}   // namespace stickslip
