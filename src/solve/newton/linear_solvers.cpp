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

}  // namespace

bool gmres(const NewtonMatrix& h, const Linearisation& shape, std::span<const double> phi, const LinearSolver& options,
           KrylovScratch& s, std::span<double> x) {
  const std::size_t n = x.size();
  if (n == 0) return true;
  if (options.precondition) invert_diagonal(h, shape, s);
  const int m = std::min<int>(kRestart, static_cast<int>(n));
  s.basis.resize(static_cast<std::size_t>(m) + 1);
  for (std::vector<double>& q : s.basis) q.resize(n);
  s.work.resize(n);
  s.hp.resize(n);
  s.hessenberg.setZero(m + 1, m);
  Eigen::VectorXd g(m + 1), cosine(m), sine(m);
  Vector solution = vector(x);
  solution.setZero();
  const Eigen::Map<const Eigen::VectorXd> rhs(phi.data(), static_cast<Eigen::Index>(n));
  const double target = options.tolerance * rhs.norm();
  for (int used = 0; used < options.iterations;) {
    h.multiply(x, s.hp);
    Vector first = vector(s.basis[0]);
    first = rhs - vector(s.hp);
    const double beta = first.norm();
    if (!std::isfinite(beta)) return false;
    if (beta <= target || beta == 0) break;
    first /= beta;
    g.setZero();
    g[0] = beta;
    int k = 0;
    for (; k < m && used < options.iterations; ++k, ++used) {
      precondition(shape, s, options.precondition, s.basis[static_cast<std::size_t>(k)], s.work);
      Vector next = vector(s.basis[static_cast<std::size_t>(k) + 1]);
      h.multiply(s.work, s.basis[static_cast<std::size_t>(k) + 1]);
      for (int j = 0; j <= k; ++j) {
        const Vector q = vector(s.basis[static_cast<std::size_t>(j)]);
        s.hessenberg(j, k) = q.dot(next);
        next -= s.hessenberg(j, k) * q;
      }
      const double length = next.norm();
      s.hessenberg(k + 1, k) = length;
      // Givens rotations keep the small system triangular and g[k + 1] the residual.
      for (int j = 0; j < k; ++j) {
        const double t = cosine[j] * s.hessenberg(j, k) + sine[j] * s.hessenberg(j + 1, k);
        s.hessenberg(j + 1, k) = -sine[j] * s.hessenberg(j, k) + cosine[j] * s.hessenberg(j + 1, k);
        s.hessenberg(j, k) = t;
      }
      const double size = std::hypot(s.hessenberg(k, k), s.hessenberg(k + 1, k));
      if (!(size > 0)) break;   // singular: what is there is the best there is
      cosine[k] = s.hessenberg(k, k) / size;
      sine[k] = s.hessenberg(k + 1, k) / size;
      s.hessenberg(k, k) = size;
      s.hessenberg(k + 1, k) = 0;
      g[k + 1] = -sine[k] * g[k];
      g[k] *= cosine[k];
      if (std::abs(g[k + 1]) <= target || length == 0) {
        ++k;
        ++used;
        break;
      }
      next /= length;
    }
    if (k == 0) break;
    const Eigen::VectorXd y = s.hessenberg.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(g.head(k));
    Vector sum = vector(s.hp);
    sum.setZero();
    for (int j = 0; j < k; ++j) sum += y[j] * vector(s.basis[static_cast<std::size_t>(j)]);
    precondition(shape, s, options.precondition, s.hp, s.work);
    solution += vector(s.work);
    if (std::abs(g[k]) <= target) break;
  }
  return solution.allFinite();
}

bool fletcher_reeves(const NewtonMatrix& h, std::span<const double> phi, const LinearSolver& options, KrylovScratch& s,
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
    h.multiply(s.p, s.hp);
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

}  // namespace stickslip
