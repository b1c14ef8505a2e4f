// Pieces of built-in scenes with meshes.
#pragma once

#include "scene/built_in/compose.h"
#include "stickslip/mesh/make_mesh.h"

namespace stickslip::document {

inline Json mesh(std::string name) { return Json{{"type", "mesh"}, {"mesh", std::move(name)}}; }

inline Json corners(const Polygon& polygon) {
  Json list = Json::array();
  for (const Vec2& p : polygon) list.push_back(Json::array({p.x(), p.y()}));
  return list;
}

inline Json points(const std::vector<Vec3>& path) {
  Json list = Json::array();
  for (const Vec3& p : path) list.push_back(vector(p));
  return list;
}

/// An entry of "meshes".
inline Json made(std::string name, std::string make, Json numbers) {
  Json entry = {{"name", std::move(name)}, {"make", std::move(make)}};
  entry.update(numbers);
  return entry;
}

inline Json revolved(std::string name, const Polygon& profile, int segments) {
  return made(std::move(name), "revolve", {{"profile", corners(profile)}, {"segments", segments}});
}

inline Json fixed(Json body) {
  body["motion"] = "fixed";
  return body;
}

/// A scene with meshes. @param seconds worth watching @param h step [s]
inline Json compose_meshes(double seconds, double h, Json materials, Json meshes, Json bodies) {
  Json document = compose(seconds, h, std::move(materials), std::move(bodies));
  document["meshes"] = std::move(meshes);
  return document;
}

}   // namespace stickslip::document
