// The friction law of an area of contact (docs/patches.md): where its pressure may act, and an ellipsoid of sliding and
// torsion.
#pragma once

#include "step/recycled.h"
#include "stickslip/collide/contact.h"
#include "stickslip/friction/surface_law.h"

namespace stickslip {

/// The plane of an area seen in the frame of its contact: turns what is along `patch.t` and its b into that along t and b.
Mat2 turned_into(const Mat3& frame, const ContactPatch&);

class AreaLaws {
 public:
  void begin_round() { laws_.begin_round(); }

  /// The law over an area whose places have the law `local`. Its tangent is that of `local`, or the area's. An even pressure
  /// resists spin about the middle with the mean of what places do there; torsion of the places themselves comes beside it.
  /// Rolling widens the area: pressure may act as far outside of it as its disc reaches.
  /// @param length of the torsion and rolling rows of `local`; those of the area have its radius [m]
  /// @throws Error if it is the law of points only
  LocalFriction over(const ContactPatch&, const Vec3& normal, const LocalFriction& local, double length);

  /// Slip for which the law of an area is looked up: in direction that of its middle, as fast as all of it is in the mean.
  /// @param slip of the middle [m/s] @param spin about the normal [rad/s]
  Vec3 mean_slip(const ContactPatch&, const Vec3& slip, double spin);

 private:
  void cover(PressurePatch&, const ContactPatch&, const Mat2& turn, double length, double wider);

  Recycled<PatchSet> laws_;
  PressurePatch area_ = PressurePatch::polygon({Vec2::Zero()});   ///< of which the mean slip is looked for
  std::vector<Vec2> places_;
};

/// How far the moments of the rolling part of a law reach [m]. @param length as above
double rolling_reach(const FrictionSet& local, double length);

}   // namespace stickslip
