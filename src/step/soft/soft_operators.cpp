#include "step/soft/soft_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/matrix_series.h"
#include "step/solve_further.h"
#include "stickslip/problem/coupled_mass.h"
#include "stickslip/problem/residual.h"

namespace stickslip {

namespace {

/// Iterations on a matrix or through factors, against those of bodies: to make them costs as much as hundreds of sweeps, and
/// contacts of a body that is nearly rigid are as many as its nodes, which only Newton steps resolve.
constexpr int kMatrixPatience = 25;
constexpr double kAimOfSoft = 0.1;      ///< part of the iterations that go beyond the tolerance: sweeps are dear
constexpr int kMostSplittings = 5000;   ///< problems of the splitting method
/// Of each of them, against the whole: what impulses are off by there grows in it as A is stiffer than D.
constexpr double kInnerTolerance = 1e-3;
/// Of problems whose W is near that of the whole, against it: to judge them by the whole is dearer than a few sweeps.
constexpr double kNearTolerance = 0.08;
constexpr int kMostCorrections = 30;   ///< of such problems
/// What the first of them is solved to, relative to the velocities of the problem, and others, relative to the residual before.
constexpr double kFirstNear = 1e-4, kLaterNear = 1e-3;

/// A diagonal matrix D with D − A positive semidefinite: then no step of the splitting goes too far. |A| in place of A gives
/// the sums of its rows. Per number of a carrier [kg].
Eigen::VectorXd majorising_diagonal(const CoupledMass::Matrix& a) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(a.rows());
  for (Eigen::Index column = 0; column < a.outerSize(); ++column)
    for (CoupledMass::Matrix::InnerIterator entry(a, column); entry; ++entry) sums[entry.row()] += std::abs(entry.value());
  return sums;
}

/// The problem in which carriers are segments of their own, as heavy as D says; of a segment the largest number counts.
ContactProblem split(const ContactProblem& p, std::vector<double>& weights) {
  ContactProblem s = p;
  s.carriers.clear();
  weights.assign(p.velocity_size(), 0.0);
  for (const Carrier& carrier : p.carriers) {
    const Eigen::VectorXd d = majorising_diagonal(carrier.mass->matrix());
    for (std::uint32_t k = carrier.first; k < carrier.first + carrier.count; ++k) {
      const std::uint32_t at = p.offset(k) - p.offset(carrier.first);
      const double weight = d.segment(at, p.segments[k].size).maxCoeff();
      s.segments[k].inverse_mass = 1 / weight;
      std::fill_n(weights.begin() + p.offset(k), p.segments[k].size, weight);
    }
  }
  s.finalize();
  return s;
}

/// change ← D⁻¹ (D − A) change for the numbers of carriers, where `change` is u − u_free; others become 0.
void smooth(const ContactProblem& p, const std::vector<double>& weights, std::vector<double>& change) {
  std::vector<double> next(change.size(), 0.0);
  for (const Carrier& carrier : p.carriers) {
    const std::uint32_t at = p.offset(carrier.first);
    const auto n = static_cast<Eigen::Index>(carrier.mass->size());
    const Eigen::Map<const Eigen::VectorXd> x(change.data() + at, n), d(weights.data() + at, n);
    Eigen::Map<Eigen::VectorXd>(next.data() + at, n) = x - (carrier.mass->matrix() * x).cwiseQuotient(d);
  }
  change.swap(next);
}

/// Where the next splitting begins: farther along the way of the last, until that turns back [Beck, Teboulle 2009; O'Donoghue,
/// Candès 2015].
struct SplitMomentum {
  std::vector<double> weights;       ///< D of carriers, 0 of others [kg]
  std::vector<double> last, ahead;   ///< velocities less those without contacts: of the last iterate, of the next one's start
  double weight = 1;

