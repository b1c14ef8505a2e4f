// Whole steps of soft bodies: what they cost by nodes, by contacts and by operator, and which solvers are quick on their
// contact problems. Processor time of one thread.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "stickslip/solve/registry.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

/// A cube of rubber of 1 m on a plate.
World cube_on_plate(int nodes, double plate, double young = 1e6) {
  World world;
  const MaterialId m = world.materials.add({"rubber", 1000, 0.5, 0});
  BodyDescription ground;
  ground.motion = MotionType::fixed;
  ground.parts = {{Box{{plate / 2, plate / 2, 0.5}}, {}, m}};
  ground.pose.position = {0, 0, -0.5};
  world.add(ground);
  const TetMesh mesh = soft_box({0.5, 0.5, 0.5}, 1 / (std::cbrt(nodes) - 1));
  SoftDescription cube;
  cube.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra,
                                                    SoftMaterial{.young = young, .stiffness_damping = 0.02});
  cube.pose.position = {0, 0, 0.5};
  cube.material = m;
  world.add(cube);
  return world;
}

StepOptions one_thread(SoftOperator soft = SoftOperator::automatic) {
  StepOptions o;
  o.h = 0.01;
  o.threads = 1;
  o.soft.operator_ = soft;
  return o;
}

struct Cost {
  double first = 0, step = 0;            ///< of the first step; of those after, median [s]
  double assembly = 0, solve = 0;        ///< wall time of these parts, mean [s]
  double iterations = 0, contacts = 0;   ///< mean
  int factorisations = 0, missed = 0, steps = 0;
};

/// @param forget factors are found in every step
Cost measure(World world, const StepOptions& options, int settle, int steps, bool forget = false) {
  Stepper stepper(options);
  Cost cost;
  std::vector<double> times;
  for (int k = 0; k < settle + steps; ++k) {
    if (forget) world.mutable_nodal_bodies()[0].memory = {};
    const double start = bench::processor_seconds();
    const StepReport& report = stepper.step(world);
    const double time = bench::processor_seconds() - start;
    if (k == 0) cost.first = time;
    if (k < settle) continue;
    times.push_back(time);
    ++cost.steps;
    cost.assembly += report.seconds.assembly / steps;
    cost.solve += report.seconds.solve / steps;
    cost.iterations += static_cast<double>(report.outcome.iterations) / steps;
    cost.contacts += static_cast<double>(report.contacts.size()) / steps;
    cost.factorisations += report.factorisations;
    cost.missed += report.outcome.status != SolveStatus::converged;
  }
  cost.step = bench::median(times);
  return cost;
}

void by_size(int most, int settle) {
  fmt::print("cube at rest on a plate, all nodes of the bottom touch; [ms]\n");
  fmt::print("{:>7}{:>10}{:>12}{:>10}{:>16}{:>10}{:>10}{:>8}\n", "nodes", "contacts", "first step", "at rest", "factorisations",
             "factored", "sweeps", "missed");
  for (const double share : {0.1, 0.3, 1.0, 2.0}) {
    const int nodes = static_cast<int>(share * most);
    const World world = cube_on_plate(nodes, 2);
    const Cost reused = measure(world, one_thread(), settle, 10), anew = measure(world, one_thread(), 1, 4, true);
    fmt::print("{:>7}{:>10.0f}{:>12.1f}{:>10.1f}{:>13}/{:<2}{:>10.1f}{:>10.1f}{:>8}\n", world.node_count(), reused.contacts,
               1e3 * reused.first, 1e3 * reused.step, reused.factorisations, reused.steps, 1e3 * anew.step, reused.iterations,
               reused.missed);
    std::fflush(stdout);
  }
}

void by_contacts(int nodes, int settle) {
  fmt::print("\ncube of {} nodes on plates of several widths; [ms]\n", cube_on_plate(nodes, 2).node_count());
  fmt::print("{:>7}{:>10}{:>10}{:>10}{:>10}\n", "width", "contacts", "at rest", "factored", "sweeps");
  for (const double width : {0.3, 0.6, 2.0}) {
    const World world = cube_on_plate(nodes, width);
    const Cost reused = measure(world, one_thread(), settle, 10), anew = measure(world, one_thread(), 1, 3, true);
    fmt::print("{:>7.1f}{:>10.0f}{:>10.1f}{:>10.1f}{:>10.1f}\n", width, reused.contacts, 1e3 * reused.step, 1e3 * anew.step,
               reused.iterations);
  }
}

