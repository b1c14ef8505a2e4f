// Rays against shapes: brute force, and points that are known.
#include "stickslip/geometry/ray.h"

#include <gtest/gtest.h>

#include "shapes.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip {
namespace {

/// How far outside a shape a point is, by its definition; < 0 inside. The sign alone counts.
double outside(const Shape& shape, const Vec3& x) {
  return std::visit(
      [&]<class S>(const S& s) -> double {
        if constexpr (std::is_same_v<S, Sphere>) return x.norm() - s.radius;
        else if constexpr (std::is_same_v<S, Box>) return (x.cwiseAbs() - s.half_extents).maxCoeff();
        else if constexpr (std::is_same_v<S, Capsule>)
          return (x - Vec3(0, 0, std::clamp(x.z(), -s.half_height, s.half_height))).norm() - s.radius;
        else if constexpr (std::is_same_v<S, Cylinder>)
          return std::max(x.head<2>().norm() - s.radius, std::abs(x.z()) - s.half_height);
        else if constexpr (std::is_same_v<S, HalfSpace>) return x.z();
        else if constexpr (std::is_same_v<S, ConvexHull>) {
          double most = -1e300;
          for (const Polytope::Face& f : s.polytope->faces) most = std::max(most, f.normal.dot(x) - f.offset);
          return most;
        } else return 0;
      },
      shape);
}

/// Whether a ray changes sides before a distance, as far as samples show.
bool changes_sides(const Shape& shape, const Vec3& origin, const Vec3& direction, double before) {
  const bool start = outside(shape, origin) <= 0;
  for (int i = 1; i < 200; ++i)
    if ((outside(shape, origin + before * i / 200 * direction) <= 0) != start) return true;
  return false;
}

TEST(Rays, meet_every_convex_shape_at_its_surface_and_nothing_before) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-2, 2);
  for (const double scale : kScales) {
    std::vector<Shape> shapes = bounded_shapes(scale);
    shapes.push_back(HalfSpace{});
    for (const Shape& shape : shapes) {
      if (std::holds_alternative<Mesh>(shape)) continue;
      int hits = 0, misses = 0, inside = 0;
      for (int i = 0; i < 60; ++i) {
        const Vec3 origin = scale * (i % 4 == 0 ? 0.1 : 1.0) * Vec3(place(random), place(random), place(random));
        // Half of them at the shape, so that there are hits; some along axes, where slopes are 0.
        Vec3 direction = random_direction(random);
        if (i % 2 == 1) direction = (scale * Vec3(0.1, 0.2, 0.1) + 0.2 * scale * direction - origin).normalized();
        if (i % 10 == 9) direction = Vec3::Unit(i / 10 % 3);
        const auto found = ray_distance(shape, origin, direction, 6 * scale);
        EXPECT_FALSE(changes_sides(shape, origin, direction, found.value_or(6 * scale))) << shape_name(shape) << ' ' << i;
        if (!found) {
          ++misses;
          continue;
        }
        EXPECT_NEAR(outside(shape, origin + *found * direction), 0, 1e-9 * scale) << shape_name(shape) << ' ' << i;
        EXPECT_NE(outside(shape, origin + (*found + 1e-6 * scale) * direction) <= 0, outside(shape, origin) <= 0)
            << shape_name(shape) << ": beyond it is the other side, " << i;
        EXPECT_FALSE(ray_distance(shape, origin, direction, 0.999 * *found));
        ++hits;
        inside += outside(shape, origin) < 0;
      }
      EXPECT_GE(hits, 10) << shape_name(shape);
      EXPECT_GE(misses, 5) << shape_name(shape);
      EXPECT_GE(inside, 1) << shape_name(shape);
    }
  }
}

TEST(Rays, meet_a_mesh_where_they_meet_the_hull_with_the_same_faces) {
  std::mt19937 random(11);
  const ConvexHull hull = make_convex_hull(sphere_points(60));
  TriangleMesh mesh;
  mesh.vertices = hull.polytope->vertices;
  for (const Polytope::Face& f : hull.polytope->faces)
    for (int k = 1; k + 1 < f.count; ++k) {
      const int* loop = &hull.polytope->loops[static_cast<std::size_t>(f.first)];
      mesh.triangles.push_back(
          {static_cast<std::uint32_t>(loop[0]), static_cast<std::uint32_t>(loop[k]), static_cast<std::uint32_t>(loop[k + 1])});
    }
  const Shape solid = make_mesh(mesh);
  int hits = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 origin = (i % 3 == 0 ? 0.5 : 2.0) * random_direction(random);
    const Vec3 direction = (0.9 * random_direction(random) - origin).normalized();
    const auto expected = ray_distance(hull, origin, direction), found = ray_distance(solid, origin, direction);
    ASSERT_EQ(found.has_value(), expected.has_value()) << i;
    if (!found) continue;
    EXPECT_NEAR(*found, *expected, 1e-9);
    ++hits;
  }
  EXPECT_GT(hits, 150);
}

}   // namespace
}   // namespace stickslip
