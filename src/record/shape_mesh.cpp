#include "record/shape_mesh.h"

#include <cmath>
#include <numbers>

#include "record/mesh_drawing.h"
#include "record/textured_mesh.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/world/stencil.h"

namespace stickslip {

namespace {

constexpr double kFarAway = 256;   // times the first distance
constexpr double kDark = 0.75;     // shade of dark patches

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::uint32_t add_vertex(DrawnMesh& mesh, const Vec3& position, const Vec3& normal, double shade = 1) {
  mesh.vertices.push_back(position);
  mesh.normals.push_back(normal);
  mesh.shades.push_back(shade);
  return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
}

/// A flat face as a fan. @param corners counter-clockwise seen from outside
void add_face(DrawnMesh& mesh, const std::vector<Vec3>& corners, const Vec3& normal) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const Vec3& corner : corners) add_vertex(mesh, corner, normal);
  for (std::uint32_t i = 1; i + 1 < corners.size(); ++i) mesh.triangles.push_back({first, first + i, first + i + 1});
}

/// Corner i of the unit circle; exact on the axes.
Vec3 on_circle(int i, int around) {
  const int quarter = around / 4, turns = i / quarter;
  const double angle = std::numbers::pi / 2 * (i % quarter) / quarter, c = std::cos(angle), s = std::sin(angle);
  switch (turns % 4) {
    case 0:
      return {c, s, 0};
    case 1:
      return {-s, c, 0};
    case 2:
      return {-c, -s, 0};
    default:
      return {s, -c, 0};
  }
}

std::vector<Vec3> circle(double radius, double z, int around) {
  std::vector<Vec3> corners;
  for (int i = 0; i < around; ++i) corners.push_back(radius * on_circle(i, around) + Vec3(0, 0, z));
  return corners;
}

/// Joins two rings of `around` vertices each; the second lies below the first.
void add_band(DrawnMesh& mesh, std::uint32_t upper, std::uint32_t lower, int around) {
  for (int k = 0; k < around; ++k) {
    const auto i = static_cast<std::uint32_t>(k), next = static_cast<std::uint32_t>((k + 1) % around);
    mesh.triangles.push_back({upper + i, lower + i, lower + next});
    mesh.triangles.push_back({upper + i, lower + next, upper + next});
  }
}

/// A ball cut at its equator with the halves moved apart by ±half_height along z; rings from the top down.
DrawnMesh capsule_mesh(double radius, double half_height, int around) {
  DrawnMesh mesh;
  const int quarter = around / 4;
  const std::uint32_t top = add_vertex(mesh, {0, 0, half_height + radius}, Vec3::UnitZ());
  std::vector<std::uint32_t> rings;
  const auto add_ring = [&](int i, double shift) {
    const Vec3 profile = on_circle(i, around);   // x: height, y: distance from the axis
    rings.push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
    for (int k = 0; k < around; ++k) {
      const Vec3 normal = profile.y() * on_circle(k, around) + Vec3(0, 0, profile.x());
      add_vertex(mesh, radius * normal + Vec3(0, 0, shift), normal, normal.prod() < 0 ? kDark : 1);
    }
  };
  for (int i = 1; i <= quarter; ++i) add_ring(i, half_height);
  for (int i = half_height > 0 ? quarter : quarter + 1; i < 2 * quarter; ++i) add_ring(i, -half_height);
  const std::uint32_t bottom = add_vertex(mesh, {0, 0, -half_height - radius}, -Vec3::UnitZ());

  for (int k = 0; k < around; ++k) {
    const auto i = static_cast<std::uint32_t>(k), next = static_cast<std::uint32_t>((k + 1) % around);
    mesh.triangles.push_back({top, rings.front() + i, rings.front() + next});
    mesh.triangles.push_back({bottom, rings.back() + next, rings.back() + i});
  }
  for (std::size_t r = 0; r + 1 < rings.size(); ++r) add_band(mesh, rings[r], rings[r + 1], around);
  return mesh;
}

DrawnMesh cylinder_mesh(const Cylinder& cylinder, int around) {
  DrawnMesh mesh;
  for (const double z : {cylinder.half_height, -cylinder.half_height})
    for (const Vec3& corner : circle(cylinder.radius, z, around))
      add_vertex(mesh, corner, Vec3(corner.x(), corner.y(), 0).normalized(), corner.x() * corner.y() < 0 ? kDark : 1);
  add_band(mesh, 0, static_cast<std::uint32_t>(around), around);
  std::vector<Vec3> top = circle(cylinder.radius, cylinder.half_height, around);
  std::vector<Vec3> bottom = circle(cylinder.radius, -cylinder.half_height, around);
  add_face(mesh, top, Vec3::UnitZ());
  add_face(mesh, {bottom.rbegin(), bottom.rend()}, -Vec3::UnitZ());
  return mesh;
}

DrawnMesh box_mesh(const Vec3& half_extents) {
  DrawnMesh mesh;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {1.0, -1.0}) {
      const Vec3 normal = side * Vec3::Unit(axis), u = Vec3::Unit((axis + 1) % 3), v = normal.cross(u);
      std::vector<Vec3> corners;
      for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
        corners.push_back(half_extents.cwiseProduct(normal + a * u + b * v));
      add_face(mesh, corners, normal);
    }
  return mesh;
}

