// Pieces of built-in scenes with soft bodies, and bodies that follow paths.
#pragma once

#include "scene/built_in/compose.h"

namespace stickslip::document {

/// What the solids of a scene are made of.
struct Rubber {
  double young = 1e5;   ///< [Pa]
  double poisson = 0.4;
  double density = 1000;   ///< [kg/m³]
  double damping = 0.01;   ///< of rates of strain [s]

  Json json() const { return {{"young", young}, {"poisson", poisson}, {"density", density}, {"stiffness_damping", damping}}; }
};

inline Json soft(std::string name, Json shape, double size, const Rubber& rubber, const Vec3& position) {
  Json solid = {{"shape", std::move(shape)}, {"size", size}, {"material", rubber.json()}};
  return Json{{"name", std::move(name)}, {"soft", std::move(solid)}, {"position", vector(position)}};
}

inline Json capsule(double radius, double half_height) {
  return Json{{"type", "capsule"}, {"radius", radius}, {"half_height", half_height}};
}
inline Json cylinder(double radius, double half_height) {
  return Json{{"type", "cylinder"}, {"radius", radius}, {"half_height", half_height}};
}

inline Json pin(const Vec3& lower, const Vec3& upper, std::string body = "") {
  Json p = {{"box", {{"lower", vector(lower)}, {"upper", vector(upper)}}}};
  if (!body.empty()) p["body"] = std::move(body);
  return p;
}

inline Json key(double time, const Vec3& position, double degrees = 0, const Vec3& axis = Vec3::UnitX()) {
  return Json{{"time", time}, {"position", vector(position)}, {"rotation", rotation(axis, degrees)}};
}

/// A body that follows a path. @param keys in the world
inline Json driven(Json body, Json keys) {
  body["motion"] = "kinematic";
  body["position"] = keys.front()["position"];
  body["script"] = Json{{"type", "keyframes"}, {"keys", std::move(keys)}};
  return body;
}

}   // namespace stickslip::document
