#include "stickslip/solve/pivoting/principal_pivoting.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "math/infinity.h"
#include "solve/pivoting/free_rows.h"
#include "solve/pivoting/friction_bounds.h"
#include "solve/pivoting/index_hash.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr int kCoupledSteps = 6;               // blocks of pivots with coupled friction bounds per round
constexpr std::size_t kSinglePivots = 20;      // after blocks without progress, before a larger proximal weight is taken
constexpr double kViolationRounding = 1e-13;   // violations that are smaller, relative to the numbers they come from, are none

struct PivotingScratch {
  BoxedLcp view;
  FreeRows rows;
  FrictionBounds friction;
  std::vector<RowPlace> places, places_before, places_kept;
  std::vector<double> proximal;   ///< εD
  std::vector<double> center;     ///< λ_old of the proximal step
  std::vector<double> v, dual;    ///< Wλ + b, and the same of the proximal step
  std::vector<double> size;       ///< per row: |b| + Σ |W_ij λ_j|, the numbers that v is the sum of
  std::vector<double> right, step, trial, best_trial, trial_lower, trial_upper;
  std::unordered_set<std::uint64_t> seen;
};

/// Solves one boxed problem with fixed bounds by pivots.
class Pivots {
 public:
  enum class Outcome { solved, laborious, cycle, singular, stopped };

  Pivots(PivotingScratch& s, std::span<double> impulses, std::vector<double>& lower, std::vector<double>& upper,
         SolveMonitor& monitor, int& iteration)
      : s_(s), impulses_(impulses), lower_(lower), upper_(upper), monitor_(monitor), iteration_(iteration) {}

  /// @param patience blocks of pivots without progress before single ones; negative: single ones only
  /// @param singles single pivots after blocks before the work is called laborious
  Outcome run(int patience, std::size_t singles) {
    const std::size_t n = impulses_.size();
    std::size_t fewest = n + 1;
    int left = patience;
    s_.seen.clear();
    while (true) {
      if (!solve_free()) return Outcome::singular;
      std::size_t infeasible = 0, first = n;
      for (std::size_t i = 0; i < n; ++i)
        if (target(i) != s_.places[i]) {
          if (infeasible++ == 0) first = i;
        }
      ++iteration_;
      if (infeasible == 0) {
        return monitor_.done(iteration_, impulses_) ? Outcome::stopped : Outcome::solved;
      }
      if (monitor_.done(iteration_, impulses_, kInfinity)) return Outcome::stopped;
      bool all = patience >= 0;
      if (infeasible < fewest) {
        fewest = infeasible;
        left = patience;
        s_.seen.clear();
      } else if (--left < 0) {
        all = false;
      }
      if (patience >= 0 && !all && singles-- == 0) return Outcome::laborious;
      if (!all && !s_.seen.insert(hash()).second) return Outcome::cycle;
      for (std::size_t i = first; i < (all ? n : first + 1); ++i) s_.places[i] = target(i);
    }
  }

  /// The same with friction bounds that follow the normal impulses inside the linear system: blocks of pivots, at most `steps`.
  /// Nothing makes these converge; they do when the index sets are nearly right. @param best in: the residual to beat; out: the
  /// least found, whose impulses and places are then in `s.best_trial` and `s.places_before`.
  Outcome run_coupled(int steps, double& best) {
    const std::size_t n = impulses_.size();
    for (int k = 0; k < steps; ++k) {
      for (std::size_t i = 0; i < n; ++i) s_.right[i] = -s_.view.b[i] + s_.proximal[i] * s_.center[i];
      if (!s_.rows.solve_coupled(s_.view, s_.places, s_.right, impulses_)) return Outcome::singular;
      evaluate();
      s_.view.bounds(impulses_, lower_, upper_);
      if (monitor_.done(++iteration_, impulses_)) return Outcome::stopped;
      bool changed = false;
      if (monitor_.last_total() < best) {
        best = monitor_.last_total();
        s_.best_trial.assign(impulses_.begin(), impulses_.end());
        s_.places_before = s_.places;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const RowPlace wanted = target(i);
        changed |= wanted != s_.places[i];
        s_.places[i] = wanted;
      }
      if (!changed) return Outcome::solved;
    }
    return Outcome::laborious;
  }

