#include "solve/splitting/boxed_pivoting.h"

namespace stickslip {

namespace {
constexpr double kProximal = 1e-9;
constexpr int kMurtyPatience = 8;   ///< block pivots without progress before Murty's rule
}   // namespace

double BoxedPivoting::bound(const BoxRow& row, Side side) {
  return side == Side::upper ? row.upper : side == Side::lower ? row.lower : 0;
}

bool BoxedPivoting::solve_free_rows(const Eigen::MatrixXd& a, const std::vector<BoxRow>& rows) {
  const int m = static_cast<int>(rows.size());
  free_.clear();
  position_.assign(m, -1);
  for (int i = 0; i < m; ++i)
    if (side_[i] == Side::free && !(rows[i].normal >= 0 && side_[rows[i].normal] != Side::free)) {
      position_[i] = static_cast<int>(free_.size());
      free_.push_back(i);
    }
  const int n = static_cast<int>(free_.size());
  // λ = x at free rows, known at bounds; a friction row at a bound adds its column to that of its normal row.
  for (int i = 0; i < m; ++i)
    if (position_[i] < 0) x_[i] = rows[i].normal >= 0 ? 0.0 : bound(rows[i], side_[i]);
  system_.resize(n, n);
  right_.resize(n);
  for (int r = 0; r < n; ++r) {
    const int i = free_[r];
    for (int q = 0; q < n; ++q) system_(r, q) = a(i, free_[q]);
    system_(r, r) += proximal_[i];
    double right = -c_[i];
    for (int j = 0; j < m; ++j) {
      if (position_[j] >= 0) continue;
      const int normal = rows[j].normal;
      if (normal < 0) right -= a(i, j) * x_[j];
      else if (position_[normal] >= 0) system_(r, position_[normal]) += bound(rows[j], side_[j]) * a(i, j);
    }
    right_[r] = right;
  }
  if (n > 0) {
    right_ = system_.partialPivLu().solve(right_).eval();
    if (!right_.allFinite()) return false;
  }
  for (int r = 0; r < n; ++r) x_[free_[r]] = right_[r];
  for (int j = 0; j < m; ++j)
    if (position_[j] < 0 && rows[j].normal >= 0 && position_[rows[j].normal] >= 0)
      x_[j] = bound(rows[j], side_[j]) * x_[rows[j].normal];
  v_ = a * x_ + c_ + proximal_.cwiseProduct(x_);
  return true;
}

/// The side row i should be on, judged by the last solve.
BoxedPivoting::Side BoxedPivoting::side_of(const BoxRow& row, int i, double tolerance) const {
  double lower = row.lower, upper = row.upper;
  if (row.normal >= 0) {
    if (side_[row.normal] != Side::free || !(row.upper > row.lower)) return side_[i];   // its box is a point
    upper *= std::max(0.0, x_[row.normal]);
    lower *= std::max(0.0, x_[row.normal]);
  }
  if (side_[i] == Side::lower) return v_[i] < -tolerance ? Side::free : Side::lower;
  if (side_[i] == Side::upper) return v_[i] > tolerance ? Side::free : Side::upper;
  const double slack = tolerance / proximal_[i] * kProximal;
  return x_[i] < lower - slack ? Side::lower : x_[i] > upper + slack ? Side::upper : Side::free;
}

bool BoxedPivoting::pivot(const Eigen::MatrixXd& a, const std::vector<BoxRow>& rows, double tolerance) {
  const int m = static_cast<int>(rows.size());
  int fewest = m + 1, patience = kMurtyPatience;
  for (int turn = 0; turn < 40 + 10 * m; ++turn) {
    if (!solve_free_rows(a, rows)) return false;
    int wrong = 0, last = -1;
    for (int i = 0; i < m; ++i)
      if (side_of(rows[i], i, tolerance) != side_[i]) {
        ++wrong;
        last = i;
      }
    if (wrong == 0) return true;
    if (wrong < fewest) {
      fewest = wrong;
      patience = kMurtyPatience;
    } else {
      --patience;
    }
    if (patience > 0) {
      // Backwards, so that friction rows are judged by the side their normal row was on.
      for (int i = m - 1; i >= 0; --i) side_[i] = side_of(rows[i], i, tolerance);
    } else {
      side_[last] = side_of(rows[last], last, tolerance);
    }
  }
  return false;
}

bool BoxedPivoting::solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& c, const std::vector<BoxRow>& rows,
                          Eigen::Ref<Eigen::VectorXd> impulses) {
  const int m = static_cast<int>(rows.size());
  for (int i = 0; i < m; ++i)
    if (!(a(i, i) > 0)) return false;
  proximal_ = kProximal * a.diagonal();
  x_ = impulses;
  v_ = a * x_ + c;
  if (!v_.allFinite()) return false;
  side_.assign(m, Side::free);
  for (int i = 0; i < m; ++i) {
    const double trial = x_[i] - v_[i] / a(i, i);
    const double unit = rows[i].normal >= 0 ? std::max(0.0, x_[rows[i].normal]) : 1;
    const double upper = unit * rows[i].upper, lower = unit * rows[i].lower;
    if (!(upper > lower) && rows[i].normal >= 0) side_[i] = rows[i].upper > rows[i].lower ? Side::free : Side::lower;
    else if (trial < lower || !(upper > lower)) side_[i] = Side::lower;
    else if (trial > upper) side_[i] = Side::upper;
  }
  const double tolerance = 1e-14 * (c.lpNorm<Eigen::Infinity>() + (a * x_).lpNorm<Eigen::Infinity>()) + 1e-300;
  for (int step = 0; step < 3; ++step) {
    old_ = x_;
    c_ = c - proximal_.cwiseProduct(old_);
    if (!pivot(a, rows, tolerance)) return false;
    if (proximal_.cwiseProduct(x_ - old_).lpNorm<Eigen::Infinity>() <= tolerance) break;
  }
  impulses = x_;
  return true;
}

}   // namespace stickslip
