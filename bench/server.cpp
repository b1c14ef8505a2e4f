// What streaming costs the simulation: every body changes in every frame, one viewer reads all frames.
//
//   bench_server [--count bodies] [--rounds n] [--milliseconds per phase]
//
// Two scenes: rain (bodies that fly freely; steps so cheap that the full 60 frames a second are sent) and a heap of boxes
// (steps longer than a frame, so that every step is sent). Phases with and without a viewer take turns within one run. The
// processor time of the simulation thread is split into steps and serving, and what viewers cost is serving over steps: ends
// with 1 if that is 5 % or more. What they cost beside, by caches and memory that threads share, shows as steps that take
// longer with a viewer than without; that number is the median and the quartiles of noisy ones.
#include <algorithm>
#include <thread>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/serve/server.h"
#include "tests/serve/client.h"

namespace stickslip::bench {
namespace {

constexpr double kMost = 0.05;

/// A viewer that reads all it gets.
class Reader {
 public:
  explicit Reader(std::uint16_t port) : socket_(port), thread_([this] { read(); }) {}
  ~Reader() {
    stop_ = true;
    thread_.join();
  }
  int frames() const { return frames_; }
  double bytes() const { return bytes_; }

 private:
  void read() {
    while (!stop_) {
      const auto message = socket_.receive(0.1);
      if (!message || message->opcode != 2) continue;
      ++frames_;
      bytes_ = bytes_ + static_cast<double>(message->data.size());
    }
  }
  test::WebSocket socket_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> frames_ = 0;
  std::atomic<double> bytes_ = 0;
  std::thread thread_;
};

struct Phase {
  double step = 0;      ///< processor time of a step [s]
  double serving = 0;   ///< serving over steps
};

ServerStatistics passed(const ServerStatistics& from, const ServerStatistics& to) {
  return {to.steps - from.steps, to.frames - from.frames, to.step_seconds - from.step_seconds,
          to.serving_seconds - from.serving_seconds};
}

Phase measure(const Server& server, double seconds) {
  const ServerStatistics before = server.statistics();
  ServerStatistics d;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    d = passed(before, server.statistics());
  } while (d.steps < 3 || std::chrono::steady_clock::now() < end);
  return {d.step_seconds / static_cast<double>(d.steps), d.serving_seconds / d.step_seconds};
}

bool run(const std::string& name, Scene scene, int rounds, double seconds) {
  const std::size_t bodies = scene.world.body_count();
  ServerOptions options;
  options.speed = 0;
  options.only_while_watched = false;
  Server server(std::move(scene), options);
  std::vector<double> slower, direct, step;
  double frames = 0, bytes = 0, watched = 0;
  measure(server, seconds);   // warm
  for (int round = 0; round < rounds; ++round) {
    const Phase before = measure(server, seconds);
    Phase with;
    {
      Reader reader(server.port());
      measure(server, 0.1);
      const int frames_before = reader.frames();
      const double bytes_before = reader.bytes();
      const auto start = std::chrono::steady_clock::now();
      with = measure(server, seconds);
      watched += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      frames += reader.frames() - frames_before;
      bytes += reader.bytes() - bytes_before;
    }
    const Phase after = measure(server, seconds);
    // Scenes drift, so the mean of the phases before and after is what to compare with.
    slower.push_back(2 * with.step / (before.step + after.step) - 1);
    direct.push_back(with.serving);
    step.push_back(with.step);
  }
  std::sort(slower.begin(), slower.end());
  const double serving = median(direct);
  fmt::print("{:<6} {:>6} {:>10.3f} {:>9.1f} {:>6.1f} {:>12.2f} {:>8.1f} ({:.1f} to {:.1f})\n", name, bodies,
             1e3 * median(step), frames / watched, 1e-6 * bytes / watched, 100 * serving, 100 * median(slower),
             100 * slower[slower.size() / 4], 100 * slower[slower.size() * 3 / 4]);
  return serving < kMost;
}

Scene rain(int count) {
  Scene scene;
  scene.name = "rain";
  scene.document = "{}";
  scene.world.gravity = Vec3::Zero();
  for (int i = 0; i < count; ++i) {
    BodyDescription d;
    d.parts = {{Sphere{0.1}, {}, {}}};
    d.pose.position = {0.5 * (i % 70), 0.5 * (i / 70), 0};
    d.velocity = {0, 0, -1};
    d.angular_velocity = {1, 0.1 * (i % 7), 0};
    scene.world.add(d);
  }
  return scene;
}

Scene heap(int count) {
  const Override overrides[] = {{"/parameters/count", std::to_string(count)}};
  return load_scene("boxes", overrides);
}

}   // namespace
}   // namespace stickslip::bench

int main(int argc, char** argv) try {
  using namespace stickslip::bench;
  Arguments arguments(argc, argv);
  const int count = arguments.number("--count", 5000), rounds = arguments.number("--rounds", 9),
            milliseconds = arguments.number("--milliseconds", 500);
  arguments.finish("--count bodies, --rounds n, --milliseconds per phase");
  fmt::print("{:<6} {:>6} {:>10} {:>9} {:>6} {:>12} {:>8}\n", "scene", "bodies", "step [ms]", "frames/s", "MB/s", "serving [%]",
             "steps slower [%]");
  const bool good =
      run("rain", rain(count), rounds, 1e-3 * milliseconds) & run("heap", heap(count), rounds, 1e-3 * milliseconds);
  fmt::print("serving takes less than 5 % of the time of steps: {}\n", good ? "yes" : "NO");
  return good ? 0 : 1;
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
