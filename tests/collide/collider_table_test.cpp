#include <gtest/gtest.h>

#include "collide/near_pairs.h"
#include "stickslip/math/error.h"

namespace stickslip::testing {
namespace {

constexpr std::size_t kHalfSpace = 4, kKinds = std::variant_size_v<Shape>;

TEST(ColliderTable, every_pair_but_two_half_spaces_has_a_collider) {
  for (std::size_t a = 0; a < kKinds; ++a)
    for (std::size_t b = 0; b < kKinds; ++b)
      EXPECT_EQ(has_collider(a, b), !(a == kHalfSpace && b == kHalfSpace)) << shape_name(a) << ", " << shape_name(b);
  EXPECT_FALSE(has_collider(kKinds, 0));
  EXPECT_FALSE(has_collider(0, kKinds));
}

TEST(ColliderTable, two_half_spaces_are_a_loud_error) {
  ContactSink sink;
  EXPECT_THROW(collide(HalfSpace{}, Pose{}, HalfSpace{}, Pose{}, 0.1, sink), Error);
}

TEST(ColliderTable, every_pair_of_overlapping_shapes_touches_and_old_points_are_gone) {
  PairMaker maker(11);
  ContactSink sink;
  for (std::size_t a = 0; a < kKinds; ++a) {
    for (std::size_t b = 0; b < kKinds; ++b) {
      if (!has_collider(a, b)) continue;
      // Centres a little apart: inside each other for every pair of shapes, half-spaces included.
      const Pose pose_a{Vec3(0, 0, 0.05), maker.rotation()}, pose_b{Vec3(0.02, 0, 0.05), maker.rotation()};
      collide(maker.shape(a), pose_a, maker.shape(b), pose_b, 0.01, sink);
      EXPECT_GE(sink.points().size(), 1u) << shape_name(a) << ", " << shape_name(b);
      EXPECT_LE(sink.points().size(), std::size_t{kMaxManifoldPoints}) << shape_name(a) << ", " << shape_name(b);
      EXPECT_LT(lowest_gap(sink.points()), 0) << shape_name(a) << ", " << shape_name(b);
      collide(maker.shape(a), pose_a, maker.shape(b), {Vec3(0, 0, 1e3), pose_b.orientation}, 0.01, sink);
      if (a != kHalfSpace && b != kHalfSpace) {
        EXPECT_TRUE(sink.points().empty()) << shape_name(a) << ", " << shape_name(b);
      }
    }
  }
}

}   // namespace
}   // namespace stickslip::testing
