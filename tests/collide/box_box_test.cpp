#include <gtest/gtest.h>

#include <set>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

using Points = std::vector<ContactPoint>;

Points touch(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double margin) {
  ContactSink sink;
  collide(a, pose_a, b, pose_b, margin, sink);
  return sink.points();
}

std::vector<std::uint32_t> features(const Points& points) {
  std::vector<std::uint32_t> ids;
  for (const ContactPoint& p : points) ids.push_back(p.feature);
  return ids;
}

TEST(BoxBox, of_two_faces_that_tie_the_one_that_was_the_reference_stays_it) {
  const Box box{Vec3::Constant(1)};
  ContactSink sink;
  const auto look = [&](double tilt) {
    collide(box, Pose{}, box, {Vec3(0.1, 0.2, 2), Quat(Eigen::AngleAxisd(tilt, Vec3::UnitX()))}, 0.01, sink);
    return sink.points().front().feature >> 16 & 1;   // whether B is the reference
  };
  ASSERT_EQ(look(1e-6), 0u) << "without expectations the first";
  sink.expect(1u << 16);
  EXPECT_EQ(look(1e-6), 1u);
  sink.expect(0);
  EXPECT_EQ(look(1e-6), 0u);
  sink.expect_nothing();
  EXPECT_EQ(look(1e-6), 0u);
}

TEST(BoxBox, a_resting_face_gives_the_four_corners_of_the_overlap) {
  for (const double s : {1e-3, 1.0, 100.0}) {
    const Box brick{Vec3(1, 0.5, 0.25) * s};
    // Running bond: the upper brick overlaps half of the lower one.
    const Points points = touch(brick, Pose{}, brick, {Vec3(1, 0, 0.4999) * s, Quat::Identity()}, 0.01 * s);
    ASSERT_EQ(points.size(), 4u);
    std::set<std::pair<int, int>> corners;
    for (const ContactPoint& p : points) {
      EXPECT_LT((p.normal - Vec3::UnitZ()).norm(), 1e-15);
      EXPECT_NEAR(p.gap, -1e-4 * s, 1e-13 * s);
      EXPECT_NEAR(p.position.z(), 0.24995 * s, 1e-13 * s);
      EXPECT_NEAR(std::abs(p.position.y()), 0.5 * s, 1e-12 * s);
      EXPECT_NEAR(std::abs(p.position.x() - 0.5 * s), 0.5 * s, 1e-12 * s);
      corners.insert({p.position.x() > 0.5 * s, p.position.y() > 0});
    }
    EXPECT_EQ(corners.size(), 4u);
  }
}

TEST(BoxBox, a_gap_within_the_margin_is_reported_and_one_beyond_is_not) {
  const Box box{Vec3(0.5, 0.5, 0.5)};
  const Pose above{Vec3(0.2, 0.1, 1.01), turned(0.4, Vec3::UnitZ())};
  const Points points = touch(box, Pose{}, box, above, 0.02);
  ASSERT_GE(points.size(), 3u);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, 0.01, 1e-14);
  EXPECT_TRUE(touch(box, Pose{}, box, above, 0.009).empty());
}

TEST(BoxBox, an_eight_cornered_overlap_keeps_its_corners) {
  const Box box{Vec3(0.5, 0.5, 0.5)};
  const Points points = touch(box, Pose{}, box, {Vec3(0, 0, 0.999), turned(M_PI / 4, Vec3::UnitZ())}, 0.01);
  ASSERT_EQ(points.size(), 8u);
  // The overlap is a regular octagon with inradius 1/2.
  Vec3 mean = Vec3::Zero();
  for (const ContactPoint& p : points) {
    mean += p.position / 8;
    EXPECT_NEAR(p.position.head<2>().norm(), 0.5 / std::cos(M_PI / 8), 1e-12);
  }
  EXPECT_LT(mean.head<2>().norm(), 1e-12);
}

