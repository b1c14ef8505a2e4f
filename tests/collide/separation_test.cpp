// Distances for conservative advancement: never more than the truth, and the truth where it matters.
#include <gtest/gtest.h>

#include <random>

#include "collide/near_pairs.h"
#include "stickslip/collide/separation.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::testing {
namespace {

TEST(Separation, of_convex_shapes_is_their_distance_along_a_direction_that_separates_them) {
  PairMaker maker(5);
  int apart = 0;
  for (const std::size_t kind_a : {0, 1, 2, 3, 5})
    for (const std::size_t kind_b : {0, 1, 2, 3, 5})
      for (int i = 0; i < 8; ++i) {
        const NearPair p = maker.near_pair(kind_a, kind_b, 0.1, i % 2 ? 0.05 : 20);
        const ShapeSeparation s = separation(p.a, p.pose_a, p.b, p.pose_b);
        EXPECT_NEAR(s.normal.norm(), 1, 1e-12);
        const double searched = searched_separation(p);   // a lower bound
        if (searched <= 1e-6) continue;
        ++apart;
        EXPECT_NEAR(s.distance, separation_along(p, s.normal), 1e-9) << kind_a << ' ' << kind_b;
        EXPECT_GT(s.distance, searched - 1e-6) << kind_a << ' ' << kind_b << ' ' << i;
      }
  EXPECT_GT(apart, 100);
}

TEST(Separation, is_not_positive_where_shapes_overlap) {
  PairMaker maker(6);
  for (const std::size_t kind_a : {0, 1, 2, 3, 5})
    for (const std::size_t kind_b : {0, 1, 2, 3, 5})
      for (int i = 0; i < 8; ++i) {
        NearPair p = maker.near_pair(kind_a, kind_b);
        p.pose_b.position = p.pose_a.position + 0.2 * p.size * maker.direction();
        EXPECT_LE(separation(p.a, p.pose_a, p.b, p.pose_b).distance, 0) << kind_a << ' ' << kind_b;
      }
}

TEST(Separation, from_a_half_space_is_the_height_of_the_lowest_point) {
  PairMaker maker(7);
  for (const std::size_t kind : {0, 1, 2, 3, 5}) {
    const Shape shape = maker.shape(kind);
    const Pose pose{Vec3(0.3, -0.2, 4), maker.rotation()};
    const double lowest = (pose * support(shape, pose.orientation.conjugate() * Vec3(0, 0, -1))).z();
    const ShapeSeparation s = separation(shape, pose, HalfSpace{}, {}), flipped = separation(HalfSpace{}, {}, shape, pose);
    EXPECT_NEAR(s.distance, lowest, 1e-12);
    EXPECT_EQ(s.normal, Vec3(-Vec3::UnitZ()));
    EXPECT_EQ(flipped.distance, s.distance);
    EXPECT_EQ(flipped.normal, Vec3::UnitZ());
  }
  EXPECT_FALSE(has_separation(HalfSpace{}, HalfSpace{}));
}

/// A hull as a mesh.
Mesh mesh_of(const ConvexHull& hull) {
  TriangleMesh mesh;
  const Polytope& p = *hull.polytope;
  mesh.vertices = p.vertices;
  for (const Polytope::Face& face : p.faces)
    for (int k = 1; k + 1 < face.count; ++k) {
      const auto corner = [&](int i) { return static_cast<std::uint32_t>(p.loops[static_cast<std::size_t>(face.first + i)]); };
      mesh.triangles.push_back({corner(0), corner(k), corner(k + 1)});
    }
  return make_mesh(std::move(mesh));
}

// A mesh of a convex surface is as far away as the hull that it is of.
TEST(Separation, from_a_mesh_is_never_more_than_the_distance_and_the_distance_itself_nearby) {
  PairMaker maker(8);
  int near = 0;
  for (const std::size_t kind : {0, 1, 2, 3, 5})
    for (int i = 0; i < 30; ++i) {
      NearPair p = maker.near_pair(kind, 5, 0.0, i % 3 ? 0.3 : 20);
      const double truth = separation(p.a, p.pose_a, p.b, p.pose_b).distance;
      const Mesh mesh = mesh_of(std::get<ConvexHull>(p.b));
      const ShapeSeparation s = separation(p.a, p.pose_a, mesh, p.pose_b);
      EXPECT_LT(s.distance, truth + 1e-9) << kind;
      EXPECT_EQ(s.distance, separation(mesh, p.pose_b, p.a, p.pose_a).distance);
      EXPECT_TRUE(s.normal.isZero(0));
      if (truth > 0.2 * bounding_radius(p.a)) continue;
      ++near;
      EXPECT_NEAR(s.distance, truth, 1e-9) << kind;
      if (kind == 5 && truth > 0) {
        const Mesh other = mesh_of(std::get<ConvexHull>(p.a));
        EXPECT_NEAR(separation(other, p.pose_a, mesh, p.pose_b).distance, truth, 1e-9);
      }
    }
  EXPECT_GT(near, 40);
}

// Wherever a search begins it finds the same, near or overlapping; and tells where that was.
TEST(Separation, of_meshes_is_the_same_from_any_place) {
  PairMaker maker(9);
  std::mt19937 random(4);
  for (const std::size_t kind : {1, 3, 5})
    for (int i = 0; i < 60; ++i) {
      const NearPair p = maker.near_pair(kind, 5, i % 2 ? -0.1 : 0.0, i % 3 ? 0.3 : 20);
      const Mesh mesh = mesh_of(std::get<ConvexHull>(p.b));
      const Shape other = kind == 5 ? Shape(mesh_of(std::get<ConvexHull>(p.a))) : p.a;
      const double distance = separation(other, p.pose_a, mesh, p.pose_b).distance;
      const auto any_of = [&](const Mesh& m) {
        return static_cast<std::uint32_t>(random() % m.solid->mesh().triangles.size());
      };
      NearestPlace place{kind == 5 ? any_of(std::get<Mesh>(other)) : 0, any_of(mesh)};
      const double rounding = kind == 5 ? 0 : 1e-12 * bounding_radius(other);   // nearest points by iteration have their own
      EXPECT_NEAR(separation(other, p.pose_a, mesh, p.pose_b, &place).distance, distance, rounding) << kind << ' ' << i;
      const NearestPlace found = place;
      EXPECT_NEAR(separation(other, p.pose_a, mesh, p.pose_b, &place).distance, distance, rounding) << kind << ' ' << i;
      EXPECT_TRUE(distance <= 0 || (found.triangle_a == place.triangle_a && found.triangle_b == place.triangle_b)) << i;
    }
}

}   // namespace
}   // namespace stickslip::testing
