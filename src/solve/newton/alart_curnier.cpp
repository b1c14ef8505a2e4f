#include "stickslip/solve/newton/alart_curnier.h"

#include <fmt/format.h>

#include "solve/newton/newton_solve.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

struct AlartCurnierScratch : NewtonScratch {};

}   // namespace

AlartCurnier::AlartCurnier(Options options) : options_(options) {
  if (!(std::isfinite(options.alpha) && options.alpha >= 0))
    throw Error(fmt::format("{} is not a weight of the proximal point. It must be finite and at least 0.", options.alpha))
        .at("alpha");
  if (!(std::isfinite(options.reduction) && options.reduction > 1))
    throw Error(fmt::format("{} does not reduce the weight. It must be finite and greater than 1.", options.reduction))
        .at("reduction");
  if (!(std::isfinite(options.increase) && options.increase > 1))
    throw Error(fmt::format("{} does not increase the weight. It must be finite and greater than 1.", options.increase))
        .at("increase");
  if (!(options.accuracy > 0 && options.accuracy < 1))
    throw Error(fmt::format("{} is not an accuracy of the inner problems. It must be between 0 and 1.", options.accuracy))
        .at("accuracy");
  if (options.inner < 1)
    throw Error(fmt::format("{} inner steps are too few. There must be at least 1.", options.inner)).at("inner");
}

void AlartCurnier::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                           SolveMonitor& monitor) const {
  ProximalNewton::Settings settings;
  settings.alpha = options_.alpha;
  settings.reduction = options_.reduction;
  settings.increase = options_.increase;
  settings.accuracy = options_.accuracy;
  settings.inner = options_.inner;
  if (options_.alpha > 0) settings.linear.kind = LinearSolver::Kind::velocities;
  run_newton(problem, alart_curnier_system, settings, impulses, workspace.scratch<AlartCurnierScratch>(), monitor);
}

}   // namespace stickslip
