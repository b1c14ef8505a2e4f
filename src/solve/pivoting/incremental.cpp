#include "solve/pivoting/incremental.h"

#include <algorithm>
#include <cmath>

#include "math/infinity.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr double kVelocityRounding = 1e-13;   // of a velocity, relative to the numbers it is the sum of
constexpr double kIndefinite = 1e-6;   // the same where W is not positive semidefinite: more than few-digit files explain
constexpr double kNoise = 1e-10;       // of a change of velocity, which goes through the inverse of W_FF

}   // namespace

void Incremental::start(double redundancy) {
  const Eigen::Index n = b.size();
  redundancy_ = redundancy;
  impulses.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) impulses[i] = std::clamp(0.0, lower[i], upper[i]);
  v = w * impulses + b;
  places.assign(n, Place::waiting);
  ignored_.assign(n, 0);
  order_.clear();
  factor_.clear(n);
  rate_ = dv_ = noise_ = lower_rate_ = upper_rate_ = Eigen::VectorXd::Zero(n);
}

bool Incremental::resting(Eigen::Index row) const {
  double size = std::abs(b[row]);
  for (Eigen::Index j = 0; j < b.size(); ++j) size += std::abs(w(j, row) * impulses[j]);
  return std::abs(v[row]) <= kVelocityRounding * size;
}

bool Incremental::make_free(Eigen::Index row) {
  part_.resize(static_cast<Eigen::Index>(order_.size()));
  for (std::size_t k = 0; k < order_.size(); ++k) part_[k] = w(order_[k], row);
  if (!factor_.append(part_, w(row, row), redundancy_)) return false;
  order_.push_back(row);
  places[row] = Place::free;
  std::fill(ignored_.begin(), ignored_.end(), 0);
  return true;
}

void Incremental::make_tight(Eigen::Index row, Place place) {
  if (places[row] == Place::free) {
    const auto at = std::find(order_.begin(), order_.end(), row);
    factor_.remove(at - order_.begin());
    order_.erase(at);
    std::fill(ignored_.begin(), ignored_.end(), 0);
  }
  places[row] = place;
  impulses[row] = place == Place::lower ? lower[row] : upper[row];
}

/// Completes `rate_`, whose driven rows are set, by what the free rows do, and finds the change of all velocities.
void Incremental::react(Eigen::Index driven) {
  const Eigen::Index n = b.size();
  for (const Eigen::Index i : order_) rate_[i] = 0;
  if (driven >= 0) dv_ = w.col(driven) * rate_[driven];
  else dv_.noalias() = w * rate_;
  part_.resize(static_cast<Eigen::Index>(order_.size()));
  for (std::size_t k = 0; k < order_.size(); ++k) part_[k] = -dv_[order_[k]];
  factor_.solve_in_place(part_);
  noise_ = dv_.cwiseAbs();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Eigen::Index j = order_[k];
    rate_[j] = part_[k];
    for (Eigen::Index i = 0; i < n; ++i) {
      const double change = w(i, j) * part_[k];
      dv_[i] += change;
      noise_[i] += std::abs(change);
    }
  }
  noise_ *= kNoise;
}

/// The first thing that happens on the way. Equal lengths: the end of the move first, then the row of least index.
Incremental::Stop Incremental::first_stop(Eigen::Index driven, double longest) const {
  Stop first{longest, std::isfinite(longest) ? Event::end : Event::none, driven};
  const auto consider = [&](double length, Event event, Eigen::Index row) {
    if (std::max(length, 0.0) < first.length) first = {std::max(length, 0.0), event, row};
  };
  if (driven >= 0) {
    const double rate = rate_[driven];
    if (!unmoved(driven) && v[driven] * dv_[driven] < 0) consider(-v[driven] / dv_[driven], Event::driven_rests, driven);
    if (rate < 0 && lower[driven] > -kInfinity) consider(impulses[driven] - lower[driven], Event::driven_lower, driven);
    if (rate > 0 && upper[driven] < kInfinity) consider(upper[driven] - impulses[driven], Event::driven_upper, driven);
  }
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    switch (places[i]) {
      case Place::waiting:
        break;
      case Place::idle:
        if (i != driven && !ignored_[i] && !unmoved(i)) consider(0, Event::to_free, i);
        [[fallthrough]];
      case Place::free: {
        const double below = rate_[i] - lower_rate_[i], above = rate_[i] - upper_rate_[i];
        const double tiny = 1e-14 * (std::abs(rate_[i]) + std::abs(upper_rate_[i]));
        if (below < -tiny && lower[i] > -kInfinity) consider((impulses[i] - lower[i]) / -below, Event::to_lower, i);
        if (above > tiny && upper[i] < kInfinity) consider((upper[i] - impulses[i]) / above, Event::to_upper, i);
        break;
      }
      case Place::lower:
      case Place::upper: {
        if (i == driven || ignored_[i] || unmoved(i)) break;
        if (lower[i] == upper[i] && lower_rate_[i] == upper_rate_[i]) break;   // held whatever its velocity
        const double towards_free = places[i] == Place::lower ? -dv_[i] : dv_[i],
                     still = places[i] == Place::lower ? v[i] : -v[i];
        if (towards_free > 0) consider(still / towards_free, Event::to_free, i);
        break;
      }
    }
  }
  return first;
}

