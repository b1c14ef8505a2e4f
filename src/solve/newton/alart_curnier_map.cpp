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

/// One patch: with û = P((λₙ, m) − ρ (vₙ, ω)) in the place of n̂.
void patch_map(const PatchFriction& law, const double* rho, const double* impulse, const double* v, double* phi, double* a,
               double* b, bool derivatives) {
  using Block = PatchFriction::Block;
  constexpr int pressing[3] = {0, 4, 5}, rubbing[3] = {1, 2, 3};
  const Block x = Eigen::Map<const Block>(impulse), velocity = Eigen::Map<const Block>(v);
  const Vec3 pressed = PatchFriction::unilateral(x) - rho[0] * PatchFriction::unilateral(velocity);
  const Vec3 rubbed = PatchFriction::rubbing(x) - rho[1] * PatchFriction::rubbing(velocity);
  PressurePatch::ConeDerivative u{Vec3::Zero(), Mat3::Zero()};
  ProjectionDerivative<3> f{Vec3::Zero(), Mat3::Zero(), Vec3::Zero()};
  if (derivatives) {
    u = law.patch().differentiate_cone(pressed);
    if (u.value[0] > 0) f = law.friction().differentiate(u.value[0], rubbed);
  } else {
    u.value = law.patch().project_on_cone(pressed);
    f.value = law.friction().project(u.value[0], rubbed);
  }
  Eigen::Map<Block>(phi, 6) = x - PatchFriction::block(u.value, f.value);
  if (!derivatives) return;
  Eigen::Map<Eigen::Matrix<double, 6, 6>> by_impulse(a), by_velocity(b);
  by_impulse.setIdentity();
  by_velocity.setZero();
  const Mat3 by_pressed = f.by_normal * u.by_point.row(0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      by_impulse(pressing[i], pressing[j]) -= u.by_point(i, j);
      by_velocity(pressing[i], pressing[j]) = rho[0] * u.by_point(i, j);
      by_impulse(rubbing[i], rubbing[j]) -= f.by_point(i, j);
      by_velocity(rubbing[i], rubbing[j]) = rho[1] * f.by_point(i, j);
      by_impulse(rubbing[i], pressing[j]) = -by_pressed(i, j);
      by_velocity(rubbing[i], pressing[j]) = rho[0] * by_pressed(i, j);
    }
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
            if constexpr (std::is_same_v<Law, PatchFriction>)
              patch_map(law, rho.data() + row, impulses.data() + row, v.data() + row, l.phi.data() + row, a, b, derivatives);
            else if (Law::rows + 1 == block.dim)
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
      const bool presses =
          k == 0 || (k > 3 && block.kind == BlockKind::contact && std::holds_alternative<PatchFriction>(p.laws[i]));
      if (block.kind == BlockKind::contact) mass = presses ? p.scales[i].normal_mass : p.scales[i].friction_mass;
      rho[block.row + k] = usable(mass) ? mass : fallback;
    }
  }
  return rho;
}

}   // namespace stickslip