void by_operator(int most) {
  fmt::print("\ncube that settles on a plate, first 5 steps; median [ms], (iterations), * misses its tolerance\n{:>7}{:>10}",
             "nodes", "contacts");
  for (std::size_t k = 1; k < soft_operator_names().size(); ++k) fmt::print("{:>20}", soft_operator_names()[k]);
  fmt::print("\n");
  for (const int nodes : {27, 125, 343, 1000, 2744}) {
    if (nodes > most) break;
    for (std::size_t k = 1; k < soft_operator_names().size(); ++k) {
      const auto soft = static_cast<SoftOperator>(k);
      if (nodes > 1000 && (soft == SoftOperator::assembled || soft == SoftOperator::splitting)) {
        fmt::print("{:>20}", "");
        continue;
      }
      const Cost cost = measure(cube_on_plate(nodes, 2, 1e5), one_thread(soft), 0, 5);
      if (k == 1) fmt::print("{:>7}{:>10.0f}", nodes, cost.contacts);
      fmt::print("{:>20}", fmt::format("{:.2f} ({:.0f}){}", 1e3 * cost.step, cost.iterations, cost.missed > 0 ? "*" : " "));
    }
    fmt::print("\n");
  }
}

const std::vector<std::string> kCompared{"auto", "alart-curnier", "admm", "accelerated-nsgs", "nsgs", "prox-gs", "apgd"};

constexpr double kLongEnough = 0.1;   ///< for clocks of processors that count in ticks [s]

