// Soft bodies: what elements cost by model, and matrices by number of nodes. Aims stand beside.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "bench/arguments.h"
#include "bench/statistics.h"
#include "stickslip/math/sparse_factor.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/energy.h"
#include "stickslip/soft/primitives.h"

namespace stickslip {
namespace {

using Matrix = ElasticSolid::System::Matrix;

constexpr SoftModel kModels[] = {SoftModel::linear, SoftModel::corotated, SoftModel::st_venant_kirchhoff,
                                 SoftModel::neo_hookean};

/// A cube of 1 m of about that many nodes.
TetMesh cube_of(int nodes) { return soft_box({0.5, 0.5, 0.5}, 1 / (std::cbrt(nodes) - 1)); }

/// Squeezed by 20 %, bent, and every node off its place by a tenth of an edge.
std::vector<Vec3> deformed(const ElasticSolid& solid) {
  std::mt19937 random(1);
  const double edge = std::cbrt(solid.volume() / static_cast<double>(solid.nodes()));
  std::uniform_real_distribution<double> uniform(-0.1 * edge, 0.1 * edge);
  std::vector<Vec3> x;
  for (const Vec3& p : solid.rest())
    x.push_back(Vec3(1.1 * p.x() + 0.3 * p.z() * p.z(), 1.1 * p.y(), 0.8 * p.z()) +
                Vec3(uniform(random), uniform(random), uniform(random)));
  return x;
}

/// Median over rounds [s].
template <class Work>
double seconds(int rounds, Work&& work) {
  std::vector<double> times;
  for (int k = 0; k < rounds; ++k) {
    const double start = bench::processor_seconds();
    work();
    times.push_back(bench::processor_seconds() - start);
  }
  return bench::median(times);
}

void elements(int nodes, int rounds) {
  const TetMesh mesh = cube_of(nodes);
  fmt::print("{} nodes, {} tetrahedra; per tetrahedron [us] (aim: projected matrix 2)\n", mesh.vertices.size(),
             mesh.tetrahedra.size());
  fmt::print("{:<22}{:>10}{:>10}{:>12}{:>12}\n", "", "energy", "forces", "matrix", "projected");
  for (const SoftModel model : kModels) {
    const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, {.model = model, .stiffness_damping = 0.01});
    const ElasticSolid::System system(solid);
    const std::vector<Vec3> x = deformed(solid);
    std::vector<Vec3> f(solid.nodes(), Vec3::Zero());
    Matrix a;
    double sum = 0;
    const ElasticSolid::System::Factors factors{1, 0.01, 1e-4};
    system.assemble(x, factors, true, a);
    const double per = 1e6 / static_cast<double>(solid.elements());
    const double energy = seconds(rounds, [&] { sum += solid.energy(x); });
    const double forces = seconds(rounds, [&] { solid.add_forces(x, f); });
    const double matrix = seconds(rounds, [&] { system.assemble(x, factors, false, a); });
    const double projected = seconds(rounds, [&] { system.assemble(x, factors, true, a); });
    fmt::print("{:<22}{:>10.3f}{:>10.3f}{:>12.3f}{:>12.3f}{}\n", name(model), per * energy, per * forces, per * matrix,
               per * projected, std::isfinite(sum) ? "" : " not finite");
  }
}

/// Numbers of the nodes of the bottom.
std::vector<int> bottom(const ElasticSolid& solid) {
  double lowest = 0;
  for (const Vec3& p : solid.rest()) lowest = std::min(lowest, p.z());
  std::vector<int> rows;
  for (std::size_t i = 0; i < solid.nodes(); ++i)
    if (solid.rest()[i].z() < lowest + 1e-9)
      for (int k = 0; k < 3; ++k) rows.push_back(static_cast<int>(3 * i) + k);
  return rows;
}

void matrices(const char* shape, const TetMesh& mesh, int rounds) {
  const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, {});
  const ElasticSolid::System system(solid);
  const std::vector<Vec3> x = deformed(solid);
  Matrix a;
  const double assemble = seconds(rounds, [&] { system.assemble(x, {1, 0.01, 1e-4}, true, a); });
  SparseFactor factor;
  const double analyse = seconds(1, [&] { factor.analyze(a, true, solid.rest()); });
  bool good = factor.factor(a);
  const double factoring = seconds(rounds, [&] { good = good && factor.factor(a); });
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(a.rows(), 32);
  Eigen::MatrixXd y(a.rows(), 32), part;
  const double many = seconds(rounds, [&] { factor.solve(b.data(), y.data(), 32); });
  const double solving = seconds(rounds, [&] { factor.solve(b.data(), y.data()); });
  const std::vector<int> rows = bottom(solid);
  const double inverse = seconds(1, [&] { factor.inverse_at(rows, part); });
  fmt::print("{:<10}{:>7}{:>8}{:>8.1f}{:>9.1f}{:>9.1f}{:>8.2f}{:>9.2f}{:>8.2f}{:>9.1f}{:>7}{:>9.1f}{:>10.1e}{}\n", shape,
             solid.nodes(), solid.elements(), 1e3 * assemble, 1e3 * analyse, 1e3 * factoring, 1e-9 * factor.factor_work(),
             1e-9 * factor.factor_work() / factoring, 1e3 * solving, 1e3 * many, rows.size(), 1e3 * inverse,
             (a * y.col(0) - b.col(0)).norm() / b.col(0).norm(), good ? "" : " not positive definite");
}

