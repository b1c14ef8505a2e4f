// Mass, centre of mass and inertia of solids of uniform density.
#pragma once

#include "stickslip/geometry/shape.h"

namespace stickslip {

struct MassProperties {
  double mass = 0;               ///< [kg]
  Vec3 center = Vec3::Zero();    ///< centre of mass in the frame of the body [m]
  Mat3 inertia = Mat3::Zero();   ///< about the centre of mass, axes of the body frame [kg m²]

  /// Adds another solid given in the same frame (parallel-axis theorem).
  MassProperties& operator+=(const MassProperties&);

  /// The same solid placed by `pose`.
  MassProperties placed(const Pose& pose) const;
};

/// @param density [kg/m³], > 0
/// @throws Error for a half-space, which has no mass.
MassProperties mass_properties(const Shape&, double density);

/// @throws Error if mass or inertia is not finite and positive, or the principal moments break the triangle inequality.
void validate(const MassProperties&);

}   // namespace stickslip
