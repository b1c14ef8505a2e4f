// All that is known of each kind of shape. A new one comes here, in the header, in its numbers, in its pairs and its picture.
#include "stickslip/geometry/shape.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "geometry/inscribed_ball.h"
#include "stickslip/geometry/aabb.h"
#include "stickslip/geometry/mass_properties.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

// In the order of the variant.
constexpr std::array<std::string_view, std::variant_size_v<Shape>> kNames = {"sphere",     "box",  "capsule", "cylinder",
                                                                             "half-space", "hull", "mesh"};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

void require_positive(double value, std::string_view what, std::string_view field) {
  if (std::isfinite(value) && value > 0) return;
  throw Error(fmt::format("{} is not a length. {} must be finite and greater than 0.", value, what)).at(field);
}

void require_not_negative(double value, std::string_view what, std::string_view field) {
  if (std::isfinite(value) && value >= 0) return;
  throw Error(fmt::format("{} is not a length. {} must be finite and not negative.", value, what)).at(field);
}

void validate_box(const Box& box) {
  for (int axis = 0; axis < 3; ++axis) {
    const double value = box.half_extents[axis];
    if (std::isfinite(value) && value > 0) continue;
    throw Error(fmt::format("{} is not a length. Each half extent of a box must be finite and greater than 0.", value))
        .at(std::to_string(axis))
        .at("half_extents");
  }
}

void validate_hull(const ConvexHull& hull) {
  if (hull.polytope && hull.polytope->vertices.size() >= 4) return;
  throw Error("0 points cannot make a hull. A convex hull needs at least 4 points that do not lie in one plane.").at("points");
}

/// Distance 1 along `direction`; any unit vector if it is zero.
Vec3 unit(const Vec3& direction) {
  const double length = direction.stableNorm();
  return length > 0 ? Vec3(direction / length) : Vec3::UnitZ();
}

Vec3 support_of_cylinder(const Cylinder& c, const Vec3& d) {
  const double radial = std::hypot(d.x(), d.y());
  const double z = d.z() < 0 ? -c.half_height : c.half_height;
  if (radial == 0) return {0, 0, z};
  return {c.radius * (d.x() / radial), c.radius * (d.y() / radial), z};
}

Vec3 farthest_of(const std::vector<Vec3>& points, const Vec3& d) {
  std::size_t best = 0;
  double best_value = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double value = d.dot(points[i]);
    if (value > best_value) best_value = value, best = i;
  }
  return points[best];
}

void validate_mesh(const Mesh& mesh) {
  if (!mesh.solid) throw Error("The mesh shape has no mesh. Give a file, or vertices and triangles.");
}

}   // namespace

std::string_view shape_name(std::size_t variant_index) { return kNames.at(variant_index); }
std::string_view shape_name(const Shape& shape) { return shape_name(shape.index()); }

void validate(const Shape& shape) {
  std::visit(Overloaded{
                 [](const Sphere& s) { require_positive(s.radius, "A sphere radius", "radius"); },
                 [](const Box& b) { validate_box(b); },
                 [](const Capsule& c) {
                   require_positive(c.radius, "A capsule radius", "radius");
                   require_not_negative(c.half_height, "The half height of a capsule", "half_height");
                 },
                 [](const Cylinder& c) {
                   require_positive(c.radius, "A cylinder radius", "radius");
                   require_positive(c.half_height, "The half height of a cylinder", "half_height");
                 },
                 [](const HalfSpace&) {},
                 [](const ConvexHull& h) { validate_hull(h); },
                 [](const Mesh& m) { validate_mesh(m); },
             },
             shape);
}

