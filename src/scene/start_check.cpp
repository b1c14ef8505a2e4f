#include "scene/start_check.h"

#include <cmath>
#include <fmt/ranges.h>

#include "stickslip/math/error.h"
#include "stickslip/solve/registry.h"
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

void check_laws(const World& world, const StepOptions& step, std::vector<std::string>& warnings) {
  const MaterialTable& materials = world.materials;
  std::vector<bool> is_used(materials.size(), false), moves(materials.size(), false);
  for (const Collider& collider : world.colliders()) {
    if (!collider.alive) continue;
    is_used[collider.material.index] = true;
    if (world.bodies()[collider.body].moves_by_forces()) moves[collider.material.index] = true;
  }
  std::unique_ptr<ContactSolver> solver;
  for (std::uint32_t a = 0; a < materials.size(); ++a)
    for (std::uint32_t b = a; b < materials.size(); ++b) {
      if (!is_used[a] || !is_used[b] || !(moves[a] || moves[b])) continue;
      const SurfacePair pair = materials.between({a}, {b});
      if (!pair.law) continue;
      const Material &ma = materials[{a}], &mb = materials[{b}];
      ContactSite site;
      site.h = step.h;
      site.a.surface = &ma.surface;
      site.b.surface = &mb.surface;
      if (!solver) solver = make_solver(step.solver, step.solver_options);
      // Laws that depend on the state may make sets of different kinds at rest and in motion.
      for (const double speed : {0.0, 1.0}) {
        site.slip = speed * Vec3::UnitX();
        const LocalFriction local = local_friction(*pair.law, site);
        const std::string_view reason = solver->cannot_honour(local.set);
        if (reason.empty()) continue;
        throw Error(fmt::format("The solver '{}' cannot honour the friction law '{}' between '{}' and '{}'. {} Solvers that can: {}.", step.solver,
                                pair.law->name, ma.name, mb.name, reason, fmt::join(solvers_that_honour(local.set), ", ")))
            .at("solver")
            .at("step");
      }
      const SurfaceLawInfo& info = surface_law_info(pair.law->name);
      if (!info.warn) continue;
      if (const std::string text = info.warn(*pair.law, ma.surface, mb.surface); !text.empty())
        warnings.push_back(fmt::format("Friction between '{}' and '{}': {}", ma.name, mb.name, text));
    }
}

}  // namespace stickslip::document
