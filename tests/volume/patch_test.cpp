// Patches: frames, depths, ellipses and outlines of overlaps and of contact points.
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "stickslip/math/error.h"
#include "stickslip/volume/patch.h"
#include "volume/pairs.h"
#include "volume/solids.h"

namespace stickslip::volume_test {
namespace {

/// Corners of the lower face of a box above the ground z = 0, as contact points.
std::vector<PatchPoint> corners_above_ground(const Vec3& half, const Pose& pose) {
  std::vector<PatchPoint> points;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) {
      const Vec3 corner = pose * Vec3(x * half.x(), y * half.y(), -half.z());
      points.push_back({Vec3(corner.x(), corner.y(), corner.z() / 2), corner.z()});
    }
  return points;
}

TEST(Patch, of_a_sunk_box_is_its_face) {
  const double depth = 0.01;
  const Patch p = patch_of(one_overlap(HalfSpace{}, at(0, 0, 0), Box{{1, 2, 0.5}}, at(0.3, 0.4, 0.5 - depth)));
  EXPECT_LT((p.normal() - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(std::abs(p.frame.col(1).y()), 1, 1e-12);   // the longer side
  EXPECT_NEAR(p.frame.determinant(), 1, 1e-12);
  EXPECT_NEAR(p.depth, depth, 1e-12);
  EXPECT_NEAR(p.area, 8, 1e-10);
  EXPECT_LT((p.semi_axes(EquivalentForm::cuboid) - Vec2(2, 1)).norm(), 1e-10);
  EXPECT_LT((p.semi_axes() - std::sqrt(5.0 / 3) * Vec2(2, 1)).norm(), 1e-10);
  ASSERT_EQ(p.corner_count, 4);
  EXPECT_NEAR(p.outline_area, 8, 1e-10);
  for (const Vec2& c : p.corners()) EXPECT_LT((c.cwiseAbs() - Vec2(2, 1)).norm(), 1e-10);
}

TEST(Patch, of_a_shallow_ball_is_a_disc) {
  const double r = 1, depth = 1e-4, rho = std::sqrt(depth * (2 * r - depth));
  const Patch p = patch_of(one_overlap(HalfSpace{}, at(0, 0, 0), Sphere{r}, at(0, 0, r - depth)));
  EXPECT_NEAR(p.depth, depth / 2, 1e-3 * depth);
  EXPECT_NEAR(p.area, kPi * rho * rho, 1e-10);
  EXPECT_LT((p.semi_axes(EquivalentForm::cap) - Vec2(rho, rho)).norm(), 1e-3 * rho);
  EXPECT_NEAR(p.spin_radius_of_ellipse(EquivalentForm::cap), 2.0 / 3 * rho, 1e-3 * rho);
  EXPECT_EQ(p.corner_count, 8);
}

TEST(Patch, distances_over_polygons_are_exact) {
  const std::vector<Vec2> square = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  EXPECT_NEAR(distance_integral(square), 4.0 / 3 * (std::sqrt(2.0) + std::asinh(1.0)), 1e-12);
  std::vector<Vec2> circle;
  for (int k = 0; k < 2000; ++k) circle.push_back({std::cos(2 * kPi * k / 2000), std::sin(2 * kPi * k / 2000)});
  EXPECT_NEAR(distance_integral(circle), 2 * kPi / 3, 1e-4);
  std::vector<Vec2> aside;   // a polygon that does not hold the origin: by sampling
  for (const Vec2& p : square) aside.push_back(p + Vec2(3, 0.5));
  double sum = 0;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 200; ++j) sum += Vec2(2.005 + 0.01 * i, -0.495 + 0.01 * j).norm() * 1e-4;
  EXPECT_NEAR(distance_integral(aside), sum, 1e-4);
}

TEST(Patch, of_points_passes_into_that_of_the_overlap_as_a_box_sinks) {
  const Vec3 half(1, 0.7, 0.5);
  const double slack = 1e-4;
  Patch last;
  for (int k = 0; k <= 40; ++k) {
    const double gap = 1e-4 * (20 - k) / 10;   // from 0.2 mm above to 0.2 mm below
    const Pose pose = at(0.1, 0.2, 0.5 + gap);
    Patch p = patch_of_points(corners_above_ground(half, pose), Vec3::UnitZ(), slack);
    EXPECT_NEAR(p.depth, -gap, 1e-12);
    if (gap < 0) p = patch_of(one_overlap(HalfSpace{}, at(0, 0, 0), Box{half}, pose));
    if (k > 0) {
      EXPECT_NEAR(p.depth, last.depth, 1.01e-5);
      EXPECT_LT((p.origin - last.origin).norm(), 1e-5);
      EXPECT_NEAR(p.area, last.area, 1e-9);
      EXPECT_LT((p.deviations - last.deviations).norm(), 1e-9);
      EXPECT_NEAR(p.outline_area, last.outline_area, 1e-9);
      EXPECT_NEAR(p.spin_radius, last.spin_radius, 1e-9);
      EXPECT_LT((p.frame - last.frame).norm(), 1e-9);
    }
    last = p;
  }
}

TEST(Patch, of_points_is_that_of_the_overlap_of_a_tilted_box) {
  const Vec3 half(1, 0.7, 0.5);
  const Pose pose{Vec3(0.1, 0.2, 0.4995), rotation_from_vector({0.001, 0.002, 0})};
  const Patch volume = patch_of(one_overlap(HalfSpace{}, at(0, 0, 0), Box{half}, pose));
  const Patch points = patch_of_points(corners_above_ground(half, pose), Vec3::UnitZ(), 1e-4);
  EXPECT_LT((volume.origin - points.origin).norm(), 1e-3);
  EXPECT_NEAR(volume.depth, points.depth, 1e-3 * volume.depth);
  EXPECT_NEAR(volume.area, points.area, 5e-3 * volume.area);
  EXPECT_LT((volume.deviations - points.deviations).norm(), 5e-3);
  EXPECT_NEAR(volume.outline_area, points.outline_area, 5e-3 * volume.outline_area);
}

TEST(Patch, of_one_point_or_an_edge_is_finite) {
  const PatchPoint one[] = {{Vec3(1, 2, 3), 0.01}};
  const Patch p = patch_of_points(one, Vec3::UnitX(), 1e-3);
  EXPECT_EQ(p.origin, Vec3(1, 2, 3));
  EXPECT_NEAR(p.depth, -0.01, 1e-15);
  EXPECT_EQ(p.spin_radius, 0);
  const PatchPoint two[] = {{Vec3(0, -1, 0), -0.01}, {Vec3(0, 1, 0), -0.01}};
  const Patch edge = patch_of_points(two, Vec3::UnitX(), 1e-3);
  EXPECT_NEAR(edge.depth, 0.01, 1e-15);
  EXPECT_EQ(edge.corner_count, 2);
  EXPECT_NEAR(edge.spin_radius, 0.5, 1e-12);
  EXPECT_TRUE(edge.frame.allFinite());
  EXPECT_TRUE(patch_of_points({}, Vec3::UnitX(), 1e-3).frame.allFinite());
}

TEST(Patch, a_dop_holds_the_outline) {
  Patch p = patch_of(one_overlap(HalfSpace{}, at(0, 0, 0), Box{{1, 2, 0.5}}, at(0, 0, 0.49)));
  set_outline_to_dop(p, 8);
  EXPECT_EQ(p.corner_count, 4);   // the sides of the box are among its directions
  EXPECT_NEAR(p.outline_area, 8, 1e-9);
  Patch ball = patch_of(one_overlap(HalfSpace{}, at(0, 0, 0), Sphere{1}, at(0, 0, 0.99)));
  const double inside = ball.outline_area;
  set_outline_to_dop(ball, 4);
  EXPECT_GT(ball.outline_area, inside);
  EXPECT_NEAR(ball.outline_area, 4 * ball.area / kPi, 1e-6);
  EXPECT_THROW(set_outline_to_dop(ball, 5), Error);
}

TEST(Patch, a_peg_in_a_corner_has_two) {
  // An L of two walls, thickness 1: x ≤ 0 or y ≤ 0.
  const Mesh corner =
      prism_solid({{-1, -1}, {2, -1}, {2, 0}, {0, 0}, {0, 2}, {-1, 2}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, -2, 2);
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  const Box peg{{0.5, 0.5, 1}};
  overlaps(corner, at(0, 0, 0), peg, at(0.5 - 0.02, 0.5 - 0.01, 0), scratch, found, {.rays = 64});
  ASSERT_EQ(found.size(), 1u);
  std::vector<Patch> patches;
  split(found[0], scratch.segments(), patches);
  ASSERT_EQ(patches.size(), 2u);
  for (const Patch& p : patches) {
    const bool along_x = p.normal().x() > 0.5;
    EXPECT_LT((p.normal() - (along_x ? Vec3::UnitX() : Vec3::UnitY())).norm(), 0.05);
    EXPECT_NEAR(p.area, 2, 0.1);
    EXPECT_NEAR(p.depth, along_x ? 0.02 : 0.01, 0.002);
    EXPECT_LT((p.origin - (along_x ? Vec3(-0.01, 0.49, 0) : Vec3(0.48, -0.005, 0))).norm(), 0.05);
  }
  // The other order: normals turned round.
  overlaps(peg, at(0.5 - 0.02, 0.5 - 0.01, 0), corner, at(0, 0, 0), scratch, found, {.rays = 64});
  std::vector<Patch> turned;
  split(found[0], scratch.segments(), turned);
  ASSERT_EQ(turned.size(), 2u);
  EXPECT_EQ(turned[0].normal(), -patches[0].normal());
  EXPECT_EQ(turned[0].depth, patches[0].depth);
}

TEST(Patch, a_corner_or_an_edge_in_a_flat_face_comes_apart_along_its_normal) {
  // The faces beside a corner lean by up to a right angle, and the surfaces face each other in as many directions.
  const Mesh floor = box_mesh({1, 1, 0.5}, 4);
  const Vec3 half(0.3, 0.2, 0.1);
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  std::vector<Patch> patches;
  std::mt19937 random(16);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100; ++i) {
    const Quat orientation = Quat(normal(random), normal(random), normal(random), normal(random)).normalized();
    double low = 0;
    for (int k = 0; k < 3; ++k) low -= half[k] * std::abs((orientation * Vec3(Vec3::Unit(k))).z());
    overlaps(floor, at(0, 0, -0.5), Box{half}, {Vec3(0.1, 0.05, -0.02 - low), orientation}, scratch, found, {.rays = 24});
    ASSERT_EQ(found.size(), 1u);
    split(found[0], scratch.segments(), patches);
    ASSERT_EQ(patches.size(), 1u) << i;
    EXPECT_LT((patches[0].normal() - Vec3::UnitZ()).norm(), 0.02) << i;
  }
}

TEST(Patch, two_meshes_that_touch_flat_or_by_crossed_edges_have_one) {
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  std::vector<Patch> patches;
  const Mesh box = box_mesh({0.5, 0.5, 0.5}, 2);
  overlaps(box, at(0, 0, 0), box, at(0.1, 0.2, 0.99), scratch, found);
  ASSERT_EQ(found.size(), 1u);
  split(found[0], scratch.segments(), patches);
  EXPECT_EQ(patches.size(), 1u);
  EXPECT_LT((patches[0].normal() - Vec3::UnitZ()).norm(), 0.05);
  const double high = 0.5 * std::sqrt(2.0);
  const Pose ridge{Vec3::Zero(), rotation_from_vector({kPi / 4, 0, 0})},
      keel{Vec3(0, 0, 2 * high - 0.05), rotation_from_vector({0, kPi / 4, 0})};
  overlaps(box, ridge, box, keel, scratch, found);
  ASSERT_EQ(found.size(), 1u);
  split(found[0], scratch.segments(), patches);
  EXPECT_EQ(patches.size(), 1u);
  EXPECT_LT((patches[0].normal() - Vec3::UnitZ()).norm(), 0.05);
}

TEST(Patch, an_edge_that_sinks_in_across_the_rays_is_one_area) {
  // A plate on its edge, which is sunk in less wide than rays are apart: they meet dots along it.
  const Mesh plate = box_mesh({1, 0.6, 0.05}, 3);
  const double lean = 0.5, sunk = 0.02;
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  std::vector<Patch> pieces, patches;
  for (const int rays : {24, 48})
    for (const double turn : {0.3, 0.8, 1.2}) {
      const Quat orientation = rotation_from_vector({0, 0, turn}) * rotation_from_vector({lean, 0, 0});
      const double low = 0.6 * std::sin(lean) + 0.05 * std::cos(lean);
      overlaps(HalfSpace{}, Pose{}, plate, {Vec3(0.3, 0.1, low - sunk), orientation}, scratch, found, {.rays = rays});
      patches.clear();
      for (const OverlapVolume& o : found) {
        split(o, scratch.segments(), pieces);
        patches.insert(patches.end(), pieces.begin(), pieces.end());
      }
      join_alike(patches);
      ASSERT_EQ(patches.size(), 1u) << turn;
      const Patch& edge = patches.front();
      EXPECT_GT(edge.normal().z(), 0.97) << turn;
      EXPECT_TRUE(edge.depth > 0 && edge.depth < sunk) << edge.depth;
      const Vec3 along = orientation * Vec3::UnitX();
      double reach = 0;
      for (const Vec2& c : edge.corners()) reach = std::max(reach, std::abs(along.dot(edge.frame.rightCols<2>() * c)));
      EXPECT_GT(reach, 0.7) << turn;
    }
}

TEST(Patch, plates_that_cross_have_no_direction) {
  const Box plate{{1, 0.6, 0.05}};
  const auto between = [&](const Pose& pose) { return one_overlap(plate, Pose{}, plate, pose); };
  EXPECT_TRUE(has_direction(between(at(0.1, 0.2, 0.099))));
  const Quat upright = rotation_from_vector({kPi / 2, 0, 0});
  EXPECT_TRUE(has_direction(between({Vec3(0, 0, 0.64), upright})));                                       // stands on it
  EXPECT_FALSE(has_direction(between({Vec3(0, 0, 0.1), rotation_from_vector({0.1, 0, 0}) * upright})));   // goes through it
}

TEST(Patch, depth_over_a_tilted_box_is_that_of_its_corners) {
  const Pose pose{Vec3(3, -2, 0.18), rotation_from_vector({0.03, -0.05, 0.4})};
  const Box box{{0.5, 0.4, 0.2}};
  const Patch patch = patch_of(one_overlap(HalfSpace{}, Pose{}, box, pose));
  const PatchDepth depth = depth_over(patch);
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) {
      const Vec3 corner = pose * Vec3(0.5 * x, 0.4 * y, -0.2), from = corner - patch.origin;
      if (corner.z() > 0) continue;
      EXPECT_NEAR(depth.at({patch.frame.col(1).dot(from), patch.frame.col(2).dot(from)}), -corner.z(), 2e-3);
    }
  // Sunk wholly it is exact but for how far the shadow of the corners is from where they are.
  const Patch whole = patch_of(one_overlap(HalfSpace{}, Pose{}, box, {Vec3(3, -2, 0.1), pose.orientation}));
  const Vec3 up = pose.orientation * Vec3::UnitZ();
  const PatchDepth linear = depth_over(whole);
  EXPECT_NEAR((whole.frame.rightCols<2>() * linear.slope - Vec3(up.x(), up.y(), 0)).norm(), 0, 2e-3);
}

TEST(Patch, depth_over_an_l_is_that_of_its_corners) {
  // The hull of a thin L is twice as large, and its middle is elsewhere.
  const double t = 0.2;
  const Mesh foot =
      prism_solid({{0, 0}, {1, 0}, {1, t}, {t, t}, {t, 1}, {0, 1}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, 0, 0.3);
  for (const Vec3& tilt : {Vec3(0, 0, 0.3), Vec3(0.002, -0.003, 0.3)}) {
    const Pose pose{Vec3(2, 1, -0.01), rotation_from_vector(tilt)};
    const Patch patch = patch_of(one_overlap(HalfSpace{}, Pose{}, foot, pose));
    const PatchDepth depth = depth_over(patch);
    for (const Vec2& x : {Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}) {
      const Vec3 corner = pose * Vec3(x.x(), x.y(), 0);
      EXPECT_NEAR(depth.at(patch.frame.rightCols<2>().transpose() * (corner - patch.origin)), -corner.z(), 5e-4) << tilt.x();
    }
  }
}

TEST(Patch, depth_over_four_legs_is_that_of_each) {
  const Pose pose{Vec3::Zero(), rotation_from_vector({0.004, -0.002, 0})};
  std::vector<Patch> legs;
  std::vector<Vec3> feet;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-0.5, 0.5}) {
      const Pose leg{pose * Vec3(x, y, 0.49), pose.orientation};
      legs.push_back(patch_of(one_overlap(HalfSpace{}, Pose{}, Box{{0.05, 0.05, 0.5}}, leg)));
      feet.push_back(leg * Vec3(0, 0, -0.5));
    }
  const Patch table = joined(legs);
  const PatchDepth depth = depth_over(table);
  for (const Vec3& foot : feet)
    EXPECT_NEAR(depth.at(table.frame.rightCols<2>().transpose() * (foot - table.origin)), -foot.z(), 5e-5);
}

