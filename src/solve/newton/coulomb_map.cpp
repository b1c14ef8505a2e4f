#include <cmath>

#include "math/infinity.h"
#include "solve/newton/maps.h"
#include "solve/newton/ncp_function.h"
#include "stickslip/friction/sets.h"

namespace stickslip {

namespace {

/// One convex set of the law: rows first … first + count − 1 of the block share the ellipsoid with these axes.
struct Disc {
  int first = 1, count = 0;
  double axes[3] = {};
  double largest() const { return *std::max_element(axes, axes + count); }
};

struct Discs {
  Disc disc[2];
  int count = 1;
};

Discs discs(const CircularFriction& law) { return {{{1, 2, {law.mu, law.mu}}, {}}, 1}; }
Discs discs(const PlanarFriction& law) { return {{{1, 1, {law.mu}}, {}}, 1}; }
Discs discs(const EllipsoidFriction& law) { return {{{1, 3, {law.mu_t, law.mu_b, law.mu_torsion}}, {}}, 1}; }
Discs discs(const EllipseFriction& law) { return {{{1, 2, {law.mu_t, law.mu_b}}, {}}, 1}; }
/// Of the sets in the open slot the full cone alone is made of ellipsoids; cannot_honour keeps the others away.
template <int Rows>
Discs discs(const CustomFriction<Rows>& law) {
  if constexpr (Rows == 5)
    if (const auto* full = dynamic_cast<const FullSet*>(law.set.get())) {
      const EllipsoidFriction& e = full->sliding();
      return {{{1, 3, {e.mu_t, e.mu_b, e.mu_torsion}}, {4, 2, {full->mu_rolling(), full->mu_rolling()}}}, 2};
    }
  return {{{1, Rows < 3 ? Rows : 3, {}}, {}}, 1};
}
Discs discs(const PatchFriction&) { return {}; }   // refused
Discs discs(const RollingFriction& law) { return {{{1, 2, {law.mu, law.mu}}, {3, 2, {law.mu_rolling, law.mu_rolling}}}, 2}; }
Discs discs(const FrictionSet& law) {
  return std::visit([](const auto& l) { return discs(l); }, law);
}

/// m̄N, its gradient and Hessian. Next to zero, where the gradient has no limit, N continues as a paraboloid.
struct Gauge {
  double value = 0, gradient[3] = {}, hessian[3][3] = {};
};
Gauge gauge(const Disc& disc, const double* friction, double floor) {
  Gauge g;
  const double largest = disc.largest();
  double squared = 0;
  for (int k = 0; k < disc.count; ++k)
    if (disc.axes[k] > 0) squared += friction[k] * largest / disc.axes[k] * (friction[k] * largest / disc.axes[k]);
  const double size = std::sqrt(squared), divisor = std::max(size, floor);
  g.value = size;
  for (int k = 0; k < disc.count; ++k) {
    if (!(disc.axes[k] > 0)) continue;
    const double weight = largest / disc.axes[k] * (largest / disc.axes[k]);
    g.gradient[k] = weight * friction[k] / divisor;
    g.hessian[k][k] = weight / divisor;
  }
  if (size > floor)
    for (int k = 0; k < disc.count; ++k)
      for (int j = 0; j < disc.count; ++j) g.hessian[k][j] -= g.gradient[k] * g.gradient[j] / size;
  return g;
}

/// Φ of one block and where its numbers stand.
template <class Ncp>
struct CoulombBlock {
  const double *x, *v, *mass;   ///< unknowns, velocities and ρ of its rows
  double* phi;
  Eigen::Map<Eigen::MatrixXd> a, b;
  bool derivatives;
  Ncp ncp;

  /// A row between bounds of its own.
  void bounded_row(std::uint32_t k, double lower, double upper) {
    const BoundedValue f = bounded(ncp, x[k] - lower, upper - x[k], mass[k] * v[k]);
    phi[k] = f.value;
    if (!derivatives) return;
    a(k, k) = f.by_lower - f.by_upper;
    b(k, k) = mass[k] * f.by_slope;
  }

  void normal_row() {
    const NcpValue normal = ncp(x[0], mass[0] * v[0]);
    phi[0] = normal.value;
    if (!derivatives) return;
    a(0, 0) = normal.by_a;
    b(0, 0) = mass[0] * normal.by_b;
  }

  bool is_open() const { return !(x[0] > mass[0] * v[0]); }

  /// An unknown that vanishes.
  void vanishing(int k) {
    phi[k] = x[k];
    if (derivatives) a(k, k) = 1;
  }