TEST(BoxBox, crossed_edges_touch_in_one_point_at_their_nearest_points) {
  const Box box{Vec3(0.5, 0.5, 2)};
  const double high = 0.5 * std::sqrt(2.0);
  // A lies along x on one edge up, B along y on one edge down.
  const Quat edge_up_x = turned(M_PI / 2, Vec3::UnitY()) * turned(M_PI / 4, Vec3::UnitZ());
  const Quat edge_down_y = turned(M_PI / 2, Vec3::UnitX()) * turned(M_PI / 4, Vec3::UnitZ());
  const Points points = touch(box, {Vec3(0.3, 0, 0), edge_up_x}, box, {Vec3(0, 0.4, 2 * high - 0.02), edge_down_y}, 0.01);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_LT((points[0].normal - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(points[0].gap, -0.02, 1e-12);
  EXPECT_LT((points[0].position - Vec3(0, 0, high - 0.01)).norm(), 1e-12);
}

// A nearly flat box must keep a patch and its features while noise decides which of face and edge separates best.
TEST(BoxBox, noise_in_a_resting_pose_changes_neither_features_nor_normal) {
  PairMaker maker(41);
  for (int trial = 0; trial < 300; ++trial) {
    const Box a{Vec3(maker.uniform(0.3, 1), maker.uniform(0.3, 1), maker.uniform(0.3, 1))};
    const Box b{Vec3(maker.uniform(0.3, 1), maker.uniform(0.3, 1), maker.uniform(0.3, 1))};
    const Pose pose_a{Vec3::Zero(), Quat::Identity()};
    const Pose pose_b{Vec3(maker.uniform(-0.2, 0.2), maker.uniform(-0.2, 0.2), a.half_extents.z() + b.half_extents.z()),
                      trial % 3 ? turned(maker.uniform(0, 6), Vec3::UnitZ()) : Quat::Identity()};
    const auto reference = features(touch(a, pose_a, b, pose_b, 0.01));
    EXPECT_GE(reference.size(), 3u);
    for (int wobble = 0; wobble < 5; ++wobble) {
      const Pose moved{pose_b.position + 1e-8 * maker.direction(),
                       rotation_from_vector(1e-8 * maker.direction()) * pose_b.orientation};
      const Points points = touch(a, pose_a, b, moved, 0.01);
      EXPECT_EQ(features(points), reference) << trial;
      EXPECT_LT((points.at(0).normal - Vec3::UnitZ()).norm(), 1e-7);
    }
  }
}

// Tilts as a settling heap has them: small against a face, large against rounding.
TEST(BoxBox, a_box_tilted_by_a_degree_still_touches_with_an_edge_or_a_face) {
  PairMaker maker(42);
  const Box box{Vec3(0.5, 0.5, 0.5)};
  for (int trial = 0; trial < 500; ++trial) {
    const Quat tilt = rotation_from_vector(Vec3(maker.uniform(-0.02, 0.02), maker.uniform(-0.02, 0.02), maker.uniform(-3, 3)));
    const Points points =
        touch(box, Pose{}, box, {Vec3(maker.uniform(-0.3, 0.3), maker.uniform(-0.3, 0.3), 0.999), tilt}, 0.05);
    EXPECT_GE(points.size(), 3u) << trial;
    EXPECT_GT(points.at(0).normal.z(), 0.999);
  }
}

TEST(BoxBox, thin_plates_and_long_beams_agree_with_every_axis_tried) {
  PairMaker maker(43);
  int overlapping = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    NearPair p = maker.near_pair(1, 1);
    for (Shape* shape : {&p.a, &p.b}) {
      Box& box = std::get<Box>(*shape);
      box.half_extents[trial % 3] *= trial % 2 ? 0.01 : 8;
    }
    p.pose_b.position = p.pose_a.position + maker.uniform(0, 0.7) * maker.direction();
    p.size = std::min(characteristic_length(p.a), characteristic_length(p.b));
    p.margin = 0.05 * p.size;
    const ExactSeparation truth = exact_separation(p);
    const Points points = contacts(p);
    if (truth.all > p.margin) {
      EXPECT_TRUE(points.empty());
    }
    if (truth.all >= 0) continue;
    ++overlapping;
    ASSERT_FALSE(points.empty()) << trial;
    EXPECT_GE(lowest_gap(points), 1.001 * truth.all - 0.02 * p.size) << trial;   // an axis may be 2° off
    EXPECT_LE(lowest_gap(points), 0) << trial;
  }
  EXPECT_GT(overlapping, 200);
}

TEST(BoxBox, boxes_with_one_centre_still_find_a_way_out) {
  const Points points = touch(Box{Vec3(0.5, 0.6, 0.7)}, Pose{}, Box{Vec3(0.5, 0.6, 0.7)}, Pose{}, 0.01);
  ASSERT_FALSE(points.empty());
  EXPECT_NEAR(lowest_gap(points), -1.0, 1e-12);
  EXPECT_NEAR(points[0].normal.norm(), 1, 1e-15);
}

}   // namespace
}   // namespace stickslip::testing
