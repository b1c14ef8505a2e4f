// Points that do not touch yet but can within the margin: ends of capsules, rims of cylinders, corners of boxes and hulls, at
// every tilt.
#include <gtest/gtest.h>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

// Shapes with a level top at z = 0, and the poses that put it there.
struct Table {
  Shape shape;
  Pose pose;
};

std::vector<Table> tables() {
  const Vec3 half(3, 3, 0.01);
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) corners.push_back(half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  return {{HalfSpace{}, {}},
          {Box{half}, {Vec3(0, 0, -half.z()), Quat::Identity()}},
          {make_convex_hull(corners), {Vec3(0, 0, -half.z()), Quat::Identity()}},
          {Cylinder{3, half.z()}, {Vec3(0, 0, -half.z()), Quat::Identity()}}};
}

std::vector<ContactPoint> over(const Table& table, const Shape& shape, const Pose& pose, double margin) {
  ContactSink sink;
  collide(table.shape, table.pose, shape, pose, margin, sink);
  for (const ContactPoint& p : sink.points()) EXPECT_LT((p.normal - Vec3::UnitZ()).norm(), 1e-9) << shape_name(table.shape);
  return sink.points();
}

// Whether a contact says that the point of the upper shape at x stands x.z over the table.
bool offers(const std::vector<ContactPoint>& points, const Vec3& x) {
  return std::any_of(points.begin(), points.end(), [&](const ContactPoint& p) {
    return std::abs(p.gap - x.z()) < 1e-6 && (p.position - Vec3(x.x(), x.y(), 0.5 * x.z())).norm() < 1e-5;
  });
}

TEST(Ahead, a_capsule_offers_both_ends_at_every_tilt_if_the_margin_reaches_them) {
  const Capsule capsule{0.1, 0.5};
  for (const Table& table : tables())
    for (const double tilt : {0.0, 0.05, 0.12, 0.3, 0.7, 1.1}) {   // of the axis against the table
      const Quat q = turned(0.4, Vec3::UnitZ()) * turned(M_PI / 2 - tilt, Vec3::UnitY());
      const double height = 0.02 + capsule.radius + capsule.half_height * std::sin(tilt);
      const auto points = over(table, capsule, {Vec3(0.1, -0.2, height), q}, 1.2);
      for (const double side : {-1.0, 1.0}) {
        const Vec3 end = Vec3(0.1, -0.2, height) + q * Vec3(0, 0, side * capsule.half_height) - Vec3(0, 0, capsule.radius);
        EXPECT_TRUE(offers(points, end)) << shape_name(table.shape) << " " << tilt << " " << end.transpose();
      }
      EXPECT_EQ(points.size(), 2u);
      // A margin that ends between the ends gets one.
      EXPECT_EQ(over(table, capsule, {Vec3(0.1, -0.2, height), q}, 0.021).size(), tilt > 0.01 ? 1u : 2u)
          << shape_name(table.shape);
    }
}

TEST(Ahead, a_cylinder_offers_the_lowest_points_of_both_rims) {
  const Cylinder cylinder{0.2, 0.5};
  for (const Table& table : tables())
    for (const double tilt : {0.05, 0.12, 0.3, 0.7, 1.1}) {   // of the axis against the table
      const Quat q = turned(0.4, Vec3::UnitZ()) * turned(M_PI / 2 - tilt, Vec3::UnitY()) * turned(1.3, Vec3::UnitZ());
      const Vec3 axis = q * Vec3::UnitZ(), down = (-Vec3::UnitZ() + axis.z() * axis).normalized();
      const Vec3 center(0.1, -0.2, 0.02 + cylinder.radius * std::cos(tilt) + cylinder.half_height * std::sin(tilt));
      const auto points = over(table, cylinder, {center, q}, 1.2);
      for (const double side : {-1.0, 1.0})
        EXPECT_TRUE(offers(points, center + side * cylinder.half_height * axis + cylinder.radius * down))
            << shape_name(table.shape) << " " << tilt << " " << side;
    }
}

