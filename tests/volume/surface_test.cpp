// Surfaces of overlaps are closed and hold what is measured.
#include <map>

#include "stickslip/volume/surface.h"
#include "volume/pairs.h"
#include "volume/solids.h"

namespace stickslip::volume_test {
namespace {

std::vector<OverlapSurface> surfaces_of(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                        const OverlapOptions& options) {
  OverlapScratch scratch;
  std::vector<OverlapSurface> found;
  overlap_surfaces(a, pose_a, b, pose_b, scratch, found, options);
  return found;
}

/// V = ⅓ ∮ x·n dA, from a vertex of each surface.
double volume_within(const std::vector<OverlapSurface>& surfaces) {
  double volume = 0;
  for (const OverlapSurface& s : surfaces)
    for (const auto& [p, q, r] : s.triangles) {
      const Vec3 &from = s.vertices[0], x = s.vertices[p] - from, y = s.vertices[q] - from, z = s.vertices[r] - from;
      volume += x.cross(y).dot(z) / 6;
    }
  return volume;
}

bool is_closed(const OverlapSurface& s) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : s.triangles)
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t from = t[k], to = t[(k + 1) % 3];
      edges[{std::min(from, to), std::max(from, to)}] += from < to ? 1 : -1;
    }
  return !s.triangles.empty() && std::ranges::all_of(edges, [](const auto& edge) { return edge.second == 0; });
}

bool is_flat(const Shape& s) {
  return std::holds_alternative<Box>(s) || std::holds_alternative<ConvexHull>(s) || std::holds_alternative<HalfSpace>(s);
}

TEST(OverlapSurface, of_convex_shapes_is_closed_and_holds_their_common_volume) {
  for (const PlacedPair& p : convex_pairs()) {
    SCOPED_TRACE(std::string(shape_name(p.a)) + " and " + std::string(shape_name(p.b)));
    const OverlapVolume o = one_overlap(p.a, p.pose_a, p.b, p.pose_b, {.round_facets = 64});
    const auto surfaces = surfaces_of(p.a, p.pose_a, p.b, p.pose_b, {.round_facets = 12});
    for (const OverlapSurface& s : surfaces) EXPECT_TRUE(is_closed(s));
    EXPECT_NEAR(volume_within(surfaces), o.volume, (is_flat(p.a) && is_flat(p.b) ? 1e-12 : 0.02) * o.volume);
  }
}

TEST(OverlapSurface, of_two_boxes_has_the_corners_of_the_box_that_they_share) {
  const auto surfaces = surfaces_of(Box{{1, 1, 1}}, at(100, 0, 0), Box{{0.5, 2, 0.5}}, at(100.2, 0.3, 1.4), {});
  ASSERT_EQ(surfaces.size(), 1u);
  ASSERT_EQ(surfaces[0].vertices.size(), 8u);
  for (const Vec3& v : surfaces[0].vertices) {
    EXPECT_NEAR(std::abs(v.x() - 100.2), 0.5, 1e-12);
    EXPECT_NEAR(std::abs(v.y()), 1, 1e-12);
    EXPECT_NEAR(std::abs(v.z() - 0.95), 0.05, 1e-12);
  }
}

TEST(OverlapSurface, of_meshes_is_closed_and_ends_where_rays_do) {
  const Pose lying{Vec3(0.1, 0.2, 0.47), rotation_from_vector({0.02, -0.03, 0.4})};
  const Shape box = box_mesh({1, 0.8, 0.5}, 3);
  const OverlapVolume o = one_overlap(HalfSpace{}, at(0, 0, 0), box, lying);
  const auto surfaces = surfaces_of(HalfSpace{}, at(0, 0, 0), box, lying, {.rays = 64});
  ASSERT_EQ(surfaces.size(), 1u);
  EXPECT_TRUE(is_closed(surfaces[0]));
  EXPECT_NEAR(volume_within(surfaces), o.volume, 0.06 * o.volume);   // half a cell less on every side
  for (const Vec3& v : surfaces[0].vertices) {
    EXPECT_LT(v.z(), 1e-9);
    EXPECT_LT((lying.to_local(v).cwiseAbs() - Vec3(1, 0.8, 0.5)).maxCoeff(), 1e-9);
  }
}

}   // namespace
}   // namespace stickslip::volume_test
