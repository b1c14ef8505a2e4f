// The impulses of the last step, kept so that the next solve starts from them. Part of the state of a world: the same
// memory gives the same next step, to the bit.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stickslip/geometry/contact_key.h"
#include "stickslip/math/types.h"

namespace stickslip {

struct RememberedImpulse {
  ContactKey key;
  Vec3 impulse;           ///< on body B, world frame [N s]
  Vec3 angular_impulse;   ///< of torsion and rolling friction on body B, world frame [N m s]
  /// Of the contact, world frame [m]; not a number if unknown.
  Vec3 position = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
};

/// Sorted by key.
struct ContactMemory {
  std::vector<RememberedImpulse> impulses;
  double h = 0;   ///< step that produced them [s]
};

}   // namespace stickslip
