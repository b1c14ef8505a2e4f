// Contact generation allocates nothing once the sink has grown.
#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "collide/near_pairs.h"

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

}   // namespace
}   // namespace stickslip::testing
