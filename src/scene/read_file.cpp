#include "scene/read_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "stickslip/math/error.h"

namespace stickslip::document {

namespace {

/// Devices never end.
constexpr std::size_t kLargestText = std::size_t{256} << 20;

}   // namespace

std::string read_file(const std::filesystem::path& path, const std::string& remedy) {
  const auto fail = [&](const std::string& message) { throw Error(message).in(path.string()); };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail("There is no such file.");
  if (std::filesystem::is_directory(status)) fail("This is a directory. " + remedy);
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(fmt::format("The file cannot be opened: {}.", std::strerror(errno)));
  std::string text;
  std::array<char, 1 << 16> some{};
  while (in.read(some.data(), some.size()), in.gcount() > 0) {
    text.append(some.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestText) fail(fmt::format("The file is longer than {} MB, and no text is.", kLargestText >> 20));
  }
  if (in.bad()) fail(fmt::format("The file cannot be read: {}.", std::strerror(errno)));
  return text;
}

}   // namespace stickslip::document
