// Assembled solids: derivatives, invariants, patch test, damping, errors.
#include "stickslip/soft/elastic_solid.h"

#include <random>

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "error_message.h"
#include "stickslip/math/sparse_factor.h"
#include "stickslip/soft/energy.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::soft_solid_test {
namespace {

constexpr SoftModel kModels[] = {SoftModel::linear, SoftModel::corotated, SoftModel::st_venant_kirchhoff,
                                 SoftModel::neo_hookean};
using Vectors = std::vector<Vec3>;
using Matrix = ElasticSolid::System::Matrix;

Eigen::Map<const Eigen::VectorXd> flat(const Vectors& v) { return {v[0].data(), static_cast<Eigen::Index>(3 * v.size())}; }

Vectors random_vectors(std::mt19937& random, std::size_t count, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  Vectors v(count);
  for (Vec3& a : v)
    for (int k = 0; k < 3; ++k) a[k] = uniform(random);
  return v;
}

/// A brick of 2 × 2 × 3 cells; nodes inside are moved off their places.
ElasticSolid distorted_brick(SoftMaterial material, double unit = 1) {
  std::mt19937 random(1);
  TetMesh mesh = soft_box(Vec3(1, 1, 1.5) * unit, unit);
  std::uniform_real_distribution<double> uniform(-0.2, 0.2);
  for (Vec3& x : mesh.vertices)
    if ((x.cwiseAbs() - Vec3(1, 1, 1.5) * unit).maxCoeff() < -1e-9 * unit)
      x += unit * Vec3(uniform(random), uniform(random), uniform(random));
  return ElasticSolid(mesh.vertices, mesh.tetrahedra, material);
}

Vectors forces(const ElasticSolid& solid, const Vectors& x) {
  Vectors f(solid.nodes(), Vec3::Zero());
  solid.add_forces(x, f);
  return f;
}

Vectors moved(const Vectors& x, const Vectors& by, double factor = 1) {
  Vectors y = x;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * by[i];
  return y;
}

template <class Map>
Vectors mapped(const Vectors& x, Map&& map) {
  Vectors y;
  for (const Vec3& p : x) y.push_back(map(p));
  return y;
}

TEST(Solid, masses_are_those_of_the_shape) {
  for (const double unit : {1e-3, 1.0, 100.0}) {
    const ElasticSolid solid = distorted_brick({.density = 700}, unit);
    const double volume = 12 * unit * unit * unit;
    EXPECT_NEAR(solid.volume(), volume, 1e-12 * volume);
    double sum = 0;
    Vec3 first = Vec3::Zero();
    for (std::size_t i = 0; i < solid.nodes(); ++i) {
      sum += solid.lumped_masses()[i];
      first += solid.lumped_masses()[i] * solid.rest()[i];
    }
    EXPECT_NEAR(sum, 700 * volume, 1e-10 * volume);
    EXPECT_LT(first.norm(), 1e-10 * sum * unit);
    // Consistent: ∫ ρ x² is exact, vᵀ M v with v = x e₁.
    Vectors v(solid.nodes(), Vec3::Zero()), f = v;
    for (std::size_t i = 0; i < v.size(); ++i) v[i].x() = solid.rest()[i].x();
    solid.add_mass_times(1, v, f, MassMatrix::consistent);
    EXPECT_NEAR(flat(v).dot(flat(f)), 700 * volume * unit * unit / 3, 1e-10 * volume * unit * unit * 700);
  }
}

TEST(Solid, forces_are_slopes_of_the_energy_and_the_matrix_those_of_the_forces) {
  std::mt19937 random(2);
  for (const SoftModel model : kModels)
    for (const double amplitude : {0.02, 0.2}) {
      const ElasticSolid solid = distorted_brick({.model = model, .young = 3e4, .poisson = 0.3});
      const Vectors x = moved(solid.rest(), random_vectors(random, solid.nodes(), amplitude));
      const Vectors d = random_vectors(random, solid.nodes(), 1);
      const double h = 1e-6;
      const Vectors ahead = moved(x, d, h), behind = moved(x, d, -h);
      const double slope = -(solid.energy(ahead) - solid.energy(behind)) / (2 * h);
      const Vectors f = forces(solid, x);
      EXPECT_NEAR(flat(f).dot(flat(d)), slope, 2e-8 * 3e4 * solid.nodes()) << name(model);

      const ElasticSolid::System system(solid);
      Matrix k, projected;
      system.assemble(x, {.stiffness = 1}, false, k);
      const Vectors fa = forces(solid, ahead), fb = forces(solid, behind);
      const Eigen::VectorXd change = -(flat(fa) - flat(fb)) / (2 * h), product = k * flat(d);
      EXPECT_LT((product - change).norm(), 1e-6 * change.norm()) << name(model);
      EXPECT_EQ((Matrix(k.transpose()) - k).norm(), 0) << name(model);
      system.assemble(x, {.stiffness = 1}, true, projected);
      EXPECT_GT(flat(d).dot(projected * flat(d)), 0);
      EXPECT_GE(flat(d).dot(projected * flat(d)), flat(d).dot(k * flat(d)) * (1 - 1e-12));
      double sum = 0;
      for (std::size_t e = 0; e < solid.elements(); ++e) sum += solid.element_energy(e, x);
      EXPECT_NEAR(sum, solid.energy(x), 1e-12 * sum);
    }
}

TEST(Solid, rigid_motions_store_nothing_and_press_nowhere) {
  const Quat turn = rotation_from_vector({1, -2, 0.7});
  for (const double young : {1e3, 1e12})
    for (const SoftModel model : kModels) {
      const ElasticSolid solid = distorted_brick({.model = model, .young = young, .poisson = 0.3});
      // The linear model knows only shifts.
      const Quat by = model == SoftModel::linear ? Quat::Identity() : turn;
      const Vectors x = mapped(solid.rest(), [&](const Vec3& p) -> Vec3 { return by * p + Vec3(3, -1, 2); });
      EXPECT_LT(std::abs(solid.energy(x)), 1e-15 * young * solid.volume()) << name(model);
      for (const Vec3& f : forces(solid, x)) EXPECT_LT(f.norm(), 2e-14 * young) << name(model);
      // It knows small turns to first order: forces of order θ².
      if (model != SoftModel::linear) continue;
      const auto largest = [&](double angle) {
        const Quat small = rotation_from_vector({0, angle, 0});
        double most = 0;
        for (const Vec3& f : forces(solid, mapped(solid.rest(), [&](const Vec3& p) -> Vec3 { return small * p; })))
          most = std::max(most, f.norm());
        return most / young;
      };
      EXPECT_LT(largest(1e-4), 1e-7);
      EXPECT_NEAR(largest(1e-2) / largest(1e-3), 100, 0.1);
    }
}

TEST(Solid, inner_forces_have_neither_sum_nor_torque) {
  std::mt19937 random(4);
  for (const SoftModel model : kModels) {
    const ElasticSolid solid =
        distorted_brick({.model = model, .young = 1e6, .poisson = 0.45, .stiffness_damping = 0.1, .viscosity = 1e3});
    for (const double amplitude : {0.1, 2.0}) {   // the second one inverts elements
      const Vectors x = moved(solid.rest(), random_vectors(random, solid.nodes(), amplitude));
      const Vectors v = random_vectors(random, solid.nodes(), 1);
      Vectors damping(solid.nodes(), Vec3::Zero());
      solid.add_damping(x, v, damping);
      for (const Vectors& f : {forces(solid, x), damping}) {
        Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
        double size = 0;
        for (std::size_t i = 0; i < f.size(); ++i) sum += f[i], torque += x[i].cross(f[i]), size += f[i].norm();
        EXPECT_LT(sum.norm(), 1e-13 * size) << name(model);
        if (model == SoftModel::linear) continue;   // its forces are those of the rest shape
        EXPECT_LT(torque.norm(), 1e-12 * size) << name(model);
      }
    }
  }
}

TEST(Solid, an_affine_boundary_leaves_affine_nodes_inside_at_rest) {
  Mat3 a;
  a << 1.1, 0.2, -0.1, 0.05, 0.9, 0.15, -0.2, 0.1, 1.05;
  for (const SoftModel model : kModels) {
    const ElasticSolid solid = distorted_brick({.model = model, .young = 1e5, .poisson = 0.35});
    const Vectors x = mapped(solid.rest(), [&](const Vec3& p) -> Vec3 { return a * p + Vec3(1, 2, 3); });
    std::vector<char> outer(solid.nodes(), 0);
    for (const auto& t : boundary_triangles(solid.tetrahedra()))
      for (const std::uint32_t i : t) outer[i] = 1;
    const Vectors f = forces(solid, x);
    double pressing = 0, left = 0;
    int inner = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      inner += !outer[i];
      double& most = outer[i] ? pressing : left;
      most = std::max(most, f[i].norm());
    }
    EXPECT_EQ(inner, 2);
    EXPECT_GT(pressing, 1e3);
    EXPECT_LT(left, 1e-13 * pressing) << name(model);
    // All elements have the same stress, that of the affine map.
    const Mat3 stress = first_piola(lame(1e5, 0.35), model, a),
               expected = model == SoftModel::linear ? stress : Mat3(stress * a.transpose() / a.determinant());
    for (std::size_t e = 0; e < solid.elements(); ++e) {
      EXPECT_LT((solid.cauchy_stress(e, x) - expected).norm(), 1e-11 * expected.norm());
      EXPECT_LT((solid.deformation_gradient(e, x) - a).norm(), 1e-13);
    }
  }
}

