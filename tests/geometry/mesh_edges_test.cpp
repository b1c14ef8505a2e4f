#include <gtest/gtest.h>

#include "error_message.h"
#include "geometry/meshes.h"
#include "geometry/shapes.h"
#include "stickslip/geometry/mesh_edges.h"

namespace stickslip::mesh_edges_test {
namespace {

using namespace test_meshes;

std::size_t edges_of_kind(const MeshEdges& edges, EdgeKind kind) {
  std::size_t count = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) count += edges.kind(e) == kind;
  return count;
}

TEST(MeshEdges, a_box_has_twelve_ridges_six_flat_diagonals_and_diagonal_normals_at_its_corners) {
  for (double scale : kScales) {
    const TriangleMesh mesh = box_mesh(scale * Vec3(1, 2, 3));
    const MeshEdges edges(mesh);
    EXPECT_EQ(edges.size(), 18u);
    EXPECT_EQ(edges_of_kind(edges, EdgeKind::convex), 12u);
    EXPECT_EQ(edges_of_kind(edges, EdgeKind::flat), 6u);
    EXPECT_TRUE(edges.closed());
    for (std::size_t v = 0; v < 8; ++v) {
      const Vec3 expected = mesh.vertices[v].cwiseSign() / std::sqrt(3.0);
      EXPECT_LT((edges.vertex_normal(v) - expected).norm(), 1e-14) << "angles weigh, not the number of triangles";
    }
  }
}

TEST(MeshEdges, turned_inside_out_ridges_become_valleys) {
  TriangleMesh mesh = box_mesh(Vec3::Ones());
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  const MeshEdges edges(mesh);
  EXPECT_EQ(edges_of_kind(edges, EdgeKind::concave), 12u);
  EXPECT_EQ(edges_of_kind(edges, EdgeKind::convex), 0u);
}

TEST(MeshEdges, every_edge_of_a_torus_runs_with_its_left_face_and_against_its_right) {
  const TriangleMesh mesh = torus_mesh(1, 0.3, 24, 16);
  const MeshEdges edges(mesh);
  EXPECT_TRUE(edges.closed());
  EXPECT_EQ(edges.size(), 3 * mesh.triangles.size() / 2);
  const auto runs = [&](std::uint32_t face, std::uint32_t from, std::uint32_t to) {
    const auto& t = mesh.triangles[face];
    for (int k = 0; k < 3; ++k)
      if (t[k] == from && t[(k + 1) % 3] == to) return true;
    return false;
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [from, to] = edges.vertices(e);
    EXPECT_TRUE(runs(edges.faces(e)[0], from, to));
    EXPECT_TRUE(runs(edges.faces(e)[1], to, from));
  }
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f)
    for (int k = 0; k < 3; ++k) {
      const auto edge = edges.edges_of_face(f)[k];
      EXPECT_TRUE(edges.faces(edge)[0] == f || edges.faces(edge)[1] == f);
      const auto around = edges.faces_of_vertex(mesh.triangles[f][k]);
      EXPECT_NE(std::find(around.begin(), around.end(), f), around.end());
    }
  // The inner half of a torus is a saddle: valleys along the ring, ridges along the tube.
  EXPECT_GT(edges_of_kind(edges, EdgeKind::concave), 0u);
  EXPECT_GT(edges_of_kind(edges, EdgeKind::convex), edges_of_kind(edges, EdgeKind::concave));
}

