// A trajectory whose writer is killed between any two of its writes, or in one of them, opens again, whole up to what was
// written.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "record/disk_driver.h"
#include "record/growing_dataset.h"
#include "record/repair.h"
#include "record_scenes.h"
#include "stickslip/record/checkpoint.h"
#include "stickslip/record/playback.h"
#include "stickslip/record/recorder.h"
#include "store/hdf5.h"
#include "store/stale_parts.h"

namespace stickslip::kill_test {

long writes_until_death = -1;   ///< −1: none. Only those count that can be torn, where they are to be

/// How much of the last write gets done: the system writes page by page.
enum class Torn { before, after_first_page, before_last_page };
Torn torn = Torn::before;

/// Bytes of a write from this place on that are done by then.
std::size_t done_of(std::size_t size, off_t at) {
  constexpr std::size_t page = 4096;
  const std::size_t begin = static_cast<std::size_t>(at), end = begin + size;
  const std::size_t border = torn == Torn::after_first_page ? (begin / page + 1) * page : (end - 1) / page * page;
  return torn != Torn::before && border > begin && border < end ? border - begin : 0;
}

}   // namespace stickslip::kill_test

/// Every write of this program goes through here; the process does not get beyond the one before that which is chosen.
extern "C" ssize_t pwrite(int descriptor, const void* data, std::size_t size, off_t at) {
  using stickslip::kill_test::Torn, stickslip::kill_test::torn;
  using stickslip::kill_test::writes_until_death;
  const std::size_t some = stickslip::kill_test::done_of(size, at);
  if (writes_until_death >= 0 && (torn == Torn::before || some > 0) && writes_until_death-- == 0) {
    if (some > 0) ::syscall(SYS_pwrite64, descriptor, data, some, at);
    ::kill(::getpid(), SIGKILL);
  }
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
bool write_and_die(const std::filesystem::path& file, long writes, void (*write)(const std::filesystem::path&) = write_run) {
  const pid_t child = ::fork();
  if (child == 0) {
    writes_until_death = writes;
    write(file);
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

/// Kills writers at many of their writes. @returns at how many a file was there
std::size_t kill_writers(const Directory& directory, Torn how) {
  torn = how;
  std::size_t most_frames = 0, there = 0;
  // Every write of the beginning would take long; these hit all kinds of them.
  for (long writes = 0; writes < 100000; writes += 1 + writes / (how == Torn::before ? 6 : 4)) {
    const std::filesystem::path file = directory / ("run" + std::to_string(writes) + ".h5");
    const bool killed = write_and_die(file, writes);
    if (std::filesystem::exists(file)) {
      ++there;
      expect_sound(file, writes, most_frames);
    }
    if (::testing::Test::HasFailure()) return there;
    remove_stale_parts(file);
    std::filesystem::remove(file);
    if (!killed) break;
  }
  EXPECT_EQ(most_frames, kSteps + 1u);
  return there;
}

TEST(Killed, a_trajectory_opens_with_all_that_was_written_at_whichever_write_its_writer_was_killed) {
  for (const Torn how : {Torn::before, Torn::after_first_page, Torn::before_last_page}) {
    const Directory directory;
    EXPECT_GT(kill_writers(directory, how), 10u) << static_cast<int>(how);
    if (HasFailure()) return;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
      ADD_FAILURE() << "left behind: " << entry.path();
  }
}

/// Rows that lie in chunks of their own, so that the list of chunks is many pages long.
void write_rows(const std::filesystem::path& name) {
  h5::GrowingFile file(name.string());
  h5::GrowingDataset rows(file.id(), "rows", H5T_NATIVE_DOUBLE, {.item = {}, .chunk_rows = 1, .compressed = false});
  file.let_others_read();
  for (int i = 0; i < 6000; ++i) {
    rows.push(0.5 * i);
    rows.write_full_chunks();
    if (i % 500 == 499) rows.flush();
  }
  rows.close();
  file.close();
}

TEST(Killed, a_list_of_chunks_longer_than_a_page_is_whole_again_wherever_it_was_torn) {
  const Directory directory;
  const std::filesystem::path file = directory / "rows.h5";
  std::size_t most = 0;
  for (const Torn how : {Torn::after_first_page, Torn::before_last_page}) {
    torn = how;
    for (long writes = 0; writes < 100000; writes += 1 + writes / 4) {
      const bool killed = write_and_die(file, writes, write_rows);
      const h5::Handle opened = h5::open_grown(file);
      const std::vector<double> rows = h5::read_list<double>(opened.get(), "rows");
      for (std::size_t i = 0; i < rows.size() / 500 * 500; ++i) ASSERT_EQ(rows[i], 0.5 * static_cast<double>(i)) << writes;
      most = std::max(most, rows.size());
      if (!killed) break;
    }
  }
  EXPECT_EQ(most, 6000u);
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