TEST(Solid, von_mises_of_a_pulled_bar_is_the_pull_and_of_a_pressed_one_nothing) {
  EXPECT_NEAR(von_mises(Vec3(0, 5, 0).asDiagonal()), 5, 1e-14);
  EXPECT_NEAR(von_mises(Vec3(-2, -2, -2).asDiagonal()), 0, 1e-14);
  Mat3 shear = Mat3::Zero();
  shear(0, 1) = shear(1, 0) = 4;
  EXPECT_NEAR(von_mises(shear), 4 * std::sqrt(3), 1e-13);
}

TEST(Solid, damping_takes_energy_from_strains_and_leaves_rigid_motions_alone) {
  std::mt19937 random(6);
  for (const SoftModel model : kModels)
    for (const double amplitude : {0.0, 0.3, 2.0}) {
      const SoftMaterial material{.model = model, .young = 1e5, .poisson = -0.3, .stiffness_damping = 0.02, .viscosity = 50};
      const ElasticSolid solid = distorted_brick(material);
      const Quat turn = rotation_from_vector({0.5, 1, -1});
      Vectors x = moved(solid.rest(), random_vectors(random, solid.nodes(), amplitude));
      if (model != SoftModel::linear) x = mapped(x, [&](const Vec3& p) -> Vec3 { return turn * p; });
      const Vectors v = random_vectors(random, solid.nodes(), 1);
      Vectors f(solid.nodes(), Vec3::Zero());
      solid.add_damping(x, v, f);
      EXPECT_LT(flat(f).dot(flat(v)), 0);
      EXPECT_NEAR(solid.dissipation(x, v), -flat(f).dot(flat(v)), 1e-12 * solid.dissipation(x, v));
      // Rigid velocities of the shape as it is; of the rest shape for the linear model.
      const Vectors& shape = model == SoftModel::linear ? solid.rest() : x;
      const Vectors rigid = mapped(shape, [](const Vec3& p) -> Vec3 { return Vec3(1, 2, 3).cross(p) + Vec3(-1, 0, 2); });
      std::fill(f.begin(), f.end(), Vec3::Zero());
      solid.add_damping(x, rigid, f);
      for (const Vec3& a : f) EXPECT_LT(a.norm(), 1e-9) << name(model);

      // The matrix is that of the forces, and β K where the body is only turned.
      const ElasticSolid::System system(solid);
      Matrix b, k;
      system.assemble(x, {.damping = 1}, true, b);
      std::fill(f.begin(), f.end(), Vec3::Zero());
      solid.add_damping(x, v, f);
      EXPECT_LT((b * flat(v) + flat(f)).norm(), 1e-12 * flat(f).norm());
      if (amplitude > 0) continue;
      SoftMaterial without = material;
      without.viscosity = 0;
      const ElasticSolid rayleigh(solid.rest(), solid.tetrahedra(), without);
      const ElasticSolid::System same(rayleigh);
      same.assemble(x, {.damping = 1}, false, b);
      same.assemble(x, {.stiffness = 1}, false, k);
      EXPECT_LT((b - 0.02 * k).norm(), 1e-13 * b.norm()) << name(model);
    }
}

