// Energies, their derivatives and the projection of Hessians: differences, closed forms, and dense eigenvalues as the oracle.
#include "stickslip/soft/energy.h"

#include <random>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include "error_message.h"

namespace stickslip::soft_energy_test {
namespace {

constexpr SoftModel kModels[] = {SoftModel::linear, SoftModel::corotated, SoftModel::st_venant_kirchhoff,
                                 SoftModel::neo_hookean};
using Vec9 = Eigen::Matrix<double, 9, 1>;

Vec9 as_vector(const Mat3& m) { return Eigen::Map<const Vec9>(m.data()); }
Mat3 as_matrix(const Vec9& v) { return Eigen::Map<const Mat3>(v.data()); }

Mat3 random_matrix(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return Mat3::NullaryExpr([&] { return uniform(random); });
}

Mat3 random_rotation(std::mt19937& random) {
  const Mat3 a = random_matrix(random, 1);
  return rotation_from_vector(3 * Vec3(a.col(0))).toRotationMatrix();
}

Mat3 with_stretches(std::mt19937& random, const Vec3& sigma) {
  return random_rotation(random) * sigma.asDiagonal() * random_rotation(random).transpose();
}

/// Small and large strains, inverted ones, nearly flat ones, and stretches that are equal or nearly so.
std::vector<Mat3> gradients() {
  std::mt19937 random(7);
  std::vector<Mat3> f = {Mat3::Identity(), random_rotation(random)};
  for (const double size : {1e-6, 1e-2, 0.3, 1.0, 3.0})
    for (int k = 0; k < 6; ++k) f.push_back(Mat3::Identity() + random_matrix(random, size));
  for (const Vec3& sigma : {Vec3(1.5, 1, -0.3), Vec3(2, 0.4, -0.1), Vec3(1.2, 0.7, 1e-9), Vec3(1.2, 0.9, 0),
                            Vec3(0.5, 0.5, 0.5), Vec3(1.3, 1.3, 0.6), Vec3(1.3, 1.3 + 1e-10, 0.6), Vec3(0.2, 0.2, 0.2),
                            Vec3(2, 0.7, 0.7 - 1e-12), Vec3(0.9, 0.8, -0.2), Vec3(5, 5, 5), Vec3(0.05, 0.04, 0.03)})
    for (int k = 0; k < 2; ++k) f.push_back(with_stretches(random, sigma));
  return f;
}

std::vector<Lame> moduli() {
  return {lame(1, 0.3), lame(1, 0), lame(1, 0.49), lame(1, -0.5), lame(1e12, 0.3), lame(1e3, 0.45)};
}

/// For central differences. Turns of the corotated frame are the faster the less is left of the element.
double difference_step(SoftModel model) { return model == SoftModel::corotated ? 1e-6 : 1e-5; }

/// Corotated: whether the rotation is well away from where it jumps.
bool is_smooth(SoftModel model, const Mat3& f) {
  const Vec3 sigma = signed_svd(f).sigma;
  return model != SoftModel::corotated || sigma[1] + sigma[2] > 0.05;
}

TEST(Energy, signed_singular_values_are_exact_for_any_matrix) {
  std::mt19937 random(3);
  std::vector<Mat3> all = gradients();
  for (const double scale : {1e-60, 1e-8, 1e8, 1e60}) all.push_back(scale * random_matrix(random, 1));
  all.push_back(Mat3::Zero());
  all.push_back(Vec3(1, 2, 3) * Vec3(-1, 0.5, 2).transpose());
  all.push_back(with_stretches(random, {1, 1e-8, -1e-16}));
  for (const Mat3& f : all) {
    const SignedSvd svd = signed_svd(f);
    const double scale = f.norm();
    EXPECT_LE((svd.u * svd.sigma.asDiagonal() * svd.v.transpose() - f).norm(), 4e-15 * scale);
    for (const Mat3& r : {svd.u, svd.v}) {
      EXPECT_LT((r.transpose() * r - Mat3::Identity()).norm(), 1e-14);
      EXPECT_NEAR(r.determinant(), 1, 1e-14);
    }
    EXPECT_GE(svd.sigma[0], svd.sigma[1]);
    EXPECT_GE(svd.sigma[1], std::abs(svd.sigma[2]) * (1 - 1e-14));
  }
}

TEST(Energy, stress_is_the_slope_of_the_energy) {
  std::mt19937 random(11);
  for (const Lame& p : moduli())
    for (const SoftModel model : kModels)
      for (const Mat3& f : gradients()) {
        if (!is_smooth(model, f)) continue;
        const Mat3 stress = first_piola(p, model, f), d = random_matrix(random, 1);
        const double h = difference_step(model), stiffness = p.mu + std::abs(p.lambda), size = std::pow(1 + f.norm(), 4);
        const double slope = (energy_density(p, model, f + h * d) - energy_density(p, model, f - h * d)) / (2 * h);
        EXPECT_NEAR(stress.cwiseProduct(d).sum(), slope, 1e-8 * stiffness * size) << name(model) << "\n" << f;
      }
}

TEST(Energy, hessian_is_the_slope_of_the_stress) {
  for (const Lame& p : moduli())
    for (const SoftModel model : kModels)
      for (const Mat3& f : gradients()) {
        if (!is_smooth(model, f)) continue;
        const Mat9 hessian = energy_hessian(p, model, f);
        const double h = difference_step(model), stiffness = p.mu + std::abs(p.lambda), size = std::pow(1 + f.norm(), 4);
        EXPECT_LT((hessian - hessian.transpose()).norm(), 1e-13 * hessian.norm());
        for (int k = 0; k < 9; ++k) {
          const Mat3 d = as_matrix(Vec9::Unit(k));
          const Mat3 slope = (first_piola(p, model, f + h * d) - first_piola(p, model, f - h * d)) / (2 * h);
          EXPECT_LT((hessian.col(k) - as_vector(slope)).norm(), 2e-8 * stiffness * size) << name(model) << "\n" << f;
        }
      }
}

TEST(Energy, projected_hessian_is_what_clamping_all_eigenvalues_gives) {
  int indefinite = 0;
  for (const Lame& p : moduli())
    for (const SoftModel model : kModels)
      for (const Mat3& f : gradients()) {
        if (!is_smooth(model, f)) continue;
        const Mat9 hessian = energy_hessian(p, model, f), projected = projected_hessian(p, model, f);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> oracle(Eigen::MatrixXd{hessian});
        const Vec9 clamped = oracle.eigenvalues().cwiseMax(0);
        indefinite += oracle.eigenvalues()[0] < -1e-9 * hessian.norm();
        const Mat9 expected = oracle.eigenvectors() * clamped.asDiagonal() * oracle.eigenvectors().transpose();
        EXPECT_LT((projected - expected).norm(), 1e-10 * hessian.norm()) << name(model) << "\n" << f;
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(Eigen::MatrixXd{projected}, Eigen::EigenvaluesOnly);
        EXPECT_GT(found.eigenvalues()[0], -1e-13 * hessian.norm());
      }
  EXPECT_GT(indefinite, 100);
}

TEST(Energy, hessians_stay_finite_where_rotations_jump) {
  std::mt19937 random(5);
  for (const SoftModel model : kModels)
    for (const Vec3& sigma : {Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(1, 0.5, -0.5), Vec3(9, 1, -1)}) {
      const Mat3 f = with_stretches(random, sigma);
      EXPECT_TRUE(energy_hessian(lame(1, 0.3), model, f).allFinite());
      const Eigen::MatrixXd hessian = projected_hessian(lame(1, 0.3), model, f);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(hessian, Eigen::EigenvaluesOnly);
      EXPECT_GE(found.eigenvalues()[0], -1e-13 * found.eigenvalues()[8]);
    }
}

TEST(Energy, all_models_are_linear_elasticity_at_rest) {
  for (const Lame& p : moduli()) {
    const Mat9 linear = energy_hessian(p, SoftModel::linear, Mat3::Identity());
    for (const SoftModel model : kModels) {
      EXPECT_LT((energy_hessian(p, model, Mat3::Identity()) - linear).norm(), 1e-14 * linear.norm()) << name(model);
      EXPECT_EQ(energy_density(p, model, Mat3::Identity()), 0);
      EXPECT_LT(first_piola(p, model, Mat3::Identity()).norm(), 1e-15 * linear.norm());
    }
  }
}

TEST(Energy, small_strains_keep_their_digits) {
  // Ψ(I + D) to second order is that of linear elasticity; D symmetric.
  Mat3 d;
  d << 3, 1, -2, 1, -1, 0.5, -2, 0.5, 2;
  for (const SoftModel model : kModels)
    for (const double size : {1e-4, 1e-6, 1e-8}) {
      const Lame p = lame(2e11, 0.3);
      const Mat3 strain = size * d;
      const double linear = p.mu * strain.squaredNorm() + 0.5 * p.lambda * strain.trace() * strain.trace();
      const double rounding = 1e-15 / size;
      EXPECT_NEAR(energy_density(p, model, Mat3::Identity() + strain), linear, (10 * size + 10 * rounding) * linear)
          << name(model);
    }
}

TEST(Energy, rotations_neither_store_nor_change_it_but_for_the_linear_model) {
  std::mt19937 random(23);
  const Lame p = lame(1, 0.4);
  for (const SoftModel model : kModels) {
    if (model == SoftModel::linear) continue;
    for (const Mat3& f : gradients()) {
      const Mat3 left = random_rotation(random), right = random_rotation(random);
      const double size = std::pow(1 + f.norm(), 6);
      EXPECT_NEAR(energy_density(p, model, left * f * right), energy_density(p, model, f), 1e-14 * size);
      EXPECT_LT((first_piola(p, model, left * f * right) - left * first_piola(p, model, f) * right).norm(),
                (is_smooth(model, f) ? 1e-13 : 1e9) * size);
      EXPECT_LT(std::abs(energy_density(p, model, left)), 1e-15);
      EXPECT_LT(first_piola(p, model, left).norm(), 1e-14);
    }
  }
  // The linear model takes a turn by θ for a strain of order θ²: no energy to first order, a false one beyond.
  const auto turned = [&](double angle) {
    return energy_density(p, SoftModel::linear, rotation_from_vector({0, 0, angle}).toRotationMatrix());
  };
  EXPECT_NEAR(turned(1e-3) / turned(2e-3), 1.0 / 16, 1e-5);
  EXPECT_GT(turned(1), 0.1);
}

TEST(Energy, only_st_venant_kirchhoff_takes_a_mirrored_element_for_one_at_rest) {
  const Mat3 mirror = Vec3(1, 1, -1).asDiagonal();
  for (const SoftModel model : kModels) {
    const double energy = energy_density(lame(1, 0.3), model, mirror);
    EXPECT_EQ(energy == 0, model == SoftModel::st_venant_kirchhoff) << name(model);
    EXPECT_TRUE(energy == 0 || energy > 0.3) << energy;
  }
  // A bar that cannot widen gives way where P = (λ/2 + µ)(s³ − s) has its minimum, at s = 1/√3.
  const auto stress = [](double s) {
    return first_piola(lame(1, 0.3), SoftModel::st_venant_kirchhoff, Vec3(1, 1, s).asDiagonal())(2, 2);
  };
  EXPECT_LT(stress(0.5774), stress(0.59));
  EXPECT_LT(stress(0.5774), stress(0.56));
}

TEST(Energy, uniaxial_stress_of_the_neo_hookean_bar_is_the_closed_form) {
  // With side stretch b and axial stretch a: Pₐ = m q a + l (J − α) b², 0 = m q b + l (J − α) a b, q = I/(I + 1). The second
  // gives the pressure, so that Pₐ = m q (a − b²/a) whatever b is; b solves the second by bisection.
  const double young = 3e5, poisson = 0.42;
  const Lame p = lame(young, poisson);
  const double m = 4.0 / 3 * p.mu, l = p.lambda + 5.0 / 6 * p.mu, alpha = 1 + 0.75 * m / l;
  for (const double a : {0.3, 0.7, 0.999, 1.001, 1.5, 3.0}) {
    double low = 0.1, high = 3;
    const auto side = [&](double b) {
      const double i = a * a + 2 * b * b;
      return m * i / (i + 1) + l * (a * b * b - alpha) * a;
    };
    for (int k = 0; k < 200; ++k) {
      const double b = 0.5 * (low + high);
      (side(b) < 0 ? low : high) = b;
    }
    const double b = low, i = a * a + 2 * b * b;
    const Mat3 stress = first_piola(p, SoftModel::neo_hookean, Vec3(b, a, b).asDiagonal());
    EXPECT_NEAR(stress(1, 1), m * i / (i + 1) * (a - b * b / a), 1e-9 * young);
    EXPECT_NEAR(stress(0, 0), 0, 1e-9 * young);
    if (std::abs(a - 1) < 0.01) {
      EXPECT_NEAR(stress(1, 1) / (a - 1), young, 0.005 * young);
      EXPECT_NEAR((1 - b) / (a - 1), poisson, 0.005);
    }
  }
}

TEST(Energy, names_and_limits_of_materials) {
  using testing::message_of;
  for (const SoftModel model : kModels) EXPECT_EQ(soft_model(name(model)), model);
  EXPECT_EQ(name(SoftModel::st_venant_kirchhoff), "st-venant-kirchhoff");
  EXPECT_FALSE(soft_model("rubber").has_value());
  const auto said = [](auto change) {
    SoftMaterial m;
    change(m);
    return message_of([&] { validate(m); });
  };
  EXPECT_EQ(said([](SoftMaterial&) {}), "no error");
  EXPECT_EQ(said([](SoftMaterial& m) { m.young = 1e3, m.poisson = 0.495; }), "no error");
  EXPECT_EQ(said([](SoftMaterial& m) { m.young = 1e12; }), "no error");
  EXPECT_NE(said([](SoftMaterial& m) { m.young = 0.5; }).find("/young: 0.5 Pa is not a Young's modulus"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.young = NAN; }).find("/young"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.poisson = 0.5; }).find("/poisson: 0.5 is not a Poisson's ratio"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.poisson = -1; }).find("greater than -1"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.density = 0; }).find("/density"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.mass_damping = -1; }).find("/mass_damping: -1"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.stiffness_damping = INFINITY; }).find("/stiffness_damping"), std::string::npos);
  EXPECT_NE(said([](SoftMaterial& m) { m.viscosity = -2; }).find("/viscosity: -2"), std::string::npos);
  EXPECT_EQ(warning({}), "");
  EXPECT_NE(warning({.poisson = 0.495}).find("lock"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::soft_energy_test
