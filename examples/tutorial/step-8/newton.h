// Newton's method for contact with friction: a factorisation in place of thousands of sweeps.
#pragma once

#include <utility>

#include "step-7/stabilise.h"

namespace tutorial {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The problem as a matrix: v = W λ + b, three rows a contact.
struct Dense {
  MatrixXd W;
  VectorXd b;
};

/// @param u velocities before any impulse
inline Dense assemble(const std::vector<Rows>& problem, const Velocities& u) {
  const auto n = static_cast<Eigen::Index>(problem.size());
  Dense d{MatrixXd::Zero(3 * n, 3 * n), VectorXd::Zero(3 * n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Rows& p = problem[static_cast<std::size_t>(i)];
    const Vec3 v = p.relative(u[static_cast<std::size_t>(p.a)], u[static_cast<std::size_t>(p.b)]);
    d.b.segment<3>(3 * i) = v - p.bias * Vec3::UnitX();
    for (Eigen::Index j = 0; j < n; ++j) {
      const Rows& q = problem[static_cast<std::size_t>(j)];
      Mat3 block = Mat3::Zero();   // contacts that share a body feel each other
      if (p.a == q.a) block += p.Ja * q.Ya;
      if (p.a == q.b) block += p.Ja * q.Yb;
      if (p.b == q.a) block += p.Jb * q.Ya;
      if (p.b == q.b) block += p.Jb * q.Yb;
      d.W.block<3, 3>(3 * i, 3 * j) = block;
    }
  }
  return d;
}

/// F(λ) = w (λ − P(λ − v/w)): zero exactly where λ is the answer, in m/s. With `H`, also the derivative of each row on the
/// branch of P that holds now.
inline VectorXd error_of(const std::vector<Rows>& problem, const Dense& d, const VectorXd& lambda, MatrixXd* H) {
  const VectorXd v = d.W * lambda + d.b;
  VectorXd F(lambda.size());
  if (H != nullptr) H->setZero(lambda.size(), lambda.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const auto n = static_cast<Eigen::Index>(3 * i), t = n + 1;
    const double wn = problem[i].W(0, 0), wt = largest_friction_response(problem[i].W), mu = problem[i].mu;
    const bool touches = lambda[n] - v[n] / wn > 0;
    F[n] = touches ? v[n] : wn * lambda[n];
    if (H != nullptr && touches) H->row(n) = d.W.row(n);
    if (H != nullptr && !touches) (*H)(n, n) = wn;

    const Vec2 trial = lambda.segment<2>(t) - v.segment<2>(t) / wt;
    const double radius = mu * std::max(0.0, lambda[n]), size = trial.norm();
    if (size <= radius) {   // sticks
      F.segment<2>(t) = v.segment<2>(t);
      if (H != nullptr) H->middleRows<2>(t) = d.W.middleRows<2>(t);
      continue;
    }
    const Vec2 along = trial / size;   // slides: friction is radius · along
    F.segment<2>(t) = wt * (lambda.segment<2>(t) - radius * along);
    if (H == nullptr) continue;
    const Eigen::Matrix2d turn = radius / size * (Eigen::Matrix2d::Identity() - along * along.transpose());
    H->middleRows<2>(t) = turn * d.W.middleRows<2>(t);
    H->block<2, 2>(t, t) += wt * (Eigen::Matrix2d::Identity() - turn);
    if (lambda[n] > 0) H->block<2, 1>(t, n) -= wt * mu * along;
  }
  return F;
}

/// x with A x = b, by elimination; in every column the largest number left is the pivot.
inline VectorXd solve_linear(MatrixXd A, VectorXd b) {
  const Eigen::Index n = b.size();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    for (Eigen::Index j = k; j < n; ++j) std::swap(A(k, j), A(pivot, j));
    std::swap(b[k], b[pivot]);
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const double factor = A(i, k) / A(k, k);
      if (factor == 0) continue;
      for (Eigen::Index j = k; j < n; ++j) A(i, j) -= factor * A(k, j);
      b[i] -= factor * b[k];
    }
  }
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    for (Eigen::Index j = k + 1; j < n; ++j) b[k] -= A(k, j) * b[j];
    b[k] /= A(k, k);
  }
  return b;
}

struct Newton {
  int iterations = 0;
  std::vector<double> errors;   // ‖F‖∞ before every iteration and after the last [m/s]
};

/// Changes the impulses of the problem, and u with them, until the error is small enough.
inline Newton solve_newton(std::vector<Rows>& problem, Velocities& u, double tolerance, int most) {
  Newton report;
  if (problem.empty()) return report;
  const Dense d = assemble(problem, u);
  const double regular = 1e-9 * d.W.diagonal().maxCoeff();   // four legs share a load in many ways: choose one
  VectorXd lambda = VectorXd::Zero(d.b.size());
  MatrixXd H;
  VectorXd F = error_of(problem, d, lambda, &H);
  report.errors.push_back(F.lpNorm<Eigen::Infinity>());
  while (report.errors.back() > tolerance && report.iterations < most) {
    H.diagonal().array() += regular;
    const VectorXd way = -solve_linear(H, F);
    double length = 1;   // halved until the error falls
    while (length > 1e-3 && error_of(problem, d, lambda + length * way, nullptr).norm() > (1 - 1e-4 * length) * F.norm())
      length /= 2;
    lambda += length * way;
    F = error_of(problem, d, lambda, &H);
    report.errors.push_back(F.lpNorm<Eigen::Infinity>());
    ++report.iterations;
  }
  for (std::size_t i = 0; i < problem.size(); ++i) {
    problem[i].lambda = lambda.segment<3>(static_cast<Eigen::Index>(3 * i));
    apply(problem[i], problem[i].lambda, u[static_cast<std::size_t>(problem[i].a)], u[static_cast<std::size_t>(problem[i].b)]);
  }
  return report;
}

}   // namespace tutorial