 private:
  /// λ_T at the bounds, λ_F from the linear system with one step of refinement, v and the dual.
  bool solve_free() {
    const std::size_t n = impulses_.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (s_.places[i] == RowPlace::lower) impulses_[i] = lower_[i];
      else if (s_.places[i] == RowPlace::upper) impulses_[i] = upper_[i];
    }
    for (int pass = 0; pass < 2; ++pass) {
      evaluate();
      for (std::size_t i = 0; i < n; ++i) s_.right[i] = s_.places[i] == RowPlace::free ? -s_.dual[i] : 0;
      if (!s_.rows.solve(s_.places, s_.right, s_.step)) return false;
      for (std::size_t i = 0; i < n; ++i)
        if (s_.places[i] == RowPlace::free) impulses_[i] += s_.step[i];
    }
    evaluate();
    return true;
  }

  void evaluate() {
    const BlockMatrix& w = s_.view.W;
    w.multiply(impulses_, s_.v);
    for (std::size_t i = 0; i < impulses_.size(); ++i) {
      s_.v[i] += s_.view.b[i];
      s_.dual[i] = s_.v[i] + s_.proximal[i] * (impulses_[i] - s_.center[i]);
      s_.size[i] = std::abs(s_.view.b[i]);
    }
    for (std::uint32_t i = 0; i < w.blocks(); ++i)
      for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
        const auto block = w.entry(i, e);
        for (Eigen::Index c = 0; c < block.cols(); ++c)
          for (Eigen::Index r = 0; r < block.rows(); ++r)
            s_.size[w.offset[i] + r] += std::abs(block(r, c) * impulses_[w.offset[w.column[e]] + c]);
      }
  }

  /// Where the row belongs by the rules of Murty.
  RowPlace target(std::size_t i) const {
    const double lower = lower_[i], upper = upper_[i], slack = kViolationRounding * s_.size[i];
    if (s_.places[i] == RowPlace::free) {
      const double shift = s_.friction.scale[i] > 0 ? slack / s_.friction.scale[i] : 0;
      if (lower == upper || impulses_[i] < lower - shift) return RowPlace::lower;
      return impulses_[i] > upper + shift ? RowPlace::upper : RowPlace::free;
    }
    if (lower == upper) return s_.places[i];
    if (s_.places[i] == RowPlace::lower) return s_.dual[i] < -slack ? RowPlace::free : RowPlace::lower;
    return s_.dual[i] > slack ? RowPlace::free : RowPlace::upper;
  }

  std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < s_.places.size(); ++i) h ^= index_hash(3 * i + static_cast<std::uint64_t>(s_.places[i]));
    return h;
  }

  PivotingScratch& s_;
  std::span<double> impulses_;
  std::vector<double>&lower_, &upper_;
  SolveMonitor& monitor_;
  int& iteration_;
};

/// The proximal weight ε. It falls while rounds are easy: small weights converge fast, whatever the mass ratio. Where friction
/// bounds then do not settle, redundant normal impulses wander; a larger weight holds them in place for some rounds before it
/// falls again.
class Weight {
 public:
  double value;

  explicit Weight(double regularisation)
      : value(regularisation > 0 ? std::max(1e-2, regularisation) : 0), least_(regularisation) {}
  bool fall() { return change(std::max(0.1 * value, least_)); }
  bool can_rise() const { return value > 0 && value < kLargest; }
  bool rise() { return can_rise() && change(std::min(30 * value, kLargest)); }

  /// After a round. @param better whether the round ended much better than the one before
  bool next_round(bool easy, bool better, double best, bool has_friction) {
    if (holding_ > 0) {
      if (--holding_ > 0 && !better) return false;
      holding_ = 0;
      return fall();
    }
    if (best < 0.8 * best_) {
      best_ = best;
      stuck_ = 0;
    } else if (has_friction && value > 0 && ++stuck_ > 8) {
      stuck_ = 0;
      holding_ = 12;
      hold_weight_ = hold_weight_ > 2e-3 ? 0.1 * hold_weight_ : 0.1;
      return change(std::max(hold_weight_, least_));
    }
    return easy && fall();
  }

 private:
  bool change(double next) { return std::exchange(value, next) != next; }

  static constexpr double kLargest = 1;
  double least_, best_ = kInfinity, hold_weight_ = 1;
  int stuck_ = 0, holding_ = 0;
};

void set_weight(PivotingScratch& s, double weight) {
  for (std::size_t i = 0; i < s.proximal.size(); ++i) s.proximal[i] = weight * s.friction.scale[i];
  s.rows.set_diagonal(s.proximal);
}

void set_up(PivotingScratch& s, const ContactProblem& problem, std::span<double> impulses, double weight) {
  const std::size_t n = problem.rows();
  s.view = as_blcp(problem);
  for (double& x : impulses)
    if (!std::isfinite(x)) x = 0;
  s.friction.start(s.view, impulses);
  s.proximal.resize(n);
  for (std::size_t i = 0; i < n; ++i) s.proximal[i] = weight * s.friction.scale[i];
  s.rows.set(s.view.W, s.proximal);
  for (std::vector<double>* x :
       {&s.center, &s.v, &s.dual, &s.size, &s.right, &s.step, &s.trial, &s.trial_lower, &s.trial_upper})
    x->resize(n);
  s.places.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (impulses[i] <= s.friction.lower[i]) s.places[i] = RowPlace::lower;
    else s.places[i] = impulses[i] >= s.friction.upper[i] ? RowPlace::upper : RowPlace::free;
  }
}

