#include <cmath>

#include "mesh/make/outlines.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr int kRounds = 20;

/// Vertices that share an edge with each.
std::vector<std::vector<std::uint32_t>> neighbours_of(const TriangleMesh& mesh) {
  std::vector<std::vector<std::uint32_t>> neighbours(mesh.vertices.size());
  for (const auto& t : mesh.triangles)   // closed: every edge is walked both ways
    for (int k = 0; k < 3; ++k) neighbours[t[k]].push_back(t[(k + 1) % 3]);
  return neighbours;
}

using Sampler = std::function<FieldSample(const Vec3&)>;

/// One step of Newton's method along the gradient to the surface.
Vec3 towards_surface(const Sampler& sample, const Vec3& at) {
  const FieldSample there = sample(at);
  const double slope = there.gradient.squaredNorm();
  return slope > 1e-4 ? Vec3(at - there.value / slope * there.gradient) : at;
}

/// Moves vertices to the middle of their neighbours, as far as the surface lets them, until triangles are even.
void relax(TriangleMesh& mesh, const Sampler& sample) {
  const auto neighbours = neighbours_of(mesh);
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Vec3> before = mesh.vertices;
    for (std::size_t i = 0; i < before.size(); ++i) {
      Vec3 mean = Vec3::Zero();
      for (const std::uint32_t k : neighbours[i]) mean += before[k];
      mean /= static_cast<double>(neighbours[i].size());
      mesh.vertices[i] = towards_surface(sample, 0.5 * (before[i] + mean));
    }
  }
  for (Vec3& v : mesh.vertices)
    for (int i = 0; i < 4; ++i) v = towards_surface(sample, v);
}

}   // namespace

TriangleMesh surface_of(const DistanceFunction& distance, const Aabb& box, double size) {
  TriangleMesh mesh = surface(stuff(distance, box, {size})).mesh;
  const double step = 1e-4 * size;
  relax(mesh, [&](const Vec3& at) {
    FieldSample sample{distance(at)};
    for (int k = 0; k < 3; ++k)
      sample.gradient[k] = (distance(at + step * Vec3::Unit(k)) - distance(at - step * Vec3::Unit(k))) / (2 * step);
    return sample;
  });
  return mesh;
}

TriangleMesh surface_of(const DistanceField& field, double size) {
  TriangleMesh mesh = surface(stuff([&](const Vec3& p) { return field.value(p); }, field.bounds(), {size})).mesh;
  relax(mesh, [&](const Vec3& at) { return field.sample(at); });
  return mesh;
}

TriangleMesh joined_sticks(const std::vector<Stick>& sticks, double blend, double size) {
  std::vector<std::shared_ptr<const DistanceField>> parts;
  for (std::size_t i = 0; i < sticks.size(); ++i) try {
      const Stick& s = sticks[i];
      const Vec3 along = s.to - s.from;
      if (!along.allFinite()) throw Error("A coordinate is not finite.");
      const Quat turned = along.norm() > 0 ? rotation_between(Vec3::UnitZ(), along) : Quat::Identity();
      parts.push_back(std::make_shared<ShapeField>(Capsule{s.radius, 0.5 * along.norm()}, Pose{0.5 * (s.from + s.to), turned}));
    } catch (Error& e) {
      throw e.at(std::to_string(i)).at("sticks");
    }
  try {
    return surface_of(SmoothUnion(std::move(parts), blend), size);
  } catch (Error& e) {
    if (e.pointer() == "/width") throw Error(e.message()).at("blend");
    if (e.pointer() == "/parts") throw Error("There are no sticks. Give at least one.").at("sticks");
    throw;
  }
}

}   // namespace stickslip
