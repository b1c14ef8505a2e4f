#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "geometry/shapes.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

std::string complaint(const std::vector<Vec3>& points) {
  try {
    make_convex_hull(points);
  } catch (const Error& e) {
    return e.what();
  }
  return "a hull";
}

/// Everything a polytope promises, checked from its definition. `extent` is the size of the points.
void expect_sound(const Polytope& p, const std::vector<Vec3>& points, double extent) {
  const double tolerance = 3e-7 * extent;
  ASSERT_EQ(static_cast<long>(p.vertices.size() + p.faces.size()) - static_cast<long>(p.edges.size()), 2) << "Euler";
  std::map<std::pair<int, int>, int> left;
  std::map<int, std::set<int>> faces_at;
  for (int f = 0; f < static_cast<int>(p.faces.size()); ++f) {
    const auto& face = p.faces[f];
    EXPECT_NEAR(face.normal.norm(), 1, 1e-12);
    EXPECT_LT(face.normal.dot(p.interior_point), face.offset);
    for (const Vec3& x : points) EXPECT_LE(face.normal.dot(x), face.offset + tolerance) << "a point is outside";
    ASSERT_GE(face.count, 3);
    for (int i = 0; i < face.count; ++i) {
      const int a = p.loops[face.first + i], b = p.loops[face.first + (i + 1) % face.count];
      const int c = p.loops[face.first + (i + 2) % face.count];
      EXPECT_NEAR(face.normal.dot(p.vertices[a]), face.offset, tolerance);
      // Counter-clockwise and convex, up to turns too small to see.
      const Vec3 side = p.vertices[b] - p.vertices[a];
      EXPECT_GT(side.cross(p.vertices[c] - p.vertices[b]).dot(face.normal), -tolerance * side.norm());
      EXPECT_TRUE(left.emplace(std::pair(a, b), f).second);
      faces_at[a].insert(f);
    }
  }
  EXPECT_EQ(faces_at.size(), p.vertices.size()) << "each vertex is used";
  for (const auto& [vertex, faces] : faces_at) EXPECT_GE(faces.size(), 3u);
  EXPECT_EQ(left.size(), 2 * p.edges.size());
  for (const auto& edge : p.edges) {
    EXPECT_EQ(left.at({edge.vertex[0], edge.vertex[1]}), edge.face[0]);
    EXPECT_EQ(left.at({edge.vertex[1], edge.vertex[0]}), edge.face[1]);
  }
  double reach = 0;
  for (const Vec3& v : p.vertices) reach = std::max(reach, v.norm());
  EXPECT_DOUBLE_EQ(p.radius, reach);   // to rounding: here and in the library a norm may be computed in another order
}

TEST(ConvexHull, eight_corners_make_a_box_of_six_quadrilaterals) {
  for (double scale : kScales) {
    const auto corners = box_corners(Vec3(1, 2, 3) * scale);
    const Polytope p = *make_convex_hull(corners).polytope;
    expect_sound(p, corners, 6 * scale);
    EXPECT_EQ(p.vertices, corners) << "vertices keep the order and the bits of the points";
    EXPECT_EQ(p.faces.size(), 6u);
    EXPECT_EQ(p.edges.size(), 12u);
    for (const auto& face : p.faces) EXPECT_EQ(face.count, 4);
    EXPECT_LT(p.interior_point.norm(), 1e-14 * scale);
  }
}

TEST(ConvexHull, points_inside_on_faces_on_edges_and_repeated_are_dropped) {
  std::vector<Vec3> grid;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 5; ++y)
      for (int z = 0; z < 5; ++z) grid.insert(grid.end(), 2, Vec3(x, y, z));
  std::mt19937 random(4);
  const Mat3 turn = random_rotation(random).toRotationMatrix();
  for (double scale : kScales) {
    std::vector<Vec3> turned;
    for (const Vec3& p : grid) turned.push_back(scale * (turn * p + Vec3(10, -20, 5)));
    const Polytope p = *make_convex_hull(turned).polytope;
    expect_sound(p, turned, 4 * scale);
    EXPECT_EQ(p.vertices.size(), 8u);
    EXPECT_EQ(p.faces.size(), 6u);
  }
}

