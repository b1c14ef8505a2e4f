#include "stickslip/mesh/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "error_message.h"
#include "geometry/triangle_meshes.h"
#include "mesh/polygon.h"
#include "stickslip/mesh/health.h"

namespace stickslip::repair_test {
namespace {

using ::stickslip::testing::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Every triangle with vertices of its own, moved a little.
TriangleMesh torn(const TriangleMesh& mesh, double by) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-by, by);
  TriangleMesh result;
  for (const auto& t : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(result.vertices.size());
    for (const auto v : t) result.vertices.push_back(mesh.vertices[v] + Vec3(number(random), number(random), number(random)));
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

TEST(Repair, merging_closes_what_is_torn_by_less_than_the_distance) {
  for (const double by : {0.0, 1e-7}) {
    TriangleMesh mesh = torn(torus_mesh(1, 0.3, 24, 12), by);
    EXPECT_FALSE(is_closed(mesh));
    const RepairStep step = merge_vertices(mesh, by * 4);
    EXPECT_THAT(check(mesh).findings, IsEmpty());
    EXPECT_EQ(mesh.vertices.size(), 288u);
    EXPECT_EQ(step.changed, 3 * 576u - 288u);
  }
}

TEST(Repair, orientation_is_made_consistent_outward_and_into_cavities) {
  std::mt19937 random(4);
  TriangleMesh mesh =
      joined(joined(sphere_mesh(2, 20), sphere_mesh(1, 12)), placed(torus_mesh(1, 0.3, 20, 10), {{5, 0, 0}, Quat::Identity()}));
  std::size_t triangles = mesh.triangles.size();
  for (auto& t : mesh.triangles)
    if (random() % 2) std::swap(t[0], t[2]);
  EXPECT_GT(check(mesh).count(MeshFault::inconsistent_edge), 100u);
  const RepairStep step = orient(mesh);
  EXPECT_THAT(check(mesh).findings, IsEmpty());
  EXPECT_EQ(mesh.triangles.size(), triangles);
  EXPECT_NEAR(volume(mesh), volume(sphere_mesh(2, 20)) - volume(sphere_mesh(1, 12)) + volume(torus_mesh(1, 0.3, 20, 10)), 1e-9);
  EXPECT_GT(step.changed, 0u);
}

TEST(Repair, a_moebius_strip_is_called_one_sided) {
  TriangleMesh strip;
  constexpr std::uint32_t n = 20;
  for (std::uint32_t i = 0; i < n; ++i)
    for (const double w : {-0.2, 0.2}) {
      const double u = 2 * std::numbers::pi * i / n;
      strip.vertices.push_back(
          {(1 + w * std::cos(u / 2)) * std::cos(u), (1 + w * std::cos(u / 2)) * std::sin(u), w * std::sin(u / 2)});
    }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t a = 2 * i, b = a + 1, c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? a + 3 : 0;
    add_quad(strip, a, c, d, b);
  }
  EXPECT_THAT(orient(strip).what, HasSubstr("only one side"));
  EXPECT_GT(check(strip).count(MeshFault::inconsistent_edge), 0u);
}

TEST(Repair, small_holes_are_filled_and_large_ones_told) {
  TriangleMesh mesh = sphere_mesh(1, 24);
  const double whole = volume(mesh);
  std::erase_if(mesh.triangles, [](const auto& t) { return t[0] == 100 || t[1] == 100 || t[2] == 100; });   // around one vertex
  const std::size_t pole = mesh.vertices.size() - 1;
  std::erase_if(mesh.triangles, [&](const auto& t) { return t[0] == pole || t[1] == pole || t[2] == pole; });
  EXPECT_EQ(check(mesh).holes, 2u);
  TriangleMesh some = mesh;
  EXPECT_THAT(fill_holes(some, 10).what, AllOf(HasSubstr("1 holes filled"), HasSubstr("1 holes have more than 10 edges")));
  EXPECT_EQ(check(some).holes, 1u);
  EXPECT_EQ(fill_holes(mesh, 24).changed, 2u);
  remove_unused_vertices(mesh);
  EXPECT_THAT(check(mesh).findings, IsEmpty());
  EXPECT_NEAR(volume(mesh), whole, 0.01 * whole);
  EXPECT_LT(volume(mesh), whole);
}

TEST(Repair, a_flat_hole_is_filled_with_exactly_its_area) {
  TriangleMesh mesh = cross_mesh();
  const double whole = volume(mesh), all = area(mesh);
  std::erase_if(mesh.triangles, [](const auto& t) {
    return t[0] >= 12 && t[1] >= 12 && t[2] >= 12;
  });   // the lid of the cross, which is not convex
  EXPECT_EQ(fill_holes(mesh).changed, 1u);
  EXPECT_NEAR(volume(mesh), whole, 1e-12);
  EXPECT_NEAR(area(mesh), all, 1e-12);
  EXPECT_THAT(check(mesh).findings, IsEmpty());
}

TEST(Repair, triangles_without_area_go_and_the_mesh_stays_closed) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  // Triangle 0 is split at the middle of its longest side from within: a cap without area lies between it and its neighbour.
  const auto [a, b, c] = mesh.triangles[0];
  const auto middle = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[c]) / 2);
  mesh.triangles[0] = {a, b, middle};
  mesh.triangles.push_back({b, c, middle});
  mesh.triangles.push_back({a, middle, c});
  mesh.triangles.push_back({3, 3, 5});
  EXPECT_EQ(check(mesh).count(MeshFault::degenerate_triangle), 2u);
  const RepairStep step = remove_degenerate_triangles(mesh);
  EXPECT_EQ(step.changed, 2u);
  EXPECT_THAT(check(mesh).findings, IsEmpty());
  EXPECT_NEAR(volume(mesh), 8, 1e-14);
}

