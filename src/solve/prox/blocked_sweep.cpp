#include "solve/prox/prox_sweeps.h"
#include "solve/prox/r_factors.h"
#include "solve/rules.h"

namespace stickslip {

bool solve_block(int n, const double* w, double* x) {
  double a[36], largest = 0;
  std::copy(w, w + n * n, a);
  for (int k = 0; k < n; ++k) largest = std::max(largest, std::abs(a[k * (n + 1)]));
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[k * n + i]) > std::abs(a[k * n + pivot])) pivot = i;
    if (!(std::abs(a[k * n + pivot]) > 1e-10 * largest)) return false;
    for (int j = k; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
    std::swap(x[k], x[pivot]);
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[k * n + i] / a[k * n + k];
      for (int j = k + 1; j < n; ++j) a[j * n + i] -= factor * a[j * n + k];
      x[i] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= a[k * n + k];
    for (int i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
  }
  return true;
}

namespace {

struct BlockedRule {
  const ContactProblem& problem;
  double relaxation;

  template <int D, class Law, class Vector>
  double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const double normal =
        block.rows == RowSet::friction ? impulse[0] : std::max(0.0, impulse[0] - relaxation * scale.normal_mass * v[0]);
    const double pushed = normal - impulse[0];
    impulse[0] = normal;
    if (block.rows == RowSet::normal) return std::abs(pushed) / scale.normal_mass;
    const typename Law::Vector old = impulse.template tail<D - 1>();
    typename Law::Vector slip;
    for (int k = 1; k < D; ++k) slip[k - 1] = relaxation * (v[k] + block.w[k] * pushed);
    impulse.template tail<D - 1>() = prox_in_block_metric<D>(law, normal, old, slip, block.w, scale.friction_mass);
    return std::max(std::abs(pushed) / scale.normal_mass,
                    (impulse.template tail<D - 1>() - old).cwiseAbs().maxCoeff() / scale.friction_mass);
  }
  double patch(const PatchFriction& law, const BlockView<6>& block, const PatchBlock& v, PatchBlock& impulse) const {
    if (block.rows != RowSet::all) return ProxRule{problem, relaxation}.patch(law, block, v, impulse);
    const ContactScale& scale = problem.scales[block.index];
    const PatchBlock before = impulse;
    patch_steps(law, PatchMap(block.w), PatchFactors::of(scale, relaxation), v, impulse);
    return patch_moved(scale, before, impulse);
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return BoxedRule{problem, relaxation}.frictionless<D>(block, v, impulse);
  }
  /// The whole block at once. Where it is singular, row by row.
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    Vector change = v;
    if (!solve_block(D, block.w, change.data())) return BoxedRule{problem, relaxation}.bilateral<D>(block, v, impulse);
    double moved = 0;
    for (int k = 0; k < D; ++k) {
      impulse[k] -= relaxation * change[k];
      moved = std::max(moved, std::abs(relaxation * change[k] * block.w[k * (D + 1)]));
    }
    return moved;
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return BoxedRule{problem, relaxation}.box<D>(block, v, impulse);
  }
};

}   // namespace

double blocked_prox_sweep(const ContactProblem& problem, std::span<const Batch> batches, std::span<double> impulses,
                          std::span<double> velocity, Momentum& momentum, double relaxation) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, BlockedRule{problem, relaxation});
}

}   // namespace stickslip
