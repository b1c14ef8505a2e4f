#include "stickslip/solve/automatic/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "solve/automatic/cost_model.h"
#include "solve/automatic/few_rows.h"
#include "solve/automatic/mechanisms.h"
#include "solve/automatic/regions.h"
#include "solve/islands.h"
#include "solve/newton/newton_engine.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr std::size_t kSmall = 8;   ///< blocks of an island up to which it is solved together with others: a problem of its own
                                    ///< costs as much as a few sweeps of it

/// Newton steps without progress, and the part of the residual that is some, before coupled problems are multiplied out.
constexpr int kCoupledPatience = 40;
constexpr double kCoupledProgress = 0.5;

/// Part of the tolerance that they aim at: what is judged is the largest error of a contact, what they see that of all.
constexpr double kCoupledGoal = 0.3;
/// Residual over the velocities of the problem below which a guess counts as no nearer: so much less regularisation they begin
/// with than from nothing.
constexpr double kNearestGuess = 1e-2;

/// One problem made of islands, with memory of its own, so that orderings of factorisations last from step to step.
struct Part {
  std::vector<std::uint32_t> blocks;
  SubProblem sub;
  std::vector<double> impulses;
  Workspace workspace;
};

struct Memory {
  Islands islands;
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<std::size_t> order;   ///< in which parts are solved
  ContactProblem consistent;

  Part& part(std::size_t i) {
    while (parts.size() <= i) parts.push_back(std::make_unique<Part>());
    parts[i]->blocks.clear();
    return *parts[i];
  }
};

bool has_joints(const ContactProblem& p) {
  return std::any_of(p.batches.begin(), p.batches.end(), [](const Batch& b) { return b.kind == BlockKind::bilateral; });
}

/// Islands with joints that become problems of their own.
std::size_t count_mechanisms(const ContactProblem& p, const Islands& islands) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < islands.count(); ++i) {
    const std::span<const std::uint32_t> blocks = islands.blocks(i);
    const auto is_joint = [&](std::uint32_t block) { return p.blocks[block].kind == BlockKind::bilateral; };
    count += blocks.size() > kSmall && std::any_of(blocks.begin(), blocks.end(), is_joint);
  }
  return count;
}

/// Puts the islands that are not within the tolerance into parts. Returns how many blocks they have.
/// @param v velocities that the impulses give
std::size_t find_parts(const ContactProblem& p, std::span<const double> impulses, std::span<const double> v, double tolerance,
                       Memory& memory) {
  std::size_t parts = 1, left = 0;
  Part& small = memory.part(0);
  for (std::size_t i = 0; i < memory.islands.count(); ++i) {
    const std::span<const std::uint32_t> blocks = memory.islands.blocks(i);
    if (are_settled(p, blocks, impulses, v, tolerance)) continue;
    left += blocks.size();
    Part& part = blocks.size() <= kSmall ? small : memory.part(parts++);
    part.blocks.insert(part.blocks.end(), blocks.begin(), blocks.end());
  }
  std::sort(small.blocks.begin(), small.blocks.end());
  // The largest come last: they get the work that others leave, and do not take the time of all.
  memory.order.clear();
  for (std::size_t i = 0; i < parts; ++i)
    if (!memory.parts[i]->blocks.empty()) memory.order.push_back(i);
  std::sort(memory.order.begin(), memory.order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(a == 0 ? 0 : memory.parts[a]->blocks.size(), a) <
           std::pair(b == 0 ? 0 : memory.parts[b]->blocks.size(), b);
  });
  return left;
}

/// What became of the parts: the worst of it is what became of the whole.
struct Outcome {
  SolveStatus status = SolveStatus::converged;
  std::string_view reason;

  void add(const SolveReport& r) {
    const auto rank = [](SolveStatus s) { return s == SolveStatus::converged ? 0 : s == SolveStatus::stalled ? 1 : 2; };
    if (rank(r.status) > rank(status)) status = r.status, reason = r.reason;
  }
};

/// Mechanisms have factorisations that are chosen by what they cost, as in a plain sweep: more time would choose dearer ones.
double sweeps_of_iteration(const ContactProblem& p) { return has_joints(p) ? 1 : cost::sweeps_of_iteration(p); }

/// How the work that is left is shared among the parts of a problem: by their size, and what one leaves is for those after it.
struct Shares {
  double share;       ///< of the work that usual limits allow, what is left
  double left;        ///< blocks of all parts
  double sweeps;      ///< that an iteration is worth
  double spare = 0;   ///< work that earlier parts were allowed and did not need

