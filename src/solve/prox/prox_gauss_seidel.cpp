#include "stickslip/solve/prox/prox_gauss_seidel.h"

#include <fmt/format.h>

#include "solve/sweep.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

struct ProxRule {
  const ContactProblem& problem;
  double relaxation;   ///< on all r-factors rₙ = 1/W_nn, r_f = 1/λmax(W_ff): shrinks at rollbacks

  template <int D, class Law, class Vector>
  [[gnu::always_inline]] double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
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
  template <int D, class Vector>
  double frictionless(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const double normal = std::max(0.0, impulse[0] - relaxation * scale.normal_mass * v[0]), pushed = normal - impulse[0];
    impulse[0] = normal;
    return std::abs(pushed) / scale.normal_mass;
  }
  template <int D, class Vector>
  double bilateral(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [](int, const Vector&) {
      return std::pair(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
    });
  }
  template <int D, class Vector>
  double box(const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [&](int k, const Vector&) {
      return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]);
    });
  }
};

}  // namespace

ProxGaussSeidel::ProxGaussSeidel(Options options) : options_(options) {
  if (!(std::isfinite(options.relaxation) && options.relaxation > 0))
    throw Error(fmt::format("{} is not a relaxation factor. It must be finite and greater than 0.", options.relaxation)).at("relaxation");
  if (!(options.shrink > 0 && options.shrink < 1))
    throw Error(fmt::format("{} cannot shrink the r-factors. It must be between 0 and 1.", options.shrink)).at("shrink");
  if (!(options.growth >= 1))
    throw Error(fmt::format("{} is not a growth factor. It must be at least 1.", options.growth)).at("growth");
}

void ProxGaussSeidel::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                              SolveMonitor& monitor) const {
  ProxRule rule{problem, options_.relaxation};
  Acceleration acceleration(problem, impulses, workspace, options_.accelerate);
  double best_change = std::numeric_limits<double>::infinity();
  for (int k = 1;; ++k) {
    const double change = gauss_seidel_sweep(problem, impulses, workspace.velocity, acceleration.next(), rule);
    const bool diverges = !(change <= options_.growth * best_change);
    if (diverges) {
      // Momentum is to blame first; only a plain sweep that moves too far calls for smaller r-factors.
      if (!acceleration.has_momentum()) rule.relaxation *= options_.shrink;
      acceleration.undo();
    } else {
      best_change = std::min(best_change, change);
      acceleration.restart_if_opposed();
    }
    if (monitor.done(k, impulses, diverges ? std::numeric_limits<double>::infinity() : change)) return;
  }
}

}  // namespace stickslip