TEST(ConvexHull, coordinates_rounded_to_single_precision_still_give_flat_faces) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Mat3 turn = random_rotation(random).toRotationMatrix();
    std::vector<Vec3> points;
    for (const Vec3& p : prism_points(12, 0.8)) points.push_back((turn * p).cast<float>().cast<double>());
    const Polytope p = *make_convex_hull(points).polytope;
    expect_sound(p, points, 2);
    EXPECT_EQ(p.faces.size(), 14u);
    EXPECT_EQ(p.vertices.size(), 24u);
  }
}

TEST(ConvexHull, of_points_on_a_sphere_every_point_is_a_vertex) {
  for (double scale : kScales) {
    std::vector<Vec3> points = sphere_points(500);
    for (Vec3& p : points) p *= scale;
    const Polytope p = *make_convex_hull(points).polytope;
    expect_sound(p, points, 2 * scale);
    EXPECT_EQ(p.vertices.size(), 500u);
    EXPECT_EQ(p.faces.size(), 996u) << "no four of them are coplanar, so 2V − 4 triangles";
  }
}

TEST(ConvexHull, hulls_of_random_and_degenerate_clouds_are_sound) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> small(-3, 3), size(8, 60);
  for (int trial = 0; trial < 600; ++trial) {
    std::vector<Vec3> points;
    const int count = size(random);
    const Mat3 turn = random_rotation(random).toRotationMatrix();
    const double flatness = std::pow(10.0, -(trial % 5));
    for (int i = 0; i < count; ++i) {
      if (trial % 3 == 0) points.push_back(turn * Vec3(small(random), small(random), small(random) * flatness));
      else if (trial % 3 == 1) points.push_back({uniform(random), uniform(random), uniform(random) * flatness});
      else points.push_back(Vec3(small(random), small(random), small(random)) + 1e-9 * random_direction(random));
    }
    SCOPED_TRACE(trial);
    ASSERT_NO_THROW({ expect_sound(*make_convex_hull(points).polytope, points, 6); });
  }
}

TEST(ConvexHull, the_same_points_give_the_same_hull) {
  const auto points = sphere_points(300);
  const Polytope a = *make_convex_hull(points).polytope, b = *make_convex_hull(points).polytope;
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.loops, b.loops);
  for (std::size_t i = 0; i < a.faces.size(); ++i) EXPECT_EQ(a.faces[i].normal, b.faces[i].normal);
}

TEST(ConvexHull, points_without_a_volume_are_refused_with_the_reason) {
  using ::testing::HasSubstr;
  EXPECT_EQ(complaint({}),
            "/points: 0 points cannot make a hull. A convex hull needs at least 4 points that do not lie in one plane.");
  EXPECT_THAT(complaint({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), HasSubstr("3 points cannot make a hull"));
  for (double scale : kScales) {
    const Vec3 shift = scale * Vec3(3, 4, 5);
    std::vector<Vec3> same(6, shift), line, plane;
    for (int i = 0; i < 9; ++i) line.push_back(shift + scale * i * Vec3(1, 2, 3));
    for (int i = 0; i < 9; ++i) plane.push_back(shift + scale * (i % 3 * Vec3(1, 2, 3) + i / 3 * Vec3(0, 1, -1)));
    EXPECT_THAT(complaint(same), HasSubstr("are the same"));
    EXPECT_THAT(complaint(line), HasSubstr("lie on one line"));
    EXPECT_THAT(complaint(plane), HasSubstr("lie in one plane"));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}),
            "/points/2: (0, nan, 0) is not a point. Coordinates must be finite.");
}

}   // namespace
}   // namespace stickslip