void Incremental::advance(double length) {
  impulses += length * rate_;
  v += length * dv_;
  lower += length * lower_rate_;
  upper += length * upper_rate_;
  for (const Eigen::Index i : order_) v[i] = 0;
}

Incremental::Outcome Incremental::travel(Eigen::Index driven, double longest, SolveMonitor& monitor, int& iteration) {
  const Eigen::Index n = b.size();
  for (Eigen::Index short_moves = 0;;) {
    if (driven >= 0) {
      rate_.setZero();
      rate_[driven] = v[driven] < 0 ? 1 : -1;
    } else {
      for (Eigen::Index i = 0; i < n; ++i)
        rate_[i] = places[i] == Place::lower ? lower_rate_[i] : places[i] == Place::upper ? upper_rate_[i] : 0;
    }
    react(driven);
    // The driven row must be slowed, or not be moved at all.
    if (driven >= 0 && rate_[driven] * dv_[driven] < 0) {
      if (std::abs(dv_[driven]) > kIndefinite / kNoise * noise_[driven]) return Outcome::indefinite;
      dv_[driven] = 0;
    }
    const Stop stop = first_stop(driven, longest);
    if (stop.event == Event::none) return Outcome::unbounded;
    advance(stop.length);
    longest -= stop.length;
    const Eigen::Index i = stop.row;
    bool done = false;
    switch (stop.event) {
      case Event::driven_rests:
        v[i] = 0;
        if (!make_free(i)) places[i] = Place::idle;
        done = true;
        break;
      case Event::driven_lower:
        make_tight(i, Place::lower), done = true;
        break;
      case Event::driven_upper:
        make_tight(i, Place::upper), done = true;
        break;
      case Event::to_lower:
        make_tight(i, Place::lower);
        break;
      case Event::to_upper:
        make_tight(i, Place::upper);
        break;
      case Event::to_free:
        v[i] = 0;
        if (!make_free(i)) ignored_[i] = 1;
        break;
      default:
        done = true;
    }
    ++iteration;
    // A degenerate corner takes many moves of no length; a cycle takes them for ever.
    short_moves = stop.length > 0 ? 0 : short_moves + 1;
    if (done && driven < 0) return Outcome::done;   // the caller judges the end of a move of bounds
    if (monitor.done(iteration, {impulses.data(), static_cast<std::size_t>(n)}, kInfinity)) return Outcome::stopped;
    if (done) return Outcome::done;
    if (short_moves > 20 * n + 100) return Outcome::stuck;
  }
}

Incremental::Outcome Incremental::take_in(Eigen::Index row, SolveMonitor& monitor, int& iteration) {
  const bool at_lower = impulses[row] <= lower[row], at_upper = impulses[row] >= upper[row];
  if (at_lower && at_upper) {
    places[row] = v[row] < 0 ? Place::upper : Place::lower;
    return Outcome::done;
  }
  if (resting(row)) {
    if (at_lower || at_upper) places[row] = at_lower ? Place::lower : Place::upper;
    else if (!make_free(row)) places[row] = Place::idle;
    return Outcome::done;
  }
  if (v[row] > 0 && at_lower) return places[row] = Place::lower, Outcome::done;
  if (v[row] < 0 && at_upper) return places[row] = Place::upper, Outcome::done;
  lower_rate_.setZero();
  upper_rate_.setZero();
  return travel(row, kInfinity, monitor, iteration);
}

Incremental::Outcome Incremental::move_bounds(const Eigen::VectorXd& new_lower, const Eigen::VectorXd& new_upper,
                                              SolveMonitor& monitor, int& iteration) {
  lower_rate_.setZero();
  upper_rate_.setZero();
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    if (new_lower[i] != lower[i]) lower_rate_[i] = new_lower[i] - lower[i];
    if (new_upper[i] != upper[i]) upper_rate_[i] = new_upper[i] - upper[i];
    // Bounds that part: the row goes along with the one its velocity presses it to.
    if (lower[i] == upper[i] && lower_rate_[i] != upper_rate_[i] && places[i] != Place::free)
      places[i] = v[i] < 0 ? Place::upper : Place::lower;
  }
  const Outcome outcome = travel(-1, 1, monitor, iteration);
  if (outcome != Outcome::done) return outcome;
  lower = new_lower;
  upper = new_upper;
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    if (places[i] == Place::lower) impulses[i] = lower[i];
    if (places[i] == Place::upper) impulses[i] = upper[i];
  }
  return outcome;
}

void Incremental::refine() {
  for (int pass = 0; pass < 2; ++pass) {
    v = w * impulses + b;
    if (pass > 0 || order_.empty()) continue;
    part_.resize(static_cast<Eigen::Index>(order_.size()));
    for (std::size_t k = 0; k < order_.size(); ++k) part_[k] = -v[order_[k]];
    factor_.solve_in_place(part_);
    for (std::size_t k = 0; k < order_.size(); ++k) {
      double& impulse = impulses[order_[k]];
      impulse = std::clamp(impulse + part_[k], lower[order_[k]], upper[order_[k]]);
    }
  }
}

}   // namespace stickslip
