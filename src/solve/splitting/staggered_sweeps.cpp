#include "solve/splitting/staggered_sweeps.h"

#include "solve/rules.h"

namespace stickslip {

namespace {

struct NormalRule : BoxedRule {
  template <int D, class Law, class Vector>
  double contact(const Law&, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const ContactScale& scale = problem.scales[block.index];
    const double normal = std::max(0.0, impulse[0] - scale.normal_mass * v[0]), pushed = normal - impulse[0];
    impulse[0] = normal;
    return std::abs(pushed) / scale.normal_mass;
  }
};

struct FrictionRule : BoxedRule {
  bool exact;

  template <int D, class Law, class Vector>
  double contact(const Law& law, const BlockView<D>& block, const Vector& v, Vector& impulse) const {
    const double mass = problem.scales[block.index].friction_mass;
    const auto before = impulse.template tail<D - 1>().eval();
    typename Law::Vector friction = before - mass * v.template tail<D - 1>();
    friction = exact ? law.project(impulse[0], friction) : law.box(impulse[0]).clamp(friction);
    impulse.template tail<D - 1>() = friction;
    return (friction - before).template lpNorm<Eigen::Infinity>() / mass;
  }
  template <int D, class Vector>
  double frictionless(const BlockView<D>&, const Vector&, Vector&) const {
    return 0;
  }
};

}   // namespace

double normal_sweep(const ContactProblem& problem, std::span<const Batch> runs, std::span<double> impulses,
                    std::span<double> velocity, Momentum& momentum) {
  return gauss_seidel_sweep(problem, runs, impulses, velocity, momentum, NormalRule{{problem, 1.0}});
}

double friction_sweep(const ContactProblem& problem, std::span<const Batch> runs, bool exact, std::span<double> impulses,
                      std::span<double> velocity, Momentum& momentum) {
  return gauss_seidel_sweep(problem, runs, impulses, velocity, momentum, FrictionRule{{problem, 1.0}, exact});
}

}   // namespace stickslip
