#include "solve/prox/prox_sweeps.h"
#include "solve/prox/r_factors.h"
#include "solve/rules.h"

namespace stickslip {

namespace {

struct BlockedRule {
  const ContactProblem& problem;
  double relaxation;

  template <int D, class Law, class Vector>
  double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const double normal = block.rows == RowSet::friction ? impulse[0] : std::max(0.0, impulse[0] - relaxation * scale.normal_mass * v[0]);
    const double pushed = normal - impulse[0];
    impulse[0] = normal;
    if (block.rows == RowSet::normal) return std::abs(pushed) / scale.normal_mass;
    const typename Law::Vector old = impulse.template tail<D - 1>();
    typename Law::Vector slip;
    for (int k = 1; k < D; ++k) slip[k - 1] = relaxation * (v[k] + block.w[k] * pushed);
    impulse.template tail<D - 1>() = prox_in_block_metric<D>(law, normal, old, slip, block.w, scale.friction_mass);
    return std::max(std::abs(pushed) / scale.normal_mass, (impulse.template tail<D - 1>() - old).cwiseAbs().maxCoeff() / scale.friction_mass);
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return BoxedRule{problem, relaxation}.frictionless<D>(block, v, impulse);
  }
  /// The whole block at once. Where it is singular, row by row.
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const Eigen::Map<const Eigen::Matrix<double, D, D>> w(block.w);
    const Eigen::PartialPivLU<Eigen::Matrix<double, D, D>> lu(w);
    if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 1e-10 * w.diagonal().cwiseAbs().maxCoeff()))
      return BoxedRule{problem, relaxation}.bilateral<D>(block, v, impulse);
    const Vector change = -relaxation * lu.solve(v);
    impulse += change;
    return change.cwiseProduct(w.diagonal()).cwiseAbs().maxCoeff();
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return BoxedRule{problem, relaxation}.box<D>(block, v, impulse);
  }
};

}  // namespace

double blocked_prox_sweep(const ContactProblem& problem, std::span<const Batch> batches, std::span<double> impulses, std::span<double> velocity,
                          Momentum& momentum, double relaxation) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, BlockedRule{problem, relaxation});
}

}  // namespace stickslip
