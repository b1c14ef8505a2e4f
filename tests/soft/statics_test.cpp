// Equilibria and motions with known answers: beams, bars, inverted elements.
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stickslip/math/sparse_factor.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::soft_statics_test {
namespace {

using Vectors = std::vector<Vec3>;
using Matrix = ElasticSolid::System::Matrix;

Eigen::Map<Eigen::VectorXd> flat(Vectors& v) { return {v[0].data(), static_cast<Eigen::Index>(3 * v.size())}; }

/// Rows and columns of held numbers become those of the identity.
void hold(const std::vector<char>& held, Matrix& a) {
  for (int j = 0; j < a.cols(); ++j)
    for (Matrix::InnerIterator it(a, j); it; ++it)
      if (held[it.row()] || held[j]) it.valueRef() = it.row() == j;
}

void solve(SparseFactor& factor, const Matrix& a, Vectors& b, Vectors& x) {
  x.resize(b.size());
  ASSERT_TRUE(factor.factor(a));
  factor.solve(b[0].data(), x[0].data());
}

/// Minimises E(x) − load · x over the numbers that are not held, by Newton's method with projected Hessians and a line search.
/// @param mass keeps projected Hessians, which may be singular, from going too far; it falls with the forces. Returns the
/// largest force left.
double find_equilibrium(const ElasticSolid& solid, Vectors& load, const std::vector<char>& held, double mass, int steps,
                        Vectors& x) {
  const ElasticSolid::System system(solid);
  Matrix a;
  SparseFactor factor;
  factor.analyze(system.pattern(), true);
  const auto energy = [&](Vectors& y) { return solid.energy(y) - flat(load).dot(flat(y)); };
  const double rounding = 1e-14 * solid.material().young * solid.volume();
  double left = 0, first = 0;
  for (int step = 0; step < steps; ++step) {
    Vectors f = load, d, y = x;
    solid.add_forces(x, f);
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i]) flat(f)[static_cast<Eigen::Index>(i)] = 0;
    left = flat(f).cwiseAbs().maxCoeff();
    if (step == 0) first = left;
    // Close by, the true Hessian is positive definite and converges faster.
    system.assemble(x, {.mass = mass * left / first, .stiffness = 1}, left > 1e-3 * first, a);
    hold(held, a);
    solve(factor, a, f, d);
    const double start = energy(x);
    double length = 1;
    for (; length > 1e-9; length /= 2) {
      flat(y) = flat(x) + length * flat(d);
      if (energy(y) <= start + rounding) break;
    }
    if (length > 1e-9) x = y;
  }
  return left;
}

/// A beam of 8 × 1 × 1 cross-section units with `n` cells across, twice as long as wide.
ElasticSolid beam(int n, const SoftMaterial& material) {
  TetMesh mesh = soft_box(Vec3(2, 0.5, 0.5), 1.0 / n);
  for (Vec3& x : mesh.vertices) x.x() = 2 * (x.x() + 2);
  return ElasticSolid(mesh.vertices, mesh.tetrahedra, material);
}

/// The same beam with so many cells along it, across and up.
ElasticSolid beam_of_cells(const Vec3& cells, const SoftMaterial& material) {
  TetMesh mesh = soft_box(0.5 * cells, 1);
  for (Vec3& x : mesh.vertices) x = x.cwiseQuotient(cells).cwiseProduct(Vec3(8, 1, 1)) + Vec3(4, 0, 0);
  return ElasticSolid(mesh.vertices, mesh.tetrahedra, material);
}

