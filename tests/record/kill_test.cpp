// A trajectory whose writer is killed between any two of its writes opens again, whole up to what was written. A write that the
// system tears in two is another matter (docs/records.md).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "record_scenes.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/playback.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"
#include "store/stale_parts.h"

namespace stickslip::kill_test {

long writes_until_death = -1;   ///< −1: none

}   // namespace stickslip::kill_test

/// Every write of this program goes through here; the process does not get beyond the one before that which is chosen.
extern "C" ssize_t pwrite(int descriptor, const void* data, std::size_t size, off_t at) {
  using stickslip::kill_test::writes_until_death;
  if (writes_until_death >= 0 && writes_until_death-- == 0) ::kill(::getpid(), SIGKILL);
  return ::syscall(SYS_pwrite64, descriptor, data, size, at);
}

namespace stickslip::kill_test {

using test::Directory;

constexpr int kSteps = 12;

/// Where the ball is after a step: told apart from every other step.
double height_at(int step) { return 10 - 0.125 * step; }

/// Records a ball that comes down by itself, every step flushed.
void write_run(const std::filesystem::path& file) {
  Scene scene = test::falling_ball();
  const auto recorder = make_recorder(file, {.flush_interval = 0});
  recorder->begin(scene);
  StepReport report;
  for (int i = 1; i <= kSteps; ++i) {
    scene.world.mutable_bodies()[0].position.z() = height_at(i);
    report.step = scene.world.step_count = static_cast<std::uint64_t>(i);
    report.time = scene.world.time = 0.01 * i;
    recorder->record(scene.world, report);
  }
  recorder->finish_at(scene.world);
}

/// @returns whether the writer was killed before its end
bool write_and_die(const std::filesystem::path& file, long writes) {
  const pid_t child = ::fork();
  if (child == 0) {
    writes_until_death = writes;
    write_run(file);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

void expect_sound(const std::filesystem::path& file, long writes, std::size_t& most_frames) {
  ASSERT_TRUE(is_trajectory(file)) << "killed at write " << writes;
  Playback playback(file);
  ASSERT_GE(playback.frames(), 1u);
  most_frames = std::max(most_frames, playback.frames());
  for (std::size_t frame = 0; frame < playback.frames(); ++frame) {
    playback.show(frame);
    EXPECT_EQ(playback.scene().world.bodies()[0].position.z(), height_at(static_cast<int>(frame)))
        << "killed at write " << writes;
  }
  // Mended for good: others open it as any other file.
  EXPECT_GE(h5::length_of(h5::open_file(file.string()).get(), "position"), playback.frames());
  const Scene last = load_checkpoint(file);
  EXPECT_EQ(last.world.bodies()[0].position.z(), height_at(static_cast<int>(last.world.step_count)))
      << "killed at write " << writes;
  // A state is kept with every frame here: at most one frame is ahead of it.
  EXPECT_GE(last.world.step_count + 2, playback.frames()) << "killed at write " << writes;
}

TEST(Killed, a_trajectory_opens_with_all_that_was_written_between_whichever_writes_its_writer_was_killed) {
  const Directory directory;
  std::size_t most_frames = 0, there = 0;
  // Every write of the beginning would take long; these hit all kinds of them.
  for (long writes = 0; writes < 100000; writes += 1 + writes / 12) {
    const std::filesystem::path file = directory / ("run" + std::to_string(writes) + ".h5");
    const bool killed = write_and_die(file, writes);
    if (std::filesystem::exists(file)) {
      ++there;
      expect_sound(file, writes, most_frames);
    }
    if (::testing::Test::HasFailure()) return;
    remove_stale_parts(file);
    if (!killed) break;
  }
  EXPECT_EQ(most_frames, kSteps + 1u);
  EXPECT_GT(there, 10u);
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    EXPECT_EQ(entry.path().extension(), ".h5") << "left behind: " << entry.path();
}

TEST(Killed, what_is_still_being_written_is_read_and_left_alone) {
  const Directory directory;
  const std::filesystem::path file = directory / "run.h5";
  Scene scene = test::falling_ball();
  const auto recorder = make_recorder(file, {.flush_interval = 0});
  recorder->begin(scene);
  Stepper stepper(scene.step);
  for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
  EXPECT_EQ(Playback(file).frames(), 6u);
  h5::Quiet quiet;
  EXPECT_THROW(h5::open_file(file.string()), Error);   // still marked
  for (int i = 0; i < 5; ++i) recorder->record(scene.world, stepper.step(scene.world));
  recorder->finish_at(scene.world);
  EXPECT_EQ(Playback(file).frames(), 11u);
  EXPECT_EQ(load_checkpoint(file).world.state_hash(), scene.world.state_hash());
}

TEST(Killed, part_files_of_the_living_and_other_files_stay) {
  const Directory directory;
  const std::filesystem::path mine = directory / ("a.h5." + std::to_string(::getpid()) + ".part"),
                              other = directory / "b.h5.999999999.part", words = directory / "a.h5.old.part",
                              stale = directory / "a.h5.999999999.part";
  for (const auto& file : {mine, other, words, stale}) test::write_content(file, "x");
  remove_stale_parts(directory / "a.h5");
  EXPECT_TRUE(std::filesystem::exists(mine));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(words));
  EXPECT_FALSE(std::filesystem::exists(stale));
}

}   // namespace stickslip::kill_test
