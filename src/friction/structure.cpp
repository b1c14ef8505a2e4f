// Direction fields on surfaces, and how flat pictures cover a shape.
#include <cmath>

#include "stickslip/friction/surface.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

PicturePlace box_mapping(const Vec3& place, const Vec3& outward) {
  const Vec3 size = outward.cwiseAbs();
  if (size.x() > size.y() && size.x() > size.z()) return {{place.y(), place.z()}, Vec3::UnitY(), Vec3::UnitZ()};
  if (size.y() > size.z()) return {{place.z(), place.x()}, Vec3::UnitZ(), Vec3::UnitX()};
  return {{place.x(), place.y()}, Vec3::UnitX(), Vec3::UnitY()};
}

namespace {

/// Direction of each structure in the frame of the collider, of any length; zero where it has none.
struct LocalDirection {
  const Vec3& place;
  const Vec3& outward;

  Vec3 operator()(const FixedStructure& fixed) const { return fixed.direction; }
  Vec3 operator()(const CircularStructure& circles) const { return circles.axis.cross(place - circles.center); }
  Vec3 operator()(const RadialStructure& rays) const {
    const Vec3 offset = place - rays.center;
    return offset * rays.axis.squaredNorm() - rays.axis * rays.axis.dot(offset);
  }

  /// The velocity 1 − (R/z)², conjugated, of the complex potential z + R²/z, in the plane across the cylinder with the flow
  /// along +x. On the rim that is 2 sin θ along the tangent, which vanishes in the two
  /// stagnation points although the rim has a direction there.
  Vec3 operator()(const FlowStructure& flow) const {
    const Vec2 along = flow.direction.head<2>();
    const double speed = along.norm();
    if (!(speed > 0)) return Vec3::Zero();
    const Vec2 e = along / speed, offset = (place - flow.center).head<2>();
    const Vec2 z(e.dot(offset), e.x() * offset.y() - e.y() * offset.x());
    const double distance_squared = z.squaredNorm(), radius_squared = flow.radius * flow.radius;
    Vec2 w = Vec2::UnitX();
    if (distance_squared > radius_squared) {
      const double scale = radius_squared / (distance_squared * distance_squared);
      w = {1 - scale * (z.x() * z.x() - z.y() * z.y()), -2 * scale * z.x() * z.y()};
    } else if (distance_squared > 0) {
      w = {-z.y(), z.x()};
    }
    return {e.x() * w.x() - e.y() * w.y(), e.y() * w.x() + e.x() * w.y(), 0};
  }

  Vec3 operator()(const PictureStructure& painted) const {
    const PicturePlace at = box_mapping(place, outward);
    const Vec3 color = painted.picture->sample(at.uv.x() / painted.size, at.uv.y() / painted.size);
    return (2 * color.x() - 1) * at.u + (2 * color.y() - 1) * at.v;
  }
  Vec3 operator()(const FunctionStructure& given) const { return given.direction(place, outward); }
};

}   // namespace

Vec3 SurfaceSide::structure_direction(const Vec3& position, const Vec3& outward) const {
  Vec3 direction;
  if (!surface) {
    direction = pose.orientation * Vec3::UnitX();
  } else if (const auto* fixed = std::get_if<FixedStructure>(&surface->structure)) {
    direction = pose.orientation * fixed->direction;
  } else {
    const Vec3 place = pose.to_local(position), local_outward = pose.orientation.conjugate() * outward;
    direction = pose.orientation * std::visit(LocalDirection{place, local_outward}, surface->structure);
  }
  const Vec3 tangent = direction - outward * outward.dot(direction);
  const double size = tangent.norm();
  // What is left of a direction along the normal is rounding.
  if (size > 1e-9 * direction.norm()) return tangent / size;
  return pose.orientation * frame_from_normal(pose.orientation.conjugate() * outward).col(1);
}

namespace {

void check_direction(const Vec3& direction, const char* name) {
  if (!direction.allFinite() || !(direction.norm() > 0))
    throw Error(fmt::format("({}, {}, {}) is not a direction. It must be finite and not zero.", direction.x(), direction.y(),
                            direction.z()))
        .at(name);
}
void check_place(const Vec3& place) {
  if (!place.allFinite())
    throw Error(fmt::format("({}, {}, {}) is not a place. It must be finite.", place.x(), place.y(), place.z())).at("center");
}
void check_length(double length, const char* name) {
  if (!(length > 0) || !std::isfinite(length))
    throw Error(fmt::format("{} is not a length. It must be finite and greater than 0.", length)).at(name);
}

struct CheckStructure {
  void operator()(const FixedStructure& s) const { check_direction(s.direction, "direction"); }
  void operator()(const CircularStructure& s) const { check_place(s.center), check_direction(s.axis, "axis"); }
  void operator()(const RadialStructure& s) const { check_place(s.center), check_direction(s.axis, "axis"); }
  void operator()(const FlowStructure& s) const {
    check_place(s.center), check_length(s.radius, "radius"), check_direction(s.direction, "direction");
    if (!(s.direction.head<2>().norm() > 0))
      throw Error("The flow is along z, as the cylinder stands. It needs a part along x or y.").at("direction");
  }
  void operator()(const PictureStructure& s) const {
    if (!s.picture) throw Error("There is no picture of the structure. Read one.").at("picture");
    check_length(s.size, "size");
  }
  void operator()(const FunctionStructure& s) const {
    if (!s.direction) throw Error("There is no function of the structure. Give one.").at("direction");
  }
};

}   // namespace

void check_surface(const Surface& surface) {
  try {
    std::visit(CheckStructure{}, surface.structure);
  } catch (Error& error) {
    throw error.at("structure");
  }
  if (!surface.tensor.allFinite()) throw Error("A friction tensor must have four finite numbers.").at("tensor");
  if (surface.normal_map.picture) {
    try {
      check_length(surface.normal_map.size, "size");
    } catch (Error& error) {
      throw error.at("normal_map");
    }
  }
}

}   // namespace stickslip
