// `stickslip render`: pictures with Chromium, and what it says where something is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <set>
#include <thread>

#include "../record/record_scenes.h"
#include "program.h"
#include "stickslip/friction/surface.h"

namespace stickslip {
namespace {

using test::content_of;
using test::Directory;
using test::Finished;
using test::stickslip;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Render, says_what_it_cannot_do_and_writes_nothing) {
  const Directory directory;
  const std::string file = (directory / "a.gif").string();
  const Finished ending = stickslip("render wall -o " + file);
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_THAT(ending.err, AllOf(HasSubstr("a.gif"), HasSubstr("'.gif'"), HasSubstr(".png and .mp4")));
  EXPECT_EQ(stickslip("render wall --width 4 -o " + (directory / "a.png").string()).exit_code, 2);
  EXPECT_EQ(stickslip("render wall --frames-per-second 0 -o " + (directory / "a.png").string()).exit_code, 2);
  EXPECT_EQ(stickslip("render no-such-scene -o " + (directory / "a.png").string()).exit_code, 2);
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(directory / "a.png").parent_path()));
}

TEST(Render, without_a_folder_for_temporary_files_it_says_what_to_set) {
  const Directory directory;
  const std::string picture = directory / "a.png";
  const Finished run = stickslip("render stack --at 0 -o " + picture, "TMPDIR=" + (directory / "nowhere").string() + " ");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("Set TMPDIR to one that is there."));
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST(Render, names_the_packages_where_chromium_or_ffmpeg_is_missing) {
  const Directory directory;
  const Finished picture = stickslip("render stack --at 0.01 --quiet -o " + (directory / "a.png").string(), "PATH=/nowhere ");
  EXPECT_EQ(picture.exit_code, 2);
  EXPECT_THAT(picture.err, AllOf(HasSubstr("Chromium"), HasSubstr("apt-get install chromium")));
  const Finished film = stickslip("render stack --seconds 0.01 --quiet -o " + (directory / "a.mp4").string(), "PATH=/nowhere ");
  EXPECT_EQ(film.exit_code, 2);
  EXPECT_THAT(film.err, AllOf(HasSubstr("a.mp4"), HasSubstr("apt-get install ffmpeg")));
}

TEST(Render, makes_a_picture_with_more_than_one_colour) {
  if (!std::filesystem::exists("/usr/bin/chromium")) GTEST_SKIP() << "chromium is not installed";
  const Directory directory;
  const std::filesystem::path file = directory / "a.png", temporary = directory / "temporary";
  std::filesystem::create_directory(temporary);
  const Finished made =
      stickslip("render stack --at 0.05 --width 160 --height 90 --theme dark --layer forces -o " + file.string(),
                "TMPDIR=" + temporary.string() + " ");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(std::filesystem::is_empty(temporary)) << *std::filesystem::directory_iterator(temporary);
  const Picture picture = Picture::read_png(file);
  EXPECT_EQ(picture.width(), 160);
  EXPECT_EQ(picture.height(), 90);
  std::set<std::array<int, 3>> colours;
  for (std::size_t i = 0; i + 2 < picture.rgb().size(); i += 3)
    colours.insert({static_cast<int>(255 * picture.rgb()[i]), static_cast<int>(255 * picture.rgb()[i + 1]),
                    static_cast<int>(255 * picture.rgb()[i + 2])});
  EXPECT_GT(colours.size(), 50u);
  const Finished unknown = stickslip("render stack --at 0 --layer force -o " + file.string());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("'force'"), HasSubstr("forces")));
}

TEST(Render, writes_one_picture_of_the_end_frames_where_the_name_has_a_number_or_is_a_folder_and_films) {
  if (!std::filesystem::exists("/usr/bin/chromium")) GTEST_SKIP() << "chromium is not installed";
  const Directory directory;
  const std::string run = directory / "run.h5", rest = " --width 64 --height 36 --quiet --frames-per-second 20 -o ";
  ASSERT_EQ(stickslip("run stack --seconds 0.1 --quiet -o " + run).exit_code, 0);
  const auto made = [&](const std::string& output) {
    const Finished finished = stickslip("render " + run + rest + (directory / output).string());
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path()))
      if (entry.path().extension() == ".png") names.insert(entry.path().lexically_relative(directory.path()).string());
    return names;
  };
  EXPECT_EQ(made("end.png"), (std::set<std::string>{"end.png"}));
  EXPECT_EQ(made("f-%03d.png"), (std::set<std::string>{"end.png", "f-000.png", "f-001.png", "f-002.png"}));
  EXPECT_EQ(Picture::read_png(directory / "end.png").rgb(), Picture::read_png(directory / "f-002.png").rgb());
  EXPECT_TRUE(made("all/").contains("all/frame-00002.png"));
  // A film of an odd number of pixels becomes one that players take; it is taken apart again.
  const std::string film = directory / "film.mp4", parts = directory / "part-%d.png";
  const Finished filmed = stickslip("render " + run + " --width 65 --height 37 --frames-per-second 20 -o " + film);
  EXPECT_EQ(filmed.exit_code, 0) << filmed.err;
  EXPECT_THAT(filmed.out, HasSubstr("film.mp4: 3 frames of 65x37 pixels"));
  ASSERT_EQ(std::system(("ffmpeg -loglevel error -i " + film + " " + parts).c_str()), 0);
  EXPECT_EQ(Picture::read_png(directory / "part-3.png").width(), 66);
  EXPECT_FALSE(std::filesystem::exists(directory / "part-4.png"));
  test::expect_refused("render stack --at 1 -o " + (directory / "f-%d.png").string(), "--at makes one picture");
  test::expect_refused("render stack -o " + (directory / "f-%s.png").string(), "no pattern for the numbers of frames");
}

TEST(Render, refuses_cameras_that_cannot_be_meant_before_anything_is_simulated) {
  const Directory directory;
  const std::string rest = " --seconds 1000 -o " + (directory / "a.png").string();
  test::expect_refused("render wall --camera 30" + rest, "--camera 30 is no place");
  test::expect_refused("render wall --camera 30,95" + rest, "95 degrees are no elevation");
  test::expect_refused("render wall --camera 1,2,nan" + rest, "--camera 1,2,nan");
  test::expect_refused("render wall --follow brik-0" + rest, "--follow brik-0: the scene has no such body");
  test::expect_refused("render wall --zoom 0" + rest, "--zoom 0");
  test::expect_refused("render wall --layer force" + rest, "There is no layer 'force'");
}

/// Whether a folder for temporary files becomes empty, or gets something, within some seconds.
bool becomes(const std::filesystem::path& folder, bool empty) {
  for (int i = 0; i < 500; ++i) {
    if (std::filesystem::is_empty(folder) == empty) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST(Render, leaves_no_folder_behind_when_it_is_interrupted_or_killed) {
  for (const int signal : {SIGINT, SIGKILL}) {
    const Directory directory;
    const std::filesystem::path folder = directory / "temporary";
    std::filesystem::create_directory(folder);
    const char* before = std::getenv("TMPDIR");
    const std::string kept = before ? before : "";
    setenv("TMPDIR", folder.c_str(), 1);
    test::Background program({"render", "stack", "--seconds", "1000", "-o", (directory / "a.png").string()});
    before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
    ASSERT_TRUE(becomes(folder, false));
    program.send(signal);
    program.wait();
    EXPECT_TRUE(becomes(folder, true)) << "after signal " << signal;
  }
}

}   // namespace
}   // namespace stickslip
