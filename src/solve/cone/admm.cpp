#include "stickslip/solve/cone/admm.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/cone/admm_engine.h"
#include "solve/cone/cone_set.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

Admm::Admm(Options options) : options_(std::move(options)), coulomb_(cone::wants_coulomb(options_.shift)) {
  if (!(options_.relaxation > 0 && options_.relaxation < 2))
    throw Error(fmt::format("{} is not an over-relaxation. It must be between 0 and 2.", options_.relaxation)).at("relaxation");
  if (!(std::isfinite(options_.proximal) && options_.proximal > 0))
    throw Error(fmt::format("{} is not a proximal weight. It must be finite and greater than 0.", options_.proximal))
        .at("proximal");
  if (!(std::isfinite(options_.penalty) && options_.penalty >= 0))
    throw Error(fmt::format("{} is not a penalty. It must be finite and at least 0; 0 takes it from the spectrum of W.",
                            options_.penalty))
        .at("penalty");
}

void Admm::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                   SolveMonitor& monitor) const {
  AdmmEngine& engine = workspace.scratch<AdmmEngine>();
  const AdmmEngine::Settings settings{options_.proximal, options_.relaxation, options_.penalty, options_.adapt, coulomb_};
  constexpr std::string_view kBroken = "The factorisation of W + (η + ρ) R⁻¹ broke down.";
  if (!engine.setup(problem, settings, impulses)) return monitor.give_up(impulses, SolveStatus::failed, kBroken);
  for (int k = 1;; ++k) {
    const bool intact = engine.iterate();
    std::copy(engine.impulses().begin(), engine.impulses().end(), impulses.begin());
    if (monitor.done(k, impulses)) return;
    if (!intact) return monitor.give_up(impulses, SolveStatus::failed, kBroken);
  }
}

}   // namespace stickslip