/// Rows whose bounds coincide may stand at either: at the one that their velocity presses them to once the bounds part.
void place_closed_rows(PivotingScratch& s) {
  for (std::size_t i = 0; i < s.places.size(); ++i)
    if (s.view.normal_row[i] >= 0 && s.places[i] != RowPlace::free && s.friction.was_closed[i])
      s.places[i] = s.v[i] < 0 ? RowPlace::upper : RowPlace::lower;
}

enum class Follow { stopped, helped, not_helped };

/// Blocks of pivots with friction at its bounds as ±μ λₙ in the unknowns. As long as they help they go on from what they found.
/// @param total of the impulses [m/s]; out: of those found
Follow follow_friction(PivotingScratch& s, Pivots& coupled, std::span<double> impulses, Weight& weight, double& total) {
  Follow outcome = Follow::not_helped;
  for (double before = kInfinity; s.view.has_friction && s.friction.differs(s.view, impulses) && total < 0.5 * before;) {
    before = total;
    std::copy(impulses.begin(), impulses.end(), s.trial.begin());
    s.places_kept = s.places;
    if (coupled.run_coupled(kCoupledSteps, total) == Pivots::Outcome::stopped) return Follow::stopped;
    const bool found = total < before;
    if (found) std::copy(s.best_trial.begin(), s.best_trial.end(), impulses.begin());
    s.places = found ? s.places_before : s.places_kept;
    if (!found) break;
    outcome = Follow::helped;
    std::copy(impulses.begin(), impulses.end(), s.center.begin());
    if (total < 0.5 * before && weight.fall()) set_weight(s, weight.value);
  }
  return outcome;
}

}   // namespace

PrincipalPivoting::PrincipalPivoting(PrincipalPivotingOptions options, bool blocks) : options_(options), blocks_(blocks) {
  if (!(options.regularisation >= 0 && options.regularisation < 1))
    throw Error(fmt::format("{} is not a regularisation. It must be at least 0 and less than 1.", options.regularisation))
        .at("regularisation");
  if (options.patience < 0)
    throw Error(fmt::format("{} is not a number of blocks. It must be at least 0.", options.patience)).at("patience");
}

void PrincipalPivoting::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                                SolveMonitor& monitor) const {
  PivotingScratch& s = workspace.scratch<PivotingScratch>();
  Weight weight(options_.regularisation);
  set_up(s, problem, impulses, weight.value);
  int iteration = 0, cycles = 0;
  double last_total = kInfinity;
  Pivots pivots(s, impulses, s.friction.lower, s.friction.upper, monitor, iteration);
  Pivots coupled(s, s.trial, s.trial_lower, s.trial_upper, monitor, iteration);
  while (true) {
    std::copy(impulses.begin(), impulses.end(), s.center.begin());
    s.places_before = s.places;
    const int before = iteration;
    const std::size_t singles = weight.can_rise() ? kSinglePivots : std::numeric_limits<std::size_t>::max();
    switch (pivots.run(blocks_ ? options_.patience : -1, singles)) {
      case Pivots::Outcome::stopped:
        return;
      case Pivots::Outcome::solved:
        break;
      case Pivots::Outcome::laborious:
        weight.rise();
        set_weight(s, weight.value);
        std::copy(s.center.begin(), s.center.end(), impulses.begin());
        s.places = s.places_before;
        continue;
      case Pivots::Outcome::singular:
        return monitor.give_up(impulses, SolveStatus::failed, "The rows without bounds in reach have a singular matrix.");
      case Pivots::Outcome::cycle:
        // With other bounds and another proximal step the next round may fare better; but not for ever.
        if (++cycles >= 3 || !weight.rise())
          return monitor.give_up(impulses, SolveStatus::failed,
                                 "Least-index pivots came back to an index set: W is not a P-matrix.");
        set_weight(s, weight.value);
    }
    double total = monitor.last_total();
    const int pivots_made = iteration - before;
    const Follow found = follow_friction(s, coupled, impulses, weight, total);
    if (found == Follow::stopped) return;
    if (weight.next_round(pivots_made <= options_.patience + 4, total < 0.5 * last_total, monitor.best_total(),
                          s.view.has_friction))
      set_weight(s, weight.value);
    last_total = total;
    if (!s.friction.update(s.view, impulses, monitor.best_total()))
      return monitor.give_up(impulses, SolveStatus::stalled,
                             s.view.has_friction ? "The friction bounds do not settle, or rounding is above the tolerance."
                                                 : "No index set is better; rounding is above the tolerance.");
    if (found == Follow::helped) s.friction.follow(s.view, impulses);
    place_closed_rows(s);
  }
}

}   // namespace stickslip
