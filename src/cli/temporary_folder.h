// A folder that is gone with its owner.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "stickslip/math/error.h"

namespace stickslip::cli {

struct TemporaryFolder {
  std::filesystem::path path;

  explicit TemporaryFolder(const char* purpose) {
    std::string name = (std::filesystem::temp_directory_path() / fmt::format("stickslip-{}-XXXXXX", purpose)).string();
    if (mkdtemp(name.data()) == nullptr) throw Error(fmt::format("'{}' cannot be made. Is the disk full?", name));
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}   // namespace stickslip::cli
