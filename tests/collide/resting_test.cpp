// Resting contacts of capsules, cylinders and hulls: gap zero, where directions between nearest points are rounding noise.
#include <gtest/gtest.h>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

using Points = std::vector<ContactPoint>;

const Quat kLyingAlongX = turned(M_PI / 2, Vec3::UnitY());
const Quat kLyingAlongY = turned(-M_PI / 2, Vec3::UnitX());

Shape hull_of_box(const Vec3& h) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) corners.push_back(h.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  return make_convex_hull(corners);
}

// The upper shape on the lower one, the whole turned and moved as `stand` says; checks normals and gaps on the way.
Points rest(const Shape& lower, const Pose& pose_lower, const Shape& upper, const Pose& pose_upper, const Pose& stand,
            double margin, double gap) {
  ContactSink sink;
  collide(lower, stand * pose_lower, upper, stand * pose_upper, margin, sink);
  Points local = sink.points();
  for (ContactPoint& p : local) {
    p.position = stand.to_local(p.position);
    p.normal = stand.orientation.conjugate() * p.normal;
    EXPECT_LT((p.normal - Vec3::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(p.gap, gap, 1e-9);
  }
  return local;
}

// Twice the area that the points span in the plane, by the best triangle.
double largest_triangle(const Points& points) {
  double best = 0;
  for (const auto& p : points)
    for (const auto& q : points)
      for (const auto& r : points)
        best = std::max(best, std::abs((q.position - p.position).cross(r.position - p.position).z()));
  return best;
}

std::vector<Pose> stands() {
  PairMaker maker(51);
  std::vector<Pose> poses{Pose{}};
  for (int k = 0; k < 30; ++k) poses.push_back({3 * maker.direction(), maker.rotation()});
  return poses;
}

TEST(Resting, a_standing_cylinder_on_a_box_or_hull_has_spread_points_and_an_exact_normal) {
  const Vec3 half(1, 1, 0.5);
  for (const Shape& ground : {Shape(Box{half}), hull_of_box(half)}) {
    for (const Pose& stand : stands()) {
      for (const double gap : {-0.004, -1e-6, 0.0, 1e-6, 0.004}) {
        const Pose pose{Vec3(0.2, -0.1, 0.5 + 0.8 + gap), turned(0.7, Vec3::UnitZ())};
        const Points points = rest(ground, Pose{}, Cylinder{0.5, 0.8}, pose, stand, 0.01, gap);
        ASSERT_GE(points.size(), 3u);
        EXPECT_GT(largest_triangle(points), 0.4);   // of a rim with radius 0.5 at most 3√3/4 · 0.5²·2 = 0.65
        Vec3 mean = Vec3::Zero();
        for (const ContactPoint& p : points) mean += p.position / static_cast<double>(points.size());
        EXPECT_LT((mean.head<2>() - Eigen::Vector2d(0.2, -0.1)).norm(), 1e-9);
      }
    }
  }
}

TEST(Resting, a_cylinder_over_the_edge_of_a_box_is_supported_only_where_the_box_is) {
  for (const Pose& stand : stands()) {
    const Points points =
        rest(Box{Vec3(1, 1, 0.5)}, Pose{}, Cylinder{0.5, 0.8}, {Vec3(0.8, 0, 1.3), Quat::Identity()}, stand, 0.01, 0);
    ASSERT_GE(points.size(), 3u);
    for (const ContactPoint& p : points) EXPECT_LT(p.position.x(), 1 + 1e-5);
  }
}

TEST(Resting, a_box_on_a_standing_cylinder_has_spread_points) {
  for (const Pose& stand : stands()) {
    const Points points =
        rest(Cylinder{0.5, 0.8}, Pose{}, Box{Vec3(0.2, 0.2, 0.2)}, {Vec3(0.1, 0, 1.0), Quat::Identity()}, stand, 0.01, 0);
    ASSERT_EQ(points.size(), 4u);   // the four corners of the box
    EXPECT_NEAR(largest_triangle(points), 0.16, 1e-9);
  }
}

TEST(Resting, cylinders_stack_on_their_caps) {
  for (const Pose& stand : stands()) {
    const Points points =
        rest(Cylinder{0.5, 0.8}, Pose{}, Cylinder{0.4, 0.3}, {Vec3(0.05, 0, 1.1), Quat::Identity()}, stand, 0.01, 0);
    ASSERT_GE(points.size(), 3u);
    EXPECT_GT(largest_triangle(points), 0.25);
  }
}

TEST(Resting, a_lying_cylinder_or_capsule_on_a_box_or_hull_touches_with_two_ends) {
  const Vec3 half(2, 1, 0.5);
  for (const Shape& ground : {Shape(Box{half}), hull_of_box(half)}) {
    for (const Shape& roller : {Shape(Cylinder{0.3, 0.8}), Shape(Capsule{0.3, 0.8})}) {
      for (const Pose& stand : stands()) {
        const Points points = rest(ground, Pose{}, roller, {Vec3(0.2, 0.3, 0.8), kLyingAlongX}, stand, 0.01, 0);
        ASSERT_EQ(points.size(), 2u) << shape_name(roller);
        for (const ContactPoint& p : points) {
          EXPECT_NEAR(p.position.y(), 0.3, 1e-7) << shape_name(roller);
          EXPECT_NEAR(std::abs(p.position.x() - 0.2), 0.8, 1e-7) << shape_name(roller);
        }
      }
    }
  }
}

TEST(Resting, a_capsule_over_the_edge_of_a_box_is_cut_at_the_edge) {
  const Points points =
      rest(Box{Vec3(1, 1, 0.5)}, Pose{}, Capsule{0.3, 0.8}, {Vec3(0.7, 0, 0.8), kLyingAlongX}, Pose{}, 0.01, 0);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(std::min(points[0].position.x(), points[1].position.x()), -0.1, 1e-9);
  EXPECT_NEAR(std::max(points[0].position.x(), points[1].position.x()), 1.0, 1e-9);
}

TEST(Resting, parallel_rollers_touch_with_two_points_and_crossed_ones_with_one) {
  const Shape cylinder = Cylinder{0.5, 1}, capsule = Capsule{0.5, 1};
  for (const Shape& lower : {cylinder, capsule}) {
    for (const Shape& upper : {cylinder, capsule}) {
      for (const Pose& stand : stands()) {
        ContactSink sink;
        const Pose below = stand * Pose{Vec3::Zero(), kLyingAlongX};
        collide(lower, below, upper, stand * Pose{Vec3(0.5, 0, 0.999), kLyingAlongX}, 0.01, sink);
        ASSERT_EQ(sink.points().size(), 2u) << shape_name(lower) << "-" << shape_name(upper);
        for (const ContactPoint& p : sink.points()) {
          EXPECT_NEAR(p.gap, -0.001, 1e-7);
          EXPECT_LT((stand.orientation.conjugate() * p.normal - Vec3::UnitZ()).norm(), 1e-4);
          EXPECT_NEAR(std::abs(stand.to_local(p.position).x() - 0.25), 0.75, 1e-4);
        }
        collide(lower, below, upper, stand * Pose{Vec3(0.5, 0.2, 0.999), kLyingAlongY}, 0.01, sink);
        ASSERT_EQ(sink.points().size(), 1u) << shape_name(lower) << "-" << shape_name(upper);
        EXPECT_NEAR(sink.points()[0].gap, -0.001, 1e-7);
        EXPECT_LT((stand.to_local(sink.points()[0].position) - Vec3(0.5, 0, 0.4995)).norm(), 1e-4);
      }
    }
  }
}

TEST(Resting, a_cylinder_tilted_on_a_box_touches_with_the_lowest_point_of_its_rim) {
  const double r = 0.5, h = 0.8;
  for (const double tilt : {0.002, 0.03, 0.08, 0.3, 0.7}) {
    const Quat q = turned(tilt, Vec3::UnitY());   // lowers the rim towards +x
    const double height = 0.5 + r * std::sin(tilt) + h * std::cos(tilt) - 0.001;
    ContactSink sink;
    collide(Box{Vec3(3, 3, 0.5)}, Pose{}, Cylinder{r, h}, {Vec3(0, 0, height), q * turned(1.1, Vec3::UnitZ())}, 0.0, sink);
    ASSERT_GE(sink.points().size(), 1u);
    EXPECT_NEAR(lowest_gap(sink.points()), -0.001, 1e-9) << tilt;
    const Vec3 lowest = q * Vec3(r, 0, -h);
    double nearest = 1;
    for (const ContactPoint& p : sink.points()) {
      nearest = std::min(nearest, (p.position.head<2>() - lowest.head<2>()).norm());
      EXPECT_LT((p.normal - Vec3::UnitZ()).norm(), 1e-9);
    }
    EXPECT_LT(nearest, 1e-6) << tilt;
  }
}

TEST(Resting, hulls_of_boxes_touch_like_the_boxes) {
  PairMaker maker(52);
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3 ha(maker.uniform(0.3, 1), maker.uniform(0.3, 1), maker.uniform(0.3, 1));
    const Vec3 hb(maker.uniform(0.3, 1), maker.uniform(0.3, 1), maker.uniform(0.3, 1));
    const Pose above{Vec3(maker.uniform(-0.2, 0.2), maker.uniform(-0.2, 0.2), ha.z() + hb.z() - 0.001),
                     turned(maker.uniform(0, 6), Vec3::UnitZ())};
    ContactSink boxes, mixed, hulls;
    collide(Box{ha}, Pose{}, Box{hb}, above, 0.01, boxes);
    collide(Box{ha}, Pose{}, hull_of_box(hb), above, 0.01, mixed);
    collide(hull_of_box(ha), Pose{}, hull_of_box(hb), above, 0.01, hulls);
    for (const ContactSink* sink : {&mixed, &hulls}) {
      ASSERT_GE(sink->points().size(), std::min<std::size_t>(boxes.points().size(), 4));
      double area = largest_triangle(sink->points());
      // The points kept may differ in a tie, and with them which others stand out; what they span may not.
      EXPECT_NEAR(area, largest_triangle(boxes.points()), 0.3 * area);
      for (const ContactPoint& p : sink->points()) {
        EXPECT_NEAR(p.gap, -0.001, 1e-12);
        EXPECT_LT((p.normal - Vec3::UnitZ()).norm(), 1e-12);
      }
    }
  }
}

}   // namespace
}   // namespace stickslip::testing
