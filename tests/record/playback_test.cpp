// A trajectory that plays again tells what was recorded: other records made of it are those that the run itself makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/playback.h"
#include "stickslip/record/recorder.h"
#include "stickslip/step/stepper.h"

namespace stickslip {
namespace playback_test {

using test::content_of;
using test::Directory;
using ::testing::HasSubstr;

/// Runs a scene with records, the last of them a trajectory.
void run(Scene scene, int steps, const std::vector<std::filesystem::path>& files, double frames_per_second = 0) {
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const auto& file : files) recorders.push_back(make_recorder(file, {.frames_per_second = frames_per_second}));
  for (auto& recorder : recorders) recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = stepper.step(scene.world);
    for (auto& recorder : recorders) recorder->record(scene.world, report);
  }
  for (auto& recorder : recorders) recorder->finish();
}

void play(const std::filesystem::path& trajectory, const std::filesystem::path& file) {
  Playback playback(trajectory);
  const auto recorder = make_recorder(file);
  recorder->begin(playback.scene());
  for (std::size_t frame = 1; frame < playback.frames(); ++frame) {
    const StepReport& report = playback.show(frame);
    recorder->record(playback.scene().world, report);
  }
  recorder->finish();
}

class Playing : public ::testing::TestWithParam<const char*> {};

TEST_P(Playing, a_replay_of_the_file_is_that_of_the_run_to_the_byte) {
  const Directory directory;
  const std::filesystem::path run_page = directory / "run.html", file = directory / "run.h5", page = directory / "played.html";
  run(load_scene(GetParam()), 12, {run_page, file});
  play(file, page);
  EXPECT_EQ(content_of(run_page), content_of(page));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Playing, ::testing::Values("card-house", "beads", "car", "hook-and-ring", "rigid-on-soft"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Playback, shows_frames_in_any_order) {
  const Directory directory;
  run(load_scene("dominoes"), 10, {directory / "run.h5"});
  Playback playback(directory / "run.h5");
  ASSERT_EQ(playback.frames(), 11u);
  const Vec3 start = playback.scene().world.bodies()[1].position;
  playback.show(10);
  const Vec3 end = playback.scene().world.bodies()[1].position;
  EXPECT_NE(start, end);
  playback.show(0);
  EXPECT_EQ(playback.scene().world.bodies()[1].position, start);
  EXPECT_DOUBLE_EQ(playback.show(10).time, playback.time(10));
}

TEST(Playback, opens_what_a_writer_that_vanished_left_behind) {
  const Directory directory;
  const std::filesystem::path file = directory / "run.h5", copy = directory / "copy.h5";
  Scene scene = load_scene("stack");
  const auto recorder = make_recorder(file, {.flush_interval = 0});
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
  std::filesystem::copy_file(file, copy);   // as a kill would leave it
  ASSERT_TRUE(is_trajectory(copy));
  EXPECT_GE(Playback(copy).frames(), 1u);
  recorder->finish();
  EXPECT_EQ(Playback(file).frames(), 6u);
}

TEST(Playback, says_what_is_no_trajectory) {
  const Directory directory;
  EXPECT_FALSE(is_trajectory(directory / "nothing.h5"));
  test::write_content(directory / "text.h5", "not a file of HDF5");
  EXPECT_FALSE(is_trajectory(directory / "text.h5"));
  EXPECT_THROW(Playback(directory / "text.h5"), Error);
}

}   // namespace playback_test
}   // namespace stickslip
