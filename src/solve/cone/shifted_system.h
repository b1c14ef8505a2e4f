// Solves (W + C) x = right for a diagonal C > 0 that changes now and then, by a sparse factorisation.
//
// W = G K Gᵀ + Σ of a scene is solved in velocity space where that is smaller, and always where it is coupled: with E = Σ + C,
//
//   (K⁻¹ + Gᵀ E⁻¹ G) w = Gᵀ E⁻¹ right,   x = E⁻¹ (right − G w),
//
// six unknowns a body however many contacts it has. Otherwise W + C itself is factored: by Cholesky if it is symmetric to
// rounding, by LU if not.
#pragma once

#include <span>
#include <vector>

#include "solve/segment_matrix.h"

namespace stickslip {

class ShiftedSystem {
 public:
  enum class Form { velocities, impulses, impulses_nonsymmetric };

  /// Takes the numbers of W, and keeps the ordering if the pattern is the one of the last problem. The problem must outlive the
  /// solves.
  void setup(const ContactProblem&);

  /// Factors with this C, one number per row [1/kg]. False if the factorisation breaks down.
  bool factor(std::span<const double> c);

  /// x = (W + C)⁻¹ right. `right` and `x` must not overlap.
  void solve(std::span<const double> right, std::span<double> x);

  Form form() const { return form_; }
  double factor_work() const { return factor_.factor_work(); }   ///< operations of a factorisation, known after setup
  double solve_work() const { return factor_.solve_work(); }     ///< operations of a solve

 private:
  void assemble_impulses(const ContactProblem&);
  void fill_velocities();
  void subtract_relative_velocity(std::span<const double> w, std::span<double> x) const;
  void solve_velocities(std::span<const double> right, std::span<double> x);

  const ContactProblem* problem_ = nullptr;
  Form form_ = Form::impulses;
  const SparseFactor::Matrix& system() const { return form_ == Form::velocities ? velocities_.matrix() : matrix_; }

  SegmentMatrix velocities_;
  SparseFactor::Matrix matrix_, ordered_;   ///< in impulse space; the pattern that was analysed
  Form ordered_form_ = Form::impulses;
  SparseFactor factor_;
  std::vector<double> diagonal_;   ///< of W, in impulse space
  std::vector<std::ptrdiff_t> diagonal_position_;
  std::vector<double> c_, inverse_, w_, w_right_, scaled_, product_, segment_, correction_, rows_;
  bool refine_ = false;
};

}   // namespace stickslip
