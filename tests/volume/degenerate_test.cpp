// Whatever comes in, what comes out is finite and says what is special about it.
#include <numbers>

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "stickslip/volume/patch.h"
#include "volume/pairs.h"
#include "volume/solids.h"

namespace stickslip::volume_test {
namespace {

void expect_finite(const OverlapVolume& o) {
  EXPECT_TRUE(std::isfinite(o.volume) && o.volume >= 0);
  EXPECT_TRUE(o.centroid.allFinite() && o.second_moment.allFinite() && o.gradient.allFinite() && o.turning.allFinite());
  for (int i = 0; i < o.point_count; ++i) EXPECT_TRUE(o.points[i].allFinite());
  const Patch p = patch_of(o);
  EXPECT_TRUE(p.origin.allFinite() && p.frame.allFinite() && p.deviations.allFinite());
  EXPECT_TRUE(std::isfinite(p.depth) && std::isfinite(p.area) && std::isfinite(p.spin_radius));
  EXPECT_NEAR(p.frame.determinant(), 1, 1e-9);
}

TEST(Degenerate, overlaps_are_named) {
  const auto name = [](const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    const OverlapVolume o = one_overlap(a, pose_a, b, pose_b);
    expect_finite(o);
    return o.degeneracy;
  };
  const Box cube{{0.5, 0.5, 0.5}};
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, at(0.5, 0.5, 0.5)), Degeneracy::none);
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, at(0, 0, 1 - 1e-5)), Degeneracy::sheet);
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, at(0, 1 - 1e-5, 1 - 1e-5)), Degeneracy::needle);
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, at(0, 0, 1)), Degeneracy::touching);
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, at(1, 1, 1)), Degeneracy::touching);
  EXPECT_EQ(name(cube, at(0, 0, 0), Box{{0.1, 0.1, 0.1}}, at(0.1, 0, 0)), Degeneracy::b_inside_a);
  EXPECT_EQ(name(Sphere{0.1}, at(0, 0, 0), cube, at(0.1, 0, 0)), Degeneracy::a_inside_b);
  EXPECT_EQ(name(Sphere{0.1}, at(0, 0, 0), Sphere{0.4}, at(0.1, 0, 0)), Degeneracy::a_inside_b);
  EXPECT_EQ(name(HalfSpace{}, at(0, 0, 0), Capsule{0.1, 0.2}, at(0, 0, -3)), Degeneracy::b_inside_a);
  EXPECT_EQ(name(HalfSpace{}, at(0, 0, 0), HalfSpace{}, at(0, 0, 1)), Degeneracy::unbounded);
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, at(NAN, 0, 0)), Degeneracy::not_finite);
  EXPECT_EQ(name(cube, at(0, 0, 0), cube, {Vec3::Zero(), Quat(0, 0, 0, 0)}), Degeneracy::not_finite);
  EXPECT_EQ(name(cube, at(0, 0, 0), Sphere{NAN}, at(0, 0, 0)), Degeneracy::not_finite);
  EXPECT_EQ(degeneracy_name(Degeneracy::not_finite), "not finite");
  EXPECT_TRUE(all_overlaps(cube, at(0, 0, 0), cube, at(0, 0, 1.001)).empty());
}

TEST(Degenerate, flat_boxes_needles_and_tangent_shapes_are_finite) {
  const std::vector<Shape> shapes = {Sphere{0.5},          Box{{0.5, 0.5, 1e-9}}, Box{{1e-9, 1e-9, 0.5}},
                                     Box{{0.5, 0.5, 0.5}}, Capsule{1e-6, 0.5},    Capsule{0.5, 0},
                                     Cylinder{0.5, 1e-9},  Cylinder{1e-9, 0.5},   box_mesh({0.5, 0.5, 0.5}, 2)};
  for (const Shape& a : shapes)
    for (const Shape& b : shapes)
      for (const double x : {0.0, 0.5, 1.0})
        for (const double z : {0.0, 1e-12, 0.5, 1.0 - 1e-15, 1.0})
          for (const OverlapVolume& o : all_overlaps(a, at(0, 0, 0), b, at(x, 0, z), {.rays = 8})) expect_finite(o);
}

TEST(Degenerate, nothing_depends_on_the_unit_or_on_the_place) {
  for (const PlacedPair& p : convex_pairs()) {
    if (!std::holds_alternative<Box>(p.a) || !std::holds_alternative<Cylinder>(p.b)) continue;
    const OverlapVolume here = one_overlap(p.a, p.pose_a, p.b, p.pose_b);
    const Vec3 far(1e5, -2e5, 3e5);
    const OverlapVolume there =
        one_overlap(p.a, {p.pose_a.position + far, p.pose_a.orientation}, p.b, {p.pose_b.position + far, p.pose_b.orientation});
    EXPECT_NEAR(there.volume, here.volume, 1e-8 * here.volume);
    for (const double s : {1e-3, 100.0}) {
      const auto& box = std::get<Box>(p.a);
      const auto& cylinder = std::get<Cylinder>(p.b);
      const OverlapVolume o =
          one_overlap(Box{s * box.half_extents}, {s * p.pose_a.position, p.pose_a.orientation},
                      Cylinder{s * cylinder.radius, s * cylinder.half_height}, {s * p.pose_b.position, p.pose_b.orientation});
      EXPECT_NEAR(o.volume, s * s * s * here.volume, 1e-9 * o.volume);
      EXPECT_LT((o.gradient - s * s * here.gradient).norm(), 1e-9 * o.gradient.norm());
      EXPECT_EQ(o.degeneracy, here.degeneracy);
    }
  }
}

TEST(Degenerate, nothing_is_allocated_once_memory_has_grown) {
  std::vector<PlacedPair> pairs = convex_pairs();
  pairs.push_back({HalfSpace{}, at(0, 0, 0), bumpy_cube_mesh(8), at(0, 0, 0.95), 0});
  pairs.push_back({ball_mesh(0.5, 8), at(0, 0, 0), bumpy_cube_mesh(8), at(0, 0, 1.4), 0});
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  std::vector<Patch> patches;
  found.reserve(8), patches.reserve(8);
  const auto run = [&] {
    std::size_t count = 0;
    for (const PlacedPair& p : pairs) {
      overlaps(p.a, p.pose_a, p.b, p.pose_b, scratch, found);
      for (const OverlapVolume& o : found) split(o, scratch.segments(), patches), count += patches.size();
    }
    return count;
  };
  for (int k = 0; k < 3; ++k) run();   // a solid has two sets of buffers, which change places
  const std::size_t first = run();
  const long before = stickslip::testing::allocations;
  EXPECT_EQ(run(), first);
  EXPECT_EQ(stickslip::testing::allocations - before, 0);
  EXPECT_GE(first, pairs.size());
}

}   // namespace
}   // namespace stickslip::volume_test
