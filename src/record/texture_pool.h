// The distinct textures of a record.
#pragma once

#include <map>
#include <vector>

#include "stickslip/world/texture.h"

namespace stickslip {

/// Gives textures numbers from 1 on, equal ones the same; none is 0.
class TexturePool {
 public:
  std::uint32_t find_or_add(const SharedTexture&);
  const std::vector<SharedTexture>& textures() const { return textures_; }

 private:
  std::vector<SharedTexture> textures_;
  std::map<SharedTexture, std::uint32_t> known_;   ///< kept alive, so that no other gets their addresses
};

}   // namespace stickslip
