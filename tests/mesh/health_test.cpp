#include "stickslip/mesh/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "error_message.h"
#include "geometry/shapes.h"
#include "geometry/triangle_meshes.h"
#include "mesh/health/intersections.h"
#include "mesh/health/predicates.h"

namespace stickslip::health_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MeshHealth, good_meshes_have_no_findings_and_are_fit_for_everything) {
  const struct {
    TriangleMesh mesh;
    long euler;
  } good[] = {{box_mesh({1, 2, 3}), 2},      {sphere_mesh(1, 24), 2}, {torus_mesh(1, 0.3, 30, 15), 0},
              {capsule_mesh(0.5, 1, 16), 2}, {l_mesh(), 2},           {cross_mesh(), 2}};
  for (const auto& [mesh, euler] : good) {
    const MeshHealth h = check(mesh);
    EXPECT_THAT(h.findings, IsEmpty());
    EXPECT_EQ(h.euler, euler);
    EXPECT_EQ(h.pieces, 1u);
    EXPECT_EQ(h.holes, 0u);
    EXPECT_TRUE(h.closed && h.intersections_complete);
    for (const MeshUse use : kMeshUses) EXPECT_TRUE(h.is_fit(use)) << use_name(use);
    EXPECT_NEAR(h.solid->mass, volume(mesh), 1e-12 * volume(mesh));
  }
}

TEST(MeshHealth, a_mesh_that_is_turned_is_as_healthy) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(check(placed(cross_mesh(), {random_direction(random), random_rotation(random)})).findings, IsEmpty());
}

TEST(MeshHealth, missing_triangles_are_holes) {
  TriangleMesh mesh = torus_mesh(1, 0.3, 30, 15);
  mesh.triangles.erase(mesh.triangles.begin() + 400);
  mesh.triangles.erase(mesh.triangles.begin() + 2, mesh.triangles.begin() + 4);
  const MeshHealth h = check(mesh);
  EXPECT_EQ(h.count(MeshFault::open_edge), 7u);
  EXPECT_EQ(h.holes, 2u);
  EXPECT_FALSE(h.closed);
  EXPECT_FALSE(h.solid);
  for (const MeshUse use : {MeshUse::mass, MeshUse::contact, MeshUse::signed_distance, MeshUse::tetrahedra})
    EXPECT_FALSE(h.is_fit(use));
  EXPECT_TRUE(h.is_fit(MeshUse::static_contact));
}

TEST(MeshHealth, a_flipped_triangle_is_inconsistent_along_its_sides) {
  TriangleMesh mesh = sphere_mesh(1, 16);
  std::swap(mesh.triangles[40][0], mesh.triangles[40][1]);
  const MeshHealth h = check(mesh);
  EXPECT_EQ(h.count(MeshFault::inconsistent_edge), 3u);
  EXPECT_EQ(h.findings.size(), 1u);
}

TEST(MeshHealth, inside_out_is_told_from_a_cavity) {
  EXPECT_EQ(check(turned_inside_out(sphere_mesh(1, 16))).count(MeshFault::inside_out), 1u);
  const TriangleMesh hollow = joined(sphere_mesh(1, 16), turned_inside_out(sphere_mesh(0.5, 16)));
  EXPECT_THAT(check(hollow).findings, IsEmpty());
  EXPECT_EQ(check(hollow).pieces, 2u);
  EXPECT_EQ(check(hollow).euler, 4);
  EXPECT_EQ(check(joined(sphere_mesh(1, 16), sphere_mesh(0.5, 16))).count(MeshFault::inside_out), 1u);
  EXPECT_EQ(check(turned_inside_out(hollow)).count(MeshFault::inside_out), 2u);
  const TriangleMesh apart =
      joined(sphere_mesh(1, 16), turned_inside_out(placed(sphere_mesh(0.5, 16), {{3, 0, 0}, Quat::Identity()})));
  EXPECT_EQ(check(apart).count(MeshFault::inside_out), 1u);
  EXPECT_GT(check(apart).volume, 0);
  EXPECT_FALSE(check(apart).is_fit(MeshUse::mass));
}

