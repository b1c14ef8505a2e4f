#include "stickslip/solve/splitting/projected_sor.h"

#include <fmt/format.h>

#include "solve/sweep.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct BoxedRule {
  const ContactProblem& problem;
  double relaxation;

  template <int D, class Law, class Vector>
  double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    return relax_rows<D>(relaxation, block, v, impulse, [&](int k, const Vector& current) {
      if (k == 0) return std::pair(0.0, kInfinity);
      const double bound = law.box_bounds(current[0])[k - 1];
      return std::pair(-bound, bound);
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

}  // namespace

ProjectedSor::ProjectedSor(Options options) : options_(options) {
  if (!(options.relaxation > 0 && options.relaxation < 2))
    throw Error(fmt::format("{} is not a relaxation factor. It must be between 0 and 2.", options.relaxation)).at("relaxation");
}

void ProjectedSor::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                           SolveMonitor& monitor) const {
  Acceleration plain(problem, impulses, workspace, false);
  const BoxedRule rule{problem, options_.relaxation};
  for (int k = 1;; ++k) {
    const double change = gauss_seidel_sweep(problem, impulses, workspace.velocity, plain.next(), rule);
    if (monitor.done(k, impulses, change)) return;
  }
}

}  // namespace stickslip
