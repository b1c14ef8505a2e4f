// Meshes as shapes: how narrow phase grows with contacts, how building grows with triangles, and what a shape keeps of each.
//
//   bench_collide [--jacks 60] [--steps 20] [--triangles 1000000]
//
// Times are processor times of one thread. The last line of each table is the slope of the time over its second column, both
// in logarithms, by least squares: 1 is linear.
#include <cmath>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/meshes.h"
#include "bench/statistics.h"
#include "stickslip/collide/collide.h"
#include "stickslip/collide/surface.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/mesh/make_mesh.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {
namespace {

class Slope {
 public:
  void add(double x, double y) {
    const double u = std::log(x), v = std::log(y);
    n_ += 1, x_ += u, y_ += v, xx_ += u * u, xy_ += u * v;
  }
  double value() const { return (n_ * xy_ - x_ * y_) / (n_ * xx_ - x_ * x_); }

 private:
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

/// The least of some runs [s]: others use the machine too.
double least_seconds(int runs, auto&& run) {
  double least = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double start = processor_seconds();
    run();
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

/// One pair of meshes that touch along a band: what it costs for each pair of triangles within reach.
void touching_pairs() {
  fmt::print("\nring on a slab, both of triangles: one call of collide\n{:>10} {:>14} {:>10} {:>10} {:>10}\n", "triangles",
             "pairs in reach", "contacts", "us", "ns/pair");
  const Shape slab = make_mesh(triangle_mesh(Box{Vec3(2, 2, 0.1)}, 32));
  Slope slope;
  for (int segments = 32; segments <= 1024; segments *= 2) {
    const Shape ring = make_mesh(torus(1, 0.3, segments, segments / 2));
    const MeshSurface &a = std::get<Mesh>(ring).solid->surface(), &b = std::get<Mesh>(slab).solid->surface();
    const Pose pose{Vec3(0, 0, 0.3999), Quat::Identity()};
    const double margin = 0.01;
    PairScratch scratch;
    std::vector<std::array<std::uint32_t, 2>> pairs;
    overlapping_pairs(b.mesh(), b.tree(), a.mesh(), a.tree(), pose, margin, scratch, pairs);
    ContactSink sink;
    const double time = least_seconds(9, [&] { collide(slab, {}, ring, pose, margin, sink); });
    const auto count = static_cast<double>(pairs.size());
    fmt::print("{:>10} {:>14} {:>10} {:>10.0f} {:>10.0f}\n", a.mesh().triangles.size(), pairs.size(), sink.points().size(),
               1e6 * time, 1e9 * time / count);
    slope.add(count, time);
  }
  fmt::print("slope {:.2f}\n", slope.value());
}

/// Surfaces that deform, of about 10,000 triangles: one call each.
void soft_surfaces() {
  fmt::print("\nsurfaces that deform: one call\n{:>28} {:>10} {:>10} {:>10} {:>12}\n", "", "triangles", "contacts", "ms",
             "us/contact");
  ContactSink sink;
  const auto row = [&](const char* what, const MeshSurface& a, auto&& call) {
    const double time = least_seconds(9, call);
    const auto count = static_cast<double>(sink.points().size());
    fmt::print("{:>28} {:>10} {:>10.0f} {:>10.3f} {:>12.2f}\n", what, a.mesh().triangles.size(), count, 1e3 * time,
               count > 0 ? 1e6 * time / count : 0.0);
  };
  const auto at = [](TriangleMesh mesh, const Vec3& middle) {
    for (Vec3& x : mesh.vertices) x += middle;
    return MeshSurface(std::move(mesh));
  };
  const MeshSurface cube = at(triangle_mesh(Box{Vec3::Constant(0.5)}, 29), Vec3(0, 0, 0.4995));
  const Box plate{Vec3(0.35, 0.4, 0.1)};
  const Shape hull = make_convex_hull({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, -1}}),
              mesh = make_mesh(triangle_mesh(plate, 20));
  row("cube on a plane", cube, [&] { collide_surface(cube, HalfSpace{}, {}, 2e-3, sink); });
  const Pose below{Vec3(0, 0, -0.1), Quat::Identity()};
  row("cube on a box", cube, [&] { collide_surface(cube, plate, below, 2e-3, sink); });
  row("cube on a hull", cube, [&] { collide_surface(cube, hull, {}, 2e-3, sink); });
  row("cube on a mesh", cube, [&] { collide_surface(cube, mesh, below, 2e-3, sink); });
  const Pose lying{Vec3(0, 0, -0.2), rotation_between(Vec3::UnitZ(), Vec3::UnitX())};
  row("cube on a ball", cube, [&] { collide_surface(cube, Sphere{0.2}, {Vec3(0, 0, -0.19), Quat::Identity()}, 2e-3, sink); });
  row("cube on a cylinder", cube, [&] { collide_surface(cube, Cylinder{0.2, 0.6}, lying, 2e-3, sink); });
  const MeshSurface ball = at(triangle_mesh(Sphere{0.5}, 22), Vec3::Zero()),
                    other = at(triangle_mesh(Sphere{0.5}, 22), Vec3(0.61, 0.2, 0.7)),
                    lid = at(triangle_mesh(Box{Vec3::Constant(0.5)}, 29), Vec3(0.013, 0.007, -0.5));
  row("two balls", ball, [&] { collide_surfaces(ball, other, 0.02, sink); });
  row("cube on a cube", cube, [&] { collide_surfaces(cube, lid, 2e-3, sink); });
  row("ball with itself", ball, [&] { collide_self(ball, 2e-3, 2e-3, sink); });
}

/// The built-in heap of meshes, when it lies.
void heaps(int most, int steps) {
  fmt::print("\njacks, after 300 steps: narrow phase of a step, median of {}\n{:>10} {:>10} {:>10} {:>12}\n", steps, "jacks",
             "contacts", "ms", "us/contact");
  Slope slope;
  for (int count = std::min(15, most); count <= most; count *= 2) {
    const Override overrides[] = {{"/parameters/count", std::to_string(count)}};
    Scene scene = load_scene("jacks", overrides);
    Stepper stepper(scene.step);
    for (int i = 0; i < 300; ++i) stepper.step(scene.world);
    std::vector<double> times, contacts;
    for (int i = 0; i < steps; ++i) {
      const double start = processor_seconds();
      const StepReport& report = stepper.step(scene.world);
      const double undisturbed = (processor_seconds() - start) / report.seconds.total();
      times.push_back(undisturbed * report.seconds.narrow);
      contacts.push_back(static_cast<double>(report.contacts.size()));
    }
    fmt::print("{:>10} {:>10.0f} {:>10.2f} {:>12.1f}\n", count, median(contacts), 1e3 * median(times),
               1e6 * median(times) / median(contacts));
    std::fflush(stdout);
    slope.add(median(contacts), median(times));
  }
  fmt::print("slope {:.2f}\n", slope.value());
}

void building(int most) {
  fmt::print("\na torus with waves: building\n{:>10} {:>10} {:>10} {:>12} {:>12} {:>16} {:>14}\n", "", "triangles", "tree, ms",
             "shape, ms", "ns/triangle", "ns/(triangle ld)", "bytes/triangle");
  Slope slope;
  for (int count = 1000; count <= most; count *= 10) {
    const TriangleMesh mesh = bumpy_torus(count);
    const auto n = static_cast<double>(mesh.triangles.size());
    const int runs = count < 1'000'000 ? 5 : 2;
    const double tree = least_seconds(runs, [&] { TriangleTree built(mesh); });
    std::size_t bytes = 0;
    const double shape = least_seconds(runs, [&] { bytes = make_mesh(mesh).solid->bytes(); });
    fmt::print("{:>10} {:>10} {:>10.2f} {:>12.2f} {:>12.0f} {:>16.1f} {:>14.1f}\n", "", mesh.triangles.size(), 1e3 * tree,
               1e3 * shape, 1e9 * shape / n, 1e9 * shape / (n * std::log2(n)), static_cast<double>(bytes) / n);
    std::fflush(stdout);
    slope.add(n, shape);
  }
  fmt::print("slope {:.2f}\n", slope.value());
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const int jacks = arguments.number("--jacks", 60), steps = arguments.number("--steps", 20);
  const int triangles = arguments.number("--triangles", 1'000'000);
  arguments.finish("--jacks n, --steps n, --triangles n");
  building(triangles);
  touching_pairs();
  soft_surfaces();
  heaps(jacks, steps);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