/// Mean deflection of the end under a shear load spread over it.
double deflection(const ElasticSolid& solid, double load) {
  const double length = 8;
  std::vector<char> held;
  Vectors f(solid.nodes(), Vec3::Zero()), u;
  double area = 0;
  for (const auto& t : boundary_triangles(solid.tetrahedra())) {
    const Vec3 &a = solid.rest()[t[0]], &b = solid.rest()[t[1]], &c = solid.rest()[t[2]];
    const double third = (b - a).cross(c - a).norm() / 6;
    if (std::min({a.x(), b.x(), c.x()}) < length - 1e-9) continue;
    for (const std::uint32_t i : t) f[i].z() += third * load, area += third;
  }
  EXPECT_NEAR(area, 1, 1e-12);
  for (const Vec3& x : solid.rest()) held.insert(held.end(), 3, x.x() < 1e-9);
  const ElasticSolid::System system(solid);
  Matrix k;
  system.assemble(solid.rest(), {.stiffness = 1}, false, k);
  hold(held, k);
  SparseFactor factor;
  factor.analyze(k, true);
  solve(factor, k, f, u);
  return flat(u).dot(flat(f)) / load;
}

double deflection(int n, const SoftMaterial& material, double load) { return deflection(beam(n, material), load); }

TEST(Statics, a_cantilever_of_fine_cells_along_and_up_bends_within_two_percent_of_beam_theory) {
  // Bending varies along the beam and over its height; across it a few cells do.
  const double young = 2e7, load = 10, length = 8, moment = 1.0 / 12;
  const auto excess = [&](double poisson, const Vec3& cells) {
    const double shear = young / (2 * (1 + poisson)), kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
    const double expected = load * (length * length * length / (3 * young * moment) + length / (kappa * shear));
    const SoftMaterial material{.model = SoftModel::linear, .young = young, .poisson = poisson};
    return expected / deflection(beam_of_cells(cells, material), load) - 1;
  };
  const double coarse = excess(0, {40, 2, 10}), fine = excess(0, {80, 2, 20}), finest = excess(0, {160, 2, 40});
  EXPECT_LT(fine, 0.02);
  EXPECT_LT(finest, 0.005);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_NEAR(std::log2(fine / finest), 2, 0.1);
  const double wide = excess(0.3, {128, 6, 20});
  EXPECT_LT(wide, 0.02);
  fmt::print("stiffness beyond beam theory: {:.4f}, {:.4f}, {:.4f}; at ν = 0.3 {:.4f}\n", coarse, fine, finest, wide);
}

TEST(Statics, a_cantilever_bends_as_beam_theory_says) {
  // Slender enough for Timoshenko: F L³/(3 E I) + F L/(κ G A).
  const double young = 2e7, load = 10, length = 8, moment = 1.0 / 12;
  for (const double poisson : {0.0, 0.3}) {
    const double shear = young / (2 * (1 + poisson)), kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
    const double expected = load * (length * length * length / (3 * young * moment) + length / (kappa * shear));
    const SoftMaterial material{.model = SoftModel::linear, .young = young, .poisson = poisson};
    // Tetrahedra of four nodes are too stiff, by 10 % with eight cells across; the excess of the stiffness falls as their
    // size².
    const double coarse = expected / deflection(4, material, load), fine = expected / deflection(8, material, load);
    const double order = std::log2((coarse - 1) / (fine - 1)), limit = (4 * fine - coarse) / 3;
    EXPECT_GT(fine, 1.05);
    EXPECT_LT(fine, 1.15);
    // Beam theory lets the held section contract sideways, which costs 1 % of the solid's compliance at ν = 0.3.
    EXPECT_NEAR(order, 2, poisson > 0 ? 0.2 : 0.05) << poisson;
    EXPECT_NEAR(limit, 1, poisson > 0 ? 0.02 : 0.002) << poisson;
  }
}

