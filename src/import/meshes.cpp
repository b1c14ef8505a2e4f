#include "import/meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "stickslip/math/error.h"
#include "stickslip/mesh/read_mesh.h"

namespace stickslip::robot {

TriangleMesh mesh_of_file(const std::filesystem::path& path, const Vec3& scale) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw Error(fmt::format("There is no mesh '{}'. Put it there, or import without meshes.", path.string()));
  MeshFileOptions options;
  options.up = UpAxis::z;   // a file says in its own way which axis is up; robot files mean the numbers as they stand
  options.stretch = scale;
  try {
    return read_triangle_mesh(path, options).mesh;
  } catch (const Error& e) {
    throw Error(fmt::format("The mesh '{}' cannot be read: {}", path.string(), e.message()));
  }
}

int add_mesh(Tree& tree, const std::string& name, const std::filesystem::path& file, const Vec3& scale) {
  for (std::size_t i = 0; i < tree.meshes.size(); ++i)
    if (tree.meshes[i].file == file && tree.meshes[i].scale == scale) return static_cast<int>(i);
  const int added = add_mesh(tree, name, mesh_of_file(file, scale));
  tree.meshes.back().file = file;
  tree.meshes.back().scale = scale;
  return added;
}

int add_mesh(Tree& tree, const std::string& name, TriangleMesh mesh) {
  const auto taken = [&](const std::string& word) {
    return std::any_of(tree.meshes.begin(), tree.meshes.end(), [&](const TreeMesh& m) { return m.name == word; });
  };
  std::string unique = name;
  for (int n = 2; taken(unique); ++n) unique = fmt::format("{}-{}", name, n);
  tree.meshes.push_back({unique, {}, Vec3::Ones(), std::make_shared<const MeshSolid>(std::move(mesh), unique)});
  return static_cast<int>(tree.meshes.size()) - 1;
}

void set_mesh(TreePart& part, const Tree& tree, int mesh, MeshImport as) {
  part.mesh = mesh;
  part.as_hulls = as == MeshImport::hulls;
  part.shape = Mesh{tree.meshes[static_cast<std::size_t>(mesh)].solid};
}

ConvexHull ellipsoid_hull(const Vec3& half_axes) {
  constexpr int kRings = 9, kAround = 16;
  std::vector<Vec3> points = {Vec3::UnitZ(), -Vec3::UnitZ()};
  for (int i = 1; i < kRings; ++i)
    for (int j = 0; j < kAround; ++j) {
      const double down = std::numbers::pi * i / kRings, round = 2 * std::numbers::pi * j / kAround;
      points.emplace_back(std::sin(down) * std::cos(round), std::sin(down) * std::sin(round), std::cos(down));
    }
  for (Vec3& p : points) p = p.cwiseProduct(half_axes);
  return make_convex_hull(points);
}

}   // namespace stickslip::robot