TEST(Repair, a_triangle_without_area_that_hangs_on_one_side_goes) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  const auto [a, b, c] = mesh.triangles[0];
  mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]) / 2);
  mesh.triangles.push_back({b, a, static_cast<std::uint32_t>(mesh.vertices.size() - 1)});
  EXPECT_EQ(check(mesh).count(MeshFault::non_manifold_edge), 1u);
  EXPECT_EQ(remove_degenerate_triangles(mesh).changed, 1u);
  EXPECT_EQ(remove_unused_vertices(mesh).changed, 1u);
  EXPECT_THAT(check(mesh).findings, IsEmpty());
}

TEST(Repair, duplicates_go_and_the_list_of_repairs_does_all_in_order) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  mesh.triangles.push_back(mesh.triangles[3]);
  mesh.triangles.push_back({mesh.triangles[5][0], mesh.triangles[5][2], mesh.triangles[5][1]});
  mesh.vertices.push_back({9, 9, 9});
  mesh = joined(turned_inside_out(mesh), {});
  const std::vector<RepairStep> steps = repair(mesh, "all");
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[2].changed, 2u);
  EXPECT_EQ(steps[3].changed, 1u);
  EXPECT_THAT(check(mesh).findings, IsEmpty());
  EXPECT_NEAR(volume(mesh), 8, 1e-14);
}

TEST(Repair, a_wrong_list_is_refused_before_anything_is_changed) {
  TriangleMesh mesh = torn(box_mesh({1, 1, 1}), 0);
  EXPECT_THAT(message_of([&] { repair(mesh, "merge,orint"); }), AllOf(HasSubstr("orint"), HasSubstr("orient")));
  EXPECT_THAT(message_of([&] { repair(mesh, "merge=-1"); }), HasSubstr("'-1' is not valid"));
  EXPECT_THAT(message_of([&] { repair(mesh, "orient=3"); }), HasSubstr("takes no number"));
  EXPECT_THAT(message_of([&] { repair(mesh, ""); }), HasSubstr("no repair ''"));
  EXPECT_THAT(message_of([&] { repair(mesh, "fill=1000"); }), HasSubstr("3 to 500"));
  EXPECT_EQ(mesh.vertices.size(), 36u);
}

double area_of(const std::vector<Vec2>& p, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles)
    sum += std::abs((p[b] - p[a]).x() * (p[c] - p[a]).y() - (p[b] - p[a]).y() * (p[c] - p[a]).x()) / 2;
  return sum;
}

TEST(Polygons, with_holes_are_covered_exactly_once) {
  // A star of 40 corners with two square holes, one of them beside the other so that bridges must avoid it.
  std::vector<Vec2> p;
  std::vector<std::uint32_t> star, left, right;
  double expected = 0;
  for (int i = 0; i < 40; ++i) {
    const double u = 2 * std::numbers::pi * i / 40, r = i % 2 ? 2 : 3;
    star.push_back(static_cast<std::uint32_t>(p.size()));
    p.push_back({r * std::cos(u), r * std::sin(u)});
  }
  for (std::size_t i = 0; i < 40; ++i) expected += (p[i].x() * p[(i + 1) % 40].y() - p[i].y() * p[(i + 1) % 40].x()) / 2;
  for (const double x : {-1.2, 0.4})
    for (const auto& corner : {Vec2(0, 0), Vec2(0, 0.6), Vec2(0.6, 0.6), Vec2(0.6, 0)}) {
      (x < 0 ? left : right).push_back(static_cast<std::uint32_t>(p.size()));
      p.push_back(Vec2(x, -0.3) + corner);
    }
  const auto triangles = triangulated(p, {left, star, right});
  EXPECT_EQ(triangles.size(), 40u + 8u + 2 * 2 - 2);
  EXPECT_NEAR(area_of(p, triangles), expected - 2 * 0.36, 1e-12);
}

}   // namespace
}   // namespace stickslip::repair_test
