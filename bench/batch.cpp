// Many small worlds at once: how much faster are all threads than one, and what does going back to a saved state cost?
//
//   bench_batch [--worlds 1000] [--steps 20] [--scene robot-hand] [--rounds 5]
//
// Rounds alternate between one thread and all of them; the best of each counts. What one thread gains beside an idle one (a
// higher clock, the whole cache) is part of what is measured, and so is whatever else the machine does.
#include <chrono>
#include <thread>

#include "bench/arguments.h"
#include "stickslip/scene/scene.h"
#include "stickslip/step/batch.h"

using namespace stickslip;

namespace {

double wall_seconds(auto&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Worlds {
  std::vector<World> worlds;
  std::vector<Stepper> steppers;
  std::vector<BatchEntry> entries;

  Worlds(const Scene& scene, int count) : worlds(static_cast<std::size_t>(count), scene.world) {
    for (int i = 0; i < count; ++i) steppers.emplace_back(scene.step);
    for (std::size_t i = 0; i < worlds.size(); ++i) entries.push_back({&steppers[i], &worlds[i]});
  }
};

}   // namespace

int main(int argc, char** argv) {
  bench::Arguments arguments(argc, argv);
  const int worlds = arguments.number("--worlds", 1000), steps = arguments.number("--steps", 20);
  const int rounds = arguments.number("--rounds", 5);
  const std::string name = arguments.text("--scene", "robot-hand");
  arguments.finish("--worlds, --steps, --scene, --rounds");

  const Scene scene = load_scene(name);
  Worlds batch(scene, worlds);
  step_all(batch.entries, 2);
  const std::vector<World> saved = batch.worlds;
  double one = 1e300, all = 1e300, reset = 1e300;
  std::vector<std::uint64_t> hashes;
  for (int round = 0; round < rounds; ++round)
    for (const int threads : {1, 0}) {
      reset = std::min(reset, wall_seconds([&] {
                         for (std::size_t i = 0; i < saved.size(); ++i) batch.worlds[i] = saved[i];
                       }));
      double& best = threads == 1 ? one : all;
      best = std::min(best, wall_seconds([&] { step_all(batch.entries, steps, threads); }));
      std::vector<std::uint64_t> now;
      for (const World& w : batch.worlds) now.push_back(w.state_hash());
      if (!hashes.empty() && now != hashes) fmt::print("The bits differ!\n");
      hashes = std::move(now);
    }
  const double count = static_cast<double>(worlds) * steps;
  fmt::print("{} worlds '{}' of {} bodies and {} joints, {} steps each\n", worlds, name, scene.world.body_count(),
             scene.world.joint_count(), steps);
  fmt::print("one thread   {:9.0f} steps/s, {:.1f} µs each\n", count / one, 1e6 * one / count);
  fmt::print("{} threads    {:9.0f} steps/s, {:.2f} times as many\n", std::thread::hardware_concurrency(), count / all,
             one / all);
  fmt::print("reset        {:.2f} µs each, {:.1f} % of a step\n", 1e6 * reset / worlds, 100 * (reset / worlds) / (one / count));
}
