#include <cmath>

#include "solve/newton/maps.h"
#include "solve/newton/ncp_function.h"

namespace stickslip {

namespace {

/// Bounds of friction row k ≥ 1, and how fast they grow with the normal impulse.
struct RowBounds {
  double lower = -INFINITY, upper = INFINITY, lower_growth = 0, upper_growth = 0;
};
/// @param literal ∓μλₙ also where λₙ is not positive
RowBounds friction_bounds(const FrictionSet& law, std::uint32_t k, double normal, bool literal) {
  return std::visit(
      [&](const auto& l) -> RowBounds {
        const auto box = l.box(1.0);
        const double lower = box.lower[k - 1], upper = box.upper[k - 1];
        if (!l.scales_with_normal()) return {lower, upper};
        if (!literal && !(normal > 0)) return {0, 0};
        return {lower * normal, upper * normal, lower, upper};
      },
      law);
}

template <class Ncp, bool Friction, bool Literal = false>
void boxed_map(const ContactProblem& p, std::span<const double> rho, std::span<const double> x, std::span<const double> v,
               Linearisation& l, bool derivatives) {
  const Ncp ncp;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const std::uint32_t row = block.row, d = block.dim;
    double *const a = l.a.data() + l.first_a[i], *const b = l.b.data() + l.first_b[i];
    if (derivatives) {
      std::fill_n(a, d * d, 0.0);
      std::fill_n(b, d * d, 0.0);
    }
    const bool contact = block.kind == BlockKind::contact;
    for (std::uint32_t k = 0; k < d; ++k) {
      const double impulse = x[row + k], mass = rho[row + k];
      if (contact && k > 0 && !Friction) {
        l.phi[row + k] = 0;
        if (derivatives) a[k * d + k] = 1;
        continue;
      }
      RowBounds bounds;
      if (contact && k == 0) bounds.lower = 0;
      else if (contact) bounds = friction_bounds(p.laws[i], k, x[row], Literal);
      else if (block.kind == BlockKind::box) bounds = {p.lower[row + k], p.upper[row + k]};
      const BoundedValue phi = bounded(ncp, impulse - bounds.lower, bounds.upper - impulse, mass * v[row + k]);
      l.phi[row + k] = phi.value;
      if (!derivatives) continue;
      a[k * d + k] = phi.by_lower - phi.by_upper;
      if (contact && k > 0) a[k] += bounds.upper_growth * phi.by_upper - bounds.lower_growth * phi.by_lower;
      b[k * d + k] = mass * phi.by_slope;
    }
  }
}

}   // namespace

const NewtonSystem min_map_system{&boxed_map<MinimumMap, true>};
const NewtonSystem fischer_system{&boxed_map<FischerBurmeister, true>};
const NewtonSystem min_map_normal_system{&boxed_map<MinimumMap, false>};
const NewtonSystem fischer_normal_system{&boxed_map<FischerBurmeister, false>};
const NewtonSystem paper_min_map_system{&boxed_map<MinimumMap, true, true>};
const NewtonSystem paper_fischer_system{&boxed_map<FischerBurmeister, true, true>};

}   // namespace stickslip
