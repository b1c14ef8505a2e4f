#include "solve/splitting/block_state.h"

#include "problem/kernels.h"

namespace stickslip {

void block_velocity(const ContactProblem& p, std::uint32_t block, std::span<const double> impulses,
                    std::span<const double> velocity, double* v) {
  const Block& b = p.blocks[block];
  kernels::with_sizes(b.dim, p.arity_class(b), [&](auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    kernels::BlockVector<D> relative;
    if constexpr (A > 0) {
      const kernels::LocalVelocity<A> local(p, b, velocity.data());
      relative = kernels::relative_velocity<D, A>(p.scaled_jacobian.data() + b.jacobian, local);
    } else {
      relative = kernels::gathered_velocity<D>(p.matrix, block, impulses.data());
    }
    for (int k = 0; k < D; ++k) v[k] = relative[k] + p.b[b.row + k] + p.sigma[b.row + k] * impulses[b.row + k];
  });
}

void push_block(const ContactProblem& p, std::uint32_t block, const double* change, std::span<double> velocity) {
  const Block& b = p.blocks[block];
  kernels::with_sizes(b.dim, p.arity_class(b), [&](auto rows, auto arity) {
    constexpr int D = rows, A = arity;
    if constexpr (A > 0) {
      kernels::LocalVelocity<A> local(p, b, velocity.data());
      kernels::push<D, A>(p.scaled_jacobian.data() + b.jacobian, Eigen::Map<const kernels::BlockVector<D>>(change), local);
      local.write(velocity.data());
    }
  });
}

void friction_box(const FrictionSet& law, double normal, double* lower, double* upper) {
  std::visit(
      [&]<class Law>(const Law& l) {
        const FrictionBox<Law::rows> box = l.box(normal);
        std::copy_n(box.lower.data(), Law::rows, lower);
        std::copy_n(box.upper.data(), Law::rows, upper);
      },
      law);
}

void project_on_box(const ContactProblem& p, std::uint32_t block, double* impulse) {
  const Block& b = p.blocks[block];
  if (b.kind == BlockKind::contact) {
    impulse[0] = std::max(0.0, impulse[0]);
    if (b.dim == 1) return;
    double lower[6], upper[6];
    friction_box(p.laws[block], impulse[0], lower, upper);
    for (int k = 1; k < b.dim; ++k) impulse[k] = std::min(std::max(impulse[k], lower[k - 1]), upper[k - 1]);
  } else if (b.kind == BlockKind::box) {
    for (int k = 0; k < b.dim; ++k) impulse[k] = std::min(std::max(impulse[k], p.lower[b.row + k]), p.upper[b.row + k]);
  }
}

}   // namespace stickslip
