// Copies of a body in a scene document.
#pragma once

#include "scene/reader.h"

namespace stickslip::document {

/// Copies of a body on a grid: count[i] of them along axis i, step[i] apart.
struct Repeat {
  int count[3] = {1, 1, 1};
  Vec3 step = Vec3::Zero();   ///< [m]
};

Repeat read_repeat(const Place&);

/// Calls f with every copy of a body; without a repeat, with the body. @pre the description has a name and a pose
template <class Description, class F>
void for_each_copy(const std::optional<Repeat>& repeat, const Description& body, F&& f) {
  if (!repeat) return f(body);
  int index = 0;
  for (int z = 0; z < repeat->count[2]; ++z)
    for (int y = 0; y < repeat->count[1]; ++y)
      for (int x = 0; x < repeat->count[0]; ++x) {
        Description copy = body;
        if (!copy.name.empty()) copy.name += fmt::format("-{}", index++);
        copy.pose.position += repeat->step.cwiseProduct(Vec3(x, y, z));
        f(std::move(copy));
      }
}

}   // namespace stickslip::document
