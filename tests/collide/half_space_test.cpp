// Everything against a half-space, in closed form.
#include <gtest/gtest.h>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

std::vector<ContactPoint> on_ground(const Shape& shape, const Pose& pose, double margin) {
  ContactSink sink;
  collide(HalfSpace{}, Pose{}, shape, pose, margin, sink);
  for (const ContactPoint& p : sink.points()) EXPECT_LT((p.normal - Vec3::UnitZ()).norm(), 1e-14);
  return sink.points();
}

Quat tilted(double angle, const Vec3& axis) { return Quat(Eigen::AngleAxisd(angle, axis)); }

Vec3 mean_position(const std::vector<ContactPoint>& points) {
  Vec3 sum = Vec3::Zero();
  for (const ContactPoint& p : points) sum += p.position;
  return sum / static_cast<double>(points.size());
}

TEST(HalfSpace, a_sphere_has_the_gap_of_its_lowest_point) {
  const auto points = on_ground(Sphere{0.5}, {Vec3(1, 2, 0.4), Quat::Identity()}, 0.01);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, -0.1, 1e-15);
  EXPECT_LT((points[0].position - Vec3(1, 2, -0.05)).norm(), 1e-14);
}

TEST(HalfSpace, a_box_stands_on_four_corners_two_of_an_edge_or_one) {
  const Box box{Vec3(1, 1, 1)};
  EXPECT_EQ(on_ground(box, {Vec3(0, 0, 1.001), Quat::Identity()}, 0.01).size(), 4u);
  EXPECT_EQ(on_ground(box, {Vec3(0, 0, std::sqrt(2.0)), tilted(M_PI / 4, Vec3::UnitX())}, 0.01).size(), 2u);
  const Quat on_corner = rotation_between(Vec3(1, 1, 1), Vec3::UnitZ());
  const auto corner = on_ground(box, {Vec3(0, 0, std::sqrt(3.0) - 0.02), on_corner}, 0.01);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_NEAR(corner[0].gap, -0.02, 1e-14);
}

TEST(HalfSpace, a_lying_capsule_touches_with_both_ends_and_a_standing_one_with_one) {
  const Capsule capsule{0.5, 1};
  const auto lying = on_ground(capsule, {Vec3(0, 0, 0.49), tilted(M_PI / 2, Vec3::UnitX())}, 0.01);
  ASSERT_EQ(lying.size(), 2u);
  for (const ContactPoint& p : lying) {
    EXPECT_NEAR(p.gap, -0.01, 1e-14);
    EXPECT_NEAR(std::abs(p.position.y()), 1, 1e-14);
  }
  EXPECT_EQ(on_ground(capsule, {Vec3(0, 0, 1.5), Quat::Identity()}, 0.01).size(), 1u);
}

TEST(HalfSpace, a_hull_touches_with_the_vertices_in_reach) {
  const Shape hull = make_convex_hull({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 2}});
  const auto points = on_ground(hull, {Vec3(0, 0, -0.1), Quat::Identity()}, 0.01);
  ASSERT_EQ(points.size(), 4u);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, -0.1, 1e-15);
}

// Equal forces at the points must carry no torque about the axis' foot, and the points must be spread over the rim.
TEST(HalfSpace, a_standing_cylinder_has_four_rim_points_around_its_axis) {
  for (const double scale : {1e-3, 1.0, 100.0}) {
    const Cylinder cylinder{0.5 * scale, 1 * scale};
    for (const double turn : {0.0, 0.3, 2.0}) {
      const Pose pose{Vec3(2, 1, 0.999) * scale, tilted(turn, Vec3::UnitZ())};
      const auto points = on_ground(cylinder, pose, 0.01 * scale);
      ASSERT_EQ(points.size(), 4u);
      EXPECT_LT((mean_position(points) - Vec3(2, 1, -0.0005) * scale).norm(), 1e-12 * scale);
      for (const ContactPoint& p : points) {
        EXPECT_NEAR(p.gap, -0.001 * scale, 1e-13 * scale);
        EXPECT_NEAR(std::hypot(p.position.x() - 2 * scale, p.position.y() - scale), 0.5 * scale, 1e-12 * scale);
      }
    }
  }
}

TEST(HalfSpace, a_tilted_cylinder_touches_with_the_lowest_point_of_its_rim) {
  const double r = 0.5, h = 1;
  PairMaker maker(3);
  for (const double tilt : {1e-3, 0.02, 0.3, 0.8, 1.2, 1.5}) {
    const double turn = maker.uniform(0, 6), heading = maker.uniform(0, 6);
    const Vec3 axis(std::cos(heading), std::sin(heading), 0);
    const double height = r * std::sin(tilt) + h * std::cos(tilt);
    const Pose pose{Vec3(0, 0, height - 0.01), tilted(tilt, axis) * tilted(turn, Vec3::UnitZ())};
    const auto points = on_ground(Cylinder{r, h}, pose, 0.0);
    ASSERT_GE(points.size(), 1u);
    EXPECT_NEAR(lowest_gap(points), -0.01, 1e-13) << tilt;
    // A tilt about `heading` lowers the rim to the right of it: the lowest point lies there.
    const Vec3 down =
        tilted(tilt, axis) * Vec3(0, 0, -h) + r * (tilted(tilt, axis) * Vec3(std::sin(heading), -std::cos(heading), 0));
    bool found = false;
    for (const ContactPoint& p : points) found = found || (p.position.head<2>() - down.head<2>()).norm() < 1e-12;
    EXPECT_TRUE(found) << tilt;
  }
}

TEST(HalfSpace, a_lying_cylinder_touches_along_its_lowest_line) {
  PairMaker maker(4);
  for (int k = 0; k < 20; ++k) {
    const Quat lying = tilted(M_PI / 2, Vec3::UnitX()) * tilted(maker.uniform(0, 6), Vec3::UnitZ());
    const auto points = on_ground(Cylinder{0.5, 1}, {Vec3(0, 0, 0.499), lying}, 0.01);
    ASSERT_EQ(points.size(), 2u);
    for (const ContactPoint& p : points) {
      EXPECT_NEAR(p.gap, -0.001, 1e-14);
      EXPECT_NEAR(p.position.x(), 0, 1e-12);
      EXPECT_NEAR(std::abs(p.position.y()), 1, 1e-14);
    }
  }
}

TEST(HalfSpace, nothing_touches_beyond_the_margin) {
  PairMaker maker(6);
  for (std::size_t kind : {0, 1, 2, 3, 5}) {
    const Shape shape = maker.shape(kind);
    const Quat turn = maker.rotation();
    const double low = -(turn * support(shape, turn.conjugate() * Vec3(0, 0, -1))).z();
    EXPECT_TRUE(on_ground(shape, {Vec3(0, 0, low + 0.0101), turn}, 0.01).empty()) << shape_name(kind);
    const auto within = on_ground(shape, {Vec3(0, 0, low + 0.0099), turn}, 0.01);
    ASSERT_FALSE(within.empty()) << shape_name(kind);
    EXPECT_NEAR(lowest_gap(within), 0.0099, 1e-14) << shape_name(kind);
  }
}

}   // namespace
}   // namespace stickslip::testing
