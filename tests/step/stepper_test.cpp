// What a stepper refuses, and bodies that come and go while it runs.
#include "error_message.h"
#include "physics/worlds.h"
#include "stickslip/solve/add_solver.h"
#include "stickslip/solve/monitor.h"

namespace stickslip::testing {
namespace {

TEST(StepOptions, out_of_range_are_named_as_the_scene_file_spells_them) {
  const auto message = [](auto&& change) {
    StepOptions o;
    change(o);
    return message_of([&] { Stepper stepper(o); });
  };
  EXPECT_EQ(message([](StepOptions& o) { o.h = 0; }), "/h: 0 is out of range. It must be finite and greater than 0 s.");
  EXPECT_EQ(message([](StepOptions& o) {
              o.stabilisation = Baumgarte{2, 0};
            }),
            "/stabilisation/error_reduction: 2 is out of range. It must be between 0 and 1.");
  EXPECT_EQ(message([](StepOptions& o) { o.solver = "pgz"; }), "/solver: There is no solver 'pgz'. Did you mean 'pgs'?");
  EXPECT_EQ(
      message([](StepOptions& o) { o.merit.absolute = 1; }),
      "/merit/function: A threshold needs a merit function. Name one: min-map, min-map-max, fischer, complementarity, step or "
      "impulse.");
  EXPECT_EQ(message([](StepOptions& o) { o.threads = 0; }), "/threads: 0 is out of range. It must be between 1 and 1024.");
  EXPECT_EQ(message([](StepOptions& o) { o.sleep.time = -1; }), "/sleep/time: -1 is out of range. It must be at least 0 s.");
}

TEST(Stepper, names_the_body_whose_state_is_not_finite) {
  World world;
  add_body(world, Sphere{0.5}, {0, 0, 0}, {});
  world.mutable_bodies()[0].velocity.x() = std::nan("");
  Stepper stepper;
  EXPECT_NE(message_of([&] { stepper.step(world); }).find("'body-0' is not finite"), std::string::npos);
}

TEST(Stepper, ends_solves_by_a_merit_function_and_takes_their_last_iterate) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  for (int i = 0; i < 3; ++i) add_body(world, Box{{0.5, 0.5, 0.5}}, {0, 0, 0.5 + 1.0 * i}, m);
  StepOptions o = options(0.01);
  o.solver = "prox-gs-paper";
  o.tolerance = 1e-30;
  o.max_iterations = 1000;
  o.keep_history = true;
  o.last_iterate = true;
  o.merit = {.function = Merit::step, .absolute = 1e-3};
  Stepper stepper(o);
  const StepReport& report = stepper.step(world);
  ASSERT_TRUE(report.solve);
  EXPECT_EQ(report.solve->merit_stop, MeritStop::absolute);
  EXPECT_LE(report.solve->merit.total, 1e-3);
  EXPECT_EQ(report.solve->merit_history.size(), static_cast<std::size_t>(report.solve->iterations) + 1);
  EXPECT_EQ(report.solve->residual.total(), report.solve->history.back());
}

TEST(Stepper, steps_a_world_without_bodies) {
  World world;
  Stepper stepper(options(0.5));
  simulate(world, stepper, 5);
  EXPECT_NEAR(world.time, 5, 1e-12);
}

TEST(Stepper, follows_bodies_that_are_added_and_removed_while_it_runs) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  Stepper stepper(options(0.01));
  std::vector<BodyId> balls;
  for (int i = 0; i < 20; ++i) {
    balls.push_back(add_body(world, Sphere{0.2}, {0.01 * i, 0, 0.2 + 0.5 * (i % 4)}, m));
    if (balls.size() > 4) {
      world.remove(balls.front());
      balls.erase(balls.begin());
    }
    for (int k = 0; k < 5; ++k) {
      const StepReport& r = stepper.step(world);
      for (const ContactRecord& c : r.contacts) {
        EXPECT_TRUE(world.contains(c.body_a));
        EXPECT_TRUE(world.contains(c.body_b));
      }
    }
  }
  simulate(world, stepper, 5);
  const double weight = world.body(balls[0]).mass.mass * kGravity;
  EXPECT_NEAR(stepper.step(world).force_on(ground).z(), -4 * weight, 1e-3 * weight);
}

/// Two boxes on each other at rest, and what the next step does if the features of their contacts got other names.
int iterations_after_renaming(bool with_positions) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  for (const double z : {0.1, 0.3}) add_body(world, Box{Vec3::Constant(0.1)}, {0, 0.01, z}, m);
  Stepper stepper(StepOptions{});
  for (int k = 0; k < 30; ++k) stepper.step(world);
  for (RememberedImpulse& r : world.memory.impulses) {
    r.key.feature |= 1u << 20;
    if (!with_positions) r.position.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return stepper.step(world).solve->iterations;
}

TEST(Stepper, finds_the_impulses_of_contacts_again_whose_features_changed_their_names) {
  EXPECT_EQ(iterations_after_renaming(true), 0);
  EXPECT_GT(iterations_after_renaming(false), 0);
}

