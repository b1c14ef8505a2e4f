#include "solve/newton/linear_solvers.h"

#include <cmath>

namespace stickslip {

namespace {

constexpr int kRestart = 60;   ///< directions that GMRES keeps

using Vector = Eigen::Map<Eigen::VectorXd>;
Vector vector(std::span<double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

/// y = P x with the inverse diagonal blocks.
void precondition(const Linearisation& shape, const KrylovScratch& s, bool enabled, std::span<const double> x,
                  std::span<double> y) {
  for (std::size_t i = 0; i < shape.blocks(); ++i) {
    const Eigen::Index m = shape.rows(i);
    const Eigen::Map<const Eigen::VectorXd> in(x.data() + shape.first[i], m);
    Vector out(y.data() + shape.first[i], m);
    if (enabled) out.noalias() = s.inverse[i] * in;
    else out = in;
  }
}

void invert_diagonal(const NewtonMatrix& h, const Linearisation& shape, KrylovScratch& s) {
  h.diagonal_blocks(shape, s.inverse);
  for (Eigen::MatrixXd& block : s.inverse) {
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(block);
    if (lu.isInvertible()) block = lu.inverse();
    else block.setIdentity();
  }
}

}   // namespace

bool gmres(const NewtonMatrix& h, const Linearisation& shape, std::span<const double> phi, const LinearSolver& options,
           KrylovScratch& s, std::span<double> x) {
  const std::size_t n = x.size();
  if (options.precondition) invert_diagonal(h, shape, s);
  s.work.resize(n);
  s.hp.resize(n);
  const auto multiply = [&](const double* from, double* to) {
    precondition(shape, s, options.precondition, {from, n}, s.work);
    h.multiply(s.work, {to, n});
    return true;
  };
  s.gmres.solve(phi, s.hp, {options.iterations, options.tolerance, kRestart}, multiply);
  s.products += s.gmres.products();
  precondition(shape, s, options.precondition, s.hp, x);
  return vector(x).allFinite();
}

bool fletcher_reeves(const NewtonMatrix& h, std::span<const double> phi, const LinearSolver& options, KrylovScratch& s,
                     std::span<double> x) {
  return fletcher_reeves([&h](std::span<const double> p, std::span<double> hp) { h.multiply(p, hp); }, phi, options, s, x);
}

bool fletcher_reeves(const HessianProduct& multiply, std::span<const double> phi, const LinearSolver& options, KrylovScratch& s,
                     std::span<double> x) {
  const std::size_t n = x.size();
  if (n == 0) return true;
  s.r.assign(phi.begin(), phi.end());
  s.p = s.r;
  s.hp.resize(n);
  s.work.assign(n, 0.0);
  Vector r = vector(s.r), p = vector(s.p), hp = vector(s.hp), current = vector(s.work), best = vector(x);
  best.setZero();
  const double start = r.squaredNorm();
  double squared = start, smallest = INFINITY;
  for (int k = 0; k < options.iterations && squared > options.tolerance * options.tolerance * start; ++k) {
    multiply(s.p, s.hp);
    ++s.products;
    const double curvature = p.dot(hp);
    if (!(std::abs(curvature) > 0) || !std::isfinite(curvature)) break;
    const double length = squared / curvature;
    current += length * p;
    r -= length * hp;
    const double next = r.squaredNorm();
    if (!std::isfinite(next)) break;
    if (next < smallest) {
      smallest = next;
      best = current;
    }
    p = r + next / squared * p;
    squared = next;
  }
  return std::isfinite(smallest) && best.allFinite();
}

}   // namespace stickslip
