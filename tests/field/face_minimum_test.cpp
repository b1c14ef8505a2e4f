#include <gtest/gtest.h>

#include "field/fields.h"
#include "stickslip/field/face_minimum.h"

namespace stickslip::face_minimum_test {
namespace {

/// Least value on a lattice of n (n + 1)/2 points of the triangle.
double dense_minimum(const DistanceField& field, const Vec3& a, const Vec3& b, const Vec3& c, int n) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j) least = std::min(least, field.value((i * a + j * b + (n - i - j) * c) / n));
  return least;
}

void expect_on_triangle(const FieldMinimum& m, const DistanceField& field, const Vec3& a, const Vec3& b, const Vec3& c,
                        double scale) {
  EXPECT_GE(m.weights.minCoeff(), -1e-15);
  EXPECT_NEAR(m.weights.sum(), 1, 1e-12);
  EXPECT_LT((m.weights[0] * a + m.weights[1] * b + m.weights[2] * c - m.point).norm(), 1e-12 * scale);
  EXPECT_EQ(m.value, field.value(m.point));
}

TEST(FaceMinimum, is_as_deep_as_dense_sampling_in_convex_solids_without_cutting_the_face) {
  std::mt19937 random(1);
  MinimumOptions options;
  options.subdivisions = 0;
  const int n = 60;
  for (double scale : kScales)
    for (const auto& field : shape_fields(scale)) {
      const Aabb box = field->bounds().grown(0.3 * scale);
      for (int i = 0; i < 40; ++i) {
        const Vec3 a = point_in(box, random), b = point_in(box, random),
                   c = i % 10 == 9 ? Vec3(0.5 * (a + b)) : point_in(box, random);
        const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
        const FieldMinimum found = minimise_over_triangle(*field, a, b, c, options);
        const double dense = dense_minimum(*field, a, b, c, n);
        EXPECT_LE(found.value, dense + 2e-6 * longest);
        EXPECT_GE(found.value, dense - longest / n);
        EXPECT_LE(found.evaluations, 100);
        expect_on_triangle(found, *field, a, b, c, scale);
      }
    }
}

TEST(FaceMinimum, of_a_face_above_a_ball_lies_below_its_centre) {
  const ShapeField ball(Sphere{1});
  const FieldMinimum m = minimise_over_triangle(ball, {-5, -4, 1.5}, {6, -3, 1.5}, {0, 7, 1.5});
  EXPECT_NEAR(m.value, 0.5, 1e-6);
  EXPECT_LT((m.point - Vec3(0, 0, 1.5)).norm(), 1e-2);
  EXPECT_LT((m.gradient - Vec3::UnitZ()).norm(), 1e-2);
}

TEST(FaceMinimum, finds_the_deeper_of_two_valleys_when_the_face_is_cut) {
  std::mt19937 random(2);
  MinimumOptions options;
  options.subdivisions = 3;
  const auto field = barbell(1, 0.1);
  const int n = 100;
  for (int i = 0; i < 60; ++i) {
    // Faces along the barbell, over both balls.
    const auto wobble = [&] { return Vec3(0.4 * random_direction(random)); };
    const Vec3 a = Vec3(0.6, 0, -1.6) + wobble(), b = Vec3(0.6, 0, 1.6) + wobble(), c = Vec3(0.9, 0.7, 0) + wobble();
    const FieldMinimum found = minimise_over_triangle(*field, a, b, c, options);
    EXPECT_LE(found.value, dense_minimum(*field, a, b, c, n) + 1e-5);
    expect_on_triangle(found, *field, a, b, c, 1);
    const FieldMinimum edge = minimise_over_edge(*field, a, b, options);
    double dense = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= 1000; ++k) dense = std::min(dense, field->value(a + k / 1000.0 * (b - a)));
    EXPECT_LE(edge.value, dense + 1e-5);
    EXPECT_GE(edge.value, found.value - 1e-5) << "the edge is part of the face";
  }
}

TEST(FaceMinimum, of_an_edge_is_as_deep_as_dense_sampling) {
  std::mt19937 random(3);
  for (double scale : kScales)
    for (const auto& field : shape_fields(scale)) {
      const Aabb box = field->bounds().grown(0.3 * scale);
      for (int i = 0; i < 40; ++i) {
        const Vec3 a = point_in(box, random), b = i == 0 ? a : point_in(box, random);
        const FieldMinimum found = minimise_over_edge(*field, a, b);
        double dense = std::numeric_limits<double>::infinity();
        for (int k = 0; k <= 2000; ++k) dense = std::min(dense, field->value(a + k / 2000.0 * (b - a)));
        EXPECT_LE(found.value, dense + 1e-6 * (b - a).norm());
        EXPECT_GE(found.value, dense - (b - a).norm() / 2000);
        EXPECT_EQ(found.weights[2], 0);
      }
    }
}

}   // namespace
}   // namespace stickslip::face_minimum_test
