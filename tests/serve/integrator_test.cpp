// An integrator that solves no contact problem goes the whole way: from a scene file through steps, records and checkpoint to
// the live view, by its name alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../error_message.h"
#include "serve/viewer.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/recorder.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace {

using namespace test;

/// A folder of its own, gone at the end.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("stickslip-integrator-{}", ::getpid());
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr double kStiffness = 2e4, kDamping = 40;   ///< of the ground [N/m, N s/m]

/// Balls on springs above the plane z = 0: explicit penalty.
class Springs final : public Integrator {
 public:
  explicit Springs(const StepOptions& options) : h_(options.h) {}

  const StepReport& step(World& world) override {
    report_.energy.kinetic_start = world.kinetic_energy();
    for (Body& b : world.mutable_bodies()) {
      if (!b.alive || b.motion != MotionType::dynamic) continue;
      const double radius = std::get<Sphere>(world.colliders()[b.colliders.front()].shape).radius;
      const double depth = radius - b.position.z();
      Vec3 force = b.mass.mass * world.gravity;
      if (depth > 0) force.z() += std::max(0.0, kStiffness * depth - kDamping * b.velocity.z());
      b.velocity += h_ * b.inverse_mass * force;
      b.position += h_ * b.velocity;
    }
    world.time += h_;
    report_.step = ++world.step_count;
    report_.time = world.time;
    report_.h = report_.force_time = h_;
    report_.energy.kinetic_end = world.kinetic_energy();
    report_.outcome.iterations = 1;
    report_.outcome.unit = "N";
    return report_;
  }

 private:
  double h_;
  StepReport report_;
};

constexpr char kScene[] = R"({
  "schema": 1, "name": "ball on springs", "seconds": 3, "step": {"integrator": "springs", "h": 0.001},
  "bodies": [
    {"name": "ground", "motion": "fixed", "shape": {"type": "half-space"}},
    {"name": "ball", "mass": 2, "shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 0.3]}
  ]
})";

class OwnIntegrator : public ::testing::Test {
 protected:
  OwnIntegrator() {
    const auto all = integrators();
    if (std::none_of(all.begin(), all.end(), [](const IntegratorInfo& i) { return i.name == "springs"; }))
      add_integrator({"springs", "balls on springs", [](const StepOptions& o) { return std::make_unique<Springs>(o); }});
  }
  Scene scene() const { return parse_scene(kScene, "springs.json"); }
};

TEST_F(OwnIntegrator, steps_a_scene_that_names_it) {
  Scene s = scene();
  Stepper stepper(s.step);
  for (int i = 0; i < 3000; ++i) stepper.step(s.world);
  EXPECT_NEAR(s.world.body(s.world.find("ball")).position.z(), 0.1 - 2 * 9.81 / kStiffness, 1e-6)
      << "the spring bears the weight";
  EXPECT_THAT(testing::message_of([&] { stepper.problem(); }), ::testing::HasSubstr("'springs' solves no contact problem"));
}

/// Steps until somebody wants it to end.
class Endless final : public Integrator {
 public:
  explicit Endless(const StepOptions& options) : cancel_(options.cancel) {}
  const StepReport& step(World&) override {
    began = true;
    began.notify_all();
    while (true) end_if_cancelled(cancel_);
  }
  static inline std::atomic<bool> began = false;

 private:
  const std::atomic<bool>* cancel_;
};

TEST_F(OwnIntegrator, is_left_in_the_middle_of_a_step_when_the_server_stops) {
  add_integrator({"endless", "steps that never end", [](const StepOptions& o) { return std::make_unique<Endless>(o); }});
  Scene s = scene();
  s.step.integrator = "endless";
  ServerOptions options;
  options.only_while_watched = false;
  Server server(std::move(s), options);
  Endless::began.wait(false);
  server.stop();   // would wait for the step for ever
  EXPECT_EQ(server.statistics().steps, 0u);
}

TEST_F(OwnIntegrator, is_refused_by_an_unknown_name_with_a_suggestion) {
  EXPECT_THAT(testing::message_of([] { parse_scene(R"({"bodies": [], "step": {"integrator": "spring"}})", "s.json"); }),
              ::testing::AllOf(::testing::HasSubstr("/step/integrator"), ::testing::HasSubstr("springs")));
  EXPECT_THAT(testing::message_of([] {
                add_integrator({"impulse", "", [](const StepOptions&) { return nullptr; }});
              }),
              ::testing::HasSubstr("already"));
}

TEST_F(OwnIntegrator, is_recorded_and_continued_to_the_same_bits) {
  const Folder folder;
  Scene s = scene();
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const char* name : {"run.csv", "run.h5", "run.html", "run.pvd"}) recorders.push_back(make_recorder(folder.path / name));
  for (auto& r : recorders) r->begin(s);
  Stepper stepper(s.step);
  for (int i = 0; i < 60; ++i) {
    const StepReport& report = stepper.step(s.world);
    for (auto& r : recorders) r->record(s.world, report);
  }
  for (auto& r : recorders) r->finish();
  EXPECT_THAT(text_of(folder.path / "run.csv"), ::testing::HasSubstr("nan")) << "parts of a residual that it does not have";
  EXPECT_GT(text_of(folder.path / "run.html").size(), 10000u);

  save_checkpoint(folder.path / "half.h5", s);
  Scene again = load_checkpoint(folder.path / "half.h5");
  EXPECT_EQ(again.step.integrator, "springs");
  Stepper further(again.step);
  for (int i = 0; i < 40; ++i) stepper.step(s.world), further.step(again.world);
  EXPECT_EQ(s.world.state_hash(), again.world.state_hash());
}

TEST_F(OwnIntegrator, is_seen_live) {
  Scene s = scene(), same = scene();
  Server server(std::move(s), paused());
  Viewer viewer(server);
  viewer.step(50);
  Stepper stepper(same.step);
  while (same.world.step_count < viewer.frame.step) stepper.step(same.world);
  EXPECT_NEAR(viewer.bodies[1].position.z(), same.world.bodies()[1].position.z(), viewer.description["quantum"].get<double>());
}

}   // namespace
}   // namespace stickslip
