#include "stickslip/mesh/convex_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "error_message.h"
#include "geometry/shapes.h"
#include "geometry/triangle_meshes.h"
#include "mesh/parts/cut.h"
#include "stickslip/mesh/health.h"
#include "stickslip/mesh/mesh_distance.h"

namespace stickslip::convex_parts_test {
namespace {

using ::stickslip::testing::message_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Cut, both_halves_are_closed_and_add_up_to_the_whole) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> number(-1, 1);
  const TriangleMesh hollow = joined(box_mesh({1, 1, 1}), turned_inside_out(box_mesh({0.6, 0.5, 0.4})));
  for (const TriangleMesh& mesh : {l_mesh(), cross_mesh(), torus_mesh(1, 0.4, 24, 12), sphere_mesh(1, 16), hollow})
    for (int i = 0; i < 50; ++i) {
      const CutPlane plane{random_direction(random), 0.7 * number(random)};
      const auto halves = cut(mesh, plane);
      if (!halves) continue;
      EXPECT_TRUE(is_closed(halves->below));
      EXPECT_TRUE(is_closed(halves->above));
      EXPECT_NEAR(volume(halves->below) + volume(halves->above), volume(mesh), 1e-12 * volume(mesh));
      for (const Vec3& v : halves->below.vertices) EXPECT_LT(plane.normal.dot(v), plane.offset + 1e-12);
      // Triangles of the lid do not overlap: their areas add up to that of the section.
      Vec3 section = Vec3::Zero();
      double lid = 0;
      for (const auto& t : halves->below.triangles) {
        const Vec3 &a = halves->below.vertices[t[0]], &b = halves->below.vertices[t[1]], &c = halves->below.vertices[t[2]];
        if (std::abs(plane.normal.dot(a) - plane.offset) + std::abs(plane.normal.dot(b) - plane.offset) +
                std::abs(plane.normal.dot(c) - plane.offset) >
            1e-12)
          continue;
        section += (b - a).cross(c - a) / 2, lid += (b - a).cross(c - a).norm() / 2;
      }
      EXPECT_NEAR(lid, section.dot(plane.normal), 1e-12);
    }
}

TEST(Cut, a_ring_cut_across_leaves_two_solids_and_one_cut_flat_a_lid_with_a_hole) {
  const TriangleMesh torus = torus_mesh(1, 0.4, 24, 12);
  const auto across = cut(torus, {Vec3::UnitX(), 0.01}), flat = cut(torus, {Vec3::UnitZ(), 0.01});
  EXPECT_EQ(check(across->above).euler, 2);   // a bent bar
  EXPECT_EQ(check(flat->above).euler, 0);     // still a ring
  EXPECT_EQ(solids_of(cut(torus, {Vec3::UnitX(), 0.75})->below).size(), 1u);
  EXPECT_EQ(solids_of(cut(across->above, {Vec3::UnitX(), 0.3})->below).size(), 2u);
}

void expect_covered(const TriangleMesh& mesh, const ConvexParts& parts, double size) {
  const MeshDistance distance(mesh);
  std::mt19937 random(9);
  const Aabb box = bounding_box(mesh);
  std::uniform_real_distribution<double> number(0, 1);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p = box.lower + (box.upper - box.lower).cwiseProduct(Vec3(number(random), number(random), number(random)));
    if (distance(p) > 0) continue;
    double nearest = 1e9;
    for (const ConvexPart& part : parts.parts) {
      double beyond = -1e9;
      for (const Polytope::Face& face : part.hull.polytope->faces) beyond = std::max(beyond, face.normal.dot(p) - face.offset);
      nearest = std::min(nearest, beyond);
    }
    ASSERT_LT(nearest, 1e-7 * size);
  }
}

double hull_volume(const ConvexParts& parts) {
  double sum = 0;
  for (const ConvexPart& part : parts.parts) sum += mass_properties(part.hull, 1).mass;
  return sum;
}

