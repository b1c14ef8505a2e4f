#include "solve/newton/newton_matrix.h"

#include <cmath>

#ifdef STICKSLIP_HAS_SUITESPARSE
#include <umfpack.h>
#else
#include "math/sparse_lu.h"
#endif

namespace stickslip {

namespace {
// A dense factorisation is the faster one of small matrices, and of larger ones that are full or fill.
constexpr std::size_t kSmallSystem = 200, kMediumSystem = 1000, kLargeSystem = 6000;   ///< rows
constexpr double kFull = 0.1;         ///< stored part of a medium matrix from which it counts as full
constexpr double kVeryFull = 0.5;     ///< the same of a large one
constexpr double kSingular = 1e-15;   ///< smallest over largest pivot below which a matrix counts as singular
}   // namespace

void Linearisation::resize(std::span<const Block> blocks, std::span<const std::uint8_t> slacks) {
  const std::size_t n = blocks.size();
  first.assign(1, 0);
  dim.clear();
  first_a.clear();
  first_b.clear();
  std::uint32_t size_a = 0, size_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t d = blocks[i].dim, m = d + (slacks.empty() ? 0 : slacks[i]);
    dim.push_back(d);
    first.push_back(first.back() + m);
    first_a.push_back(size_a);
    first_b.push_back(size_b);
    size_a += m * m;
    size_b += m * d;
  }
  phi.assign(first.back(), 0.0);
  a.assign(size_a, 0.0);
  b.assign(size_b, 0.0);
}

#ifdef STICKSLIP_HAS_SUITESPARSE
/// UMFPACK; the ordering is kept from the first factorisation on.
struct NewtonMatrix::Factors {
  Eigen::MatrixXd dense;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  void *symbolic = nullptr, *numeric = nullptr;
  double control[UMFPACK_CONTROL], info[UMFPACK_INFO];

  Factors() {
    umfpack_di_defaults(control);
    control[UMFPACK_IRSTEP] = 1;
  }
  ~Factors() { clear(); }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  void clear() {
    if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
    if (symbolic != nullptr) umfpack_di_free_symbolic(&symbolic);
    numeric = symbolic = nullptr;
  }
  bool factorize(int n, const std::vector<int>& start, const std::vector<int>& row, const std::vector<double>& values) {
    // Without the numbers the analysis fits any of them.
    if (symbolic == nullptr &&
        umfpack_di_symbolic(n, n, start.data(), row.data(), nullptr, &symbolic, control, info) != UMFPACK_OK)
      return false;
    if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
    return umfpack_di_numeric(start.data(), row.data(), values.data(), symbolic, &numeric, control, info) == UMFPACK_OK;
  }
  bool solve(const std::vector<int>& start, const std::vector<int>& row, const std::vector<double>& values, const double* rhs,
             double* x) {
    return umfpack_di_solve(UMFPACK_A, start.data(), row.data(), values.data(), x, rhs, numeric, control, info) == UMFPACK_OK;
  }
};
#else
/// Eigen's sparse LU; the ordering is kept from the first factorisation on.
struct NewtonMatrix::Factors {
  Eigen::MatrixXd dense;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> sparse;
  bool analysed = false;

  void clear() { analysed = false; }
  bool factorize(int n, const std::vector<int>& start, const std::vector<int>& row, const std::vector<double>& values) {
    const Eigen::SparseMatrix<double> matrix = Eigen::Map<const Eigen::SparseMatrix<double>>(
        n, n, static_cast<int>(values.size()), start.data(), row.data(), values.data());
    if (!analysed) sparse.analyzePattern(matrix);
    analysed = true;
    sparse.factorize(matrix);
    return sparse.info() == Eigen::Success;
  }
  bool solve(const std::vector<int>& start, const std::vector<int>&, const std::vector<double>&, const double* rhs, double* x) {
    const Eigen::Index n = static_cast<Eigen::Index>(start.size()) - 1;
    Eigen::VectorXd::Map(x, n) = sparse.solve(Eigen::VectorXd::Map(rhs, n));
    return sparse.info() == Eigen::Success;
  }
};
#endif

NewtonMatrix::NewtonMatrix() : factors_(std::make_unique<Factors>()) {}
NewtonMatrix::~NewtonMatrix() = default;
NewtonMatrix::NewtonMatrix(NewtonMatrix&&) noexcept = default;
NewtonMatrix& NewtonMatrix::operator=(NewtonMatrix&&) noexcept = default;

