#include "step/body_kinds.h"

#include "step/free_motion.h"

namespace stickslip {

const BodyKindSteps& rigid_steps();
const BodyKindSteps& nodal_steps();

std::span<const BodyKindSteps* const> body_kinds() {
  static const std::array<const BodyKindSteps*, 2> kinds = {&rigid_steps(), &nodal_steps()};   // in the order of BodyKind
  return kinds;
}

Motion drifted(const World& world, std::uint32_t mover, const Twist& u, Gyroscopic gyroscopic, double t) {
  if (mover < world.bodies().size()) return drifted(world.bodies()[mover], u, gyroscopic, t);
  Motion end = motion_of(world, mover);
  end.velocity = u.linear;
  end.pose.position += t * u.linear;
  return end;
}

}   // namespace stickslip
