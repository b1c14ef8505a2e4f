#include "stickslip/geometry/shape.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "geometry/inscribed_ball.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

// In the order of the variant.
constexpr std::array<std::string_view, std::variant_size_v<Shape>> kNames = {"sphere",   "box",        "capsule",
                                                                             "cylinder", "half-space", "hull"};

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

Vec3 support_of_polytope(const Polytope& p, const Vec3& d) {
  std::size_t best = 0;
  double best_value = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < p.vertices.size(); ++i) {
    const double value = d.dot(p.vertices[i]);
    if (value > best_value) best_value = value, best = i;
  }
  return p.vertices[best];
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
                        [&](const ConvexHull& h) { return support_of_polytope(*h.polytope, d); },
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
                    },
                    shape);
}

}   // namespace stickslip
