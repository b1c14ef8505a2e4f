// Names and files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "scene/scene_text.h"

namespace stickslip {
namespace {

class SceneFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("stickslip-scene-files-{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

TEST_F(SceneFiles, a_file_is_loaded_and_named_after_itself) {
  const Scene scene = load_scene(write("pebble.json", with_body(kBall)));
  EXPECT_EQ(scene.name, "pebble");
  EXPECT_EQ(scene.world.body_count(), 1u);
}

TEST_F(SceneFiles, a_missing_file_and_a_directory_are_named) {
  const std::string missing = (folder_ / "missing.json").string();
  EXPECT_EQ(load_error(missing), missing + ": There is no such file.");
  EXPECT_EQ(load_error(folder_.string()), folder_.string() + ": This is a directory. Name a scene file in it.");
}

TEST_F(SceneFiles, an_empty_file_and_a_broken_one_are_named) {
  const std::string empty = write("empty.json", ""), broken = write("broken.json", "{\n\"bodies\" []}");
  EXPECT_EQ(load_error(empty), empty + ": The file is empty. A scene is a JSON object with at least \"bodies\".");
  EXPECT_EQ(load_error(broken), broken + ": line 2, column 10: this is not JSON: unexpected '['; expected ':'.");
}

TEST_F(SceneFiles, a_file_that_may_not_be_read_is_named) {
  const std::string secret = write("secret.json", with_body(kBall));
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  const bool may_read_everything = std::ifstream(secret).is_open();   // the administrator may
  EXPECT_EQ(load_error(secret), may_read_everything ? "" : secret + ": The file cannot be opened: Permission denied.");
}

TEST_F(SceneFiles, a_file_whose_reading_fails_is_named) {
  EXPECT_EQ(load_error("/proc/self/mem"), "/proc/self/mem: The file cannot be read: Input/output error.");
}

TEST_F(SceneFiles, an_unknown_name_gets_a_suggestion) {
  EXPECT_EQ(load_error("wal"),
            "There is no built-in scene 'wal'. Did you mean 'wall'? A file is named by a path with '/' or '.json'.");
  EXPECT_EQ(load_error("walls.json"), "walls.json: There is no such file.");
}

}   // namespace
}   // namespace stickslip
