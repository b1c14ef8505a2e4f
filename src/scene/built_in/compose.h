// Small pieces that built-in scenes are composed of.
#pragma once

#include <cmath>
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

/// Four fixed walls, 2 thickness thick, around the square |x|, |y| ≤ inner on the ground.
inline void add_walls(Json& bodies, double inner, double half_height, double thickness) {
  for (const int axis : {0, 1})
    for (const int side : {-1, 1}) {
      Vec3 half(inner + 2 * thickness, inner + 2 * thickness, half_height), position(0, 0, half_height);
      half[axis] = thickness;
      position[axis] = side * (inner + thickness);
      Json wall = body(fmt::format("wall-{}{}", side < 0 ? '-' : '+', "xy"[axis]), box(half), position);
      wall["motion"] = "fixed";
      bodies.push_back(std::move(wall));
    }
}

/// Places on a cubic grid that is about as wide as it is high, filled layer by layer.
struct Grid {
  int count, side;
  double spacing;   ///< [m]

  Grid(int n, double distance) : Grid(n, std::max(1, static_cast<int>(std::lround(std::cbrt(n)))), distance) {}
  /// @param across places in each row
  Grid(int n, int across, double distance) : count(n), side(across), spacing(distance) {}

  double width() const { return side * spacing; }
  int layers() const { return (count + side * side - 1) / (side * side); }
  Vec3 place(int i) const {
    const int x = i % side, y = i / side % side, z = i / (side * side);
    return spacing * Vec3(x - 0.5 * (side - 1), y - 0.5 * (side - 1), z + 0.5);
  }
};

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
