#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/small_matrices.h"
#include "step/penalty/penalty_motion.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

constexpr int kMostTrials = 12;              ///< of the length of a step
constexpr double kGoodStep = 0.1;            ///< part of what was left that a good step leaves
constexpr std::size_t kSmallSystem = 6000;   ///< velocities of which a matrix that is not symmetric is still cheap

/// Segment by segment: those with a mass of their own, and carriers.
void for_each_mass(const PenaltySpace& s, auto&& of_segment, auto&& of_carrier) {
  std::uint32_t segment = 0;
  const auto until = [&](std::uint32_t end) {
    for (; segment < end; ++segment) of_segment(s.problem.segments[segment], s.space.offset(segment));
  };
  for (const Carrier& carrier : s.problem.carriers) {
    until(carrier.first);
    of_carrier(carrier, s.space.offset(carrier.first));
    segment += carrier.count;
  }
  until(static_cast<std::uint32_t>(s.problem.segments.size()));
}

Mat3 inverse(const Mat3& m) {
  Mat3 result;
  for (int k = 0; k < 3; ++k) result.col(k) = solve_linear(m, Vec3(Vec3::Unit(k)));
  return result;
}

/// −∂f/∂v of a contact over a substep t: t Jᵀ f changes by −Jᵀ D J Δu with D = t times it.
/// @param coupled whether the limit of friction follows what presses; then it is not symmetric
Mat3 slope_of(const PenaltyContact& c, PenaltyFriction friction, double time, bool coupled) {
  const PenaltyForce& f = c.normal_force;
  const double pressing = time * f.by_gap + f.by_speed;
  const Mat3 along = c.normal * c.normal.transpose();
  Mat3 slope = pressing * along;
  if (!(c.limit > 0)) return slope;
  const double hold = c.tangential_damping + (friction == PenaltyFriction::anchored ? time * c.tangential_stiffness : 0);
  if (c.tried_friction <= c.limit) return slope + hold * (Mat3::Identity() - along);
  const Vec3 direction = c.friction_force / c.limit;
  slope += hold * c.limit / c.tried_friction * (Mat3::Identity() - along - direction * direction.transpose());
  if (coupled) slope += c.friction * pressing * direction * c.normal.transpose();
  return slope;
}

}   // namespace

void PenaltyImplicit::times_mass(const PenaltySpace& s, std::span<const double> x, std::span<double> out) const {
  for_each_mass(
      s,
      [&](const VelocitySegment& segment, std::size_t at) {
        Eigen::Map<Vec3>(out.data() + at) = Eigen::Map<const Vec3>(&x[at]) / segment.inverse_mass;
        if (segment.is_rigid())
          Eigen::Map<Vec3>(out.data() + at + 3) =
              solve_linear(segment.inverse_inertia, Vec3(Eigen::Map<const Vec3>(&x[at + 3])));
      },
      [&](const Carrier& carrier, std::size_t at) {
        const auto n = static_cast<Eigen::Index>(carrier.mass->size());
        Eigen::Map<Eigen::VectorXd>(&out[at], n) = carrier.mass->matrix() * Eigen::Map<const Eigen::VectorXd>(&x[at], n);
      });
}

