// Soft bodies: what elements cost by model, and matrices by number of nodes. Aims stand beside.
#include <cmath>
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

void matrices(int most, int rounds) {
  fmt::print("\n{:>8}{:>10}{:>12}{:>12}{:>12}{:>12}{:>10}{:>12}{:>10}{:>12}\n", "nodes", "tets", "numbers A", "assemble",
             "analyse", "factor", "solve", "Gflop", "Gflop/s", "residual");
  for (const double share : {0.03, 0.1, 0.3, 1.0}) {
    const TetMesh mesh = cube_of(static_cast<int>(share * most));
    const ElasticSolid solid(mesh.vertices, mesh.tetrahedra, {});
    const ElasticSolid::System system(solid);
    const std::vector<Vec3> x = deformed(solid);
    Matrix a;
    const ElasticSolid::System::Factors factors{1, 0.01, 1e-4};
    const double assemble = seconds(rounds, [&] { system.assemble(x, factors, true, a); });
    SparseFactor factor;
    const double analyse = seconds(1, [&] { factor.analyze(a, true); });
    bool good = true;
    factor.factor(a);
    const double factoring = seconds(rounds, [&] { good = good && factor.factor(a); });
    Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(a.rows(), -1, 1), y(a.rows());
    const double solving = seconds(rounds, [&] { factor.solve(b.data(), y.data()); });
    fmt::print("{:>8}{:>10}{:>12}{:>9.2f} ms{:>9.1f} ms{:>9.1f} ms{:>7.2f} ms{:>12.3f}{:>10.2f}{:>12.1e}{}\n", solid.nodes(),
               solid.elements(), a.nonZeros(), 1e3 * assemble, 1e3 * analyse, 1e3 * factoring, 1e3 * solving,
               1e-9 * factor.factor_work(), 1e-9 * factor.factor_work() / factoring, (a * y - b).norm() / b.norm(),
               good ? "" : " not positive definite");
  }
}

}   // namespace
}   // namespace stickslip

int main(int argc, char** argv) try {
  stickslip::bench::Arguments arguments(argc, argv);
  const int nodes = arguments.number("--nodes", 10000), rounds = arguments.number("--rounds", 7);
  arguments.finish("--nodes N --rounds N");
  stickslip::elements(nodes, rounds);
  stickslip::matrices(nodes, rounds);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
