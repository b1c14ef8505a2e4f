#include "solve/prox/prox_sweeps.h"
#include "solve/rules.h"

namespace stickslip {

namespace {

struct GlobalRule {
  const ContactProblem& problem;
  double r;   ///< [kg]

  template <int D, class Law, class Vector>
  double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const double normal = block.rows == RowSet::friction ? impulse[0] : std::max(0.0, impulse[0] - r * v[0]),
                 pushed = normal - impulse[0];
    impulse[0] = normal;
    if (block.rows == RowSet::normal) return std::abs(pushed) / scale.normal_mass;
    const typename Law::Vector old = impulse.template tail<D - 1>();
    typename Law::Vector trial;
    for (int k = 1; k < D; ++k) trial[k - 1] = old[k - 1] - r * (v[k] + block.w[k] * pushed);
    impulse.template tail<D - 1>() = law.project(normal, trial);
    return std::max(std::abs(pushed) / scale.normal_mass,
                    (impulse.template tail<D - 1>() - old).cwiseAbs().maxCoeff() / scale.friction_mass);
  }
  double patch(const PatchFriction& law, const BlockView<6>& block, const PatchBlock& v, PatchBlock& impulse) const {
    const PatchBlock before = impulse;
    PatchBlock velocity = v;
    patch_step(law, PatchMap(block.w), {r, r}, block.rows, velocity, impulse);
    return patch_moved(problem.scales[block.index], before, impulse);
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return rows<D>(block, v, impulse, [](int) { return std::pair(0.0, kInfinity); });
  }
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return rows<D>(block, v, impulse, [](int) { return std::pair(-kInfinity, kInfinity); });
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return rows<D>(block, v, impulse,
                   [&](int k) { return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]); });
  }

 private:
  /// Row by row, as relax_rows with the r of all instead of 1/W_kk.
  template <int D, class Vector, class Bounds>
  double rows(const BlockView<D>& block, Vector v, Vector& impulse, const Bounds& bounds) const {
    double moved = 0;
    for (int k = 0; k < D; ++k) {
      const auto [lower, upper] = bounds(k);
      const double next = std::min(std::max(impulse[k] - r * v[k], lower), upper), change = next - impulse[k];
      for (int i = 0; i < D; ++i) v[i] += block.w[D * k + i] * change;
      impulse[k] = next;
      moved = std::max(moved, std::abs(change) * block.w[k * (D + 1)]);
    }
    return moved;
  }
};

}   // namespace

double global_prox_sweep(const ContactProblem& problem, std::span<const Batch> batches, std::span<double> impulses,
                         std::span<double> velocity, Momentum& momentum, double r) {
  return gauss_seidel_sweep(problem, batches, impulses, velocity, momentum, GlobalRule{problem, r});
}

}   // namespace stickslip
