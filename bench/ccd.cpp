// Continuous collision: queries per second of vertex–face and edge–edge pairs near contact, by inclusion and by the cubic,
// and how the cost of a hit grows as the tolerance is lowered. `hits` is the part of the queries that end in an impact.
#include <cmath>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "stickslip/ccd/cubic.h"
#include "stickslip/ccd/inclusion.h"

namespace stickslip {
namespace {

struct Query {
  PointsAt<4> start, end;
};

enum class Features { vertex_face, edge_edge };
enum class Kept { all, misses, hits };

std::optional<Impact> by_inclusion(const Query& q, Features features, const ImpactOptions& options = {}) {
  return features == Features::vertex_face ? vertex_face_impact(q.start, q.end, options)
                                           : edge_edge_impact(q.start, q.end, options);
}

std::optional<Impact> by_cubic(const Query& q, Features features) {
  return features == Features::vertex_face ? vertex_face_impact_by_cubic(q.start, q.end)
                                           : edge_edge_impact_by_cubic(q.start, q.end);
}

/// Features of about 1 m that have a point in common, from which all corners are shifted by up to 5 cm at either end of the
/// step, as in a simulation with contact: about a third of them touch in between.
std::vector<Query> near_contact(Features features, Kept kept) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  std::vector<Query> queries;
  while (queries.size() < 4096) {
    PointsAt<4> x{vector(), vector(), vector(), vector()};
    double u = std::abs(uniform(random)), v = std::abs(uniform(random));
    if (features == Features::vertex_face) {
      if (u + v > 1) u = 1 - u, v = 1 - v;
      x[0] = (1 - u - v) * x[1] + u * x[2] + v * x[3];
    } else {
      const Vec3 shift = x[0] + u * (x[1] - x[0]) - x[2] - v * (x[3] - x[2]);
      x[2] += shift, x[3] += shift;
    }
    Query q;
    for (int i = 0; i < 4; ++i) q.start[i] = x[i] + 0.05 * vector(), q.end[i] = x[i] + 0.05 * vector();
    if (kept == Kept::all || by_inclusion(q, features).has_value() == (kept == Kept::hits)) queries.push_back(q);
  }
  return queries;
}

template <class Method>
void measure(benchmark::State& state, const std::vector<Query>& queries, const Method& method) {
  std::size_t hits = 0, at = 0;
  for (auto _ : state) {
    hits += method(queries[at]).has_value();
    at = (at + 1) % queries.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
}

void inclusion(benchmark::State& state, Features features, Kept kept) {
  measure(state, near_contact(features, kept), [&](const Query& q) { return by_inclusion(q, features); });
}
void cubic(benchmark::State& state, Features features, Kept kept) {
  measure(state, near_contact(features, kept), [&](const Query& q) { return by_cubic(q, features); });
}

/// As in a line search: a fifth of 1 cm is kept, and the start resolved.
void line_search(benchmark::State& state, Features features) {
  const ImpactOptions options{.min_distance = 0.002, .resolve_start = true};
  measure(state, near_contact(features, Kept::all), [&](const Query& q) { return by_inclusion(q, features, options); });
}

/// Range: the exponent of the tolerance.
void tolerance(benchmark::State& state, Features features) {
  const ImpactOptions options{.tolerance = std::pow(10, -static_cast<double>(state.range(0)))};
  measure(state, near_contact(features, Kept::hits), [&](const Query& q) { return by_inclusion(q, features, options); });
}

/// The same pairs 10 m apart: what the boxes decide.
void apart(benchmark::State& state, Features features) {
  std::vector<Query> queries = near_contact(features, Kept::all);
  for (Query& q : queries)
    for (PointsAt<4>* x : {&q.start, &q.end}) (*x)[0].x() += 10, (*x)[1].x() += features == Features::edge_edge ? 10 : 0;
  measure(state, queries, [&](const Query& q) { return by_inclusion(q, features); });
}

BENCHMARK_CAPTURE(inclusion, vertex_face_near_contact, Features::vertex_face, Kept::all);
BENCHMARK_CAPTURE(inclusion, vertex_face_misses, Features::vertex_face, Kept::misses);
BENCHMARK_CAPTURE(inclusion, vertex_face_hits, Features::vertex_face, Kept::hits);
BENCHMARK_CAPTURE(inclusion, edge_edge_near_contact, Features::edge_edge, Kept::all);
BENCHMARK_CAPTURE(inclusion, edge_edge_misses, Features::edge_edge, Kept::misses);
BENCHMARK_CAPTURE(inclusion, edge_edge_hits, Features::edge_edge, Kept::hits);
BENCHMARK_CAPTURE(line_search, vertex_face, Features::vertex_face);
BENCHMARK_CAPTURE(line_search, edge_edge, Features::edge_edge);
BENCHMARK_CAPTURE(cubic, vertex_face_near_contact, Features::vertex_face, Kept::all);
BENCHMARK_CAPTURE(cubic, vertex_face_misses, Features::vertex_face, Kept::misses);
BENCHMARK_CAPTURE(cubic, vertex_face_hits, Features::vertex_face, Kept::hits);
BENCHMARK_CAPTURE(cubic, edge_edge_near_contact, Features::edge_edge, Kept::all);
BENCHMARK_CAPTURE(cubic, edge_edge_misses, Features::edge_edge, Kept::misses);
BENCHMARK_CAPTURE(cubic, edge_edge_hits, Features::edge_edge, Kept::hits);
BENCHMARK_CAPTURE(tolerance, vertex_face, Features::vertex_face)->DenseRange(4, 12, 2);
BENCHMARK_CAPTURE(tolerance, edge_edge, Features::edge_edge)->DenseRange(4, 12, 2);
BENCHMARK_CAPTURE(apart, vertex_face, Features::vertex_face);
BENCHMARK_CAPTURE(apart, edge_edge, Features::edge_edge);

}   // namespace
}   // namespace stickslip

BENCHMARK_MAIN();
