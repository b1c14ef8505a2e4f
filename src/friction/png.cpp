// Pictures in PNG files.
//
// Normal maps are numbers, not colours: what stands in the file counts, whatever gamma it claims, and transparency is dropped,
// not blended. The simplified interface of libpng does neither, so reading uses the full one, which reports faults by longjmp.
// Everything with a destructor therefore lives outside of `decode`.
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "stickslip/friction/png.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

namespace {

constexpr png_uint_32 kLongestSide = 8192;   // [pixels]; as floats such a picture takes 800 MB
/// Deflate shrinks at most 1032 : 1. A file that claims more pixels than that cannot be whole.
constexpr double kBestCompression = 1032;

/// A file while libpng reads it; plain data, which a longjmp may leave behind.
struct PngReader {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0, position = 0;
  char fault[160] = "";

  png_structp png = nullptr;
  png_infop info = nullptr;
  png_uint_32 width = 0, height = 0;
  int bits = 0;                ///< of a colour, after `read_header`: 8 or 16
  std::size_t row_bytes = 0;   ///< of a row of RGB
  int passes = 1;              ///< 7 if interlaced
};

void on_error(png_structp png, png_const_charp message) {
  auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
  std::strncpy(reader->fault, message, sizeof reader->fault - 1);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader->size - reader->position) png_error(png, "it ends too early");
  std::memcpy(out, reader->bytes + reader->position, count);
  reader->position += count;
}

/// Size and format. @return whether that went well; the reader knows the fault otherwise
bool read_header(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_set_read_fn(reader.png, &reader, read_bytes);
  png_set_user_limits(reader.png, kLongestSide, kLongestSide);
  png_read_info(reader.png, reader.info);
  reader.width = png_get_image_width(reader.png, reader.info);
  reader.height = png_get_image_height(reader.png, reader.info);
  if (double(png_get_rowbytes(reader.png, reader.info)) * reader.height > kBestCompression * double(reader.size))
    png_error(reader.png, "it is too short for the size it claims");
  const int color = png_get_color_type(reader.png, reader.info);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(reader.png);
  if (color == PNG_COLOR_TYPE_GRAY || color == PNG_COLOR_TYPE_GRAY_ALPHA) {
    png_set_expand_gray_1_2_4_to_8(reader.png);
    png_set_gray_to_rgb(reader.png);
  }
  png_set_strip_alpha(reader.png);
  reader.passes = png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  reader.bits = png_get_bit_depth(reader.png, reader.info);
  reader.row_bytes = png_get_rowbytes(reader.png, reader.info);
  if (reader.row_bytes != std::size_t{3} * reader.width * (std::size_t(reader.bits) / 8))
    png_error(reader.png, "its format is not known");
  return true;
}

/// All pixels, row by row. @param pixels row_bytes · height bytes
bool read_pixels(PngReader& reader, unsigned char* pixels) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  for (int pass = 0; pass < reader.passes; ++pass)
    for (png_uint_32 row = 0; row < reader.height; ++row) png_read_row(reader.png, pixels + row * reader.row_bytes, nullptr);
  png_read_end(reader.png, nullptr);
  return true;
}

/// Frees what libpng holds, whatever happens.
struct PngReaderOwner {
  PngReader reader;
  ~PngReaderOwner() { png_destroy_read_struct(&reader.png, &reader.info, nullptr); }
};

std::vector<unsigned char> file_bytes(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) throw Error("This is a directory. Name a PNG file.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("The picture cannot be opened. Check its name and whether it may be read.");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Picture decode(const std::vector<unsigned char>& bytes) {
  if (bytes.size() < 8 || png_sig_cmp(bytes.data(), 0, 8) != 0)
    throw Error("This is not a PNG picture: it does not start as one. Convert it to PNG.");
  if (bytes.size() >= 24) {
    const png_uint_32 width = png_get_uint_32(bytes.data() + 16), height = png_get_uint_32(bytes.data() + 20);
    if (width < 1 || height < 1 || width > kLongestSide || height > kLongestSide)
      throw Error(fmt::format("{} × {} pixels are not the size of a picture that can be read. Each side must have 1 to {}.",
                              width, height, kLongestSide));
  }
  PngReaderOwner owner;
  PngReader& reader = owner.reader;
  reader.bytes = bytes.data();
  reader.size = bytes.size();
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
  if (reader.png) reader.info = png_create_info_struct(reader.png);
  if (!reader.png || !reader.info) throw Error("There is no memory to read the picture.");
  const auto fault = [&] { return Error(fmt::format("The PNG picture is damaged: {}. Save it anew.", reader.fault)); };
  if (!read_header(reader)) throw fault();
  std::vector<unsigned char> pixels(reader.row_bytes * reader.height);
  if (!read_pixels(reader, pixels.data())) throw fault();

  std::vector<float> rgb(std::size_t{3} * reader.width * reader.height);
  if (reader.bits == 16)
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = float(pixels[2 * i] * 256 + pixels[2 * i + 1]) / 65535.0F;
  else
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = float(pixels[i]) / 255.0F;
  return Picture(int(reader.width), int(reader.height), std::move(rgb));
}

}   // namespace

Picture Picture::read_png(const std::filesystem::path& path) {
  try {
    return decode(file_bytes(path));
  } catch (Error& error) {
    throw error.in(path.string());
  }
}

namespace {

png_image header_of(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(picture.width());
  image.height = png_uint_32(picture.height());
  image.format = PNG_FORMAT_RGB;
  return image;
}

std::vector<unsigned char> bytes_of(const std::vector<float>& rgb) {
  std::vector<unsigned char> pixels(rgb.size());
  std::transform(rgb.begin(), rgb.end(), pixels.begin(),
                 [](float c) { return static_cast<unsigned char>(std::lround(c * 255.0F)); });
  return pixels;
}

}   // namespace

void Picture::write_png(const std::filesystem::path& path) const {
  png_image image = header_of(*this);
  const int written = png_image_write_to_file(&image, path.string().c_str(), 0, bytes_of(rgb_).data(), 0, nullptr);
  const std::string fault = image.message;
  png_image_free(&image);
  if (!written)
    throw Error(fmt::format("The picture cannot be written: {}. Name a file in a folder that may be written.", fault))
        .in(path.string());
}

std::string png_bytes(const Picture& picture) {
  png_image image = header_of(picture);
  const std::vector<unsigned char> pixels = bytes_of(picture.rgb());
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr))
    throw Error(fmt::format("The picture cannot be made a PNG file: {}.", image.message));
  bytes.resize(size);
  return bytes;
}

}   // namespace stickslip
