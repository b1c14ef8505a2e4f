// One contact solved exactly while everything else stands still, with nothing prepared: for those that are visited once.
#pragma once

#include "problem/kernels.h"
#include "solve/exact/local_contact.h"
#include "solve/exact/local_set.h"

namespace stickslip {

/// Changes λ from 0, at which the contact moves with v, to the exact solution, or to what is nearest to it: see solve_contact.
template <int D, class Law>
void solve_block(const ContactProblem& p, std::uint32_t block, const Law& law, const kernels::BlockVector<D>& v,
                 kernels::BlockVector<D>& impulse) {
  const double* const a = p.diagonal_values.data() + p.blocks[block].diagonal;
  if constexpr (std::is_same_v<Law, CircularFriction>) return LocalContact(a, 0).solve(law.mu, v, impulse);
  if constexpr (std::is_same_v<Law, PlanarFriction>)
    if (solve_planar_contact(a, law.mu, v, impulse)) return;
  double inverse[D * D];
  invert_block(D, a, inverse);
  solve_contact<D - 1>(SetView<D - 1>(law), {a, inverse, p.scales[block].friction_mass}, v, impulse);
}

}   // namespace stickslip
