// What impacts cost: bullets above boxes that lie on the ground.
//
//   bench_bullets [--boxes 1000] [--bullets 256] [--steps 40]
//
// Steps of the same scene are timed with bullets that rest among the boxes, that fly past them (swept, no cut), and that
// rebound between the boxes and a ceiling (swept, and every step is cut). Times are processor times, medians over the
// steps, and ratios to a step in which nothing is fast.
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/step/stepper.h"

namespace stickslip::bench {
namespace {

constexpr double kBulletRadius = 0.005, kBoxHalf = 0.1, kCeiling = 3;   // [m]

enum class Flight { none, past, against };

World make_world(int boxes, int bullets, Flight flight) {
  World world;
  const MaterialId m = world.materials.add({"steel", 1000, 0.5, 0.5});
  BodyDescription ground;
  ground.motion = MotionType::fixed;
  ground.parts = {{HalfSpace{}, {}, m}};
  world.add(ground);
  BodyDescription ceiling;
  ceiling.motion = MotionType::fixed;
  ceiling.parts = {{Box{Vec3(50, 50, 0.001)}, {}, m}};
  ceiling.pose.position.z() = kCeiling;
  world.add(ceiling);
  const int side = static_cast<int>(std::ceil(std::sqrt(boxes)));
  for (int i = 0; i < boxes; ++i) {
    BodyDescription box;
    box.parts = {{Box{Vec3::Constant(kBoxHalf)}, {}, m}};
    box.pose.position = Vec3(0.25 * (i % side), 0.25 * (i / side), kBoxHalf);
    world.add(box);
  }
  for (int i = 0; i < bullets; ++i) {
    BodyDescription bullet;
    bullet.parts = {{Sphere{kBulletRadius}, {}, m}};
    const double x = 0.25 * (i % side), y = 0.25 * (i / side % side);
    bullet.pose.position = flight == Flight::none ? Vec3(x + 0.125, y, kBulletRadius) : Vec3(x, y, 1 + 0.01 * (i % 97));
    if (flight == Flight::past) bullet.velocity = Vec3(1000, 0, 0);
    if (flight == Flight::against) bullet.velocity = Vec3(0, 0, 500 + i);
    world.add(bullet);
  }
  return world;
}

struct Cost {
  double seconds, cuts;   ///< medians, of a step
};

Cost measure(int boxes, int bullets, Flight flight, int steps) {
  std::vector<double> seconds, cuts;
  const World start = make_world(boxes, bullets, flight);
  World world = start;
  Stepper stepper;
  for (int i = 0; i < 10 + steps; ++i) {
    // What has flown away or lost its speed starts again; the boxes go on lying.
    for (std::size_t k = 0; k < world.bodies().size(); ++k)
      if (flight != Flight::none && static_cast<int>(k) >= 2 + boxes) {
        Body& b = world.mutable_bodies()[k];
        b.position = start.bodies()[k].position;
        b.velocity = start.bodies()[k].velocity;
      }
    const double begin = processor_seconds();
    const StepReport& report = stepper.step(world);
    if (i < 10) continue;
    seconds.push_back(processor_seconds() - begin);
    cuts.push_back(report.impacts);
  }
  return {median(seconds), median(cuts)};
}

void table(int boxes, int most, int steps) {
  fmt::print("{} boxes; ms per step, median of {} steps\n", boxes, steps);
  fmt::print("{:>8} {:>9} {:>9} {:>7} {:>9} {:>7} {:>6}\n", "bullets", "at rest", "past", "ratio", "against", "ratio", "cuts");
  for (int bullets = 1; bullets <= most; bullets *= 4) {
    const Cost rest = measure(boxes, bullets, Flight::none, steps), past = measure(boxes, bullets, Flight::past, steps);
    const Cost against = measure(boxes, bullets, Flight::against, steps);
    fmt::print("{:>8} {:>9.3f} {:>9.3f} {:>7.2f} {:>9.3f} {:>7.2f} {:>6.0f}\n", bullets, 1e3 * rest.seconds, 1e3 * past.seconds,
               past.seconds / rest.seconds, 1e3 * against.seconds, against.seconds / rest.seconds, against.cuts);
    std::fflush(stdout);
  }
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const int boxes = arguments.number("--boxes", 1000), bullets = arguments.number("--bullets", 256);
  const int steps = arguments.number("--steps", 40);
  arguments.finish("--boxes n, --bullets n, --steps n");
  table(boxes, bullets, steps);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
