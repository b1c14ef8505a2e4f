// Pictures: sampling, PNG files that are as they should be, and PNG files that are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "stickslip/friction/surface.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

/// A file name of this test alone; the file goes with it.
class TemporaryFile {
 public:
  TemporaryFile() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() /
            fmt::format("stickslip_{}_{}_{}.png", info->test_suite_name(), info->name(), std::random_device{}());
  }
  ~TemporaryFile() {
    std::error_code none;
    fs::remove(path_, none);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read_fault(const fs::path& path) {
  try {
    Picture::read_png(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.file(), path.string());
    return error.message();
  }
  return "";
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}
std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A PNG of any format, by libpng directly. @param rows packed as in the file
void write_raw(const fs::path& path, int width, int height, int bits, int color, int interlace,
               const std::vector<std::vector<unsigned char>>& rows, bool with_gamma = false) {
  FILE* file = std::fopen(path.string().c_str(), "wb");
  ASSERT_NE(file, nullptr);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, png_uint_32(width), png_uint_32(height), bits, color, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (with_gamma) png_set_gAMA(png, info, 1.0);
  if (color == PNG_COLOR_TYPE_PALETTE) {
    const png_color palette[3] = {{255, 0, 0}, {0, 51, 0}, {10, 20, 30}};
    const png_byte alpha[3] = {0, 128, 255};
    png_set_PLTE(png, info, palette, 3);
    png_set_tRNS(png, info, alpha, 3, nullptr);
  }
  std::vector<png_bytep> pointers;
  for (const auto& row : rows) pointers.push_back(const_cast<png_bytep>(row.data()));
  png_set_rows(png, info, pointers.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

Vec3 pixel(const Picture& picture, int column, int row) {
  const float* p = picture.rgb().data() + 3 * (row * picture.width() + column);
  return Vec3(p[0], p[1], p[2]);
}

Picture random_picture(int width, int height) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> byte(0, 255);
  std::vector<float> rgb;
  for (int i = 0; i < 3 * width * height; ++i) rgb.push_back(float(byte(random)) / 255.0F);
  return Picture(width, height, rgb);
}

TEST(Picture, sampling_at_pixel_centres_gives_the_pixels_with_the_origin_at_the_lower_left) {
  const Picture picture = random_picture(5, 3);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 5; ++column)
      for (const int tile : {-2, 0, 3}) {
        const Vec3 sample = picture.sample(tile + (column + 0.5) / 5, tile * 0.6 + (2 - row + 0.5) / 5);
        EXPECT_LT((sample - pixel(picture, column, row)).norm(), 1e-13);
      }
}

TEST(Picture, sampling_is_continuous_repeats_and_stays_within_the_colours_everywhere) {
  const Picture picture = random_picture(4, 7);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> spread(-3, 3);
  double worst_repeat = 0, worst_jump = 0, lowest = 1, highest = 0;
  for (int k = 0; k < 20000; ++k) {
    const double u = spread(random), v = spread(random);
    const Vec3 here = picture.sample(u, v);
    worst_repeat = std::max(worst_repeat, (picture.sample(u + 1, v + 2 * 7.0 / 4) - here).norm());
    worst_jump = std::max(worst_jump, (picture.sample(u + 1e-7, v - 1e-7) - here).norm());
    lowest = std::min(lowest, here.minCoeff());
    highest = std::max(highest, here.maxCoeff());
  }
  EXPECT_LT(worst_repeat, 1e-13);
  EXPECT_LT(worst_jump, 2e-6);   // four pixels per unit, colours that differ by at most √3
  EXPECT_GE(lowest, 0);
  EXPECT_LE(highest, 1);
}

TEST(Picture, places_at_seams_and_far_away_are_sampled_safely) {
  const Picture picture = random_picture(4, 4);
  for (const double u : {0.0, -0.0, 1.0, 0.125, -1e-17, 1e15, -1e15, 1e300, -1e300, 0.124999999999999999})
    for (const double v : {0.0, 1.0, 1e300, -1e-17, 0.875}) {
      const Vec3 sample = picture.sample(u, v);
      EXPECT_TRUE((sample.array() >= 0).all() && (sample.array() <= 1).all()) << u << ' ' << v;
    }
}

TEST(Picture, sizes_and_colours_that_do_not_fit_are_refused) {
  EXPECT_THROW(Picture(0, 1, {}), Error);
  EXPECT_THROW(Picture(2, -1, {}), Error);
  EXPECT_THROW(Picture(1, 1, {0, 0}), Error);
  EXPECT_THROW(Picture(1, 1, {0, 0, 1.5F}), Error);
  EXPECT_THROW(Picture(1, 1, {0, 0, std::nanf("")}), Error);
}

TEST(Png, a_picture_of_bytes_survives_the_round_trip_exactly) {
  const TemporaryFile file;
  const Picture picture = random_picture(13, 7);
  picture.write_png(file.path());
  const Picture back = Picture::read_png(file.path());
  EXPECT_EQ(back.width(), 13);
  EXPECT_EQ(back.height(), 7);
  EXPECT_EQ(back.rgb(), picture.rgb());
}

TEST(Png, sixteen_bits_with_alpha_and_gamma_are_read_as_they_stand) {
  const TemporaryFile file;
  write_raw(file.path(), 1, 1, 16, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
            {{0x12, 0x34, 0x80, 0x00, 0xFF, 0xFF, 0x00, 0x01}}, true);
  const Vec3 color = pixel(Picture::read_png(file.path()), 0, 0);
  EXPECT_LT((color - Vec3(0x1234, 0x8000, 0xFFFF) / 65535.0).norm(), 1e-7);
}

TEST(Png, grey_palette_and_interlaced_files_become_rgb) {
  const TemporaryFile file;
  write_raw(file.path(), 2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_INTERLACE_NONE, {{51, 0, 255, 7}});
  Picture picture = Picture::read_png(file.path());
  EXPECT_LT((pixel(picture, 0, 0) - Vec3::Constant(0.2)).norm(), 1e-7);
  EXPECT_LT((pixel(picture, 1, 0) - Vec3::Ones()).norm(), 1e-7);

  write_raw(file.path(), 4, 1, 2, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, {{0b00011011}});
  picture = Picture::read_png(file.path());
  for (int i = 0; i < 4; ++i) EXPECT_LT((pixel(picture, i, 0) - Vec3::Constant(i / 3.0)).norm(), 1e-7);

  write_raw(file.path(), 3, 1, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, {{2, 0, 1}});
  picture = Picture::read_png(file.path());
  EXPECT_LT((pixel(picture, 0, 0) - Vec3(10, 20, 30) / 255).norm(), 1e-7);
  EXPECT_LT((pixel(picture, 1, 0) - Vec3::UnitX()).norm(), 1e-7);   // fully transparent, and still red
  EXPECT_LT((pixel(picture, 2, 0) - Vec3(0, 0.2, 0)).norm(), 1e-7);

  std::vector<std::vector<unsigned char>> rows;
  for (unsigned char row = 0; row < 11; ++row) {
    rows.emplace_back();
    for (unsigned char i = 0; i < 27; ++i) rows.back().push_back(static_cast<unsigned char>(row * 20 + i));
  }
  write_raw(file.path(), 9, 11, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, rows);
  picture = Picture::read_png(file.path());
  for (int row = 0; row < 11; ++row)
    for (int column = 0; column < 9; ++column)
      EXPECT_LT((pixel(picture, column, row) -
                 Vec3(row * 20 + 3 * column, row * 20 + 3 * column + 1, row * 20 + 3 * column + 2) / 255)
                    .norm(),
                1e-6);
}

TEST(Png, a_normal_map_keeps_its_normals_within_a_byte) {
  const TemporaryFile file;
  const Picture picture = bumpy_normals(64, 2, 0.9);
  picture.write_png(file.path());
  const Picture back = Picture::read_png(file.path());
  double worst = 0;
  for (std::size_t i = 0; i < picture.rgb().size(); ++i)
    worst = std::max(worst, double(std::abs(picture.rgb()[i] - back.rgb()[i])));
  EXPECT_LE(worst, 0.5 / 255 + 1e-6);
}

TEST(Png, faults_name_the_file_and_what_is_wrong) {
  const TemporaryFile file;
  EXPECT_THAT(read_fault(file.path()), ::testing::HasSubstr("cannot be opened"));
  EXPECT_THAT(read_fault(fs::temp_directory_path()), ::testing::HasSubstr("directory"));
  write_bytes(file.path(), "");
  EXPECT_THAT(read_fault(file.path()), ::testing::HasSubstr("not a PNG"));
  write_bytes(file.path(), "GIF89a of some length");
  EXPECT_THAT(read_fault(file.path()), ::testing::HasSubstr("not a PNG"));
  try {
    random_picture(2, 2).write_png(file.path() / "no" / "such.png");
    ADD_FAILURE() << "written into a folder that does not exist";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("such.png: The picture cannot be written"));
  }
}

