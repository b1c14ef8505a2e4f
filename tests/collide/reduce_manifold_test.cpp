#include <gtest/gtest.h>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

using Points = std::vector<ContactPoint>;

// Area and membership in the plane z = 0; points of a convex polygon in any order.
Points around(Points points) {
  Vec3 center = Vec3::Zero();
  for (const auto& p : points) center += p.position / static_cast<double>(points.size());
  std::sort(points.begin(), points.end(), [&](const ContactPoint& p, const ContactPoint& q) {
    const Vec3 a = p.position - center, b = q.position - center;
    return std::atan2(a.y(), a.x()) < std::atan2(b.y(), b.x());
  });
  return points;
}

double area(const Points& points) {
  const Points loop = around(points);
  double twice = 0;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec3 &p = loop[k].position, &q = loop[(k + 1) % loop.size()].position;
    twice += p.x() * q.y() - p.y() * q.x();
  }
  return twice / 2;
}

ContactPoint point(double x, double y, double gap, std::uint32_t feature) {
  return {Vec3(x, y, 0), Vec3::UnitZ(), gap, feature};
}

TEST(ReduceManifold, all_corners_of_an_octagon_stay_whichever_is_deepest) {
  for (int deepest = 0; deepest < 8; ++deepest) {
    Points points;
    for (int k = 0; k < 8; ++k)
      points.push_back(point(std::cos(M_PI / 4 * k), std::sin(M_PI / 4 * k), k == deepest ? -0.01 : -0.001, k));
    reduce_manifold(points, 0.0);
    EXPECT_EQ(points.size(), 8u);
    EXPECT_EQ(lowest_gap(points), -0.01);
  }
}

TEST(ReduceManifold, corners_that_hardly_stand_out_are_dropped) {
  Points points;
  for (int k = 0; k < 4; ++k) {
    const Vec3 corner(k == 0 || k == 3 ? 1 : -1, k < 2 ? 1 : -1, 0), next(-corner.y(), corner.x(), 0);
    points.push_back(point(corner.x(), corner.y(), 0, 2 * k));
    const Vec3 middle = 1.03 * 0.5 * (corner + next);   // a side that is bent by 3 % of half its length
    points.push_back(point(middle.x(), middle.y(), 0, 2 * k + 1));
  }
  reduce_manifold(points, 0.0);
  EXPECT_EQ(points.size(), 4u);
}

// How far a point lies outside a convex polygon [m].
double outside(const Points& points, const Vec3& x) {
  const Points loop = around(points);
  double farthest = 0;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec3 &p = loop[k].position, &q = loop[(k + 1) % loop.size()].position;
    if ((q - p).norm() > 0) farthest = std::max(farthest, -(q - p).normalized().cross(x - p).z());
  }
  return farthest;
}

// A patch lies in one plane, which may be tilted, or all of it touches.
TEST(ReduceManifold, any_convex_patch_keeps_its_deepest_point_half_its_area_and_what_stands_out) {
  PairMaker maker(9);
  double worst = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const int n = 5 + trial % 12;
    const double squash = maker.uniform(0.05, 1);
    const Vec3 tilt(maker.uniform(-0.5, 0.5), maker.uniform(-0.5, 0.5), 0);
    Points points;
    for (int k = 0; k < n; ++k) {   // points on an ellipse are in convex position
      const double angle = maker.uniform(0, 2 * M_PI);
      const Vec3 at(std::cos(angle), squash * std::sin(angle), 0);
      points.push_back(point(at.x(), at.y(), trial % 2 ? tilt.dot(at) : maker.uniform(-0.2, 0), 1000 - k));
    }
    const Points all = points;
    const double before = area(points), deepest = lowest_gap(points);
    reduce_manifold(points, 0.0);
    ASSERT_LE(points.size(), 8u);
    EXPECT_NEAR(lowest_gap(points), deepest, 1e-5);
    EXPECT_GE(area(points), 0.5 * before * (1 - 1e-5));
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](auto& p, auto& q) { return p.feature < q.feature; }));
    if (points.size() == 8) continue;   // no room for more
    for (const ContactPoint& p : all) {
      EXPECT_LT(outside(points, p.position), 0.1 * 2) << trial;   // 8 % of the size, and a little for where it was measured
      worst = std::max(worst, outside(points, p.position));
    }
  }
  EXPECT_GT(worst, 0.05);   // the bound is not idle
}

