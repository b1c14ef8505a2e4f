// Springs by which viewers pull bodies about.
#pragma once

#include <cstdint>
#include <map>

#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip::serve {

using ViewerId = std::uint64_t;   ///< from 1; never used twice

struct Drag {
  BodyId body;
  Vec3 local = Vec3::Zero();      ///< the point held: body axes, from the centre of mass [m]
  Vec3 target = Vec3::Zero();     ///< where it is pulled, world frame [m]
  std::uint32_t node = kNoNode;   ///< that is held, of a body of nodes; kNoNode: the nearest to `local` when the drag begins
};

/// Force at the centre of mass and torque of the spring. With r the arm of the point p, its inverse mass is
/// K = m⁻¹ 1 − [r] I⁻¹ [r], and
///
///     F = K⁻¹ (ω² (target − p) − 2 ω ṗ),   τ = r × F − ½ ω I ω_body
///
/// makes a free point approach its target as a critically damped oscillator, whatever the mass and the arm; the second part
/// of τ lets a body that hangs come to rest. ω = √(20 |g| / size), so that a hanging body sags by a twentieth of its size,
/// but at most 1/(4 h), which the explicit step bears; ω = 1/(10 h) without gravity. The pull is never more than over four
/// sizes of the body.
/// @pre the body is rigid
Wrench drag_wrench(const World&, const Drag&, double h);

/// The same for a node x of mass m: impulse of a step [N s], h m (ω² (target − x) − 2 ω ẋ). The size is that of its bead.
Vec3 node_impulse(const World&, const Drag&, double h);

/// The drags of all viewers, one each; they add to the forces that the scene applies.
class Drags {
 public:
  /// @throws Error if the body cannot be dragged or the point is far outside.
  void set(World&, ViewerId, const Drag&);
  void release(World&, ViewerId);
  /// Forgets all without touching the world.
  void clear();
  /// Before every step: replaces the applied forces of the bodies that are dragged, and pushes the nodes that are.
  void apply(World&, double h) const;

 private:
  struct Applied {
    Vec3 force, torque;
  };
  std::map<ViewerId, Drag> drags_;
  std::map<BodyId, Applied> own_;   ///< what the scene applies to the rigid bodies that are dragged
};

}   // namespace stickslip::serve
