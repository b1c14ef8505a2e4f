// Normal maps: reading facets from them, and making some.
#include "friction/normal_map.h"

#include <cmath>
#include <numbers>

#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

FacetField::FacetField(const SurfaceSide& side, const Vec3& position, const Vec3& outward) {
  if (!side.surface || !side.surface->normal_map.picture) return;
  const NormalMap& map = side.surface->normal_map;
  picture_ = map.picture.get();
  const PicturePlace at = box_mapping(side.pose.to_local(position), side.pose.orientation.conjugate() * outward);
  const Vec3 along_u = side.pose.orientation * at.u, along_v = side.pose.orientation * at.v;
  origin_ = at.uv / map.size;
  u_tiles_ = along_u / map.size;
  v_tiles_ = along_v / map.size;
  // Where the shape is oblique to the picture, the directions of the picture are laid onto the tangent plane.
  u_ = (along_u - outward * outward.dot(along_u)).normalized();
  v_ = outward.cross(u_);
  if (v_.dot(along_v) < 0) v_ = -v_;   // the picture is seen from behind
}

Vec3 FacetField::facet(const Vec2& offset) const {
  if (!picture_) return Vec3::UnitZ();
  const Vec2 at = origin_ + offset;
  Vec3 normal = 2 * picture_->sample(at.x(), at.y()) - Vec3::Ones();
  normal.z() = std::max(normal.z(), 0.0);   // no facet faces inward
  const double size = normal.norm();
  return size > 1e-6 ? Vec3(normal / size) : Vec3::UnitZ();
}

Vec3 SurfaceSide::facet_normal(const Vec3& position, const Vec3& outward) const {
  const FacetField field(*this, position, outward);
  const Vec3 n = field.facet(Vec2::Zero());
  return (n.x() * field.u() + n.y() * field.v() + n.z() * outward).normalized();
}

namespace {

constexpr int kMostPixels = 8192;   // as in PNG files that are read

void check_slope(double angle, const char* name) {
  if (!(angle > 0 && angle < std::numbers::pi / 2))
    throw Error(fmt::format("{} rad is not a slope. The angle of a facet must lie between 0 and π/2.", angle)).at(name);
}
void check_pixels(int pixels, int features, const char* name) {
  if (features < 1) throw Error(fmt::format("{} is too few. There must be at least 1 to the tile.", features)).at(name);
  if (pixels < 2 || pixels / 2 < features || pixels > kMostPixels)
    throw Error(fmt::format("{} pixels do not hold a tile with {}. There must be at least 2 for each, and at most {}.", pixels,
                            features, kMostPixels))
        .at("pixels");
}

/// A square tile from the facet normals at the centres of its pixels. @param normal of (u, v) in 0 … 1
template <class Normal>
Picture paint_normals(int pixels, const Normal& normal) {
  std::vector<float> rgb;
  rgb.reserve(std::size_t{3} * std::size_t(pixels) * std::size_t(pixels));
  for (int row = 0; row < pixels; ++row)
    for (int column = 0; column < pixels; ++column) {
      const Vec3 n = normal((column + 0.5) / pixels, 1 - (row + 0.5) / pixels);
      for (int i = 0; i < 3; ++i) rgb.push_back(float(0.5 * n[i] + 0.5));
    }
  return Picture(pixels, pixels, std::move(rgb));
}

}   // namespace

// A tooth as wide as 1 climbs over the part w with slope tan ramp and falls over the rest with slope tan cliff; both reach the
// same height, so w tan ramp = (1 − w) tan cliff. A face that climbs along +u has a normal that leans toward −u.
Picture sawtooth_normals(int pixels, int teeth, double ramp, double cliff) {
  check_pixels(pixels, teeth, "teeth");
  check_slope(ramp, "ramp");
  check_slope(cliff, "cliff");
  const double width = std::tan(cliff) / (std::tan(ramp) + std::tan(cliff));
  const Vec3 climbing(-std::sin(ramp), 0, std::cos(ramp)), falling(std::sin(cliff), 0, std::cos(cliff));
  return paint_normals(pixels, [&](double u, double) {
    const double in_tooth = u * teeth - std::floor(u * teeth);
    return in_tooth < width ? climbing : falling;
  });
}

// Height ½H(1 + cos πr/R) of a bump of radius R: its slope tan(slope) sin(πr/R) vanishes at the top and at the foot.
Picture bumpy_normals(int pixels, int bumps, double slope) {
  check_pixels(pixels, bumps, "bumps");
  check_slope(slope, "slope");
  return paint_normals(pixels, [&](double u, double v) {
    const Vec2 from_top(u * bumps - std::floor(u * bumps) - 0.5, v * bumps - std::floor(v * bumps) - 0.5);
    const double r = from_top.norm();
    if (r >= 0.5 || r == 0) return Vec3(Vec3::UnitZ());
    const double steepness = std::tan(slope) * std::sin(2 * std::numbers::pi * r);
    const Vec2 outward = from_top * (steepness / r);
    return Vec3(outward.x(), outward.y(), 1).normalized();
  });
}

}   // namespace stickslip
