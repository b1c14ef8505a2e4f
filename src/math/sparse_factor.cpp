#include "stickslip/math/sparse_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#ifdef STICKSLIP_HAS_SUITESPARSE
#include <cholmod.h>
#include <umfpack.h>

#include "math/dissection.h"
#include "math/supernodal.h"
#else
#include <Eigen/SparseCholesky>

#include "math/sparse_lu.h"
#endif

namespace stickslip {

#ifdef STICKSLIP_HAS_SUITESPARSE

struct SparseFactor::Impl {
  cholmod_common common;
  cholmod_factor* cholesky = nullptr;
  cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;   // kept between solves, so that they need no memory
  void *symbolic = nullptr, *numeric = nullptr;
  double control[UMFPACK_CONTROL];
  std::vector<int> integers;
  std::vector<double> numbers;
  SupernodalCholesky supernodal;   // of matrices whose columns of L form blocks worth it
  bool in_blocks = false;
  Matrix copy;   // LU solves read the matrix again
  double factor_work = 0, solve_work = 0;
  bool symmetric = true;

  Impl() {
    cholmod_start(&common);
    common.print = 0;
    umfpack_di_defaults(control);
    control[UMFPACK_IRSTEP] = 1;
  }
  ~Impl() {
    release();
    cholmod_finish(&common);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void release() {
    cholmod_free_factor(&cholesky, &common);
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&y, &common);
    cholmod_free_dense(&e, &common);
    if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
    if (symbolic != nullptr) umfpack_di_free_symbolic(&symbolic);
  }

  static cholmod_sparse view(const Matrix& a) {
    cholmod_sparse s{};
    s.nrow = s.ncol = static_cast<std::size_t>(a.rows());
    s.nzmax = static_cast<std::size_t>(a.nonZeros());
    s.p = const_cast<int*>(a.outerIndexPtr());
    s.i = const_cast<int*>(a.innerIndexPtr());
    s.x = const_cast<double*>(a.valuePtr());
    s.stype = -1;
    s.itype = CHOLMOD_INT;
    s.xtype = CHOLMOD_REAL;
    s.dtype = CHOLMOD_DOUBLE;
    s.sorted = s.packed = 1;
    return s;
  }

  /// An order by planes through the nodes; empty if it fails. Within the parts that they leave by minimum degree.
  std::vector<int> order_by(std::span<const Vec3> places, const Matrix& a) {
    const int nodes = static_cast<int>(places.size());
    NodeGraph graph;
    std::vector<int> lower{0}, rows;   // of the nodes, with the diagonal, as CHOLMOD wants them
    for (int i = 0; i < nodes; ++i) {
      graph.first.push_back(static_cast<int>(graph.neighbour.size()));
      for (int k = a.outerIndexPtr()[3 * i]; k < a.outerIndexPtr()[3 * i + 1]; ++k) {
        const int other = a.innerIndexPtr()[k] / 3;
        if (other != i &&
            (graph.neighbour.size() == static_cast<std::size_t>(graph.first.back()) || graph.neighbour.back() != other))
          graph.neighbour.push_back(other);
        if (other >= i && (rows.size() == static_cast<std::size_t>(lower.back()) || rows.back() != other))
          rows.push_back(other);
      }
      lower.push_back(static_cast<int>(rows.size()));
    }
    graph.first.push_back(static_cast<int>(graph.neighbour.size()));
    std::vector<int> part = dissect(graph, places), order(places.size());
    cholmod_sparse s{};
    s.nrow = s.ncol = places.size();
    s.nzmax = rows.size();
    s.p = lower.data();
    s.i = rows.data();
    s.stype = -1;
    s.itype = CHOLMOD_INT;
    s.xtype = CHOLMOD_PATTERN;
    s.dtype = CHOLMOD_DOUBLE;
    s.sorted = s.packed = 1;
    if (cholmod_camd(&s, nullptr, 0, part.data(), order.data(), &common) == 0) return {};
    std::vector<int> all;
    for (const int node : order)
      for (int c = 0; c < 3; ++c) all.push_back(3 * node + c);
    return all;
  }

