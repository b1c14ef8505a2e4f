// Common volumes: what a pair costs, by shapes and by size of meshes, and how far rays are off. Aims stand beside.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/volume/patch.h"

namespace stickslip {
namespace {

/// A cube of half side 1 with bumps, of 12 n² triangles.
Mesh bumpy_cube(int n) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> known;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [place, is_new] = known.emplace(at, static_cast<std::uint32_t>(mesh.vertices.size()));
    const Vec3 x(2.0 * at[0] / n - 1, 2.0 * at[1] / n - 1, 2.0 * at[2] / n - 1);
    if (is_new) mesh.vertices.push_back(x * (1 + 0.01 * std::sin(19 * x.x()) * std::sin(21 * x.y()) * std::cos(20 * x.z())));
    return place->second;
  };
  for (int side = 0; side < 6; ++side)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto corner = [&](int di, int dj) {
          std::array<int, 3> at;
          at[side / 2] = side % 2 * n, at[(side / 2 + 1) % 3] = i + di, at[(side / 2 + 2) % 3] = j + dj;
          return vertex(at);
        };
        std::array<std::uint32_t, 4> q = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
        if (side % 2 == 0) std::swap(q[1], q[3]);
        mesh.triangles.push_back({q[0], q[1], q[2]}), mesh.triangles.push_back({q[0], q[2], q[3]});
      }
  return make_mesh(std::move(mesh));
}

Pose at(double x, double y, double z, const Vec3& turn = Vec3::Zero()) { return {Vec3(x, y, z), rotation_from_vector(turn)}; }

struct BenchPair {
  Shape a;
  Pose pose_a;
  Shape b;
  Pose pose_b;
};

/// Median time of all pairs together, patches included [s].
double time_of(const std::vector<BenchPair>& pairs, int calls, const OverlapOptions& options, std::size_t& pieces) {
  OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  std::vector<Patch> patches;
  std::vector<double> times;
  for (int round = 0; round < 15; ++round) {
    const double start = bench::processor_seconds();
    for (int call = 0; call < calls; ++call) {
      pieces = 0;
      for (const BenchPair& p : pairs) {
        overlaps(p.a, p.pose_a, p.b, p.pose_b, scratch, found, options);
        for (const OverlapVolume& o : found) split(o, scratch.segments(), patches), pieces += patches.size();
      }
    }
    times.push_back((bench::processor_seconds() - start) / calls);
  }
  return bench::median(times);
}

void line(const char* what, const std::vector<BenchPair>& pairs, int calls, double aim, const OverlapOptions& options = {}) {
  std::size_t pieces = 0;
  const double seconds = time_of(pairs, calls, options, pieces);
  const std::string beside = aim > 0 ? fmt::format("{:8.2f} of the aim", seconds / aim) : "";
  fmt::print("{:<52}{:10.2f} us {:6} patches {}\n", what, 1e6 * seconds, pieces, beside);
}

void convex_pairs() {
  const Vec3 turn(0.2, 0.3, 0.1);
  const Pose ground = at(0, 0, 0), floor = at(0, 0, -1);
  const Box slab{{2, 2, 1}}, cube{{0.5, 0.5, 0.5}};
  line("box in half-space", {{HalfSpace{}, ground, cube, at(0, 0, 0.49)}}, 2000, 5e-6);
  line("box on box, flat", {{slab, floor, cube, at(0, 0, 0.49)}}, 2000, 5e-6);
  line("box in box, turned", {{cube, ground, cube, at(0.3, 0.4, 0.6, turn)}}, 2000, 5e-6);
  line("sphere in half-space", {{HalfSpace{}, ground, Sphere{0.5}, at(0, 0, 0.49)}}, 2000, 0);
  line("sphere in sphere", {{Sphere{0.5}, ground, Sphere{0.5}, at(0, 0, 0.99)}}, 2000, 0);
  line("sphere on box", {{slab, floor, Sphere{0.5}, at(0, 0, 0.49)}}, 1000, 0);
  line("lying cylinder on box", {{slab, floor, Cylinder{0.5, 1}, at(0, 0, 0.49, {M_PI / 2, 0, 0})}}, 200, 0);
  line("standing cylinder on box", {{slab, floor, Cylinder{0.5, 1}, at(0, 0, 0.99)}}, 200, 0);
  line("lying capsule on box", {{slab, floor, Capsule{0.5, 1}, at(0, 0, 0.49, {M_PI / 2, 0, 0})}}, 200, 0);
  line("sphere on cylinder", {{Cylinder{0.5, 1}, at(0, 0, -0.5, {M_PI / 2, 0, 0}), Sphere{0.5}, at(0, 0, 0.49)}}, 50, 0);
  line("capsule across capsule",
       {{Capsule{0.5, 1}, at(0, 0, -0.5, {M_PI / 2, 0, 0}), Capsule{0.5, 1}, at(0, 0, 0.49, {0, M_PI / 2, 0})}}, 50, 0);
}

