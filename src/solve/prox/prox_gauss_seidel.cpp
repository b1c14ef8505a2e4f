#include "stickslip/solve/prox/prox_gauss_seidel.h"

#include <fmt/format.h>

#include "solve/acceleration.h"
#include "solve/sweep.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

struct ProxRule {
  const ContactProblem& problem;
  double scale;                          ///< on all r-factors: shrinks at rollbacks
  const std::vector<double>& factors;    ///< of each contact: rₙ at its first row, r_f at its second

  template <int D, class Law, class Matrix, class Vector>
  void contact(const Law& law, const Block& block, const Matrix& w, const Vector& v, Vector& impulse) const {
    const double normal = std::max(0.0, impulse[0] - scale * factors[block.row] * v[0]);
    const double pushed = normal - impulse[0], r = scale * factors[block.row + 1];
    Eigen::Matrix<double, D - 1, 1> trial;
    for (int k = 1; k < D; ++k) trial[k - 1] = impulse[k] - r * (v[k] + w(k, 0) * pushed);
    impulse.template tail<D - 1>() = law.project(normal, trial);
    impulse[0] = normal;
  }
  template <int D, class Matrix, class Vector>
  void frictionless(const Block& block, const Matrix&, const Vector& v, Vector& impulse) const {
    impulse[0] = std::max(0.0, impulse[0] - scale * factors[block.row] * v[0]);
  }
  template <int D, class Matrix, class Vector>
  void bilateral(const Block&, const Matrix& w, const Vector& v, Vector& impulse) const {
    relax_rows<D>(scale, w, v, impulse, [](int, const Vector&) {
      return std::pair(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
    });
  }
  template <int D, class Matrix, class Vector>
  void box(const Block& block, const Matrix& w, const Vector& v, Vector& impulse) const {
    relax_rows<D>(scale, w, v, impulse, [&](int k, const Vector&) {
      return std::pair(problem.lower[block.row + k], problem.upper[block.row + k]);
    });
  }
};

/// rₙ = 1 / W_nn and r_f = 1 / λmax(W_ff) of every contact.
void compute_factors(const ContactProblem& p, std::vector<double>& factors) {
  factors.assign(p.rows(), 0.0);
  for (const Block& block : p.blocks) {
    if (block.kind != BlockKind::contact) continue;
    const auto w = p.diagonal(block);
    factors[block.row] = w(0, 0) > 0 ? 1 / w(0, 0) : 0;
    if (block.dim == 1) continue;
    double largest;
    if (block.dim == 3) {
      const double mean = 0.5 * (w(1, 1) + w(2, 2)), half = 0.5 * (w(1, 1) - w(2, 2));
      largest = mean + std::sqrt(half * half + w(1, 2) * w(2, 1));
    } else {
      largest = w.bottomRightCorner(block.dim - 1, block.dim - 1).trace();
    }
    factors[block.row + 1] = largest > 0 ? 1 / largest : 0;
  }
}

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
  compute_velocity(problem, impulses, workspace);
  compute_factors(problem, workspace.factors);
  ProxRule rule{problem, options_.relaxation, workspace.factors};
  Acceleration acceleration(impulses, workspace);
  double best_change = std::numeric_limits<double>::infinity();
  for (int k = 1;; ++k) {
    if (options_.accelerate) acceleration.extrapolate();
    else acceleration.keep();
    const double change = gauss_seidel_sweep(problem, impulses, workspace.velocity, rule);
    const bool diverges = !(change <= options_.growth * best_change);
    if (diverges) {
      // Momentum is to blame first; only a plain sweep that moves too far calls for smaller r-factors.
      if (!acceleration.has_momentum()) rule.scale *= options_.shrink;
      acceleration.undo();
    } else {
      best_change = std::min(best_change, change);
      acceleration.restart_if_opposed();
    }
    if (monitor.done(k, impulses, diverges ? std::numeric_limits<double>::infinity() : change)) return;
  }
}

}  // namespace stickslip