TEST(ConvexParts, a_convex_solid_is_one_part) {
  for (const TriangleMesh& mesh : {box_mesh({1, 2, 3}), sphere_mesh(1, 16), capsule_mesh(0.5, 1, 12)}) {
    const ConvexParts parts = convex_parts(mesh, {0.01});
    EXPECT_EQ(parts.parts.size(), 1u);
    EXPECT_NEAR(parts.overfill, 0, 1e-9);
  }
}

TEST(ConvexParts, an_L_is_two_boxes_and_a_cross_three) {
  std::mt19937 random(10);
  for (const Quat& turn : {Quat::Identity(), random_rotation(random)}) {
    const TriangleMesh l = placed(l_mesh(), {Vec3::Zero(), turn}), cross = placed(cross_mesh(), {Vec3::Zero(), turn});
    const ConvexParts two = convex_parts(l, {0.01}), three = convex_parts(cross, {0.01});
    EXPECT_EQ(two.parts.size(), 2u);
    EXPECT_EQ(three.parts.size(), 3u);
    EXPECT_NEAR(hull_volume(two), 3, 1e-3);
    EXPECT_NEAR(hull_volume(three), 5, 1e-3);
    expect_covered(l, two, 2);
    expect_covered(cross, three, 3);
  }
}

TEST(ConvexParts, a_torus_keeps_the_concavity_asked_for_and_a_smaller_one_takes_more_parts) {
  const TriangleMesh torus = torus_mesh(1, 0.35, 24, 12);
  std::size_t last = 0;
  for (const double concavity : {0.3, 0.1, 0.06}) {
    const ConvexParts parts = convex_parts(torus, {concavity});
    EXPECT_TRUE(parts.reached);
    for (const ConvexPart& part : parts.parts) {
      const double whole = mass_properties(part.hull, 1).mass;
      EXPECT_NEAR((whole - part.volume) / whole, part.concavity, 1e-9);
      EXPECT_TRUE(part.concavity <= concavity || whole - part.volume < 1e-5 * volume(torus));
    }
    EXPECT_LE(hull_volume(parts), volume(torus) * (1 / (1 - concavity) + 1e-5 * static_cast<double>(parts.parts.size())));
    EXPECT_GE(hull_volume(parts), volume(torus) * (1 - 1e-9));
    EXPECT_GT(parts.parts.size(), last);
    expect_covered(torus, parts, 2);
    last = parts.parts.size();
  }
  EXPECT_LE(last, 20u);
}

TEST(ConvexParts, separate_solids_are_separate_parts_and_a_cavity_belongs_to_its_solid) {
  const TriangleMesh two = joined(box_mesh({1, 1, 1}), box_mesh({1, 1, 1}, {5, 0, 0}));
  EXPECT_EQ(convex_parts(two, {0.05}).parts.size(), 2u);
  const TriangleMesh hollow = joined(box_mesh({1, 1, 1}), turned_inside_out(box_mesh({0.9, 0.9, 0.9})));
  const ConvexParts parts = convex_parts(hollow, {0.05});
  EXPECT_GE(parts.parts.size(), 6u);   // one for each wall
  EXPECT_LE(parts.parts.size(), 20u);
  EXPECT_LE(hull_volume(parts), volume(hollow) / 0.95);
  expect_covered(hollow, parts, 2);
}

TEST(ConvexParts, the_most_parts_asked_for_are_not_exceeded_and_that_is_told) {
  const ConvexParts parts = convex_parts(torus_mesh(1, 0.35, 24, 12), {0.02, 4});
  EXPECT_LE(parts.parts.size(), 5u);   // a cut may leave three pieces
  EXPECT_FALSE(parts.reached);
}

TEST(ConvexParts, what_has_no_inside_is_refused) {
  TriangleMesh open = box_mesh({1, 1, 1});
  open.triangles.pop_back();
  EXPECT_THAT(message_of([&] { convex_parts(open); }), HasSubstr("not closed"));
  EXPECT_THAT(message_of([&] { convex_parts(l_mesh(), {0}); }), HasSubstr("0 is not a concavity"));
  EXPECT_THAT(check(triangle_mesh(make_convex_hull(box_corners({1, 2, 3})))).findings, IsEmpty());
}

}   // namespace
}   // namespace stickslip::convex_parts_test
