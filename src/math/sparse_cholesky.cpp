#include "math/sparse_cholesky.h"

#include <algorithm>
#include <vector>

#ifdef STICKSLIP_HAS_SUITESPARSE
#include <cholmod.h>
#else
#include <Eigen/SparseCholesky>
#endif

namespace stickslip {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Lower triangle of A where both row and column are free, of the identity elsewhere.
void mask(const Sparse& a, std::span<const char> free, Sparse& out) {
  const Eigen::Index n = a.cols();
  out.resize(n, n);
  out.reserve(a.nonZeros() / 2 + n);
  for (Eigen::Index j = 0; j < n; ++j) {
    out.startVec(j);
    if (!free[j]) {
      out.insertBack(j, j) = 1;
      continue;
    }
    for (Sparse::InnerIterator it(a, j); it; ++it)
      if (it.row() == j || (it.row() > j && free[it.row()])) out.insertBack(it.row(), j) = it.value();
  }
  out.finalize();
}

}   // namespace

#ifdef STICKSLIP_HAS_SUITESPARSE

namespace {

cholmod_sparse lower_view(Sparse& a) {
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<std::size_t>(a.cols());
  view.nzmax = static_cast<std::size_t>(a.nonZeros());
  view.p = a.outerIndexPtr();
  view.i = a.innerIndexPtr();
  view.x = a.valuePtr();
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

}   // namespace

struct SparseCholesky::Impl {
  cholmod_common common;
  cholmod_factor* factor = nullptr;
  cholmod_dense *right = nullptr, *solution = nullptr, *work_y = nullptr, *work_e = nullptr;
  Sparse a, masked;
  std::vector<int> ordering, position;   ///< rows in the order of elimination, and where each stands in it
  std::vector<int> column_rows, column_starts;
  std::vector<double> column_values;
  std::vector<char> free;
  int update_limit, factorisations = 0, row_changes = 0;
  bool valid = false;

  explicit Impl(int limit) : update_limit(limit) {
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.final_ll = 0;
    common.nmethods = 1;
  }
  ~Impl() {
    cholmod_free_factor(&factor, &common);
    for (cholmod_dense** x : {&right, &solution, &work_y, &work_e}) cholmod_free_dense(x, &common);
    cholmod_finish(&common);
  }

  void set_matrix(const Sparse& matrix) {
    a = matrix;
    a.makeCompressed();
    free.assign(a.cols(), 0);
    cholmod_free_factor(&factor, &common);
    cholmod_free_dense(&right, &common);
    factorisations = row_changes = 0;
    valid = false;
    if (a.cols() == 0) return;
    right = cholmod_zeros(a.cols(), 1, CHOLMOD_REAL, &common);
    const std::vector<char> all(a.cols(), 1);
    mask(a, all, masked);
    cholmod_sparse view = lower_view(masked);
    common.method[0].ordering = CHOLMOD_AMD;
    common.postorder = 1;
    cholmod_factor* symbolic = cholmod_analyze(&view, &common);
    const int* order = static_cast<const int*>(symbolic->Perm);
    ordering.assign(order, order + a.cols());
    cholmod_free_factor(&symbolic, &common);
    position.resize(ordering.size());
    for (std::size_t k = 0; k < ordering.size(); ++k) position[ordering[k]] = static_cast<int>(k);
    // From here on the ordering is given; postordering would change it with the pattern.
    common.method[0].ordering = CHOLMOD_GIVEN;
    common.postorder = 0;
  }

  void set_values(const Sparse& matrix) {
    a = matrix;
    valid = false;
  }

  bool refactor() {
    mask(a, free, masked);
    cholmod_sparse view = lower_view(masked);
    cholmod_free_factor(&factor, &common);
    factor = cholmod_analyze_p(&view, ordering.data(), nullptr, 0, &common);
    ++factorisations;
    return factor != nullptr && cholmod_factorize(&view, factor, &common) && common.status == CHOLMOD_OK &&
           factor->minor == factor->n;
  }

