#include "solve/automatic/mechanisms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/infinity.h"
#include "solve/automatic/cost_model.h"

namespace stickslip {

namespace {

constexpr double kSweepsExpected = 30;     ///< on a condensed problem: contacts feel the mechanism behind them
constexpr double kMostEntries = 4e6;       ///< numbers of W_c: 32 MB
constexpr double kTouchingShare = 0.25;    ///< of the rows of contacts and boxes: with fewer at mechanisms, most would pay for
                                           ///< W as a matrix and gain nothing
constexpr double kMostOfWork = 0.25;       ///< share of the work that is left which a condensed problem may cost
constexpr double kJointRounding = 1e-10;   ///< of what joints must stop, that solves leave by rounding
constexpr int kJointRefinements = 10;      ///< of joints alone

double largest(std::span<const double> x) {
  double value = 0;
  for (const double number : x) value = std::max(value, std::abs(number));
  return value;
}

}   // namespace

bool Mechanisms::setup(const ContactProblem& p) {
  given_ = problem_ = &p;
  products_.setup(p);
  if (!joints_.setup(p, products_)) return false;
  for (std::vector<double>* v : {&right_, &solution_, &remaining_}) v->resize(joints_.rows());
  return true;
}

/// Condensation by its price, against the work that the caller allows.
bool Mechanisms::condensation_pays(const SolveMonitor& monitor) const {
  const ContactProblem& p = *problem_;
  const auto others = static_cast<double>(p.rows() - joints_.rows()), entries = static_cast<double>(condensation_.entries());
  const double price = cost::kOperation * condensation_.work() + kSweepsExpected * cost::kMatrixSweepNumber * entries;
  return entries <= kMostEntries && static_cast<double>(condensation_.touching_rows()) >= kTouchingShare * others &&
         price <= kMostOfWork * monitor.work_left();
}

const Plan& Mechanisms::plan(const AutomaticSolver::Options& options) const {
  const ContactProblem& p = *problem_;
  return choose_plan({p.rows(), p.is_factored(), true}, static_cast<std::size_t>(options.direct_rows));
}

void Mechanisms::run(std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor,
                     const AutomaticSolver::Options& options) {
  excuse_contradictions(monitor);
  monitor.note([&] {
    return fmt::format("Factored {} joint rows in {} mechanism{}.", joints_.rows(), joints_.mechanisms(),
                       joints_.mechanisms() == 1 ? "" : "s");
  });
  if (joints_.rows() == problem_->rows()) {
    solve_joints_alone(impulses, monitor);
    return;
  }
  condensation_.analyze(*problem_, products_, joints_);
  const std::function<void()> excuse = loops_excused(monitor);
  if (condensation_pays(monitor) && condensation_.build()) {
    monitor.add_work(cost::kOperation * condensation_.work());
    run_condensed(impulses, workspace, monitor, options, excuse);
    return;
  }
  if (!problem_->is_factored()) {
    monitor.note([] { return "Eliminating them would cost too much: they are swept."; });
    Stages(ProblemForm::plain(*problem_), impulses, workspace, monitor, options).run(plan(options));
    return;
  }
  sweep_.setup(*problem_, joints_);
  Stages(ProblemForm::with_joint_block(*problem_, sweep_), impulses, workspace, monitor, options).run(plan(options));
}

/// W_JC λ_C lies in the range of W_JJ: only b_J can hold velocities that no impulse removes.
void Mechanisms::excuse_contradictions(SolveMonitor& monitor) {
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

/// What the joints of a loop that is held too often cannot satisfy depends on the other rows as well, because W_JC λ_C lies
/// within the range of W_JJ but not within what is left of it: it is excused for every λ_C anew.
std::function<void()> Mechanisms::loops_excused(SolveMonitor& monitor) {
  bool any = false;
  for (std::size_t m = 0; m < joints_.mechanisms(); ++m) any = any || joints_.is_over_held(m);
  if (!any) return {};
  if (problem_ != &consistent_) {
    consistent_ = *problem_;
    problem_ = &consistent_;
    monitor.judge_by(consistent_, kContradiction);
    condensation_.analyze(consistent_, products_, joints_);
  }
  return [this] {
    const std::span<const std::uint32_t> rows = joints_.problem_rows();
    for (std::size_t m = 0; m < joints_.mechanisms(); ++m)
      if (joints_.is_over_held(m))
        for (std::size_t k = joints_.first(m); k < joints_.first(m) + joints_.size(m); ++k)
          consistent_.b[rows[k]] += condensation_.remaining()[k];
  };
}

void Mechanisms::solve_joints_alone(std::span<double> impulses, SolveMonitor& monitor) {
  const ContactProblem& p = *problem_;
  const std::span<const std::uint32_t> rows = joints_.problem_rows();
  const double start = monitor.best_total();
  v_.resize(p.rows());
  std::fill(impulses.begin(), impulses.end(), 0.0);
  double before = kInfinity;
  for (int k = 1; k <= kJointRefinements; ++k) {
    p.contact_velocity(impulses, v_, segment_);
    for (std::size_t i = 0; i < rows.size(); ++i) right_[i] = -v_[rows[i]];
    joints_.solve(right_, solution_, remaining_);
    for (std::size_t i = 0; i < rows.size(); ++i) impulses[rows[i]] += solution_[i];
    monitor.add_work(cost::sweep(p));
    const bool done = monitor.done(k, impulses);
    if (done)
      monitor.note([&] {
        return fmt::format("{} took the residual from {:.1e} to {:.1e} m/s.", k == 1 ? "Solving them once" : "Refining them",
                           start, monitor.best_total());
      });
    if (done) return;
    if (!(monitor.last_total() < 0.5 * before)) break;
    before = monitor.last_total();
  }
  monitor.give_up(impulses, SolveStatus::stalled, "Joints are solved as exactly as rounding allows.");
}

void Mechanisms::run_condensed(std::span<const double> guess, Workspace& workspace, SolveMonitor& monitor,
                               const AutomaticSolver::Options& options, std::function<void()> excuse) {
  const ContactProblem& small = condensation_.problem();
  monitor.note([&] { return fmt::format("Eliminated them; {} rows of contacts and bounded rows are left.", small.rows()); });
  condensed_.resize(small.rows());
  condensation_.restrict_to(guess, condensed_);
  workspace.velocity.clear();   // a matrix has no body velocities
  const ProblemForm form = ProblemForm::condensed(*problem_, condensation_, std::move(excuse));
  Stages(form, condensed_, workspace, monitor, options).run(plan(options));
  monitor.expand_with({});
}

}   // namespace stickslip