TEST(Patch, discs_and_caps_are_round_and_boxes_are_not) {
  const auto outline = [](const Shape& shape, const Pose& pose, double tolerance = 0.02) {
    return round_outline(patch_of(one_overlap(HalfSpace{}, Pose{}, shape, pose)), tolerance);
  };
  const auto disc = outline(Cylinder{0.3, 0.1}, at(0, 0, 0.099)), cap = outline(Sphere{0.3}, at(0, 0, 0.298));
  ASSERT_TRUE(disc && cap);
  EXPECT_EQ(disc->form, EquivalentForm::sheet);
  EXPECT_NEAR((disc->half_axes - Vec2::Constant(0.3)).norm(), 0, 1e-3);
  EXPECT_EQ(cap->form, EquivalentForm::cap);
  EXPECT_NEAR((cap->half_axes - Vec2::Constant(std::sqrt(0.3 * 0.3 - 0.298 * 0.298))).norm(), 0, 1e-6);
  const auto deep = outline(Sphere{0.3}, at(0, 0, 0.2), 0.1);
  ASSERT_TRUE(deep);
  EXPECT_EQ(deep->form, EquivalentForm::cap);
  EXPECT_NEAR((deep->half_axes - Vec2::Constant(std::sqrt(0.3 * 0.3 - 0.2 * 0.2))).norm(), 0, 1e-6);
  EXPECT_FALSE(outline(Box{{0.3, 0.3, 0.1}}, at(0, 0, 0.099)));
  EXPECT_FALSE(outline(Cylinder{0.3, 0.4}, {Vec3(0, 0, 0.298), rotation_from_vector({kPi / 2, 0, 0})}, 0.1));
}