Vec3 support(const Shape& shape, const Vec3& d) {
  return std::visit(Overloaded{
                        [&](const Sphere& s) { return Vec3(s.radius * unit(d)); },
                        [&](const Box& b) { return Vec3((d.array() < 0).select(-b.half_extents, b.half_extents)); },
                        [&](const Capsule& c) {
                          const double z = d.z() < 0 ? -c.half_height : c.half_height;
                          return Vec3(c.radius * unit(d) + Vec3(0, 0, z));
                        },
                        [&](const Cylinder& c) { return support_of_cylinder(c, d); },
                        [](const HalfSpace&) { return Vec3(Vec3::Constant(std::numeric_limits<double>::quiet_NaN())); },
                        [&](const ConvexHull& h) { return farthest_of(h.polytope->vertices, d); },
                        [&](const Mesh& m) { return farthest_of(m.solid->mesh().vertices, d); },
                    },
                    shape);
}

double bounding_radius(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const Sphere& s) { return s.radius; },
                        [](const Box& b) { return b.half_extents.norm(); },
                        [](const Capsule& c) { return c.half_height + c.radius; },
                        [](const Cylinder& c) { return std::hypot(c.radius, c.half_height); },
                        [](const HalfSpace&) { return std::numeric_limits<double>::infinity(); },
                        [](const ConvexHull& h) { return h.polytope->radius; },
                        [](const Mesh& m) { return m.solid->radius(); },
                    },
                    shape);
}

double characteristic_length(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const Sphere& s) { return 2 * s.radius; },
                        [](const Box& b) { return 2 * b.half_extents.minCoeff(); },
                        [](const Capsule& c) { return 2 * c.radius; },
                        [](const Cylinder& c) { return 2 * std::min(c.radius, c.half_height); },
                        [](const HalfSpace&) { return 0.0; },
                        [](const ConvexHull& h) { return 2 * inscribed_radius(*h.polytope); },
                        [](const Mesh& m) { return m.solid->thickness(); },
                    },
                    shape);
}

namespace {

/// Half the extent of a shape along each world axis, for shapes that are symmetric about their origin.
Vec3 half_extent(const Sphere& s, const Mat3&) { return Vec3::Constant(s.radius); }

Vec3 half_extent(const Box& b, const Mat3& rotation) { return rotation.cwiseAbs() * b.half_extents; }

Vec3 half_extent(const Capsule& c, const Mat3& rotation) {
  return rotation.col(2).cwiseAbs() * c.half_height + Vec3::Constant(c.radius);
}

Vec3 half_extent(const Cylinder& c, const Mat3& rotation) {
  // A disc with unit normal a reaches √(1 − aᵢ²) along axis i: the length of the other two entries of row i.
  const Vec3 disc = rotation.leftCols<2>().rowwise().norm();
  return rotation.col(2).cwiseAbs() * c.half_height + disc * c.radius;
}

Aabb box_of(const HalfSpace&, const Pose&) {
  const Vec3 everywhere = Vec3::Constant(std::numeric_limits<double>::infinity());
  return {-everywhere, everywhere};
}

Aabb box_of(const ConvexHull& hull, const Pose& pose) {
  const Mat3 rotation = pose.rotation();
  Aabb box;
  for (const Vec3& vertex : hull.polytope->vertices) {
    const Vec3 x = rotation * vertex;
    box.lower = box.lower.cwiseMin(x);
    box.upper = box.upper.cwiseMax(x);
  }
  return {box.lower + pose.position, box.upper + pose.position};
}

/// Around the box that the mesh has in its own frame: its vertices are too many to look at in every step.
Aabb box_of(const Mesh& mesh, const Pose& pose) {
  const Aabb& local = mesh.solid->surface().tree().bounds();
  const Vec3 half = pose.rotation().cwiseAbs() * (0.5 * (local.upper - local.lower));
  const Vec3 middle = pose * Vec3(0.5 * (local.lower + local.upper));
  return {middle - half, middle + half};
}

template <class Symmetric>
Aabb box_of(const Symmetric& shape, const Pose& pose) {
  const Vec3 half = half_extent(shape, pose.rotation());
  return {pose.position - half, pose.position + half};
}

}   // namespace

Aabb bounding_box(const Shape& shape, const Pose& pose) {
  return std::visit([&](const auto& s) { return box_of(s, pose); }, shape);
}

