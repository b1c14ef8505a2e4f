#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "geometry/shapes.h"
#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

constexpr double kDensity = 2700;

/// @param relative largest error relative to mass, reach and mass · reach²
void expect_same(const MassProperties& a, const MassProperties& b, double reach, double relative) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LT((a.center - b.center).norm(), relative * reach);
  EXPECT_LT((a.inertia - b.inertia).norm(), relative * b.mass * reach * reach);
}

std::vector<Vec3> scaled(std::vector<Vec3> points, double by) {
  for (Vec3& p : points) p *= by;
  return points;
}

TEST(MassProperties, a_box_and_the_hull_of_its_corners_weigh_the_same) {
  for (double scale : kScales) {
    const Vec3 half = Vec3(0.3, 0.5, 2) * scale;
    const MassProperties box = mass_properties(Box{half}, kDensity);
    EXPECT_NEAR(box.mass, kDensity * 8 * half.prod(), 1e-12 * box.mass);
    const double a = 2 * half.x(), b = 2 * half.y(), c = 2 * half.z();
    EXPECT_NEAR(box.inertia(0, 0), box.mass / 12 * (b * b + c * c), 1e-12 * box.inertia(0, 0));
    EXPECT_NEAR(box.inertia(1, 1), box.mass / 12 * (a * a + c * c), 1e-12 * box.inertia(1, 1));
    EXPECT_NEAR(box.inertia(2, 2), box.mass / 12 * (a * a + b * b), 1e-12 * box.inertia(2, 2));
    expect_same(mass_properties(make_convex_hull(box_corners(half)), kDensity), box, 2 * scale, 1e-13);
  }
}

TEST(MassProperties, of_a_corner_tetrahedron_follow_the_closed_form) {
  // Legs a along the axes: volume a³/6, centre a/4, ∫x² = a⁵/60 and ∫xy = a⁵/120 about the corner.
  for (double a : kScales) {
    const MassProperties m = mass_properties(make_convex_hull({{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}}), kDensity);
    const double volume = a * a * a / 6, a5 = std::pow(a, 5);
    const double diagonal = 2 * (a5 / 60 - volume * a * a / 16), mixed = -(a5 / 120 - volume * a * a / 16);
    MassProperties expected{kDensity * volume, Vec3::Constant(a / 4), Mat3::Constant(kDensity * mixed)};
    expected.inertia.diagonal().setConstant(kDensity * diagonal);
    expect_same(m, expected, a, 1e-14);
  }
}

TEST(MassProperties, of_a_finely_tessellated_sphere_tend_to_the_sphere_like_one_over_the_number_of_points) {
  const MassProperties ball = mass_properties(Sphere{1}, kDensity);
  double previous = 0;
  for (int count : {1000, 4000}) {
    const MassProperties hull = mass_properties(make_convex_hull(sphere_points(count)), kDensity);
    const double missing = 1 - hull.mass / ball.mass;
    EXPECT_GT(missing, 0);
    EXPECT_LT(missing, 8.0 / count);
    EXPECT_NEAR(hull.inertia.trace() / ball.inertia.trace(), 1 - 5.0 / 3 * missing, 2e-3 * 1000 / count);
    if (previous > 0) {
      EXPECT_NEAR(previous / missing, 4, 0.2);
    }
    previous = missing;
  }
}

TEST(MassProperties, of_a_fine_prism_tend_to_the_cylinder) {
  for (double scale : kScales) {
    const MassProperties hull = mass_properties(make_convex_hull(scaled(prism_points(1000, 0.7), scale)), kDensity);
    expect_same(hull, mass_properties(Cylinder{scale, 0.7 * scale}, kDensity), scale, 2e-5);
  }
}

TEST(MassProperties, a_capsule_without_height_is_a_sphere_and_with_it_adds_its_barrel) {
  expect_same(mass_properties(Capsule{0.4, 0}, kDensity), mass_properties(Sphere{0.4}, kDensity), 0.4, 1e-14);
  const double r = 0.4, l = 1.1;
  std::vector<Vec3> points;   // two half spheres, apart
  for (const Vec3& p : sphere_points(8000)) points.push_back(r * p + Vec3(0, 0, p.z() > 0 ? l : -l));
  expect_same(mass_properties(make_convex_hull(points), kDensity), mass_properties(Capsule{r, l}, kDensity), r + l, 2e-3);
}