  void go_on(const std::vector<double>& next) {
    double back = 0;
    for (std::size_t i = 0; i < next.size(); ++i) back += weights[i] * (ahead[i] - next[i]) * (next[i] - last[i]);
    if (back > 0) weight = 1;
    const double grown = (1 + std::sqrt(1 + 4 * weight * weight)) / 2, share = (weight - 1) / grown;
    for (std::size_t i = 0; i < next.size(); ++i) ahead[i] = next[i] + share * (next[i] - last[i]);
    last = next;
    weight = grown;
  }
};

SolveControl with_patience(SolveControl control) {
  control.max_iterations =
      std::min(control.max_iterations, std::numeric_limits<int>::max() / kMatrixPatience) * kMatrixPatience;
  return control;
}

/// The larger of all parts.
Residual larger_of(Residual a, const Residual& b) {
  for (const auto part : {&Residual::gap_velocity, &Residual::complementarity, &Residual::cone, &Residual::dissipation,
                          &Residual::bilateral, &Residual::box})
    a.*part = std::max(a.*part, b.*part);
  return a;
}

/// Of two problems that do not act on each other.
SolveReport worse_of(const SolveReport& a, const SolveReport& b) {
  SolveReport both = b.status == SolveStatus::converged ? a : b;
  both.iterations = a.iterations + b.iterations;
  both.seconds = a.seconds + b.seconds;
  both.residual = larger_of(a.residual, b.residual);
  both.model_residual = std::max(a.model_residual, b.model_residual);
  both.initial_residual = larger_of(a.initial_residual, b.initial_residual);
  return both;
}

}   // namespace

SoftOperator SoftOperators::choose(SoftOperator asked, const ContactProblem& p) {
  if (asked != SoftOperator::automatic) return asked;
  return p.compliances || is_mostly_empty(p) ? SoftOperator::factored : SoftOperator::partial;
}

/// Parts the blocks by what coupled carriers feel of them. @param mixes whether islands of both kinds are told apart
void SoftOperators::find_parts(const ContactProblem& p, bool mixes) {
  islands_.find(p);
  for (Part* part : {&rigid_, &mixed_, &soft_}) part->blocks.clear();
  const auto is_rigid = [&](std::uint32_t block) {
    return std::ranges::none_of(p.segments_of(p.blocks[block]), [&](std::uint32_t s) { return p.coupled[s]; });
  };
  for (std::size_t i = 0; i < islands_.count(); ++i) {
    const std::span<const std::uint32_t> blocks = islands_.blocks(i);
    const auto rigid = static_cast<std::size_t>(std::ranges::count_if(blocks, is_rigid));
    const bool alone = rigid == blocks.size(), mixed = mixes && rigid >= kManyRigid;
    std::vector<std::uint32_t>& part = (alone ? rigid_ : mixed ? mixed_ : soft_).blocks;
    part.insert(part.end(), blocks.begin(), blocks.end());
  }
  for (Part* part : {&rigid_, &mixed_, &soft_}) std::ranges::sort(part->blocks);
}

template <class Solve>
SolveReport SoftOperators::Part::solve(const ContactProblem& whole, std::span<double> all, const Solve& solve) {
  sub.extract(whole, blocks);
  impulses.resize(sub.problem().rows());
  sub.gather(all, impulses);
  const SolveReport report = solve(sub.problem(), impulses);
  sub.scatter(impulses, all);
  sub.clear_carriers();   // their factors may be found anew
  return report;
}

SolveReport SoftOperators::solve(SoftOperator chosen, const ContactProblem& p, std::span<double> impulses, const Tools& tools,
                                 const SolveControl& control) {
  chosen_ = chosen;
  find_parts(p, chosen == SoftOperator::factored && tools.solver.takes_coupled());
  if (soft_.blocks.size() == p.blocks.size() || control.wants_iterates()) return solve_soft(p, impulses, tools, control);
  SolveReport report;
  if (!rigid_.blocks.empty())
    report = rigid_.solve(p, impulses, [&](const ContactProblem& part, std::span<double> of_part) {
      const auto solve = [&](const SolveControl& c) { return tools.solver.solve(part, of_part, rigid_workspace_, c); };
      return solve_further(solve, control, part.rows());
    });
  if (!mixed_.blocks.empty())
    report = worse_of(report, mixed_.solve(p, impulses, [&](const ContactProblem& part, std::span<double> of_part) {
      const auto solve = [&](const SolveControl& c) { return tools.solver.solve(part, of_part, mixed_workspace_, c); };
      return solve_further(solve, with_patience(control), part.rows(), kAimOfSoft);
    }));
  if (!soft_.blocks.empty())
    report = worse_of(report, soft_.solve(p, impulses, [&](const ContactProblem& part, std::span<double> of_part) {
      return solve_soft(part, of_part, tools, control);
    }));
  return report;
}