  /// ρ v + γ ∇N = 0 and ψ(γ, μλₙ − N) = 0 of the rows of a disc. @param floor of the gauge
  void sliding(const Disc& disc, int slack, double floor) {
    const double gamma = x[slack];
    const Gauge g = gauge(disc, x + disc.first, floor);
    const NcpValue cone = ncp(gamma, disc.largest() * x[0] - g.value);
    phi[slack] = cone.value;
    for (int k = 0; k < disc.count; ++k) {
      const int r = disc.first + k;
      phi[r] = disc.axes[k] > 0 ? mass[r] * v[r] + gamma * g.gradient[k] : x[r];
    }
    if (!derivatives) return;
    a(slack, slack) = cone.by_a;
    a(slack, 0) = cone.by_b * disc.largest();
    for (int k = 0; k < disc.count; ++k) {
      const int r = disc.first + k;
      a(slack, r) = -cone.by_b * g.gradient[k];
      if (!(disc.axes[k] > 0)) {
        a(r, r) = 1;
        continue;
      }
      for (int j = 0; j < disc.count; ++j) a(r, disc.first + j) = gamma * g.hessian[k][j];
      a(r, slack) = g.gradient[k];
      b(r, r) = mass[r];
    }
  }
};

template <class Ncp>
void coulomb_map(const ContactProblem& p, std::span<const double> rho, std::span<const double> x, std::span<const double> v,
                 Linearisation& l, bool derivatives) {
  double largest = 0;
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) largest = std::max(largest, std::abs(x[l.first[i] + k]));
  const double floor = 1e-14 * largest + 1e-200;
  if (derivatives) {
    std::fill(l.a.begin(), l.a.end(), 0.0);
    std::fill(l.b.begin(), l.b.end(), 0.0);
  }
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const std::uint32_t row = block.row;
    CoulombBlock<Ncp> f{x.data() + l.first[i], v.data() + row, rho.data() + row, l.phi.data() + l.first[i],
                        l.a_block(i),          l.b_block(i),   derivatives,      {}};
    if (block.kind != BlockKind::contact || block.dim == 1) {
      for (std::uint32_t k = 0; k < l.rows(i); ++k)
        if (block.kind == BlockKind::contact) f.bounded_row(k, 0, kInfinity);
        else if (block.kind == BlockKind::box) f.bounded_row(k, p.lower[row + k], p.upper[row + k]);
        else f.bounded_row(k, -kInfinity, kInfinity);
      continue;
    }
    f.normal_row();
    const Discs set = discs(p.laws[i]);
    for (int s = 0; s < set.count; ++s) {
      const Disc& disc = set.disc[s];
      const int slack = block.dim + s;
      if (!f.is_open() && disc.largest() > 0) {
        f.sliding(disc, slack, floor);
        continue;
      }
      for (int k = disc.first; k < disc.first + disc.count; ++k) f.vanishing(k);
      f.vanishing(slack);
    }
  }
}

int coulomb_slacks(const ContactProblem& p, std::size_t block) {
  return p.blocks[block].kind == BlockKind::contact && p.blocks[block].dim > 1 ? discs(p.laws[block]).count : 0;
}

/// A contact at the boundary of its cone slides as fast as it does, any other sticks.
void guess_slacks(const ContactProblem& p, std::span<const double> rho, std::span<const double> v, const Linearisation& l,
                  std::span<double> x) {
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    if (coulomb_slacks(p, i) == 0) continue;
    const Block& block = p.blocks[i];
    const Discs set = discs(p.laws[i]);
    double* const xi = x.data() + l.first[i];
    for (int s = 0; s < set.count; ++s) {
      const Disc& disc = set.disc[s];
      const Gauge g = gauge(disc, xi + disc.first, 1e-200);
      const bool slides = xi[0] > 0 && g.value > 0.999 * disc.largest() * xi[0];
      double squared = 0;
      for (int k = disc.first; k < disc.first + disc.count; ++k) squared += v[block.row + k] * v[block.row + k];
      xi[block.dim + s] = slides ? rho[block.row + 1] * std::sqrt(squared) : 0;
    }
  }
}

}   // namespace

const NewtonSystem coulomb_min_map_system{&coulomb_map<MinimumMap>, &coulomb_slacks, &guess_slacks};
const NewtonSystem coulomb_fischer_system{&coulomb_map<FischerBurmeister>, &coulomb_slacks, &guess_slacks};

}   // namespace stickslip
