#include "solve/automatic/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/automatic/cost_model.h"

namespace stickslip {

namespace {

constexpr std::size_t kLeastBlocks = 200;   ///< of a problem worth looking for regions in: smaller ones are swept as quickly
constexpr double kNearlySolved = 1e3;       ///< tolerances by which a problem may miss: beyond, disturbances travel far
constexpr double kMostOff = 0.02;           ///< share of the blocks that may be off,
constexpr double kMostTaken = 0.25;         ///< and of those that a region may have
constexpr int kFirstRings = 3;              ///< bodies between what is off and the border of the first region
constexpr int kMostRounds = 6;
constexpr double kInside = 0.5;            ///< part of the tolerance to which a region is solved: surroundings need the rest
constexpr double kWellInside = 0.03;       ///< the same where it is cheap: what is solved better stays solved longer
constexpr double kCheapSweeps = 25;        ///< over the region
constexpr double kMostWork = 0.3;          ///< share of the work left that a region may cost
constexpr double kLookCost = 0.5;          ///< of a sweep, to judge a problem and find what is off
constexpr std::size_t kManyBlocks = 100;   ///< of a problem in which the worst are mended: smaller ones are factored in time
constexpr double kWorst = 0.25;            ///< part of the residual beyond which a block is one of the worst,
constexpr double kVeryWorst = 0.9;         ///< and at most: of too many, those near the residual itself are taken,
constexpr std::size_t kFewBlocks = 1000;   ///< but in larger problems none: there they are off everywhere, and sweeps have it
constexpr double kFewWorst = 50;           ///< blocks that may be among them, or the share above of a large problem
constexpr int kRingsOfWorst = 1;           ///< bodies around them: small islands, cheap to factor
constexpr double kMendSweeps = 30;         ///< over the whole that mending may cost,
constexpr double kMendShare = 0.05;        ///< and part of the work that is left: what is large needs it for sweeps,
constexpr double kMendCost = 2;            ///< and what it costs beside: judging the whole, finding the worst, velocities anew

struct RegionMemory {
  Neighbourhood neighbourhood;
  std::vector<std::uint32_t> off;
  SubProblem sub;
  std::vector<double> impulses;
  Workspace workspace;
};

void find_off(const ContactProblem& p, std::span<const double> impulses, std::span<const double> v, double tolerance,
              std::vector<std::uint32_t>& off) {
  off.clear();
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    if (!is_settled(p, i, impulses, v, tolerance)) off.push_back(i);
}

}   // namespace

void Neighbourhood::take(const ContactProblem& p, std::uint32_t block) {
  if (taken_[block]) return;
  taken_[block] = true;
  region_.push_back(block);
  for (const std::uint32_t s : p.segments_of(p.blocks[block]))
    if (!reached_[s]) {
      reached_[s] = true;
      next_.push_back(s);
    }
}

std::span<const std::uint32_t> Neighbourhood::around(const ContactProblem& p, std::span<const std::uint32_t> blocks, int rings,
                                                     std::size_t most) {
  taken_.assign(p.blocks.size(), false);
  reached_.assign(p.segments.size(), false);
  region_.clear();
  next_.clear();
  for (const std::uint32_t i : blocks) take(p, i);
  for (int ring = 0; ring < rings && region_.size() < most; ++ring) {
    queue_.swap(next_);
    next_.clear();
    for (const std::uint32_t s : queue_)
      for (const std::uint32_t i : incidence_.at(s)) take(p, i);
  }
  std::sort(region_.begin(), region_.end());
  return region_;
}

namespace {

/// How a small problem may be solved, by the limits of the whole.
SolveControl control_inside(const SolveMonitor& monitor) {
  SolveControl control = monitor.control();
  control.keep_history = control.natural_map = control.notes = false;
  control.observer = nullptr;
  control.time_limit -= monitor.elapsed();
  return control;
}

/// Takes blocks out of the whole. @param v the velocities that the impulses give
void take_out(RegionMemory& m, const ContactProblem& p, std::span<const std::uint32_t> blocks, std::span<const double> impulses,
              std::span<const double> v) {
  m.sub.extract(p, blocks);
  m.impulses.resize(m.sub.problem().rows());
  m.sub.gather(impulses, m.impulses);
  m.sub.hold_others(v, m.impulses);
}

struct Solved {
  double residual, work;
};

Solved solve_taken(RegionMemory& m, const SolveControl& control, double most_work, const SubSolver& solve) {
  const ContactProblem& sub = m.sub.problem();
  SolveReport report;
  SolveMonitor judge(sub, FrictionModel::exact, control, m.workspace, report);
  judge.count_work(most_work / std::max(1, control.max_iterations));
  if (!judge.start(m.impulses)) {
    solve(sub, m.impulses, m.workspace, judge);
    judge.give_up(m.impulses, SolveStatus::stalled, "");
  }
  judge.finish(m.impulses);
  return {report.residual.total(), judge.work()};
}

/// Solves the small problem well within what the whole needs, if that is cheap, else just within. Returns the work.
double solve_well(RegionMemory& m, SolveControl control, double tolerance, double work_left, const SubSolver& solve) {
  const double cheap = kCheapSweeps * cost::sweep(m.sub.problem());
  double done = 0;
  for (const auto& [part, allowed] : {std::pair(kWellInside, cheap), std::pair(kInside, work_left)}) {
    control.tolerance = part * tolerance;
    const Solved solved = solve_taken(m, control, std::min(allowed, work_left - done), solve);
    done += solved.work;
    if (solved.residual <= kInside * tolerance) break;
  }
  return done;
}

}   // namespace

bool solve_regions(const ContactProblem& p, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
                   const SubSolver& solve) {
  const double tolerance = monitor.control().tolerance;
  if (!p.is_factored() || p.blocks.size() < kLeastBlocks || monitor.best_total() > kNearlySolved * tolerance) return false;
  if (std::isfinite(monitor.control().natural_map_tolerance)) return false;
  RegionMemory& m = workspace.scratch<RegionMemory>();
  const auto blocks = static_cast<double>(p.blocks.size());
  const auto most = static_cast<std::size_t>(kMostTaken * blocks);
  int round = 0;
  for (; round < kMostRounds; ++round) {
    find_off(p, impulses, workspace.residual.v, tolerance, m.off);
    if (m.off.empty() || static_cast<double>(m.off.size()) > kMostOff * blocks) break;
    if (round == 0) m.neighbourhood.prepare(p);
    const std::span<const std::uint32_t> region = m.neighbourhood.around(p, m.off, kFirstRings + round, most);
    if (region.size() >= most) break;
    take_out(m, p, region, impulses, workspace.residual.v);
    const double work = solve_well(m, control_inside(monitor), tolerance, kMostWork * monitor.work_left(), solve);
    m.sub.scatter(m.impulses, impulses);
    monitor.add_work(work + kLookCost * cost::sweep(p));
    monitor.note([&] { return fmt::format("{} blocks were off; {} around them were solved.", m.off.size(), region.size()); });
    if (monitor.done(round + 1, impulses)) return true;
  }
  if (round == 0) return false;
  std::copy(workspace.best.begin(), workspace.best.end(), impulses.begin());
  // What was judged last may be another iterate.
  p.contact_velocity(impulses, workspace.residual.v, workspace.residual.segment_velocity);
  workspace.velocity = workspace.residual.segment_velocity;
  return false;
}

bool can_be_mended(const ContactProblem& p) { return p.is_factored() && p.blocks.size() >= kManyBlocks; }

bool mend_worst(const ContactProblem& p, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
                const SubSolver& solve) {
  RegionMemory& m = workspace.scratch<RegionMemory>();
  const auto blocks = static_cast<double>(p.blocks.size());
  SolveControl control = control_inside(monitor);
  const auto most = static_cast<std::size_t>(kMostTaken * blocks);
  std::span<const std::uint32_t> region;
  double level = 0;
  m.neighbourhood.prepare(p);
  const double last = p.blocks.size() < kFewBlocks ? kVeryWorst : kWorst;
  for (double part = kWorst; part <= last && region.empty(); part = std::sqrt(part)) {
    level = std::max(part * monitor.last_total(), control.tolerance);
    find_off(p, impulses, workspace.residual.v, level, m.off);
    if (static_cast<double>(m.off.size()) > std::max(kFewWorst, kMostOff * blocks)) continue;
    region = m.neighbourhood.around(p, m.off, kRingsOfWorst, most);
    if (region.size() >= most) region = {};
  }
  if (region.empty()) return false;
  take_out(m, p, region, impulses, workspace.residual.v);
  control.tolerance = kInside * level;
  const double allowed = std::min(kMendSweeps * cost::sweep(p), kMendShare * monitor.work_left());
  const double work = solve_taken(m, control, allowed, solve).work;
  m.sub.scatter(m.impulses, impulses);
  monitor.add_work(work + kMendCost * cost::sweep(p));
  return true;
}

}   // namespace stickslip
