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

/// One cycle of GMRES: an orthonormal basis of the Krylov space, grown by one product with H at a time, in which H is an upper
/// Hessenberg matrix. Givens rotations keep that triangular, and g its right side, whose last number is the residual.
class KrylovCycle {
 public:
  KrylovCycle(const NewtonMatrix& h, const Linearisation& shape, bool preconditions, KrylovScratch& s, int most)
      : h_(h), shape_(shape), preconditions_(preconditions), s_(s), g_(most + 1), cosine_(most), sine_(most) {
    s_.hessenberg.setZero(most + 1, most);
  }

  /// Begins with this residual, of length beta > 0, in the first vector of the basis.
  void begin(double beta) {
    vector(s_.basis[0]) /= beta;
    g_.setZero();
    g_[0] = beta;
    size_ = 0;
  }

  enum class Growth { more, last, none };   ///< last: the space is all there is; none: nor is there a new direction

  Growth grow() {
    const int k = size_;
    std::vector<double>& product = s_.basis[static_cast<std::size_t>(k) + 1];
    precondition(shape_, s_, preconditions_, s_.basis[static_cast<std::size_t>(k)], s_.work);
    h_.multiply(s_.work, product);
    ++s_.products;
    Vector next = vector(product);
    for (int j = 0; j <= k; ++j) {
      const Vector q = vector(s_.basis[static_cast<std::size_t>(j)]);
      s_.hessenberg(j, k) = q.dot(next);
      next -= s_.hessenberg(j, k) * q;
    }
    const double length = next.norm();
    s_.hessenberg(k + 1, k) = length;
    if (!rotate(k)) return Growth::none;   // singular: what is there is the best there is
    ++size_;
    if (length == 0) return Growth::last;
    next /= length;
    return Growth::more;
  }

  int size() const { return size_; }
  double residual() const { return std::abs(g_[size_]); }

  /// x += the best of the space.
  void add_to(Vector x) const {
    const Eigen::VectorXd y = s_.hessenberg.topLeftCorner(size_, size_).triangularView<Eigen::Upper>().solve(g_.head(size_));
    Vector sum = vector(s_.hp);
    sum.setZero();
    for (int j = 0; j < size_; ++j) sum += y[j] * vector(s_.basis[static_cast<std::size_t>(j)]);
    precondition(shape_, s_, preconditions_, s_.hp, s_.work);
    x += vector(s_.work);
  }

 private:
  /// Makes column k triangular. False if it is zero.
  bool rotate(int k) {
    Eigen::MatrixXd& h = s_.hessenberg;
    for (int j = 0; j < k; ++j) {
      const double t = cosine_[j] * h(j, k) + sine_[j] * h(j + 1, k);
      h(j + 1, k) = -sine_[j] * h(j, k) + cosine_[j] * h(j + 1, k);
      h(j, k) = t;
    }
    const double size = std::hypot(h(k, k), h(k + 1, k));
    if (!(size > 0)) return false;
    cosine_[k] = h(k, k) / size;
    sine_[k] = h(k + 1, k) / size;
    h(k, k) = size;
    h(k + 1, k) = 0;
    g_[k + 1] = -sine_[k] * g_[k];
    g_[k] *= cosine_[k];
    return true;
  }

  const NewtonMatrix& h_;
  const Linearisation& shape_;
  bool preconditions_;
  KrylovScratch& s_;
  Eigen::VectorXd g_, cosine_, sine_;
  int size_ = 0;
};

}   // namespace

bool gmres(const NewtonMatrix& h, const Linearisation& shape, std::span<const double> phi, const LinearSolver& options,
           KrylovScratch& s, std::span<double> x) {
  const std::size_t n = x.size();
  if (n == 0) return true;
  if (options.precondition) invert_diagonal(h, shape, s);
  const int most = std::min<int>(kRestart, static_cast<int>(n));
  s.basis.resize(static_cast<std::size_t>(most) + 1);
  for (std::vector<double>& q : s.basis) q.resize(n);
  s.work.resize(n);
  s.hp.resize(n);
  KrylovCycle cycle(h, shape, options.precondition, s, most);
  Vector solution = vector(x);
  solution.setZero();
  const Eigen::Map<const Eigen::VectorXd> rhs(phi.data(), static_cast<Eigen::Index>(n));
  const double target = options.tolerance * rhs.norm();
  for (int used = 0; used < options.iterations;) {
    h.multiply(x, s.hp);
    vector(s.basis[0]) = rhs - vector(s.hp);
    const double beta = vector(s.basis[0]).norm();
    if (!std::isfinite(beta)) return false;
    if (beta <= target || beta == 0) break;
    cycle.begin(beta);
    for (auto growth = KrylovCycle::Growth::more;
         growth == KrylovCycle::Growth::more && cycle.size() < most && used < options.iterations && cycle.residual() > target;
         ++used)
      growth = cycle.grow();
    if (cycle.size() == 0) break;
    cycle.add_to(solution);
    if (cycle.residual() <= target) break;
  }
  return solution.allFinite();
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
