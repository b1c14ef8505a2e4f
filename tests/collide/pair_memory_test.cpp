// What is kept of pairs from look to look saves time and changes nothing.
#include <gtest/gtest.h>

#include "collide/mesh_pairs.h"
#include "collide/near_pairs.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/collide/pair_memory.h"

namespace stickslip::testing {
namespace {

bool same_bits(const ContactSink& x, const ContactSink& y) {
  if (x.points().size() != y.points().size() || x.parts().size() != y.parts().size()) return false;
  for (std::size_t i = 0; i < x.points().size(); ++i) {
    const ContactPoint &p = x.points()[i], &q = y.points()[i];
    if (p.position != q.position || p.normal != q.normal || p.gap != q.gap || p.feature != q.feature) return false;
  }
  for (std::size_t i = 0; i < x.parts().size(); ++i)
    if (x.parts()[i].parts != y.parts()[i].parts || x.parts()[i].end != y.parts()[i].end) return false;
  return true;
}

TEST(PairMemory, contacts_of_meshes_that_wander_are_the_same_with_and_without) {
  PairMaker random(5);
  const Shape ring = make_mesh(torus_mesh(1, 0.25, 16, 10)), l = make_mesh(l_mesh());
  ContactSink with, without;
  std::size_t points = 0;
  for (int walk = 0; walk < 60; ++walk) {
    PairMemory memory;
    const Shape& other = walk % 2 ? ring : l;
    Pose pose{random.uniform(0.8, 2) * random.direction(), random.rotation()};
    const double stride = std::pow(10.0, random.uniform(-5, -0.5));
    for (int look = 0; look < 30; ++look) {
      pose.position += stride * random.direction();
      pose.orientation = turned(stride, random.direction()) * pose.orientation;
      const double margin = random.uniform(0.01, 0.2);
      with.remember_in(&memory);
      collide(ring, {}, other, pose, margin, with);
      collide(ring, {}, other, pose, margin, without);
      ASSERT_TRUE(same_bits(with, without)) << walk << " " << look;
      points += with.points().size();
    }
  }
  EXPECT_GT(points, 2000u);
}

TEST(PairMemory, trees_are_not_asked_again_while_meshes_hardly_move) {
  const MeshSolid ring(torus_mesh(1, 0.25, 16, 10)), l(l_mesh());
  narrow::MeshPairs pairs;
  PairMemory memory;
  int asked = 0;
  for (int look = 0; look < 100; ++look) {
    pairs.begin(ring, l, {Vec3(1.2 + 1e-3 * look, 0.1, 0.2), Quat::Identity()});
    EXPECT_FALSE(pairs.within(0.1, &memory).empty());
    asked += memory.b_in_a.position.x() == 1.2 + 1e-3 * look;
  }
  EXPECT_GT(asked, 1);
  EXPECT_LT(asked, 20);
}

TEST(PairMemories, keep_the_pairs_that_stay) {
  PairMemories memories;
  memories.keep(std::vector<ProxyPair>{{0, 1}, {0, 2}, {3, 4}});
  memories.of({0, 2})->reach = 2;
  memories.of({3, 4})->reach = 3;
  memories.keep(std::vector<ProxyPair>{{0, 2}, {1, 2}, {5, 6}});
  EXPECT_EQ(memories.of({0, 2})->reach, 2);
  EXPECT_EQ(memories.of({3, 4}), nullptr);
  for (const ProxyPair& fresh : {ProxyPair{1, 2}, ProxyPair{5, 6}}) EXPECT_EQ(memories.of(fresh)->reach, -1);
}

}   // namespace
}   // namespace stickslip::testing
