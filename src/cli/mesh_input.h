// What all commands on meshes share: the file, how to read it, and repairs before anything else.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "stickslip/mesh/read_mesh.h"
#include "stickslip/mesh/repair.h"

namespace stickslip::cli {

struct MeshInput {
  std::string file, up, repairs;
  double scale = 1;
  bool json = false;

  void add_to(CLI::App& command);

  /// @throws Error for an axis that is neither y nor z
  MeshFileOptions options() const;
};

struct PreparedMesh {
  TriangleMesh mesh;
  std::vector<std::string> notes;   ///< of the reader
  std::vector<RepairStep> repairs;

  /// Notes and repairs, a line each.
  void print() const;
  nlohmann::ordered_json json_of_notes() const;
  nlohmann::ordered_json json_of_repairs() const;
};

PreparedMesh prepare(const MeshInput&);

nlohmann::ordered_json json_of(const Vec3&);

}   // namespace stickslip::cli