DrawnMesh hull_mesh(const Polytope& polytope) {
  DrawnMesh mesh;
  for (const Polytope::Face& face : polytope.faces) {
    std::vector<Vec3> corners;
    for (int i = face.first; i < face.first + face.count; ++i)
      corners.push_back(polytope.vertices[static_cast<std::size_t>(polytope.loops[static_cast<std::size_t>(i)])]);
    add_face(mesh, corners, face.normal);
  }
  return mesh;
}

DrawnMesh square_mesh(double side) {
  DrawnMesh mesh;
  const double a = side / 2;
  mesh.unbounded = true;
  add_face(mesh, {{-a, -a, 0}, {a, -a, 0}, {a, a, 0}, {-a, a, 0}}, Vec3::UnitZ());
  return mesh;
}

struct StretchedForm {
  Shape form;
  Vec3 scale;
};

StretchedForm stretched_form(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const Sphere& s) -> StretchedForm {
                          return {Sphere{1}, Vec3::Constant(s.radius)};
                        },
                        [](const Box& b) -> StretchedForm {
                          return {Box{Vec3::Ones()}, b.half_extents};
                        },
                        [](const Capsule& c) -> StretchedForm {
                          return {Capsule{1, c.half_height / c.radius}, Vec3::Constant(c.radius)};
                        },
                        [](const Cylinder& c) -> StretchedForm {
                          return {Cylinder{1, 1}, {c.radius, c.radius, c.half_height}};
                        },
                        [](const HalfSpace&) -> StretchedForm {
                          return {HalfSpace{}, Vec3::Ones()};
                        },
                        [](const ConvexHull& h) -> StretchedForm {
                          return {h, Vec3::Ones()};
                        },
                        [](const Mesh& m) -> StretchedForm {
                          return {m, Vec3::Ones()};
                        },
                    },
                    shape);
}

/// Numbers that are equal for equal forms and for no others.
std::vector<double> key_of(const Shape& form, MeshPool& pool) {
  std::vector<double> key{static_cast<double>(form.index())};
  if (const auto* capsule = std::get_if<Capsule>(&form)) key.push_back(capsule->half_height);
  if (const auto* hull = std::get_if<ConvexHull>(&form))
    for (const Vec3& vertex : hull->polytope->vertices) key.insert(key.end(), vertex.begin(), vertex.end());
  if (const auto* mesh = std::get_if<Mesh>(&form)) key.push_back(pool.find_or_add(*mesh).number);
  return key;
}

}   // namespace

DrawnMesh drawn_mesh(const Shape& shape, int around, double square_side, const Texture* texture) {
  if (const auto* mesh = std::get_if<Mesh>(&shape)) return drawn_mesh(*mesh->solid, texture);
  DrawnMesh drawn = std::visit(Overloaded{
                                   [&](const Sphere& s) { return capsule_mesh(s.radius, 0, around); },
                                   [&](const Box& b) { return box_mesh(b.half_extents); },
                                   [&](const Capsule& c) { return capsule_mesh(c.radius, c.half_height, around); },
                                   [&](const Cylinder& c) { return cylinder_mesh(c, around); },
                                   [&](const HalfSpace&) { return square_mesh(square_side); },
                                   [&](const ConvexHull& h) { return hull_mesh(*h.polytope); },
                                   [&](const Mesh&) { return DrawnMesh(); },
                               },
                               shape);
  if (texture) put_on(*texture, drawn);
  return drawn;
}

MeshLibrary::Entry MeshLibrary::find_or_add(const Shape& shape, const SharedTexture& texture) {
  // Copies of a picture that are counted stretch with the shape; those that have a size do not.
  const bool stretches = !texture || texture->size[0] == 0;
  const StretchedForm stretched = stretches ? stretched_form(shape) : StretchedForm{shape, Vec3::Ones()};
  std::vector<double> key = key_of(stretched.form, pool_);
  if (texture) {
    const Vec3 numbers = std::visit([](const auto& s) { return numbers_of(s, 0); }, stretched.form);
    key.insert(key.end(), {-static_cast<double>(textures_.find_or_add(texture)), numbers.x(), numbers.y(), numbers.z()});
  }
  const auto [place, is_new] = mesh_of_form_.try_emplace(std::move(key), static_cast<std::uint32_t>(meshes_.size()));
  if (is_new) meshes_.push_back(drawn_mesh(stretched.form, around_, 1, texture.get()));
  return {place->second, stretched.scale};
}

void HalfSpaceExtent::see(const World& world) {
  for (const Collider& plane : world.colliders()) {
    if (!plane.alive || !std::holds_alternative<HalfSpace>(plane.shape)) continue;
    const Body& owner = world.bodies()[plane.body];
    const Pose pose = Pose{owner.position, owner.orientation} * plane.local;
    for (const Collider& collider : world.colliders()) {
      if (!collider.alive || world.bodies()[collider.body].motion == MotionType::fixed) continue;
      const double far = pose.to_local(motion_of(world, collider).pose.position).head<2>().norm() + collider.reach;
      if (!(far < std::numeric_limits<double>::infinity()) || (limit_ > 0 && far > limit_)) continue;
      farthest_ = std::max(farthest_, far);
    }
  }
  if (limit_ == 0) limit_ = kFarAway * farthest_;
}

double HalfSpaceExtent::square_side() const { return farthest_ > 0 ? std::exp2(std::ceil(std::log2(2 * farthest_))) : 1; }

}   // namespace stickslip
