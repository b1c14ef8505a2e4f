// Contact generation allocates nothing once the sink has grown.
#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "collide/near_pairs.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/collide/surface.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::testing {
namespace {

TEST(Allocation, no_pair_allocates_when_the_sink_is_warm) {
  PairMaker maker(61);
  std::vector<NearPair> pairs;
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b)
      for (int k = 0; k < 20; ++k)
        if (a != 4 && b != 4) pairs.push_back(maker.near_pair(a, b));
  ContactSink sink;
  for (int k = 0; k < 64; ++k) sink.add(Vec3::Zero(), Vec3::UnitZ(), 0, 0);
  const long before = allocations;
  std::size_t points = 0;
  for (const NearPair& p : pairs) {
    collide(p.a, p.pose_a, p.b, p.pose_b, p.margin, sink);
    points += sink.points().size();
    if (!std::holds_alternative<HalfSpace>(p.a)) {
      collide(HalfSpace{}, Pose{p.pose_a.position, p.pose_b.orientation}, p.a, p.pose_a, p.margin, sink);
      points += sink.points().size();
    }
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(points, 500u);
}

TEST(Allocation, no_surface_that_deforms_allocates_a_second_time) {
  PairMaker maker(19);
  const MeshSurface a(sphere_mesh(0.5, 20)), b(placed(sphere_mesh(0.5, 16), {Vec3(0.95, 0, 0), maker.rotation()}));
  std::vector<std::pair<Shape, Pose>> shapes;
  for (std::size_t kind = 0; kind < 7; ++kind) {
    const Shape shape = kind < 6 ? maker.shape(kind) : Shape(make_mesh(l_mesh()));
    const bool plane = std::holds_alternative<HalfSpace>(shape);
    shapes.emplace_back(shape, Pose{plane ? Vec3(0, 0, -0.45) : Vec3(0, 0, -0.45 - support(shape, Vec3::UnitZ()).z())});
  }
  ContactSink sink;
  const auto all = [&] {
    std::size_t count = 0;
    for (const auto& [shape, pose] : shapes) collide_surface(a, shape, pose, 0.02, sink), count += sink.points().size();
    collide_surfaces(a, b, 0.02, sink);
    count += sink.points().size();
    collide_self(a, 0.05, 0.02, sink);
    return count;
  };
  const std::size_t first = all();
  const long before = allocations;
  EXPECT_EQ(all(), first);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(first, 20u);
}

}   // namespace
}   // namespace stickslip::testing