void meshes() {
  const Mesh large = bumpy_cube(128), medium = bumpy_cube(46);   // 196,608 and 25,392 triangles
  const Vec3 tilt(0.01, -0.02, 0.3);
  line("197k bumpy cube on plane", {{HalfSpace{}, at(0, 0, 0), large, at(0, 0, 0.99)}}, 1, 20e-3);
  line("  tilted", {{HalfSpace{}, at(0, 0, 0), large, at(0, 0, 0.99, tilt)}}, 1, 20e-3);
  line("  on an edge", {{HalfSpace{}, at(0, 0, 0), large, at(0, 0, 1.39, {M_PI / 4, 0, 0.3})}}, 1, 20e-3);
  line("197k bumpy cube on box", {{Box{{2, 2, 1}}, at(0, 0, -1), large, at(0, 0, 0.99)}}, 1, 20e-3);
  line("  half over its rim, turned", {{Box{{2, 2, 1}}, at(0, 0, -1), large, at(2, 0.3, 0.99, tilt)}}, 1, 20e-3);
  line("197k bumpy cube on another", {{large, at(0, 0, -1), large, at(0.3, 0.2, 0.98, tilt)}}, 1, 0);
  // A plane, two beside each other on it, and two that lie across them: 102k triangles.
  const Pose places[] = {at(-1.2, 0, 0.99), at(1.2, 0, 0.99), at(0, -0.5, 2.96, {0, 0, 0.1}), at(0.2, 1.6, 2.97, {0, 0, -0.1})};
  std::vector<BenchPair> several;
  for (int i = 0; i < 4; ++i) {
    if (i < 2) several.push_back({HalfSpace{}, at(0, 0, 0), medium, places[i]});
    for (int j = 0; j < i; ++j) several.push_back({medium, places[j], medium, places[i]});
  }
  line("102k triangles in four bodies, all pairs", several, 1, 60e-3);
}

/// Volume and gradient of a tilted cube of triangles by rays against those of the box by clipping.
void accuracy() {
  TriangleMesh cube;
  for (int k = 0; k < 8; ++k) cube.vertices.push_back(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  cube.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  const Mesh mesh = make_mesh(cube);
  fmt::print("\nrays  worst errors of volume, gradient (relative) over 50 poses of a cube in a half-space; us each\n");
  for (const int rays : {12, 24, 48, 96, 192}) {
    OverlapScratch scratch;
    std::vector<OverlapVolume> found, exact;
    double volume = 0, gradient = 0;
    const double start = bench::processor_seconds();
    double clipping = 0;
    for (int k = 0; k < 50; ++k) {
      const Pose pose = at(0, 0, 0.9 + 0.005 * k, {0.02 * k, 0.3 - 0.01 * k, 0.1});
      overlaps(HalfSpace{}, Pose{}, mesh, pose, scratch, found, {.rays = rays});
      const double before = bench::processor_seconds();
      overlaps(HalfSpace{}, Pose{}, Box{{1, 1, 1}}, pose, scratch, exact);
      clipping += bench::processor_seconds() - before;
      if (found.empty() || exact.empty()) continue;
      volume = std::max(volume, std::abs(found[0].volume / exact[0].volume - 1));
      gradient = std::max(gradient, (found[0].gradient - exact[0].gradient).norm() / exact[0].gradient.norm());
    }
    const double each = (bench::processor_seconds() - start - clipping) / 50;
    fmt::print("{:4}  {:9.1e} {:9.1e} {:9.0f}\n", rays, volume, gradient, 1e6 * each);
  }
}

}   // namespace
}   // namespace stickslip

int main() {
  stickslip::convex_pairs();
  stickslip::meshes();
  stickslip::accuracy();
}
