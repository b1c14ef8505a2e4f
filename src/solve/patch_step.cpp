#include "solve/patch_step.h"

#include <cmath>

namespace stickslip {

PatchFactors PatchFactors::of(const ContactScale& scale, double relaxation) {
  const auto usable = [](double mass) { return std::isfinite(mass) && mass > 0 ? mass : 0; };
  return {relaxation * usable(scale.normal_mass), relaxation * usable(scale.friction_mass)};
}

void patch_step(const PatchFriction& law, const PatchMap& w, const PatchFactors& r, RowSet rows, PatchBlock& v,
                PatchBlock& impulse) {
  if (rows != RowSet::friction) {
    const Vec3 old = PatchFriction::unilateral(impulse);
    const Vec3 next = law.patch().project_on_cone(old - r.unilateral * PatchFriction::unilateral(v)), change = next - old;
    v += w.col(0) * change[0] + w.col(4) * change[1] + w.col(5) * change[2];
    impulse = PatchFriction::block(next, PatchFriction::rubbing(impulse));
  }
  if (rows != RowSet::normal) {
    const Vec3 old = PatchFriction::rubbing(impulse);
    const Vec3 next = law.friction().project(impulse[0], old - r.friction * PatchFriction::rubbing(v)), change = next - old;
    v += w.col(1) * change[0] + w.col(2) * change[1] + w.col(3) * change[2];
    impulse = PatchFriction::block(PatchFriction::unilateral(impulse), next);
  }
}

void patch_steps(const PatchFriction& law, const PatchMap& w, const PatchFactors& r, PatchBlock v, PatchBlock& impulse) {
  constexpr int most = 12;
  constexpr double little = 1e-3;   // of what all steps together moved
  const PatchBlock first = impulse;
  for (int k = 0; k < most; ++k) {
    const PatchBlock before = impulse;
    patch_step(law, w, r, RowSet::all, v, impulse);
    if (!((impulse - before).cwiseAbs().maxCoeff() > little * (impulse - first).cwiseAbs().maxCoeff())) return;
  }
}

double patch_moved(const ContactScale& scale, const PatchBlock& before, const PatchBlock& after) {
  const PatchBlock change = (after - before).cwiseAbs();
  return std::max(PatchFriction::unilateral(change).maxCoeff() / scale.normal_mass,
                  PatchFriction::rubbing(change).maxCoeff() / scale.friction_mass);
}

PatchError patch_error(const PatchFriction& law, const PatchFactors& r, const PatchBlock& v, const PatchBlock& impulse) {
  PatchError error;
  const Vec3 u = PatchFriction::unilateral(impulse), f = PatchFriction::rubbing(impulse);
  if (r.unilateral > 0)
    error.unilateral = (u - law.patch().project_on_cone(u - r.unilateral * PatchFriction::unilateral(v))).norm() / r.unilateral;
  if (r.friction > 0)
    error.friction = (f - law.friction().project(u[0], f - r.friction * PatchFriction::rubbing(v))).norm() / r.friction;
  return error;
}

}   // namespace stickslip