TEST(MeshHealth, repeated_places_and_faces_are_counted) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  mesh.vertices.push_back({5, 5, 5});
  mesh.vertices.push_back(mesh.vertices[3]);
  for (std::uint32_t& v : mesh.triangles[0])
    if (v == 3) v = 9;
  for (std::uint32_t& v : mesh.triangles[1])
    if (v == 3) v = 9;
  const MeshHealth split = check(mesh);
  EXPECT_EQ(split.count(MeshFault::unused_vertex), 1u);
  EXPECT_EQ(split.count(MeshFault::duplicate_vertex), 1u);
  EXPECT_GT(split.count(MeshFault::open_edge), 0u);
  EXPECT_EQ(split.count(MeshFault::self_intersection), 0u);   // corners at one place are no intersection

  mesh = box_mesh({1, 1, 1});
  mesh.triangles.push_back(mesh.triangles[4]);
  mesh.triangles.push_back({mesh.triangles[7][1], mesh.triangles[7][0], mesh.triangles[7][2]});
  EXPECT_EQ(check(mesh).count(MeshFault::duplicate_triangle), 2u);
  EXPECT_EQ(check(mesh).count(MeshFault::non_manifold_edge), 6u);
}

TEST(MeshHealth, triangles_without_area_are_degenerate) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  mesh.vertices.push_back((mesh.vertices[0] + mesh.vertices[1]) / 2);
  mesh.triangles.push_back({0, 1, 8});
  mesh.triangles.push_back({2, 2, 3});
  EXPECT_EQ(check(mesh).count(MeshFault::degenerate_triangle), 2u);
  EXPECT_FALSE(check(mesh).is_fit(MeshUse::static_contact));
}

TEST(MeshHealth, triangles_that_are_all_at_one_place_or_at_one_edge_are_all_counted) {
  TriangleMesh point{{{1, 1, 1}, {2, 2, 2}}, {}}, fan{{{0, 0, 0}, {0, 0, 1}}, {}};
  for (std::uint32_t i = 0; i < 3000; ++i) {
    point.triangles.push_back(i % 2 ? std::array<std::uint32_t, 3>{0, 0, 0} : std::array<std::uint32_t, 3>{0, 1, 1});
    fan.vertices.push_back({std::cos(1e-3 * i), std::sin(1e-3 * i), 0.5});
    for (int twice = 0; twice < 2; ++twice) fan.triangles.push_back({0, 1, 2 + i});
  }
  const MeshHealth of_point = check(point), of_fan = check(fan);
  EXPECT_EQ(of_point.count(MeshFault::degenerate_triangle), 3000u);
  EXPECT_TRUE(of_point.intersections_complete);
  EXPECT_EQ(of_fan.count(MeshFault::duplicate_triangle), 3000u);
  EXPECT_EQ(of_fan.count(MeshFault::non_manifold_edge), 1u);
}

TEST(MeshHealth, boxes_that_share_an_edge_or_a_corner_are_not_manifold) {
  TriangleMesh edge = joined(box_mesh({1, 1, 1}), box_mesh({1, 1, 1}, {2, 2, 0}));
  for (auto& t : edge.triangles)
    for (std::uint32_t& v : t) v = v == 8 ? 3 : v == 12 ? 7 : v;
  const MeshHealth h = check(edge);
  EXPECT_EQ(h.count(MeshFault::non_manifold_edge), 1u);
  EXPECT_TRUE(h.closed);
  EXPECT_TRUE(h.is_fit(MeshUse::mass));
  EXPECT_FALSE(h.is_fit(MeshUse::signed_distance));
  TriangleMesh corner = joined(box_mesh({1, 1, 1}), box_mesh({1, 1, 1}, {2, 2, 2}));
  for (auto& t : corner.triangles)
    for (std::uint32_t& v : t) v = v == 8 ? 7 : v;
  EXPECT_EQ(check(corner).count(MeshFault::non_manifold_vertex), 1u);
  EXPECT_EQ(check(corner).pieces, 2u);
}

