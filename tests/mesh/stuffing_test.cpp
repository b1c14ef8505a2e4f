#include "stickslip/mesh/stuffing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "error_message.h"
#include "geometry/shapes.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/mesh/mesh_distance.h"

namespace stickslip::stuffing_test {
namespace {

using ::stickslip::testing::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kDegree = std::numbers::pi / 180;

double box_distance(const Vec3& p, const Vec3& half) {
  const Vec3 beyond = p.cwiseAbs() - half;
  return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
}

/// By all triangles, with the sign of how often the surface winds round the point.
double distance_by_hand(const TriangleMesh& mesh, const Vec3& p) {
  double least = 1e300, angle = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - p, b = mesh.vertices[t[1]] - p, c = mesh.vertices[t[2]] - p;
    angle += 2 * std::atan2(a.dot(b.cross(c)),
                            a.norm() * b.norm() * c.norm() + a.dot(b) * c.norm() + b.dot(c) * a.norm() + c.dot(a) * b.norm());
    const Vec3 n = (b - a).cross(c - a);
    const double u = n.dot((b.cross(c))) / n.squaredNorm(), v = n.dot(c.cross(a)) / n.squaredNorm(), w = 1 - u - v;
    if (u >= 0 && v >= 0 && w >= 0) least = std::min(least, std::abs(a.dot(n)) / n.norm());
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      const double s = std::clamp(-from.dot(to - from) / (to - from).squaredNorm(), 0.0, 1.0);
      least = std::min(least, (from + s * (to - from)).norm());
    }
  }
  return angle > 2 * std::numbers::pi ? -least : least;
}

TEST(MeshDistance, agrees_with_all_triangles_and_the_winding_number) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> number(-2, 2);
  for (const TriangleMesh& mesh :
       {l_mesh(), torus_mesh(1, 0.4, 16, 9), cross_mesh(), box_mesh({0.5, 1, 0.2}), capsule_mesh(0.5, 0.7, 12)}) {
    const MeshDistance distance(mesh);
    for (int i = 0; i < 3000; ++i) {
      const Vec3 p(number(random), number(random), number(random));
      ASSERT_NEAR(distance(p), distance_by_hand(mesh, p), 1e-12);
    }
  }
}

TEST(MeshDistance, has_no_inside_where_the_mesh_is_open) {
  TriangleMesh mesh = box_mesh({1, 1, 1});
  mesh.triangles.pop_back();
  EXPECT_THAT(message_of([&] { MeshDistance{mesh}; }), HasSubstr("not closed"));
}

struct Solid {
  const char* name;
  DistanceFunction distance;
  double reach, volume;
};

std::vector<Solid> solids() {
  const double pi = std::numbers::pi;
  return {
      {"ball", [](const Vec3& p) { return p.norm() - 1; }, 1, 4.0 / 3 * pi},
      {"torus", [](const Vec3& p) { return std::hypot(std::hypot(p.x(), p.y()) - 1, p.z()) - 0.4; }, 1.4, 2 * pi * pi * 0.16},
      {"box",
       [](const Vec3& p) {
         return box_distance(Quat(0.9, 0.1, 0.3, -0.2).normalized() * p, {0.7, 0.5, 0.9});
       },
       1.3, 8 * 0.7 * 0.5 * 0.9}};
}

TEST(Stuffing, dihedral_angles_keep_the_bounds_of_the_paper) {
  std::mt19937 random(1);
  for (const Solid& solid : solids())
    for (const double size : {0.35, 0.21, 0.1}) {
      for (int i = 0; i < (size > 0.2 ? 20 : 2); ++i) {
        const Pose pose{0.5 * random_direction(random), random_rotation(random)};
        const TetMesh mesh = stuff([&](const Vec3& p) { return solid.distance(pose.to_local(p)); },
                                   {pose.position.array() - solid.reach, pose.position.array() + solid.reach}, {size});
        const TetQuality q = quality(mesh);
        ASSERT_GT(q.smallest_angle, 10.7 * kDegree) << solid.name << " " << size;
        ASSERT_LT(q.largest_angle, 164.8 * kDegree) << solid.name << " " << size;
        validate(mesh);
      }
    }
}

