#include "stickslip/problem/coupled_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr double kSafety = 0.1;            ///< of that where the error is only estimated
constexpr double kRounding = 1e-15;        ///< of a residual that is nothing else
constexpr double kLikeBefore = 10;         ///< square of a right side over the next one's, up to which its solution is near
constexpr int kFirstLook = 2;              ///< iterations before their speed is judged
constexpr int kMostCoupledSteps = 10000;   ///< before a solve counts as broken

}   // namespace

CoupledMass::CoupledMass(Matrix a, std::span<const Vec3> places) : a_(std::move(a)) {
  a_.makeCompressed();
  if (a_.rows() != a_.cols())
    throw Error(fmt::format("A mass matrix must be square, and this one is {} × {}.", a_.rows(), a_.cols()));
  const Matrix transposed = a_.transpose(), difference = a_ - transposed;
  const auto largest = [](const Matrix& m) {
    return m.nonZeros() == 0 ? 0.0 : Eigen::Map<const Eigen::VectorXd>(m.valuePtr(), m.nonZeros()).cwiseAbs().maxCoeff();
  };
  if (!(largest(difference) <= 1e-12 * largest(a_))) throw Error("The mass matrix is not symmetric.");
  factor_.analyze(a_, true, places);
  factor();
}

bool CoupledMass::refactor(const Matrix& a) {
  if (!take(a)) return false;
  if (stale_) factor();
  return true;
}

bool CoupledMass::take(const Matrix& a) {
  if (!same_pattern(a, a_)) return false;
  std::copy_n(a.valuePtr(), a.nonZeros(), a_.valuePtr());
  stale_ = !std::equal(factored_.begin(), factored_.end(), a.valuePtr());
  iteration_.solution.resize(0);
  accuracy_ = kExact;
  return true;
}

void CoupledMass::solve_to(double accuracy) const {
  const std::lock_guard lock(solving_);
  accuracy_ = accuracy;
}

void CoupledMass::factor() {
  if (!factor_.factor(a_)) throw Error("The mass matrix is not positive definite.");
  factored_.assign(a_.valuePtr(), a_.valuePtr() + a_.nonZeros());
  stale_ = keeps_ = false;
  near_.clear();
  kept_rows_.clear();
  if (part_.use_count() > 1) part_.reset();
  else if (part_) part_->rows.clear();
}

void CoupledMass::solve(const double* b, double* x) const {
  if (!solve_within(b, x, kMostCoupledSteps)) throw Error("The mass matrix cannot be solved with the factors of another.");
}

bool CoupledMass::solve_within(const double* b, double* x, int iterations) const {
  const std::lock_guard lock(solving_);
  iterations_ = 0;
  if (stale_) return iterate(b, x, iterations);
  factor_.solve(b, x);
  return true;
}

void CoupledMass::solve_in_place(double* x) const {
  right_.assign(x, x + size());
  solve(right_.data(), x);
}

/// Conjugate gradients for A, preconditioned by the factors. The preconditioner is nearly A⁻¹, so that residuals fall alike in
/// all norms: only where the fall of the plain one does not tell enough the preconditioned one is looked at.
bool CoupledMass::iterate(const double* b, double* x, int most) const {
  auto& [solution, residual, preconditioned, direction, image] = iteration_;
  const Eigen::Map<const Eigen::VectorXd> right(b, a_.rows());
  residual = right;
  const double size = residual.squaredNorm(), rounding = kRounding * kRounding * size;
  preconditioned.resize(a_.rows());
  double energy = 0;
  if (solution.size() > 0) image.noalias() = a_.transpose() * solution;   // by rows: A is symmetric
  if (solution.size() > 0 && image.squaredNorm() < kLikeBefore * size) {
    energy = solution.dot(image);
    residual -= image;
  } else {
    solution.setZero(a_.rows());
  }
  double before = 0, first = 0, bound = 0;
  bool solved = residual.squaredNorm() <= rounding;
  for (int k = 0; !solved; ++k) {
    factor_.solve_roughly(residual.data(), preconditioned.data());
    const double now = residual.dot(preconditioned);
    if (k == 0) first = now, bound = accuracy_ * accuracy_ * (energy + now);
    if (now <= bound) break;
    // How many it will be if the others are as fast as those so far.
    const double needed = k < kFirstLook ? 0 : k * std::log(bound / first) / std::log(now / first);
    if (k == most || (k >= kFirstLook && !(now < first && needed <= most))) return false;
    if (k == 0) direction = preconditioned;
    else direction = preconditioned + now / before * direction;
    image.noalias() = a_.transpose() * direction;
    const double length = now / direction.dot(image), plain = residual.squaredNorm();
    solution += length * direction;
    residual -= length * image;
    before = now;
    ++iterations_;
    const double left = residual.squaredNorm();
    solved = left <= rounding || now * (left / plain) <= kSafety * kSafety * bound;
  }
  Eigen::Map<Eigen::VectorXd>(x, a_.rows()) = solution;
  return true;
}

std::shared_ptr<const CoupledMass::InversePart> CoupledMass::inverse_between(std::span<const int> rows) const {
  const std::lock_guard lock(solving_);
  const bool serves = keeps_ ? std::ranges::includes(kept_rows_, rows) : std::ranges::equal(kept_rows_, rows);
  if (serves && part_ && part_->rows == kept_rows_) return part_;
  if (!serves) kept_rows_.assign(rows.begin(), rows.end());
  if (!part_ || part_.use_count() > 1) part_ = std::make_shared<InversePart>();
  part_->rows = kept_rows_;
  factor_.inverse_at(kept_rows_, part_->numbers);
  return part_;
}

std::span<const double> CoupledMass::inverse_near() const {
  const std::lock_guard lock(solving_);
  if (near_.empty() && has_near_) {
    near_.resize(static_cast<std::size_t>(a_.nonZeros()));
    has_near_ = factor_.inverse_near(near_);
    if (!has_near_) near_.clear();
  }
  return near_;
}

void CoupledMass::keep_inverse(std::vector<int> rows) {
  keeps_ = true;
  if (!rows.empty()) kept_rows_ = std::move(rows);
}

}   // namespace stickslip