TEST(Solid, damping_along_the_chords_of_a_step_brakes_strains_and_no_turn) {
  std::mt19937 random(7);
  const double h = 0.1;
  for (const SoftModel model : {SoftModel::corotated, SoftModel::st_venant_kirchhoff, SoftModel::neo_hookean}) {
    const ElasticSolid solid =
        distorted_brick({.model = model, .young = 1e5, .poisson = 0.3, .stiffness_damping = 0.02, .viscosity = 50});
    const Vectors start = moved(solid.rest(), random_vectors(random, solid.nodes(), 0.2));
    const auto along = [&](const Vectors& v) {
      Vectors x(start);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
      return x;
    };
    // From there to where a turn by half a radian takes it.
    const Quat turn = rotation_from_vector({0.3, -0.2, 0.4});
    Vectors rigid = mapped(start, [&](const Vec3&p) -> Vec3 { return (turn * p - p) / h; }), f(solid.nodes(), Vec3::Zero());
    solid.add_damping(along(rigid), rigid, f, MassMatrix::lumped, h);
    for (const Vec3& a : f) EXPECT_LT(a.norm(), 1e-9);
    EXPECT_LT(solid.dissipation(start, rigid, MassMatrix::lumped, -h), 1e-9);

    // Forces are the slope of half of what is dissipated, seen from either end of the step.
    const Vectors v = random_vectors(random, solid.nodes(), 1), w = random_vectors(random, solid.nodes(), 1);
    const auto dissipated = [&](double amount) {
      Vectors u(v);
      for (std::size_t i = 0; i < u.size(); ++i) u[i] += amount * w[i];
      const double from_end = solid.dissipation(along(u), u, MassMatrix::lumped, h);
      EXPECT_NEAR(solid.dissipation(start, u, MassMatrix::lumped, -h), from_end, 1e-12 * from_end);
      return from_end;
    };
    solid.add_damping(along(v), v, f, MassMatrix::lumped, h);
    const double slope = (dissipated(1e-4) - dissipated(-1e-4)) / 2e-4;
    EXPECT_NEAR(-2 * flat(f).dot(flat(w)), slope, 1e-6 * std::abs(slope));
  }
}