TEST(MassProperties, agree_with_the_monte_carlo_integral) {
  std::mt19937 random(8);
  for (const Shape& shape : bounded_shapes(1)) {
    const double reach = bounding_radius(shape);
    const Aabb box = bounding_box(shape, {});
    const Vec3 size = box.upper - box.lower;
    std::uniform_real_distribution<double> coordinate(0, 1);
    const int samples = 60000;
    int hits = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (int i = 0; i < samples; ++i) {
      const Vec3 x = box.lower + size.cwiseProduct(Vec3(coordinate(random), coordinate(random), coordinate(random)));
      if (!inside(shape, x, 0)) continue;
      ++hits, first += x, second += x * x.transpose();
    }
    const double weight = kDensity * size.prod() / samples;
    const Vec3 center = first / hits;
    const Mat3 central = weight * (second - hits * center * center.transpose());
    const MassProperties estimate{weight * hits, center, central.trace() * Mat3::Identity() - central};
    SCOPED_TRACE(shape_name(shape));
    expect_same(mass_properties(shape, kDensity), estimate, reach, 0.03);
  }
}

TEST(MassProperties, turning_and_moving_the_points_turns_and_moves_the_solid) {
  std::mt19937 random(9);
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 1}, {1, 0, 1}};
  const MassProperties original = mass_properties(make_convex_hull(points), kDensity);
  for (int i = 0; i < 20; ++i) {
    const Pose pose{5 * random_direction(random), random_rotation(random)};
    std::vector<Vec3> moved;
    for (const Vec3& p : points) moved.push_back(pose * p);
    expect_same(original.placed(pose), mass_properties(make_convex_hull(moved), kDensity), 2, 1e-12);
  }
}

TEST(MassProperties, two_halves_of_a_box_add_up_to_the_box) {
  for (double scale : kScales) {
    const Vec3 half = Vec3(1, 0.5, 0.25) * scale;
    const Vec3 left(half.x() / 4, half.y(), half.z()), right(half.x() * 3 / 4, half.y(), half.z());
    MassProperties sum;
    sum += mass_properties(Box{left}, kDensity).placed({Vec3(-half.x() * 3 / 4, 0, 0), Quat::Identity()});
    sum += mass_properties(Box{right}, kDensity).placed({Vec3(half.x() / 4, 0, 0), Quat::Identity()});
    expect_same(sum, mass_properties(Box{half}, kDensity), scale, 1e-14);
  }
}

TEST(MassProperties, far_from_the_origin_a_hull_loses_no_digits_to_the_parallel_axis_theorem) {
  std::vector<Vec3> far = box_corners({0.5, 0.5, 0.5});
  for (Vec3& p : far) p += Vec3(1e5, -1e5, 1e5);
  const MassProperties m = mass_properties(make_convex_hull(far), 1);
  EXPECT_LT((m.inertia - Mat3::Identity() / 6).norm(), 1e-9);
  EXPECT_LT((m.center - Vec3(1e5, -1e5, 1e5)).norm(), 1e-9);
}

TEST(MassProperties, an_unbounded_shape_or_a_bad_density_is_refused) {
  EXPECT_THROW(mass_properties(HalfSpace{}, 1000), Error);
  for (double density : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(mass_properties(Sphere{}, density), Error);
}

std::string complaint(const MassProperties& m) {
  try {
    validate(m);
  } catch (const Error& e) {
    return e.what();
  }
  return "valid";
}

TEST(MassValidation, every_solid_passes_at_every_size) {
  for (double scale : kScales) {
    for (const Shape& shape : bounded_shapes(scale)) EXPECT_EQ(complaint(mass_properties(shape, kDensity)), "valid");
    // A sheet and a needle stand at the edge of the triangle inequality.
    EXPECT_EQ(complaint(mass_properties(Box{Vec3(1, 1, 1e-5) * scale}, kDensity)), "valid");
    EXPECT_EQ(complaint(mass_properties(Cylinder{1e-5 * scale, scale}, kDensity)), "valid");
  }
}

TEST(MassValidation, what_no_solid_can_have_is_refused_with_its_values) {
  using ::testing::HasSubstr;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const MassProperties good{2, Vec3::Zero(), Mat3::Identity()};
  EXPECT_EQ(complaint(good), "valid");

  MassProperties bad = good;
  bad.mass = -1;
  EXPECT_EQ(complaint(bad), "/mass: -1 is not a mass. A mass must be finite and greater than 0.");
  bad = good, bad.center.y() = nan;
  EXPECT_THAT(complaint(bad), HasSubstr("/center: (0, nan, 0) is not a point."));
  bad = good, bad.inertia(1, 2) = nan;
  EXPECT_THAT(complaint(bad), HasSubstr("/inertia: "));
  bad = good, bad.inertia(0, 1) = 0.1;
  EXPECT_THAT(complaint(bad), HasSubstr("not symmetric"));
  bad = good, bad.inertia(0, 0) = 2.1;
  EXPECT_THAT(complaint(bad), HasSubstr("greater than the sum of the other two"));
  bad = good, bad.inertia(0, 0) = 0;
  EXPECT_THAT(complaint(bad), HasSubstr("Each must be greater than 0"));
}

}   // namespace
}   // namespace stickslip
