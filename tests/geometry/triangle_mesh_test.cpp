#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "error_message.h"
#include "geometry/shapes.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/geometry/tet_mesh.h"

namespace stickslip::triangle_mesh_test {
namespace {

using ::stickslip::testing::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

void expect_equal(const MassProperties& a, const MassProperties& b, double reach, double relative) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LT((a.center - b.center).norm(), relative * reach);
  EXPECT_LT((a.inertia - b.inertia).norm(), relative * b.mass * reach * reach);
}

TEST(TriangleMesh, a_box_has_the_mass_of_its_closed_form) {
  for (const double scale : kScales) {
    const Vec3 half = Vec3(0.3, 0.5, 2) * scale;
    const TriangleMesh mesh = box_mesh(half);
    EXPECT_TRUE(is_closed(mesh));
    expect_equal(mass_properties(mesh, 2700), mass_properties(Box{half}, 2700), half.norm(), 1e-12);
    EXPECT_NEAR(area(mesh), 8 * (half.x() * half.y() + half.y() * half.z() + half.z() * half.x()), 1e-12 * scale * scale);
    EXPECT_EQ(bounding_box(mesh).upper, half);
  }
}

TEST(TriangleMesh, an_L_has_the_mass_of_its_two_boxes) {
  MassProperties boxes = mass_properties(Box{{1, 0.5, 0.5}}, 3).placed({{1, 0.5, 0.5}, Quat::Identity()});
  boxes += mass_properties(Box{{0.5, 0.5, 0.5}}, 3).placed({{0.5, 1.5, 0.5}, Quat::Identity()});
  expect_equal(mass_properties(l_mesh(), 3), boxes, 2, 1e-12);
}

TEST(TriangleMesh, a_solid_that_is_moved_keeps_its_mass_and_turns_its_inertia) {
  std::mt19937 random(7);
  for (const TriangleMesh& mesh : {l_mesh(), torus_mesh(1, 0.3, 24, 12), cross_mesh()})
    for (int i = 0; i < 5; ++i) {
      const Pose pose{3 * random_direction(random), random_rotation(random)};
      expect_equal(mass_properties(placed(mesh, pose), 1000), mass_properties(mesh, 1000).placed(pose), 3, 1e-12);
    }
}

TEST(TriangleMesh, a_torus_tends_to_its_closed_form_with_the_square_of_the_fineness) {
  const double R = 1, r = 0.3, pi = std::numbers::pi, exact = 2 * pi * pi * R * r * r, exact_area = 4 * pi * pi * R * r;
  double error = 0, area_error = 0;
  for (const int n : {32, 64}) {
    const TriangleMesh mesh = torus_mesh(R, r, n, n);
    const double now = exact - volume(mesh), area_now = exact_area - area(mesh);
    EXPECT_GT(now, 0);
    if (n == 64) {
      EXPECT_NEAR(error / now, 4, 0.05);
      EXPECT_NEAR(area_error / area_now, 4, 0.1);
    }
    error = now, area_error = area_now;
  }
}

TEST(TriangleMesh, far_from_the_origin_only_the_rounding_of_its_vertices_is_lost) {
  const TriangleMesh mesh = placed(cross_mesh(), {Vec3(1e6, -1e6, 1e6), Quat::Identity()});
  EXPECT_NEAR(volume(mesh), 5, 1e-9);
  EXPECT_LT((mass_properties(mesh, 1).inertia - mass_properties(cross_mesh(), 1).inertia).norm(), 1e-8);
}

TEST(TriangleMesh, what_is_open_or_inside_out_has_no_mass) {
  TriangleMesh open = box_mesh({1, 1, 1});
  open.triangles.pop_back();
  EXPECT_FALSE(is_closed(open));
  EXPECT_THAT(message_of([&] { mass_properties(open, 1); }), AllOf(HasSubstr("not closed"), HasSubstr("mesh check")));
  EXPECT_THAT(message_of([&] {
                mass_properties(turned_inside_out(box_mesh({1, 1, 1})), 1);
              }),
              AllOf(HasSubstr("-8"), HasSubstr("orient")));
  EXPECT_THAT(message_of([&] { mass_properties(box_mesh({1, 1, 1}), -1); }), HasSubstr("-1 is not a density"));
}

TEST(TriangleMesh, a_bad_number_is_named_with_its_place) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  mesh.vertices[3].y() = std::nan("");
  EXPECT_THAT(message_of([&] { validate(mesh); }), AllOf(HasSubstr("/vertices/3"), HasSubstr("nan")));
  mesh = box_mesh({1, 1, 1});
  mesh.triangles[5][1] = 8;
  EXPECT_THAT(message_of([&] { validate(mesh); }), AllOf(HasSubstr("/triangles/5"), HasSubstr("no vertex 8")));
}

/// A cube of six tetrahedra around its diagonal.
TetMesh cube_of_tetrahedra() {
  TetMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.push_back(Vec3(i & 1, i >> 1 & 1, i >> 2));
  for (const auto& [a, b] : {std::pair<std::uint32_t, std::uint32_t>{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}})
    mesh.tetrahedra.push_back({0, a, b, 7});
  return mesh;
}

TEST(TetMesh, the_surface_of_a_cube_is_closed_outward_and_has_its_volume) {
  TetMesh mesh = cube_of_tetrahedra();
  validate(mesh);
  EXPECT_NEAR(volume(mesh), 1, 1e-15);
  const TetSurface outside = surface(mesh);
  EXPECT_EQ(outside.mesh.triangles.size(), 12u);
  EXPECT_EQ(outside.mesh.vertices.size(), 8u);
  EXPECT_TRUE(is_closed(outside.mesh));
  EXPECT_NEAR(volume(outside.mesh), 1, 1e-15);
  EXPECT_NEAR(area(outside.mesh), 6, 1e-14);
  for (std::size_t v = 0; v < 8; ++v) EXPECT_EQ(outside.mesh.vertices[v], mesh.vertices[outside.tet_vertex[v]]);
}

TEST(TetMesh, a_vertex_inside_is_not_on_the_surface) {
  TetMesh mesh;
  mesh.vertices = {{0.25, 0.25, 0.25}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& [a, b, c] : {std::array<std::uint32_t, 3>{2, 3, 4}, {1, 4, 3}, {1, 2, 4}, {1, 3, 2}})
    mesh.tetrahedra.push_back({0, a, b, c});
  validate(mesh);
  EXPECT_EQ(surface(mesh).tet_vertex, (std::vector<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_NEAR(volume(surface(mesh).mesh), 1.0 / 6, 1e-15);
}

TEST(TetMesh, a_tetrahedron_of_negative_volume_is_refused) {
  TetMesh mesh = cube_of_tetrahedra();
  std::swap(mesh.tetrahedra[2][0], mesh.tetrahedra[2][1]);
  EXPECT_THAT(message_of([&] { validate(mesh); }), AllOf(HasSubstr("/tetrahedra/2"), HasSubstr("-0.16"), HasSubstr("swap")));
}

}   // namespace
}   // namespace stickslip::triangle_mesh_test
