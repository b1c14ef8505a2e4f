// The broad phase alone: a loose heap of boxes at rest (jitter only) and in motion (2 m/s), time per update of all boxes.
#include <algorithm>
#include <cmath>
#include <random>

#include <benchmark/benchmark.h>

#include "stickslip/collide/broad_phase.h"

namespace stickslip {
namespace {

/// Boxes of about 1 m at a distance of about 1 m, in an order that has nothing to do with their places, on a floor.
class Heap {
 public:
  explicit Heap(int count) : random_(1) {
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    for (int i = 0; i < count; ++i) {
      const Vec3 center = Vec3(i % side, i / side % side, i / side / side) + 0.1 * vector();
      const Vec3 half = Vec3::Constant(0.55) + 0.05 * vector();
      boxes_.push_back({center - half, center + half});
      velocities_.push_back(vector());
    }
    std::shuffle(boxes_.begin(), boxes_.end(), random_);
    Aabb everywhere;
    std::swap(everywhere.lower, everywhere.upper);
    broad_.set(static_cast<std::uint32_t>(count), everywhere, true);
  }

  /// Boxes swing to and fro, so that the heap stays a heap.
  void move(double distance) {
    ++step_;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Vec3 shift = (step_ / 20 % 2 == 0 ? distance : -distance) * velocities_[i];
      boxes_[i] = {boxes_[i].lower + shift, boxes_[i].upper + shift};
    }
  }

  std::size_t update() {
    for (std::uint32_t i = 0; i < boxes_.size(); ++i) broad_.set(i, boxes_[i], false);
    return broad_.pairs().size();
  }

 private:
  Vec3 vector() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    return {uniform(random_), uniform(random_), uniform(random_)};
  }

  std::mt19937 random_;
  std::vector<Aabb> boxes_;
  std::vector<Vec3> velocities_;
  BroadPhase broad_;
  int step_ = 0;
};

/// @param speed [m/s], at 60 steps per second
void run(benchmark::State& state, double speed) {
  Heap heap(static_cast<int>(state.range(0)));
  for (int i = 0; i < 40; ++i) heap.move(speed / 60), heap.update();
  std::size_t pairs = 0;
  for (auto _ : state) {
    heap.move(speed / 60);
    pairs = heap.update();
  }
  state.counters["pairs"] = static_cast<double>(pairs);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void at_rest(benchmark::State& state) { run(state, 1e-4); }
void in_motion(benchmark::State& state) { run(state, 2); }

void sizes(benchmark::internal::Benchmark* family) {
  for (int count = 500; count <= 16000; count *= 2) family->Arg(count);
  family->Unit(benchmark::kMillisecond);
}
BENCHMARK(at_rest)->Apply(sizes);
BENCHMARK(in_motion)->Apply(sizes);

}   // namespace
}   // namespace stickslip

BENCHMARK_MAIN();
