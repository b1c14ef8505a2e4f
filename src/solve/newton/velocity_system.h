// The Newton equation H x = Φ of equations that are local to each block, solved in velocities of bodies instead of impulses.
//
// With H = A + B W, W = G Gᵀ + Σ, and y = Gᵀx the impulses are eliminated block by block, C = A + B Σ:
//
//   (I + Gᵀ C⁻¹ B G) y = Gᵀ C⁻¹ Φ,   x = C⁻¹ (Φ − B G y)
//
// Six unknowns a body however many contacts it has, on the graph of bodies: a stack is factored in time proportional to its
// height. C is regular where the proximal term of newton_engine.h is in A; that term also bounds C⁻¹, and with it what rounding
// is magnified by, so that a solve is refined once; one with other segments than rigid bodies (segment_system.h) only where it
// leaves more than a ten-thousandth.
#pragma once

#include "solve/newton/body_matrix.h"
#include "solve/newton/newton_matrix.h"
#include "solve/newton/segment_system.h"

namespace stickslip {

class VelocitySystem {
 public:
  /// Takes G. The problem is factored, without slacks, and must outlive the calls. Memory,
  /// and the ordering where the graph of bodies stayed, are kept.
  void set_up(const ContactProblem&);

  /// False if a pivot is singular.
  bool factor(const Linearisation&);

  /// x = H⁻¹ phi of the linearisation that was factored. False if the numbers are not finite.
  bool solve(const Linearisation&, std::span<const double> phi, std::span<double> x);

  /// W x of the last solve, if it is known; else empty.
  std::span<const double> product() const { return product_; }

  /// y = W x.
  void multiply(std::span<const double> x, std::span<double> y);

  /// Operations of a factorisation, and of a solve, known after set_up.
  double factor_work() const { return rigid_ ? bodies_.factor_work() : others_.factor_work(); }
  double solve_work() const {
    return 2 * (rigid_ ? bodies_.solve_work() : others_.solve_work()) +
           12.0 * static_cast<double>(problem_->scaled_jacobian.size());
  }

 private:
  void eliminate(const double* phi, double* x);

  const ContactProblem* problem_ = nullptr;
  bool rigid_ = true;   ///< whether all segments are those of rigid bodies
  BodyMatrix bodies_;
  SegmentSystem others_;
  std::vector<double> rows_;                  ///< G by block, segment slot and row, six numbers each
  std::vector<double> inverse_, stiffness_;   ///< C⁻¹ and C⁻¹ B by block, column-major, where the diagonal blocks of W stand
  std::vector<double> y_, local_, rest_, correction_, product_;
};

}   // namespace stickslip
