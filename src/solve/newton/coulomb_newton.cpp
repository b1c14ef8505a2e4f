#include "stickslip/solve/newton/coulomb_newton.h"

#include <fmt/format.h>

#include "solve/newton/newton_solve.h"
#include "stickslip/friction/sets.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"
#include "stickslip/solve/prox/prox_gauss_seidel.h"

namespace stickslip {

namespace {

struct CoulombScratch : NewtonScratch {};

}   // namespace

CoulombNewton::CoulombNewton(Options options) : options_(std::move(options)) {
  if (options_.function != "fischer" && options_.function != "min-map") {
    const std::string known[] = {"fischer", "min-map"};
    throw Error(
        fmt::format("There is no function '{}'. {}", options_.function, suggest(options_.function, known, std::size(known))))
        .at("function");
  }
  if (!(std::isfinite(options_.alpha) && options_.alpha >= 0))
    throw Error(fmt::format("{} is not a weight of the proximal point. It must be finite and at least 0.", options_.alpha))
        .at("alpha");
  if (options_.sweeps < 0)
    throw Error(fmt::format("{} sweeps cannot be made. There must be at least 0.", options_.sweeps)).at("sweeps");
}

std::string_view CoulombNewton::cannot_honour(const FrictionSet& law) const {
  return std::visit(
      []<class Law>(const Law& l) -> std::string_view {
        if constexpr (requires { dynamic_cast<const FullSet*>(l.set.get()); })
          if (dynamic_cast<const FullSet*>(l.set.get()) == nullptr)
            return "The system is written for ellipsoids and products of them: take alart-curnier for other friction sets.";
        return {};
      },
      law);
}

void CoulombNewton::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                            SolveMonitor& monitor) const {
  CoulombScratch& scratch = workspace.scratch<CoulombScratch>();
  ProximalNewton::Settings settings;
  settings.alpha = options_.alpha;
  sweep_first(ProxGaussSeidel({}), options_.sweeps, problem, impulses, scratch, monitor);
  run_newton(problem, options_.function == "fischer" ? coulomb_fischer_system : coulomb_min_map_system, settings, impulses,
             scratch, monitor);
}

}   // namespace stickslip
