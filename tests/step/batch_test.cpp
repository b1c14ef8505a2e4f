// Many worlds from one call, and worlds that go back to where they were.
#include "stickslip/step/batch.h"
#include "error_message.h"
#include "physics/worlds.h"

namespace stickslip::batch_test {
namespace {

using namespace stickslip::testing;

/// A small tumbling heap, each number another one.
World heap(int number) {
  World world;
  const MaterialId m = material(world, 0.3 + 0.05 * number);
  add_ground(world, m);
  for (int i = 0; i < 5; ++i)
    add_body(world, i % 2 ? Shape{Sphere{0.3}} : Shape{Box{{0.3, 0.2, 0.4}}}, {0.1 * i, 0.05 * number, 0.6 + 0.7 * i}, m);
  return world;
}

struct Batch {
  std::vector<World> worlds;
  std::vector<Stepper> steppers;
  explicit Batch(int count) {
    for (int i = 0; i < count; ++i) worlds.push_back(heap(i)), steppers.emplace_back(StepOptions{});
  }
  std::vector<BatchEntry> entries() {
    std::vector<BatchEntry> list;
    for (std::size_t i = 0; i < worlds.size(); ++i) list.push_back({&steppers[i], &worlds[i]});
    return list;
  }
  std::vector<std::uint64_t> hashes() const {
    std::vector<std::uint64_t> list;
    for (const World& w : worlds) list.push_back(w.state_hash());
    return list;
  }
};

TEST(StepAll, moves_worlds_to_the_same_bits_as_one_after_the_other) {
  Batch alone(7), together(7);
  for (std::size_t i = 0; i < 7; ++i)
    for (int k = 0; k < 60; ++k) alone.steppers[i].step(alone.worlds[i]);
  std::vector<int> seen(7);
  for (int k = 0; k < 20; ++k)
    step_all(together.entries(), 3, k % 4, [&](std::size_t i, const StepReport& report) {
      ++seen[i];
      EXPECT_EQ(report.step, together.worlds[i].step_count);
    });
  EXPECT_EQ(alone.hashes(), together.hashes());
  EXPECT_EQ(seen, std::vector<int>(7, 60));
}

TEST(StepAll, tells_which_world_failed_and_steps_the_others) {
  Batch batch(4);
  batch.worlds[2].mutable_bodies()[1].velocity.x() = std::numeric_limits<double>::quiet_NaN();
  const std::string message = testing::message_of([&] { step_all(batch.entries(), 2); });
  EXPECT_NE(message.find("World 2 of the batch"), std::string::npos) << message;
  for (const int i : {0, 1, 3}) EXPECT_EQ(batch.worlds[static_cast<std::size_t>(i)].step_count, 2u);
}

TEST(StepAll, refuses_what_cannot_be_stepped_at_once) {
  Batch batch(2);
  std::vector<BatchEntry> entries = batch.entries();
  entries[1].world = entries[0].world;
  EXPECT_NE(testing::message_of([&] { step_all(entries); }).find("same world"), std::string::npos);
  entries[1] = {entries[0].stepper, &batch.worlds[1]};
  EXPECT_NE(testing::message_of([&] { step_all(entries); }).find("same stepper"), std::string::npos);
  entries[1].stepper = nullptr;
  EXPECT_NE(testing::message_of([&] { step_all(entries); }).find("no stepper"), std::string::npos);
  EXPECT_THROW(step_all(batch.entries(), -1), Error);
  EXPECT_THROW(step_all(batch.entries(), 1, -1), Error);
  EXPECT_NO_THROW(step_all({}));
}

TEST(Reset, by_assignment_repeats_a_motion_to_the_bit) {
  World world = heap(1);
  Stepper stepper;
  for (int k = 0; k < 30; ++k) stepper.step(world);
  const World saved = world;
  for (int k = 0; k < 50; ++k) stepper.step(world);
  const std::uint64_t once = world.state_hash();
  for (int round = 0; round < 2; ++round) {
    world = saved;
    for (int k = 0; k < 50; ++k) stepper.step(world);
    EXPECT_EQ(world.state_hash(), once);
  }
}

/// After going back a body is added in place of another that was: caches that count changes must not take it for that one.
TEST(Reset, and_another_body_than_before_is_seen_by_the_stepper) {
  World world = heap(0);
  Stepper stepper;
  stepper.step(world);
  const World saved = world;
  const auto add_and_fall = [&](Stepper& s, const Shape& shape) {
    add_body(world, shape, {5, 0, 1}, MaterialId{});
    for (int k = 0; k < 60; ++k) s.step(world);
    return world.state_hash();
  };
  add_and_fall(stepper, Sphere{0.5});
  world = saved;
  const std::uint64_t used = add_and_fall(stepper, make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  world = saved;
  Stepper fresh;
  EXPECT_EQ(used, add_and_fall(fresh, make_convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})));
  EXPECT_NE(saved.structure_version(), world.structure_version());
}

}   // namespace
}   // namespace stickslip::batch_test
