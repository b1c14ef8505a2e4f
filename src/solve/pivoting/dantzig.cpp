#include "stickslip/solve/pivoting/dantzig.h"

#include <fmt/format.h>

#include "math/infinity.h"
#include "solve/pivoting/free_rows.h"
#include "solve/pivoting/friction_bounds.h"
#include "solve/pivoting/incremental.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr double kTrace = 1e-10;   // of a diagonal that keeps the sparse factor alive where contacts are redundant

struct DantzigScratch {
  BoxedLcp view;
  Incremental moves;
  FreeRows rows;
  FrictionBounds friction;
  std::vector<double> right, trial;
  std::vector<RowPlace> places;

  std::span<double> impulses() { return {moves.impulses.data(), static_cast<std::size_t>(moves.impulses.size())}; }

  void set_up(const ContactProblem& problem, double redundancy) {
    view = as_blcp(problem);
    const std::size_t n = view.rows();
    right.resize(n);
    trial.resize(n);
    places.resize(n);
    moves.w = view.W.dense();
    moves.b = Eigen::Map<const Eigen::VectorXd>(view.b.data(), static_cast<Eigen::Index>(n));
    moves.lower = Eigen::Map<const Eigen::VectorXd>(view.lower.data(), static_cast<Eigen::Index>(n));
    moves.upper = Eigen::Map<const Eigen::VectorXd>(view.upper.data(), static_cast<Eigen::Index>(n));
    moves.start(redundancy);
    friction.start(view, trial);
    for (std::size_t i = 0; i < n; ++i) right[i] = kTrace * friction.scale[i];
    if (view.has_friction) rows.set(view.W, right);
  }

  /// How much a waiting row breaks its condition [m/s].
  double violation(Eigen::Index i) const {
    if (moves.v[i] < 0) return moves.impulses[i] < moves.upper[i] ? -moves.v[i] : 0;
    return moves.impulses[i] > moves.lower[i] ? moves.v[i] : 0;
  }

  int stage(Eigen::Index i) const {
    if (view.normal_row[i] >= 0) return 2;
    return view.lower[i] == -kInfinity && view.upper[i] == kInfinity ? 0 : 1;
  }
};

/// Takes all rows in: joints, normals and boxes, friction.
Incremental::Outcome take_in_all(DantzigScratch& s, SolveMonitor& monitor, int& iteration) {
  Incremental& m = s.moves;
  for (int stage = 0; stage < 3; ++stage)
    while (true) {
      Eigen::Index worst = -1;
      double most = -1;
      for (Eigen::Index i = 0; i < m.b.size(); ++i) {
        if (m.places[i] != Incremental::Place::waiting || s.stage(i) != stage) continue;
        if (stage == 2) {
          const double normal = std::max(m.impulses[s.view.normal_row[i]], 0.0);
          m.upper[i] = s.view.coefficient_upper[i] * normal;
          m.lower[i] = -s.view.coefficient_lower[i] * normal;
        }
        if (s.violation(i) > most) most = s.violation(i), worst = i;
      }
      if (worst < 0) break;
      if (const auto outcome = m.take_in(worst, monitor, iteration); outcome != Incremental::Outcome::done) return outcome;
    }
  return Incremental::Outcome::done;
}

std::string_view reason_of(Incremental::Outcome outcome) {
  switch (outcome) {
    case Incremental::Outcome::unbounded:
      return "No impulse brings a row to rest: constraints contradict each other.";
    case Incremental::Outcome::indefinite:
      return "W is not positive semidefinite: an impulse drives its own row the wrong way.";
    default:
      return "Pivots of no length do not end.";
  }
}

/// The index sets with friction at its bounds in the unknowns, as an iterate of its own. Idle rows count as free: the trace
/// of a diagonal makes that solvable.
bool try_coupled(DantzigScratch& s, SolveMonitor& monitor, int& iteration) {
  for (std::size_t i = 0; i < s.places.size(); ++i) {
    const Incremental::Place place = s.moves.places[i];
    s.trial[i] = s.moves.impulses[static_cast<Eigen::Index>(i)];
    s.right[i] = -s.view.b[i] + kTrace * s.friction.scale[i] * s.trial[i];
    s.places[i] = place == Incremental::Place::lower   ? RowPlace::lower
                  : place == Incremental::Place::upper ? RowPlace::upper
                                                       : RowPlace::free;
  }
  if (!s.rows.solve_coupled(s.view, s.places, s.right, s.trial)) return false;
  return monitor.done(++iteration, s.trial);
}

}   // namespace

Dantzig::Dantzig(Options options) : options_(options) {
  if (!(options.redundancy > 0 && options.redundancy < 0.1))
    throw Error(fmt::format("{} is not a threshold for redundant rows. It must be between 0 and 0.1.", options.redundancy))
        .at("redundancy");
}

std::string_view Dantzig::cannot_solve(const ContactProblem& problem) const {
  if (problem.rows() > kMaxRows)
    return "The dense factor is limited to 3000 rows, that is 1000 contacts: take bpp or a splitting method.";
  if (!problem.is_factored() && !problem.matrix.is_symmetric())
    return "W is not symmetric, which Baraff's invariants need: take lemke, murty or bpp.";
  return {};
}

void Dantzig::iterate(const ContactProblem& problem, std::span<double>, Workspace& workspace, SolveMonitor& monitor) const {
  DantzigScratch& s = workspace.scratch<DantzigScratch>();
  s.set_up(problem, options_.redundancy);
  int iteration = 0;
  Incremental::Outcome outcome = take_in_all(s, monitor, iteration);
  ++iteration;
  while (outcome == Incremental::Outcome::done) {
    s.moves.refine();
    if (monitor.done(iteration, s.impulses())) return;
    if (s.view.has_friction && s.friction.differs(s.view, s.impulses()) && try_coupled(s, monitor, iteration)) return;
    if (!s.friction.update(s.view, s.impulses(), monitor.best_total()))
      return monitor.give_up(s.impulses(), SolveStatus::stalled,
                             "The friction bounds do not settle, or rounding is above the tolerance.");
    const auto n = static_cast<Eigen::Index>(s.view.rows());
    outcome = s.moves.move_bounds(Eigen::Map<const Eigen::VectorXd>(s.friction.lower.data(), n),
                                  Eigen::Map<const Eigen::VectorXd>(s.friction.upper.data(), n), monitor, iteration);
  }
  if (outcome != Incremental::Outcome::stopped)
    monitor.give_up(s.impulses(), outcome == Incremental::Outcome::stuck ? SolveStatus::stalled : SolveStatus::failed,
                    reason_of(outcome));
}

}   // namespace stickslip
