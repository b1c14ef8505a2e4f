#include "step/penalty/penalty_driven_rows.h"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double kMotorGives = 1e-9;   ///< compliance of a motor, as a part of what it feels: two may drive the same
constexpr int kMostSides = 20;         ///< rounds in which it is found which motors are at their limits

/// d M⁻¹ d' of two rows [1/kg].
double felt_by(const PenaltyJointRow& a, const PenaltyJointRow& b, const ContactProblem& problem) {
  double sum = 0;
  for (int k = 0; k < a.count; ++k)
    for (int l = 0; l < b.count; ++l) {
      const auto &x = a.movers[static_cast<std::size_t>(k)], &y = b.movers[static_cast<std::size_t>(l)];
      if (x.segment != y.segment) continue;
      const VelocitySegment& segment = problem.segments[x.segment];
      sum += segment.inverse_mass * x.direction.head<3>().dot(y.direction.head<3>()) +
             x.direction.tail<3>().dot(segment.inverse_inertia * y.direction.tail<3>());
    }
  return sum;
}

}   // namespace

void PenaltyDrivenRows::begin(const PenaltyJoints& joints, const ContactProblem& problem) {
  numbers_.clear();
  for (std::uint32_t k = 0; k < joints.all().size(); ++k)
    if (joints.all()[k].is_driven()) numbers_.push_back(k);
  const std::size_t n = numbers_.size();
  matrix_.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const PenaltyJointRow &a = joints.all()[numbers_[i]], &b = joints.all()[numbers_[j]];
      double felt = felt_by(a, b, problem);
      if (i == j) felt += a.inertia > 0 ? 1 / a.inertia : kMotorGives * felt;
      matrix_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = felt;
      matrix_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = felt;
    }
  for (Eigen::VectorXd* list : {&impulses_, &limits_, &wanted_}) list->setZero(static_cast<Eigen::Index>(n));
  sides_.assign(n, 0);
  factored_.clear();
}

/// With rows at their limits kept there.
void PenaltyDrivenRows::find_impulses(const Eigen::VectorXd& wanted) {
  const Eigen::Index n = wanted.size();
  if (factored_ != sides_) {
    factor_.numbers() = matrix_;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (sides_[static_cast<std::size_t>(i)] == 0) continue;
      factor_.numbers().row(i).setZero();
      factor_.numbers().col(i).setZero();
      factor_.numbers()(i, i) = 1;
    }
    factor_.factor(0);   // positive definite, whatever the rows are
    factored_ = sides_;
  }
  impulses_ = wanted;
  for (Eigen::Index i = 0; i < n; ++i)
    if (const int side = sides_[static_cast<std::size_t>(i)]; side != 0) impulses_ -= side * limits_[i] * matrix_.col(i);
  for (Eigen::Index i = 0; i < n; ++i)
    if (const int side = sides_[static_cast<std::size_t>(i)]; side != 0) impulses_[i] = side * limits_[i];
  factor_.forward(impulses_);
  factor_.backward(impulses_);
}

/// Rows that ask for more than their limit get that, and those that would be too fast with it are let go.
bool PenaltyDrivenRows::change_sides(const Eigen::VectorXd& wanted) {
  bool changed = false;
  for (Eigen::Index i = 0; i < impulses_.size(); ++i) {
    int& side = sides_[static_cast<std::size_t>(i)];
    int now = side;
    if (side != 0 && side * (wanted[i] - matrix_.row(i).dot(impulses_)) < 0) now = 0;
    else if (side == 0 && std::abs(impulses_[i]) > limits_[i]) now = impulses_[i] > 0 ? 1 : -1;
    changed |= now != side;
    side = now;
  }
  return changed;
}

void PenaltyDrivenRows::solve(std::vector<PenaltyJointRow>& rows, std::span<const double> velocity, double time) {
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    const PenaltyJointRow& row = rows[numbers_[k]];
    const auto at = static_cast<Eigen::Index>(k);
    wanted_[at] = (row.inertia > 0 ? row.speed : row.target_speed) - PenaltyJoints::speed(row, velocity);
    limits_[at] = time * row.most;
  }
  for (int k = 0; k < kMostSides; ++k) {
    find_impulses(wanted_);
    if (!change_sides(wanted_)) break;
  }
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    rows[numbers_[k]].force = std::clamp(impulses_[at], -limits_[at], limits_[at]) / time;
  }
}

}   // namespace stickslip
