// A folder for mesh files, gone at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "stickslip/math/error.h"
#include "stickslip/mesh/read_mesh.h"

namespace stickslip::mesh_test {

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "stickslip-mesh-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file and returns its path.
  std::filesystem::path put(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }
  std::string get(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

/// What reading the file throws.
inline std::string trouble(const std::filesystem::path& path, const MeshFileOptions& options = {}) {
  try {
    read_triangle_mesh(path, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}   // namespace stickslip::mesh_test