TEST(Statics, a_neo_hookean_bar_pulled_by_rollers_has_the_closed_stress) {
  // Axial stretch a is given, sides b are free: P = m q (a − b²/a), q = I/(I + 1).
  const SoftMaterial material{.young = 1e6, .poisson = 0.4};
  const double m = 4.0 / 3 * lame(1e6, 0.4).mu;
  TetMesh mesh = soft_box({0.5, 0.5, 1}, 0.5);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  for (Vec3& x : mesh.vertices)
    if (std::abs(x.z()) < 0.99 && x.head<2>().cwiseAbs().maxCoeff() < 0.49)
      x += Vec3(uniform(random), uniform(random), uniform(random));
  const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, material);
  for (const double a : {0.6, 1.8}) {
    Vectors x = solid.rest(), load(solid.nodes(), Vec3::Zero());
    std::vector<char> held;
    for (Vec3& p : x) {
      const bool end = std::abs(p.z()) > 0.99;
      // Axes and planes of symmetry stay.
      held.insert(held.end(), {std::abs(p.x()) < 1e-9, std::abs(p.y()) < 1e-9, end});
      p.z() *= a;
    }
    EXPECT_LT(find_equilibrium(solid, load, held, 1e3, 20, x), 1e-8);
    double side = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (mesh.vertices[i].x() > 0.49) side = x[i].x() / mesh.vertices[i].x();
    const double i = a * a + 2 * side * side, stress = m * i / (i + 1) * (a - side * side / a);
    Vectors f(solid.nodes(), Vec3::Zero());
    solid.add_forces(x, f);
    double pull = 0;
    for (std::size_t k = 0; k < f.size(); ++k)
      if (mesh.vertices[k].z() > 0.99) pull -= f[k].z();
    EXPECT_NEAR(pull, stress, 1e-9 * 1e6);
  }
}

TEST(Statics, stiffness_from_a_kilopascal_to_a_terapascal_changes_no_shape) {
  Vectors first;
  for (const double young : {1e3, 1e6, 1e9, 1e12}) {
    const TetMesh mesh = soft_box({0.5, 0.5, 1.5}, 0.5);
    const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, {.young = young, .poisson = 0.35});
    Vectors x = solid.rest(), load(solid.nodes(), Vec3::Zero());
    std::vector<char> held;
    for (std::size_t i = 0; i < x.size(); ++i) {
      held.insert(held.end(), 3, x[i].z() < -1.49);
      if (x[i].z() > 1.49) load[i] = young * Vec3(0.002, 0.001, 0.01);
    }
    EXPECT_LT(find_equilibrium(solid, load, held, young / 1e3, 20, x), 1e-14 * young);
    if (first.empty()) first = x;
    EXPECT_LT((flat(x) - flat(first)).norm(), 1e-12 * flat(x).norm());
  }
  EXPECT_GT((first.back() - Vec3(0.5, 0.5, 1.5)).norm(), 0.1);
}

TEST(Statics, inverted_elements_recover) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const TetMesh mesh = soft_box({0.5, 0.5, 0.5}, 0.5);
  for (const SoftModel model : {SoftModel::neo_hookean, SoftModel::corotated}) {
    const SoftMaterial material{.model = model, .young = 1e4, .poisson = 0.3};
    const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, material);
    for (int trial = 0; trial < 4; ++trial) {
      // Nodes are anywhere but for the surface, then but for the corners.
      Vectors x = solid.rest(), load(solid.nodes(), Vec3::Zero());
      std::vector<char> held;
      for (Vec3& p : x) {
        const bool inside = p.cwiseAbs().maxCoeff()<0.49, corner = p.cwiseAbs().minCoeff()> 0.49;
        held.insert(held.end(), 3, trial < 2 ? !inside : corner);
        if (!held.back()) p = 1.5 * Vec3(uniform(random), uniform(random), uniform(random));
      }
      int inverted = 0;
      for (std::size_t e = 0; e < solid.elements(); ++e) inverted += solid.deformation_gradient(e, x).determinant() < 0;
      EXPECT_GT(inverted, 0);
      EXPECT_LT(find_equilibrium(solid, load, held, 10, 60, x), 1e-8) << name(model);
      EXPECT_LT((flat(x) - Eigen::Map<const Eigen::VectorXd>(solid.rest()[0].data(), flat(x).size())).norm(), 1e-9)
          << name(model);
    }
  }
}

