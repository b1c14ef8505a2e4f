// Distance fields: what one of 100,000 triangles at 128³ takes to build, and how many queries it answers a second.
#include <ctime>
#include <random>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/meshes.h"
#include "stickslip/field/face_minimum.h"
#include "stickslip/field/field_contact.h"
#include "stickslip/field/sampled_field.h"

namespace stickslip {
namespace {

/// Of the processor.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Points within the band, where contacts ask; they have no order.
std::vector<Vec3> points_in_band(const SampledField& field, int count, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const Aabb box = field.bounds().grown(field.band());
  std::vector<Vec3> points;
  while (static_cast<int>(points.size()) < count) {
    const Vec3 at(uniform(random), uniform(random), uniform(random));
    const Vec3 p = box.lower + (box.upper - box.lower).cwiseProduct(at);
    if (std::abs(field.value(p)) < field.band()) points.push_back(p);
  }
  return points;
}

std::vector<Vec3> points_anywhere(const SampledField& field, int count, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const Aabb box = field.bounds().grown(field.band());
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i)
    points.push_back(box.lower + (box.upper - box.lower).cwiseProduct(Vec3(uniform(random), uniform(random), uniform(random))));
  return points;
}

void measure(const char* what, std::size_t count, auto&& run) {
  double best = 1e300;
  for (int i = 0; i < 15; ++i) {   // the best: others use the machine too
    const double start = seconds();
    run();
    best = std::min(best, seconds() - start);
  }
  fmt::print("{:<44}{:8.1f} million/s {:8.1f} ns\n", what, 1e-6 * static_cast<double>(count) / best,
             1e9 * best / static_cast<double>(count));
}

void ask(const SampledField& field, const std::vector<Vec3>& points, const char* where) {
  const DistanceField& any = field;   // as callers see it
  std::vector<double> values(points.size());
  std::vector<FieldSample> samples(points.size());
  const std::size_t n = points.size();
  measure(fmt::format("{}: value, one by one", where).c_str(), n, [&] {
    for (std::size_t i = 0; i < n; ++i) values[i] = any.value(points[i]);
  });
  measure(fmt::format("{}: value, batch", where).c_str(), n, [&] { any.values(points, values); });
  measure(fmt::format("{}: value and gradient, one by one", where).c_str(), n, [&] {
    for (std::size_t i = 0; i < n; ++i) samples[i] = any.sample(points[i]);
  });
  measure(fmt::format("{}: value and gradient, batch", where).c_str(), n, [&] { any.samples(points, samples); });
}

/// Faces of a second body that lies in the band, by size in finest cells.
void minimise(const SampledField& field, const std::vector<Vec3>& near, double cell, std::mt19937& random) {
  std::normal_distribution<double> normal;
  for (const double size : {1.0, 5.0, 20.0})
    for (const int subdivisions : {0, 1}) {
      MinimumOptions options;
      options.subdivisions = subdivisions;
      std::vector<std::array<Vec3, 3>> faces;
      for (std::size_t i = 0; i < 20'000; ++i) {
        const auto corner = [&] {
          return Vec3(near[i] + 0.5 * size * cell * Vec3(normal(random), normal(random), normal(random)));
        };
        faces.push_back({corner(), corner(), corner()});
      }
      long evaluations = 0;
      const double start = seconds();
      for (const auto& [a, b, c] : faces) evaluations += minimise_over_triangle(field, a, b, c, options).evaluations;
      const double each = (seconds() - start) / static_cast<double>(faces.size());
      fmt::print("faces of {:>2} cells, {} subdivisions: {:6.1f} evaluations, {:6.2f} us\n", size, subdivisions,
                 static_cast<double>(evaluations) / static_cast<double>(faces.size()), 1e6 * each);
    }
}

/// The field against itself, moved so that the two overlap a little.
void touch(const SampledField& field, const MeshSurface& surface, double cell) {
  const Pose pose{Vec3(0, 0, 0.72), rotation_from_vector({0, 0, 0.3})};
  std::vector<Vec3> seeds = surface_seeds(surface.mesh(), 4 * cell);
  const std::size_t of_a = seeds.size();
  for (std::size_t i = 0; i < of_a; ++i) seeds.push_back(pose * seeds[i]);
  FieldContactOptions options;
  options.margin = 0.5 * cell, options.reach = cell, options.merge = 4 * cell;
  const double start = seconds();
  const auto contacts = field_contacts(field, field, pose, seeds, options);
  fmt::print("two of them, {} seeds: {} contacts, {:.1f} ms\n", seeds.size(), contacts.size(), 1e3 * (seconds() - start));
}

void run(int triangles, int resolution, SignRule sign) {
  double start = seconds();
  const MeshSurface surface(bench::bumpy_torus(triangles));
  fmt::print("{} triangles: tree and adjacency {:.2f} s\n", surface.mesh().triangles.size(), seconds() - start);
  FieldOptions options;
  options.resolution = resolution, options.sign = sign;
  start = seconds();
  const SampledField field(surface, options);
  const double built = seconds() - start;
  const double side = (field.bounds().upper - field.bounds().lower).maxCoeff();
  fmt::print("field at {}: built in {:.2f} s, {} blocks, {:.1f} MB, error bound {:.2e} of the side ({:.2f} finest cells)\n",
             resolution, built, field.arrays().blocks.size(), 1e-6 * static_cast<double>(field.bytes()),
             field.error_bound() / side, field.error_bound() / side * resolution);
  std::mt19937 random(1);
  const std::vector<Vec3> near = points_in_band(field, 1'000'000, random);
  double worst = 0;
  for (std::size_t i = 0; i < 100'000; ++i)
    worst = std::max(worst, std::abs(field.value(near[i]) - signed_distance(surface, near[i], sign)->distance));
  fmt::print("worst error at 100000 points in the band: {:.2e} of the side, {:.0f} % of the bound\n", worst / side,
             100 * worst / field.error_bound());
  ask(field, near, "in the band");
  ask(field, points_anywhere(field, 1'000'000, random), "anywhere");
  minimise(field, near, side / resolution, random);
  touch(field, surface, side / resolution);
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) {
  try {
    stickslip::bench::Arguments arguments(argc, argv);
    const int triangles = arguments.number("--triangles", 100'000), resolution = arguments.number("--resolution", 128);
    const std::string sign = arguments.text("--sign", "normals");
    arguments.finish("--triangles N --resolution N --sign normals|winding");
    stickslip::run(triangles, resolution, sign == "winding" ? stickslip::SignRule::winding : stickslip::SignRule::normals);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