TEST(Solid, mass_damping_and_both_masses_stand_in_the_matrix) {
  std::mt19937 random(8);
  const ElasticSolid solid = distorted_brick({.density = 300, .mass_damping = 2.5, .viscosity = 10});
  const Vectors x = moved(solid.rest(), random_vectors(random, solid.nodes(), 0.2)),
                v = random_vectors(random, solid.nodes(), 1);
  const ElasticSolid::System system(solid);
  for (const MassMatrix kind : {MassMatrix::lumped, MassMatrix::consistent}) {
    Vectors expected(solid.nodes(), Vec3::Zero()), damping = expected;
    solid.add_mass_times(1, v, expected, kind);
    solid.add_damping(x, v, damping, kind);
    EXPECT_NEAR(solid.dissipation(x, v, kind), -flat(damping).dot(flat(v)), 1e-12 * solid.dissipation(x, v, kind));
    Matrix a, k;
    system.assemble(x, {.mass = 3, .damping = 0.1, .stiffness = 0.01, .mass_matrix = kind}, false, a);
    system.assemble(x, {.stiffness = 1}, false, k);
    const Eigen::VectorXd sum = 3 * flat(expected) - 0.1 * flat(damping) + 0.01 * (k * flat(v));
    EXPECT_LT((a * flat(v) - sum).norm(), 1e-12 * sum.norm());
  }
}