/// A problem all of whose islands carriers feel. What neither sweeps nor steps on W solve, Newton steps in velocities often do:
/// there contacts that a body needs only some of do not make the matrix singular.
SolveReport SoftOperators::solve_soft(const ContactProblem& p, std::span<double> impulses, const Tools& tools,
                                      const SolveControl& control) {
  begin();
  guess_.assign(impulses.begin(), impulses.end());
  const auto solve = [&](const SolveControl& c) { return solve_once(p, impulses, tools, c); };
  SolveReport report = solve_further(solve, control, p.rows(), kAimOfSoft);
  const bool missed = report.status == SolveStatus::iteration_limit || report.status == SolveStatus::stalled;
  if (!missed || chosen_ != SoftOperator::factored || control.wants_iterates() || !tools.solver.takes_coupled()) return report;
  const SolveReport other = tools.solver.solve(p, guess_, mixed_workspace_, with_patience(control));
  const int iterations = report.iterations + other.iterations;
  const double seconds = report.seconds + other.seconds;
  if (other.residual.total() < report.residual.total()) {
    report = other;
    std::ranges::copy(guess_, impulses.begin());
  }
  report.iterations = iterations;
  report.seconds = seconds;
  return report;
}

/// Another problem, whose matrix is made when it is first asked for.
void SoftOperators::begin() {
  ++series_;
  is_made_ = false;
  corrected_ = std::numeric_limits<double>::infinity();
}

SolveReport SoftOperators::solve_once(const ContactProblem& p, std::span<double> impulses, const Tools& tools,
                                      const SolveControl& control) {
  switch (chosen_) {
    case SoftOperator::partial:
      return tools.solver.solve(p, impulses, tools.workspace, with_patience(control));
    case SoftOperator::splitting:
      return solve_by_splitting(p, impulses, tools, control);
    default:
      return solve_matrix(p, impulses, tools, control);
  }
}

void SoftOperators::find_source(const ContactProblem& p, Source& source) const {
  source.parts.clear();
  source.places.clear();
  source.jacobian.clear();
  if (chosen_ == SoftOperator::assembled || !p.compliances || !has_stale_factors(p)) return;
  for (const CarrierCompliance& compliance : *p.compliances) source.parts.push_back(compliance.part);
  for (const Carrier& carrier : p.carriers) source.places.insert(source.places.end(), {carrier.first, carrier.count});
  for (const Block& block : p.blocks) {
    source.places.insert(source.places.end(), {static_cast<std::uint32_t>(block.kind), block.dim, block.row, block.arity});
    for (const std::uint32_t segment : p.segments_of(block)) source.places.push_back(segment);
  }
  source.jacobian.assign(p.scaled_jacobian.begin(), p.scaled_jacobian.end());
}

void SoftOperators::multiply_out(const ContactProblem& p) {
  is_made_ = true;
  find_source(p, next_source_);
  if (!next_source_.parts.empty() && next_source_ == source_) {
    condensed_.copy_conditions(p);
    condensed_.finalize();
    return;
  }
  std::swap(source_, next_source_);
  next_source_.parts.clear();   // others may use their memory again
  if (chosen_ == SoftOperator::assembled || !p.compliances) {
    CarrierCompliances compliances;
    compliances.look(p);
    find_carrier_compliances(p, chosen_ == SoftOperator::assembled ? InverseBy::matrix : InverseBy::factors, compliances);
    condense(p, compliances, delassus_, condensed_);
  } else {
    condense(p, *p.compliances, delassus_, condensed_);
  }
}

SolveReport SoftOperators::solve_matrix(const ContactProblem& p, std::span<double> impulses, const Tools& tools,
                                        const SolveControl& control) {
  if (!is_made_) multiply_out(p);
  const SolveControl patient = with_patience(control);
  MatrixSeries& series = tools.workspace.scratch<MatrixSeries>();
  series.number = series_;
  const bool near = chosen_ != SoftOperator::assembled && has_stale_factors(p);
  const SolveReport report =
      near ? correct(p, impulses, tools, patient) : tools.solver.solve(condensed_, impulses, tools.workspace, patient);
  series.number = 0;
  return report;
}

/// The residual with W itself, of velocities as exact as that; of those that meet the tolerance, exactly.
Residual SoftOperators::judge(const ContactProblem& p, std::span<const double> impulses, double accuracy, double tolerance) {
  const auto look = [&](double exactly) {
    for (const Carrier& carrier : p.carriers) carrier.mass->solve_to(exactly);
    return residual(p, impulses, work_);
  };
  const Residual rough = accuracy > CoupledMass::kExact ? look(accuracy) : Residual{};
  if (accuracy > CoupledMass::kExact && rough.total() > tolerance) return rough;
  return look(CoupledMass::kExact);
}

