#include <cmath>

#include "solve/newton/maps.h"

namespace stickslip {

namespace {

bool usable(double mass) { return std::isfinite(mass) && mass > 0; }

/// One contact with friction.
template <class Law>
void contact_map(const Law& law, const double* rho, const double* impulse, const double* v, double* phi, double* a, double* b,
                 bool derivatives) {
  constexpr int D = Law::rows + 1;
  using Friction = typename Law::Vector;
  using Matrix = Eigen::Matrix<double, D, D>;
  const double pushed = impulse[0] - rho[0] * v[0], normal = std::max(0.0, pushed);
  const Friction trial = Eigen::Map<const Friction>(impulse + 1) - rho[1] * Eigen::Map<const Friction>(v + 1);
  Eigen::Map<Friction> phi_f(phi + 1);
  phi[0] = impulse[0] - normal;
  if (!derivatives) {
    phi_f = Eigen::Map<const Friction>(impulse + 1) - law.project(normal, trial);
    return;
  }
  Eigen::Map<Matrix> by_impulse(a), by_velocity(b);
  by_impulse.setIdentity();
  by_velocity.setZero();
  if (!(pushed > 0)) {
    phi_f = Eigen::Map<const Friction>(impulse + 1);
    return;
  }
  const ProjectionDerivative<Law::rows> p = law.differentiate(normal, trial);
  phi_f = Eigen::Map<const Friction>(impulse + 1) - p.value;
  by_impulse(0, 0) = 0;
  by_impulse.template block<Law::rows, 1>(1, 0) = -p.by_normal;
  by_impulse.template block<Law::rows, Law::rows>(1, 1) -= p.by_point;
  by_velocity(0, 0) = rho[0];
  by_velocity.template block<Law::rows, 1>(1, 0) = rho[0] * p.by_normal;
  by_velocity.template block<Law::rows, Law::rows>(1, 1) = rho[1] * p.by_point;
}

void alart_curnier_map(const ContactProblem& p, std::span<const double> rho, std::span<const double> impulses,
                       std::span<const double> v, Linearisation& l, bool derivatives) {
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const std::uint32_t row = block.row;
    double *const a = l.a.data() + l.first_a[i], *const b = l.b.data() + l.first_b[i];
    if (block.kind == BlockKind::contact && block.dim > 1) {
      std::visit(
          [&]<class Law>(const Law& law) {
            if (Law::rows + 1 == block.dim)
              contact_map(law, rho.data() + row, impulses.data() + row, v.data() + row, l.phi.data() + row, a, b, derivatives);
          },
          p.laws[i]);
      continue;
    }
    if (derivatives) {
      l.a_block(i).setZero();
      l.b_block(i).setZero();
    }
    for (std::uint32_t k = 0; k < block.dim; ++k) {
      const double trial = impulses[row + k] - rho[row + k] * v[row + k];
      const double lower = block.kind == BlockKind::contact ? 0 : block.kind == BlockKind::box ? p.lower[row + k] : -INFINITY;
      const double upper = block.kind == BlockKind::box ? p.upper[row + k] : INFINITY;
      const bool free = trial > lower && trial < upper;
      l.phi[row + k] = free ? rho[row + k] * v[row + k] : impulses[row + k] - (trial <= lower ? lower : upper);
      if (!derivatives) continue;
      a[k * block.dim + k] = free ? 0 : 1;
      b[k * block.dim + k] = free ? rho[row + k] : 0;
    }
  }
}

}   // namespace

const NewtonSystem alart_curnier_system{&alart_curnier_map};

std::vector<double> row_masses(const ContactProblem& p) {
  std::vector<double> rho(p.rows());
  double largest = 0;
  for (const Block& block : p.blocks) largest = std::max(largest, p.diagonal(block).diagonal().maxCoeff());
  const double fallback = largest > 0 ? 1 / largest : 1;
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    for (std::uint32_t k = 0; k < block.dim; ++k) {
      double mass = 1 / p.diagonal(block)(k, k);
      if (block.kind == BlockKind::contact) mass = k == 0 ? p.scales[i].normal_mass : p.scales[i].friction_mass;
      rho[block.row + k] = usable(mass) ? mass : fallback;
    }
  }
  return rho;
}

}   // namespace stickslip
