// Solids of convex parts and of tetrahedra.
#include <random>

#include <gtest/gtest.h>

#include "stickslip/volume/patch.h"
#include "volume/pairs.h"

namespace stickslip::volume_test {
namespace {

ConvexHull brick(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back({k & 1 ? high.x() : low.x(), k & 2 ? high.y() : low.y(), k & 4 ? high.z() : low.z()});
  return make_convex_hull(corners);
}

/// A brick as six tetrahedra around a diagonal.
TetMesh tetrahedra_of_brick(const Vec3& half) {
  TetMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.vertices.push_back(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1).cwiseProduct(half));
  const std::array<std::array<std::uint32_t, 2>, 6> edges = {{{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}};
  for (const auto& [p, q] : edges) mesh.tetrahedra.push_back({0, p, q, 7});
  return mesh;
}

TEST(Parts, of_one_brick_are_the_brick) {
  const Pose pose_a = at(0.2, 0.1, 0), pose_b{Vec3(0.6, 0.3, 1.1), rotation_from_vector({0.3, 0.2, 0.5})};
  const std::vector<ConvexHull> halves = {brick({-1, -1, -1}, {0, 1, 1}), brick({0, -1, -1}, {1, 1, 1})};
  const std::vector<ConvexHull> thirds = {brick({-0.5, -0.5, -0.5}, {0.5, -0.2, 0.5}),
                                          brick({-0.5, -0.2, -0.5}, {0.5, 0.1, 0.5}),
                                          brick({-0.5, 0.1, -0.5}, {0.5, 0.5, 0.5})};
  const OverlapVolume exact = one_overlap(Box{{1, 1, 1}}, pose_a, Box{{0.5, 0.5, 0.5}}, pose_b);
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  overlaps_of_parts(halves, pose_a, thirds, pose_b, scratch, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].volume, exact.volume, 1e-12);
  EXPECT_LT((found[0].centroid - exact.centroid).norm(), 1e-12);
  EXPECT_LT((found[0].second_moment - exact.second_moment).norm(), 1e-12);
  EXPECT_LT((found[0].gradient - exact.gradient).norm(), 1e-12);
  EXPECT_LT((found[0].turning - exact.turning).norm(), 1e-12);
}

/// Volume, its first moments and the gradient, of a solid and a ball; zero if they are apart.
Eigen::Matrix<double, 7, 1> sums_with_ball(const ConvexHull& hull, double radius, const Vec3& at_place) {
  Eigen::Matrix<double, 7, 1> sums = Eigen::Matrix<double, 7, 1>::Zero();
  for (const OverlapVolume& o : all_overlaps(hull, Pose{}, Sphere{radius}, {at_place, Quat::Identity()}))
    sums << o.volume, o.volume * o.centroid, o.gradient;
  return sums;
}

TEST(Parts, a_ball_in_a_brick_is_what_it_is_in_its_parts) {
  const ConvexHull whole = brick({-1, -1, -1}, {1, 1, 1});
  const ConvexHull parts[] = {brick({-1, -1, -1}, {0.25, 1, 1}), brick({0.25, -1, -1}, {1, 0.5, 1}),
                              brick({0.25, 0.5, -1}, {1, 1, 1})};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5), size(0.05, 2);
  for (int k = 0; k < 1500; ++k) {
    // Every third on a lattice, where rims meet edges and corners.
    const bool lattice = k % 3 == 0;
    const auto number = [&](double x) { return lattice ? std::round(4 * x) / 4 : x; };
    const Vec3 center(number(uniform(random)), number(uniform(random)), number(uniform(random)));
    const double radius = std::max(0.05, number(size(random)));
    Eigen::Matrix<double, 7, 1> sums = -sums_with_ball(whole, radius, center);
    for (const ConvexHull& part : parts) sums += sums_with_ball(part, radius, center);
    EXPECT_LT(sums.norm(), 1e-7) << k << ": " << center.transpose() << ", " << radius;
  }
}

