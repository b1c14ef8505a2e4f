// Equilibria and motions with known answers: beams, bars, inverted elements.
#include <random>

#include <gtest/gtest.h>

#include "stickslip/math/sparse_factor.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::soft_statics_test {
namespace {

using Vectors = std::vector<Vec3>;
using Matrix = ElasticSolid::System::Matrix;

Eigen::Map<const Eigen::VectorXd> flat(const Vectors& v) { return {v[0].data(), static_cast<Eigen::Index>(3 * v.size())}; }
Eigen::Map<Eigen::VectorXd> flat(Vectors& v) { return {v[0].data(), static_cast<Eigen::Index>(3 * v.size())}; }

/// Rows and columns of held nodes become those of the identity.
void hold(const std::vector<char>& held, Matrix& a) {
  for (int j = 0; j < a.cols(); ++j)
    for (Matrix::InnerIterator it(a, j); it; ++it)
      if (held[it.row() / 3] || held[j / 3]) it.valueRef() = it.row() == j;
}

bool solve(const Matrix& a, const Vectors& b, Vectors& x) {
  SparseFactor factor;
  factor.analyze(a, true);
  if (!factor.factor(a)) return false;
  x.resize(b.size());
  factor.solve(b[0].data(), x[0].data());
  return true;
}

/// A beam of 8 × 1 × 1 cross-section units with `n` cells across, twice as long as wide.
ElasticSolid beam(int n, const SoftMaterial& material) {
  TetMesh mesh = soft_box(Vec3(2, 0.5, 0.5), 1.0 / n);
  for (Vec3& x : mesh.vertices) x.x() = 2 * (x.x() + 2);
  return ElasticSolid(mesh.vertices, mesh.tetrahedra, material);
}

/// Mean deflection of the end under a shear load spread over it.
double deflection(int n, const SoftMaterial& material, double load) {
  const ElasticSolid solid = beam(n, material);
  const double length = 8;
  std::vector<char> held(solid.nodes(), 0);
  Vectors f(solid.nodes(), Vec3::Zero()), u;
  double area = 0;
  for (const auto& t : boundary_triangles(solid.tetrahedra())) {
    const Vec3 &a = solid.rest()[t[0]], &b = solid.rest()[t[1]], &c = solid.rest()[t[2]];
    const double third = (b - a).cross(c - a).norm() / 6;
    if (std::min({a.x(), b.x(), c.x()}) < length - 1e-9) continue;
    for (const std::uint32_t i : t) f[i].z() += third * load, area += third;
  }
  EXPECT_NEAR(area, 1, 1e-12);
  for (std::size_t i = 0; i < solid.nodes(); ++i) held[i] = solid.rest()[i].x() < 1e-9;
  const ElasticSolid::System system(solid);
  Matrix k;
  system.assemble(solid.rest(), {.stiffness = 1}, false, k);
  hold(held, k);
  EXPECT_TRUE(solve(k, f, u));
  return flat(u).dot(flat(f)) / load;   // the work of the load, so to say
}

TEST(Statics, a_cantilever_bends_as_beam_theory_says) {
  // Slender enough for Timoshenko: F L³/(3 E I) + F L/(κ G A), with ν = 0 and κ = 5/6 + O(ν).
  const double young = 2e7, load = 10, length = 8, moment = 1.0 / 12;
  const double bending = load * length * length * length / (3 * young * moment),
               shearing = load * length / (5.0 / 6 * young / 2);
  const double expected = bending + shearing;
  const SoftMaterial material{.model = SoftModel::linear, .young = young, .poisson = 0};
  double error[3];
  const int cells[3] = {2, 4, 8};
  double found[3];
  for (int k = 0; k < 3; ++k) {
    found[k] = deflection(cells[k], material, load);
    error[k] = 1 - found[k] / expected;
    std::printf("%d cells: %.5f\n", cells[k], error[k]);
  }
  EXPECT_LT(error[2], 0.05);
}

}   // namespace
}   // namespace stickslip::soft_statics_test
