#include "stickslip/mesh/read_mesh.h"

#include <fmt/format.h>

#include <cmath>

#include "mesh/files/formats.h"
#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

using namespace mesh_file;

void check_options(const MeshFileOptions& options) {
  if (!(std::isfinite(options.scale) && options.scale > 0))
    throw Error(
        fmt::format(
            "{} is not a scale. It must be finite and greater than 0: the metres in a unit of the file, 0.001 for millimetres.",
            options.scale))
        .at("scale");
}

Vec3 upright(const Vec3& p) { return {p.x(), -p.z(), p.y()}; }

/// Turns y up into z up and scales. @throws Error if that leaves the range of numbers
void place(std::vector<Vec3>& vertices, MeshLook* look, UpAxis up, double scale) {
  for (Vec3& v : vertices) {
    v = scale * (up == UpAxis::y ? upright(v) : v);
    if (!v.allFinite())
      throw Error(fmt::format("A vertex is not finite once it is scaled by {}. Choose another scale.", scale));
  }
  if (look && up == UpAxis::y)
    for (auto& n : look->normals) n = {n[0], -n[2], n[1]};
}

void stretch(ImportedMesh& mesh, const Vec3& factors) {
  if (factors == Vec3::Ones()) return;
  for (Vec3& v : mesh.mesh.vertices) v = v.cwiseProduct(factors);
  if (factors.prod() < 0)
    for (auto& t : mesh.mesh.triangles) std::swap(t[1], t[2]);
  mesh.look = {};   // its normals are not those of the stretched surface
}

Elements read_elements(const std::filesystem::path& path) {
  const std::string end = ending(path);
  if (end == ".node" || end == ".ele") {
    std::filesystem::path nodes = path, elements = path;
    return read_tetgen(content(nodes.replace_extension(".node")), content(elements.replace_extension(".ele")));
  }
  const std::string bytes = content(path);
  return end == ".msh" ? read_msh(bytes) : end == ".vtk" ? read_vtk(bytes) : read_vtu(bytes);
}

void note_losses(const Elements& e, std::vector<std::string>& notes) {
  if (e.others > 0) notes.push_back(fmt::format("{} elements of other kinds were left out", e.others));
  if (e.second_order > 0)
    notes.push_back(fmt::format("of {} elements of second order only the corners were kept", e.second_order));
}

/// Turns tetrahedra of negative volume round.
std::size_t turn_positive(TetMesh& mesh) {
  std::size_t turned = 0;
  for (auto& t : mesh.tetrahedra)
    if (tet_volume(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]) < 0) {
      std::swap(t[2], t[3]);
      ++turned;
    }
  return turned;
}

TetMesh tetrahedra_of(Elements&& e, const MeshFileOptions& options, std::vector<std::string>& notes) {
  if (e.tetrahedra.empty())
    throw Error(fmt::format(
        "The file holds no tetrahedra, but {} triangles and {} other elements. Make some with `stickslip mesh tet`.",
        e.triangles.size(), e.others));
  if (e.tetrahedra.size() > options.max_elements)
    throw Error(
        fmt::format("The file has {} tetrahedra; the limit is {}. Make a coarser mesh, or raise the limit (max_elements).",
                    e.tetrahedra.size(), options.max_elements));
  note_losses(e, notes);
  TetMesh mesh{std::move(e.vertices), std::move(e.tetrahedra)};
  place(mesh.vertices, nullptr, options.up.value_or(UpAxis::z), options.scale);
  if (const std::size_t turned = turn_positive(mesh))
    notes.push_back(fmt::format("{} tetrahedra of negative volume were turned round", turned));
  validate(mesh);
  return mesh;
}

ImportedMesh surface_of(Elements&& e, const MeshFileOptions& options) {
  ImportedMesh result;
  if (e.triangles.empty()) {
    result.mesh = surface(tetrahedra_of(std::move(e), options, result.notes)).mesh;
    result.notes.push_back("this is the surface of the tetrahedra");
    return result;
  }
  if (!e.tetrahedra.empty()) ++e.others;
  note_losses(e, result.notes);
  result.mesh = {std::move(e.vertices), std::move(e.triangles)};
  place(result.mesh.vertices, nullptr, options.up.value_or(UpAxis::z), options.scale);
  return result;
}

}   // namespace

bool is_tet_file(const std::filesystem::path& path) {
  const std::string end = ending(path);
  return end == ".msh" || end == ".vtk" || end == ".vtu" || end == ".node" || end == ".ele";
}

ImportedMesh read_triangle_mesh(const std::filesystem::path& path, const MeshFileOptions& options) {
  check_options(options);
  try {
    if (is_tet_file(path)) {
      ImportedMesh surface = surface_of(read_elements(path), options);
      stretch(surface, options.stretch);
      return surface;
    }
    const std::string end = ending(path);
    Builder builder(options);
    UpAxis up = UpAxis::z;
    const std::string bytes = content(path);
    if (end == ".obj") read_obj(plain_text(bytes), path.parent_path(), builder);
    else if (end == ".off") read_off(plain_text(bytes), builder);
    else if (end == ".stl") read_stl(bytes, builder);
    else if (end == ".ply") read_ply(bytes, builder);
    else if (end == ".dae") up = read_collada(bytes, path.parent_path(), options, builder);
    else if (end == ".gltf" || end == ".glb") up = UpAxis::y, read_gltf(path, builder);
    else
      throw Error(
          fmt::format("Meshes do not end in '{}'. Valid are .obj, .stl, .ply, .off, .gltf, .glb, .dae for surfaces; .msh, "
                      ".vtk, .vtu, .node with .ele "
                      "for tetrahedra.",
                      end));
    ImportedMesh result = builder.finish(end != ".obj" && end != ".ply" && end != ".off");
    place(result.mesh.vertices, &result.look, options.up.value_or(up), options.scale);
    stretch(result, options.stretch);
    return result;
  } catch (Error& e) {
    throw e.in(path.string());
  }
}

ImportedTets read_tet_mesh(const std::filesystem::path& path, const MeshFileOptions& options) {
  check_options(options);
  try {
    if (!is_tet_file(path))
      throw Error(
          fmt::format("Tetrahedra do not end in '{}'. Valid are .msh, .vtk, .vtu, .node with .ele; of a surface `stickslip "
                      "mesh tet` makes some.",
                      ending(path)));
    ImportedTets result;
    result.mesh = tetrahedra_of(read_elements(path), options, result.notes);
    return result;
  } catch (Error& e) {
    throw e.in(path.string());
  }
}

}   // namespace stickslip
