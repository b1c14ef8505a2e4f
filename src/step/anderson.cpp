#include "step/anderson.h"

#include <algorithm>
#include <cmath>

#include "math/small_matrices.h"

namespace stickslip {

namespace {

/// Eigenvalue of the Gram matrix, relative to the largest, below which a direction is not used.
constexpr double kIndependent = 1e-14;

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}   // namespace

void Anderson::keep_difference(std::span<const double> image) {
  const std::size_t n = image.size();
  if (count_ > kMemory) {
    std::rotate(images_.begin(), images_.begin() + 1, images_.end());
    std::rotate(residuals_.begin(), residuals_.begin() + 1, residuals_.end());
    count_ = kMemory;
  }
  std::vector<double>& to_image = images_[count_ - 1];
  std::vector<double>& to_residual = residuals_[count_ - 1];
  to_image.resize(n);
  to_residual.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    to_image[i] = image[i] - last_image_[i];
    to_residual[i] = residual_[i] - last_residual_[i];
  }
}

void Anderson::mix(std::span<const double> x, std::span<double> image) {
  const std::size_t n = x.size();
  residual_.resize(n);
  for (std::size_t i = 0; i < n; ++i) residual_[i] = image[i] - x[i];
  if (last_image_.size() != n) count_ = 0;
  if (count_ > 0) keep_difference(image);
  last_image_.assign(image.begin(), image.end());
  last_residual_ = residual_;
  const std::size_t used = count_++;
  if (used == 0) return;
  Eigen::Matrix<double, kMemory, kMemory> gram = Eigen::Matrix<double, kMemory, kMemory>::Identity();
  Eigen::Matrix<double, kMemory, 1> right = Eigen::Matrix<double, kMemory, 1>::Zero(), length = right.Ones(), weights = right;
  for (std::size_t i = 0; i < used; ++i) {
    right[i] = inner_product(residuals_[i], residual_);
    for (std::size_t j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = inner_product(residuals_[i], residuals_[j]);
    if (gram(i, i) > 0) length[i] = std::sqrt(gram(i, i));
  }
  // Differences shrink from one iterate to the next: all are taken to the same length.
  gram.array() /= (length * length.transpose()).array();
  right.array() /= length.array();
  const SymmetricModes<kMemory> modes = symmetric_modes(gram);
  for (int k = 0; k < kMemory; ++k)
    if (modes.values[k] > kIndependent * modes.values[kMemory - 1])
      weights += modes.vectors.col(k) * (modes.vectors.col(k).dot(right) / modes.values[k]);
  weights.array() /= length.array();
  for (std::size_t j = 0; j < used; ++j)
    for (std::size_t i = 0; i < n; ++i) image[i] -= weights[j] * images_[j][i];
}

}   // namespace stickslip
