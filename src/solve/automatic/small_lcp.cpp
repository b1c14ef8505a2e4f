#include "solve/automatic/small_lcp.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/infinity.h"

namespace stickslip {

namespace {

constexpr int kMostEnumerated = 6;       ///< rows: 64 sets of rows that push
constexpr int kFewRows = 3;              ///< of which a set of rows is found sooner than a sweep back settles anything
constexpr int kPair = 2;                 ///< rows that two divisions solve together: no sweep is sooner
constexpr int kMostPivotsPerRow = 6;     ///< pivots beyond which rounding goes round in circles
constexpr double kStandsStill = 1e-14;   ///< pivot over the largest entry that is rounding
constexpr double kOtherSkew = 0.7;       ///< of the artificial variable: a second path, where the first ends on a ray

/// All sets of rows that push, of two or three rows: those that approach by themselves first.
template <int N>
class FewRows {
 public:
  FewRows(const ContactProblem& p, double tolerance) : b_(p.b.data()), tolerance_(tolerance) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) w_[i][j] = p.matrix.values[static_cast<std::size_t>(N * i + j)];
      w_[i][i] += p.sigma[static_cast<std::size_t>(i)];
    }
  }

  bool solve(double* z) const {
    unsigned approaching = 0;
    for (int i = 0; i < N; ++i) approaching |= (b_[i] < 0 ? 1u : 0u) << i;
    if (is_solved_by(approaching, z)) return true;
    for (unsigned set = 1; set < 1u << N; ++set)
      if (set != approaching && is_solved_by(set, z)) return true;
    std::fill(z, z + N, 0.0);
    return false;
  }

 private:
  bool is_solved_by(unsigned set, double* z) const {
    std::fill(z, z + N, 0.0);
    if (!(std::popcount(set) == 1   ? stop_one(std::countr_zero(set), z)
          : std::popcount(set) == 2 ? stop_two(std::countr_zero(set), std::bit_width(set) - 1, z)
                                    : stop_all(z)))
      return false;
    for (int i = 0; i < N; ++i) {
      if ((set >> i & 1u) != 0) continue;
      double w = b_[i];
      for (int j = 0; j < N; ++j) w += w_[i][j] * z[j];
      if (!(w >= -tolerance_)) return false;
    }
    return true;
  }

  /// The impulses at which a row, or rows, stand still. @returns whether there are such, and all push
  bool stop_one(int i, double* z) const {
    z[i] = -b_[i] / w_[i][i];
    return pushes(z[i]);
  }
  bool stop_two(int i, int j, double* z) const {
    const double reciprocal = 1 / (w_[i][i] * w_[j][j] - w_[i][j] * w_[j][i]);
    z[i] = (w_[i][j] * b_[j] - w_[j][j] * b_[i]) * reciprocal;
    z[j] = (w_[j][i] * b_[i] - w_[i][i] * b_[j]) * reciprocal;
    return pushes(z[i]) && pushes(z[j]);
  }
  bool stop_all(double* z) const {
    if constexpr (N == 3) {
      const auto minor = [this](int i, int j, int k, int l) { return w_[i][k] * w_[j][l] - w_[i][l] * w_[j][k]; };
      const double a = minor(1, 2, 1, 2), b = minor(1, 2, 2, 0), c = minor(1, 2, 0, 1);
      const double reciprocal = -1 / (w_[0][0] * a + w_[0][1] * b + w_[0][2] * c);
      z[0] = reciprocal * (a * b_[0] + minor(0, 2, 2, 1) * b_[1] + minor(0, 1, 1, 2) * b_[2]);
      z[1] = reciprocal * (b * b_[0] + minor(0, 2, 0, 2) * b_[1] + minor(0, 1, 2, 0) * b_[2]);
      z[2] = reciprocal * (c * b_[0] + minor(0, 2, 1, 0) * b_[1] + minor(0, 1, 0, 1) * b_[2]);
      return pushes(z[0]) && pushes(z[1]) && pushes(z[2]);
    }
    return false;
  }
  static bool pushes(double z) { return z >= 0 && z < kInfinity; }

  double w_[N][N];
  const double* b_;
  double tolerance_;
};

}   // namespace

