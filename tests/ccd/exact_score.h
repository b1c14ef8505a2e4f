// A method of continuous collision against exact arithmetic.
#pragma once

#include "ccd/exact_impact.h"
#include "ccd/queries.h"
#include "stickslip/distance/closest.h"

namespace stickslip::ccd_test {

inline double query_size(const Query& q) {
  double size = 0;
  for (const PointsAt<4>* x : {&q.start, &q.end})
    for (const Vec3& a : *x)
      for (const Vec3& b : *x) size = std::max(size, (a - b).cwiseAbs().maxCoeff());
  return size;
}

inline double distance_at(const Query& q, double time, bool vertex_face) {
  const PointsAt<4> x = Queries::at(q, time);
  return std::sqrt(vertex_face ? closest_on_triangle(x[0], x[1], x[2], x[3]).squared_distance
                               : closest_of_edges(x[0], x[1], x[2], x[3]).squared_distance);
}

struct Score {
  int hits = 0, misses = 0, false_positives = 0, false_negatives = 0;
  int late = 0, early = 0;   ///< later at all, earlier by more than 1e-5
  double largest_delay = 0;
};

/// @param kind of query by number; @param method is given the query and its number
template <class Kind, class Method>
Score score(bool vertex_face, int count, unsigned seed, const Kind& kind, const Method& method) {
  Queries queries(seed);
  Score score;
  for (int i = 0; i < count; ++i) {
    const Query q = queries.query(kind(i), vertex_face);
    const auto paths = exact_paths<4>(q.start, q.end);
    std::optional<Root> exact = vertex_face ? exact_vertex_face(paths) : exact_edge_edge(paths);
    const std::optional<Impact> found = method(q, i);
    ++(exact ? score.hits : score.misses);
    if (exact && !found) ++score.false_negatives;
    if (!exact && found) ++score.false_positives;
    if (!exact || !found) continue;
    exact->refine(64);
    score.late += found->time > exact->high();
    score.early += found->time < exact->low() - 1e-5;
    score.largest_delay = std::max(score.largest_delay, found->time - exact->high());
  }
  return score;
}

/// Random queries and those of a simulation: 0 and 11 by turns.
inline int ordinary_kind(int i) { return i % 2 == 0 ? 0 : 11; }
inline int every_kind(int i) { return i; }

}   // namespace stickslip::ccd_test
