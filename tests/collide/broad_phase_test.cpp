#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collide/aabb_tree.h"
#include "stickslip/collide/broad_phase.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Given {
  Aabb box;
  bool passive;
};
using Scene = std::map<std::uint32_t, Given>;
using Pairs = std::vector<ProxyPair>;

/// The definition: every pair, tested.
Pairs brute_force(const Scene& scene) {
  Pairs pairs;
  for (auto p = scene.begin(); p != scene.end(); ++p)
    for (auto q = std::next(p); q != scene.end(); ++q)
      if (!(p->second.passive && q->second.passive) && p->second.box.overlaps(q->second.box))
        pairs.push_back({p->first, q->first});
  return pairs;
}

Pairs pairs_of(BroadPhase& broad) {
  const auto pairs = broad.pairs();
  return {pairs.begin(), pairs.end()};
}

Pairs pairs_from_nothing(const Scene& scene) {
  BroadPhase fresh;
  for (auto p = scene.rbegin(); p != scene.rend(); ++p) fresh.set(p->first, p->second.box, p->second.passive);
  return pairs_of(fresh);
}

Aabb around(const Vec3& center, const Vec3& half) { return {center - half, center + half}; }

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  int integer(int a, int b) { return std::uniform_int_distribution<int>(a, b)(engine_); }
  Vec3 vector(double a, double b) { return {uniform(a, b), uniform(a, b), uniform(a, b)}; }
  bool chance(double p) { return uniform(0, 1) < p; }

 private:
  std::mt19937 engine_;
};

Aabb random_box(Random& random, double scale) {
  const double size = std::exp(random.uniform(-2, 0.5));
  Aabb box = around(random.vector(-4, 4) * scale, random.vector(0.2, 1) * size * scale);
  const int axis = random.integer(0, 2);
  if (random.chance(0.02)) box.upper[axis] = kInfinity;
  if (random.chance(0.01)) box = {Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  return box;
}

TEST(BroadPhase, reports_what_brute_force_reports_over_a_long_random_history) {
  for (double scale : {1e-3, 1.0, 100.0}) {
    Random random(11);
    BroadPhase broad;
    Scene scene;
    std::size_t reported = 0;
    for (int round = 0; round < 400; ++round) {
      // Quiet rounds, lively ones, and floods.
      const int changes = round % 50 == 0 ? 80 : random.integer(0, round % 7 == 0 ? 40 : 4);
      for (int i = 0; i < changes; ++i) {
        const auto key = static_cast<std::uint32_t>(random.integer(0, 119));
        const auto found = scene.find(key);
        if (found == scene.end() || random.chance(0.1)) {
          scene[key] = {random_box(random, scale), random.chance(0.3)};
        } else if (random.chance(0.2)) {
          scene.erase(key);
          broad.remove(key);
          continue;
        } else if (random.chance(0.2)) {
          found->second.passive = !found->second.passive;
        } else {
          const Vec3 shift = random.vector(-1, 1) * scale * (random.chance(0.5) ? 0.01 : 0.5);
          found->second.box = {found->second.box.lower + shift, found->second.box.upper + shift};
        }
        broad.set(key, scene[key].box, scene[key].passive);
      }
      const Pairs expected = brute_force(scene);
      ASSERT_EQ(pairs_of(broad), expected) << "round " << round;
      if (round % 20 == 0) {
        ASSERT_EQ(pairs_from_nothing(scene), expected) << "round " << round;
      }
      reported += expected.size();
    }
    EXPECT_GT(reported, 20000u) << "the scene was not empty";
  }
}

TEST(BroadPhase, follows_a_drifting_crowd_step_by_step) {
  Random random(12);
  BroadPhase broad;
  Scene scene;
  std::vector<Vec3> velocity;
  for (std::uint32_t key = 0; key < 300; ++key) {
    scene[key] = {around(random.vector(-5, 5), random.vector(0.2, 0.6)), key % 10 == 0};
    velocity.push_back(random.vector(-1, 1));
  }
  for (int step = 0; step < 120; ++step) {
    for (auto& [key, given] : scene) {
      const Vec3 shift = (step < 60 ? 0.02 : 1e-4) * velocity[key];
      given.box = {given.box.lower + shift, given.box.upper + shift};
      broad.set(key, given.box, given.passive);
    }
    ASSERT_EQ(pairs_of(broad), brute_force(scene)) << "step " << step;
  }
}

TEST(BroadPhase, boxes_that_only_touch_are_a_pair) {
  BroadPhase broad;
  broad.set(3, around({0, 0, 0}, {1, 1, 1}), false);
  broad.set(1, around({2, 0, 0}, {1, 1, 1}), false);
  broad.set(2, around({4.0001, 0, 0}, {1, 1, 1}), false);
  EXPECT_EQ(pairs_of(broad), (Pairs{{1, 3}}));
}

TEST(BroadPhase, a_sleeper_pairs_with_nothing_passive_until_it_wakes) {
  BroadPhase broad;
  const Aabb box = around({0, 0, 0}, {1, 1, 1}), everywhere{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  broad.set(0, everywhere, true);
  broad.set(1, box, true);
  broad.set(2, box, true);
  EXPECT_EQ(pairs_of(broad), Pairs{});
  broad.set(2, box, false);
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 2}, {1, 2}}));
  broad.set(2, box, true);
  EXPECT_EQ(pairs_of(broad), Pairs{});
}

