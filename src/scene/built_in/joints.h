// Joints as built-in scenes write them, placed where the bodies are at the start.
#pragma once

#include <string>
#include <utility>

#include "scene/built_in/compose.h"

namespace stickslip::document {

/// @param anchor a point of the joint [m] @param axis z of its frame; both in the world at the start
inline Json joint(std::string name, std::string type, std::string a, std::string b, const Vec3& anchor,
                  const Vec3& axis = Vec3::UnitZ()) {
  return Json{{"name", std::move(name)}, {"type", std::move(type)},  {"a", std::move(a)},
              {"b", std::move(b)},       {"anchor", vector(anchor)}, {"axis", vector(axis)}};
}

inline Json motor(double speed, double max_force) { return Json{{"speed", speed}, {"max_force", max_force}}; }

inline Json servo(double stiffness, double damping, double max_force, Json path) {
  return Json{{"stiffness", stiffness}, {"damping", damping}, {"max_force", max_force}, {"path", std::move(path)}};
}

/// Adds a point to the path of a servo.
inline void rest_at(Json& path, double time, double target) { path.push_back(Json::array({time, target})); }

/// Goes on to a target without a jerk at either end: x = 10 s³ − 15 s⁴ + 6 s⁵, in pieces. The largest acceleration is 5.8 way /
/// time².
inline void move_to(Json& path, double time, double target) {
  const double from_time = path.back()[0].get<double>(), from = path.back()[1].get<double>();
  const int pieces = 100;
  for (int i = 1; i <= pieces; ++i) {
    const double s = static_cast<double>(i) / pieces;
    rest_at(path, from_time + s * (time - from_time), from + (target - from) * s * s * s * (10 + s * (6 * s - 15)));
  }
}

}   // namespace stickslip::document
