#include <limits>

#include <gtest/gtest.h>

#include "geometry/shapes.h"
#include "stickslip/geometry/aabb.h"

namespace stickslip {
namespace {

TEST(BoundingBox, touches_the_shape_on_all_six_sides) {
  std::mt19937 random(7);
  for (double scale : kScales)
    for (const Shape& shape : bounded_shapes(scale))
      for (int i = 0; i < 30; ++i) {
        const Pose pose{scale * 3 * random_direction(random), random_rotation(random)};
        const Aabb box = bounding_box(shape, pose);
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 up = Vec3::Unit(axis);
          const double top = (pose * support(shape, pose.orientation.conjugate() * up))[axis];
          const double bottom = (pose * support(shape, pose.orientation.conjugate() * -up))[axis];
          EXPECT_NEAR(box.upper[axis], top, 1e-12 * scale) << shape_name(shape);
          EXPECT_NEAR(box.lower[axis], bottom, 1e-12 * scale) << shape_name(shape);
        }
      }
}

TEST(BoundingBox, of_a_half_space_is_everything) {
  const Aabb box = bounding_box(HalfSpace{}, {});
  EXPECT_EQ(box.lower, Vec3::Constant(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(box.upper, Vec3::Constant(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(box.overlaps(bounding_box(Sphere{}, {Vec3(1e9, -1e9, 0), Quat::Identity()})));
}

TEST(Aabb, boxes_that_share_a_face_overlap_and_separated_ones_do_not) {
  const Aabb a{{0, 0, 0}, {1, 1, 1}};
  EXPECT_TRUE(a.overlaps({{1, 0, 0}, {2, 1, 1}}));
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 shift = 1.001 * Vec3::Unit(axis);
    EXPECT_FALSE(a.overlaps({shift, Vec3(shift + Vec3::Ones())}));
    EXPECT_FALSE(a.overlaps({-shift, Vec3(Vec3::Ones() - shift)}));
  }
}

TEST(Aabb, the_empty_box_is_the_neutral_element_of_merging) {
  const Aabb a{{-1, 2, 3}, {4, 5, 6}}, merged = Aabb{}.merged(a);
  EXPECT_EQ(merged.lower, a.lower);
  EXPECT_EQ(merged.upper, a.upper);
  EXPECT_TRUE(a.contains(a));
  EXPECT_TRUE(a.grown(0.1).contains(a));
  EXPECT_FALSE(a.contains(a.grown(0.1)));
  EXPECT_EQ(a.half_area(), 5 * 3 + 3 * 3 + 3 * 5);
}

}   // namespace
}   // namespace stickslip