namespace {

constexpr double kPi = std::numbers::pi;

/// Inertia about the centre of a solid with two equal moments across and one along z.
Mat3 axial(double across, double along) { return Vec3(across, across, along).asDiagonal(); }

MassProperties solid(const Sphere& s, double density) {
  const double mass = density * 4.0 / 3.0 * kPi * s.radius * s.radius * s.radius;
  return {mass, Vec3::Zero(), Mat3::Identity() * (0.4 * mass * s.radius * s.radius)};
}

MassProperties solid(const Box& b, double density) {
  const double mass = density * 8 * b.half_extents.prod();
  const Vec3 squared = b.half_extents.cwiseAbs2();
  return {mass, Vec3::Zero(), Mat3((mass / 3 * (Vec3::Constant(squared.sum()) - squared)).asDiagonal())};
}

MassProperties solid(const Cylinder& c, double density) {
  const double r2 = c.radius * c.radius, mass = density * kPi * r2 * 2 * c.half_height;
  return {mass, Vec3::Zero(), axial(mass * (r2 / 4 + c.half_height * c.half_height / 3), mass * r2 / 2)};
}

MassProperties solid(const Capsule& c, double density) {
  const double r = c.radius, l = c.half_height;
  const MassProperties barrel = solid(Cylinder{r, l}, density), caps = solid(Sphere{r}, density);
  // A half ball has its centre of mass 3r/8 above its base: its moments move from there by the parallel-axis theorem
  // to the middle of the capsule, which adds l² + 2 l · 3r/8.
  const double across = caps.inertia(0, 0) + caps.mass * (l * l + 0.75 * l * r);
  return {barrel.mass + caps.mass, Vec3::Zero(), barrel.inertia + axial(across, caps.inertia(2, 2))};
}

/// Sum of the exact integrals of 1, x and xxᵀ over the tetrahedra that an inner point spans with triangles of the faces.
MassProperties solid(const ConvexHull& hull, double density) {
  const Polytope& p = *hull.polytope;
  const Vec3 origin = p.interior_point;
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Polytope::Face& face : p.faces) {
    const int* loop = p.loops.data() + face.first;
    const Vec3 a = p.vertices[loop[0]] - origin;
    for (int i = 2; i < face.count; ++i) {
      const Vec3 b = p.vertices[loop[i - 1]] - origin, c = p.vertices[loop[i]] - origin, sum = a + b + c;
      const double six_volumes = a.dot(b.cross(c));
      volume += six_volumes / 6;
      first += six_volumes / 24 * sum;
      second += six_volumes / 120 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
  const Vec3 center = first / volume;
  const Mat3 central = second - volume * center * center.transpose();
  return {density * volume, origin + center, density * (central.trace() * Mat3::Identity() - central)};
}

MassProperties solid(const Mesh& mesh, double density) {
  const std::optional<MassProperties>& unit_solid = mesh.solid->solid();
  if (!unit_solid) {
    throw Error(
        fmt::format("The mesh{} is not closed around a positive volume, so it has no mass. `stickslip mesh check` names its "
                    "holes and faults; "
                    "mend it (\"repair\": \"all,fill\"), give mass_properties, or make the body fixed.",
                    mesh.solid->name().empty() ? "" : " " + mesh.solid->name()));
  }
  return {density * unit_solid->mass, unit_solid->center, density * unit_solid->inertia};
}

MassProperties solid(const HalfSpace&, double) {
  throw Error("A half-space has no mass: it is unbounded. Put it on a fixed or kinematic body.");
}

}   // namespace

MassProperties mass_properties(const Shape& shape, double density) {
  if (!(std::isfinite(density) && density > 0))
    throw Error(fmt::format("{} is not a density. A density must be finite and greater than 0 kg/m³.", density)).at("density");
  return std::visit([&](const auto& s) { return solid(s, density); }, shape);
}

}   // namespace stickslip
