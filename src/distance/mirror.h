// Hessians are symmetric to the bit.
#pragma once

#include <Eigen/Core>

namespace stickslip {

/// Copies the lower triangle of a matrix to the upper one.
template <int N>
void mirror_lower(Eigen::Matrix<double, N, N>& matrix) {
  for (int j = 1; j < N; ++j)
    for (int i = 0; i < j; ++i) matrix(i, j) = matrix(j, i);
}

}   // namespace stickslip
