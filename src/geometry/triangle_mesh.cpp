#include "stickslip/geometry/triangle_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

Vec3 middle_of(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return Vec3::Zero();
  const Aabb box = bounding_box(mesh);
  return box.lower / 2 + box.upper / 2;
}

/// ∫1, ∫x and ∫xxᵀ of the solid, about the middle of the box.
struct SolidIntegrals {
  Vec3 origin;
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  explicit SolidIntegrals(const TriangleMesh& mesh) : origin(middle_of(mesh)) {
    for (const auto& t : mesh.triangles) {
      const Vec3 a = mesh.vertices[t[0]] - origin, b = mesh.vertices[t[1]] - origin, c = mesh.vertices[t[2]] - origin;
      const double six_volumes = a.dot(b.cross(c));
      const Vec3 sum = a + b + c;
      volume += six_volumes / 6;
      first += six_volumes / 24 * sum;
      second += six_volumes / 120 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
};

}   // namespace

double area(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3& a = mesh.vertices[t[0]];
    sum += (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).norm() / 2;
  }
  return sum;
}

double volume(const TriangleMesh& mesh) {
  const Vec3 origin = middle_of(mesh);
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += (mesh.vertices[t[0]] - origin).dot((mesh.vertices[t[1]] - origin).cross(mesh.vertices[t[2]] - origin)) / 6;
  return sum;
}

Aabb bounding_box(const TriangleMesh& mesh) {
  Aabb box;
  for (const Vec3& v : mesh.vertices) box.lower = box.lower.cwiseMin(v), box.upper = box.upper.cwiseMax(v);
  return box;
}

bool is_closed(const TriangleMesh& mesh) {
  std::vector<std::uint64_t> forth, back;
  forth.reserve(3 * mesh.triangles.size()), back.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t from = t[k], to = t[(k + 1) % 3];
      if (from < to) forth.push_back(from << 32 | to);
      if (to < from) back.push_back(to << 32 | from);
    }
  if (forth.size() != back.size()) return false;
  std::sort(forth.begin(), forth.end());
  std::sort(back.begin(), back.end());
  return forth == back;
}

MassProperties mass_properties(const TriangleMesh& mesh, double density) {
  if (!(std::isfinite(density) && density > 0))
    throw Error(fmt::format("{} is not a density. A density must be finite and greater than 0 kg/m³.", density)).at("density");
  if (!is_closed(mesh))
    throw Error(
        "The mesh is not closed, so it has no volume and no mass. Close it (`stickslip mesh check` shows where it is open), or "
        "give mass and inertia.");
  const SolidIntegrals solid(mesh);
  if (!(solid.volume > 0))
    throw Error(fmt::format(
        "The mesh encloses {} m³. A solid needs a volume greater than 0; if it is negative, the triangles face inwards: "
        "orient them (`--repair orient`).",
        solid.volume));
  const Vec3 center = solid.first / solid.volume;
  const Mat3 central = solid.second - solid.volume * center * center.transpose();
  return {density * solid.volume, solid.origin + center, density * (central.trace() * Mat3::Identity() - central)};
}

void validate(const TriangleMesh& mesh) {
  constexpr double kFarthest = 1e30;   // boxes of trees are floats, volumes products of three lengths
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec3& p = mesh.vertices[v];
    if (!p.allFinite())
      throw Error(fmt::format("({}, {}, {}) is not a point. Coordinates must be finite.", p.x(), p.y(), p.z()))
          .at(std::to_string(v))
          .at("vertices");
    if (p.cwiseAbs().maxCoeff() > kFarthest)
      throw Error(
          fmt::format("({}, {}, {}) is too far away. Coordinates must stay within {} m.", p.x(), p.y(), p.z(), kFarthest))
          .at(std::to_string(v))
          .at("vertices");
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t v : mesh.triangles[t])
      if (v >= mesh.vertices.size())
        throw Error(fmt::format("There is no vertex {}: there are {}, counted from 0.", v, mesh.vertices.size()))
            .at(std::to_string(t))
            .at("triangles");
}

}   // namespace stickslip