TEST(MeshHealth, pieces_that_run_through_each_other_intersect) {
  const TriangleMesh crossing = joined(sphere_mesh(1, 16), placed(sphere_mesh(1, 16), {{0.7, 0.1, 0.2}, Quat::Identity()}));
  const MeshHealth h = check(crossing);
  EXPECT_GT(h.count(MeshFault::self_intersection), 20u);
  EXPECT_FALSE(h.is_fit(MeshUse::mass));
  HealthOptions few;
  few.max_intersections = 5;
  EXPECT_EQ(check(crossing, few).count(MeshFault::self_intersection), 5u);
  EXPECT_FALSE(check(crossing, few).intersections_complete);
}

TEST(MeshHealth, bad_numbers_are_refused) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  mesh.vertices[2].x() = std::numeric_limits<double>::infinity();
  EXPECT_THAT(testing::message_of([&] { check(mesh); }), HasSubstr("/vertices/2"));
  EXPECT_EQ(check(TriangleMesh{}).triangles, 0u);
}

/// Whether two triangles meet, by the smallest distance between dense points of one and the plane and sides of the other: no
/// predicates.
bool meet_by_sampling(const Vec3 (&a)[3], const Vec3 (&b)[3]) {
  const auto crossing = [](const Vec3& p, const Vec3& q, const Vec3(&t)[3]) {
    const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
    const double dp = n.dot(p - t[0]), dq = n.dot(q - t[0]);
    if (dp * dq > 0) return false;
    const Vec3 x = p + (q - p) * (dp / (dp - dq));
    for (int k = 0; k < 3; ++k)
      if (n.dot((t[(k + 1) % 3] - t[k]).cross(x - t[k])) < 0) return false;
    return true;
  };
  for (int k = 0; k < 3; ++k)
    if (crossing(a[k], a[(k + 1) % 3], b) || crossing(b[k], b[(k + 1) % 3], a)) return true;
  return false;
}

TEST(TrianglePredicates, agree_with_crossing_points_on_random_triangles) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto point = [&] { return Vec3(number(random), number(random), number(random)); };
  int meetings = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Vec3 a[3] = {point(), point(), point()}, b[3] = {point(), point(), point()};
    const bool expected = meet_by_sampling(a, b);
    meetings += expected;
    ASSERT_EQ(triangles_meet(a, b), expected);
    ASSERT_EQ(triangles_meet(b, a), expected);
  }
  EXPECT_GT(meetings, 5'000);
}

