#include <gtest/gtest.h>

#include <map>

#include "record/shape_mesh.h"
#include "stickslip/geometry/mass_properties.h"

namespace stickslip {
namespace {

std::vector<Shape> bounded_shapes() {
  return {Sphere{0.7},
          Box{{0.2, 0.5, 1.1}},
          Capsule{0.3, 0.8},
          Capsule{0.3, 0},
          Cylinder{0.4, 0.1},
          make_convex_hull({{-0.3, -0.3, -0.3}, {0.3, -0.3, -0.3}, {0, 0.4, -0.3}, {0.02, 0.01, 0.4}, {0.3, 0.3, 0.3}})};
}

/// By the divergence theorem; positive if the triangles are counter-clockwise seen from outside.
double volume_of(const DrawnMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) volume += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c])) / 6;
  return volume;
}

TEST(ShapeMesh, the_volume_is_that_of_the_shape_and_meets_it_as_the_circles_get_finer) {
  for (const Shape& shape : bounded_shapes()) {
    const double exact = mass_properties(shape, 1).mass;
    const double coarse = exact - volume_of(drawn_mesh(shape, 16, 1)), fine = exact - volume_of(drawn_mesh(shape, 64, 1));
    EXPECT_GE(fine, -1e-12 * exact) << shape_name(shape) << ": inscribed";
    EXPECT_LT(fine, 0.005 * exact) << shape_name(shape);
    if (coarse > 1e-9 * exact) {
      EXPECT_NEAR(coarse / fine, 16, 1) << shape_name(shape) << ": second order";
    }
  }
}

TEST(ShapeMesh, surfaces_are_closed) {
  for (const Shape& shape : bounded_shapes()) {
    const DrawnMesh mesh = drawn_mesh(shape, 12, 1);
    std::map<std::array<double, 6>, int> edges;   // by place: corners on sharp edges stand there several times
    const auto key = [&](std::uint32_t a, std::uint32_t b) {
      const Vec3 &p = mesh.vertices[a], &q = mesh.vertices[b];
      return std::array{p.x() + 0, p.y() + 0, p.z() + 0, q.x() + 0, q.y() + 0, q.z() + 0};
    };
    for (const auto& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        ++edges[key(t[i], t[(i + 1) % 3])];
        --edges[key(t[(i + 1) % 3], t[i])];
      }
    for (const auto& [edge, balance] : edges) EXPECT_EQ(balance, 0) << shape_name(shape);
  }
}

TEST(ShapeMesh, normals_are_unit_and_look_out_of_their_triangles) {
  std::vector<Shape> shapes = bounded_shapes();
  shapes.push_back(HalfSpace{});
  for (const Shape& shape : shapes) {
    const DrawnMesh mesh = drawn_mesh(shape, 12, 4);
    ASSERT_EQ(mesh.normals.size(), mesh.vertices.size());
    ASSERT_EQ(mesh.shades.size(), mesh.vertices.size());
    for (const Vec3& normal : mesh.normals) EXPECT_NEAR(normal.norm(), 1, 1e-12);
    for (const auto& t : mesh.triangles) {
      const Vec3& a = mesh.vertices[t[0]];
      const Vec3 outward = (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).normalized();
      for (const std::uint32_t corner : t) EXPECT_GT(outward.dot(mesh.normals[corner]), 0.8) << shape_name(shape);
    }
  }
}

TEST(ShapeMesh, a_stretched_form_is_the_mesh_of_the_shape) {
  MeshLibrary library(12);
  for (const Shape& shape : bounded_shapes()) {
    const MeshLibrary::Entry entry = library.find_or_add(shape);
    const DrawnMesh& form = library.meshes()[entry.mesh];
    const DrawnMesh mesh = drawn_mesh(shape, 12, 1);
    ASSERT_EQ(form.vertices.size(), mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
      EXPECT_LT((entry.scale.cwiseProduct(form.vertices[i]) - mesh.vertices[i]).norm(), 1e-12) << shape_name(shape);
  }
  const std::size_t count = library.meshes().size();
  library.find_or_add(Sphere{3});
  library.find_or_add(Box{{9, 8, 7}});
  library.find_or_add(Capsule{0.6, 1.6});   // as slender as the first
  EXPECT_EQ(library.meshes().size(), count);
  library.find_or_add(Capsule{0.6, 1.7});
  EXPECT_EQ(library.meshes().size(), count + 1);
}

TEST(ShapeMesh, the_square_of_a_half_space_lies_under_everything_that_moves) {
  World world;
  BodyDescription ground;
  ground.motion = MotionType::fixed;
  ground.parts = {{HalfSpace{}, {}, {}}};
  world.add(ground);
  BodyDescription ball;
  ball.parts = {{Sphere{0.5}, {}, {}}};
  ball.pose.position = {3, 4, 100};
  const BodyId id = world.add(ball);
  HalfSpaceExtent extent;
  extent.see(world);
  EXPECT_EQ(extent.square_side(), 16) << "5.5 m to either side, rounded up";
  world.set_frame(id, {{0, 20, 0}});
  extent.see(world);
  EXPECT_EQ(extent.square_side(), 64);
  world.set_frame(id, {{0, 1e9, 0}});
  extent.see(world);
  EXPECT_EQ(extent.square_side(), 64) << "what flew off does not count";
}

}   // namespace
}   // namespace stickslip
