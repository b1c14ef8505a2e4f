#include "cli/mesh_input.h"

#include "cli/output.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

void MeshInput::add_to(CLI::App& command) {
  command
      .add_option("file", file,
                  "A mesh: .obj, .stl, .ply, .off, .gltf, .glb, .dae; or the surface of .msh, .vtk, .vtu, .node with .ele")
      ->required();
  command.add_option("--scale", scale, "Metres per unit of the file, such as 0.001 for millimetres. Default: 1");
  command.add_option("--up", up,
                     "The axis of the file that points up, y or z. Default: as the format says, z where it says nothing");
  command.add_option(
      "--repair", repairs,
      "Repairs in this order, with commas: merge[=DISTANCE], unused, duplicates, degenerate, orient, fill[=EDGES]; or all");
  command.add_flag("--json", json, "Print one JSON document");
}

MeshFileOptions MeshInput::options() const {
  MeshFileOptions options;
  options.scale = scale;
  if (!up.empty() && up != "y" && up != "z")
    throw Error(fmt::format("--up {}: '{}' is not an axis that points up. Valid are y and z.", up, up));
  if (!up.empty()) options.up = up == "y" ? UpAxis::y : UpAxis::z;
  return options;
}

PreparedMesh prepare(const MeshInput& input) {
  ImportedMesh imported = read_triangle_mesh(input.file, input.options());
  PreparedMesh prepared{std::move(imported.mesh), std::move(imported.notes), {}};
  if (!input.repairs.empty()) prepared.repairs = repair(prepared.mesh, input.repairs);
  if (prepared.mesh.triangles.empty())
    throw Error("No triangle is left after the repairs: none of the mesh has an area. Export it again.").in(input.file);
  return prepared;
}

void PreparedMesh::print() const {
  for (const std::string& note : notes) fmt::print("  read: {}\n", note);
  for (const RepairStep& step : repairs) fmt::print("  {}: {}\n", step.name, step.what);
}

nlohmann::ordered_json PreparedMesh::json_of_notes() const { return notes; }

nlohmann::ordered_json PreparedMesh::json_of_repairs() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RepairStep& step : repairs) list.push_back({{"name", step.name}, {"changed", step.changed}, {"what", step.what}});
  return list;
}

nlohmann::ordered_json json_of(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

}   // namespace stickslip::cli
