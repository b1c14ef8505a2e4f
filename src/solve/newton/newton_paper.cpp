#include "stickslip/solve/newton/newton_paper.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/boxed_sweep.h"
#include "solve/model_option.h"
#include "solve/newton/linear_solvers.h"
#include "solve/newton/maps.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

enum class PaperLinear { direct, gmres, fletcher_reeves, differences };

struct NewtonPaperScratch {
  BlockMatrix w;
  Linearisation map, trial_map;
  NewtonMatrix matrix;
  KrylovScratch krylov;
  std::vector<double> rho, v, dv, direction, trial, trial_v;
};

double half_square(std::span<const double> phi) {
  double sum = 0;
  for (const double value : phi) sum += 0.5 * value * value;
  return sum;
}

/// One system of equations, with friction or without, and its Newton steps.
class PaperSteps {
 public:
  PaperSteps(const ContactProblem& problem, const NewtonSystem& system, const NewtonPaper::Options& options,
             NewtonPaperScratch& scratch)
      : p_(problem), system_(system), options_(options), s_(scratch) {}

  /// Φ and v at λ. Returns Ψ.
  double evaluate(std::span<const double> impulses) {
    s_.w.multiply(impulses, s_.v);
    for (std::size_t k = 0; k < p_.rows(); ++k) s_.v[k] += p_.b[k];
    system_.evaluate(p_, s_.rho, impulses, s_.v, s_.map, true);
    return half_square(s_.map.phi);
  }

  /// H Δ = Φ, where `evaluate` was called. False if there is no solution.
  bool solve(PaperLinear linear, std::span<const double> impulses) {
    const int most = options_.linear_iterations > 0 ? options_.linear_iterations : static_cast<int>(p_.rows());
    const LinearSolver settings{LinearSolver::Kind::direct, most, options_.linear_tolerance, false};
    if (linear != PaperLinear::differences) s_.matrix.assemble(s_.w, s_.map);
    switch (linear) {
      case PaperLinear::direct:
        return s_.matrix.factorize() && s_.matrix.solve(s_.map.phi, s_.direction);
      case PaperLinear::gmres:
        return gmres(s_.matrix, s_.map, s_.map.phi, settings, s_.krylov, s_.direction);
      case PaperLinear::fletcher_reeves:
        return fletcher_reeves(s_.matrix, s_.map.phi, settings, s_.krylov, s_.direction);
      case PaperLinear::differences:
        return fletcher_reeves([&](std::span<const double> x, std::span<double> y) { difference(impulses, x, y); }, s_.map.phi,
                               settings, s_.krylov, s_.direction);
    }
    return false;
  }

  /// λ ← λ − αΔ with the first α of 1, 1/2, … that meets (38). False, with λ as it was, if none does.
  bool search(bool armijo, double psi, std::span<double> impulses) {
    s_.w.multiply(s_.direction, s_.dv);
    for (int k = 0; k <= options_.halvings; ++k) {
      const double alpha = std::ldexp(1.0, -k);
      for (std::size_t i = 0; i < impulses.size(); ++i) {
        s_.trial[i] = impulses[i] - alpha * s_.direction[i];
        s_.trial_v[i] = s_.v[i] - alpha * s_.dv[i];
      }
      if (armijo) {
        system_.evaluate(p_, s_.rho, s_.trial, s_.trial_v, s_.trial_map, false);
        if (!(half_square(s_.trial_map.phi) <= (1 - 2 * alpha * options_.armijo) * psi)) continue;
      }
      std::copy(s_.trial.begin(), s_.trial.end(), impulses.begin());
      return true;
    }
    return false;
  }

 private:
  /// y = (Φ(λ + hx) − Φ(λ))/h (53).
  void difference(std::span<const double> impulses, std::span<const double> x, std::span<double> y) {
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(impulses[i]));
      size = std::max(size, std::abs(x[i]));
    }
    const double h = size > 0 ? options_.difference * (1 + largest) / size : 1;
    for (std::size_t i = 0; i < x.size(); ++i) s_.trial[i] = impulses[i] + h * x[i];
    s_.w.multiply(s_.trial, s_.trial_v);
    for (std::size_t i = 0; i < x.size(); ++i) s_.trial_v[i] += p_.b[i];
    system_.evaluate(p_, s_.rho, s_.trial, s_.trial_v, s_.trial_map, false);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = (s_.trial_map.phi[i] - s_.map.phi[i]) / h;
  }

  const ContactProblem& p_;
  const NewtonSystem& system_;
  const NewtonPaper::Options& options_;
  NewtonPaperScratch& s_;
};