TEST(TrianglePredicates, integers_in_a_plane_are_decided_exactly) {
  // Coplanar triangles with small whole coordinates, of which many touch; the oracle is exact in integers.
  std::mt19937 random(5);
  std::uniform_int_distribution<long> number(-3, 3);
  using P = std::array<long, 2>;
  const auto turn = [](const P& a, const P& b, const P& c) {
    const long t = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return t > 0 ? 1 : t < 0 ? -1 : 0;
  };
  const auto between = [](const P& a, const P& b, const P& p) {
    return std::min(a[0], b[0]) <= p[0] && p[0] <= std::max(a[0], b[0]) && std::min(a[1], b[1]) <= p[1] &&
           p[1] <= std::max(a[1], b[1]);
  };
  const auto cross = [&](const P& a, const P& b, const P& c, const P& d) {
    const int p = turn(a, b, c), q = turn(a, b, d), r = turn(c, d, a), s = turn(c, d, b);
    return (p * q < 0 && r * s < 0) || (p == 0 && between(a, b, c)) || (q == 0 && between(a, b, d)) ||
           (r == 0 && between(c, d, a)) || (s == 0 && between(c, d, b));
  };
  const auto inside = [&](const std::array<P, 3>& t, const P& p) {
    const int a = turn(t[0], t[1], p), b = turn(t[1], t[2], p), c = turn(t[2], t[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
  };
  for (int i = 0; i < 20'000; ++i) {
    std::array<P, 3> a, b;
    for (P& p : a) p = {number(random), number(random)};
    for (P& p : b) p = {number(random), number(random)};
    if (turn(a[0], a[1], a[2]) == 0 || turn(b[0], b[1], b[2]) == 0) continue;
    bool expected = inside(a, b[0]) || inside(b, a[0]);
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) expected = expected || cross(a[j], a[(j + 1) % 3], b[k], b[(k + 1) % 3]);
    const auto flat = [](const P& p) { return Vec3(static_cast<double>(p[0]), 7, static_cast<double>(p[1])); };
    ASSERT_EQ(triangles_meet({flat(a[0]), flat(a[1]), flat(a[2])}, {flat(b[0]), flat(b[1]), flat(b[2])}), expected);
  }
}

TEST(TrianglePredicates, a_sign_near_zero_is_that_of_the_exact_determinant) {
  // The plane through (0,0,0), (1,0,1), (0,1,1) is z = x + y: one unit in the last place decides.
  const Vec3 a(0, 0, 0), b(1, 0, 1), c(0, 1, 1);
  for (const double x : {0.1, 0.7, 12.3, 1e-9})
    for (const double y : {0.2, 1e-3, 77.7}) {
      const long double exact = static_cast<long double>(x) + y;
      for (const double z : {std::nextafter(x + y, -1e9), x + y, std::nextafter(x + y, 1e9)}) {
        const int expected = z > exact ? -1 : z < exact ? 1 : 0;   // above the plane is −1
        EXPECT_EQ(side_of_plane(a, b, c, {x, y, z}), expected) << x << " " << y;
      }
    }
}

TEST(Intersections, found_by_the_tree_are_those_of_all_pairs) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(0, 1);
  TriangleMesh soup;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const Vec3 p(number(random), number(random), number(random));
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(p + 0.3 * Vec3(number(random), number(random), number(random)));
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
  const auto corners = [&](std::uint32_t t, int k) { return soup.vertices[3 * t + static_cast<std::uint32_t>(k)]; };
  for (std::uint32_t s = 0; s < 400; ++s)
    for (std::uint32_t t = s + 1; t < 400; ++t)
      if (meet_by_sampling({corners(s, 0), corners(s, 1), corners(s, 2)}, {corners(t, 0), corners(t, 1), corners(t, 2)}))
        expected.emplace_back(s, t);
  EXPECT_EQ(find_intersections(soup, 1'000'000).pairs, expected);
  EXPECT_GT(expected.size(), 100u);
}

TEST(Intersections, neighbours_meet_only_where_they_are_folded) {
  const auto pairs = [](std::vector<Vec3> points, std::vector<std::array<std::uint32_t, 3>> triangles) {
    return find_intersections({std::move(points), std::move(triangles)}, 10).pairs.size();
  };
  const std::vector<Vec3> square = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},      {1, 1, 0},
                                    {0.4, 0.4, 0}, {0.5, 0.5, 1}, {0.3, 0.3, -1}, {0.3, 0.3, 1}};
  EXPECT_EQ(pairs(square, {{0, 1, 2}, {1, 3, 2}}), 0u);   // flat, side by side
  EXPECT_EQ(pairs(square, {{0, 1, 2}, {0, 1, 3}}), 1u);   // flat, over each other
  EXPECT_EQ(pairs(square, {{0, 1, 2}, {2, 1, 5}}), 0u);   // a ridge
  EXPECT_EQ(pairs(square, {{0, 1, 2}, {0, 6, 7}}), 1u);   // from a corner through the face
  EXPECT_EQ(pairs(square, {{0, 1, 2}, {0, 7, 5}}), 0u);   // from a corner away from it
  EXPECT_EQ(pairs(square, {{0, 1, 2}, {0, 4, 5}}), 1u);   // from a corner along it
}

}   // namespace
}   // namespace stickslip::health_test