/// Lemke's dictionary x_B = d + D x_N, x_N without the variable that has just left. Variables are w_i = i, z_i = n + i and the
/// artificial one, 2n.
class SmallLcp::Tableau {
 public:
  /// w = Mz + q + d z₀ with d = 1, or others where that ends on a ray. @param skew of d: d_i = 1 + skew i
  Tableau(int n, const Columns& columns, const double* b, double skew) : n_(n) {
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) row_[i][j] = columns[j][i];
      std::fill(row_[i].begin() + n_, row_[i].begin() + (n_ + 4) / 4 * 4, 0.0);
      row_[i][n_] = 1 + skew * i;
      value_[i] = b[i];
      basic_[i] = i;
      other_[i] = n_ + i;
      for (int j = 0; j < n_; ++j) largest_ = std::max(largest_, std::abs(row_[i][j]));
    }
    other_[n_] = 2 * n_;
  }

  /// False if it ends on a ray, or does not end.
  bool solve() {
    int row = 0, column = n_;
    for (int i = 1; i < n_; ++i)
      if (value_[i] * row_[row][n_] < value_[row] * row_[i][n_]) row = i;
    if (value_[row] >= 0) return true;
    for (int pivots = 0; pivots < kMostPivotsPerRow * n_; ++pivots) {
      const int leaving = basic_[row];
      exchange(row, column);
      if (leaving == 2 * n_) return true;
      const int entering = leaving < n_ ? leaving + n_ : leaving - n_;
      column = static_cast<int>(std::find(other_.begin(), other_.begin() + n_ + 1, entering) - other_.begin());
      row = blocking_row(column);
      if (row < 0) return false;
    }
    return false;
  }

  void write(std::span<double> z) const {
    std::fill(z.begin(), z.end(), 0.0);
    for (int i = 0; i < n_; ++i)
      if (basic_[i] >= n_ && basic_[i] < 2 * n_) z[static_cast<std::size_t>(basic_[i] - n_)] = std::max(value_[i], 0.0);
  }

 private:
  /// Numbers are put into columns only after rows have been added up in fours: the other way round reading would wait for
  /// writing.
  void exchange(int r, int c) {
    const double pivot = 1 / row_[r][c];
    for (int k = 0; k <= n_; k += 4) four(r, k) *= -pivot;
    value_[r] *= -pivot;
    for (int i = 0; i < n_; ++i) {
      if (i == r) continue;
      const double factor = row_[i][c];
      for (int k = 0; k <= n_; k += 4) four(i, k) += factor * four(r, k);
      row_[i][c] = factor * pivot;
      value_[i] += factor * value_[r];
    }
    row_[r][c] = pivot;
    std::swap(basic_[r], other_[c]);
  }

  /// The first that becomes 0 as the variable of a column grows; of equals the artificial one, which ends the search.
  int blocking_row(int column) const {
    int best = -1;
    double least = 0;
    for (int i = 0; i < n_; ++i) {
      const double slope = -row_[i][column];
      if (!(slope > kStandsStill * largest_)) continue;
      const double ratio = std::max(value_[i], 0.0) / slope;
      if (best < 0 || ratio < least || (ratio == least && basic_[i] == 2 * n_)) best = i, least = ratio;
    }
    return best;
  }

  Eigen::Map<Eigen::Array4d> four(int row, int column) { return Eigen::Map<Eigen::Array4d>(row_[row].data() + column); }

  int n_;
  std::array<std::array<double, kMostRows + 4>, kMostRows> row_;   ///< in fours, with the column of the artificial variable
  std::array<double, kMostRows> value_;
  std::array<int, kMostRows + 1> basic_, other_;
  double largest_ = 0;
};