TEST(Ahead, a_capsule_tilted_over_another_offers_both_ends) {
  const Capsule capsule{0.1, 0.5};
  const Quat lying = turned(M_PI / 2, Vec3::UnitY());
  for (const double tilt : {0.0, 0.1, 0.4, 0.8}) {
    const double height = 0.02 + 0.1 + capsule.half_height * std::sin(tilt);
    ContactSink sink;
    collide(Capsule{0.1, 2}, {Vec3(0, 0, -0.1), lying}, capsule, {Vec3(0, 0, height), turned(tilt, Vec3::UnitY()) * lying}, 1.2,
            sink);
    ASSERT_EQ(sink.points().size(), 2u) << tilt;
    const double low = std::min(sink.points()[0].gap, sink.points()[1].gap),
                 high = std::max(sink.points()[0].gap, sink.points()[1].gap);
    EXPECT_NEAR(low, 0.02, 1e-12);
    EXPECT_NEAR(high, 0.02 + 2 * capsule.half_height * std::sin(tilt), 1e-12);
  }
}

// All corners of a tumbling polytope against brute force: whatever small turn comes, with the paths of points taken as
// straight, no corner passes the table before a contact point does.
TEST(Ahead, no_corner_of_a_tumbling_box_or_hull_is_first_through_the_table) {
  PairMaker maker(61);
  for (const Table& table : tables())
    for (const std::size_t kind : {1, 5})
      for (int trial = 0; trial < 200; ++trial) {
        if (std::holds_alternative<Cylinder>(table.shape)) continue;   // its pairs offer faces, not single corners beside them
        const Shape shape = maker.shape(kind);
        Pose pose{Vec3::Zero(), maker.rotation()};
        pose.position.z() = 0.02 - (pose.orientation * support(shape, pose.orientation.conjugate() * Vec3(0, 0, -1))).z();
        const auto points = over(table, shape, pose, maker.uniform(0.05, 0.8));
        std::vector<Vec3> corners;
        if (kind == 1) {
          const Vec3 half = std::get<Box>(shape).half_extents;
          for (int k = 0; k < 8; ++k)
            corners.push_back(half.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
        } else {
          corners = std::get<ConvexHull>(shape).polytope->vertices;
        }
        for (int k = 0; k < 20; ++k) {
          const Vec3 t = 0.02 * Vec3(std::cos(k), std::sin(k), 0);
          double first_corner = 1e9, first_point = 1e9;
          for (const Vec3& c : corners) first_corner = std::min(first_corner, (pose * c).z() + t.dot(pose * c));
          for (const ContactPoint& p : points) first_point = std::min(first_point, p.gap + t.dot(p.position));
          EXPECT_LE(first_point, first_corner + 1e-3) << shape_name(table.shape) << " " << shape_name(shape);
        }
      }
}

// A rod that rocks on another which it crosses at a small angle: wherever a turn within reach brings it down, there is a point.
TEST(Ahead, rollers_that_cross_offer_the_ends_within_reach) {
  const double r = 0.03, half = 0.05, angle = 0.2;
  const Quat lying(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()));
  for (const double tilt : {-0.1, 0.0, 0.1}) {
    const Quat across = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(tilt, Vec3::UnitY())) * lying;
    const Pose above{Vec3(0, 0, 2 * r + half * std::abs(std::sin(tilt))), across};
    for (const auto& [a, b] : {std::pair<Shape, Shape>(Capsule{r, half}, Capsule{r, half}),
                               std::pair<Shape, Shape>(Cylinder{r, half}, Cylinder{r, half}),
                               std::pair<Shape, Shape>(Capsule{r, half}, Cylinder{r, half})}) {
      ContactSink sink;
      collide(a, {Vec3::Zero(), lying}, b, above, 0.02, sink);
      double first = 1, last = -1;
      const double farthest =
          0.9 * half * std::cos(angle) * std::cos(tilt) - r * std::abs(std::sin(tilt));   // the contact lies below the axis
      for (const ContactPoint& p : sink.points())
        first = std::min(first, p.position.x()), last = std::max(last, p.position.x());
      EXPECT_LT(first, -farthest) << shape_name(a) << " and " << shape_name(b) << ", tilt " << tilt;
      EXPECT_GT(last, farthest) << shape_name(a) << " and " << shape_name(b) << ", tilt " << tilt;
      for (const ContactPoint& p : sink.points()) EXPECT_GT(p.normal.z(), 0.9);
    }
  }
}

}   // namespace
}   // namespace stickslip::testing