/// The problem of the last step with W multiplied out, from the impulses of the step before.
void compare_solvers(const std::string& name, const Stepper& stepper, double tolerance, double seconds) {
  const ContactProblem problem = condense(stepper.problem());
  fmt::print("{:<26}{:>6}", name, problem.rows());
  for (const std::string& solver_name : kCompared) {
    const auto solver = make_solver(solver_name, {});
    std::vector<double> impulses;
    SolveControl control;
    control.tolerance = tolerance;
    control.max_iterations = 1'000'000;
    control.time_limit = seconds;
    control.natural_map = false;
    Workspace workspace;
    SolveReport report;
    double time = 0;
    int solves = 0;
    for (const double start = bench::processor_seconds(); time < kLongEnough; ++solves) {
      impulses.assign(stepper.guess().begin(), stepper.guess().end());
      report = solver->solve(problem, impulses, workspace, control);
      time = bench::processor_seconds() - start;
    }
    time /= solves;
    const bool solved = report.residual.total() <= control.tolerance;
    fmt::print("{:>18}", solved ? fmt::format("{:.1f} ({})", 1e3 * time, report.iterations) : "-");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// Contact problems of soft bodies: of cubes that settle on a plate, whose W is of full rank, and of scenes.
/// @param digits of the tolerance, relative to that of a step as |g| h is
void by_solver(double seconds, int digits) {
  const double exactly = std::pow(10.0, 6 - digits);
  fmt::print("\ncontact problems of soft bodies, W multiplied out; [ms] to 1e-{} |g| h, - not within {} s\n{:<26}{:>6}", digits,
             seconds, "scene, step", "rows");
  for (const std::string& name : kCompared) fmt::print("{:>18}", name);
  fmt::print("\n");
  for (const int nodes : {343, 1000, 2744})
    for (const int step : {1, 4}) {
      World world = cube_on_plate(nodes, 2);
      const StepOptions options = one_thread();
      Stepper stepper(options);
      double tolerance = 0;
      for (int k = 0; k < step; ++k) tolerance = stepper.step(world).outcome.tolerance;
      compare_solvers(fmt::format("cube of {}, {}", nodes, step), stepper, exactly * tolerance, seconds);
    }
  struct Place {
    const char* scene;
    const char* parameter;
    int step;
  };
  for (const auto& [name, parameter, step] :
       {Place{"rigid-on-soft", "/parameters/size=0.06", 9}, Place{"rigid-on-soft", "/parameters/size=0.06", 25},
        Place{"rigid-on-soft", "/parameters/size=0.06", 120}, Place{"rigid-on-soft", "/parameters/young=2e6", 40},
        Place{"rigid-on-soft", "", 50}, Place{"soft-stack", "", 40}, Place{"soft-on-rigid", "", 50},
        Place{"squeezed-ball", "", 60}, Place{"jelly-hand", "", 150}, Place{"gripper", "", 150}, Place{"tyre", "", 100},
        Place{"soft-jacks", "", 60}, Place{"fish-in-net", "", 60}, Place{"strap-over-log", "", 60},
        Place{"soft-cards", "/step/integrator=\"impulse\"", 40},
        Place{"ball-through-rollers", "/step/integrator=\"impulse\"", 40}}) {
    const std::string text = parameter;
    const std::size_t split = text.find('=');
    std::vector<Override> overrides;
    if (!text.empty()) overrides.push_back({text.substr(0, split), text.substr(split + 1)});
    Scene scene = load_scene(name, overrides);
    Stepper stepper(scene.step);
    double tolerance = 0;
    for (int k = 0; k < step; ++k) tolerance = stepper.step(scene.world).outcome.tolerance;
    compare_solvers(fmt::format("{}, {}", name, step), stepper, exactly * tolerance, seconds);
  }
}

MaterialId add_plate(World& world, double y) {
  const MaterialId m = world.materials.add({"brick", 2000, 0.5, 0});
  BodyDescription ground;
  ground.motion = MotionType::fixed;
  ground.parts = {{Box{{50, 5, 0.5}}, {}, m}};
  ground.pose.position = {0, y, -0.5};
  world.add(ground);
  return m;
}

/// A wall of bricks, every second layer with half ones at its ends: whole ones would tip over the edge of those below.
/// @param foot where it stands
void add_wall(World& world, int layers, MaterialId m, const Vec3& foot) {
  constexpr double kPitch = 0.21;
  const double last = kPitch * (2 * layers - 1);
  for (int layer = 0; layer < layers; ++layer) {
    const auto add = [&](double half_length, double x) {
      BodyDescription brick;
      brick.parts = {{Box{{half_length, 0.05, 0.05}}, {}, m}};
      brick.pose.position = foot + Vec3(x, 0, 0.1 * layer + 0.05);
      world.add(brick);
    };
    const bool shifted = layer % 2 == 1;
    for (int i = 0; i < 2 * layers - shifted; ++i) add(0.1, kPitch * (i + 0.5 * shifted));
    if (!shifted) continue;
    add(0.0475, -0.0525);
    add(0.0475, last + 0.0525);
  }
}

/// A slab of rubber as long as a wall. @returns how thick it is [m]
double add_slab(World& world, int layers, MaterialId m, int nodes) {
  const Vec3 half(0.21 * layers, 0.15, 0.1);
  const double edge = std::cbrt(8 * half.prod() / nodes);
  const TetMesh mesh = soft_box(half, edge);
  SoftDescription slab;
  slab.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra,
                                                    SoftMaterial{.young = 1e7, .stiffness_damping = 0.02});
  slab.pose.position = {half.x() - 0.105, 0, half.z()};
  slab.material = m;
  world.add(slab);
  return 2 * half.z();
}

/// What a wall costs beside a soft body, and on one. Beside it: as much as alone, as the two have nothing to do with each
/// other.
void mixed(int nodes, int settle) {
  fmt::print("\na wall of bricks, a soft body, and both in one world; [ms], steps of these 20 that missed their tolerance\n");
  fmt::print("{:<8}{:>7}{:>8}{:>10}{:>10}{:>10}{:>16}{:>8}\n", "", "bricks", "nodes", "wall", "soft", "both", "both / (1 + 1)",
             "missed");
  for (const bool on : {false, true})
    for (const int layers : {10, 20}) {
      if (on && layers > 10) continue;   // takes minutes
      World wall, soft, both;
      add_wall(wall, layers, add_plate(wall, 0), Vec3::Zero());
      if (on) {
        add_slab(soft, layers, add_plate(soft, 0), nodes);
        const MaterialId m = add_plate(both, 0);
        const double height = add_slab(both, layers, m, nodes);
        add_wall(both, layers, m, {0, 0, height});
      } else {
        soft = cube_on_plate(nodes, 2);
        both = cube_on_plate(nodes, 2);
        add_wall(both, layers, add_plate(both, 20), {0, 20, 0});
      }
      const double alone = measure(wall, one_thread(), settle, 20).step, body = measure(soft, one_thread(), settle, 20).step;
      const Cost together = measure(both, one_thread(), settle, 20);
      fmt::print("{:<8}{:>7}{:>8}{:>10.2f}{:>10.2f}{:>10.2f}{:>16.2f}{:>8}\n", on ? "on it" : "beside",
                 wall.bodies().size() - 1, both.node_count(), 1e3 * alone, 1e3 * body, 1e3 * together.step,
                 together.step / (alone + body), together.missed);
      std::fflush(stdout);
    }
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) try {
  stickslip::bench::Arguments arguments(argc, argv);
  const int nodes = arguments.number("--nodes", 10000), settle = arguments.number("--settle", 40);
  const std::string what = arguments.text("--what", "all");
  const int seconds = arguments.number("--seconds", 5);
  const int digits = arguments.number("--digits", 6);
  arguments.finish(
      "--nodes N --settle STEPS --what all|size|contacts|operators|solvers|mixed --seconds PER_SOLVER --digits OF_SOLVERS");
  if (what == "all" || what == "size") stickslip::by_size(nodes, settle);
  if (what == "all" || what == "contacts") stickslip::by_contacts(nodes, settle);
  if (what == "all" || what == "operators") stickslip::by_operator(nodes);
  if (what == "all" || what == "solvers") stickslip::by_solver(seconds, digits);
  if (what == "all" || what == "mixed") stickslip::mixed(std::min(nodes, 1000), settle);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
