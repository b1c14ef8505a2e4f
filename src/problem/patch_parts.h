// The parts of the residual that the unilateral rows of a patch have (problem/residual.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "stickslip/friction/patch.h"

namespace stickslip {

/// [m/s]; NaN where a number is.
struct PatchParts {
  double gap_velocity = 0, complementarity = 0, cone = 0;
};

/// @param mass see ContactScale @param v, impulse of the rows n, rolling t, rolling b
inline PatchParts patch_parts(const PressurePatch& patch, double mass, const Vec3& v, const Vec3& impulse) {
  PatchParts parts;
  parts.gap_velocity = std::max(-patch.parting_velocity(v), 0.0) + 0 * v.sum();
  if (!(mass > 0 && std::isfinite(mass))) return parts;   // nothing can move
  const Vec3 allowed = patch.project_on_cone(impulse), parting = v + patch.project_on_cone(-v);
  parts.cone = (impulse - allowed).norm() / mass;
  parts.complementarity = (allowed - patch.project_on_cone(allowed - mass * parting)).norm() / mass;
  return parts;
}

}   // namespace stickslip