SolveReport SoftOperators::correct(const ContactProblem& p, std::span<double> impulses, const Tools& tools,
                                   const SolveControl& control) {
  SolveReport report;
  if (corrected_ <= control.tolerance) {
    report = last_;
    report.iterations = 0;
    report.seconds = 0;
    return report;
  }
  double fastest = 0;
  for (const double b : p.b) fastest = std::max(fastest, std::abs(b));
  // Products with W itself are dear: neither they nor the problems need to be more exact than the next correction.
  double accuracy = std::isfinite(corrected_) ? kLaterNear * corrected_ / fastest : kFirstNear;
  SolveControl inner = control;
  for (int k = 0; k < kMostCorrections; ++k) {
    const SolveReport before = report;
    inner.tolerance = std::max(kNearTolerance * control.tolerance, accuracy * fastest);
    report = tools.solver.solve(condensed_, impulses, tools.workspace, inner);
    if (k > 0) {
      report.iterations += before.iterations;
      report.seconds += before.seconds;
      report.initial_residual = before.initial_residual;
    }
    const bool gives_up = report.status != SolveStatus::converged || k + 1 == kMostCorrections;
    report.residual = judge(p, impulses, gives_up ? CoupledMass::kExact : accuracy, control.tolerance);
    report.model_residual = corrected_ = report.residual.total();
    last_ = report;
    if (report.status != SolveStatus::converged || report.residual.total() <= control.tolerance) break;
    near_v_.resize(p.rows());
    condensed_.contact_velocity(impulses, near_v_, scratch_);
    for (std::size_t i = 0; i < near_v_.size(); ++i) condensed_.b[i] += work_.v[i] - near_v_[i];
    accuracy = std::max(kLaterNear * corrected_ / fastest, CoupledMass::kExact);
  }
  for (const Carrier& carrier : p.carriers) carrier.mass->solve_to(CoupledMass::kExact);
  if (report.status == SolveStatus::converged && report.residual.total() > control.tolerance) {
    report.status = SolveStatus::stalled;
    report.reason = "Factors of an earlier step are too far from those of this one.";
  }
  return report;
}

/// Iterative constraint anticipation [course §4.3.6; Otaduy et al. 2009]: with A = D − (D − A) the coupling acts on the
/// velocities of the iterate before, and contacts feel D alone. With u − u_free = c, c⁺ = D⁻¹((D − A) c + Jᵀλ⁺). As D − A is
/// positive semidefinite this is a proximal gradient step in the metric of D, and taken from where momentum leads.
SolveReport SoftOperators::solve_by_splitting(const ContactProblem& p, std::span<double> impulses, const Tools& tools,
                                              const SolveControl& control) {
  SplitMomentum momentum;
  ContactProblem s = split(p, momentum.weights);
  ResidualWorkspace work;
  SolveReport report;
  report.initial_residual = report.residual = residual(p, impulses, work);
  momentum.last.assign(p.velocity_size(), 0.0);
  p.add_velocity_change(impulses, momentum.last);
  momentum.ahead = momentum.last;
  std::vector<double> change, best(impulses.begin(), impulses.end());
  SolveControl inner = with_patience(control);
  inner.tolerance *= kInnerTolerance;
  for (int k = 0; k < kMostSplittings && !(report.residual.total() <= control.tolerance); ++k) {
    change = momentum.ahead;
    smooth(p, momentum.weights, change);
    // b of the split problem: where the anticipated velocities take the contacts.
    s.b = p.b;
    s.add_row_velocities(change, s.b);
    const SolveReport step = tools.solver.solve(s, impulses, tools.workspace, inner);
    s.add_velocity_change(impulses, change);
    momentum.go_on(change);
    report.seconds += step.seconds;
    report.iterations += std::max(step.iterations, 1);
    const Residual left = residual(p, impulses, work);
    if (control.keep_history) report.history.push_back(left.total());
    if (left.total() < report.residual.total()) {
      report.residual = left;
      std::ranges::copy(impulses, best.begin());
    }
    if (step.status == SolveStatus::cancelled) break;
  }
  std::ranges::copy(best, impulses.begin());
  report.model_residual = report.residual.total();
  if (!(report.residual.total() <= control.tolerance)) {
    report.status = SolveStatus::iteration_limit;
    report.reason = "The splitting of soft bodies converges too slowly here.";
  }
  return report;
}

}   // namespace stickslip
