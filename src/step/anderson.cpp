#include "step/anderson.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double kIndependent = 1e-14;   ///< eigenvalue of the Gram matrix, relative to the largest, below which a direction is not used

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void Anderson::mix(std::span<const double> x, std::span<double> image) {
  const std::size_t n = x.size();
  residual_.resize(n);
  for (std::size_t i = 0; i < n; ++i) residual_[i] = image[i] - x[i];
  if (count_ > 0 && last_image_.size() == n) {
    if (count_ > kMemory) {
      std::rotate(images_.begin(), images_.begin() + 1, images_.end());
      std::rotate(residuals_.begin(), residuals_.begin() + 1, residuals_.end());
      count_ = kMemory;
    }
    std::vector<double>&to_image = images_[static_cast<std::size_t>(count_ - 1)], &to_residual = residuals_[static_cast<std::size_t>(count_ - 1)];
    to_image.resize(n);
    to_residual.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      to_image[i] = image[i] - last_image_[i];
      to_residual[i] = residual_[i] - last_residual_[i];
    }
  } else {
    count_ = 0;
  }
  last_image_.assign(image.begin(), image.end());
  last_residual_ = residual_;
  const int used = count_++;
  if (used == 0) return;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMemory, kMemory>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMemory, 1>;
  Small gram(used, used);
  SmallVector right(used);
  for (int i = 0; i < used; ++i) {
    right[i] = inner_product(residuals_[static_cast<std::size_t>(i)], residual_);
    for (int j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = inner_product(residuals_[static_cast<std::size_t>(i)], residuals_[static_cast<std::size_t>(j)]);
  }
  // Differences shrink from one iterate to the next: all are taken to the same length.
  SmallVector length(used);
  for (int i = 0; i < used; ++i) length[i] = gram(i, i) > 0 ? std::sqrt(gram(i, i)) : 1;
  gram.array() /= (length * length.transpose()).array();
  right.array() /= length.array();
  const Eigen::SelfAdjointEigenSolver<Small> modes(gram);
  SmallVector weights = SmallVector::Zero(used);
  for (int k = 0; k < used; ++k)
    if (modes.eigenvalues()[k] > kIndependent * modes.eigenvalues()[used - 1])
      weights += modes.eigenvectors().col(k) * (modes.eigenvectors().col(k).dot(right) / modes.eigenvalues()[k]);
  weights.array() /= length.array();
  for (int j = 0; j < used; ++j)
    for (std::size_t i = 0; i < n; ++i) image[i] -= weights[j] * images_[static_cast<std::size_t>(j)][i];
}

}  // namespace stickslip
