#include "scene/start_check.h"

#include <cmath>

#include "stickslip/math/error.h"
#include "stickslip/step/stepper.h"

namespace stickslip::document {

std::string readable_length(double metres) {
  const double size = std::abs(metres);
  if (size >= 1000) return fmt::format("{:.3g} km", metres / 1000);
  if (size >= 1) return fmt::format("{:.3g} m", metres);
  if (size >= 1e-3) return fmt::format("{:.3g} mm", metres * 1e3);
  if (size >= 1e-6) return fmt::format("{:.3g} µm", metres * 1e6);
  return fmt::format("{:.3g} nm", metres * 1e9);
}

void check_start(const World& world, bool allow_overlap, std::vector<std::string>& warnings) {
  check_colliders(world);
  const std::vector<Overlap> overlaps = find_overlaps(world);
  if (overlaps.empty()) return;
  const Overlap& deepest = overlaps.front();
  const std::string text = fmt::format("'{}' and '{}' overlap by {} at the start{}.", world.body(deepest.a).name,
                                       world.body(deepest.b).name, readable_length(deepest.depth),
                                       overlaps.size() == 1 ? "" : fmt::format(", the deepest of {} pairs", overlaps.size()));
  if (!allow_overlap) throw Error(text + " Move them apart, or set \"allow_overlap\" to true.");
  warnings.push_back(text);
}

}  // namespace stickslip::document
