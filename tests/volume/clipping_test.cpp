// Convex pairs: closed forms, and derivatives by differences.
#include <numbers>

#include <gtest/gtest.h>

#include "volume/pairs.h"

namespace stickslip::volume_test {
namespace {

TEST(Clipping, two_boxes_share_a_box) {
  const OverlapVolume o = one_overlap(Box{{1, 1, 1}}, at(0, 0, 0), Box{{0.5, 2, 0.25}}, at(0.9, 0.3, 1.2));
  // x 0.4 … 1, y −1 … 1, z 0.95 … 1
  const Vec3 side(0.6, 2, 0.05);
  EXPECT_NEAR(o.volume, side.prod(), 1e-12 * side.prod());
  EXPECT_LT((o.centroid - Vec3(0.7, 0, 0.975)).norm(), 1e-12);
  const Vec3 expected = o.volume / 12 * side.cwiseAbs2();
  EXPECT_LT((o.second_moment - Mat3(expected.asDiagonal())).norm(), 1e-12 * expected.norm());
  // B's faces x = 0.4 and z = 0.95 bound it; A's bound the rest.
  EXPECT_LT((o.gradient - Vec3(-2 * 0.05, 0, -1.2)).norm(), 1e-12);
}

TEST(Clipping, a_ball_in_a_half_space_is_a_cap) {
  for (const double wanted : {1e-6, 1e-3, 0.3, 1.0, 1.7}) {
    const double r = 1, height = r - wanted, depth = r - height;   // as deep as rounding leaves it
    const OverlapVolume o = one_overlap(HalfSpace{}, at(0, 0, 0), Sphere{r}, at(0.2, -0.1, height));
    const double volume = kPi * depth * depth * (3 * r - depth) / 3;
    EXPECT_NEAR(o.volume, volume, 1e-12 * volume);
    const double out = 3 * (2 * r - depth) * (2 * r - depth) / (4 * (3 * r - depth));
    EXPECT_NEAR(o.centroid.z(), r - depth - out, 1e-12);
    EXPECT_NEAR(o.gradient.z(), -kPi * depth * (2 * r - depth), 1e-12 * depth);
    EXPECT_LT(o.turning.norm(), 1e-12 * depth);
  }
}

TEST(Clipping, two_balls_share_a_lens) {
  const double ra = 1, rb = 0.7, d = 1.4;
  const OverlapVolume o = one_overlap(Sphere{ra}, at(0, 0, 0), Sphere{rb}, at(0, d, 0));
  const double s = ra + rb - d;
  const double volume = kPi * s * s * (d * d + 2 * d * (ra + rb) - 3 * (ra - rb) * (ra - rb)) / (12 * d);
  EXPECT_NEAR(o.volume, volume, 1e-12 * volume);
  expect_derivatives(Sphere{ra}, at(0, 0, 0), Sphere{rb}, at(0, d, 0), 1e-6);
}

TEST(Clipping, a_tetrahedron_dips_its_corner_into_a_half_space) {
  const ConvexHull tetrahedron = make_convex_hull({{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {-1, -1, 1}});
  const double depth = 0.3;   // similar to the whole
  const OverlapVolume o = one_overlap(HalfSpace{}, at(0, 0, 0), tetrahedron, at(0, 0, -depth));
  const double area = 1.5 * depth * depth;
  EXPECT_NEAR(o.volume, area * depth / 3, 1e-12 * area);
  EXPECT_NEAR(o.centroid.z(), -depth / 4, 1e-12);
  EXPECT_LT((o.gradient - Vec3(0, 0, -area)).norm(), 1e-12);
}

TEST(Clipping, a_ball_through_a_face_and_over_a_corner_of_a_box_is_exact) {
  const Box box{{1, 1, 1}};
  // Far from edges the box is a half-space.
  for (const double depth : {1e-5, 0.01, 0.3}) {
    const OverlapVolume at_face = one_overlap(box, at(0, 0, -1), Sphere{0.5}, at(0.1, 0.2, 0.5 - depth));
    const OverlapVolume at_plane = one_overlap(HalfSpace{}, at(0, 0, 0), Sphere{0.5}, at(0.1, 0.2, 0.5 - depth));
    EXPECT_NEAR(at_face.volume, at_plane.volume, 1e-10 * at_plane.volume);
    EXPECT_LT((at_face.second_moment - at_plane.second_moment).norm(), 1e-9 * at_plane.second_moment.norm());
    EXPECT_LT((at_face.gradient - at_plane.gradient).norm(), 1e-10 * at_plane.gradient.norm());
  }
  // An eighth of a ball at a corner, a quarter at an edge, a half at a face.
  const double whole = 4 * kPi / 3 * 0.125;
  EXPECT_NEAR(one_overlap(box, at(0, 0, 0), Sphere{0.5}, at(1, 1, 1)).volume, whole / 8, 1e-9);
  EXPECT_NEAR(one_overlap(box, at(0, 0, 0), Sphere{0.5}, at(1, 1, 0)).volume, whole / 4, 1e-9);
  EXPECT_NEAR(one_overlap(box, at(0, 0, 0), Sphere{0.5}, at(1, 0, 0)).volume, whole / 2, 1e-9);
  const OverlapVolume eighth = one_overlap(box, at(0, 0, 0), Sphere{0.5}, at(1, 1, 1));
  EXPECT_LT((eighth.centroid - Vec3::Constant(1 - 3.0 / 8 * 0.5)).norm(), 1e-9);
}

TEST(Clipping, lying_cylinders_and_capsules_have_segments_of_discs) {
  const double r = 0.5, h = 1, depth = 0.1;
  const Pose lying{Vec3(0, 0, r - depth), rotation_from_vector({kPi / 2, 0, 0})};
  const double half = std::acos(1 - depth / r), segment = r * r * (half - std::sin(half) * std::cos(half));
  const OverlapVolume o = one_overlap(HalfSpace{}, at(0, 0, 0), Cylinder{r, h}, lying);
  EXPECT_NEAR(o.volume, 2 * h * segment, 2e-3 * o.volume);
  EXPECT_NEAR(o.gradient.z(), -2 * h * 2 * r * std::sin(half), 2e-3 * o.gradient.norm());
  const double cap = kPi * depth * depth * (3 * r - depth) / 3;
  const OverlapVolume c = one_overlap(HalfSpace{}, at(0, 0, 0), Capsule{r, h}, lying);
  EXPECT_NEAR(c.volume, 2 * h * segment + cap, 2e-3 * c.volume);
  const OverlapVolume standing = one_overlap(HalfSpace{}, at(0, 0, 0), Cylinder{r, h}, at(0, 0, h - depth));
  EXPECT_NEAR(standing.volume, kPi * r * r * depth, 1e-12);
}

TEST(Clipping, errors_of_bent_sides_fall_with_the_square_of_the_facets) {
  const Pose lying{Vec3(0, 0, 0.4), rotation_from_vector({kPi / 2 - 0.05, 0.2, 0})};
  const auto volume = [&](int facets) {
    return one_overlap(HalfSpace{}, at(0, 0, 0), Cylinder{0.5, 1}, lying, {.round_facets = facets}).volume;
  };
  const double exact = volume(256);
  EXPECT_LT(std::abs(volume(16) - exact), 0.3 * std::abs(volume(8) - exact));
  EXPECT_LT(std::abs(volume(32) - exact), 0.3 * std::abs(volume(16) - exact));
  EXPECT_LT(std::abs(volume(32) - exact), 1e-3 * exact);
}

TEST(Clipping, shallow_contact_is_measured_as_well_as_deep) {
  for (const double depth : {1e-2, 1e-4, 1e-6}) {
    const double r = 0.5, h = 1, half = std::acos(1 - depth / r);
    const Pose lying{Vec3(0, 0, r - depth), rotation_from_vector({kPi / 2, 0, 0})};
    const OverlapVolume o = one_overlap(Box{{3, 3, 1}}, at(0, 0, -1), Cylinder{r, h}, lying);
    EXPECT_NEAR(-o.gradient.z(), 4 * h * r * std::sin(half), 0.01 * 4 * h * r * std::sin(half)) << depth;
  }
}

TEST(Clipping, gradients_are_the_derivatives_of_the_volume) {
  const std::vector<PlacedPair> pairs = convex_pairs();
  for (const PlacedPair& p : pairs) {
    SCOPED_TRACE(std::string(shape_name(p.a)) + " and " + std::string(shape_name(p.b)));
    expect_derivatives(p.a, p.pose_a, p.b, p.pose_b, p.tolerance);
  }
}

TEST(Clipping, what_a_motion_of_a_does_is_the_opposite) {
  for (const PlacedPair& p : convex_pairs()) {
    if (std::holds_alternative<HalfSpace>(p.a)) continue;
    SCOPED_TRACE(std::string(shape_name(p.a)) + " and " + std::string(shape_name(p.b)));
    const OverlapVolume o = one_overlap(p.a, p.pose_a, p.b, p.pose_b);
    const double step = 1e-5;
    for (int axis = 0; axis < 3; ++axis) {
      Pose plus = p.pose_a, minus = p.pose_a;
      plus.position[axis] += step, minus.position[axis] -= step;
      const double slope =
          (one_overlap(p.a, plus, p.b, p.pose_b).volume - one_overlap(p.a, minus, p.b, p.pose_b).volume) / (2 * step);
      EXPECT_NEAR(slope, -o.gradient[axis], p.tolerance * o.gradient.norm());
    }
  }
}

TEST(Clipping, more_facets_change_little) {
  for (const PlacedPair& p : convex_pairs()) {
    SCOPED_TRACE(std::string(shape_name(p.a)) + " and " + std::string(shape_name(p.b)));
    const OverlapVolume few = one_overlap(p.a, p.pose_a, p.b, p.pose_b);
    const OverlapVolume many = one_overlap(p.a, p.pose_a, p.b, p.pose_b, {.round_facets = 64});
    EXPECT_NEAR(few.volume, many.volume, 0.3 * p.tolerance * many.volume);
    EXPECT_LT((few.gradient - many.gradient).norm(), 0.5 * p.tolerance * many.gradient.norm());
    EXPECT_LT((few.second_moment - many.second_moment).norm(), p.tolerance * many.second_moment.norm());
  }
}

TEST(Clipping, swapping_the_shapes_mirrors_the_answer) {
  for (const PlacedPair& p : convex_pairs()) {
    const OverlapVolume ab = one_overlap(p.a, p.pose_a, p.b, p.pose_b), ba = one_overlap(p.b, p.pose_b, p.a, p.pose_a);
    EXPECT_EQ(ab.volume, ba.volume);
    EXPECT_EQ(ab.centroid, ba.centroid);
    EXPECT_EQ(ab.gradient, -ba.gradient);
    EXPECT_EQ(ab.turning, -ba.turning);
  }
}

TEST(Clipping, results_follow_a_sliding_turning_motion_without_jumps) {
  for (const PlacedPair& p : convex_pairs()) {
    SCOPED_TRACE(std::string(shape_name(p.a)) + " and " + std::string(shape_name(p.b)));
    const double size = std::min(1.0, bounding_radius(p.b));
    OverlapVolume last = one_overlap(p.a, p.pose_a, p.b, p.pose_b);
    constexpr int steps = 60;
    for (int k = 1; k <= steps; ++k) {
      const double s = 0.2 * k / steps;
      const Pose moved{p.pose_b.position + size * s * Vec3(0.3, -0.2, 0.1),
                       rotation_from_vector(s * Vec3(0.5, 0.8, -0.6)) * p.pose_b.orientation};
      const OverlapVolume o = one_overlap(p.a, p.pose_a, p.b, moved);
      const double moved_by = 0.2 / steps * size * 3;   // of any point, with room
      const double scale = std::max(o.gradient.norm(), last.gradient.norm());
      EXPECT_LT(std::abs(o.volume - last.volume), moved_by * scale + p.tolerance * o.volume);
      EXPECT_LT((o.centroid - last.centroid).norm(), 12 * moved_by + p.tolerance * size);
      EXPECT_LT((o.gradient - last.gradient).norm(), (12 * moved_by / size + p.tolerance) * scale);
      last = o;
    }
  }
}

}   // namespace
}   // namespace stickslip::volume_test
