// Whether the operators of soft bodies agree: a state of every scene of soft bodies, one step from it with each of them, and
// how far velocities and forces are from those of `factored`. Of `lumped`, which is another discretisation, at two short steps:
// the difference has to fall with the step.
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

struct Place {
  const char* scene;
  double seconds;   ///< simulated before the step that is compared
};
constexpr Place kPlaces[] = {
    {"soft-stack", 0.6},  {"soft-on-rigid", 0.5},  {"rigid-on-soft", 0.5}, {"cantilever", 0.3},   {"squeezed-ball", 1.5},
    {"twisted-bar", 2},   {"jelly-hand", 1.5},     {"gripper", 1.5},       {"tyre", 1},           {"soft-jacks", 0.4},
    {"fish-in-net", 0.5}, {"strap-over-log", 0.5}, {"soft-cards", 0.2},    {"card-shuffle", 0.2}, {"ball-through-rollers", 0.3},
    {"mat-twist", 0.3}};

using Pair = std::pair<std::uint64_t, std::uint64_t>;

struct End {
  std::vector<Vec3> velocities;    ///< of nodes and bodies [m/s]
  std::map<Pair, Vec3> impulses;   ///< of the contacts of two bodies, in sum [N s]
  StepOutcome outcome;
  double time = 0;   ///< of the processor [s]
};

End end_of(World& world, StepOptions options, SoftOperator how, double h, int steps) {
  options.soft.operator_ = how;
  options.h = h;
  options.threads = 1;
  Stepper stepper(options);
  End end;
  const double start = bench::processor_seconds();
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = stepper.step(world);
    end.outcome = report.outcome;
    for (const ContactRecord& c : report.contacts) {
      Vec3& sum = end.impulses.try_emplace({c.body_a.index, c.body_b.index}, Vec3::Zero()).first->second;
      sum += c.impulse;
    }
  }
  end.time = (bench::processor_seconds() - start) / steps;
  for (const NodalBody& body : world.nodal_bodies())
    end.velocities.insert(end.velocities.end(), body.velocities.begin(), body.velocities.end());
  for (const Body& body : world.bodies())
    if (body.motion == MotionType::dynamic) end.velocities.push_back(body.velocity);
  return end;
}

/// Largest difference of velocities [m/s].
double apart(const End& a, const End& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.velocities.size(); ++i) most = std::max(most, (a.velocities[i] - b.velocities[i]).norm());
  return most;
}

/// Largest difference of forces between two bodies, over the largest of such forces.
double forces_apart(const End& a, const End& b) {
  double most = 0, largest = 0;
  for (const auto& [pair, impulse] : b.impulses) {
    const auto other = a.impulses.find(pair);
    most = std::max(most, (impulse - (other == a.impulses.end() ? Vec3::Zero() : other->second)).norm());
    largest = std::max(largest, impulse.norm());
  }
  return largest > 0 ? most / largest : most;
}

void compare(const Place& place, double tolerance, double factor) {
  Scene scene = load_scene(place.scene);
  Stepper stepper(scene.step);
  while (scene.world.time < place.seconds - 0.5 * scene.step.h) stepper.step(scene.world);
  StepOptions options = scene.step;
  options.integrator = "impulse";
  options.tolerance = tolerance;
  const auto end_from_here = [&](SoftOperator how, double h, int steps) {
    World world = scene.world;
    return end_of(world, options, how, h, steps);
  };
  const End reference = end_from_here(SoftOperator::factored, options.h, 1);
  fmt::print("{:<22}{:>7}{:>9.0e} {:<10}{:>6.0f} ms{}\n", place.scene, scene.world.node_count(), reference.outcome.tolerance,
             "factored", 1e3 * reference.time, reference.outcome.error <= reference.outcome.tolerance ? "" : " *");
  for (const SoftOperator how : {SoftOperator::assembled, SoftOperator::partial, SoftOperator::splitting}) {
    const End end = end_from_here(how, options.h, 1);
    fmt::print("{:<39}{:<10}{:>6.0f} ms{:>10.1e}{:>10.1e}{}\n", "", soft_operator_names()[static_cast<std::size_t>(how)],
               1e3 * end.time, apart(end, reference), forces_apart(end, reference),
               end.outcome.error <= end.outcome.tolerance
                   ? ""
                   : fmt::format(" * {:.1e} ({})", end.outcome.error, end.outcome.iterations));
    std::fflush(stdout);
  }
  double differences[2], speeds[2];
  options.stabilisation = NoStabilisation{};   // what is deep is pushed out the faster the shorter the step
  end_of(scene.world, options, SoftOperator::factored, options.h / factor,
         1);   // forces of a step act for half of the last one, too
  for (int k = 0; k < 2; ++k) {
    const double h = options.h / factor / (k + 1);
    const End near = end_from_here(SoftOperator::factored, h, 4 * (k + 1)),
              lumped = end_from_here(SoftOperator::lumped, h, 4 * (k + 1));
    differences[k] = apart(near, lumped);
    speeds[k] = forces_apart(lumped, near);
  }
  fmt::print("{:<39}{:<10}{:>19.1e}{:>10.1e}{:>10.1e}{:>10.1e}\n", "", "lumped", differences[0], speeds[0], differences[1],
             speeds[1]);
  std::fflush(stdout);
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) try {
  stickslip::bench::Arguments arguments(argc, argv);
  const std::string only = arguments.text("--scene", "all");
  const double tolerance = std::pow(10.0, -arguments.number("--digits", 6));
  const int factor = arguments.number("--lumped", 50000);
  arguments.finish("--scene NAME|all --digits N --lumped PARTS_OF_A_STEP");
  for (const auto& place : stickslip::kPlaces)
    if (only == "all" || only == place.scene) stickslip::compare(place, tolerance, factor);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
