// A trajectory that plays again tells what was recorded: other records made of it are those that the run itself makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record_scenes.h"
#include "stickslip/math/error.h"
#include "stickslip/record/checkpoint.h"
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

TEST(Playback, needs_neither_the_scene_nor_its_meshes_nor_a_document) {
  const Directory directory;
  std::filesystem::create_directory(directory / "there");
  test::write_content(directory / "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  test::write_content(directory / "s.json",
                      R"({"bodies": [{"name": "t", "shape": {"type": "mesh", "file": "t.obj"}, "position": [0, 0, 1]}]})");
  run(load_scene(directory / "s.json"), 3, {directory / "there/run.h5"});
  std::filesystem::remove(directory / "t.obj");
  Playback playback(directory / "there/run.h5");
  EXPECT_EQ(playback.frames(), 4u);
  EXPECT_TRUE(std::holds_alternative<Mesh>(playback.scene().world.colliders()[0].shape));

  run(test::resting_box(), 3, {directory / "box.h5"});
  EXPECT_EQ(Playback(directory / "box.h5").scene().world.bodies()[1].name, "box");
}

class GoingOn : public ::testing::TestWithParam<const char*> {};

TEST_P(GoingOn, a_trajectory_goes_on_to_the_bits_of_a_run_that_was_never_interrupted) {
  const Directory directory;
  Scene scene = load_scene(GetParam());
  Stepper stepper(scene.step);
  const auto recorder = make_recorder(directory / "run.h5");
  recorder->begin(scene);
  for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
  recorder->finish_at(scene.world);
  Scene again = load_checkpoint(directory / "run.h5");
  EXPECT_EQ(again.document, scene.document);
  EXPECT_TRUE(again.warnings == scene.warnings);
  Stepper other(again.step);
  for (int i = 0; i < 5; ++i) stepper.step(scene.world), other.step(again.world);
  EXPECT_EQ(again.world.state_hash(), scene.world.state_hash());
}

INSTANTIATE_TEST_SUITE_P(Scenes, GoingOn, ::testing::Values("dominoes", "car", "hook-and-ring", "rigid-on-soft"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Playback, a_file_of_version_5_plays_and_says_that_it_holds_no_state) {
  const Directory directory;
  test::unpack_older_checkpoint("trajectory-5.h5.gz", directory / "old.h5");
  Playback playback(directory / "old.h5");
  EXPECT_EQ(playback.frames(), 4u);
  playback.show(3);
  Scene scene = load_scene("stack", std::vector<Override>{{"/parameters/count", "2"}});
  Stepper stepper(scene.step);
  for (int i = 0; i < 3; ++i) stepper.step(scene.world);
  for (std::size_t i = 0; i < scene.world.bodies().size(); ++i)
    EXPECT_LT((playback.scene().world.bodies()[i].position - scene.world.bodies()[i].position).norm(), 1e-6);
  try {
    load_checkpoint(directory / "old.h5");
    FAIL() << "it holds no state";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds no state to go on from"));
  }
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
