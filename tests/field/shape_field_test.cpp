#include <gtest/gtest.h>

#include "error_message.h"
#include "field/fields.h"

namespace stickslip::shape_field_test {
namespace {

/// Whether a slope along every axis agrees with the gradient; kinks are left out by the caller.
void expect_gradient(const DistanceField& field, const Vec3& p, double step, double tolerance) {
  const Vec3 gradient = field.sample(p).gradient;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 shift = step * Vec3::Unit(axis);
    EXPECT_NEAR((field.value(p + shift) - field.value(p - shift)) / (2 * step), gradient[axis], tolerance) << p.transpose();
  }
}

TEST(ShapeField, the_surface_lies_at_the_distance_and_in_the_direction_that_it_says) {
  std::mt19937 random(1);
  for (double scale : kScales)
    for (const auto& field : shape_fields(scale)) {
      const Aabb box = field->bounds().grown(0.5 * scale);
      int smooth = 0;
      for (int i = 0; i < 500; ++i) {
        const Vec3 p = point_in(box, random);
        const FieldSample s = field->sample(p);
        EXPECT_EQ(s.value, field->value(p));
        EXPECT_NEAR(s.gradient.norm(), 1, 1e-12);
        EXPECT_NEAR(field->value(p - s.value * s.gradient), 0, 1e-12 * scale) << "the nearest point is on the surface";
        // No point of the ball around p is on the other side.
        for (int k = 0; k < 5; ++k) {
          const double there = field->value(p + 0.999999 * std::abs(s.value) * random_direction(random));
          EXPECT_GT(there * s.value, 0);
        }
        // Away from kinks, where the gradient does not change on a small ball.
        bool kink = false;
        for (int axis = 0; axis < 3; ++axis)
          for (double side : {-1, 1})
            kink |= (field->sample(p + side * 1e-3 * scale * Vec3::Unit(axis)).gradient - s.gradient).norm() > 0.1;
        if (!kink) ++smooth, expect_gradient(*field, p, 1e-5 * scale, 1e-3);
      }
      EXPECT_GT(smooth, 100);
    }
}

TEST(ShapeField, is_negative_exactly_where_the_shape_is) {
  std::mt19937 random(3);
  const Pose pose{Vec3(1, 2, 3), random_rotation(random)};
  const ShapeField cylinder(Cylinder{0.5, 0.8}, pose), half_space(HalfSpace{}, pose);
  const ShapeField box(Box{Vec3(0.3, 0.4, 0.5)}, pose), hull(make_convex_hull(box_corners(Vec3(0.3, 0.4, 0.5))), pose);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 local = point_in({Vec3::Constant(-1), Vec3::Ones()}, random), p = pose * local;
    EXPECT_EQ(cylinder.value(p) < 0, std::hypot(local.x(), local.y()) < 0.5 && std::abs(local.z()) < 0.8);
    EXPECT_NEAR(half_space.value(p), local.z(), 1e-14);
    EXPECT_NEAR(hull.value(p), box.value(p), 1e-12) << "a box is a box, by faces or by extents";
  }
}

TEST(SmoothUnion, stays_within_a_quarter_width_below_the_nearest_part_and_never_steeper_than_one) {
  std::mt19937 random(4);
  for (double scale : kScales) {
    const double width = 0.3 * scale;
    const auto smooth = barbell(scale, width), sharp = barbell(scale, 0);
    EXPECT_NEAR(smooth->error_bound(), 0.5 * width, 1e-15 * scale);
    const Aabb box = smooth->bounds().grown(0.2 * scale);
    for (int i = 0; i < 3000; ++i) {
      const Vec3 p = point_in(box, random), q = p + 0.2 * scale * random_direction(random);
      EXPECT_LE(smooth->value(p), sharp->value(p));
      EXPECT_GE(smooth->value(p), sharp->value(p) - smooth->error_bound());
      EXPECT_LE(std::abs(smooth->value(p) - smooth->value(q)), (1 + 1e-12) * (p - q).norm());
      EXPECT_TRUE(smooth->value(p) > 0 || smooth->bounds().contains({p, p}));
      EXPECT_LE(smooth->sample(p).gradient.norm(), 1 + 1e-12);
      const bool axis = std::hypot(p.x(), p.y()) < 0.01 * scale;   // parts have kinks there
      if (!axis) expect_gradient(*smooth, p, 1e-6 * scale, 1e-3);
    }
  }
}

TEST(SmoothUnion, refuses_nothing_and_negative_widths) {
  EXPECT_EQ(testing::message_of([] { SmoothUnion({}, 1); }),
            "/parts: A union has no parts, or one that is missing. Give at least one field.");
  EXPECT_EQ(testing::message_of([] { barbell(1, -0.1); }),
            "/width: -0.1 is not a length. The width of a blend must be finite and not negative.");
  EXPECT_EQ(testing::message_of([] { ShapeField(Sphere{-1}); }),
            "/radius: -1 is not a length. A sphere radius must be finite and greater than 0.");
}

}   // namespace
}   // namespace stickslip::shape_field_test
