// Primitive solids: whole, well shaped, and of the right volume.
#include "stickslip/soft/primitives.h"

#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "error_message.h"
#include "stickslip/soft/tetrahedra.h"

namespace stickslip::soft_primitives_test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

/// Every tetrahedron positive, every inner side shared by two, the surface closed; vertices all used and none twice.
void expect_whole(const TetMesh& mesh) {
  validate(mesh);
  std::set<std::uint32_t> used;
  for (const auto& t : mesh.tetrahedra) used.insert(t.begin(), t.end());
  EXPECT_EQ(used.size(), mesh.vertices.size());
  std::map<std::array<std::uint32_t, 2>, int> edges;
  for (const auto& t : boundary_triangles(mesh.tetrahedra))
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ((edges.count({edge[1], edge[0]})), 1u);
  }
  std::map<std::array<std::uint32_t, 3>, int> sides;
  for (const auto& t : mesh.tetrahedra)
    for (int k = 0; k < 4; ++k) {
      std::array<std::uint32_t, 3> s = {t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]};
      std::sort(s.begin(), s.end());
      EXPECT_LE(++sides[s], 2);
    }
}

double enclosed(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& t : boundary_triangles(mesh.tetrahedra))
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6;
  return sum;
}

/// @param make a mesh of a size. Errors of the volume fall as size².
template <class Make>
void expect_good(const char* what, double exact, double smallest_angle, double size, Make&& make) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const TetMesh mesh = make(k == 0 ? size : size / 2);
    if (k == 0) expect_whole(mesh);
    EXPECT_NEAR(enclosed(mesh), volume(mesh), 1e-12 * exact) << what;   // surfaces look outward
    error[k] = exact - volume(mesh);
    EXPECT_GT(quality(mesh).smallest_angle, smallest_angle * kDegree) << what;
    EXPECT_LT(quality(mesh).largest_angle, 140 * kDegree) << what;
  }
  EXPECT_GT(error[1], 0) << what;
  EXPECT_NEAR(error[0] / error[1], 4, 0.25) << what;
}

TEST(Primitives, boxes_fill_their_box_with_angles_of_at_least_54_degrees) {
  for (const Vec3& half : {Vec3(1, 1, 1), Vec3(0.5, 1, 2), Vec3(0.1, 3, 1)}) {
    const TetMesh mesh = soft_box(half, 0.5);
    expect_whole(mesh);
    EXPECT_NEAR(volume(mesh), 8 * half.prod(), 1e-13 * half.prod());
    EXPECT_NEAR(enclosed(mesh), 8 * half.prod(), 1e-12 * half.prod());
  }
  const TetMesh cube = soft_box({1, 1, 1}, 0.5);
  EXPECT_EQ(cube.tetrahedra.size(), 5u * 64);
  EXPECT_EQ(cube.vertices.size(), 125u);
  EXPECT_NEAR(quality(cube).smallest_angle / kDegree, 54.7356, 1e-3);
}

TEST(Primitives, round_solids_are_well_shaped_and_their_volumes_converge_with_order_two) {
  const double r = 0.7, h = 0.9, ring = 2;
  expect_good("sphere", 4 * kPi / 3 * r * r * r, 35, r / 4, [&](double size) { return soft_sphere(r, size); });
  expect_good("cylinder", 2 * kPi * r * r * h, 30, r / 3, [&](double size) { return soft_cylinder(r, h, size); });
  expect_good("capsule", 2 * kPi * r * r * h + 4 * kPi / 3 * r * r * r, 25, r / 3,
              [&](double size) { return soft_capsule(r, h, size); });
  expect_good("torus", 2 * kPi * kPi * ring * r * r, 20, r / 3, [&](double size) { return soft_torus(ring, r, size); });
}

TEST(Primitives, edges_have_about_the_size_that_was_asked_for) {
  for (const TetMesh& mesh : {soft_box({1, 1, 1}, 0.2), soft_sphere(1, 0.2), soft_cylinder(1, 1, 0.2), soft_capsule(1, 1, 0.2),
                              soft_torus(3, 1, 0.2)}) {
    double sum = 0;
    for (const auto& t : mesh.tetrahedra)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) sum += (mesh.vertices[t[i]] - mesh.vertices[t[j]]).norm();
    EXPECT_NEAR(sum / (6.0 * mesh.tetrahedra.size()), 0.24, 0.04);
  }
}

TEST(Primitives, what_is_no_length_is_named) {
  using testing::message_of;
  EXPECT_NE(message_of([] { soft_box({1, -1, 1}, 0.1); }).find("/half_extents: -1 m is not a length"), std::string::npos);
  EXPECT_NE(message_of([] { soft_sphere(1, 0); }).find("/size: 0 m"), std::string::npos);
  EXPECT_NE(message_of([] { soft_sphere(NAN, 1); }).find("/radius"), std::string::npos);
  EXPECT_NE(message_of([] { soft_cylinder(1, INFINITY, 1); }).find("/half_height"), std::string::npos);
  EXPECT_NE(message_of([] { soft_torus(1, 1.5, 1); }).find("/ring_radius"), std::string::npos);
  EXPECT_NE(message_of([] { soft_box({1, 1, 1}, 1e-5); }).find("Make it at least"), std::string::npos);
  EXPECT_NE(message_of([] { soft_capsule(1, 1, 1e-300); }).find("/size"), std::string::npos);
}

TEST(Primitives, a_graded_box_is_whole_and_its_elements_grow_away_from_the_top) {
  for (const Vec3& half : {Vec3(1, 1, 0.5), Vec3(1, 2, 1), Vec3(0.5, 0.5, 2)}) {
    const double size = 0.02;
    const TetMesh mesh = soft_graded_box(half, size, 1.2);
    expect_whole(mesh);
    EXPECT_NEAR(volume(mesh), 8 * half.prod(), 1e-12 * half.prod());
    EXPECT_NEAR(enclosed(mesh), volume(mesh), 1e-12 * half.prod());
    // About as long as they should be in the middle, and everywhere no longer than what is left to the middle.
    const Vec3 middle(0, 0, half.z());
    double nearest = 1e9, shortest = 1e9, relative = 0;
    for (const auto& t : mesh.tetrahedra)
      for (int k = 0; k < 4; ++k)
        for (int l = 0; l < k; ++l) {
          const Vec3 &a = mesh.vertices[t[k]], &b = mesh.vertices[t[l]];
          if (std::min((a - middle).norm(), (b - middle).norm()) < 0.1 * size) nearest = std::min(nearest, (a - b).norm());
          shortest = std::min(shortest, (a - b).norm());
          relative = std::max(relative, (a - b).norm() / std::max({(a - middle).norm(), (b - middle).norm(), 2 * size}));
        }
    EXPECT_NEAR(nearest, size, 0.5 * size);
    // The second box is 1.2 times the first, which has four cells along its shortest side at least.
    EXPECT_GT(shortest, 0.2 * 2 * size);
    EXPECT_LT(relative, 1.2);
  }
  EXPECT_EQ(testing::message_of([] {
              soft_graded_box({1, 1, 1}, 0.1, 1);
            }),
            "/growth: 1 is not a growth. It must be greater than 1 and at most 2.");
}

}   // namespace
}   // namespace stickslip::soft_primitives_test