const std::vector<std::string> kPaperFunctions = {"fischer", "min-map"};
const std::vector<std::string> kPaperLinears = {"direct", "gmres", "fletcher-reeves", "fletcher-reeves-fd"};
const std::vector<std::string> kPaperSearches = {"armijo", "none"};

NewtonPaperScratch& prepare_paper(const ContactProblem& problem, Workspace& workspace) {
  NewtonPaperScratch& s = workspace.scratch<NewtonPaperScratch>();
  s.w = delassus(problem);
  s.map.resize(problem.blocks);
  s.trial_map.resize(problem.blocks);
  s.matrix.set_up(s.w, s.map);
  s.rho.assign(problem.rows(), 1.0);   // velocities as they are
  for (std::vector<double>* v : {&s.v, &s.dv, &s.direction, &s.trial, &s.trial_v}) v->assign(problem.rows(), 0.0);
  return s;
}

}   // namespace

NewtonPaper::NewtonPaper(Options options) : options_(std::move(options)) {
  choose(options_.function, kPaperFunctions, "function");
  choose(options_.linear, kPaperLinears, "linear");
  choose(options_.line_search, kPaperSearches, "line_search");
  check_at_least(options_.linear_iterations, 0, "linear_iterations");
  check_at_least(options_.halvings, 0, "halvings");
  check_at_least(options_.sweeps, 0, "sweeps");
  check_at_least(options_.staggered_tolerance, 0, "staggered_tolerance");
  check_at_least(options_.staggered_steps, 0, "staggered_steps");
  if (!(options_.linear_tolerance > 0 && options_.linear_tolerance < 1))
    throw Error(fmt::format("{} is not a relative tolerance. It must be between 0 and 1.", options_.linear_tolerance))
        .at("linear_tolerance");
  if (!(options_.difference > 0 && std::isfinite(options_.difference)))
    throw Error(fmt::format("{} is not a length of differences. It must be finite and greater than 0.", options_.difference))
        .at("difference");
  if (!(options_.armijo > 0 && options_.armijo < 0.5))
    throw Error(fmt::format("{} is not a part of a decrease. It must be between 0 and 0.5.", options_.armijo)).at("armijo");
}

void NewtonPaper::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                          SolveMonitor& monitor) const {
  NewtonPaperScratch& s = prepare_paper(problem, workspace);
  const bool fischer = choose(options_.function, kPaperFunctions, "function") == 0, armijo = options_.line_search == "armijo";
  const auto linear = static_cast<PaperLinear>(choose(options_.linear, kPaperLinears, "linear"));
  PaperSteps normals(problem, fischer ? fischer_normal_system : min_map_normal_system, options_, s);
  PaperSteps all(problem, fischer ? paper_fischer_system : paper_min_map_system, options_, s);
  int iteration = 0;
  if (options_.sweeps > 0) {
    Acceleration plain(problem, impulses, workspace, false);
    for (int k = 0; k < options_.sweeps; ++k) {
      boxed_sweep(problem, impulses, workspace.velocity, plain.next());
      monitor.charge(1);
      if (monitor.done(++iteration, impulses)) return;
    }
  }
  const double factorisation = std::pow(static_cast<double>(problem.rows()), 3) / (3 * static_cast<double>(s.w.values.size()));
  bool staggered = options_.staggered;
  for (int held = 0;;) {
    double psi = (staggered ? normals : all).evaluate(impulses);
    if (staggered && (psi <= options_.staggered_tolerance || held++ == options_.staggered_steps)) {
      staggered = false;
      psi = all.evaluate(impulses);
    }
    PaperSteps& steps = staggered ? normals : all;
    s.krylov.products = 0;
    const bool solved = steps.solve(linear, impulses), moved = solved && steps.search(armijo, psi, impulses);
    monitor.charge(2 + (linear == PaperLinear::direct ? factorisation : s.krylov.products));
    const bool stuck = !moved && !staggered;
    if (!moved) staggered = false;   // the start has done what it can
    if (monitor.done(++iteration, impulses)) return;
    if (stuck)
      return monitor.give_up(impulses, SolveStatus::stalled,
                             solved ? "No step length brings the merit function down." : "The Newton equation is singular.");
  }
}

}   // namespace stickslip
