// Materials of a glTF file: those of the scene in their colours, or in those of the viewer.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "record/glb.h"
#include "stickslip/world/world.h"

namespace stickslip::glb {

enum class Look : std::uint8_t {
  free,
  fixed,       ///< greyer
  two_sided,   ///< of a surface that has no inside
};

class Materials {
 public:
  /// @returns number in the file
  std::uint32_t find_or_add(const World&, const Collider&, Look);
  /// Of a mesh that brings its own colours. @param image of the file, as its texture @param clear some are not opaque
  /// @param open seen from both sides @param tint that the scene says beside a texture
  std::uint32_t find_or_add_own(std::optional<std::size_t> image, bool clear, bool open, std::optional<Colour> tint);
  const Json& list() const { return list_; }

 private:
  Json list_ = Json::array();
  std::map<std::tuple<std::uint32_t, Look, std::string>, std::uint32_t> number_;   ///< by material, look and own colour
  std::map<std::tuple<std::optional<std::size_t>, bool, bool, std::string>, std::uint32_t> number_of_own_;
};

/// A part of a colour as screens show it (sRGB) in the linear light that glTF asks for, 0 … 1.
float linear_light(double shown);

}   // namespace stickslip::glb
