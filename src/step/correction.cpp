#include "step/correction.h"

#include <cmath>
#include <limits>

namespace stickslip {

Correction correction(const Stabilisation& stabilisation, double h) {
  if (const auto* baumgarte = std::get_if<Baumgarte>(&stabilisation))
    return {baumgarte->error_reduction, baumgarte->compliance};
  if (const auto* spring = std::get_if<SpringDamper>(&stabilisation)) {
    const double hk = h * spring->stiffness;
    return {hk / (hk + spring->damping), 1 / (h * (hk + spring->damping))};
  }
  return {};
}

double fastest_recovery(const World& world, double size) {
  const double g = world.gravity.norm();
  return g > 0 ? std::sqrt(2 * g * size) : std::numeric_limits<double>::infinity();
}

}   // namespace stickslip