TEST(Patch, legs_of_a_table_are_one_and_walls_of_a_corner_are_two) {
  const auto sunk = [](const Vec3& place) {
    return patch_of(one_overlap(HalfSpace{}, Pose{}, Box{{0.1, 0.1, 0.5}}, {place, Quat::Identity()}));
  };
  std::vector<Patch> legs;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-0.5, 0.5}) legs.push_back(sunk({x, y, 0.49}));
  join_alike(legs);
  ASSERT_EQ(legs.size(), 1u);
  EXPECT_NEAR(legs[0].area, 4 * 0.04, 1e-12);
  EXPECT_NEAR(legs[0].depth, 0.01, 1e-12);
  EXPECT_NEAR((legs[0].origin - Vec3(0, 0, -0.005)).norm(), 0, 1e-12);
  EXPECT_NEAR(legs[0].outline_area, 2.2 * 1.2, 1e-12);
  EXPECT_NEAR(legs[0].deviations.x(), std::sqrt(1 + 0.01 / 3), 1e-12);

  const Pose wall{Vec3::Zero(), rotation_from_vector({0, kPi / 2, 0})};   // its inside is x < 0
  std::vector<Patch> corner = {sunk({0.09, 0, 0.49}),
                               patch_of(one_overlap(HalfSpace{}, wall, Box{{0.1, 0.1, 0.5}}, at(0.09, 0, 0.49)))};
  join_alike(corner);
  EXPECT_EQ(corner.size(), 2u);
}

}   // namespace
}   // namespace stickslip::volume_test
