#include <algorithm>
#include <cmath>

#include "math/small_matrices.h"
#include "step/penalty_motion.h"
#include "stickslip/problem/coupled_mass.h"

namespace stickslip {

namespace {

constexpr int kSymmetricIterations = 6;   ///< then sliding friction is linearised exactly
constexpr int kMostHalvings = 10;         ///< of a step that makes things worse

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

/// −∂f/∂v of a contact over a substep: with D = t times it, t Jᵀ f changes by −Jᵀ D J Δu.
Mat3 slope_of(const PenaltyContact& c, PenaltyFriction friction, double time, bool symmetric) {
  const PenaltyForce& f = c.normal_force;
  if (!(f.total > 0)) return Mat3::Zero();
  const double pressing = time * f.by_gap + f.by_speed;
  const Mat3 along = c.normal * c.normal.transpose();
  Mat3 slope = pressing * along;
  const double hold = c.tangential_damping + (friction == PenaltyFriction::anchored ? time * c.tangential_stiffness : 0);
  const double limit = c.friction * f.total, size = c.tried_friction;
  if (size <= limit) return slope + hold * (Mat3::Identity() - along);
  if (!(limit > 0)) return slope;
  const Vec3 direction = c.friction_force / limit;
  slope += hold * limit / size * (Mat3::Identity() - along - direction * direction.transpose());
  if (!symmetric) slope += c.friction * pressing * direction * c.normal.transpose();
  return slope;
}

}   // namespace

void PenaltyImplicit::times_mass(const PenaltySpace& s, std::span<const double> x, std::span<double> out) const {
  for_each_mass(
      s,
      [&](const VelocitySegment& segment, std::size_t at) {
        Eigen::Map<Vec3>(out.data() + at) = Eigen::Map<const Vec3>(&x[at]) / segment.inverse_mass;
        if (segment.is_rigid())
          Eigen::Map<Vec3>(out.data() + at + 3) = solve_linear(segment.inverse_inertia, Vec3(Eigen::Map<const Vec3>(&x[at + 3])));
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

/// Fills `step_` with Newton's step from what is left. @returns whether the matrix could be factored
bool PenaltyImplicit::find_step(const PenaltyContacts& contacts, const PenaltySpace& s, PenaltyFriction friction, double time,
                                bool symmetric) {
  entries_.clear();
  add_masses(s);
  for (const PenaltyContact& c : contacts.all())
    add_blocks(contacts, c, time * slope_of(c, friction, time, symmetric), symmetric);
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
PenaltyImplicit::Left PenaltyImplicit::find_left(PenaltyContacts& contacts, const PenaltySpace& s, PenaltyFriction friction,
                                                 double time, std::span<const double> u) {
  for (std::size_t i = 0; i < u.size(); ++i) change_[i] = free_[i] - u[i];
  times_mass(s, change_, left_);
  for (PenaltyContact& c : contacts.all()) {
    const Vec3 v = contacts.velocity(c, u);
    PenaltyContacts::find_force(c, friction, c.gap + time * v.dot(c.normal), c.stretch + time * v, v);
    if (c.normal_force.total > 0) contacts.push(c, time * (c.normal_force.total * c.normal + c.friction_force), left_);
  }
  Left result;
  for (std::uint32_t k = 0; k < s.problem.segments.size(); ++k) {
    const VelocitySegment& segment = s.problem.segments[k];
    const std::size_t at = s.space.offset(k);
    const Eigen::Map<const Vec3> linear(&left_[at]);
    result.squared += segment.inverse_mass * linear.squaredNorm();
    result.speed = std::max(result.speed, segment.inverse_mass * linear.norm());
    if (!segment.is_rigid()) continue;
    const Eigen::Map<const Vec3> angular(&left_[at + 3]);
    const Vec3 turn = segment.inverse_inertia * angular;
    result.squared += angular.dot(turn);
    // Of a point as far from the centre as the radius of gyration.
    result.speed = std::max(result.speed, std::sqrt(std::max(0.0, segment.inverse_mass * angular.dot(turn))));
  }
  return result;
}

void PenaltyImplicit::solve(PenaltyContacts& contacts, const PenaltySpace& s, const PenaltyOptions& options,
                            const Control& control, double time, PenaltyResult& result) {
  std::vector<double>& u = result.velocity;
  for (PenaltyContact& c : contacts.all())
    c.damping = c.gap < 0 || c.spring.law == PenaltyLaw::exponential ? c.damper.time * c.spring.at(c.gap).stiffness : 0;
  for (std::size_t i = 0; i < u.size(); ++i) free_[i] = u[i] + time * s.rate(i);
  Left left = find_left(contacts, s, options.friction, time, u);
  int iterations = 0;
  for (; left.speed > control.tolerance && iterations < control.max_iterations; ++iterations) {
    const bool symmetric = iterations < kSymmetricIterations;
    if (!find_step(contacts, s, options.friction, time, symmetric)) {
      result.status = SolveStatus::failed;
      result.reason = "The matrix of the implicit step could not be factored.";
      break;
    }
    double part = 1;
    Left tried;
    for (int k = 0; k <= kMostHalvings; ++k, part *= 0.5) {
      for (std::size_t i = 0; i < u.size(); ++i) trial_[i] = u[i] + part * step_[i];
      tried = find_left(contacts, s, options.friction, time, trial_);
      if (tried.squared < left.squared * (1 - 0.1 * part) || tried.speed <= control.tolerance) break;
    }
    left = tried;
    u.swap(trial_);
  }
  result.iterations += iterations;
  result.error = std::max(result.error, left.speed);
  if (left.speed > control.tolerance && result.status == SolveStatus::converged) {
    result.status = SolveStatus::iteration_limit;
    result.reason = "Newton's method did not reach its tolerance within max_iterations.";
  }
}

void PenaltyImplicit::run(PenaltyContacts& contacts, const PenaltySpace& s, const PenaltyOptions& options,
                          const Control& control, PenaltyResult& result) {
  result = {};
  result.velocity = s.space.before();
  const std::size_t n = result.velocity.size();
  result.mean.assign(n, 0.0);
  for (std::vector<double>* list : {&free_, &change_, &left_, &step_, &trial_}) list->assign(n, 0.0);
  const int substeps = std::max(1, options.substeps);
  const double time = s.h / substeps;
  for (PenaltyContact& c : contacts.all()) c.velocity = contacts.velocity(c, result.velocity);
  for (int k = 0; k < substeps; ++k) {
    solve(contacts, s, options, control, time, result);
    for (PenaltyContact& c : contacts.all()) {
      const Vec3 before = c.velocity;
      c.velocity = contacts.velocity(c, result.velocity);
      // The last evaluation of the solve was at these velocities.
      if (c.normal_force.total > 0) c.impulse += time * (c.normal_force.total * c.normal + c.friction_force);
      c.book(time, 0.5 * (before + c.velocity));
      c.move(time);
      c.stretch = PenaltyContacts::held_stretch(c, options.friction, c.stretch);
    }
    for (std::size_t i = 0; i < n; ++i) result.mean[i] += result.velocity[i] / substeps;
  }
}

}   // namespace stickslip
