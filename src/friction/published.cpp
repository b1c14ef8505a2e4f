// Coefficients of friction from the literature.
#include <cmath>
#include <limits>

#include "stickslip/friction/surface_law.h"
#include "stickslip/math/error.h"

#include <fmt/format.h>

namespace stickslip {

const std::vector<PublishedFriction>& published_friction() {
  static const std::string serway = "R. A. Serway, Physics for Scientists and Engineers, table of coefficients of friction";
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<PublishedFriction> table = {
      {"steel-on-steel", 0.74, 0.57, serway},
      {"aluminium-on-steel", 0.61, 0.47, serway},
      {"copper-on-steel", 0.53, 0.36, serway},
      {"rubber-on-concrete", 1.0, 0.8, serway},
      {"wood-on-wood", 0.375, 0.2, serway + "; static is given there as 0.25 to 0.5, of which this is the middle"},
      {"glass-on-glass", 0.94, 0.4, serway},
      {"waxed-wood-on-wet-snow", 0.14, 0.1, serway},
      {"waxed-wood-on-dry-snow", unknown, 0.04, serway},
      {"lubricated-metal-on-metal", 0.15, 0.06, serway},
      {"ice-on-ice", 0.1, 0.03, serway},
      {"teflon-on-teflon", 0.04, 0.04, serway},
      {"synovial-joint", 0.01, 0.003, serway + " (joints in humans)"},
  };
  return table;
}

SurfaceLaw published_law(std::string_view name) {
  std::vector<std::string> names;
  for (const PublishedFriction& entry : published_friction()) {
    if (entry.name == name) {
      if (std::isnan(entry.mu_static)) return make_surface_law("coulomb", {{"friction", entry.mu_kinetic}});
      if (std::isnan(entry.mu_kinetic)) return make_surface_law("coulomb", {{"friction", entry.mu_static}});
      return make_surface_law("static-kinetic", {{"static", entry.mu_static}, {"kinetic", entry.mu_kinetic}});
    }
    names.push_back(entry.name);
  }
  throw Error(fmt::format("There is no published friction of '{}'. {}", name, suggest(name, names)));
}

}   // namespace stickslip
