// One contact whose friction set has no closed form, solved exactly while everything else stands still.
//
// With A = W_ii + the proximal shift and the velocity q that the contact would have without its own impulse, wanted is
//   v = A λ + q,  0 ≤ v_n ⊥ λ_n ≥ 0,  λ_f = P_F(λ_n)(λ_f − r v_f)   for one r > 0, and then for all.
// Cases, for a set that scales with λ_n:
//   q_n ≥ 0                          it parts, λ = 0
//   −A⁻¹q with λ_f in F(λ_n)         it sticks
//   otherwise                        it slides, v_n = 0: λ_n(t) = −(q_n + A_nf t)/A_nn, t = P(λ_n(t), t − r (Ā t + b̄))
//                                    with Ā = A_ff − A_fn A_nf/A_nn and b̄ = q_f − A_fn q_n/A_nn,
// which a semismooth Newton iteration from the present impulse solves in a few steps, most of the time. Where it does not, λ =
// n (1, τ) is found by a search for 1/n: for every n, τ minimises ½ τᵀA_ff τ + (A_fn + q_f/n)ᵀτ over F(1), and v_n/n = A_nn +
// A_nf τ + q_n/n falls from ≥ 0 at n = ∞ to below 0 at a small n, if A is symmetric and positive semidefinite. [For a minimum
// τ, −A_nf τ ≥ τᵀA_ff τ as 0 ∈ F(1), and then A_nn ≥ (A_nf τ)²/τᵀA_ff τ ≥ −A_nf τ.] A set that does not scale makes the whole a
// convex problem on {λ_n ≥ 0} × F: two such minima at most.
#pragma once

#include <cstddef>

#include "stickslip/friction/law.h"

namespace stickslip {

/// A friction law of so many rows, by a table of functions: the local solver is compiled once per number of rows, not once per
/// law.
template <int Rows>
struct SetView {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  const void* law;
  void (*project_law)(const void* law, double normal, const Vector& trial, Vector& closest);
  void (*differentiate_law)(const void* law, double normal, const Vector& trial, ProjectionDerivative<Rows>& derivative);
  double (*support_law)(const void* law, const Vector& direction);
  bool scales;

  template <FrictionSetConcept Law>
  explicit SetView(const Law& set)
      : law(&set),
        project_law([](const void* l, double n, const Vector& z, Vector& closest) {
          closest = static_cast<const Law*>(l)->project(n, z);
        }),
        differentiate_law([](const void* l, double n, const Vector& z, ProjectionDerivative<Rows>& d) {
          d = static_cast<const Law*>(l)->differentiate(n, z);
        }),
        support_law([](const void* l, const Vector& d) { return static_cast<const Law*>(l)->support(d); }),
        scales(set.scales_with_normal()) {}
};

/// What the local solve needs of the matrix of a contact: D × D numbers each, column-major.
struct LocalMatrix {
  const double* a;         ///< A
  const double* inverse;   ///< A⁻¹; its first number is NaN if A is singular, or nearly so
  double friction_mass;    ///< r: at most 1 / the largest eigenvalue of A_ff [kg]
};

/// A⁻¹ by elimination, or NaN as its first number if a pivot is below 1e-10 of the largest number: see LocalMatrix.
void invert_block(int rows, const double* a, double* inverse);

/// Changes λ from its present value, at which the contact moves with v, to the exact solution. The friction impulse lies in the
/// set.
/// @return false if the residual of the contact stays above 1e-12 of the velocities that take part: it has no solution (A is
/// singular or not symmetric), or the set is not projected on that accurately. λ is then the best of some proximal steps.
template <int Rows>
bool solve_contact(const SetView<Rows>& set, const LocalMatrix& matrix, const Eigen::Matrix<double, Rows + 1, 1>& v,
                   Eigen::Matrix<double, Rows + 1, 1>& impulse);

extern template bool solve_contact(const SetView<1>&, const LocalMatrix&, const Eigen::Matrix<double, 2, 1>&,
                                   Eigen::Matrix<double, 2, 1>&);
extern template bool solve_contact(const SetView<2>&, const LocalMatrix&, const Eigen::Matrix<double, 3, 1>&,
                                   Eigen::Matrix<double, 3, 1>&);
extern template bool solve_contact(const SetView<3>&, const LocalMatrix&, const Eigen::Matrix<double, 4, 1>&,
                                   Eigen::Matrix<double, 4, 1>&);
extern template bool solve_contact(const SetView<4>&, const LocalMatrix&, const Eigen::Matrix<double, 5, 1>&,
                                   Eigen::Matrix<double, 5, 1>&);
extern template bool solve_contact(const SetView<5>&, const LocalMatrix&, const Eigen::Matrix<double, 6, 1>&,
                                   Eigen::Matrix<double, 6, 1>&);

}   // namespace stickslip
