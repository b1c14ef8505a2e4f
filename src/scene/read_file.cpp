#include "scene/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "stickslip/math/error.h"

namespace stickslip::document {

std::string read_file(const std::filesystem::path& path, const std::string& remedy) {
  const auto fail = [&](const std::string& message) { throw Error(message).in(path.string()); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail("There is no such file.");
  if (std::filesystem::is_directory(status)) fail("This is a directory. " + remedy);
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(fmt::format("The file cannot be opened: {}.", std::strerror(errno)));
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::ios_base::failure&) {
    fail(fmt::format("The file cannot be read: {}.", std::strerror(errno)));
  }
  return text;
}

}   // namespace stickslip::document
