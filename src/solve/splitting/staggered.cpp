#include "stickslip/solve/splitting/staggered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/deadline.h"
#include "solve/model_option.h"
#include "solve/row_sweep.h"
#include "solve/splitting/staggered_sweeps.h"
#include "stickslip/friction/sets.h"
#include "stickslip/problem/views.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr double kSmallestStep = 1.0 / 32;
constexpr double kResidualProgress = 0.99;   ///< the best residual must fall below this fraction of itself within the patience

struct Iterate {
  std::vector<double> impulses, velocity;   ///< λ and Gᵀλ

  void assign(std::span<const double> other, const std::vector<double>& other_velocity) {
    impulses.assign(other.begin(), other.end());
    velocity = other_velocity;
  }
};

struct StaggeredScratch {
  Iterate last;                ///< after the iteration before
  Iterate middle;              ///< between the two programs
  std::vector<double> start;   ///< λ that the iteration starts from
  ContactProblem polygonal;    ///< of the polyhedral model
};

/// Runs `sweep(momentum)` with extrapolation until it moves no more than `enough` [m/s]. Returns the number of sweeps.
template <class Sweep>
int run_program(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, const SolveMonitor& monitor,
                double enough, int most, Sweep&& sweep) {
  Acceleration acceleration(problem, impulses, workspace, true);
  for (int k = 1;; ++k) {
    const double change = sweep(acceleration.next());
    if (!(change > enough) || k >= most || must_stop(monitor)) return k;
    acceleration.restart_if_opposed();
  }
}

/// now ← now + β (now − before), before ← now.
void extrapolate(std::span<double> now, std::span<double> before, double beta) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double current = now[i];
    now[i] += beta * (current - before[i]);
    before[i] = current;
  }
}

/// now ← before + θ (now − before).
void damp(std::span<double> now, std::span<const double> before, double theta) {
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = before[i] + theta * (now[i] - before[i]);
}

/// Whether the iteration moved against its extrapolation.
bool turns_back(std::span<const double> now, std::span<const double> start, std::span<const double> last) {
  double along = 0;
  for (std::size_t i = 0; i < now.size(); ++i) along += (now[i] - start[i]) * (start[i] - last[i]);
  return along < 0;
}

FrictionModel model_of(const Staggered::Options& options) {
  const std::size_t model = choose(options.model, {"exact", "boxed", "polyhedral"}, "model");
  if (options.directions < 4 || options.directions % 2 != 0)
    throw Error(fmt::format("{} directions do not make a friction polygon. Their number must be even and at least 4.",
                            options.directions))
        .at("directions");
  return model == 0 ? FrictionModel::exact : model == 1 ? FrictionModel::boxed : FrictionModel::polyhedral(options.directions);
}

/// The same problem with polygons for friction sets.
void make_polygonal(const ContactProblem& problem, int directions, ContactProblem& polygonal) {
  polygonal = problem;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)
    if (problem.blocks[i].kind == BlockKind::contact && problem.blocks[i].dim == 3)
      std::visit(
          [&]<class Law>(const Law& law) {
            if constexpr (Law::rows == 2)
              polygonal.laws[i] = CustomFriction<2>{std::make_shared<PolygonSet>(polyhedron(law, directions))};
          },
          problem.laws[i]);
  polygonal.finalize();
}

}   // namespace

std::string_view Staggered::cannot_honour(const FrictionSet& law) const {
  return model_.kind == FrictionModel::Kind::polyhedral ? no_polygon_because(law) : std::string_view();
}

Staggered::Staggered(Options options) : options_(std::move(options)), model_(model_of(options_)) {
  if (!(options_.inner_tolerance >= 0 && options_.inner_tolerance < 1))
    throw Error(fmt::format("{} is not an inner tolerance. It must be at least 0 and less than 1.", options_.inner_tolerance))
        .at("inner_tolerance");
  if (options_.inner_sweeps < 1)
    throw Error(fmt::format("{} sweeps solve no program. There must be at least 1.", options_.inner_sweeps)).at("inner_sweeps");
  if (options_.patience < 1)
    throw Error(fmt::format("{} iterations are no patience. There must be at least 1.", options_.patience)).at("patience");
  options_.order.check(OrderingOptions::Use::fixed);
}

void Staggered::iterate(const ContactProblem& given, std::span<double> impulses, Workspace& workspace,
                        SolveMonitor& monitor) const {
  auto& s = workspace.scratch<StaggeredScratch>();
  const bool polyhedral = model_.kind == FrictionModel::Kind::polyhedral, boxed = model_ == FrictionModel::boxed;
  if (polyhedral) make_polygonal(given, options_.directions, s.polygonal);
  const ContactProblem& problem = polyhedral ? s.polygonal : given;
  Ordering order(options_.order, problem, model(), workspace, OrderingOptions::Use::fixed);
  note_joined_rows(order, monitor);
  const std::span<const Batch> runs = order.next(1, impulses);
  std::vector<double>& velocity = workspace.velocity;
  s.last.assign(impulses, velocity);
  const double floor = 0.1 * monitor.control().tolerance;
  double theta = 1, mark = monitor.best_total();
  bool accelerate = options_.accelerate;
  int patience = options_.patience, age = 0;   // age: iterations since the extrapolation began anew
  long sweeps = 0;
  for (int k = 1;; ++k) {
    const double enough = std::max(floor, options_.inner_tolerance * monitor.last_total());
    const double beta = accelerate ? age / (age + 3.0) : 0;
    extrapolate(impulses, s.last.impulses, beta);
    extrapolate(velocity, s.last.velocity, beta);
    s.start.assign(impulses.begin(), impulses.end());

    sweeps += run_program(problem, impulses, workspace, monitor, enough, options_.inner_sweeps,
                          [&](Momentum& m) { return normal_sweep(problem, runs, impulses, velocity, m); });
    s.middle.assign(impulses, velocity);
    sweeps += run_program(problem, impulses, workspace, monitor, enough, options_.inner_sweeps,
                          [&](Momentum& m) { return friction_sweep(problem, runs, !boxed, impulses, velocity, m); });
    if (theta < 1) {
      damp(impulses, s.middle.impulses, theta);
      damp(velocity, s.middle.velocity, theta);
    }
    age = turns_back(impulses, s.start, s.last.impulses) ? 0 : age + 1;
    if (monitor.done(k, impulses)) break;

    if (monitor.best_total() < kResidualProgress * mark) {
      mark = monitor.best_total();
      patience = options_.patience;
    } else if (--patience == 0) {
      // First blame the extrapolation, then the length of the step.
      if (accelerate) accelerate = false;
      else theta /= 2;
      patience = options_.patience;
      if (theta < kSmallestStep) {
        monitor.give_up(impulses, SolveStatus::stalled,
                        "The normal and the friction program do not come to agree, however small the step.");
        break;
      }
    }
  }
  monitor.note(
      [&] { return fmt::format("{} sweeps; friction step {}{}.", sweeps, theta, accelerate ? ", extrapolated" : ""); });
}

}   // namespace stickslip
