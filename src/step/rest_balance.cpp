#include "step/rest_balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip {

namespace {

using Segment = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kRigidSize, 1>;

/// L⁻¹ u: real velocities of a segment to mass-scaled ones. What cannot turn has none.
Segment scaled(const ContactProblem& p, std::uint32_t s, const Segment& u) {
  const VelocitySegment& segment = p.segments[s];
  if (!segment.is_rigid()) return u / std::sqrt(segment.inverse_mass);
  const Mat3& factor = p.inertia_factors[s];
  Segment w(kRigidSize);
  w.head<3>() = u.head<3>() / std::sqrt(segment.inverse_mass);
  for (int k = 0; k < 3; ++k) {
    double rest = u[3 + k];
    for (int i = 0; i < k; ++i) rest -= factor(k, i) * w[3 + i];
    w[3 + k] = factor(k, k) > 0 ? rest / factor(k, k) : 0;
  }
  return w;
}

}   // namespace

void RestBalance::find_groups(const ContactProblem& p, std::span<const double> guess, std::span<const double> impulses) {
  group_.resize(p.segments.size());
  std::iota(group_.begin(), group_.end(), 0u);
  const auto root = [&](std::uint32_t s) {
    while (group_[s] != s) s = group_[s] = group_[group_[s]];
    return s;
  };
  for (const Block& b : p.blocks) {
    if (b.arity < 2 || std::equal(guess.begin() + b.row, guess.begin() + b.row + b.dim, impulses.begin() + b.row)) continue;
    for (const std::uint32_t s : p.segments_of(b)) {
      const std::uint32_t one = root(p.segments_of(b)[0]), other = root(s);
      group_[std::max(one, other)] = std::min(one, other);
    }
  }
  for (std::uint32_t s = 0; s < group_.size(); ++s) group_[s] = root(s);
}

void RestBalance::weigh(const ContactProblem& p, const Velocities& u, std::span<const double> guess) {
  guessed_.assign(p.velocity_size(), 0.0);
  p.add_scaled_velocity(guess, guessed_);
  products_.assign(p.segments.size(), {});
  for (std::uint32_t s = 0; s < p.segments.size(); ++s) {
    const auto of = [&](std::span<const double> numbers) {
      return Eigen::Map<const Segment>(numbers.data() + p.offset(s), p.segments[s].size);
    };
    const Segment change = of(u.solved) - of(guessed_);
    if (change.isZero(0)) continue;
    if (p.is_coupled() && p.coupled[s]) {
      products_[group_[s]].gives_way = true;
      continue;
    }
    const Segment left = scaled(p, s, of(u.free) - of(u.before)) + of(guessed_);
    products_[group_[s]].along -= left.dot(change);
    products_[group_[s]].square += change.squaredNorm();
  }
}

void RestBalance::move(const ContactProblem& p, const Velocities& u, std::span<const double> guess,
                       std::span<double> impulses) {
  find_groups(p, guess, impulses);
  solved_.clear();
  if (p.is_coupled()) {   // the solve was of parts
    solved_.assign(p.velocity_size(), 0.0);
    p.add_scaled_velocity(impulses, solved_);
  }
  weigh(p, {u.before, u.free, p.is_coupled() ? solved_ : u.solved}, guess);
  for (const Block& b : p.blocks) {
    const Products& group = products_[group_[p.segments_of(b)[0]]];
    if (group.gives_way || !(group.square > 0)) continue;
    const double part = std::clamp(group.along / group.square, 0.0, 1.0);
    for (std::uint32_t k = b.row; k < b.row + b.dim; ++k) impulses[k] = guess[k] + part * (impulses[k] - guess[k]);
  }
}

}   // namespace stickslip
