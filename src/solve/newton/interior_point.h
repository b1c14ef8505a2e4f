// An interior point method for contacts whose W is a full matrix: soft bodies, on which there may be more contacts than they
// need.
//
// With x = (µ λ_N, λ_T) and w = (v_N/µ, v_T), Coulomb's law says that x and z = w + ‖w_T‖ e lie in the cone ‖·_T‖ ≤ ·_N and
// are perpendicular [De Saxcé, Feng 1991]. Its centre is approached along x ∘ z = τ e, τ → 0, by Newton steps with the scaling
// of Nesterov and Todd and the predictor and corrector of Mehrotra, as in cone programs [Vandenberghe 2010]. While the shift
// ‖w_T‖ is left out of the derivative the matrix is
//
//   Ŵ + H,   H_i x_i = z_i,
//
// symmetric and positive definite whatever the rank of W is: one Cholesky factorisation a step. With it, z = N w to first
// order, it is Ŵ + N⁻¹H, which takes two to three times as long and is left for the end, where the shift feeds back. None of
// this needs a guess of which contacts stick, slide or part, on which Newton's method on a projection can turn round for long.
// Steps hardly depend on the problem: 15 to 29 where things strike in `rigid-on-soft`, to 1e-7 of the velocities, and up to 49.
// There is no proof of convergence with the shift, and near the faces of cones half of the digits are lost; where it ends
// others go on. Contacts that a body needs only a third of, with much friction, are beyond it.
#pragma once

#include "math/dense_cholesky.h"
#include "stickslip/problem/contact_problem.h"

namespace stickslip {

class InteriorPoint {
 public:
  /// Whether W is a full matrix, small enough, and all blocks are contacts after Coulomb or without friction, or joints.
  static bool fits(const ContactProblem&);
  /// Operations of a step, about. @param exact with the derivative of the shift
  static double step_work(const ContactProblem&, bool exact);

  /// Begins inside all cones, far from their faces. False if W is not symmetric.
  /// @param turns whether short steps may leave the correction to second order out; one problem wants it, another does not
  bool start(const ContactProblem&, bool turns);
  /// One step; the impulses are written. False, with them as they were, if it came to the end of its digits.
  /// @param exact with the derivative of the shift
  bool step(std::span<double> impulses, bool exact);

  double gap() const { return gap_mean_; }   ///< mean of x · z before the last step: falls where residuals rest for a while

 private:
  /// A contact with its scaling: x and z are H^(1/2) and its inverse times the same vector.
  struct Cone {
    std::uint32_t row = 0;
    std::uint32_t dim = 1;   ///< 3: Coulomb's, 1: a half-line
    Mat3 root, inverse_root;
    Vec3 common;     ///< root x = inverse_root z
    Vec2 slipping;   ///< direction of w_T; 0 if the shift is left out
  };
  void find_gap(bool exact);
  void find_cones(const ContactProblem&);
  bool scale();
  bool factor(bool exact);
  void solve(const Eigen::VectorXd& target);
  void aim(double center, bool correct);
  double longest() const;
  void go_without_correction(double center);
  double product(double length) const;

  std::vector<Cone> cones_;
  std::vector<std::uint32_t> idle_;   ///< rows of friction where there is none
  Eigen::VectorXd scale_;             ///< λ = scale x
  Eigen::MatrixXd w_;                 ///< Ŵ
  Eigen::VectorXd b_, x_, z_, gap_, target_, dx_, dz_, corrected_x_, corrected_z_;
  double gap_mean_ = 0;
  bool turns_ = true;
  DenseCholesky factor_;
  Eigen::MatrixXd skew_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  bool exact_ = false;   ///< whether it is the one that was factored last
};

}   // namespace stickslip
