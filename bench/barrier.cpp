// Steps of the barrier integrator: what an iteration costs by unknowns, where its time goes, a stack of soft cubes, and the
// iterations that scenes take. Processor time of one thread.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

struct Cost {
  double step = 0, iterations = 0, contacts = 0;   ///< mean; the first in processor time [s]
  double search = 0, ways = 0;                     ///< parts of the time: candidates, free parts of ways
  int most = 0, missed = 0, steps = 0;
};

Cost measure(World& world, StepOptions options, int settle, int steps) {
  options.integrator = "barrier";
  options.threads = 1;
  Stepper stepper(options);
  for (int k = 0; k < settle; ++k) stepper.step(world);
  Cost cost;
  double whole = 0;
  const double start = bench::processor_seconds();
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = stepper.step(world);
    cost.iterations += static_cast<double>(report.outcome.iterations) / steps;
    cost.contacts += static_cast<double>(report.contacts.size()) / steps;
    cost.most = std::max(cost.most, report.outcome.iterations);
    cost.missed += report.outcome.status != SolveStatus::converged;
    cost.search += report.seconds.broad;
    cost.ways += report.seconds.narrow;
    whole += report.seconds.broad + report.seconds.narrow + report.seconds.assembly + report.seconds.solve +
             report.seconds.bookkeeping;
  }
  cost.step = (bench::processor_seconds() - start) / steps;
  cost.search /= whole;
  cost.ways /= whole;
  cost.steps = steps;
  return cost;
}

/// Stacks of two soft cubes beside each other.
World cubes(int stacks, int cells) {
  World world;
  const MaterialId m = world.materials.add({"rubber", 1000, 0.5, 0});
  BodyDescription ground;
  ground.motion = MotionType::fixed;
  ground.parts = {{HalfSpace{}, {}, m}};
  world.add(ground);
  const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.2 / cells);
  const auto solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, SoftMaterial{.young = 1e5});
  const int row = static_cast<int>(std::ceil(std::sqrt(stacks)));
  for (int k = 0; k < stacks; ++k)
    for (int level = 0; level < 2; ++level) {
      SoftDescription cube;
      cube.solid = solid;
      cube.pose.position = {0.3 * (k % row), 0.3 * (k / row), 0.1005 + 0.201 * level};
      cube.material = m;
      world.add(cube);
    }
  return world;
}

std::size_t unknowns_of(const World& world) {
  std::size_t count = 3 * world.node_count();
  for (const Body& b : world.bodies()) count += b.is_rigid() && b.motion == MotionType::dynamic ? 6 : 0;
  return count;
}

void print_head(const char* first) {
  fmt::print("{:<28}{:>10}{:>10}{:>12}{:>8}{:>12}{:>16}{:>10}{:>8}{:>8}\n", first, "unknowns", "contacts", "iterations", "most",
             "step [ms]", "µs/iter/unknown", "search", "ways", "missed");
}

void print(const std::string& name, std::size_t unknowns, const Cost& cost) {
  fmt::print("{:<28}{:>10}{:>10.0f}{:>12.1f}{:>8}{:>12.1f}{:>16.2f}{:>9.1f}%{:>7.1f}%{:>5}/{}\n", name, unknowns, cost.contacts,
             cost.iterations, cost.most, 1e3 * cost.step, 1e6 * cost.step / (cost.iterations * static_cast<double>(unknowns)),
             100 * cost.search, 100 * cost.ways, cost.missed, cost.steps);
  std::fflush(stdout);
}

Scene scene_of(const std::string& name, const std::string& parameter) {
  std::vector<Override> overrides;
  if (const std::size_t split = parameter.find('='); split != std::string::npos)
    overrides.push_back({"/parameters/" + parameter.substr(0, split), parameter.substr(split + 1)});
  return load_scene(name, overrides);
}

void of_cubes(int most, int steps) {
  print_head("soft cubes of 125 nodes");
  for (const int stacks : {2, 6, 20, 70}) {
    World world = cubes(stacks, 4);
    const std::size_t unknowns = unknowns_of(world);
    if (unknowns > static_cast<std::size_t>(most)) break;
    StepOptions options;
    options.h = 0.01;
    print(fmt::format("{} cubes", 2 * stacks), unknowns, measure(world, options, 2, steps));
  }
}

void of_walls(int most, int steps) {
  print_head("\nrigid walls");
  for (const auto& [rows, bricks] : {std::pair(10, 10), std::pair(22, 22), std::pair(40, 40), std::pair(40, 200)}) {
    const std::vector<Override> overrides{{"/parameters/rows", std::to_string(rows)},
                                          {"/parameters/bricks_per_row", std::to_string(bricks)}};
    Scene scene = load_scene("wall", overrides);
    const std::size_t unknowns = unknowns_of(scene.world);
    if (unknowns > static_cast<std::size_t>(most)) break;
    print(fmt::format("{} rows of {}", rows, bricks), unknowns, measure(scene.world, scene.step, 0, steps));
  }
}

void of_stack(int steps) {
  print_head("\nstack of ten soft cubes");
  Scene scene = scene_of("soft-stack", "cells=7");
  print(fmt::format("{} nodes each", scene.world.node_count() / 10), unknowns_of(scene.world),
        measure(scene.world, scene.step, 0, steps));
}

void of_scenes(int steps) {
  print_head("\nscenes, first steps");
  for (const auto& [name, parameter] :
       {std::pair("wall", ""), std::pair("card-house", ""), std::pair("soft-cards", ""), std::pair("soft-stack", ""),
        std::pair("mat-twist", ""), std::pair("ball-through-rollers", ""), std::pair("chain-mail", ""),
        std::pair("boxes", "count=60"), std::pair("boxes", ""), std::pair("spheres", "count=300")}) {
    Scene scene = scene_of(name, parameter);
    print(fmt::format("{} {}", name, parameter), unknowns_of(scene.world), measure(scene.world, scene.step, 0, steps));
  }
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) try {
  stickslip::bench::Arguments arguments(argc, argv);
  const int unknowns = arguments.number("--unknowns", 55000), steps = arguments.number("--steps", 5);
  const std::string what = arguments.text("--what", "all");
  arguments.finish("--unknowns MOST --steps N --what all|cubes|walls|stack|scenes");
  if (what == "all" || what == "cubes") stickslip::of_cubes(unknowns, steps);
  if (what == "all" || what == "walls") stickslip::of_walls(unknowns, steps);
  if (what == "all" || what == "stack") stickslip::of_stack(steps);
  if (what == "all" || what == "scenes") stickslip::of_scenes(8 * steps);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
