#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ccd/exact_score.h"
#include "error_message.h"
#include "stickslip/ccd/inclusion.h"

namespace stickslip::ccd_test {
namespace {

std::optional<Impact> impact(const Query& q, bool vertex_face, const ImpactOptions& options = {}) {
  return vertex_face ? vertex_face_impact(q.start, q.end, options) : edge_edge_impact(q.start, q.end, options);
}

/// By default and with the least tolerance, where nothing but the account of rounding stands between the method and a miss.
void expect_nothing_missed(bool vertex_face, unsigned seed) {
  const int count = query_count(5000);
  for (double tolerance : {1e-6, 0.0}) {
    int stopped_early = 0;
    const Score result = score(vertex_face, count / 2, seed, every_kind, [&](const Query& q, int i) {
      const auto found = impact(q, vertex_face, {.tolerance = tolerance});
      if (!found) return found;
      EXPECT_TRUE(found->time >= 0 && found->time <= 1);
      EXPECT_TRUE(found->stopped_early || found->distance <= (tolerance + 1e-12) * query_size(q)) << i;
      EXPECT_NEAR(found->distance, distance_at(q, found->time, vertex_face), 1e-13 * query_size(q));
      stopped_early += found->stopped_early;
      return found;
    });
    EXPECT_EQ(result.false_negatives, 0);
    EXPECT_EQ(result.late, 0);
    EXPECT_LE(stopped_early, tolerance > 0 ? 0 : count / 20000);
    EXPECT_GT(result.hits, count / 8);
    EXPECT_GT(result.misses, count / 8);
    std::printf("%s, tolerance %g: %d hits, %d misses, %d false positives, %d early by more than 1e-5, %d stopped\n",
                vertex_face ? "vertex-face" : "edge-edge", tolerance, result.hits, result.misses, result.false_positives,
                result.early, stopped_early);
  }
}

TEST(Inclusion, no_impact_of_vertex_and_face_is_missed_or_late_against_exact_arithmetic) { expect_nothing_missed(true, 1); }
TEST(Inclusion, no_impact_of_two_edges_is_missed_or_late_against_exact_arithmetic) { expect_nothing_missed(false, 2); }

TEST(Inclusion, no_impact_of_a_point_is_missed_or_late_against_exact_arithmetic) {
  Queries queries(3);
  int hits = 0, false_positives = 0;
  for (int i = 0; i < query_count(6000); ++i) {
    const Query q = queries.query(i, true);
    const double tolerance = i % 2 == 0 ? 1e-6 : 0;
    const PointsAt<3> start{q.start[0], q.start[1], q.start[2]}, end{q.end[0], q.end[1], q.end[2]};
    const PointsAt<2> start_2{q.start[0], q.start[1]}, end_2{q.end[0], q.end[1]};
    const auto paths = exact_paths<4>(q.start, q.end);
    const auto check = [&](std::optional<Root> exact, const std::optional<Impact>& found) {
      ASSERT_TRUE(!exact || found) << i;
      hits += exact.has_value();
      false_positives += found && !exact;
      if (!exact) return;
      exact->refine(64);
      ASSERT_LE(found->time, exact->high()) << i;
    };
    check(exact_point_edge(paths[0], paths[1], paths[2]), point_edge_impact(start, end, {.tolerance = tolerance}));
    check(exact_point_point(paths[0], paths[1]), point_point_impact(start_2, end_2, {.tolerance = tolerance}));
  }
  EXPECT_GT(hits, query_count(6000) / 10);
  EXPECT_LT(false_positives, query_count(6000) / 10);
}

TEST(Inclusion, of_a_thousand_ordinary_queries_none_is_a_false_positive) {
  for (bool vertex_face : {true, false}) {
    const Score result =
        score(vertex_face, 1000, 4, ordinary_kind, [&](const Query& q, int) { return impact(q, vertex_face); });
    EXPECT_GT(result.hits, 100);
    EXPECT_GT(result.misses, 500);
    EXPECT_EQ(result.false_positives, 0);
  }
}

TEST(Inclusion, features_stay_farther_apart_than_the_least_distance_until_the_impact) {
  Queries queries(5);
  int hits = 0, misses = 0;
  for (int i = 0; i < 2400; ++i) {
    const bool vertex_face = i / Queries::kinds % 2 == 0;
    const Query q = queries.query(i, vertex_face);
    const double least = std::pow(10, queries.uniform(-7, -0.5)) * query_size(q);
    const auto found = impact(q, vertex_face, {.min_distance = least});
    const double end = found ? found->time : 1;
    for (int k = 0; k <= 40; ++k) {
      const double time = end * (1 - k * k / 1600.0);   // closer together towards the impact
      if (found && time >= end) continue;
      ASSERT_GT(distance_at(q, time, vertex_face), least - 1e-14 * query_size(q)) << i << ' ' << time;
    }
    if (found) {
      ASSERT_LE(found->distance, least + 1.000001e-6 * query_size(q)) << i;
    }
    ++(found ? hits : misses);
  }
  EXPECT_GT(hits, 200);
  EXPECT_GT(misses, 200);
}

TEST(Inclusion, a_head_on_impact_happens_when_the_gap_is_used_up) {
  const PointsAt<4> start{Vec3(0.2, 0.3, 1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  PointsAt<4> end = start;
  end[0].z() = -3;
  const auto found = vertex_face_impact(start, end);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, 0.25, 1e-6);
  EXPECT_LE(found->time, 0.25);
  EXPECT_NEAR(found->u, 0.2, 1e-12);
  EXPECT_NEAR(found->v, 0.3, 1e-12);
  EXPECT_NEAR(vertex_face_impact(start, end, {.min_distance = 0.2})->time, 0.2, 1e-6);
  end[0].z() = 0.1;
  EXPECT_FALSE(vertex_face_impact(start, end));
  EXPECT_TRUE(vertex_face_impact(start, end, {.min_distance = 0.11}));
}

TEST(Inclusion, far_from_the_origin_no_more_is_lost_than_the_coordinates_lose) {
  Queries queries(6);
  for (int i = 0; i < 2000; ++i) {
    Query q = queries.query(3, i % 2 == 0);
    // Positions that the shift does not round: what is found stays the same to the bit.
    const Vec3 shift(1024, -2048, 512);
    const auto near = impact(q, i % 2 == 0);
    for (PointsAt<4>* x : {&q.start, &q.end})
      for (Vec3& p : *x) p = p + shift;
    bool exact = true;
    for (const PointsAt<4>* x : {&q.start, &q.end})
      for (const Vec3& p : *x) exact = exact && (p - shift + shift) == p && (p - shift).cwiseAbs().maxCoeff() < 64;
    const auto far = impact(q, i % 2 == 0);
    ASSERT_EQ(near.has_value(), far.has_value());
    if (near && exact) {
      ASSERT_NEAR(near->time, far->time, 1e-9) << i;
    }
  }
}

TEST(Inclusion, the_start_is_resolved_where_features_are_nearer_than_the_tolerance) {
  for (double gap : {1e-7, 1e-9, 1e-12}) {
    const PointsAt<4> start{Vec3(0.2, 0.3, gap), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    PointsAt<4> end = start;
    end[0].z() = -gap;
    EXPECT_EQ(vertex_face_impact(start, end)->time, 0);
    const auto found = vertex_face_impact(start, end, {.resolve_start = true});
    EXPECT_NEAR(found->time, 0.475, 0.026) << gap;
    EXPECT_GT(found->distance, 0) << gap;
    const auto slack = vertex_face_impact(start, end, {.min_distance = 0.2 * gap, .resolve_start = true});
    EXPECT_GT(slack->time, 0.3);
    EXPECT_GE(slack->distance, 0.2 * gap);
    end[0] = Vec3(0.9, 0.9, gap);   // slides along the face
    EXPECT_FALSE(vertex_face_impact(start, end, {.resolve_start = true}));
  }
  const PointsAt<4> touching{Vec3(0.2, 0.3, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  EXPECT_EQ(vertex_face_impact(touching, touching, {.resolve_start = true})->time, 0);
}

TEST(Inclusion, no_query_takes_many_cells_and_stopping_early_is_said_and_safe) {
  Queries queries(7);
  int stopped = 0;
  for (int i = 0; i < 6000; ++i) {
    const bool vertex_face = i / Queries::kinds % 2 == 0;
    const Query q = queries.query(i, vertex_face);
    const auto whole = impact(q, vertex_face, {.max_iterations = 1000});
    const auto cut = impact(q, vertex_face, {.max_iterations = 3});
    ASSERT_TRUE(!whole || !whole->stopped_early) << i;
    ASSERT_TRUE(cut || !whole) << i;
    if (!cut) continue;
    stopped += cut->stopped_early;
    if (whole) {
      ASSERT_LE(cut->time, whole->time) << i;
    }
  }
  EXPECT_GT(stopped, 500);
}

TEST(Inclusion, bad_input_is_named) {
  PointsAt<2> start{Vec3(0, 0, 0), Vec3(1, 0, 0)}, end = start;
  using stickslip::testing::message_of;
  EXPECT_THAT(message_of([&] { point_point_impact(start, end, {.tolerance = -1}); }), ::testing::HasSubstr("/tolerance: -1"));
  EXPECT_THAT(message_of([&] { point_point_impact(start, end, {.min_distance = -2}); }),
              ::testing::HasSubstr("/min_distance: -2"));
  EXPECT_THAT(message_of([&] { point_point_impact(start, end, {.max_iterations = 0}); }),
              ::testing::HasSubstr("/max_iterations: 0"));
  end[1].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of([&] { point_point_impact(start, end); }), ::testing::HasSubstr("must be finite"));
}

}   // namespace
}   // namespace stickslip::ccd_test
