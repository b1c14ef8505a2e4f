#include "stickslip/solve/newton/boxed_newton.h"

#include <fmt/format.h>

#include "solve/model_option.h"
#include "solve/newton/newton_solve.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"
#include "stickslip/solve/splitting/projected_sor.h"

namespace stickslip {

namespace {

struct BoxedScratch : NewtonScratch {};

/// How far the semi-staggered start solves the normals before friction joins: fraction of the error at its beginning.
constexpr double kStaggeredAccuracy = 1e-3;

LinearSolver::Kind linear_kind(const std::string& name) {
  if (name == "direct") return LinearSolver::Kind::direct;
  if (name == "gmres") return LinearSolver::Kind::gmres;
  if (name == "fletcher-reeves") return LinearSolver::Kind::fletcher_reeves;
  const std::string known[] = {"direct", "gmres", "fletcher-reeves"};
  throw Error(fmt::format("There is no linear solver '{}'. {}", name, suggest(name, known, std::size(known)))).at("linear");
}

}   // namespace

BoxedNewton::BoxedNewton(Options options) : options_(std::move(options)) {
  linear_kind(options_.linear);
  choose(options_.line_search, {"nonmonotone", "armijo"}, "line_search");
  if (options_.sweeps < 0)
    throw Error(fmt::format("{} sweeps cannot be made. There must be at least 0.", options_.sweeps)).at("sweeps");
  if (options_.staggered < 0)
    throw Error(fmt::format("{} steps cannot be made. There must be at least 0.", options_.staggered)).at("staggered");
  if (!(std::isfinite(options_.alpha) && options_.alpha >= 0))
    throw Error(fmt::format("{} is not a weight of the proximal point. It must be finite and at least 0.", options_.alpha))
        .at("alpha");
  if (options_.linear_iterations < 1)
    throw Error(fmt::format("{} iterations are too few. There must be at least 1.", options_.linear_iterations))
        .at("linear_iterations");
  if (!(options_.linear_tolerance > 0 && options_.linear_tolerance < 1))
    throw Error(fmt::format("{} is not a relative tolerance. It must be between 0 and 1.", options_.linear_tolerance))
        .at("linear_tolerance");
}

void BoxedNewton::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                          SolveMonitor& monitor) const {
  BoxedScratch& scratch = workspace.scratch<BoxedScratch>();
  ProximalNewton::Settings settings;
  settings.alpha = options_.alpha;
  settings.monotone = options_.line_search == "armijo";
  settings.linear = {linear_kind(options_.linear), options_.linear_iterations, options_.linear_tolerance,
                     options_.precondition};
  monitor.charge(sweep_first(ProjectedSor({}), options_.sweeps, problem, impulses, scratch, monitor));
  int iteration = 0;
  if (options_.staggered > 0) {
    scratch.newton.set(settings);
    scratch.newton.start(problem, impulses, system(false));
    const double start = scratch.newton.error();
    while (iteration < options_.staggered && scratch.newton.error() > kStaggeredAccuracy * start &&
           scratch.newton.step(impulses)) {
      monitor.charge(scratch.newton.step_cost());
      if (monitor.done(++iteration, impulses)) return;
    }
  }
  run_newton(problem, system(true), settings, impulses, scratch, monitor, iteration, true);
}

const NewtonSystem& MinMapNewton::system(bool friction) const { return friction ? min_map_system : min_map_normal_system; }
const NewtonSystem& FischerNewton::system(bool friction) const { return friction ? fischer_system : fischer_normal_system; }

}   // namespace stickslip