TEST(Motion, waves_run_through_a_bar_at_the_root_of_young_over_density) {
  // ν = 0: c = √(E/ρ). A bar held at one end swings in its lowest mode with the period 4 L / c.
  const double young = 4e6, density = 1000, speed = std::sqrt(young / density);
  TetMesh mesh = soft_box({1, 0.05, 0.05}, 0.1);
  for (Vec3& x : mesh.vertices) x.x() += 1;
  for (const SoftModel model : {SoftModel::linear, SoftModel::corotated, SoftModel::neo_hookean}) {
    const ElasticSolid solid(mesh.vertices, mesh.tetrahedra,
                             {.model = model, .young = young, .poisson = 0, .density = density});
    Vectors x = solid.rest(), v(solid.nodes(), Vec3::Zero()), f;
    const double length = 2, amplitude = 1e-4 * speed, h = 0.2 * 0.1 / speed;
    for (std::size_t i = 0; i < x.size(); ++i) v[i].x() = amplitude * std::sin(std::numbers::pi / 2 * x[i].x() / length);
    // The end passes its place at rest after half a period, again after a whole one.
    double time = 0, before = 0;
    std::vector<double> crossings;
    while (crossings.size() < 4 && time < 100 * length / speed) {
      f.assign(x.size(), Vec3::Zero());
      solid.add_forces(x, f);
      double end = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (solid.rest()[i].x() > 1e-9) v[i] += h / solid.lumped_masses()[i] * f[i];
        x[i] += h * v[i];
        if (solid.rest()[i].x() > 2 - 1e-9) end += x[i].x() - 2;
      }
      time += h;
      if (time > 2 * h && end * before < 0) crossings.push_back(time - h * end / (end - before));
      before = end;
    }
    ASSERT_EQ(crossings.size(), 4u);
    EXPECT_NEAR(crossings[3] / (2 * 4 * length / speed), 1, 0.003) << name(model);
  }
}

TEST(Motion, a_free_body_keeps_its_momenta) {
  for (const SoftModel model : {SoftModel::corotated, SoftModel::st_venant_kirchhoff, SoftModel::neo_hookean}) {
    const TetMesh mesh = soft_sphere(1, 0.5);
    const ElasticSolid solid(mesh.vertices, mesh.tetrahedra,
                             {.model = model, .young = 1e4, .poisson = 0.4, .stiffness_damping = 1e-3, .viscosity = 5});
    Vectors x = solid.rest(), v, f;
    for (const Vec3& p : x)
      v.push_back(Vec3(1, 2, -1).cross(p) + Vec3(3, 0, 1) + 2 * Vec3(p.x() * p.y(), -p.z(), p.y() * p.z()));
    const auto momenta = [&] {
      Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum.head<3>() += solid.lumped_masses()[i] * v[i];
        sum.tail<3>() += solid.lumped_masses()[i] * x[i].cross(v[i]);
      }
      return sum;
    };
    const auto energy = [&] {
      double sum = solid.energy(x);
      for (std::size_t i = 0; i < x.size(); ++i) sum += 0.5 * solid.lumped_masses()[i] * v[i].squaredNorm();
      return sum;
    };
    const Eigen::Matrix<double, 6, 1> start = momenta();
    const double energy_at_start = energy();
    for (int step = 0; step < 400; ++step) {
      f.assign(x.size(), Vec3::Zero());
      solid.add_forces(x, f);
      solid.add_damping(x, v, f);
      for (std::size_t i = 0; i < x.size(); ++i) v[i] += 1e-3 / solid.lumped_masses()[i] * f[i], x[i] += 1e-3 * v[i];
    }
    EXPECT_LT((momenta() - start).norm(), 1e-12 * start.norm()) << name(model);
    EXPECT_LT(energy(), energy_at_start);
  }
}

}   // namespace
}   // namespace stickslip::soft_statics_test