  cholmod_factor* analyze_symmetric(cholmod_sparse& s, const Matrix& a, std::span<const Vec3> places) {
    std::vector<int> order;
    if (!places.empty() && 3 * places.size() == s.nrow) order = order_by(places, a);
    if (order.empty()) return cholmod_analyze(&s, &common);
    const int methods = std::exchange(common.nmethods, 1), method = std::exchange(common.method[0].ordering, CHOLMOD_GIVEN);
    cholmod_factor* const factor = cholmod_analyze_p(&s, order.data(), nullptr, 0, &common);
    common.nmethods = methods;
    common.method[0].ordering = method;
    return factor;
  }

  void analyze(const Matrix& a, std::span<const Vec3> places) {
    release();
    if (symmetric) {
      cholmod_sparse s = view(a);
      cholesky = analyze_symmetric(s, a, places);
      factor_work = common.fl;
      solve_work = 4 * common.lnz;
      in_blocks = cholesky != nullptr && cholesky->is_super;
      if (in_blocks) hand_over_blocks(a);
      return;
    }
    const int n = static_cast<int>(a.rows());
    double info[UMFPACK_INFO];
    if (umfpack_di_symbolic(n, n, a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr(), &symbolic, control, info) < 0)
      symbolic = nullptr;
    factor_work = symbolic != nullptr ? info[UMFPACK_FLOPS_ESTIMATE] : 0;
    solve_work = symbolic != nullptr ? 2 * (info[UMFPACK_LNZ_ESTIMATE] + info[UMFPACK_UNZ_ESTIMATE]) : 0;
    integers.resize(static_cast<std::size_t>(n));
    numbers.resize(5 * static_cast<std::size_t>(n));
  }

  void hand_over_blocks(const Matrix& a) {
    const auto list = [](const void* begin, std::size_t count) { return std::span(static_cast<const int*>(begin), count); };
    const std::size_t fronts = cholesky->nsuper + 1;
    supernodal.analyze(a, {list(cholesky->Perm, cholesky->n), list(cholesky->super, fronts), list(cholesky->pi, fronts),
                           list(cholesky->s, cholesky->ssize)});
    cholmod_free_factor(&cholesky, &common);
  }

  /// LLᵀ stops at a pivot that is not; LDLᵀ goes on.
  bool pivots_are_positive() const {
    if (cholesky->is_ll) return true;
    const auto* first = static_cast<const int*>(cholesky->p);
    const auto* value = static_cast<const double*>(cholesky->x);
    for (std::size_t j = 0; j < cholesky->n; ++j)
      if (!(value[first[j]] > 0)) return false;
    return true;
  }

  bool factor(const Matrix& a) {
    if (symmetric) {
      if (in_blocks) return supernodal.factor(a);
      if (cholesky == nullptr) return false;
      cholmod_sparse s = view(a);
      return cholmod_factorize(&s, cholesky, &common) != 0 && common.status == CHOLMOD_OK && cholesky->minor == cholesky->n &&
             pivots_are_positive();
    }
    if (symbolic == nullptr) return false;
    if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
    copy = a;
    const int status =
        umfpack_di_numeric(copy.outerIndexPtr(), copy.innerIndexPtr(), copy.valuePtr(), symbolic, &numeric, control, nullptr);
    return status == UMFPACK_OK;
  }

  void solve(const double* b, double* out, int columns) {
    if (symmetric && in_blocks) {
      supernodal.solve(b, out, columns);
      return;
    }
    const std::size_t n = static_cast<std::size_t>(size());
    for (int c = 0; c < columns; ++c) solve_one(b + n * c, out + n * c);
  }

  void solve_roughly(const double* b, double* out) {
    if (symmetric && in_blocks) supernodal.solve_roughly(b, out);
    else solve(b, out, 1);
  }

  Eigen::Index size() const { return symmetric ? static_cast<Eigen::Index>(cholesky->n) : copy.rows(); }   ///< not in blocks

  /// False if L is not in blocks.
  bool inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) {
    if (symmetric && in_blocks) supernodal.inverse_at(rows, out);
    return symmetric && in_blocks;
  }

  /// False if L is not in blocks.
  bool inverse_near(std::span<double> out) {
    if (symmetric && in_blocks) supernodal.inverse_near(out);
    return symmetric && in_blocks;
  }

