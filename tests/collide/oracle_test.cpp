// Every convex pair against brute force over directions. For any unit vector n the distance of the supporting planes is a
// lower bound of the separation, so three facts together show that a reported depth is the true one: the supporting planes
// along the reported normal are apart by the reported gap, no direction found by search does better, and moving B out by the
// depth sets the shapes free.
#include <gtest/gtest.h>

#include "collide/near_pairs.h"

namespace stickslip::testing {
namespace {

NearPair moved_out(NearPair p, const Vec3& normal, double depth) {
  p.pose_b.position += depth * normal;
  return p;
}

/// Capsules and cylinders, whose ends have normals of their own.
bool are_rollers(const NearPair& p) {
  const auto round = [](const Shape& s) { return std::holds_alternative<Capsule>(s) || std::holds_alternative<Cylinder>(s); };
  return round(p.a) && round(p.b);
}

const ContactPoint& deepest(const std::vector<ContactPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
}

void expect_well_formed(const NearPair& p, const std::vector<ContactPoint>& points) {
  EXPECT_LE(points.size(), std::size_t{kMaxManifoldPoints});
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(points[k].normal.norm(), 1, 1e-12);
    EXPECT_LE(points[k].gap, p.margin);
    if (k > 0) {
      EXPECT_LT(points[k - 1].feature, points[k].feature);
      if (!are_rollers(p)) {
        EXPECT_LT((points[k].normal - points[0].normal).norm(), 1e-12);
      }
    }
  }
}

struct Kinds {
  std::size_t a, b;
  friend std::ostream& operator<<(std::ostream& out, const Kinds& k) {
    return out << shape_name(k.a) << "-" << shape_name(k.b);
  }
};

std::string kinds_name(const ::testing::TestParamInfo<Kinds>& info) {
  return std::string(shape_name(info.param.a)) + "_and_" + std::string(shape_name(info.param.b));
}

class ExactPolytopes : public ::testing::TestWithParam<Kinds> {};

TEST_P(ExactPolytopes, the_deepest_gap_is_the_penetration_depth) {
  PairMaker maker(100 + GetParam().a + 6 * GetParam().b);
  int overlapping = 0, equal = 0, apart = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const NearPair p = maker.near_pair(GetParam().a, GetParam().b);
    const ExactSeparation truth = exact_separation(p);
    const auto points = contacts(p);
    expect_well_formed(p, points);
    if (truth.all > 0) {   // the axes bound the distance from below only
      for (const ContactPoint& point : points) EXPECT_GE(point.gap, truth.all - 1e-3 * p.size);
      if (truth.all > p.margin) {
        ++apart;
        EXPECT_TRUE(points.empty());
      }
      continue;
    }
    ++overlapping;
    ASSERT_FALSE(points.empty());
    const double gap = lowest_gap(points);
    if (std::abs(gap - truth.all) <= 1e-6 * p.size) ++equal;
    // Ties within the stated bias may go to the worse axis.
    EXPECT_NEAR(gap, truth.all, 1e-3 * p.size);
    EXPECT_GE(exact_separation(moved_out(p, points[0].normal, -gap)).all, -1e-3 * p.size);
  }
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(apart, 100);
  EXPECT_GT(equal, 0.85 * overlapping);   // the rest are edges within 2° of a face, or ties
}

INSTANTIATE_TEST_SUITE_P(Collide, ExactPolytopes, ::testing::Values(Kinds{1, 1}, Kinds{1, 5}, Kinds{5, 5}), kinds_name);

// Spheres and capsules have exact directions; the normals of cylinders against boxes, hulls and cylinders are those of
// rounded shapes near edges and cost up to `tolerance` of the smaller thickness.
class Searched : public ::testing::TestWithParam<Kinds> {};

TEST_P(Searched, no_direction_separates_better_than_the_reported_normal) {
  const Kinds kinds = GetParam();
  const bool rounded = (kinds.a == 3 || kinds.b == 3) && kinds.a != 0 && kinds.a != 2;
  const double tolerance = rounded ? 0.03 : 1e-5;
  PairMaker maker(200 + kinds.a + 6 * kinds.b);
  int overlapping = 0, apart = 0, close = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const NearPair p = maker.near_pair(kinds.a, kinds.b);
    const double found = searched_separation(p);   // the true separation is at least this
    const auto points = contacts(p);
    expect_well_formed(p, points);
    if (found > p.margin + tolerance * p.size) {
      ++apart;
      EXPECT_TRUE(points.empty()) << trial;
    }
    if (points.empty()) {
      // Without contact there must be a gap: a search that finds none ends deep inside.
      EXPECT_GT(found, -0.03 * p.size) << trial;
      continue;
    }
    const double gap = lowest_gap(points), along = separation_along(p, deepest(points).normal);
    EXPECT_NEAR(gap, along, tolerance * p.size) << trial;
    EXPECT_GE(along, found - tolerance * p.size) << trial;
    if (gap < 0) {
      ++overlapping;
      const NearPair free = moved_out(p, deepest(points).normal, -gap);
      EXPECT_GE(separation_along(free, deepest(points).normal), -tolerance * p.size) << trial;
      if (std::abs(gap - along) < 1e-5 * p.size && along > found - 1e-3 * p.size) ++close;
    }
  }
  EXPECT_GT(overlapping, 400);
  EXPECT_GT(apart, 40);
  EXPECT_GT(close, 0.85 * overlapping);
}

INSTANTIATE_TEST_SUITE_P(Collide, Searched,
                         ::testing::Values(Kinds{0, 0}, Kinds{0, 1}, Kinds{0, 2}, Kinds{0, 3}, Kinds{0, 5}, Kinds{1, 2},
                                           Kinds{1, 3}, Kinds{2, 2}, Kinds{2, 3}, Kinds{2, 5}, Kinds{3, 3}, Kinds{3, 5}),
                         kinds_name);

}   // namespace
}   // namespace stickslip::testing
