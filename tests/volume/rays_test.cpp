// Rays through meshes and shapes, against clipping and closed forms.
#include <numbers>

#include <gtest/gtest.h>

#include "stickslip/math/error.h"
#include "volume/pairs.h"
#include "volume/solids.h"

namespace stickslip::volume_test {
namespace {

OverlapVolume one_by_rays(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, int rays = 48) {
  static OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  overlaps_by_rays(a, pose_a, b, pose_b, scratch, found, {.rays = rays});
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? OverlapVolume{} : found[0];
}

/// All pieces together: single bumps may touch by themselves.
OverlapVolume total(const std::vector<OverlapVolume>& pieces) {
  OverlapVolume sum;
  for (const OverlapVolume& o : pieces)
    sum.volume += o.volume, sum.centroid += o.volume * o.centroid, sum.gradient += o.gradient;
  EXPECT_GT(sum.volume, 0);
  sum.centroid /= sum.volume;
  for (const OverlapVolume& o : pieces) {
    const Vec3 arm = o.centroid - sum.centroid;
    sum.turning += o.turning + arm.cross(o.gradient);
    sum.second_moment += o.second_moment + o.volume * arm * arm.transpose();
  }
  return sum;
}

TEST(Rays, agree_with_clipping_and_better_the_more_there_are) {
  double coarse = 0, fine = 0;
  for (const PlacedPair& p : convex_pairs()) {
    SCOPED_TRACE(std::string(shape_name(p.a)) + " and " + std::string(shape_name(p.b)));
    const OverlapVolume exact = one_overlap(p.a, p.pose_a, p.b, p.pose_b, {.round_facets = 64});
    const OverlapVolume few = one_by_rays(p.a, p.pose_a, p.b, p.pose_b, 16),
                        many = one_by_rays(p.a, p.pose_a, p.b, p.pose_b, 64);
    coarse += std::abs(few.volume / exact.volume - 1), fine += std::abs(many.volume / exact.volume - 1);
    EXPECT_NEAR(many.volume, exact.volume, 0.01 * exact.volume);
    EXPECT_LT((many.centroid - exact.centroid).norm(), 0.005);
    EXPECT_LT((many.gradient - exact.gradient).norm(), 0.02 * exact.gradient.norm());
    EXPECT_LT((many.second_moment - exact.second_moment).norm(), 0.03 * exact.second_moment.norm());
    const double arm = std::sqrt(exact.second_moment.trace() / exact.volume);
    EXPECT_LT((many.turning - exact.turning).norm(), 0.02 * arm * exact.gradient.norm());
  }
  EXPECT_LT(fine, 0.2 * coarse);
}

TEST(Rays, a_mesh_of_a_box_is_the_box) {
  const Pose lying{Vec3(0.1, 0.2, 0.47), rotation_from_vector({0.02, -0.03, 0.4})};
  const OverlapVolume exact = one_overlap(HalfSpace{}, at(0, 0, 0), Box{{1, 0.8, 0.5}}, lying);
  for (const int n : {1, 7}) {
    const OverlapVolume o = one_by_rays(HalfSpace{}, at(0, 0, 0), box_mesh({1, 0.8, 0.5}, n), lying, 96);
    EXPECT_NEAR(o.volume, exact.volume, 0.01 * exact.volume);
    EXPECT_LT((o.gradient - exact.gradient).norm(), 0.01 * exact.gradient.norm());
    EXPECT_LT((o.centroid - exact.centroid).norm(), 0.01);
  }
}

TEST(Rays, what_is_small_against_the_boxes_of_two_meshes_is_measured_as_well_as_what_fills_them) {
  // A cube that stands on a corner dips into a slab: a pyramid in the middle of boxes that are up to thirty times as wide.
  const Quat on_corner = Quat::FromTwoVectors(Vec3(1, 1, 1), Vec3::UnitZ());
  for (const double depth : {0.05, 0.1, 0.2}) {
    const Pose cube{Vec3(0.2, -0.1, std::sqrt(3.0) - depth), on_corner}, slab = at(0, 0, -0.5);
    const OverlapVolume exact = one_overlap(Box{{3, 3, 0.5}}, slab, Box{{1, 1, 1}}, cube);
    OverlapScratch scratch;
    std::vector<OverlapVolume> found;
    overlaps_by_rays(box_mesh({3, 3, 0.5}, 4), slab, box_mesh({1, 1, 1}, 4), cube, scratch, found);
    const OverlapVolume o = total(found);
    EXPECT_NEAR(o.volume, exact.volume, 0.01 * exact.volume) << depth;
    EXPECT_LT((o.gradient - exact.gradient).norm(), 0.03 * exact.gradient.norm()) << depth;
  }
}

TEST(Rays, what_one_ray_meets_is_measured_as_well_as_what_many_do) {
  // A corner of a cube that dips into a slab by less than the distance between rays, in many directions.
  const Mesh slab_mesh = box_mesh({3, 3, 0.5}, 4), cube_mesh = box_mesh({1, 1, 1}, 4);
  const Pose slab = at(0, 0, -0.5);
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  int seen = 0;
  for (const double depth : {0.01, 0.02, 0.03})
    for (int k = 0; k < 60; ++k) {
      const Quat turned = rotation_from_vector({0.3 * std::sin(2.3 * k), 0.3 * std::sin(3.1 * k), 1.0 * k}) *
                          Quat::FromTwoVectors(Vec3(1, 1, 1), Vec3::UnitZ());
      const double low = -turned.toRotationMatrix().row(2).cwiseAbs().sum();
      const Pose cube{Vec3(0.37 * std::sin(k), 0.41 * std::cos(1.7 * k), -low - depth), turned};
      overlaps_by_rays(slab_mesh, slab, cube_mesh, cube, scratch, found);
      if (found.empty()) continue;   // between the rays
      ++seen;
      const OverlapVolume exact = one_overlap(Box{{3, 3, 0.5}}, slab, Box{{1, 1, 1}}, cube), o = total(found);
      EXPECT_NEAR(o.volume, exact.volume, 0.02 * exact.volume) << depth << " " << k;
      EXPECT_LT((o.gradient - exact.gradient).norm(), 0.08 * exact.gradient.norm()) << depth << " " << k;
    }
  EXPECT_GT(seen, 120);
}

TEST(Rays, thin_sheets_are_measured_across) {
  for (const double depth : {1e-2, 1e-4, 1e-6}) {
    const Mesh mesh = box_mesh({1, 1, 0.5}, 5);
    const OverlapVolume o = one_by_rays(HalfSpace{}, at(0, 0, 0), mesh, at(0, 0, 0.5 - depth), 32);
    EXPECT_NEAR(o.volume, 4 * depth, 1e-6 * depth);
    EXPECT_NEAR(o.gradient.z(), -4, 1e-6);
    const OverlapVolume on_box = one_by_rays(Box{{0.5, 2, 1}}, at(0, 0, -1), mesh, at(0, 0, 0.5 - depth), 32);
    EXPECT_NEAR(on_box.volume, 2 * depth, 1e-6 * depth);
    EXPECT_LT((on_box.gradient - Vec3(0, 0, -2)).norm(), 0.01);
    EXPECT_EQ(on_box.degeneracy, depth < 1e-3 ? Degeneracy::sheet : Degeneracy::none);
  }
}

TEST(Rays, gradients_are_the_derivatives_of_the_volume) {
  const Pose tilted{Vec3(0.05, 0.1, 0.85), rotation_from_vector({0.15, 0.1, 0.3})};
  const auto check = [&](const Shape& a, const Shape& b) {
    // Differences over a step that is large beside what rays cannot see.
    const OverlapOptions options{.rays = 72};
    const OverlapVolume o = total(all_overlaps(a, at(0, 0, 0), b, tilted, options));
    const double step = 0.02, arm = std::sqrt(o.second_moment.trace() / o.volume);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 along = step * Vec3::Unit(axis);
      const auto volume = [&](const Pose& pose) { return total(all_overlaps(a, at(0, 0, 0), b, pose, options)).volume; };
      const double slope =
          (volume({tilted.position + along, tilted.orientation}) - volume({tilted.position - along, tilted.orientation})) /
          (2 * step);
      EXPECT_NEAR(slope, o.gradient[axis], 0.05 * o.gradient.norm());
      const auto turned = [&](double sign) {
        const Quat turn = rotation_from_vector(sign * along);
        return Pose{o.centroid + turn * (tilted.position - o.centroid), turn * tilted.orientation};
      };
      EXPECT_NEAR((volume(turned(1)) - volume(turned(-1))) / (2 * step), o.turning[axis], 0.05 * arm * o.gradient.norm());
    }
  };
  check(HalfSpace{}, bumpy_cube_mesh(16, 0.05));
  check(Box{{0.6, 0.8, 0.2}}, ball_mesh(1, 16));
}

TEST(Rays, two_meshes_share_what_their_shapes_do) {
  const Pose moved{Vec3(0.9, 0.2, 0.1), rotation_from_vector({0.3, 0.1, 0.5})};
  const OverlapVolume exact = one_overlap(Box{{0.5, 0.6, 0.7}}, at(0, 0, 0), Sphere{0.6}, moved);
  const OverlapVolume o = one_by_rays(box_mesh({0.5, 0.6, 0.7}, 3), at(0, 0, 0), ball_mesh(0.6, 24), moved, 96);
  EXPECT_NEAR(o.volume, exact.volume, 0.02 * exact.volume);
  EXPECT_LT((o.gradient - exact.gradient).norm(), 0.02 * exact.gradient.norm());
  EXPECT_LT((o.centroid - exact.centroid).norm(), 0.01);
}

TEST(Rays, swapping_the_shapes_mirrors_the_answer) {
  const Pose moved{Vec3(0.9, 0.2, 0.1), rotation_from_vector({0.3, 0.1, 0.5})};
  const Mesh a = box_mesh({0.5, 0.6, 0.7}, 3), b = ball_mesh(0.6, 12);
  for (const Shape& other : {Shape(b), Shape(Sphere{0.6}), Shape(a)}) {
    const OverlapVolume ab = one_by_rays(a, at(0, 0, 0), other, moved), ba = one_by_rays(other, moved, a, at(0, 0, 0));
    EXPECT_EQ(ab.volume, ba.volume);
    EXPECT_EQ(ab.gradient, -ba.gradient);
    EXPECT_EQ(ab.turning, -ba.turning);
    EXPECT_EQ(ab.segment_count, ba.segment_count);
  }
}

TEST(Rays, pieces_that_do_not_hang_together_are_counted) {
  // A comb with three teeth on the ground: a prism along z, turned so that the teeth point down.
  std::vector<Vec2> outline;
  for (int k = 0; k < 3; ++k)
    for (const Vec2& p : {Vec2(2 * k, 0), Vec2(2 * k + 1, 0), Vec2(2 * k + 1, 1), Vec2(2 * k + 2, 1)})
      if (k < 2 || p.y() < 1) outline.push_back(p);
  outline.push_back({5, 2}), outline.push_back({0, 2});
  const auto n = static_cast<std::uint32_t>(outline.size());   // 12
  ASSERT_EQ(n, 12u);
  const Mesh comb = prism_solid(
      outline,
      {{0, 1, 2}, {2, 11, 0}, {3, 4, 5}, {5, 6, 3}, {7, 8, 9}, {9, 10, 7}, {2, 3, 11}, {3, 6, 11}, {6, 7, 11}, {7, 10, 11}},
      -0.5, 0.5);
  ASSERT_TRUE(comb.solid->closed());
  ASSERT_NEAR(comb.solid->solid()->mass, 8, 1e-12);
  const Quat down = rotation_from_vector({std::numbers::pi / 2, 0, 0});
  const std::vector<OverlapVolume> found = all_overlaps(HalfSpace{}, at(0, 0, 0), comb, {Vec3(0, 0, -0.1), down}, {.rays = 64});
  ASSERT_EQ(found.size(), 3u);
  for (const OverlapVolume& o : found) {
    EXPECT_NEAR(o.volume, 0.1, 0.01);
    EXPECT_NEAR(std::fmod(o.centroid.x(), 2), 0.5, 0.02);
    EXPECT_NEAR(o.gradient.z(), -1, 0.1);
  }
  const std::vector<OverlapVolume> sunk = all_overlaps(HalfSpace{}, at(0, 0, 0), comb, {Vec3(0, 0, -1.2), down}, {.rays = 64});
  ASSERT_EQ(sunk.size(), 1u);
  EXPECT_NEAR(sunk[0].volume, 3 + 0.2 * 5, 0.1);
}

TEST(Rays, a_piece_that_rays_along_the_best_axis_pass_by_is_one_by_itself) {
  // A slab on top of a box, and a wall that reaches into its side by less than the rays from above are apart.
  TriangleMesh both;
  const auto add = [&](const Vec3& middle, const Vec3& half) {
    const TriangleMesh box = box_mesh(half).solid->mesh();
    const auto first = static_cast<std::uint32_t>(both.vertices.size());
    for (const Vec3& x : box.vertices) both.vertices.push_back(middle + x);
    for (const auto& t : box.triangles) both.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  };
  add({-0.2, 0, 0.6}, {0.25, 0.4, 0.12});
  add({0.6, 0, -0.2}, {0.1001, 0.2, 0.2});
  const Mesh mesh = make_mesh(std::move(both));
  for (const int rays : {24, 48}) {
    const auto found = all_overlaps(Box{Vec3::Constant(0.5)}, at(0, 0, 0), mesh, at(0, 0, 0), {.rays = rays});
    ASSERT_EQ(found.size(), 2u) << rays;
    EXPECT_NEAR(found[0].volume, 0.02 * 0.5 * 0.8, 0.02 * 0.008);
    EXPECT_NEAR(found[1].volume, 1e-4 * 0.4 * 0.4, 0.02 * 1.6e-5);
    EXPECT_LT((found[1].gradient - Vec3(-0.16, 0, 0)).norm(), 0.02 * 0.16) << found[1].gradient.transpose();
    EXPECT_LT((found[1].centroid - Vec3(0.5, 0, -0.2)).norm(), 0.01);
  }
}

TEST(Rays, results_follow_a_sliding_turning_motion_without_jumps) {
  const Mesh bumpy = bumpy_cube_mesh(12, 0.05);
  for (const Shape& ground : {Shape(HalfSpace{}), Shape(Box{{2, 0.7, 0.3}}), Shape(ball_mesh(0.5, 8))}) {
    OverlapVolume last;
    for (int k = 0; k <= 20; ++k) {
      const double s = 0.01 * k;
      const Pose pose{Vec3(0.3 + s, 0.1 - 0.5 * s, 1.2 - 0.2 * s), rotation_from_vector({0.3 * s, 0.1 + s, 0.5 * s})};
      const OverlapVolume o =
          total(all_overlaps(ground, at(0, 0, std::holds_alternative<HalfSpace>(ground) ? 0.3 : 0), bumpy, pose));
      if (k > 0) {
        const double moved = 0.02 * std::max(o.gradient.norm(), last.gradient.norm());
        EXPECT_LT(std::abs(o.volume - last.volume), moved + 0.02 * o.volume);
        EXPECT_LT((o.centroid - last.centroid).norm(), 0.1);
        EXPECT_LT((o.gradient - last.gradient).norm(), 0.15 * o.gradient.norm());
      }
      last = o;
    }
  }
}

TEST(Rays, a_mesh_inside_another_says_so) {
  const OverlapVolume o = one_by_rays(box_mesh({1, 1, 1}, 2), at(0, 0, 0), ball_mesh(0.3, 8), at(0.2, 0.1, 0));
  EXPECT_EQ(o.degeneracy, Degeneracy::b_inside_a);
  EXPECT_TRUE(o.gradient.isZero(0));
  EXPECT_NEAR(o.volume, ball_mesh(0.3, 8).solid->solid()->mass, 0.01 * o.volume);
}

TEST(Rays, a_mesh_that_only_touches_says_so) {
  const OverlapVolume o = one_overlap(HalfSpace{}, at(0, 0, 0), box_mesh({1, 1, 0.5}, 2), at(0, 0, 0.5));
  EXPECT_EQ(o.degeneracy, Degeneracy::touching);
  EXPECT_LT(o.centroid.norm(), 1e-12);
  EXPECT_TRUE(all_overlaps(HalfSpace{}, at(0, 0, 0), box_mesh({1, 1, 0.5}, 2), at(0, 0, 0.501)).empty());
}

TEST(Rays, an_open_surface_has_no_volume_and_says_so) {
  TriangleMesh sheet;
  sheet.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const OverlapVolume o = one_overlap(make_mesh(sheet), at(0, 0, 0), Sphere{0.5}, at(0, 0, 0.3));
  EXPECT_EQ(o.degeneracy, Degeneracy::open_surface);
  EXPECT_EQ(o.volume, 0);
  EXPECT_TRUE(all_overlaps(make_mesh(sheet), at(0, 0, 0), Sphere{0.5}, at(0, 0, 5)).empty());
}

TEST(Rays, options_out_of_range_are_named) {
  EXPECT_THROW(one_overlap(Sphere{}, at(0, 0, 0), Sphere{}, at(0, 0, 0.5), {.rays = 3}), Error);
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  EXPECT_THROW(overlaps_by_clipping(box_mesh({1, 1, 1}), at(0, 0, 0), Sphere{}, at(0, 0, 1), scratch, found), Error);
  EXPECT_THROW(one_overlap(Sphere{}, at(0, 0, 0), Sphere{}, at(0, 0, 0.5), {.round_facets = 1000}), Error);
}

}   // namespace
}   // namespace stickslip::volume_test