TEST(BroadPhase, empty_boxes_and_nan_pair_with_nothing_and_recover) {
  BroadPhase broad;
  const Aabb box = around({0, 0, 0}, {1, 1, 1});
  Aabb broken = box;
  broken.upper.y() = std::numeric_limits<double>::quiet_NaN();
  broad.set(0, box, false);
  broad.set(1, broken, false);
  broad.set(2, Aabb{}, false);
  EXPECT_EQ(pairs_of(broad), Pairs{});
  broad.set(1, box, false);
  broad.set(2, box, false);
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(BroadPhase, clear_forgets_everything_and_unknown_keys_may_be_removed) {
  BroadPhase broad;
  broad.remove(7);
  for (std::uint32_t key = 0; key < 5; ++key) broad.set(key, around({0, 0, 0}, {1, 1, 1}), false);
  EXPECT_EQ(broad.pairs().size(), 10u);
  broad.clear();
  EXPECT_EQ(broad.pairs().size(), 0u);
  broad.set(4, around({0, 0, 0}, {1, 1, 1}), false);
  EXPECT_EQ(broad.pairs().size(), 0u);
}

TEST(BroadPhase, a_million_boxes_in_one_spot_are_refused_with_the_place) {
  BroadPhase broad;
  for (std::uint32_t key = 0; key < 1'000'000; ++key) broad.set(key, around({1, 2, 3}, {0.5, 0.5, 0.5}), false);
  try {
    broad.pairs();
    FAIL() << "half a million million pairs were accepted";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("999999 of the 1000000 shapes"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("around (1, 2, 3) m"));
  }
}

TEST(BroadPhase, the_limit_counts_reported_pairs_and_a_refusal_changes_nothing) {
  Scene scene;
  BroadPhase broad;
  for (std::uint32_t key = 0; key < 50; ++key) {
    // Spaced so that fattened boxes overlap and the boxes themselves do not; then ten more in one spot and a floor.
    scene[key] = {around(key < 40 ? Vec3(2.01 * key, 0, 0) : Vec3(0, 50, 0), {1, 1, 1}), false};
    if (key == 45) scene[key] = {{Vec3::Constant(-kInfinity), Vec3(kInfinity, kInfinity, -1)}, true};
    broad.set(key, scene[key].box, scene[key].passive);
  }
  const Pairs expected = brute_force(scene);
  EXPECT_EQ(expected.size(), 49u + 9u * 8u / 2u);
  EXPECT_THROW(broad.pairs(expected.size() - 1), Error);
  EXPECT_EQ(broad.pairs(expected.size()).size(), expected.size());
  EXPECT_THROW(broad.pairs(expected.size() - 1), Error);
  EXPECT_EQ(pairs_of(broad), expected);
}

TEST(AabbTree, stays_shallow_for_equal_boxes_and_for_sorted_insertion) {
  for (bool equal : {true, false}) {
    AabbTree tree;
    for (std::uint32_t key = 0; key < 4096; ++key) tree.set(key, around({equal ? 0.0 : key, 0, 0}, {0.6, 0.6, 0.6}));
    EXPECT_EQ(tree.size(), 4096u);
    EXPECT_LE(tree.depth(), 24) << (equal ? "equal" : "sorted");
    for (std::uint32_t key = 0; key < 4096; key += 2) tree.remove(key);
    EXPECT_EQ(tree.size(), 2048u);
    int found = 0;
    tree.query(around({100, 0, 0}, {10, 1, 1}), [&](std::uint32_t key) {
      EXPECT_EQ(key % 2, 1u);
      return ++found, true;
    });
    EXPECT_EQ(found, equal ? 0 : 10);
  }
}

TEST(AabbTree, built_at_once_it_finds_what_it_finds_when_grown) {
  Random random(13);
  std::vector<Aabb> boxes;
  std::vector<std::uint32_t> keys;
  AabbTree grown, built;
  for (std::uint32_t key = 0; key < 500; ++key) {
    boxes.push_back(around(random.vector(-5, 5), random.vector(0, 1)));
    keys.push_back(key);
    grown.set(key, boxes.back());
  }
  built.build(keys, boxes);
  for (int i = 0; i < 100; ++i) {
    const Aabb probe = around(random.vector(-5, 5), random.vector(0, 2));
    std::vector<std::uint32_t> expected, from_grown, from_built;
    for (std::uint32_t key = 0; key < 500; ++key)
      if (boxes[key].overlaps(probe)) expected.push_back(key);
    grown.query(probe, [&](std::uint32_t key) { return from_grown.push_back(key), true; });
    built.query(probe, [&](std::uint32_t key) { return from_built.push_back(key), true; });
    EXPECT_THAT(from_grown, ::testing::UnorderedElementsAreArray(expected));
    EXPECT_THAT(from_built, ::testing::UnorderedElementsAreArray(expected));
  }
}

}   // namespace
}   // namespace stickslip
