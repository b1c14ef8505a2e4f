// Materials of a glTF file: those of the scene in the colours of the viewer.
#pragma once

#include <map>

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
  std::uint32_t find_or_add(const World&, MaterialId, Look);
  const Json& list() const { return list_; }

 private:
  Json list_ = Json::array();
  std::map<std::pair<std::uint32_t, Look>, std::uint32_t> number_;
};

}   // namespace stickslip::glb