TEST(Solid, assembling_again_allocates_nothing_and_gives_the_same_bits) {
  std::mt19937 random(9);
  const ElasticSolid solid = distorted_brick({.stiffness_damping = 0.01});
  const ElasticSolid::System system(solid);
  const Vectors x = moved(solid.rest(), random_vectors(random, solid.nodes(), 0.5));
  Vectors f(solid.nodes(), Vec3::Zero());
  Matrix a, b;
  system.assemble(x, {1, 0.01, 1e-4}, true, a);
  b = a;
  const long before = testing::allocations;
  system.assemble(solid.rest(), {1, 0.01, 1e-4}, true, a);
  system.assemble(x, {1, 0.01, 1e-4}, true, a);
  solid.add_forces(x, f);
  solid.add_damping(x, x, f);
  EXPECT_EQ(testing::allocations, before);
  EXPECT_TRUE(same_pattern(a, system.pattern()));
  EXPECT_TRUE(std::equal(a.valuePtr(), a.valuePtr() + a.nonZeros(), b.valuePtr()));
}

TEST(Solid, weights_of_a_rest_point_follow_the_element) {
  const ElasticSolid solid = distorted_brick({});
  const Tetrahedron& t = solid.tetrahedra()[7];
  const Vec3 point = 0.1 * solid.rest()[t[0]] + 0.2 * solid.rest()[t[1]] + 0.3 * solid.rest()[t[2]] + 0.4 * solid.rest()[t[3]];
  const std::array<double, 4> w = solid.rest_weights(7, point);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(w[k], 0.1 * (k + 1), 1e-13);
}

TEST(Solid, what_is_no_solid_is_named) {
  using testing::message_of;
  const Vectors corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const auto said = [&](Vectors nodes, std::vector<Tetrahedron> tets, SoftMaterial m = {}) {
    return message_of([&] { ElasticSolid(std::move(nodes), std::move(tets), m); });
  };
  EXPECT_EQ(said(corners, {{0, 1, 2, 3}, {1, 2, 3, 4}}), "no error");
  EXPECT_NE(
      said(corners, {{0, 1, 2, 3}, {1, 3, 2, 4}}).find("/tetrahedra: 1 of 2 tetrahedra are inverted or flat: 1 (-0.333 m³)"),
      std::string::npos);
  EXPECT_NE(said({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-14}}, {{0, 1, 2, 3}}).find("flat: 0"), std::string::npos);
  EXPECT_NE(said(corners, {{0, 1, 2, 3}}).find("/nodes: 1 of 5 nodes belong to no tetrahedron, the first of them is 4"),
            std::string::npos);
  EXPECT_NE(said(corners, {{0, 1, 2, 3}, {1, 2, 2, 4}}).find("/tetrahedra/1: Node 2 stands there twice"), std::string::npos);
  EXPECT_NE(said(corners, {{0, 1, 2, 5}}).find("/tetrahedra/0: There is no node 5: there are 5"), std::string::npos);
  EXPECT_NE(said(corners, {}).find("needs at least one tetrahedron"), std::string::npos);
  EXPECT_NE(said({{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}).find("/nodes/2: "), std::string::npos);
  EXPECT_NE(said(corners, {{0, 1, 2, 3}}, {.young = -1}).find("/material/young: -1 Pa"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::soft_solid_test
