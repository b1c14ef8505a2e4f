// Small pieces that built-in scenes are composed of.
#pragma once

#include <cstdint>
#include <numbers>

#include "scene/json.h"
#include "stickslip/math/types.h"

namespace stickslip::document {

inline constexpr double kDegree = std::numbers::pi / 180;   ///< [rad]

inline Json vector(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }
inline Json wxyz(const Quat& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }
inline Json rotation(const Vec3& axis, double degrees) { return Json{{"axis", vector(axis)}, {"degrees", degrees}}; }

inline Json box(const Vec3& half_extents) { return Json{{"type", "box"}, {"half_extents", vector(half_extents)}}; }
inline Json sphere(double radius) { return Json{{"type", "sphere"}, {"radius", radius}}; }

inline Json body(std::string name, Json shape, const Vec3& position) {
  return Json{{"name", std::move(name)}, {"shape", std::move(shape)}, {"position", vector(position)}};
}

/// The half-space z ≤ 0.
inline Json ground() { return Json{{"name", "ground"}, {"motion", "fixed"}, {"shape", {{"type", "half-space"}}}}; }

/// One material for everything.
inline Json one_material(double density, double mu, double restitution = 0) {
  return Json::array({Json{{"name", "default"}, {"density", density}, {"friction", mu}, {"restitution", restitution}}});
}

/// @param seconds worth watching @param h step [s]
inline Json compose(double seconds, double h, Json materials, Json bodies) {
  return Json{{"seconds", seconds},
              {"gravity", vector({0, 0, -9.81})},
              {"step", {{"h", h}}},
              {"materials", std::move(materials)},
              {"bodies", std::move(bodies)}};
}

/// SplitMix64: the same numbers everywhere, which the standard library's distributions do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform over all rotations: a point of the unit ball of ℝ⁴ by rejection, scaled to the sphere.
  Quat rotation() {
    for (;;) {
      const double w = uniform(-1, 1), x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
      const double squared = w * w + x * x + y * y + z * z;
      if (squared > 0.01 && squared <= 1) return Quat(w, x, y, z).normalized();
    }
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}   // namespace stickslip::document
