#include "stickslip/soft/energy.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "soft/principal.h"

namespace stickslip {

namespace {

/// The parameters of the stable neo-Hookean energy whose small strains are those of Lamé's.
struct StableNeoHooke {
  double m, l;
  explicit StableNeoHooke(const Lame& p) : m(4.0 / 3 * p.mu), l(p.lambda + 5.0 / 6 * p.mu) {}
  double volume_stress(double j) const { return l * (j - 1) - 0.75 * m; }   ///< l (J − α)
};

/// ∂J/∂F
Mat3 cofactors(const Mat3& f) {
  Mat3 c;
  c.col(0) = f.col(1).cross(f.col(2));
  c.col(1) = f.col(2).cross(f.col(0));
  c.col(2) = f.col(0).cross(f.col(1));
  return c;
}

/// x − ln(1 + x), without cancellation where x is small: with s = x/(2 + x), ln(1 + x) = 2 artanh s.
double log_remainder(double x) {
  if (std::abs(x) > 0.1) return x - std::log1p(x);
  const double s = x / (2 + x), q = s * s;
  return x * s - 2 * s * q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q / 13)))));
}

/// Sorted by powers of D = F − I, so that small strains keep their digits: the terms of first order cancel by the choice of α.
double neo_hookean_density(const Lame& lame, const Mat3& f) {
  const StableNeoHooke p(lame);
  const Mat3 d = f - Mat3::Identity();
  const double trace = d.trace(), square = d.squaredNorm();
  const double minors = 0.5 * (trace * trace - d.cwiseProduct(d.transpose()).sum()),
               det = d.col(0).dot(d.col(1).cross(d.col(2)));
  const double j1 = trace + minors + det;
  return 0.375 * p.m * square - 0.75 * p.m * (minors + det) + 0.5 * p.m * log_remainder(0.25 * (2 * trace + square)) +
         0.5 * p.l * j1 * j1;
}

double strain_energy_density(const Lame& lame, const Mat3& strain) {
  return lame.mu * strain.squaredNorm() + 0.5 * lame.lambda * strain.trace() * strain.trace();
}

Mat3 strain_stress(const Lame& lame, const Mat3& strain) {
  return 2 * lame.mu * strain + lame.lambda * strain.trace() * Mat3::Identity();
}

Mat3 small_strain(const Mat3& f) { return 0.5 * (f + f.transpose()) - Mat3::Identity(); }

Mat3 green_strain(const Mat3& f) {
  const Mat3 d = f - Mat3::Identity();
  return 0.5 * (d + d.transpose() + d.transpose() * d);
}

/// Stretches, and twist and flip of the pair of axes that leaves out axis k, at number k.
struct PrincipalModes {
  Mat3 stretch;
  Vec3 twist, flip;
};

PrincipalModes modes(const Lame& lame, SoftModel model, const Vec3& sigma) {
  const double mu = lame.mu, lambda = lame.lambda;
  PrincipalModes r;
  switch (model) {
    case SoftModel::linear:
      r.stretch = 2 * mu * Mat3::Identity() + Mat3::Constant(lambda);
      r.twist.setZero();
      r.flip.setConstant(2 * mu);
      break;
    case SoftModel::corotated: {
      r.stretch = 2 * mu * Mat3::Identity() + Mat3::Constant(lambda);
      const double tension = lambda * (sigma.sum() - 3) - 2 * mu;
      // R turns infinitely fast where σᵢ + σⱼ = 0; a millionth of the largest stretch bounds that.
      for (int k = 0; k < 3; ++k) {
        const double sum = sigma[(k + 1) % 3] + sigma[(k + 2) % 3];
        r.twist[k] = 2 * mu + 2 * tension / std::max(sum, 1e-6 * std::max(1.0, sigma[0]));
      }
      r.flip.setConstant(2 * mu);
      break;
    }
    case SoftModel::st_venant_kirchhoff: {
      const double tension = 0.5 * lambda * (sigma.squaredNorm() - 3) - mu;
      r.stretch = lambda * sigma * sigma.transpose();
      r.stretch.diagonal().array() += 3 * mu * sigma.array().square() + tension;
      for (int k = 0; k < 3; ++k) {
        const double a = sigma[(k + 1) % 3], b = sigma[(k + 2) % 3];
        r.twist[k] = mu * (a * a - a * b + b * b) + tension;
        r.flip[k] = mu * (a * a + a * b + b * b) + tension;
      }
      break;
    }
    case SoftModel::neo_hookean: {
      const StableNeoHooke p(lame);
      const double square = sigma.squaredNorm(), over = 1 / (square + 1), pressure = p.volume_stress(sigma.prod());
      const Vec3 minors(sigma[1] * sigma[2], sigma[2] * sigma[0], sigma[0] * sigma[1]);
      r.stretch = 2 * p.m * over * over * sigma * sigma.transpose() + p.l * minors * minors.transpose();
      for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        r.stretch(k, k) += p.m * square * over;
        r.stretch(i, j) += pressure * sigma[k];
        r.stretch(j, i) += pressure * sigma[k];
        r.twist[k] = p.m * square * over + pressure * sigma[k];
        r.flip[k] = p.m * square * over - pressure * sigma[k];
      }
      break;
    }
  }
  return r;
}

