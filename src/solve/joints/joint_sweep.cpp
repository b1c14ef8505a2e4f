#include "solve/joints/joint_sweep.h"

#include <algorithm>
#include <cmath>

#include "problem/kernels.h"

namespace stickslip {

void JointSweep::setup(const ContactProblem& p, JointSystem& joints) {
  problem_ = &p;
  joints_ = &joints;
  own_.clear();
  others_.clear();
  for (const Batch& batch : p.batches) (batch.kind == BlockKind::bilateral ? own_ : others_).push_back(batch);
  right_.resize(joints.rows());
  change_.resize(joints.rows());
  ahead_.resize(joints.rows());
  by_row_.resize(p.rows());
}

double JointSweep::work() const {
  double operations = 0;
  // two solves and a product
  for (std::size_t m = 0; m < joints_->mechanisms(); ++m) operations += 3 * joints_->solve_work(m);
  return operations;
}

double JointSweep::visit(std::span<double> impulses, std::span<double> velocity, Momentum& momentum) {
  const ContactProblem& p = *problem_;
  const std::span<const std::uint32_t> rows = joints_->problem_rows();
  const auto each = [&](auto&& f) {
    kernels::visit_batches(own_, [&](const Batch& batch, auto dim, auto arity) {
      constexpr int D = dim, A = arity;
      if constexpr (A > 0)
        for (std::uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
          const Block& block = p.blocks[i];
          kernels::LocalVelocity<A> local(p, block, velocity.data());
          f(block, p.scaled_jacobian.data() + block.jacobian, Eigen::Map<kernels::BlockVector<D>>(by_row_.data() + block.row),
            local);
        }
    });
  };
  each([&]<int A, int D>(const Block&, const double* scaled, Eigen::Map<Eigen::Matrix<double, D, 1>> v,
                         kernels::LocalVelocity<A>& local) { v = kernels::relative_velocity<D, A>(scaled, local); });
  double largest = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::uint32_t row = rows[k];
    const double stored = impulses[row], ahead = momentum.beta * (stored - momentum.previous[row]);
    momentum.previous[row] = stored;
    impulses[row] = stored + ahead;
    right_[k] = -(by_row_[row] + p.b[row] + p.sigma[row] * impulses[row]);
    ahead_[k] = ahead;
    largest = std::max(largest, std::abs(right_[k]));
  }
  for (std::size_t m = 0; m < joints_->mechanisms(); ++m)
    joints_->step(m, right_.data() + joints_->first(m), change_.data() + joints_->first(m));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    momentum.along += change_[k] * ahead_[k];
    impulses[rows[k]] += change_[k];
    by_row_[rows[k]] = change_[k];
  }
  each([&]<int A, int D>(const Block&, const double* scaled, Eigen::Map<Eigen::Matrix<double, D, 1>> change,
                         kernels::LocalVelocity<A>& local) {
    kernels::push<D, A>(scaled, change, local);
    local.write(velocity.data());
  });
  return largest;
}

}   // namespace stickslip
