#include "record/texture_pool.h"

#include <algorithm>

namespace stickslip {

std::uint32_t TexturePool::find_or_add(const SharedTexture& texture) {
  if (!texture) return 0;
  if (const auto found = known_.find(texture); found != known_.end()) return found->second;
  const auto equal = std::ranges::find_if(textures_, [&](const SharedTexture& other) { return *other == *texture; });
  const auto number = static_cast<std::uint32_t>(equal - textures_.begin()) + 1;
  if (equal == textures_.end()) textures_.push_back(texture);
  known_.emplace(texture, number);
  return number;
}

}   // namespace stickslip