SmallLcp::SmallLcp(const ContactProblem& p, double tolerance)
    : n_(static_cast<int>(p.rows())), b_(p.b.data()), tolerance_(tolerance) {
  const BlockMatrix& w = p.matrix;
  const bool full = w.values.size() == p.rows() * p.rows();
  for (int j = 0; j < n_; ++j)
    for (int k = full ? n_ / 4 * 4 : 0; k < n_; k += 4) Eigen::Map<Eigen::Array4d>(column_[j].data() + k).setZero();
  const double* value = w.values.data();
  const std::uint32_t *const first = w.first.data(), *const column = w.column.data();
  for (int i = 0; i < n_; ++i) {
    if (full)
      for (int j = 0; j < n_; ++j) column_[j][i] = *value++;
    else
      for (std::uint32_t e = first[i], end = first[i + 1]; e < end; ++e) column_[column[e]][i] = *value++;
    column_[i][i] += p.sigma[i];
  }
}

bool SmallLcp::try_all_sets(const ContactProblem& p, double tolerance, std::span<double> z) {
  if (p.matrix.values.size() != z.size() * z.size()) return false;
  switch (z.size()) {
    case 2:
      return FewRows<2>(p, tolerance).solve(z.data());
    case 3:
      return FewRows<3>(p, tolerance).solve(z.data());
    default:
      return false;
  }
}

std::string_view SmallLcp::next(std::span<double> z) {
  constexpr std::string_view exchanged = "A set of rows that push, found by exchanging,";
  switch (way_) {
    case 0:
      ++way_;
      for (int i = 0; i < n_; ++i)
        if (b_[i] < 0) set_ |= 1u << i;
      if (n_ <= kPair && wrong_rows(set_, z) == 0) return "Linear equations";
      if (sweep(z)) return "A sweep";
      [[fallthrough]];
    case 1:
      ++way_;
      // Rows that their own impulse does not move push in pairs, which pivots are better at finding.
      if (!stubborn_ && exchange_sets(z)) return exchanged;
      [[fallthrough]];
    case 2:
      ++way_;
      if (pivot(0, z)) return "Pivots";
      [[fallthrough]];
    case 3:
      ++way_;
      if (stubborn_ && exchange_sets(z)) return exchanged;
      [[fallthrough]];
    case 4:
      ++way_;
      if (pivot(kOtherSkew, z)) return "Pivots";
      [[fallthrough]];
    default:
      return try_sets(z) ? "A set of rows that push, found by trying," : std::string_view();
  }
}

/// w += what an impulse of a row does.
[[gnu::always_inline]] inline void SmallLcp::add(double impulse, int column, double* w) const {
  for (int k = 0; k < n_; k += 4)
    Eigen::Map<Eigen::Array4d>(w + k) += impulse * Eigen::Map<const Eigen::Array4d>(column_[column].data() + k);
}

/// One projected sweep from 0, and one back. @returns whether that is the solution; else `set_` are the rows left pushing
bool SmallLcp::sweep(std::span<double> z) {
  double w[kMostRows] = {};
  std::copy(b_, b_ + n_, w);
  std::fill(z.begin(), z.end(), 0.0);
  const auto visit = [&](int i) __attribute__((always_inline)) {
    double& own = z[static_cast<std::size_t>(i)];
    if (w[i] >= 0 && own == 0) return;
    const double next = std::max(0.0, own - w[i] / column_[i][i]);
    if (next < kInfinity && column_[i][i] > 0) add(next - own, i, w), own = next;
    else stubborn_ = true;
  };
  const auto is_solved = [&] {
    for (int i = 0; i < n_; ++i)
      if (!(w[i] >= -tolerance_ && (w[i] <= tolerance_ || z[static_cast<std::size_t>(i)] == 0))) return false;
    return true;
  };
  for (int i = 0; i < n_ && !stubborn_; ++i) visit(i);
  if (stubborn_) return false;   // the rows that approach by themselves are as good a set as any
  if (is_solved()) return true;
  if (n_ > kFewRows) {
    for (int i = n_ - 1; i >= 0; --i) visit(i);
    if (is_solved()) return true;
  }
  set_ = 0;
  for (int i = 0; i < n_; ++i)
    if (z[static_cast<std::size_t>(i)] > 0) set_ |= 1u << i;
  return false;
}

