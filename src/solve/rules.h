// Local rules of the Gauss–Seidel sweep (src/solve/sweep.h) that several solvers share.
#pragma once

#include "math/infinity.h"
#include "solve/patch_step.h"
#include "solve/sweep.h"

namespace stickslip {

/// One row after the other, solved for v = 0 and clamped to its box; friction bounds follow the current normal impulse: the
/// boxed model [course §3.2.1].
struct BoxedRule {
  const ContactProblem& problem;
  double relaxation;

  template <int D, class Law, class Vector>
  double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [&](int k, const Vector& current) {
      if (k == 0) return std::pair(0.0, kInfinity);
      const auto bounds = law.box(current[0]);
      return std::pair(bounds.lower[k - 1], bounds.upper[k - 1]);
    });
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [](int, const Vector&) { return std::pair(0.0, kInfinity); });
  }
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [](int, const Vector&) { return std::pair(-kInfinity, kInfinity); });
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [&](int k, const Vector&) {
      return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]);
    });
  }
};

/// λₙ ← max(0, λₙ − rₙ vₙ), λ_f ← prox_F(λₙ)(λ_f − r_f v_f) on the exact friction set [prox §4, Alg. 2].
struct ProxRule {
  const ContactProblem& problem;
  double relaxation;   ///< on all r-factors rₙ = 1/W_nn, r_f = 1/λmax(W_ff): shrinks at rollbacks

  template <int D, class Law, class Vector>
  [[gnu::always_inline]] double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    if (block.rows != RowSet::all) [[unlikely]]
      return part<D>(law, block, v, impulse);
    const ContactScale& scale = problem.scales[block.index];
    const double normal = std::max(0.0, impulse[0] - relaxation * scale.normal_mass * v[0]);
    const double pushed = normal - impulse[0], r = relaxation * scale.friction_mass;
    Eigen::Matrix<double, D - 1, 1> trial;
    for (int k = 1; k < D; ++k) trial[k - 1] = impulse[k] - r * (v[k] + (D == 3 ? scale.coupling[k - 1] : block.w[k]) * pushed);
    const Eigen::Matrix<double, D - 1, 1> friction = law.project(normal, trial);
    double rubbed = 0;
    for (int k = 1; k < D; ++k) {
      rubbed = std::max(rubbed, std::abs(friction[k - 1] - impulse[k]));
      impulse[k] = friction[k - 1];
    }
    impulse[0] = normal;
    return std::max(std::abs(pushed) / scale.normal_mass, rubbed / scale.friction_mass);
  }
  double patch(const PatchFriction& law, const BlockView<6>& block, const PatchBlock& v, PatchBlock& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const PatchBlock before = impulse;
    PatchBlock velocity = v;
    patch_step(law, PatchMap(block.w), PatchFactors::of(scale, relaxation), block.rows, velocity, impulse);
    return patch_moved(scale, before, impulse);
  }
  /// Normal row or friction rows alone; apart, so that the common case keeps its registers.
  template <int D, class Law, class Vector>
  [[gnu::noinline]] double part(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const Vector old = impulse;
    if (block.rows == RowSet::normal) {
      impulse[0] = std::max(0.0, old[0] - relaxation * scale.normal_mass * v[0]);
      return std::abs(impulse[0] - old[0]) / scale.normal_mass;
    }
    const typename Law::Vector trial = old.template tail<D - 1>() - relaxation * scale.friction_mass * v.template tail<D - 1>();
    impulse.template tail<D - 1>() = law.project(old[0], trial);
    return (impulse - old).template lpNorm<Eigen::Infinity>() / scale.friction_mass;
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const double normal = std::max(0.0, impulse[0] - relaxation * scale.normal_mass * v[0]), pushed = normal - impulse[0];
    impulse[0] = normal;
    return std::abs(pushed) / scale.normal_mass;
  }
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [](int, const Vector&) { return std::pair(-kInfinity, kInfinity); });
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [&](int k, const Vector&) {
      return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]);
    });
  }
};

}   // namespace stickslip
