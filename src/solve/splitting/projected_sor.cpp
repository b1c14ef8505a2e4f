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

  template <int D, class Law, class Matrix, class Vector>
  void contact(const Law& law, const Block&, const Matrix& w, const Vector& v, Vector& impulse) const {
    relax_rows<D>(relaxation, w, v, impulse, [&](int k, const Vector& current) {
      if (k == 0) return std::pair(0.0, kInfinity);
      const double bound = law.box_bounds(current[0])[k - 1];
      return std::pair(-bound, bound);
    });
  }
  template <int D, class Matrix, class Vector>
  void frictionless(const Block&, const Matrix& w, const Vector& v, Vector& impulse) const {
    relax_rows<D>(relaxation, w, v, impulse, [](int, const Vector&) { return std::pair(0.0, kInfinity); });
  }
  template <int D, class Matrix, class Vector>
  void bilateral(const Block&, const Matrix& w, const Vector& v, Vector& impulse) const {
    relax_rows<D>(relaxation, w, v, impulse, [](int, const Vector&) { return std::pair(-kInfinity, kInfinity); });
  }
  template <int D, class Matrix, class Vector>
  void box(const Block& block, const Matrix& w, const Vector& v, Vector& impulse) const {
    relax_rows<D>(relaxation, w, v, impulse, [&](int k, const Vector&) {
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
  compute_velocity(problem, impulses, workspace);
  const BoxedRule rule{problem, options_.relaxation};
  for (int k = 1;; ++k) {
    const double change = gauss_seidel_sweep(problem, impulses, workspace.velocity, rule);
    if (monitor.done(k, impulses, change)) return;
  }
}

}  // namespace stickslip
