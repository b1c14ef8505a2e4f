// A pair of colliders followed through the motion that a solve gave them.
//
// The rows of contacts know where a step begins, and looks at its end where it ends. What is thin can be passed through in
// between: arms of a body that is not convex swing through a sheet and are outside it again. So the pair is looked at on its
// way, as far ahead at a time as its distance allows, or by a small part of the thinner one where it touches.
#pragma once

#include "step/free_motion.h"
#include "step/velocity_space.h"
#include "stickslip/collide/contact.h"
#include "stickslip/collide/separation.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Two colliders that move as a solve says.
struct MovingPair {
  const Collider &a, &b;
  const Body &body_a, &body_b;
  Twist of_a, of_b;
  Gyroscopic how;

  std::pair<Motion, Motion> at(double time) const;
  double speed() const;   ///< bound of that of approach [m/s]
  /// The same along a unit vector.
  double speed_along(const Vec3& n) const;
};

class PairFollow {
 public:
  /// How a pair fares that is followed.
  struct Found {
    double last;   ///< time up to which it is not too deep; all of the time if it never is [s]
    double deep;   ///< when it was first seen too deep; infinite if never [s]
  };
  /// How far ahead is looked where a pair slides: contacts ahead tell of faces that it may come to, and cost a search for them.
  enum class Sliding { any_step, short_steps };
  /// @param deep what is too deep, unless the pair is as deep at the start, as part of the thinner collider
  Found follow(const MovingPair&, double time, double deep, Sliding);

 private:
  struct Look {
    double gap;    ///< distance, or depth if negative [m]
    Vec3 normal;   ///< along which that counts; zero if there are several
  };
  Look look(const MovingPair&, const std::pair<Motion, Motion>& at, Sliding);

  ContactSink sink_;
  NearestPlace nearest_;   ///< of the pair that is followed
};

}   // namespace stickslip