  /// The column of A that enters with row k, in the order of elimination.
  bool add_row(int row) {
    column_rows.clear();
    column_values.clear();
    // CHOLMOD wants the rows of the column sorted; their number is small.
    for (Sparse::InnerIterator it(a, row); it; ++it)
      if (free[it.row()] || it.row() == row) column_rows.push_back(position[it.row()]);
    std::sort(column_rows.begin(), column_rows.end());
    for (const int k : column_rows) column_values.push_back(a.coeff(ordering[k], row));
    column_starts = {0, static_cast<int>(column_rows.size())};
    cholmod_sparse column{};
    column.nrow = static_cast<std::size_t>(a.cols());
    column.ncol = 1;
    column.nzmax = column_rows.size();
    column.p = column_starts.data();
    column.i = column_rows.data();
    column.x = column_values.data();
    column.itype = CHOLMOD_INT;
    column.xtype = CHOLMOD_REAL;
    column.dtype = CHOLMOD_DOUBLE;
    column.sorted = 1;
    column.packed = 1;
    ++row_changes;
    return cholmod_rowadd(static_cast<std::size_t>(position[row]), &column, factor, &common) && common.status == CHOLMOD_OK;
  }

  bool remove_row(int row) {
    ++row_changes;
    return cholmod_rowdel(static_cast<std::size_t>(position[row]), nullptr, factor, &common) && common.status == CHOLMOD_OK;
  }

  bool set_free(std::span<const char> wanted) {
    if (a.cols() == 0) return true;
    int changes = 0;
    for (std::size_t i = 0; i < free.size(); ++i) changes += (free[i] != 0) != (wanted[i] != 0);
    if (valid && changes <= update_limit) {
      for (std::size_t i = 0; i < free.size() && valid; ++i) {
        if ((free[i] != 0) == (wanted[i] != 0)) continue;
        valid = free[i] ? remove_row(static_cast<int>(i)) : add_row(static_cast<int>(i));
        free[i] = wanted[i];
      }
      if (valid) return true;
    }
    free.assign(wanted.begin(), wanted.end());
    valid = refactor();
    return valid;
  }

  void solve(std::span<const double> r, std::span<double> x) {
    if (a.cols() == 0) return;
    double* rhs = static_cast<double*>(right->x);
    for (std::size_t i = 0; i < free.size(); ++i) rhs[i] = free[i] ? r[i] : 0;
    cholmod_solve2(CHOLMOD_A, factor, right, nullptr, &solution, nullptr, &work_y, &work_e, &common);
    std::copy_n(static_cast<const double*>(solution->x), x.size(), x.begin());
  }
};

#else

struct SparseCholesky::Impl {
  Sparse a, masked;
  Eigen::SimplicialLDLT<Sparse> factor;
  std::vector<char> free;
  int factorisations = 0, row_changes = 0;
  bool valid = false;

  explicit Impl(int) {}

  void set_matrix(const Sparse& matrix) {
    a = matrix;
    free.assign(a.cols(), 0);
    factorisations = 0;
    valid = false;
  }
  void set_values(const Sparse& matrix) {
    a = matrix;
    valid = false;
  }
  bool set_free(std::span<const char> wanted) {
    if (valid && std::equal(free.begin(), free.end(), wanted.begin())) return true;
    free.assign(wanted.begin(), wanted.end());
    mask(a, free, masked);
    factor.compute(masked);
    ++factorisations;
    valid = factor.info() == Eigen::Success && (a.cols() == 0 || factor.vectorD().minCoeff() > 0);
    return valid;
  }
  void solve(std::span<const double> r, std::span<double> x) {
    if (a.cols() == 0) return;
    Eigen::VectorXd rhs(a.cols());
    for (std::size_t i = 0; i < free.size(); ++i) rhs[i] = free[i] ? r[i] : 0;
    Eigen::Map<Eigen::VectorXd>(x.data(), a.cols()) = factor.solve(rhs);
  }
};

#endif

SparseCholesky::SparseCholesky(int update_limit) : impl_(std::make_unique<Impl>(update_limit)) {}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;
void SparseCholesky::set_matrix(const Sparse& a) { impl_->set_matrix(a); }
void SparseCholesky::set_values(const Sparse& a) { impl_->set_values(a); }
bool SparseCholesky::set_free(std::span<const char> free) { return impl_->set_free(free); }
void SparseCholesky::solve(std::span<const double> r, std::span<double> x) { impl_->solve(r, x); }
int SparseCholesky::factorisations() const { return impl_->factorisations; }
int SparseCholesky::row_changes() const { return impl_->row_changes; }

}   // namespace stickslip