bool is_positive_definite(const Mat3& a) {
  return a(0, 0) > 0 && a(0, 0) * a(1, 1) - a(1, 0) * a(1, 0) > 0 && a.determinant() > 0;
}

void clamp_modes(PrincipalModes& m) {
  m.twist = m.twist.cwiseMax(0);
  m.flip = m.flip.cwiseMax(0);
  if (is_positive_definite(m.stretch)) return;
  Eigen::SelfAdjointEigenSolver<Mat3> solver;
  solver.compute(m.stretch);
  const Mat3& q = solver.eigenvectors();
  m.stretch = q * solver.eigenvalues().cwiseMax(0).asDiagonal() * q.transpose();
}

/// Rows and columns are the entries of dF, column by column.
Mat9 matrix_of(const PrincipalForm& form) {
  // G = Uᵀ dF V, as vectors: g = (Vᵀ ⊗ Uᵀ) vec(dF)
  Mat9 to_frame, core = Mat9::Zero();
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) to_frame.block<3, 3>(3 * k, 3 * l) = form.frame.v(l, k) * form.frame.u.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      core(4 * i, 4 * j) += form.stretch(i, j);
      if (i == j) continue;
      core(i + 3 * j, i + 3 * j) = form.shear(i, j);
      core(i + 3 * j, j + 3 * i) = form.swap(i, j);
    }
  return to_frame.transpose() * core * to_frame;
}

}   // namespace

double energy_density(const Lame& lame, SoftModel model, const Mat3& f) {
  switch (model) {
    case SoftModel::linear:
      return strain_energy_density(lame, small_strain(f));
    case SoftModel::corotated: {
      const Vec3 stretch = signed_svd(f).sigma.array() - 1;
      return lame.mu * stretch.squaredNorm() + 0.5 * lame.lambda * stretch.sum() * stretch.sum();
    }
    case SoftModel::st_venant_kirchhoff:
      return strain_energy_density(lame, green_strain(f));
    case SoftModel::neo_hookean:
      break;
  }
  return neo_hookean_density(lame, f);
}

Mat3 first_piola(const Lame& lame, SoftModel model, const Mat3& f) {
  switch (model) {
    case SoftModel::linear:
      return strain_stress(lame, small_strain(f));
    case SoftModel::corotated: {
      const SignedSvd svd = signed_svd(f);
      const Vec3 stretch = svd.sigma.array() - 1;
      const Vec3 p = 2 * lame.mu * stretch + Vec3::Constant(lame.lambda * stretch.sum());
      return svd.u * p.asDiagonal() * svd.v.transpose();
    }
    case SoftModel::st_venant_kirchhoff:
      return f * strain_stress(lame, green_strain(f));
    case SoftModel::neo_hookean:
      break;
  }
  const StableNeoHooke p(lame);
  const Mat3 c = cofactors(f);
  const double square = f.squaredNorm(), j = f.col(0).dot(c.col(0));
  return p.m * square / (square + 1) * f + p.volume_stress(j) * c;
}

PrincipalForm principal_hessian(const Lame& lame, SoftModel model, const Mat3& f, double s, bool projected) {
  PrincipalForm form;
  if (model == SoftModel::linear) form.frame = {Mat3::Identity(), Mat3::Identity(), Vec3::Ones()};
  else form.frame = signed_svd(f);
  PrincipalModes m = modes(lame, model, form.frame.sigma);
  if (projected && model != SoftModel::linear) clamp_modes(m);
  form.stretch = s * m.stretch;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    form.shear(i, j) = form.shear(j, i) = 0.5 * s * (m.flip[k] + m.twist[k]);
    form.swap(i, j) = form.swap(j, i) = 0.5 * s * (m.flip[k] - m.twist[k]);
    form.shear(k, k) = form.swap(k, k) = 0;
  }
  return form;
}

void add_strain_rate_form(double l, double m, double d, bool linear, PrincipalForm& form) {
  const Vec3 sigma = linear ? Vec3(Vec3::Ones()) : form.frame.sigma;
  form.stretch += d * l * sigma * sigma.transpose();
  for (int i = 0; i < 3; ++i) {
    form.stretch(i, i) += d * m * sigma[i] * sigma[i];
    for (int j = 0; j < 3; ++j) {
      if (i == j) continue;
      form.shear(i, j) += 0.5 * d * m * sigma[i] * sigma[i];
      form.swap(i, j) += 0.5 * d * m * sigma[i] * sigma[j];
    }
  }
}

Mat9 energy_hessian(const Lame& lame, SoftModel model, const Mat3& f) {
  return matrix_of(principal_hessian(lame, model, f, 1, false));
}

Mat9 projected_hessian(const Lame& lame, SoftModel model, const Mat3& f) {
  return matrix_of(principal_hessian(lame, model, f, 1, true));
}

}   // namespace stickslip