  /// Work that is an iteration of a part. @param alone whether it is allowed as much as if it were the whole problem
  double unit(const Part& part, bool alone) const {
    const double least = (alone ? 1 : static_cast<double>(part.blocks.size()) / left) * cost::kLeastIteration;
    return share * (sweeps * cost::sweep(part.sub.problem()) + least);
  }
};

/// Solves a part that was taken out, within its share, and counts the work. @param solve of a problem that hangs together
template <class Solve>
SolveReport solve_part(Part& part, const SolveControl& control, Shares& shares, bool alone, SolveMonitor& whole,
                       const Solve& solve) {
  SolveReport report;
  SolveMonitor judge(part.sub.problem(), FrictionModel::exact, control, part.workspace, report);
  const double unit = shares.unit(part, alone);
  judge.count_work(unit + shares.spare / std::max(1, control.max_iterations));
  if (!judge.start(part.impulses)) {
    solve(part, judge);
    judge.give_up(part.impulses, SolveStatus::stalled, "The solver returned without reaching the tolerance.");
  }
  judge.finish(part.impulses);
  shares.spare += unit * control.max_iterations - judge.work();
  whole.add_work(judge.work());
  return report;
}

}   // namespace

AutomaticSolver::AutomaticSolver(Options options) : options_(options) {
  if (!(std::isfinite(options.proximal) && options.proximal >= 0))
    throw Error(fmt::format("{} is not a proximal weight. It must be finite and at least 0.", options.proximal)).at("proximal");
  if (options.window < 8)
    throw Error(fmt::format("{} sweeps are too few to judge progress by. Give 8 or more.", options.window)).at("window");
  if (options.direct_rows < 0)
    throw Error(fmt::format("{} is not a number of rows. Give 0 or more.", options.direct_rows)).at("direct_rows");
}

void AutomaticSolver::solve_island(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                   SolveMonitor& monitor, Guess guess) const {
  if (options_.direct_rows > 0 && has_joints(p)) {
    if (workspace.scratch<Mechanisms>().setup(p))
      return workspace.scratch<Mechanisms>().run(impulses, workspace, monitor, options_);
    monitor.note([] { return "Joints are swept: W is not symmetric, or their part of it cannot be factored."; });
  }
  const Features features{.rows = p.rows(), .factored = p.is_factored(), .stubborn = guess == Guess::swept};
  const Plan& plan = choose_plan(features, static_cast<std::size_t>(options_.direct_rows));
  Stages stages(ProblemForm::plain(p), impulses, workspace, monitor, options_);
  if (can_be_mended(p))
    stages.mend_with([this](const ContactProblem& sub, std::span<double> x, Workspace& w, SolveMonitor& m) {
      solve_islands(sub, x, w, m, Guess::swept);
    });
  stages.run(plan);
}

/// Newton steps in velocities, which never need W itself; where they stand still, everything else with W multiplied out.
void AutomaticSolver::solve_coupled(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                    SolveMonitor& monitor) const {
  monitor.count_work(cost::product(p) + cost::kLeastIteration);
  ProximalNewton& newton = workspace.scratch<ProximalNewton>();
  ProximalNewton::Settings settings;
  settings.linear.kind = LinearSolver::Kind::velocities;
  settings.near = kNearSolution * monitor.control().tolerance;
  settings.goal = kCoupledGoal * monitor.control().tolerance;
  const double start = monitor.best_total();
  double fastest = 0;
  for (const double b : p.b) fastest = std::max(fastest, std::abs(b));
  settings.alpha *= std::clamp(start / fastest, kNearestGuess, 1.0);
  newton.set(settings);
  newton.prepare(p, alart_curnier_system);
  newton.start(impulses);
  const double step_cost = cost::product(p) + cost::kOperation * newton.step_work();
  double best = start;
  int step = 0;
  for (int progress = 0; step - progress < kCoupledPatience;) {
    const bool alive = newton.step(impulses);
    monitor.add_work(step_cost);
    const bool done = monitor.done(++step, impulses);
    if (done || !alive)
      monitor.note([&] {
        return fmt::format("{} Newton steps took the residual from {:.1e} to {:.1e} m/s.", step, start, monitor.best_total());
      });
    if (done) return;
    if (!alive) break;
    if (monitor.best_total() < kCoupledProgress * best) best = monitor.best_total(), progress = step;
  }
  monitor.note([] { return "Multiplied W out."; });
  const ContactProblem condensed = condense(p);
  std::copy(workspace.best.begin(), workspace.best.end(), impulses.begin());
  workspace.velocity.clear();   // a matrix has no velocities of its own
  solve_island(condensed, impulses, workspace, monitor, Guess::any);
}