void NewtonMatrix::set_up(const BlockMatrix& w, const Linearisation& shape) {
  const std::size_t n = w.blocks();
  size_ = shape.unknowns();
  factors_->clear();
  // Length of the columns of every block column, then where each entry stands in them.
  stride_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) stride_[w.column[e]] += shape.rows(i);
  column_start_.assign(1, 0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::uint32_t c = 0; c < shape.rows(j); ++c)
      column_start_.push_back(column_start_.back() + static_cast<int>(c < shape.dim[j] ? stride_[j] : shape.rows(j)));
  row_.resize(static_cast<std::size_t>(column_start_.back()));
  values_.assign(row_.size(), 0.0);
  const double full = static_cast<double>(size_) * static_cast<double>(size_);
  const double stored = static_cast<double>(row_.size());
  dense_ = size_ <= kSmallSystem || (size_ <= kMediumSystem && stored > kFull * full) ||
           (size_ <= kLargeSystem && stored > kVeryFull * full);
  place_.resize(w.column.size());
  std::vector<std::uint32_t> filled(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      const std::uint32_t j = w.column[e], m = shape.rows(i);
      place_[e] = static_cast<std::uint32_t>(column_start_[shape.first[j]]) + filled[j];
      for (std::uint32_t c = 0; c < shape.dim[j]; ++c)
        for (std::uint32_t r = 0; r < m; ++r) row_[place_[e] + c * stride_[j] + r] = static_cast<int>(shape.first[i] + r);
      filled[j] += m;
    }
  for (std::size_t j = 0; j < n; ++j)
    for (std::uint32_t c = shape.dim[j]; c < shape.rows(j); ++c)
      for (std::uint32_t r = 0; r < shape.rows(j); ++r)
        row_[static_cast<std::size_t>(column_start_[shape.first[j] + c]) + r] = static_cast<int>(shape.first[j] + r);
}

void NewtonMatrix::assemble(const BlockMatrix& w, const Linearisation& l) {
  using Strided = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  for (std::size_t i = 0; i < l.blocks(); ++i) {
    const auto b = l.b_block(i);
    const Eigen::Index m = l.rows(i), d = l.dim[i];
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      const std::uint32_t j = w.column[e], dj = l.dim[j];
      Strided block(values_.data() + place_[e], m, dj, Eigen::OuterStride<>(stride_[j]));
      if (m == 3 && d == 3 && dj == 3)
        Eigen::Map<Mat3, 0, Eigen::OuterStride<>>(values_.data() + place_[e], Eigen::OuterStride<>(stride_[j])).noalias() =
            Eigen::Map<const Mat3>(b.data()) * Eigen::Map<const Mat3>(w.values.data() + w.position[e]);
      else block = b.lazyProduct(w.entry(i, e));
      if (j != i) continue;
      const auto a = l.a_block(i);
      block += a.leftCols(d);
      for (Eigen::Index c = d; c < m; ++c)
        Eigen::VectorXd::Map(values_.data() + column_start_[l.first[i] + static_cast<std::size_t>(c)], m) = a.col(c);
    }
  }
}

bool NewtonMatrix::factorize() {
  for (const double value : values_)
    if (!std::isfinite(value)) return false;
  if (size_ == 0) return true;
  if (!dense_) return factors_->factorize(static_cast<int>(size_), column_start_, row_, values_);
  const Eigen::Index n = static_cast<Eigen::Index>(size_);
  factors_->dense.setZero(n, n);
  for (Eigen::Index c = 0; c < n; ++c)
    for (int k = column_start_[c]; k < column_start_[c + 1]; ++k) factors_->dense(row_[k], c) = values_[k];
  factors_->lu.compute(factors_->dense);
  const Eigen::VectorXd pivots = factors_->lu.matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() > kSingular * pivots.maxCoeff();
}

bool NewtonMatrix::solve(std::span<const double> rhs, std::span<double> x) {
  if (size_ == 0) return true;
  const Eigen::Index n = static_cast<Eigen::Index>(size_);
  Eigen::VectorXd::MapType solution(x.data(), n);
  if (dense_) solution = factors_->lu.solve(Eigen::VectorXd::Map(rhs.data(), n));
  else if (!factors_->solve(column_start_, row_, values_, rhs.data(), x.data())) return false;
  return solution.allFinite();
}

void NewtonMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t c = 0; c < size_; ++c)
    for (int k = column_start_[c]; k < column_start_[c + 1]; ++k) y[static_cast<std::size_t>(row_[k])] += values_[k] * x[c];
}

void NewtonMatrix::diagonal_blocks(const Linearisation& shape, std::vector<Eigen::MatrixXd>& blocks) const {
  blocks.resize(shape.blocks());
  for (std::size_t i = 0; i < shape.blocks(); ++i) {
    const std::uint32_t m = shape.rows(i), first = shape.first[i];
    blocks[i].setZero(m, m);
    for (std::uint32_t c = 0; c < m; ++c)
      for (int k = column_start_[first + c]; k < column_start_[first + c + 1]; ++k) {
        const std::uint32_t r = static_cast<std::uint32_t>(row_[k]);
        if (r >= first && r < first + m) blocks[i](r - first, c) = values_[k];
      }
  }
}

}   // namespace stickslip
