#include "solve/exact/exact_sweep.h"

#include <algorithm>

#include "solve/sweep.h"

namespace stickslip {

namespace {

/// The pseudo-inverse, so that a joint that constrains one direction twice does no harm.
void invert(const Eigen::Map<const Eigen::MatrixXd>& w, double proximal, double* out) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  Small a = w;
  a.diagonal().array() += proximal * w.trace() / static_cast<double>(w.rows());
  const Eigen::CompleteOrthogonalDecomposition<Small> factor(a);
  Eigen::Map<Eigen::MatrixXd>(out, w.rows(), w.cols()) = factor.pseudoInverse();
}

struct ExactRule {
  const ContactProblem& problem;
  const ExactBlocks& blocks;

  template <int D, class Law, class Vector>
  [[gnu::always_inline]] double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const Vector before = impulse;
    if constexpr (std::is_same_v<Law, CircularFriction>) blocks.contacts[block.index].solve(law.mu, v, impulse);
    else step_locally<D>(law, block, scale, v, impulse);
    double rubbed = 0;
    for (int k = 1; k < D; ++k) rubbed = std::max(rubbed, std::abs(impulse[k] - before[k]));
    return std::max(std::abs(impulse[0] - before[0]) / scale.normal_mass, rubbed / scale.friction_mass);
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    if (!(block.w[0] > 0)) return 0;
    const double next = std::max(0.0, impulse[0] - v[0] / block.w[0]), change = next - impulse[0];
    impulse[0] = next;
    return std::abs(change) * block.w[0];
  }
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const std::size_t at = problem.blocks[block.index].diagonal;
    const Vector change = -(Eigen::Map<const Eigen::Matrix<double, D, D>>(blocks.inverses.data() + at) * v);
    impulse += change;
    return v.cwiseAbs().maxCoeff();
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(1.0, block, v, impulse,
                         [&](int k, const Vector&) { return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]); });
  }

 private:
  /// For sets without a closed form: one proximal step on the block. More of them solve the block better and the problem no faster.
  template <int D, class Law, class Vector>
  static void step_locally(const Law& law, const BlockView<D>& block, const ContactScale& scale, const Vector& v, Vector& impulse) {
    const double normal = std::max(0.0, impulse[0] - scale.normal_mass * v[0]), pushed = normal - impulse[0];
    typename Law::Vector trial;
    for (int k = 1; k < D; ++k) trial[k - 1] = impulse[k] - scale.friction_mass * (v[k] + block.w[k] * pushed);
    impulse[0] = normal;
    impulse.template tail<D - 1>() = law.project(normal, trial);
  }
};

}  // namespace

void ExactBlocks::prepare(const ContactProblem& p, double proximal) {
  contacts.resize(p.blocks.size());
  inverses.resize(p.diagonal_values.size());
  visitors.assign(p.segments.size(), 0);
  for (const Block& block : p.blocks)
    for (int s = 0; s < block.arity; ++s) ++visitors[block.segment[s]];
  const auto stands_alone = [&](std::size_t i) {
    if (!p.is_factored()) return p.matrix.first[i + 1] - p.matrix.first[i] == 1;
    const Block& block = p.blocks[i];
    return std::all_of(block.segment, block.segment + block.arity, [&](std::uint32_t s) { return visitors[s] == 1; });
  };
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const auto w = p.diagonal(block);
    const double weight = stands_alone(i) ? 0 : proximal;
    if (block.kind == BlockKind::contact && block.dim == 3)
      contacts[i] = LocalContact(p.diagonal_values.data() + block.diagonal, weight * w.trace() / 3);
    else if (block.kind == BlockKind::bilateral)
      invert(w, weight, inverses.data() + block.diagonal);
  }
}

double exact_sweep(const ContactProblem& problem, const ExactBlocks& blocks, std::span<const Batch> batches, std::span<double> impulses,
                   std::span<double> velocity, Momentum& momentum) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, ExactRule{problem, blocks});
}

}  // namespace stickslip
