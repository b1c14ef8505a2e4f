#include <fstream>

#include <gtest/gtest.h>

#include "error_message.h"
#include "field/fields.h"
#include "stickslip/field/field_cache.h"

namespace stickslip::field_cache_test {
namespace {

using namespace test_meshes;

namespace fs = std::filesystem;

class FieldCache : public ::testing::Test {
 protected:
  FieldCache() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              fmt::format("stickslip-{}-{}", test->name(), ::testing::UnitTest::GetInstance()->random_seed());
    folder_ += fmt::format("-{}", reinterpret_cast<std::uintptr_t>(this));
    fs::create_directories(folder_);
    options_.resolution = 24;
  }
  ~FieldCache() override { fs::remove_all(folder_); }

  fs::path mesh_file() const { return folder_ / "part.obj"; }
  fs::path field_file() const { return folder_ / "part.obj.field"; }

  fs::path folder_;
  FieldOptions options_;
  MeshSurface torus_{torus_mesh(0.4, 0.1, 16, 8)};
};

TEST_F(FieldCache, the_second_time_the_field_is_read_and_is_the_same_to_the_last_bit) {
  const CachedField first = cached_field(torus_, mesh_file(), options_), second = cached_field(torus_, mesh_file(), options_);
  EXPECT_FALSE(first.read);
  EXPECT_TRUE(first.written);
  EXPECT_TRUE(second.read);
  EXPECT_FALSE(second.written);
  EXPECT_EQ(second.field.error_bound(), first.field.error_bound());
  EXPECT_EQ(second.field.arrays().float_samples, first.field.arrays().float_samples);
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 p = point_in(first.field.bounds().grown(0.3), random);
    EXPECT_EQ(first.field.value(p), second.field.value(p));
    EXPECT_EQ(first.field.sample(p).gradient, second.field.sample(p).gradient);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1) << "nothing else is left behind";
}

TEST_F(FieldCache, another_mesh_or_other_options_are_built_anew) {
  cached_field(torus_, mesh_file(), options_);
  FieldOptions finer = options_;
  finer.resolution = 25;
  EXPECT_FALSE(cached_field(torus_, mesh_file(), finer).read);
  EXPECT_TRUE(cached_field(torus_, mesh_file(), finer).read);
  for (auto change : {&FieldOptions::error, &FieldOptions::band}) {
    FieldOptions other = finer;
    other.*change = 0.013;
    EXPECT_FALSE(cached_field(torus_, mesh_file(), other).read);
  }
  cached_field(torus_, mesh_file(), options_);
  std::vector<Vec3> places = torus_.mesh().vertices;
  places[7].x() = std::nextafter(places[7].x(), 10.0);
  MeshSurface moved = torus_;
  moved.move(places);
  EXPECT_FALSE(cached_field(moved, mesh_file(), options_).read) << "one bit of one vertex";
  TriangleMesh turned = moved.mesh();
  std::rotate(turned.triangles[3].begin(), turned.triangles[3].begin() + 1, turned.triangles[3].end());
  EXPECT_FALSE(cached_field(MeshSurface(turned), mesh_file(), options_).read);
}

TEST_F(FieldCache, a_damaged_file_is_built_anew_wherever_the_damage_is) {
  options_.resolution = 8;
  cached_field(torus_, mesh_file(), options_);
  std::ifstream in(field_file(), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 12) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(field_file(), std::ios::binary) << damaged;
    EXPECT_FALSE(cached_field(torus_, mesh_file(), options_).read) << at;
    EXPECT_TRUE(cached_field(torus_, mesh_file(), options_).read) << "and mended";
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{10}, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(field_file(), std::ios::binary) << bytes.substr(0, length);
    EXPECT_FALSE(cached_field(torus_, mesh_file(), options_).read) << length;
  }
}

TEST_F(FieldCache, a_folder_that_cannot_be_written_to_is_no_error) {
  for (const fs::path file : {"/proc/self/part.obj", "/nowhere/part.obj"}) {
    const CachedField field = cached_field(torus_, file, options_);
    EXPECT_FALSE(field.read);
    EXPECT_FALSE(field.written);
    EXPECT_LT(field.field.value({0.4, 0, 0}), 0);
  }
  EXPECT_NE(testing::message_of([&] {
              write_field("/proc/self/part.field", SampledField(torus_, options_), 0, options_);
            }).find("The field cannot be written."),
            std::string::npos);
}

}   // namespace
}   // namespace stickslip::field_cache_test