TEST(Overlaps, are_found_with_pair_and_depth_deepest_first) {
  World world;
  const BodyId a = add_body(world, Sphere{0.5}, {0, 0, 0}, {}), b = add_body(world, Sphere{0.5}, {0.9, 0, 0}, {});
  const BodyId c = add_body(world, Sphere{0.5}, {1.6, 0, 0}, {});
  add_body(world, Sphere{0.5}, {5, 0, 0}, {});
  const auto overlaps = find_overlaps(world);
  ASSERT_EQ(overlaps.size(), 2u);
  EXPECT_EQ(overlaps[0].a, b);
  EXPECT_EQ(overlaps[0].b, c);
  EXPECT_NEAR(overlaps[0].depth, 0.3, 1e-12);
  EXPECT_EQ(overlaps[1].a, a);
  EXPECT_NEAR(overlaps[1].depth, 0.1, 1e-12);
}

TEST(Kinematic, a_shaken_table_reaches_its_scripted_pose_exactly_and_carries_what_stands_on_it) {
  World world;
  const MaterialId m = material(world, 2);
  BodyDescription table;
  table.motion = MotionType::kinematic;
  table.parts = {{Box{{1, 1, 0.1}}, {}, m}};
  table.pose.position = {0, 0, -0.1};
  table.script = Oscillation{.translation = {0.1, 0, 0}, .frequency = 1, .phase = std::numbers::pi / 2};   // starts from rest
  const BodyId moving = world.add(table);
  const BodyId box = add_body(world, Box{{0.2, 0.2, 0.1}}, {0, 0, 0.1}, m);
  Stepper stepper(options(0.002, 1000));
  simulate(world, stepper, 1.25);
  EXPECT_NEAR(world.body(moving).position.x(), -0.1, 1e-12) << "a quarter past a full period";
  EXPECT_NEAR(world.body(box).position.x(), -0.1, 1e-4) << "µ g is far above the acceleration: it sticks";
}

/// Solves as `auto` does, and raises a flag in one of its solves.
class Interrupting final : public ContactSolver {
 public:
  static inline std::atomic<bool> flag = false;
  static inline int left = 0;   ///< solves until then
  std::string_view name() const override { return "interrupting"; }

 protected:
  void iterate(const ContactProblem& p, std::span<double> impulses, Workspace&, SolveMonitor& monitor) const override {
    flag = --left == 0;
    Workspace own;
    SolveControl control;
    control.tolerance = monitor.control().tolerance;
    make_solver("auto")->solve(p, impulses, own, control);
    if (!monitor.done(1, impulses)) monitor.give_up(impulses, SolveStatus::stalled, "That was all.");
  }
};

/// A ball that is shot at a wall, which cuts the step, and boxes that fall onto each other.
World shot_and_heap() {
  World world;
  const MaterialId m = material(world, 0.5, 0.3);
  add_ground(world, m);
  for (int i = 0; i < 3; ++i) add_body(world, Box{{0.1, 0.1, 0.1}}, {0.01 * i, 0, 0.1 + 0.203 * i}, m);
  add_body(world, Sphere{0.05}, {2, 0, 0.5}, m, {80, 0, 0});
  BodyDescription wall;
  wall.motion = MotionType::fixed;
  wall.parts = {{Box{{0.1, 1, 1}}, {}, m}};
  wall.pose.position = {2.5, 0, 1};
  world.add(wall);
  return world;
}

TEST(Stepper, a_step_that_is_cancelled_leaves_the_world_as_it_was_and_the_next_one_to_the_same_bits) {
  SolverInfo info;
  info.name = "interrupting";
  add_solver(info, [](const OptionList&) { return std::make_unique<Interrupting>(); });
  for (const bool moreau : {false, true}) {
    StepOptions o = options(0.01);
    o.solver = "interrupting";
    o.sleep.enabled = moreau;
    if (moreau) o.scheme = Scheme::moreau_midpoint;
    World never = shot_and_heap();
    Stepper undisturbed(o);
    o.cancel = &Interrupting::flag;
    int cancelled = 0, in_pieces = 0;
    for (int steps = 1; steps <= 4; ++steps) {
      World world = never;
      Stepper stepper(o);
      const std::uint64_t before = world.state_hash();
      const bool piecewise = undisturbed.step(never).pieces > 1;
      for (int solve = 1;; ++solve) {
        Interrupting::left = solve;
        Interrupting::flag = false;
        try {
          stepper.step(world);
          break;
        } catch (const StepCancelled&) {
          EXPECT_EQ(world.state_hash(), before) << "step " << steps << ", solve " << solve;
          ++cancelled;
          in_pieces += piecewise;
        }
      }
      EXPECT_EQ(world.state_hash(), never.state_hash()) << "step " << steps;
    }
    EXPECT_GE(cancelled, 3);
    EXPECT_GE(in_pieces, moreau ? 0 : 2) << "the second piece of a step has been begun";
  }
}

TEST(Stepper, other_integrators_leave_the_world_as_it_was_too) {
  for (const char* integrator : {"penalty", "barrier"}) {
    std::atomic<bool> stop = false;
    World world = shot_and_heap();
    StepOptions o = options(0.002);
    o.integrator = integrator;
    o.cancel = &stop;
    Stepper stepper(o);
    stepper.step(world);
    const std::uint64_t before = world.state_hash();
    stop = true;
    EXPECT_THROW(stepper.step(world), StepCancelled) << integrator;
    EXPECT_EQ(world.state_hash(), before) << integrator;
  }
}

}   // namespace
}   // namespace stickslip::testing
