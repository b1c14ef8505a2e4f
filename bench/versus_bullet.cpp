// Stickslip and Bullet on the same heap, in the same process, step by step in turn, one thread each.
//
//   bench_versus_bullet [--scene boxes] [--count 4000] [--sweeps 20] [--settle 150] [--steps 60]
//
// Both start from the same built-in scene (friction 0.5, h = 1/60 s, no sleeping, warm start on) and settle for the same
// number of steps; then every engine takes one step after the other. Each does the same number of sweeps over its own
// contacts. Bullet runs twice: with its default single friction direction, and with two, which is the model of Coulomb's
// law that we solve.
//
// Time is processor time. Residual is the shared residual (problem/residual.h) of the impulses that each engine
// applied, on the problem that the engine itself posed (see bullet_peer.h): the largest error over all contacts [m/s], a
// maximum norm. Beside it stands the natural-map error, a root-sum-square over all contacts relative to the size of the
// problem, which one bad contact does not decide. Both are medians over the measured steps. The parts of the residual tell
// model from convergence: a boxed friction model such as `pgs` or Bullet's two directions stays outside Coulomb's cone (parts
// cone and dissipation) however long it iterates, while the gap velocity is what a few more sweeps would reduce.
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/bullet_peer.h"
#include "bench/statistics.h"
#include "stickslip/problem/residual.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {
namespace {

struct Column {
  std::string name;
  std::vector<double> seconds, contacts, residual, natural_map, penetration, mismatch;
  std::vector<double> gap_velocity, complementarity, cone, dissipation;   ///< the parts of the residual

  void add(const Residual& r) {
    residual.push_back(r.total());
    gap_velocity.push_back(r.gap_velocity);
    complementarity.push_back(r.complementarity);
    cone.push_back(r.cone);
    dissipation.push_back(r.dissipation);
  }
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void settle() = 0;
  virtual void measure() = 0;
  Column column;
};

class StickslipContender final : public Contender {
 public:
  StickslipContender(const World& start, const StepOptions& options) : world_(start), stepper_(options) {
    column.name = "Stickslip " + options.solver;
  }
  void settle() override { stepper_.step(world_); }
  void measure() override {
    const double start = processor_seconds();
    const StepReport& report = stepper_.step(world_);
    column.seconds.push_back(processor_seconds() - start);
    column.contacts.push_back(static_cast<double>(report.contacts.size()));
    column.add(report.solve->residual);
    column.penetration.push_back(report.penetration_max);
    natural_map(report);
  }

 private:
  /// The impulses of the step in the frames of its problem, from the record: contacts there are sorted by pair, blocks by
  /// the number of moving bodies first.
  void natural_map(const StepReport& report) {
    const ContactProblem& p = stepper_.problem();
    impulses_.clear();
    for (const int arity : {1, 2})
      for (const ContactRecord& c : report.contacts) {
        const int moving = world_.body(c.body_a).moves_by_forces() + world_.body(c.body_b).moves_by_forces();
        if (moving != arity) continue;
        const Vec3 local = frame_from_normal(c.normal).transpose() * c.impulse;
        impulses_.insert(impulses_.end(), local.begin(), local.end());
      }
    column.natural_map.push_back(natural_map_error(p, impulses_, workspace_));
    // Recomputed from the record, the residual must be the one that was reported: then the order above is right.
    column.mismatch.push_back(std::abs(residual(p, impulses_, workspace_).total() - report.solve->residual.total()));
  }

  World world_;
  Stepper stepper_;
  std::vector<double> impulses_;
  ResidualWorkspace workspace_;
};

class BulletContender final : public Contender {
 public:
  BulletContender(const World& start, const BulletSettings& settings) : peer_(start, settings) {
    column.name = settings.friction_directions == 1 ? "Bullet, 1 friction direction" : "Bullet, 2 friction directions";
  }
  void settle() override { peer_.step(); }
  void measure() override {
    peer_.remember_state();
    const double start = processor_seconds();
    peer_.step();
    column.seconds.push_back(processor_seconds() - start);
    const BulletPeer::Answer answer = peer_.answer();
    column.contacts.push_back(static_cast<double>(answer.problem.blocks.size()));
    column.add(residual(answer.problem, answer.impulses, workspace_));
    column.natural_map.push_back(natural_map_error(answer.problem, answer.impulses, workspace_));
    column.penetration.push_back(answer.penetration_max);
    column.mismatch.push_back(answer.velocity_mismatch);
  }

 private:
  BulletPeer peer_;
  ResidualWorkspace workspace_;
};

void print(const Column& c) {
  fmt::print("{:<30} {:>9.2f} {:>9.2f} {:>9.0f} {:>12.3g} {:>12.3g} {:>12.3g} {:>12.2g}\n", c.name, 1e3 * mean(c.seconds),
             1e3 * median(c.seconds), median(c.contacts), median(c.residual), median(c.natural_map), median(c.penetration),
             *std::max_element(c.mismatch.begin(), c.mismatch.end()));
}

void print_parts(const Column& c) {
  fmt::print("{:<30} {:>12.3g} {:>15.3g} {:>12.3g} {:>12.3g}\n", c.name, median(c.gap_velocity), median(c.complementarity),
             median(c.cone), median(c.dissipation));
}

void compare(const std::string& scene_name, int count, int sweeps, int settle, int steps) {
  const Override overrides[] = {{"/parameters/count", std::to_string(count)}, {"/parameters/mu", "0.5"}};
  const Scene scene = load_scene(scene_name, overrides);
  StepOptions options = scene.step;
  options.h = 1.0 / 60;
  options.max_iterations = sweeps;
  options.tolerance = 1e-12;   // out of reach: every solve does all its sweeps
  options.warm_start = true;
  options.sleep.enabled = false;
  options.threads = 1;

  std::vector<std::unique_ptr<Contender>> contenders;
  for (const char* solver : {"auto", "prox-gs", "pgs"}) {
    options.solver = solver;
    contenders.push_back(std::make_unique<StickslipContender>(scene.world, options));
  }
  for (const int directions : {1, 2}) {
    const BulletSettings settings{options.h, sweeps, 0.5, directions};
    contenders.push_back(std::make_unique<BulletContender>(scene.world, settings));
  }
  for (int i = 0; i < settle; ++i)
    for (auto& contender : contenders) contender->settle();
  for (int i = 0; i < steps; ++i)
    for (auto& contender : contenders) contender->measure();

  fmt::print("{} ({}), {} sweeps, {} steps after {}; Bullet with {}-byte numbers, Stickslip with 8\n", scene_name, count,
             sweeps, steps, settle, BulletPeer::scalar_bytes());
  fmt::print("{:<30} {:>9} {:>9} {:>9} {:>12} {:>12} {:>12} {:>12}\n", "", "mean ms", "median ms", "contacts", "residual m/s",
             "natural map", "depth m", "check m/s");
  for (const auto& contender : contenders) print(contender->column);
  fmt::print("\n{:<30} {:>12} {:>15} {:>12} {:>12}\n", "parts of the residual, m/s", "gap velocity", "complementarity", "cone",
             "dissipation");
  for (const auto& contender : contenders) print_parts(contender->column);
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const std::string scene = arguments.text("--scene", "boxes");
  const int count = arguments.number("--count", 4000), sweeps = arguments.number("--sweeps", 20);
  const int settle = arguments.number("--settle", 150), steps = arguments.number("--steps", 60);
  arguments.finish("--scene boxes|spheres, --count n, --sweeps n, --settle steps, --steps n");
  compare(scene, count, sweeps, settle, steps);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