void PenaltyImplicit::add_masses(const PenaltySpace& s) {
  const auto add = [&](std::size_t row, std::size_t column, double value) {
    entries_.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  for_each_mass(
      s,
      [&](const VelocitySegment& segment, std::size_t at) {
        for (std::size_t k = 0; k < 3; ++k) add(at + k, at + k, 1 / segment.inverse_mass);
        if (!segment.is_rigid()) return;
        const Mat3 inertia = inverse(segment.inverse_inertia);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            add(at + 3 + static_cast<std::size_t>(i), at + 3 + static_cast<std::size_t>(j), inertia(i, j));
      },
      [&](const Carrier& carrier, std::size_t at) {
        const auto& a = carrier.mass->matrix();
        for (Eigen::Index c = 0; c < a.outerSize(); ++c)
          for (SparseFactor::Matrix::InnerIterator e(a, c); e; ++e)
            add(at + static_cast<std::size_t>(e.row()), at + static_cast<std::size_t>(c), e.value());
      });
}

/// Jᵀ D J of a contact.
void PenaltyImplicit::add_blocks(const PenaltyContacts& contacts, const PenaltyContact& c, const Mat3& D, bool symmetric) {
  Eigen::Matrix<double, 3, 6> row, column;
  const auto fill = [](const PenaltyMover& m, Eigen::Matrix<double, 3, 6>& J) {
    J.leftCols<3>() = m.weight * Mat3::Identity();
    J.rightCols<3>() = m.rigid ? Mat3(-m.weight * skew(m.arm)) : Mat3::Zero();
    return m.rigid ? kRigidSize : kNodeSize;
  };
  for (const PenaltyMover& i : contacts.movers(c)) {
    const int rows = fill(i, row);
    for (const PenaltyMover& j : contacts.movers(c)) {
      if (symmetric && i.offset < j.offset) continue;
      const int columns = fill(j, column);
      const Eigen::Matrix<double, 6, 6> block = row.transpose() * D * column;
      for (int a = 0; a < rows; ++a)
        for (int b = 0; b < columns; ++b)
          entries_.emplace_back(static_cast<int>(i.offset) + a, static_cast<int>(j.offset) + b, block(a, b));
    }
  }
}

void PenaltyImplicit::add_row(const PenaltyJointRow& row, double D, bool symmetric) {
  for (int i = 0; i < row.count; ++i)
    for (int j = 0; j < row.count; ++j) {
      const auto &a = row.movers[static_cast<std::size_t>(i)], &b = row.movers[static_cast<std::size_t>(j)];
      if (symmetric && a.offset < b.offset) continue;
      for (int k = 0; k < kRigidSize; ++k)
        for (int l = 0; l < kRigidSize; ++l)
          entries_.emplace_back(static_cast<int>(a.offset) + k, static_cast<int>(b.offset) + l,
                                D * a.direction[k] * b.direction[l]);
    }
}

/// Fills `step_` with Newton's step from what is left. @returns whether the matrix could be factored
bool PenaltyImplicit::find_step(const Setting& s, bool symmetric) {
  entries_.clear();
  add_masses(s.space);
  for (const PenaltyContact& c : s.contacts.all())
    add_blocks(s.contacts, c, s.time * slope_of(c, s.friction, s.time, !symmetric), symmetric);
  for (const PenaltyJointRow& row : s.joints.all())
    add_row(row, s.time * row.slope_at(row.value + s.time * (row.speed - row.target_speed), row.speed, s.time), symmetric);
  const auto n = static_cast<Eigen::Index>(left_.size());
  matrix_.resize(n, n);
  matrix_.setFromTriplets(entries_.begin(), entries_.end());
  if (analysed_symmetric_ != symmetric || !same_pattern(matrix_, analysed_)) {
    factor_.analyze(matrix_, symmetric);
    analysed_ = matrix_;
    analysed_symmetric_ = symmetric;
  }
  if (!factor_.factor(matrix_)) return false;
  step_.resize(left_.size());
  factor_.solve(left_.data(), step_.data());
  return true;
}

/// Fills `left_` = t Jᵀ f(u) − A (u − u_free).
PenaltyImplicit::Left PenaltyImplicit::find_left(const Setting& s, std::span<const double> u, bool keeps_limits) {
  for (std::size_t i = 0; i < u.size(); ++i) change_[i] = free_[i] - u[i];
  times_mass(s.space, change_, left_);
  for (PenaltyContact& c : s.contacts.all()) {
    const Vec3 v = s.contacts.velocity(c, u);
    PenaltyContacts::find_force(c, s.friction, c.spring.at(c.gap + s.time * v.dot(c.normal)), c.stretch + s.time * v, v,
                                keeps_limits);
    if (c.normal_force.total > 0 || c.limit > 0)
      s.contacts.push(c, s.time * (c.normal_force.total * c.normal + c.friction_force), left_);
  }
  for (PenaltyJointRow& row : s.joints.all()) {
    row.speed = PenaltyJoints::speed(row, u);
    row.force = row.force_at(row.value + s.time * (row.speed - row.target_speed), row.speed);
    PenaltyJoints::push(row, s.time * row.force, left_);
  }
  Left result;
  for (std::uint32_t k = 0; k < s.space.problem.segments.size(); ++k) {
    const VelocitySegment& segment = s.space.problem.segments[k];
    const std::size_t at = s.space.space.offset(k);
    const Eigen::Map<const Vec3> linear(&left_[at]);
    result.speed = std::max(result.speed, segment.inverse_mass * linear.norm());
    if (!segment.is_rigid()) continue;
    const Eigen::Map<const Vec3> angular(&left_[at + 3]);
    const Vec3 turn = segment.inverse_inertia * angular;
    // Of a point as far from the centre as the radius of gyration.
    result.speed = std::max(result.speed, std::sqrt(std::max(0.0, segment.inverse_mass * angular.dot(turn))));
  }
  return result;
}

/// A step of Newton's method with the limits of friction kept where they are: that is the minimum of a convex function, along
/// whose slope, which is −left · step, the step is shortened. @returns whether the matrix could be factored
bool PenaltyImplicit::descend(const Setting& s, std::vector<double>& u) {
  if (!find_step(s, true)) return false;
  const auto slope = [&] { return std::inner_product(left_.begin(), left_.end(), step_.begin(), 0.0); };
  const double start = slope();
  double part = 1, low = 0;
  for (int k = 0; k < kMostTrials; ++k) {
    for (std::size_t i = 0; i < u.size(); ++i) trial_[i] = u[i] + part * step_[i];
    find_left(s, trial_, true);
    const double now = slope();
    if (now >= -0.5 * start) {
      if (k == 0 || now <= 0.5 * start) break;
      low = part;
      part *= 1.5;
      continue;
    }
    part = 0.5 * (low + part);
  }
  u.swap(trial_);
  return true;
}

/// A step of Newton's method on all of it, if it is a good one. @returns what is left then, or `left` if it was not taken
PenaltyImplicit::Left PenaltyImplicit::leap(const Setting& s, const Left& left, std::vector<double>& u) {
  if (!find_step(s, false)) return left;
  for (std::size_t i = 0; i < u.size(); ++i) trial_[i] = u[i] + step_[i];
  const Left tried = find_left(s, trial_, false);
  if (tried.speed < kGoodStep * left.speed) {
    u.swap(trial_);
    return tried;
  }
  find_left(s, u, false);
  return left;
}

void PenaltyImplicit::solve(const Setting& s, const Control& control, PenaltyResult& result) {
  std::vector<double>& u = result.velocity;
  for (PenaltyContact& c : s.contacts.all()) c.damping = c.damper.time * c.value.stiffness;
  for (PenaltyJointRow& row : s.joints.all())
    if (row.inertia > 0) row.damping = row.inertia / s.time, row.target_speed = PenaltyJoints::speed(row, u);
  for (std::size_t i = 0; i < u.size(); ++i) free_[i] = u[i] + s.time * s.space.rate(i);
  Left left = find_left(s, u, false);
  int iterations = 0;
  bool crawls = false;   // what limits of friction do to each other is all that is left
  while (left.speed > control.tolerance && iterations < control.max_iterations) {
    end_if_cancelled(s.space.cancel);
    const double before = left.speed;
    ++iterations;
    if (crawls && u.size() <= kSmallSystem) left = leap(s, left, u);
    if (left.speed <= kGoodStep * before) continue;
    if (!descend(s, u)) {
      result.status = SolveStatus::failed;
      result.reason = "The matrix of the implicit step could not be factored.";
      break;
    }
    left = find_left(s, u, false);
    crawls = left.speed > kGoodStep * before;
  }
  result.iterations += iterations;
  result.error = std::max(result.error, left.speed);
  if (left.speed > control.tolerance && result.status == SolveStatus::converged) {
    result.status = SolveStatus::iteration_limit;
    result.reason = "Newton's method did not reach its tolerance within max_iterations.";
  }
}

void PenaltyImplicit::run(const PenaltyForces& forces, const PenaltySpace& s, const PenaltyOptions& options,
                          const Control& control, PenaltyResult& result) {
  result = {};
  result.velocity = s.space.before();
  const std::size_t n = result.velocity.size();
  result.mean.assign(n, 0.0);
  for (std::vector<double>* list : {&free_, &change_, &left_, &step_, &trial_}) list->assign(n, 0.0);
  PenaltyContacts& contacts = forces.contacts;
  const int substeps = std::max(1, options.substeps);
  const double time = s.h / substeps;
  for (PenaltyContact& c : contacts.all()) c.velocity = contacts.velocity(c, result.velocity);
  for (int k = 0; k < substeps; ++k) {
    solve({contacts, forces.joints, s, options.friction, time}, control, result);
    for (PenaltyJointRow& row : forces.joints.all()) {
      row.book(time, row.speed);
      row.move(time, row.speed);
    }
    for (PenaltyContact& c : contacts.all()) {
      c.velocity = contacts.velocity(c, result.velocity);
      // The last evaluation of the solve was at these velocities, with which forces do their work.
      if (c.normal_force.total > 0) c.impulse += time * (c.normal_force.total * c.normal + c.friction_force);
      c.book(time, c.velocity);
      c.move(time, c.velocity);
      c.value = c.spring.at(c.gap);
      c.stretch = PenaltyContacts::held_stretch(c, options.friction, c.stretch);
    }
    for (std::size_t i = 0; i < n; ++i) result.mean[i] += result.velocity[i] / substeps;
  }
}

}   // namespace stickslip