std::string_view AutomaticSolver::try_at_once(const ContactProblem& p, std::span<double> impulses, double tolerance) const {
  return solve_few_rows_at_once(p, impulses, tolerance);
}

void AutomaticSolver::iterate(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                              SolveMonitor& monitor) const {
  if (p.is_coupled()) return solve_coupled(p, impulses, workspace, monitor);
  monitor.count_work(sweeps_of_iteration(p) * cost::sweep(p) + cost::kLeastIteration);
  if (solve_few_rows(p, impulses, workspace, monitor)) return;
  const SubSolver inside = [this](const ContactProblem& sub, std::span<double> x, Workspace& w, SolveMonitor& m) {
    solve_islands(sub, x, w, m, Guess::any);
  };
  // Mechanisms act far: what is off in one is off in all of it.
  if (!has_joints(p) && solve_regions(p, impulses, workspace, monitor, inside)) return;
  solve_islands(p, impulses, workspace, monitor, Guess::any);
}

void AutomaticSolver::solve_islands(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                    SolveMonitor& monitor, Guess guess) const {
  // The natural map is a sum over all contacts, to which every island must contribute as little as it can.
  if (std::isfinite(monitor.control().natural_map_tolerance)) return solve_island(p, impulses, workspace, monitor, guess);
  Memory& memory = workspace.scratch<Memory>();
  memory.islands.find(p);
  if (memory.islands.count() == 1) return solve_island(p, impulses, workspace, monitor, guess);

  // A mechanism is allowed what it would be alone: the steps that find out which of its contacts slide do not become fewer
  // because others lie beside it.
  const std::size_t mechanisms = count_mechanisms(p, memory.islands);
  const double sweeps = sweeps_of_iteration(p);
  const double usual_unit =
      sweeps * cost::sweep(p) + cost::kLeastIteration * static_cast<double>(std::max<std::size_t>(1, mechanisms));
  if (mechanisms > 1) monitor.count_work(usual_unit);
  // The guess was judged just now: the velocities it gives are those of the residual.
  const auto left = static_cast<double>(find_parts(p, impulses, workspace.residual.v, monitor.control().tolerance, memory));
  const double usual = std::max(1, monitor.control().max_iterations) * usual_unit;
  Shares shares{monitor.work_left() / usual, left, sweeps};
  SolveControl control = monitor.control();
  control.keep_history = control.natural_map = false;
  control.observer = nullptr;
  const auto solve = [&](Part& part, SolveMonitor& judge) {
    solve_island(part.sub.problem(), part.impulses, part.workspace, judge, guess);
  };
  Outcome outcome;
  bool contradicts = false;
  for (const std::size_t i : memory.order) {
    Part& part = *memory.parts[i];
    part.sub.extract(p, part.blocks);
    const ContactProblem& sub = part.sub.problem();
    part.impulses.resize(sub.rows());
    part.sub.gather(impulses, part.impulses);
    control.time_limit = monitor.control().time_limit - monitor.elapsed();
    const SolveReport report = solve_part(part, control, shares, i > 0 && has_joints(sub), monitor, solve);
    part.sub.scatter(part.impulses, impulses);
    outcome.add(report);
    if (!report.notes.empty())
      monitor.note([&] {
        return fmt::format("{} of {} blocks: {}", i == 0 ? "Small islands" : "An island", part.blocks.size(), report.notes);
      });
    if (report.status != SolveStatus::converged && has_joints(sub) && part.workspace.scratch<Mechanisms>().contradicts(sub)) {
      if (!contradicts) memory.consistent = p;
      contradicts = true;
      part.sub.scatter(part.workspace.scratch<Mechanisms>().solved().b, memory.consistent.b);
      monitor.judge_by(memory.consistent, Mechanisms::kContradiction);
    }
  }
  if (!monitor.done(static_cast<int>(memory.order.size()), impulses)) monitor.give_up(impulses, outcome.status, outcome.reason);
}

}   // namespace stickslip