  void solve_one(const double* b, double* out) {
    if (symmetric) {
      cholmod_dense right{};
      right.nrow = right.nzmax = right.d = cholesky->n;
      right.ncol = 1;
      right.x = const_cast<double*>(b);
      right.xtype = CHOLMOD_REAL;
      right.dtype = CHOLMOD_DOUBLE;
      cholmod_solve2(CHOLMOD_A, cholesky, &right, nullptr, &x, nullptr, &y, &e, &common);
      std::copy_n(static_cast<const double*>(x->x), cholesky->n, out);
      return;
    }
    umfpack_di_wsolve(UMFPACK_A, copy.outerIndexPtr(), copy.innerIndexPtr(), copy.valuePtr(), out, b, numeric, control, nullptr,
                      integers.data(), numbers.data());
  }
};

#else

struct SparseFactor::Impl {
  Eigen::SimplicialLDLT<Matrix> cholesky;
  Eigen::SparseLU<Matrix> lu;
  double factor_work = 0, solve_work = 0;
  bool symmetric = true;

  void analyze(const Matrix& a, std::span<const Vec3>) {
    if (symmetric) cholesky.analyzePattern(a);
    else lu.analyzePattern(a);
    // A guess: Eigen does not tell the fill.
    const double n = static_cast<double>(a.rows()), entries = 3 * static_cast<double>(a.nonZeros());
    solve_work = 4 * entries;
    factor_work = entries * entries / std::max(1.0, n);
  }
  bool factor(const Matrix& a) {
    if (symmetric) {
      cholesky.factorize(a);
      return cholesky.info() == Eigen::Success && (a.rows() == 0 || cholesky.vectorD().minCoeff() > 0);
    }
    lu.factorize(a);
    return lu.info() == Eigen::Success;
  }
  Eigen::Index size() const { return symmetric ? cholesky.rows() : lu.rows(); }
  bool inverse_at(std::span<const int>, Eigen::MatrixXd&) const { return false; }
  bool inverse_near(std::span<double>) const { return false; }
  void solve_roughly(const double* b, double* out) { solve(b, out, 1); }
  void solve(const double* b, double* out, int columns) {
    const Eigen::Index n = size();
    for (int c = 0; c < columns; ++c) {
      const Eigen::Map<const Eigen::VectorXd> right(b + n * c, n);
      Eigen::Map<Eigen::VectorXd> result(out + n * c, n);
      if (symmetric) result = cholesky.solve(right);
      else result = lu.solve(right);
    }
  }
};

#endif

SparseFactor::SparseFactor() = default;
SparseFactor::~SparseFactor() = default;
SparseFactor::SparseFactor(SparseFactor&&) noexcept = default;
SparseFactor& SparseFactor::operator=(SparseFactor&&) noexcept = default;

void SparseFactor::analyze(const Matrix& a, bool symmetric, std::span<const Vec3> places) {
  if (!impl_) impl_ = std::make_unique<Impl>();
  impl_->symmetric = symmetric;
  impl_->analyze(a, places);
}
bool SparseFactor::factor(const Matrix& a) { return impl_ && impl_->factor(a); }
void SparseFactor::solve(const double* b, double* x) { impl_->solve(b, x, 1); }
void SparseFactor::solve(const double* b, double* x, int columns) { impl_->solve(b, x, columns); }
void SparseFactor::solve_roughly(const double* b, double* x) { impl_->solve_roughly(b, x); }
void SparseFactor::inverse_at(std::span<const int> rows, Eigen::MatrixXd& out) {
  if (impl_->inverse_at(rows, out)) return;
  const auto n = static_cast<Eigen::Index>(rows.size());
  const Eigen::Index size = impl_->size();
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(size), column(size);
  out.resize(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    unit[rows[j]] = 1;
    impl_->solve(unit.data(), column.data(), 1);
    unit[rows[j]] = 0;
    for (Eigen::Index i = 0; i < n; ++i) out(i, j) = column[rows[i]];
  }
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
}
bool SparseFactor::inverse_near(std::span<double> numbers) { return impl_->inverse_near(numbers); }
double SparseFactor::factor_work() const { return impl_ ? impl_->factor_work : 0; }
double SparseFactor::solve_work() const { return impl_ ? impl_->solve_work : 0; }

bool same_pattern(const SparseFactor::Matrix& a, const SparseFactor::Matrix& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() && a.rows() > 0 &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

}   // namespace stickslip
