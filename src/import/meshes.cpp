#include "import/meshes.h"

#include <fmt/format.h>

#include <numbers>

#include "stickslip/math/error.h"
#include "stickslip/mesh/read_mesh.h"

namespace stickslip::robot {

std::vector<Vec3> mesh_vertices(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw Error(fmt::format("There is no mesh '{}'. Put it there, or import without hulls.", path.string()));
  MeshFileOptions options;
  options.up = UpAxis::z;   // a file says in its own way which axis is up; robot files mean the numbers as they stand
  try {
    return read_triangle_mesh(path, options).mesh.vertices;
  } catch (const Error& e) {
    throw Error(fmt::format("The mesh '{}' cannot be read: {}", path.string(), e.message()));
  }
}

ConvexHull mesh_hull(const std::filesystem::path& path, const Vec3& scale) {
  std::vector<Vec3> vertices = mesh_vertices(path);
  for (Vec3& v : vertices) v = v.cwiseProduct(scale);
  try {
    return make_convex_hull(vertices);
  } catch (const Error& e) {
    throw Error(fmt::format("The mesh '{}' has no convex hull: {}", path.string(), e.what()));
  }
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
