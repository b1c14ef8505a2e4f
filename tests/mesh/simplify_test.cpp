#include "stickslip/mesh/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_message.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/mesh/health.h"
#include "stickslip/mesh/mesh_distance.h"

namespace stickslip::simplify_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A box whose faces are squares of n × n cells.
TriangleMesh fine_box(double half, int n) {
  TriangleMesh mesh;
  std::map<std::array<long, 3>, std::uint32_t> known;
  const auto vertex = [&](const Vec3& p) {
    const std::array<long, 3> key = {std::lround(p.x() * n), std::lround(p.y() * n), std::lround(p.z() * n)};
    const auto [entry, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(half * p);
    return entry->second;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int a, int b) {
            Vec3 p;
            p[axis] = sign, p[(axis + 1) % 3] = 2.0 * a / n - 1, p[(axis + 2) % 3] = 2.0 * b / n - 1;
            return vertex(p);
          };
          if (sign > 0) add_quad(mesh, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
          else add_quad(mesh, at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
        }
  return mesh;
}

TEST(Simplify, a_box_of_many_triangles_becomes_one_of_twelve_without_error) {
  const TriangleMesh box = fine_box(1, 10);
  ASSERT_THAT(check(box).findings, IsEmpty());
  const Simplified small = simplify(box, {.triangles = 12});
  EXPECT_EQ(small.mesh.triangles.size(), 12u);
  EXPECT_EQ(small.mesh.vertices.size(), 8u);
  EXPECT_NEAR(volume(small.mesh), 8, 1e-9);
  EXPECT_LT(small.error, 1e-7);
  EXPECT_THAT(check(small.mesh).findings, IsEmpty());
  // With no error allowed it ends by itself at the same box.
  EXPECT_EQ(simplify(box, {.max_error = 1e-6}).mesh.triangles.size(), 12u);
}

TEST(Simplify, what_is_closed_stays_closed_and_keeps_its_handles) {
  const TriangleMesh torus = torus_mesh(1, 0.4, 60, 30);
  for (const std::size_t count : {1000u, 200u, 60u, 4u}) {
    const Simplified fewer = simplify(torus, {.triangles = count});
    const MeshHealth h = check(fewer.mesh);
    EXPECT_TRUE(h.closed);
    EXPECT_EQ(h.euler, 0) << count;   // still one handle
    EXPECT_EQ(h.count(MeshFault::non_manifold_edge) + h.count(MeshFault::non_manifold_vertex), 0u);
    EXPECT_EQ(fewer.reached, fewer.mesh.triangles.size() <= count);
    EXPECT_TRUE(count < 60 || fewer.reached) << count;
  }
}

TEST(Simplify, a_sphere_keeps_its_shape_within_the_reported_error_and_more_triangles_are_nearer) {
  const TriangleMesh sphere = sphere_mesh(1, 80);
  double last = 0;
  for (const std::size_t count : {100u, 400u, 1600u}) {
    const TriangleMesh fewer = simplify(sphere, {.triangles = count}).mesh;
    EXPECT_LE(fewer.triangles.size(), count);
    EXPECT_THAT(check(fewer).findings, IsEmpty());
    const MeshDistance distance(fewer);
    double farthest = 0;
    for (const Vec3& v : sphere.vertices) farthest = std::max(farthest, std::abs(distance(v)));
    EXPECT_LT(farthest, 20.0 / static_cast<double>(count));   // of second order in the length of edges
    EXPECT_TRUE(last == 0 || farthest < 0.5 * last) << count;
    last = farthest;
  }
}

TEST(Simplify, an_error_bound_holds_and_a_smaller_one_keeps_more) {
  const TriangleMesh sphere = sphere_mesh(2, 60);
  std::size_t last = 0;
  for (const double bound : {0.1, 0.01, 0.001}) {
    const Simplified fewer = simplify(sphere, {.max_error = bound});
    EXPECT_LE(fewer.error, bound);
    EXPECT_GT(fewer.mesh.triangles.size(), last);
    EXPECT_LT(fewer.mesh.triangles.size(), sphere.triangles.size());
    last = fewer.mesh.triangles.size();
    for (const Vec3& v : fewer.mesh.vertices) EXPECT_NEAR(v.norm(), 2, 6 * bound);
  }
}

TEST(Simplify, the_rim_of_an_open_mesh_stays_where_it_is) {
  TriangleMesh sheet;
  constexpr std::uint32_t n = 20;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j) sheet.vertices.push_back({i / 20.0, j / 20.0, 0});
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      add_quad(sheet, i * (n + 1) + j, (i + 1) * (n + 1) + j, (i + 1) * (n + 1) + j + 1, i * (n + 1) + j + 1);
  const TriangleMesh fewer = simplify(sheet, {.triangles = 2}).mesh;
  EXPECT_EQ(fewer.triangles.size(), 2u);
  EXPECT_NEAR(area(fewer), 1, 1e-9);
}

TEST(Simplify, scale_and_place_do_not_matter) {
  const TriangleMesh torus = torus_mesh(1, 0.4, 30, 16);
  const std::size_t count = simplify(torus, {.triangles = 100}).mesh.triangles.size();
  for (const double scale : {1e-3, 1.0, 1e3}) {
    TriangleMesh other = torus;
    for (Vec3& v : other.vertices) v = scale * (v + Vec3(3, -5, 7));
    const TriangleMesh fewer = simplify(other, {.triangles = 100}).mesh;
    EXPECT_EQ(fewer.triangles.size(), count);
    EXPECT_NEAR(volume(fewer) / (scale * scale * scale), volume(simplify(torus, {.triangles = 100}).mesh),
                0.02 * volume(torus));
  }
  EXPECT_THAT(testing::message_of([&] { simplify(torus, {.max_error = -1}); }), HasSubstr("-1 is not an error"));
}

}   // namespace
}   // namespace stickslip::simplify_test
