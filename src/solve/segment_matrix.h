// K⁻¹ + Gᵀ D G over the numbers of all velocity segments, as a sparse matrix: what steps in velocity space factor where not
// every segment is a rigid body's, or D changes little. K⁻¹ is I, and A for coupled carriers (problem/contact_problem.h).
#pragma once

#include "stickslip/math/sparse_factor.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class SegmentMatrix {
 public:
  using Matrix = SparseFactor::Matrix;
  enum class Stored { lower, all };   ///< triangle of blocks

  /// Lays out the pattern: segments that share a block are neighbours, and those that A couples.
  void set_up(const ContactProblem&, Stored);

  void reset();   ///< the matrix becomes K⁻¹

  /// Block (s, t) += values, column-major. Where only the lower triangle is stored, segment s must not come before t.
  void add(std::uint32_t s, std::uint32_t t, const double* values);

  const Matrix& matrix() const { return matrix_; }

 private:
  void lay_out(std::vector<std::vector<std::uint32_t>>& rows);
  double* column(std::uint32_t row_segment, std::uint32_t column);   ///< numbers of a segment in one column

  const ContactProblem* problem_ = nullptr;
  Matrix matrix_;
  std::vector<double> mass_;   ///< K⁻¹ in the places of the matrix
};

}   // namespace stickslip