TEST(Stuffing, dihedral_angles_keep_their_bounds_for_surfaces_that_are_nothing_but_corners) {
  // Random signs on the scale of the lattice: every case of every tetrahedron occurs. The distance is that of many small balls.
  std::mt19937 random(17);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 0; i < 25; ++i) {
    std::vector<Vec3> centres;
    for (int k = 0; k < 150; ++k) centres.emplace_back(number(random), number(random), number(random));
    const TetMesh mesh = stuff(
        [&](const Vec3& p) {
          double least = 1e9;
          for (const Vec3& c : centres) least = std::min(least, (p - c).norm() - 0.17);
          return least;
        },
        {Vec3::Constant(-1.2), Vec3::Constant(1.2)}, {0.2});
    const TetQuality q = quality(mesh);
    ASSERT_GT(q.smallest_angle, 10.7 * kDegree);
    ASSERT_LT(q.largest_angle, 164.8 * kDegree);
    ASSERT_GT(mesh.tetrahedra.size(), 2000u);
  }
}

TEST(Stuffing, the_volume_converges_and_the_boundary_lies_on_the_surface) {
  for (const Solid& solid : solids()) {
    const Aabb box{Vec3::Constant(-solid.reach), Vec3::Constant(solid.reach)};
    double coarse = 0;
    for (const double size : {0.2, 0.1}) {
      const TetMesh mesh = stuff(solid.distance, box, {size});
      const TetSurface outside = surface(mesh);
      EXPECT_TRUE(is_closed(outside.mesh));
      for (const Vec3& v : outside.mesh.vertices) ASSERT_LT(std::abs(solid.distance(v)), 1e-9);
      for (const auto& [a, b, c] : outside.mesh.triangles) {
        const Vec3 middle = (outside.mesh.vertices[a] + outside.mesh.vertices[b] + outside.mesh.vertices[c]) / 3;
        ASSERT_LT(std::abs(solid.distance(middle)), 0.6 * size) << solid.name;
      }
      const double error = std::abs(volume(mesh) - solid.volume) / solid.volume;
      if (size < 0.15) {
        EXPECT_LT(error, 0.45 * coarse) << solid.name;
        EXPECT_LT(error, 0.03) << solid.name;
      }
      coarse = error;
    }
  }
}

TEST(Stuffing, a_mesh_is_filled_by_its_distance) {
  const TriangleMesh mesh = torus_mesh(1, 0.4, 40, 24);
  const TetMesh tets = stuff(mesh, {0.12});
  validate(tets);
  EXPECT_NEAR(volume(tets), volume(mesh), 0.02 * volume(mesh));
  EXPECT_GT(quality(tets).smallest_angle, 10.7 * kDegree);
  const TetSurface outside = surface(tets);
  EXPECT_TRUE(is_closed(outside.mesh));
  const TetMesh again = stuff(mesh, {0.12});
  EXPECT_EQ(again.vertices, tets.vertices);
  EXPECT_EQ(again.tetrahedra, tets.tetrahedra);
}

TEST(Stuffing, what_cannot_be_filled_says_why) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  EXPECT_THAT(message_of([&] { stuff(box, {0}); }), HasSubstr("0 is not a size"));
  EXPECT_THAT(message_of([&] { stuff(box, {1e-4}); }), AllOf(HasSubstr("points"), HasSubstr("or more")));
  EXPECT_THAT(message_of([&] {
                stuff(box_mesh({1, 1, 1e-3}), {0.5});
              }),
              AllOf(HasSubstr("thinner"), HasSubstr("smaller size")));
}

}   // namespace
}   // namespace stickslip::stuffing_test