/// Rows on the wrong side change sides, all at once, for as long as they become fewer.
bool SmallLcp::exchange_sets(std::span<double> z) {
  for (int fewest = n_ + 1;;) {
    const unsigned wrong = wrong_rows(set_, z);
    if (wrong == 0) return true;
    const int count = std::popcount(wrong);
    if (count >= fewest) return false;
    fewest = count;
    set_ ^= wrong;
  }
}

bool SmallLcp::pivot(double skew, std::span<double> z) const {
  Tableau tableau(n_, column_, b_, skew);
  if (!tableau.solve()) return false;
  tableau.write(z);
  return true;
}

bool SmallLcp::try_sets(std::span<double> z) {
  if (n_ > kMostEnumerated) return false;
  while (tried_ < 1u << n_)
    if (wrong_rows(tried_++, z) == 0) return true;
  return false;
}

/// The impulses at which the rows of a set stand still, and the rows that then pull, or approach. All, if there are none such.
unsigned SmallLcp::wrong_rows(unsigned set, std::span<double> z) const {
  std::array<int, kMostRows> pushing;
  std::array<double, kMostRows> y;
  Columns a;
  double w[kMostRows] = {};
  std::copy(b_, b_ + n_, w);
  int count = 0;
  for (int i = 0; i < n_; ++i)
    if ((set >> i & 1u) != 0) pushing[count++] = i;
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i < count; ++i) a[j][i] = column_[pushing[j]][pushing[i]];
    y[j] = -w[pushing[j]];
  }
  eliminate(count, a, y);
  unsigned wrong = 0;
  std::fill(z.begin(), z.end(), 0.0);
  for (int j = 0; j < count; ++j) {
    if (!std::isfinite(y[j])) return (1u << n_) - 1;
    if (!(y[j] >= 0)) wrong |= 1u << pushing[j];
    add(z[static_cast<std::size_t>(pushing[j])] = y[j], pushing[j], w);
  }
  for (int i = 0; i < n_; ++i)
    if ((set >> i & 1u) == 0 && !(w[i] >= -tolerance_)) wrong |= 1u << i;
  return wrong;
}

/// y ← a⁻¹ y by elimination with pivots by columns; not finite if a is singular. A division for every pivot, where
/// `solve_linear` has one for every number below it.
void SmallLcp::eliminate(int n, Columns& a, std::array<double, kMostRows>& y) {
  if (n == 2) {
    const double reciprocal = 1 / (a[0][0] * a[1][1] - a[1][0] * a[0][1]), first = y[0];
    y[0] = (a[1][1] * first - a[1][0] * y[1]) * reciprocal;
    y[1] = (a[0][0] * y[1] - a[0][1] * first) * reciprocal;
    return;
  }
  std::array<double, kMostRows> reciprocal;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(a[k][i]) > std::abs(a[k][pivot])) pivot = i;
    if (pivot != k) {
      for (int j = k; j < n; ++j) std::swap(a[j][k], a[j][pivot]);
      std::swap(y[k], y[pivot]);
    }
    reciprocal[k] = 1 / a[k][k];
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[k][i] * reciprocal[k];
      for (int j = k + 1; j < n; ++j) a[j][i] -= factor * a[j][k];
      y[i] -= factor * y[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) y[i] -= a[j][i] * y[j];
    y[i] *= reciprocal[i];
  }
}

}   // namespace stickslip