TEST(Png, a_file_cut_off_anywhere_is_refused) {
  const TemporaryFile file;
  random_picture(6, 5).write_png(file.path());
  const std::string bytes = read_bytes(file.path());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(file.path(), bytes.substr(0, length));
    EXPECT_NE(read_fault(file.path()), "") << length << " of " << bytes.size() << " bytes";
  }
}

TEST(Png, no_damaged_byte_does_more_harm_than_an_error) {
  const TemporaryFile file;
  random_picture(6, 5).write_png(file.path());
  const std::string bytes = read_bytes(file.path());
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 0x55);
    write_bytes(file.path(), damaged);
    refused += !read_fault(file.path()).empty();
  }
  // Chunks that are not needed may be damaged without harm; the rest, by far most of this file, is guarded by checksums.
  EXPECT_GT(refused, int(bytes.size()) * 3 / 4);
}

/// IHDR with a valid checksum and no pixels.
TEST(Png, absurd_sizes_are_refused_before_memory_is_asked_for) {
  const TemporaryFile file;
  random_picture(1, 1).write_png(file.path());
  const std::string bytes = read_bytes(file.path());
  for (const std::uint32_t side : {8000u, 8192u, 8193u, 100000u, 0x7fffffffu, 0u}) {
    std::string claimed = bytes;
    for (int i = 0; i < 4; ++i) claimed[16 + std::size_t(i)] = claimed[20 + std::size_t(i)] = char(side >> (24 - 8 * i));
    std::uint32_t crc = 0xffffffffu;
    for (std::size_t i = 12; i < 29; ++i) {
      crc ^= static_cast<unsigned char>(claimed[i]);
      for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    crc = ~crc;
    for (int i = 0; i < 4; ++i) claimed[29 + std::size_t(i)] = char(crc >> (24 - 8 * i));
    write_bytes(file.path(), claimed);
    const std::string fault = read_fault(file.path());
    const bool allowed = side == 8000 || side == 8192;
    EXPECT_THAT(fault, ::testing::HasSubstr(allowed ? std::string("too short for the size it claims")
                                                    : fmt::format("{0} × {0} pixels", side)));
  }
}

}   // namespace
}   // namespace stickslip