void all_matrices(int most, int rounds) {
  fmt::print("\nA = M + hB + h2K, times in ms; inverse: at the rows of the bottom\n");
  fmt::print("{:<10}{:>7}{:>8}{:>8}{:>9}{:>9}{:>8}{:>9}{:>8}{:>9}{:>7}{:>9}{:>10}\n", "", "nodes", "tets", "A", "analyse",
             "factor", "Gflop", "Gflop/s", "solve", "32", "rows", "inverse", "residual");
  for (const double share : {0.03, 0.1, 0.3, 1.0}) matrices("cube", cube_of(static_cast<int>(share * most)), rounds);
  matrices("bar", soft_box({2, 0.5, 0.5}, 1 / (std::cbrt(most / 4.0) - 1)), rounds);
  matrices("sphere", soft_sphere(1, 1 / std::cbrt(0.3 * most)), rounds);
}

/// A cantilever of 8 × 1 × 1 under a load at its end, cells twice as long as wide, ν = 0: stiffness over that of beam theory.
double stiffness_of_beam(int cells) {
  const double young = 1e7, length = 8;
  TetMesh mesh = soft_box(Vec3(2, 0.5, 0.5), 1.0 / cells);
  for (Vec3& x : mesh.vertices) x.x() = 2 * (x.x() + 2);
  const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, {.model = SoftModel::linear, .young = young, .poisson = 0});
  Eigen::VectorXd f = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * solid.nodes())), u = f;
  for (const auto& t : boundary_triangles(solid.tetrahedra())) {
    const Vec3 &a = solid.rest()[t[0]], &b = solid.rest()[t[1]], &c = solid.rest()[t[2]];
    if (std::min({a.x(), b.x(), c.x()}) > length - 1e-9)
      for (const std::uint32_t i : t) f[3 * i + 2] += (b - a).cross(c - a).norm() / 6;
  }
  const ElasticSolid::System system(solid);
  Matrix k;
  system.assemble(solid.rest(), {.stiffness = 1}, false, k);
  for (int j = 0; j < k.cols(); ++j)
    for (Matrix::InnerIterator it(k, j); it; ++it)
      if (solid.rest()[it.row() / 3].x() < 1e-9 || solid.rest()[j / 3].x() < 1e-9) it.valueRef() = it.row() == j;
  SparseFactor factor;
  factor.analyze(k, true);
  factor.factor(k);
  factor.solve(f.data(), u.data());
  return (length * length * length * 12 / (3 * young) + length / (5.0 / 6 * young / 2)) / u.dot(f);
}

void beams() {
  fmt::print("\ncantilever, cells across: stiffness beyond beam theory\n");
  for (const int cells : {2, 4, 8, 16}) fmt::print("{:>4}{:>10.1f} %\n", cells, 100 * (stiffness_of_beam(cells) - 1));
}

void shapes() {
  fmt::print("\n{:<12}{:>8}{:>8}{:>18}{:>14}\n", "", "nodes", "tets", "angles", "volume short");
  const auto line = [](const char* what, const TetMesh& mesh, double exact) {
    const TetQuality q = quality(mesh);
    fmt::print("{:<12}{:>8}{:>8}{:>9.1f} … {:>5.1f}{:>13.2f} %\n", what, mesh.vertices.size(), mesh.tetrahedra.size(),
               q.smallest_angle * 180 / std::numbers::pi, q.largest_angle * 180 / std::numbers::pi,
               100 * (1 - volume(mesh) / exact));
  };
  const double pi = std::numbers::pi;
  line("box", soft_box({1, 1, 1}, 0.125), 8);
  line("sphere", soft_sphere(1, 0.125), 4 * pi / 3);
  line("cylinder", soft_cylinder(1, 1, 0.125), 2 * pi);
  line("capsule", soft_capsule(1, 1, 0.125), 2 * pi + 4 * pi / 3);
  line("torus", soft_torus(3, 1, 0.125), 6 * pi * pi);
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) try {
  stickslip::bench::Arguments arguments(argc, argv);
  const int nodes = arguments.number("--nodes", 10000), rounds = arguments.number("--rounds", 7);
  arguments.finish("--nodes N --rounds N");
  stickslip::elements(nodes, rounds);
  stickslip::all_matrices(nodes, rounds);
  stickslip::beams();
  stickslip::shapes();
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
