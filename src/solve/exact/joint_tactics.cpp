#include "solve/exact/joint_tactics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr std::string_view kContradiction = "Bilateral rows contradict each other: no impulses remove the velocities that remain; the rest is solved.";
constexpr double kAlwaysAffordable = 5e6;   ///< operations of a condensation that no one notices
constexpr double kSweepsExpected = 100;     ///< on a condensed problem
constexpr double kMostEntries = 4e6;        ///< numbers of W_c
constexpr double kTouchingShare = 0.25;     ///< of the rows of contacts and boxes, below which joints are too few to turn W into a matrix for them
constexpr double kJointRounding = 1e-10;         ///< of what joints must stop, that solves leave by rounding
constexpr double kFill = 4;                 ///< of a sparse factorisation
constexpr int kJointRefinements = 10;            ///< of joints alone

double largest(std::span<const double> x) {
  double value = 0;
  for (const double number : x) value = std::max(value, std::abs(number));
  return value;
}

}  // namespace

bool JointTactics::setup(const ContactProblem& p) {
  problem_ = &p;
  if (std::none_of(p.batches.begin(), p.batches.end(), [](const Batch& b) { return b.kind == BlockKind::bilateral; })) return false;
  products_.setup(p);
  if (!joints_.setup(p, products_)) return false;
  for (std::vector<double>* v : {&right_, &solution_, &remaining_}) v->resize(joints_.rows());
  return true;
}

/// Condensation by its price in operations, against that of the sweeps that the caller allows.
bool JointTactics::condensation_pays(const SolveControl& control) const {
  const ContactProblem& p = *problem_;
  const auto others = static_cast<double>(p.rows() - joints_.rows()), entries = static_cast<double>(condensation_.entries());
  const double allowed = std::max(kAlwaysAffordable, 4 * static_cast<double>(control.max_iterations) * sweep_work(p));
  return entries <= kMostEntries && static_cast<double>(condensation_.touching_rows()) >= kTouchingShare * others &&
         condensation_.work() + 2 * entries * std::min(kSweepsExpected, static_cast<double>(control.max_iterations)) <= allowed;
}

void JointTactics::run(std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor, const AutomaticSolver::Options& options) {
  excuse_contradictions(monitor);
  if (monitor.control().story)
    monitor.note(fmt::format("Factored {} joint rows in {} mechanism{}.", joints_.rows(), joints_.mechanisms(), joints_.mechanisms() == 1 ? "" : "s"));
  if (joints_.rows() == problem_->rows()) {
    solve_joints_alone(impulses, monitor);
    return;
  }
  condensation_.analyze(*problem_, products_, joints_);
  if (condensation_pays(monitor.control()) && condensation_.build()) {
    run_condensed(impulses, workspace, monitor, options);
    return;
  }
  Tactics tactics(*problem_, impulses, workspace, monitor, options);
  if (problem_->is_factored()) sweep_.setup(*problem_, joints_);
  tactics.set_joints(problem_->is_factored() ? &sweep_ : nullptr);
  tactics.set_whole(*problem_, newton_work());
  tactics.run();
}

/// Of one factorisation of the whole problem: that of a full matrix, or of a sparse one with some fill.
double JointTactics::newton_work() const {
  const ContactProblem& p = *problem_;
  const auto n = static_cast<double>(p.rows());
  double sparse = 0;
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    products_.neighbours(i, list);
    double width = 0;
    for (const std::uint32_t j : list) width += p.blocks[j].dim;
    sparse += kFill * p.blocks[i].dim * width * width;
  }
  return std::min(2.0 / 3.0 * n * n * n, sparse);
}

/// W_JC λ_C lies in the range of W_JJ: only b_J can hold velocities that no impulse removes.
void JointTactics::excuse_contradictions(SolveMonitor& monitor) {
  const ContactProblem& p = *problem_;
  const std::span<const std::uint32_t> rows = joints_.problem_rows();
  for (std::size_t k = 0; k < rows.size(); ++k) right_[k] = -p.b[rows[k]];
  joints_.solve(right_, solution_, remaining_);
  const double nothing = std::max(0.5 * monitor.control().tolerance, kJointRounding * largest(right_));
  if (!(largest(remaining_) > nothing)) return;
  const std::vector<double> contradiction = joints_.contradiction(remaining_);
  if (!(largest(contradiction) > nothing)) return;
  consistent_ = p;
  for (std::size_t k = 0; k < rows.size(); ++k) consistent_.b[rows[k]] += contradiction[k];
  problem_ = &consistent_;
  monitor.judge_by(consistent_, kContradiction);
}

void JointTactics::solve_joints_alone(std::span<double> impulses, SolveMonitor& monitor) {
  const ContactProblem& p = *problem_;
  const std::span<const std::uint32_t> rows = joints_.problem_rows();
  const double start = monitor.best_total();
  v_.resize(p.rows());
  std::fill(impulses.begin(), impulses.end(), 0.0);
  double before = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= kJointRefinements; ++k) {
    p.contact_velocity(impulses, v_, segment_);
    for (std::size_t i = 0; i < rows.size(); ++i) right_[i] = -v_[rows[i]];
    joints_.solve(right_, solution_, remaining_);
    for (std::size_t i = 0; i < rows.size(); ++i) impulses[rows[i]] += solution_[i];
    const bool done = monitor.done(k, impulses);
    if (done && monitor.control().story)
      monitor.note(fmt::format("{} took the residual from {:.1e} to {:.1e} m/s.", k == 1 ? "Solving them once" : "Refining them", start, monitor.best_total()));
    if (done) return;
    if (!(monitor.last_total() < 0.5 * before)) break;
    before = monitor.last_total();
  }
  monitor.give_up(impulses, SolveStatus::stalled, "Joints are solved as exactly as rounding allows.");
}

void JointTactics::run_condensed(std::span<const double> guess, Workspace& workspace, SolveMonitor& monitor, const AutomaticSolver::Options& options) {
  const ContactProblem& small = condensation_.problem();
  if (monitor.control().story)
    monitor.note(fmt::format("Eliminated them; {} rows of contacts and bounded rows are left.", small.rows()));
  condensed_.resize(small.rows());
  condensation_.restrict_to(guess, condensed_);
  workspace.velocity.clear();   // a matrix has no body velocities
  Tactics tactics(small, condensed_, workspace, monitor, options);
  tactics.set_condensation(&condensation_);
  tactics.set_whole(*problem_, newton_work());
  tactics.run();
  monitor.expand_with({});
}

}  // namespace stickslip
