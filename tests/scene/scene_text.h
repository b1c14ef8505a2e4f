// Scene documents for tests.
#pragma once

#include <fmt/format.h>

#include <string>

#include "stickslip/math/error.h"
#include "stickslip/scene/scene.h"

namespace stickslip {

/// A scene that holds one body given as JSON text, and whatever else is given before it.
inline std::string with_body(const std::string& body, const std::string& before = "") {
  return fmt::format(R"({{{}"bodies": [{}]}})", before, body);
}

inline const std::string kBall = R"({"name": "ball", "shape": {"type": "sphere", "radius": 1}})";

/// A scene with one ball and the given further fields.
inline std::string with_field(const std::string& field) { return with_body(kBall, field + ", "); }

/// The whole message of the error, or "" if there is none.
inline std::string error_of(const std::string& text, std::vector<Override> overrides = {}) {
  try {
    parse_scene(text, "s.json", overrides);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

inline std::string load_error(const std::string& name, std::vector<Override> overrides = {}) {
  try {
    load_scene(name, overrides);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

inline const Body& named(const Scene& scene, std::string_view name) { return scene.world.body(scene.world.find(name)); }

}   // namespace stickslip