TEST(ReduceManifold, the_kept_set_does_not_depend_on_the_order_of_the_points_or_on_rounding) {
  PairMaker maker(10);
  for (int trial = 0; trial < 200; ++trial) {
    Points points;
    for (int k = 0; k < 8; ++k) points.push_back(point(std::cos(M_PI / 4 * k), std::sin(M_PI / 4 * k), 0, k));
    Points shuffled = points;
    for (auto& p : shuffled) p.gap += maker.uniform(-1e-9, 1e-9), p.position += 1e-9 * maker.direction();
    std::rotate(shuffled.begin(), shuffled.begin() + trial % 8, shuffled.end());
    reduce_manifold(points, 0.0);
    reduce_manifold(shuffled, 0.0);
    ASSERT_EQ(points.size(), shuffled.size());
    for (std::size_t k = 0; k < points.size(); ++k) EXPECT_EQ(points[k].feature, shuffled[k].feature);
  }
}

TEST(ReduceManifold, of_points_on_a_line_the_ends_and_the_deepest_stay) {
  Points points;
  for (int k = 0; k < 6; ++k) points.push_back(point(k, 2 * k, k == 2 ? -0.1 : 0.0, k));
  reduce_manifold(points, 0.0);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].feature, 0u);
  EXPECT_EQ(points[1].feature, 2u);
  EXPECT_EQ(points[2].feature, 5u);
}

// The corners of a box over the plane z = 0, turned at random: a polytope's way to land.
struct TurnedBox {
  Points corners;
  Mat3 rotation;

  explicit TurnedBox(PairMaker& maker) {
    const Vec3 half(maker.uniform(0.1, 1), maker.uniform(0.1, 1), maker.uniform(0.1, 1));
    rotation = maker.rotation().toRotationMatrix();
    for (int k = 0; k < 8; ++k) {
      const Vec3 x = rotation * half.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
      corners.push_back(point(x.x(), x.y(), x.z() + 3, k));
    }
  }
};

TEST(ReduceManifold, of_a_box_in_flight_the_face_that_lands_most_easily_stays_whole) {
  PairMaker maker(10);
  for (int trial = 0; trial < 2000; ++trial) {
    TurnedBox box(maker);
    int axis;
    box.rotation.row(2).cwiseAbs().maxCoeff(&axis);
    const bool upper = box.rotation(2, axis) < 0;   // its face on the positive side of the axis looks down
    reduce_manifold(box.corners, 0.0);
    ASSERT_EQ(box.corners.size(), 4u);
    for (const ContactPoint& p : box.corners) EXPECT_EQ((p.feature >> axis & 1) == 1, upper);
  }
}

// Turning by t lifts a point at x by t · x. Whatever turn in reach is tried, no corner comes lower than the lowest one kept.
TEST(ReduceManifold, no_turn_in_reach_brings_a_dropped_corner_below_the_kept_ones) {
  PairMaker maker(11);
  int dropped = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Points all = TurnedBox(maker).corners;
    double extent = 0;
    for (const auto& p : all) extent = std::max(extent, (p.position - all[0].position).norm());
    Points kept = all;
    const double turn = maker.uniform(0, 1);
    reduce_manifold(kept, turn * extent);
    dropped += static_cast<int>(all.size() - kept.size());
    for (int k = 0; k < 50; ++k) {
      const Vec3 t = maker.uniform(0, turn) * Vec3(std::cos(k), std::sin(k), 0);
      const auto lowest = [&](const Points& points) {
        double z = 1e9;
        for (const auto& p : points) z = std::min(z, p.gap + t.dot(p.position));
        return z;
      };
      EXPECT_NEAR(lowest(kept), lowest(all), 1e-5 * extent);
    }
  }
  EXPECT_GT(dropped, 4000);
}

}   // namespace
}   // namespace stickslip::testing