TEST(MeshEdges, holes_third_faces_flips_empty_faces_and_touching_corners_are_not_closed) {
  const TriangleMesh box = box_mesh(Vec3::Ones());
  TriangleMesh hole = box;
  hole.triangles.pop_back();
  EXPECT_FALSE(MeshEdges(hole).closed());
  EXPECT_EQ(MeshEdges(hole).boundary_edges(), 3u);

  TriangleMesh flipped = box;
  std::swap(flipped.triangles[3][0], flipped.triangles[3][1]);
  EXPECT_FALSE(MeshEdges(flipped).closed());
  EXPECT_EQ(MeshEdges(flipped).irregular_edges(), 3u);

  TriangleMesh fin = box;
  fin.vertices.push_back({0, 0, 5});
  fin.triangles.push_back({0, 1, 8});
  EXPECT_FALSE(MeshEdges(fin).closed());
  EXPECT_EQ(MeshEdges(fin).irregular_edges(), 1u);

  TriangleMesh sliver = box;   // a face is cut along a line that has no width
  sliver.vertices.push_back(0.5 * (box.vertices[1] + box.vertices[2]));
  sliver.triangles[0] = {0, 2, 8};
  sliver.triangles.push_back({0, 8, 1});
  sliver.triangles.push_back({1, 8, 2});
  EXPECT_FALSE(MeshEdges(sliver).closed());

  TriangleMesh corners = box;   // two boxes that share vertex 7
  for (int i = 0; i < 7; ++i) corners.vertices.push_back(2 * box.vertices[7] - box.vertices[i]);
  for (auto t : box.triangles) {
    for (auto& v : t) v = v == 7 ? 7 : 8 + v;
    std::swap(t[1], t[2]);   // mirrored through a point
    corners.triangles.push_back(t);
  }
  EXPECT_EQ(MeshEdges(corners).irregular_edges() + MeshEdges(corners).boundary_edges(), 0u);
  EXPECT_FALSE(MeshEdges(corners).closed());
}

TEST(MeshEdges, a_triangle_without_area_is_part_of_the_face_that_it_was_cut_from) {
  TriangleMesh mesh = box_mesh(Vec3::Ones());   // a corner in the middle of the edge from 0 to 1, which only one face has
  const auto split =
      std::find_if(mesh.triangles.begin(), mesh.triangles.end(), [](const auto& t) { return t[0] == 0 && t[1] == 1; });
  ASSERT_NE(split, mesh.triangles.end());
  const std::uint32_t third = (*split)[2];
  mesh.vertices.push_back(0.5 * (mesh.vertices[0] + mesh.vertices[1]));
  *split = {0, 8, third};
  mesh.triangles.push_back({8, 1, third});
  mesh.triangles.push_back({0, 1, 8});
  const MeshEdges edges(mesh);
  EXPECT_EQ(edges.irregular_edges(), 0u);
  EXPECT_EQ(face_normal(mesh, edges.face_continued(mesh, static_cast<std::uint32_t>(mesh.triangles.size() - 1))),
            Vec3(0, -1, 0));
  for (const std::uint32_t edge : edges.edges_of_face(mesh.triangles.size() - 1)) {
    const double length = (mesh.vertices[edges.vertices(edge)[1]] - mesh.vertices[edges.vertices(edge)[0]]).norm();
    EXPECT_EQ(edges.kind(edge), length > 1.5 ? EdgeKind::convex : EdgeKind::flat);
  }
}

TEST(MeshEdges, an_update_is_a_new_start) {
  std::mt19937 random(3);
  TriangleMesh mesh = torus_mesh(1, 0.3, 12, 9);
  MeshEdges moved(mesh);
  for (Vec3& x : mesh.vertices) x += 0.05 * random_direction(random);
  moved.update(mesh);
  const MeshEdges anew(mesh);
  for (std::size_t e = 0; e < anew.size(); ++e) EXPECT_EQ(moved.kind(e), anew.kind(e));
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) EXPECT_EQ(moved.vertex_normal(v), anew.vertex_normal(v));
}

TEST(MeshEdges, bad_meshes_are_named) {
  TriangleMesh mesh = box_mesh(Vec3::Ones());
  mesh.triangles[5][1] = 8;
  EXPECT_EQ(testing::message_of([&] { MeshEdges{mesh}; }),
            "/triangles/5: There is no vertex 8. A triangle names vertices 0 to 7.");
  mesh = box_mesh(Vec3::Ones());
  mesh.vertices[2].y() = std::nan("");
  EXPECT_EQ(testing::message_of([&] { MeshEdges{mesh}; }),
            "/vertices/2: (-1, nan, -1) is not a point. Vertices of triangles must be finite.");
  EXPECT_EQ(MeshEdges(TriangleMesh{}).size(), 0u);
}

}   // namespace
}   // namespace stickslip::mesh_edges_test
