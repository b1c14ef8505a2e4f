// Trees of triangles: how building, refitting and queries grow with the mesh, and memory per triangle.
#include <cmath>
#include <numbers>
#include <random>

#include <benchmark/benchmark.h>

#include "bench/meshes.h"
#include "stickslip/geometry/mesh_distance.h"

namespace stickslip {
namespace {

std::vector<Vec3> points_near(const TriangleTree& tree, int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Vec3 at(uniform(random), uniform(random), uniform(random));
    points.push_back(tree.bounds().lower + (tree.bounds().upper - tree.bounds().lower).cwiseProduct(at));
  }
  return points;
}

void build(benchmark::State& state) {
  const TriangleMesh mesh = bench::bumpy_torus(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(TriangleTree(mesh));
  const MeshSurface surface(mesh);
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
  state.counters["bytes/triangle"] = static_cast<double>(surface.bytes()) / static_cast<double>(mesh.triangles.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(mesh.triangles.size()));
}

void adjacency(benchmark::State& state) {
  const TriangleMesh mesh = bench::bumpy_torus(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(MeshEdges(mesh));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(mesh.triangles.size()));
}

void refit(benchmark::State& state) {
  const TriangleMesh mesh = bench::bumpy_torus(static_cast<int>(state.range(0)));
  TriangleTree tree(mesh);
  std::vector<TriangleTree::AreaMoments> memory;
  for (auto _ : state) tree.refit(mesh, memory);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(mesh.triangles.size()));
}

/// One query at a time at places all over the box of the mesh.
template <class Query>
void ask(benchmark::State& state, Query query) {
  const MeshSurface surface(bench::bumpy_torus(static_cast<int>(state.range(0))));
  const std::vector<Vec3> points = points_near(surface.tree(), 4096);
  std::size_t i = 0;
  double sum = 0;
  for (auto _ : state) sum += query(surface, points[i++ % points.size()]);
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}

void closest(benchmark::State& state) {
  ask(state, [](const MeshSurface& s, const Vec3& p) { return closest_point(s.mesh(), s.tree(), p)->distance; });
}
/// Points on a line, each with the triangle of the last as a hint: what filling a field does.
void closest_on_lines(benchmark::State& state) {
  const MeshSurface surface(bench::bumpy_torus(static_cast<int>(state.range(0))));
  const Aabb box = surface.tree().bounds();
  std::uint32_t hint = TriangleTree::kNone;
  std::size_t i = 0;
  for (auto _ : state) {
    const Vec3 part(static_cast<double>(i % 128) / 128, static_cast<double>(i / 128 % 128) / 128, 0.4);
    hint = closest_point(surface.mesh(), surface.tree(), box.lower + (box.upper - box.lower).cwiseProduct(part),
                         std::numeric_limits<double>::infinity(), hint)
               ->triangle;
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
void signed_by_normals(benchmark::State& state) {
  ask(state, [](const MeshSurface& s, const Vec3& p) { return signed_distance(s, p, SignRule::normals)->distance; });
}
void winding(benchmark::State& state) {
  ask(state, [](const MeshSurface& s, const Vec3& p) { return winding_number(s.mesh(), s.tree(), p); });
}
void ray(benchmark::State& state) {
  ask(state, [](const MeshSurface& s, const Vec3& p) {
    const auto hit = first_hit(s.mesh(), s.tree(), p, Vec3(0.3, -0.5, 0.2) - p);
    return hit ? hit->t : 0.0;
  });
}

void pairs(benchmark::State& state) {
  const MeshSurface surface(bench::bumpy_torus(static_cast<int>(state.range(0))));
  const Pose pose{Vec3(1.3, 0.1, 0.2), rotation_from_vector({0.9, 0.3, 0.1})};
  PairScratch scratch;
  std::vector<std::array<std::uint32_t, 2>> found;
  for (auto _ : state)
    overlapping_pairs(surface.mesh(), surface.tree(), surface.mesh(), surface.tree(), pose, 1e-3, scratch, found);
  state.counters["pairs"] = static_cast<double>(found.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(found.size()));
}

void worst_winding_error(benchmark::State& state) {
  const MeshSurface surface(bench::bumpy_torus(10'000));
  const std::vector<Vec3> points = points_near(surface.tree(), 20'000);
  const double accuracy = static_cast<double>(state.range(0));
  double worst = 0;
  for (auto _ : state)
    for (const Vec3& p : points) {
      const double winds = winding_number(surface.mesh(), surface.tree(), p, accuracy);
      worst = std::max(worst, std::abs(winds - std::round(winds)));
    }
  state.counters["worst error"] = worst;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(points.size()));
}

void sizes(benchmark::internal::Benchmark* family) {
  for (int count = 1000; count <= 1'000'000; count *= 10) family->Arg(count);
}
BENCHMARK(build)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK(adjacency)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK(refit)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK(closest)->Apply(sizes);
BENCHMARK(closest_on_lines)->Apply(sizes);
BENCHMARK(signed_by_normals)->Apply(sizes);
BENCHMARK(winding)->Apply(sizes);
BENCHMARK(ray)->Apply(sizes);
BENCHMARK(pairs)->Apply(sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK(worst_winding_error)->Arg(2)->Arg(3)->Arg(4)->Unit(benchmark::kMillisecond)->Iterations(1);

}   // namespace
}   // namespace stickslip

BENCHMARK_MAIN();