TEST(Parts, capsules_and_cylinders_along_the_axes_of_a_brick_are_what_they_are_in_its_parts) {
  // On a lattice, where ends lie in faces and sides touch them; quarter turns leave roundings of 1e-16.
  const ConvexHull whole = brick({-1, -1, -1}, {1, 1, 1});
  const ConvexHull parts[] = {brick({-1, -1, -1}, {0.25, 1, 1}), brick({0.25, -1, -1}, {1, 0.5, 1}),
                              brick({0.25, 0.5, -1}, {1, 1, 1})};
  std::mt19937 random(3);
  std::uniform_int_distribution<int> place(-6, 6), size(1, 6);
  for (int k = 0; k < 200; ++k) {
    const Pose pose{0.25 * Vec3(place(random), place(random), place(random)),
                    rotation_from_vector(kPi / 2 * (k % 3) * Vec3::Unit(k / 3 % 3))};
    const double radius = 0.25 * size(random), half = 0.25 * size(random);
    for (const Shape& shape : {Shape(Capsule{radius, half}), Shape(Cylinder{radius, half})}) {
      const auto volume = [&](const ConvexHull& hull) {
        const std::vector<OverlapVolume> found = all_overlaps(hull, Pose{}, shape, pose);
        return found.empty() ? 0.0 : found[0].volume;
      };
      const double of_parts = volume(parts[0]) + volume(parts[1]) + volume(parts[2]);
      EXPECT_NEAR(of_parts, volume(whole), 1e-3 * of_parts + 1e-12) << k << " " << shape_name(shape);
    }
  }
}

TEST(Parts, a_table_touches_with_its_four_legs) {
  std::vector<ConvexHull> table = {brick({-1, -1, 0.5}, {1, 1, 0.6})};
  for (const double x : {-0.9, 0.8})
    for (const double y : {-0.9, 0.8}) table.push_back(brick({x, y, 0}, {x + 0.1, y + 0.1, 0.5}));
  const std::vector<ConvexHull> floor = {brick({-2, -2, -1}, {0, 2, 0}), brick({0, -2, -1}, {2, 2, 0})};
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  overlaps_of_parts(floor, at(0, 0, 0), table, at(0, 0, -0.01), scratch, found);
  ASSERT_EQ(found.size(), 4u);
  for (const OverlapVolume& o : found) EXPECT_NEAR(o.volume, 1e-4, 1e-12);
  overlaps_of_parts(floor, at(0, 0, 0), table, at(0, 0, -0.55), scratch, found);   // up to the top
  EXPECT_EQ(found.size(), 1u);
}

TEST(Parts, a_corner_of_two_walls_holds_a_peg_by_two_patches) {
  const std::vector<ConvexHull> walls = {brick({-1, -1, -2}, {0, 2, 2}), brick({0, -1, -2}, {2, 0, 2})};
  const std::vector<ConvexHull> peg = {brick({-0.5, -0.5, -1}, {0.5, 0.5, 1})};
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  overlaps_of_parts(walls, at(0, 0, 0), peg, at(0.48, 0.49, 0), scratch, found);
  ASSERT_EQ(found.size(), 1u);
  std::vector<Patch> patches;
  split(found[0], scratch.segments(), patches);
  ASSERT_EQ(patches.size(), 2u);
  EXPECT_NEAR(std::abs(patches[0].normal().dot(patches[1].normal())), 0, 0.05);
}

TEST(Parts, tetrahedra_of_a_brick_meet_shapes_as_the_brick_does) {
  const TetMesh mesh = tetrahedra_of_brick({0.5, 0.4, 0.3});
  validate(mesh);
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  for (const PlacedPair& p : convex_pairs()) {
    if (!std::holds_alternative<Box>(p.a)) continue;
    SCOPED_TRACE(shape_name(p.b));
    const OverlapVolume exact = one_overlap(p.a, p.pose_a, p.b, p.pose_b);
    overlaps_of_tetrahedra(mesh, p.pose_a, p.b, p.pose_b, scratch, found);
    ASSERT_EQ(found.size(), 1u);
    const double tolerance = std::max(1e-8, 0.1 * p.tolerance);
    EXPECT_NEAR(found[0].volume, exact.volume, tolerance * exact.volume);
    EXPECT_LT((found[0].gradient - exact.gradient).norm(), tolerance * exact.gradient.norm());
  }
}

}   // namespace
}   // namespace stickslip::volume_test
