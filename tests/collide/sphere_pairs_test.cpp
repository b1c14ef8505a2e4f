// Spheres against everything, in closed form.
#include <gtest/gtest.h>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

ContactPoint only_contact(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin = 0.1) {
  ContactSink sink;
  collide(a, pose_a, b, pose_b, margin, sink);
  EXPECT_EQ(sink.points().size(), 1u);
  return sink.points().empty() ? ContactPoint{Vec3::Zero(), Vec3::Zero(), 0, 0} : sink.points()[0];
}

void expect_contact(const ContactPoint& c, const Vec3& position, const Vec3& normal, double gap) {
  EXPECT_LT((c.position - position).norm(), 1e-14) << c.position.transpose();
  EXPECT_LT((c.normal - normal).norm(), 1e-14) << c.normal.transpose();
  EXPECT_NEAR(c.gap, gap, 1e-14);
}

Pose at(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }

TEST(SphereSphere, the_point_lies_halfway_between_the_surfaces) {
  expect_contact(only_contact(Sphere{1}, at(0, 0, 0), Sphere{0.5}, at(1.4, 0, 0)), {0.95, 0, 0}, {1, 0, 0}, -0.1);
  expect_contact(only_contact(Sphere{1}, at(0, 0, 0), Sphere{0.5}, at(0, 0, -1.55)), {0, 0, -1.025}, {0, 0, -1}, 0.05);
}

TEST(SphereSphere, concentric_spheres_separate_along_z_by_the_sum_of_radii) {
  const ContactPoint c = only_contact(Sphere{1}, at(3, 2, 1), Sphere{0.5}, at(3, 2, 1));
  EXPECT_EQ(c.normal, Vec3::UnitZ());
  EXPECT_DOUBLE_EQ(c.gap, -1.5);
}

TEST(SphereBox, face_edge_and_corner_are_nearest_in_turn) {
  const Box box{Vec3(1, 2, 3)};
  expect_contact(only_contact(Sphere{1}, at(1.9, 0.5, -0.5), box, Pose{}), {0.95, 0.5, -0.5}, {-1, 0, 0}, -0.1);
  const double r2 = std::sqrt(0.5), r3 = std::sqrt(1.0 / 3);
  expect_contact(only_contact(Sphere{1}, at(1 + r2, 2 + r2, 0.3), box, Pose{}), {1, 2, 0.3}, {-r2, -r2, 0}, 0);
  expect_contact(only_contact(Sphere{1}, at(-1 - r3, 2 + r3, 3 + r3), box, Pose{}), {-1, 2, 3}, {r3, -r3, -r3}, 0);
}

TEST(SphereBox, a_centre_inside_leaves_through_the_nearest_face) {
  const Box box{Vec3(1, 2, 3)};
  // 0.2 below the +y face: the sphere must travel radius + 0.2 along +y.
  expect_contact(only_contact(Sphere{0.5}, at(0.1, 1.8, 0), box, Pose{}), {0.1, 1.65, 0}, {0, -1, 0}, -0.7);
  const ContactPoint center = only_contact(Sphere{0.5}, at(0, 0, 0), box, Pose{});
  EXPECT_DOUBLE_EQ(center.gap, -1.5);
  EXPECT_DOUBLE_EQ(std::abs(center.normal.x()), 1);
}

TEST(SphereCapsule, side_and_cap_are_nearest_in_turn) {
  const Capsule capsule{0.5, 1};
  expect_contact(only_contact(Sphere{1}, at(1.4, 0, 0.7), capsule, Pose{}), {0.45, 0, 0.7}, {-1, 0, 0}, -0.1);
  expect_contact(only_contact(Sphere{1}, at(0, 0, 2.4), capsule, Pose{}), {0, 0, 1.45}, {0, 0, -1}, -0.1);
  const ContactPoint on_axis = only_contact(Sphere{1}, at(0, 0, 0.5), capsule, Pose{});
  EXPECT_DOUBLE_EQ(on_axis.gap, -1.5);
  EXPECT_NEAR(on_axis.normal.z(), 0, 1e-15);
  EXPECT_DOUBLE_EQ(on_axis.normal.norm(), 1);
}

TEST(SphereCylinder, side_cap_and_rim_are_nearest_in_turn) {
  const Cylinder cylinder{1, 2};
  expect_contact(only_contact(Sphere{0.5}, at(0, 1.4, 1), cylinder, Pose{}), {0, 0.95, 1}, {0, -1, 0}, -0.1);
  expect_contact(only_contact(Sphere{0.5}, at(0.3, 0.4, -2.4), cylinder, Pose{}), {0.3, 0.4, -1.95}, {0, 0, 1}, -0.1);
  expect_contact(only_contact(Sphere{0.5}, at(1.3, 0, 2.4), cylinder, Pose{}), {1, 0, 2}, {-0.6, 0, -0.8}, 0);
}

TEST(SphereCylinder, a_centre_inside_leaves_through_the_nearer_of_side_and_cap) {
  const Cylinder cylinder{1, 2};
  expect_contact(only_contact(Sphere{0.5}, at(-0.8, 0, 1.5), cylinder, Pose{}), {-0.65, 0, 1.5}, {1, 0, 0}, -0.7);
  expect_contact(only_contact(Sphere{0.5}, at(-0.2, 0, 1.5), cylinder, Pose{}), {-0.2, 0, 1.5}, {0, 0, -1}, -1);
  const ContactPoint center = only_contact(Sphere{0.5}, Pose{}, cylinder, Pose{});
  EXPECT_DOUBLE_EQ(center.gap, -1.5);
  EXPECT_DOUBLE_EQ(center.normal.norm(), 1);
}

// A box given as a hull must answer like the box, outside and inside, wherever the nearest feature is unique.
TEST(SphereHull, a_hull_of_a_box_answers_like_the_box) {
  PairMaker maker(5);
  const Vec3 h(0.6, 0.8, 1.0);
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) corners.push_back(h.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  const Shape box = Box{h}, hull = make_convex_hull(corners);
  int touching = 0;
  for (int k = 0; k < 2000; ++k) {
    const Pose pose{Vec3(1, 2, 3), maker.rotation()};
    const Vec3 local(maker.uniform(-1.5, 1.5), maker.uniform(-1.5, 1.5), maker.uniform(-1.5, 1.5));
    ContactSink with_box, with_hull;
    collide(Sphere{0.3}, {pose * local, Quat::Identity()}, box, pose, 0.05, with_box);
    collide(Sphere{0.3}, {pose * local, Quat::Identity()}, hull, pose, 0.05, with_hull);
    ASSERT_EQ(with_box.points().size(), with_hull.points().size()) << local.transpose();
    if (with_box.points().empty()) continue;
    ++touching;
    const ContactPoint &p = with_box.points()[0], &q = with_hull.points()[0];
    EXPECT_NEAR(p.gap, q.gap, 1e-12);
    EXPECT_LT((p.normal - q.normal).norm(), 1e-9);
    EXPECT_LT((p.position - q.position).norm(), 1e-9);
  }
  EXPECT_GT(touching, 400);
}

}   // namespace
}   // namespace stickslip::testing
