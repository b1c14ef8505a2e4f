#include <cmath>

#include "solve/newton/maps.h"
#include "solve/newton/ncp_function.h"

namespace stickslip {

namespace {

/// Half-width of the friction box of row k ≥ 1 at unit normal impulse.
double box_coefficient(const FrictionLaw& law, std::uint32_t k) {
  return std::visit([&](const auto& l) { return l.box_bounds(1.0)[k - 1]; }, law);
}

template <class Ncp, bool Friction>
void boxed_map(const ContactProblem& p, std::span<const double> rho, std::span<const double> x, std::span<const double> v, Linearisation& l,
               bool derivatives) {
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
      double lower = -INFINITY, upper = INFINITY, growth = 0;   // growth: ∂u/∂λₙ = −∂l/∂λₙ
      if (contact && k == 0) lower = 0;
      else if (contact) {
        growth = box_coefficient(p.laws[i], k);
        upper = growth * std::max(x[row], 0.0);
        lower = -upper;
        if (!(x[row] > 0)) growth = 0;
      } else if (block.kind == BlockKind::box) {
        lower = p.lower[row + k];
        upper = p.upper[row + k];
      }
      const BoundedValue phi = bounded(ncp, impulse - lower, upper - impulse, mass * v[row + k]);
      l.phi[row + k] = phi.value;
      if (!derivatives) continue;
      a[k * d + k] = phi.by_lower - phi.by_upper;
      if (growth > 0) a[k] += growth * (phi.by_lower + phi.by_upper);
      b[k * d + k] = mass * phi.by_slope;
    }
  }
}

}  // namespace

const NewtonSystem min_map_system{&boxed_map<MinimumMap, true>};
const NewtonSystem fischer_system{&boxed_map<FischerBurmeister, true>};
const NewtonSystem min_map_normal_system{&boxed_map<MinimumMap, false>};
const NewtonSystem fischer_normal_system{&boxed_map<FischerBurmeister, false>};

}  // namespace stickslip
