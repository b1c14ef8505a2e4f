// The exact solution of one Coulomb contact, everything else held fixed.
//
// With A = W_ii (not necessarily symmetric) and the velocity q that the contact would have without its own impulse:
//   λ = 0                        if q_N ≥ 0
//   λ = −A⁻¹q                    if that lies in the cone: it sticks
//   ‖λ_T‖ = μ λ_N, v_T = −s λ_T  otherwise: it slides, with s > 0 the only unknown.
// Eliminating λ_N by v_N = 0 leaves Ā = A_TT − A_TN A_NT / A_NN, b̄ = q_T − A_TN q_N / A_NN and
//   λ_T(s) = −(Ā + sI)⁻¹ b̄,   λ_N(s) = −(q_N + A_NT λ_T) / A_NN.
// Newton on 1/‖λ_T‖ − 1/(μ λ_N), which is nearly linear in s, inside a bracket, finds s in a few steps.
#pragma once

#include <cmath>
#include <limits>

#include "math/infinity.h"
#include "stickslip/math/types.h"

namespace stickslip {

/// What the local solve needs of A, computed once per problem.
struct LocalContact {
  double normal = 0;                ///< A_NN
  double from_tangent[2] = {};      ///< A_NT / A_NN
  double to_tangent[2] = {};        ///< A_TN / A_NN
  double reduced[4] = {};           ///< Ā by rows: a b / c d
  double inverse_determinant = 0;   ///< of Ā; 0 if Ā is singular or A_NN is not positive

  LocalContact() = default;
  /// @param w A, 3 × 3, column-major @param proximal added to its diagonal
  LocalContact(const double* w, double proximal) {
    normal = w[0] + proximal;
    if (!(normal > 0)) return;
    for (int k = 0; k < 2; ++k) {
      to_tangent[k] = w[1 + k] / normal;
      from_tangent[k] = w[3 * (k + 1)] / normal;
    }
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k)
        reduced[2 * i + k] = w[3 * (k + 1) + i + 1] + (i == k ? proximal : 0) - w[1 + i] * from_tangent[k];
    const double determinant = reduced[0] * reduced[3] - reduced[1] * reduced[2];
    if (determinant > 1e-14 * (reduced[0] * reduced[0] + reduced[3] * reduced[3])) inverse_determinant = 1 / determinant;
  }

  /// Whether sticking can be told by Ā⁻¹.
  bool is_regular() const { return inverse_determinant != 0; }

  static constexpr double kStraight = 1e-8;   ///< part of s within which λ is a straight line but for rounding
  /// The same for a sweep, when the contact slid before: what it leaves is the square of this, and of a change of the sweep the
  /// square as well, so that it vanishes where sweeps converge.
  static constexpr double kStraightInSweep = 1e-4;

  /// Changes λ from its present value, at which the contact moves with v, to the exact solution.
  /// @param straight part of s within which λ counts as a straight line
  [[gnu::always_inline]] inline void solve(double mu, const Vec3& v, Vec3& impulse, double straight = kStraight) const {
    const double qn = v[0] - normal * (impulse[0] + from_tangent[0] * impulse[1] + from_tangent[1] * impulse[2]);
    if (!(qn < 0)) {
      if (normal > 0) impulse.setZero();
      return;
    }
    const double push = -qn / normal;   // λ_N without friction
    const double b0 = v[1] - to_tangent[0] * v[0] - reduced[0] * impulse[1] - reduced[1] * impulse[2];
    const double b1 = v[2] - to_tangent[1] * v[0] - reduced[2] * impulse[1] - reduced[3] * impulse[2];
    if (inverse_determinant != 0) {
      const double t0 = -inverse_determinant * (reduced[3] * b0 - reduced[1] * b1);
      const double t1 = -inverse_determinant * (reduced[0] * b1 - reduced[2] * b0);
      const double n = push - from_tangent[0] * t0 - from_tangent[1] * t1;
      if (n >= 0 && t0 * t0 + t1 * t1 <= mu * mu * n * n) {
        impulse = {n, t0, t1};
        return;
      }
    }
    if (mu > 0) impulse = slide(mu, v, impulse, push, b0, b1, straight);
    else impulse = {push, 0, 0};
  }

 private:
  Vec3 slide(double mu, const Vec3& v, const Vec3& impulse, double push, double b0, double b1, double straight) const {
    const double size = std::abs(reduced[0]) + std::abs(reduced[3]);
    const double slip_squared = v[1] * v[1] + v[2] * v[2], friction_squared = impulse[1] * impulse[1] + impulse[2] * impulse[2];
    // From the last slip if there was one, else from the slip that full friction would leave, and then to the end.
    if (!(friction_squared > 0)) straight = kStraight;
    double s = friction_squared > 0 ? std::sqrt(slip_squared / friction_squared) : std::sqrt(b0 * b0 + b1 * b1) / (mu * push);
    double low = 0, high = kInfinity;
    double t0 = 0, t1 = 0, n = push, t = 0;
    for (int k = 0; k < 60; ++k) {
      const double a = reduced[0] + s, d = reduced[3] + s;
      const double determinant = a * d - reduced[1] * reduced[2];
      double next = std::numeric_limits<double>::quiet_NaN();
      if (determinant > 0) {
        const double inverse = 1 / determinant;
        t0 = -inverse * (d * b0 - reduced[1] * b1);
        t1 = -inverse * (a * b1 - reduced[2] * b0);
        n = push - from_tangent[0] * t0 - from_tangent[1] * t1;
        const double t_squared = t0 * t0 + t1 * t1;
        t = std::sqrt(t_squared);
        if (t <= mu * n) high = s;
        else low = s;
        if (n > 0 && t > 0) {
          if (std::abs(t - mu * n) <= 1e-14 * t) break;
          // d/ds of λ_T and λ_N.
          const double dt0 = -inverse * (d * t0 - reduced[1] * t1), dt1 = -inverse * (a * t1 - reduced[2] * t0);
          const double dn = -from_tangent[0] * dt0 - from_tangent[1] * dt1;
          // The quotient of 1/t − 1/(μn) and its slope, with one division in place of five.
          const double step = (mu * n - t) * t_squared * n / (dn * t_squared * t - (t0 * dt0 + t1 * dt1) * (mu * n * n));
          if (std::abs(step) <= straight * s) {
            t0 -= step * dt0, t1 -= step * dt1, n -= step * dn;
            t = std::sqrt(t0 * t0 + t1 * t1);
            break;
          }
          next = s - step;
        }
      } else {
        low = s;
      }
      if (!(next > low && next < high)) next = high < kInfinity ? 0.5 * (low + high) : 2 * s + size;
      if (std::abs(next - s) <= 1e-15 * s) break;
      s = next;
    }
    // Exactly onto the cone, so that rounding does not leave it.
    n = std::max(n, 0.0);
    const double factor = t > mu * n ? mu * n / t : 1;
    return {n, factor * t0, factor * t1};
  }
};

/// The same in the plane, with one friction row: it sticks, or slides one way or the other.
/// @param a A, 2 × 2, column-major
/// @return false if it does neither, which takes an A that is not that of a body; λ is then as it was
inline bool solve_planar_contact(const double* a, double mu, const Vec2& v, Vec2& impulse) {
  const double qn = v[0] - a[0] * impulse[0] - a[2] * impulse[1], qt = v[1] - a[1] * impulse[0] - a[3] * impulse[1];
  if (!(a[0] > 0)) return false;
  if (qn >= 0) {
    impulse.setZero();
    return true;
  }
  const double determinant = a[0] * a[3] - a[1] * a[2];
  if (determinant > 1e-14 * a[0] * std::abs(a[3])) {
    const double n = (a[2] * qt - a[3] * qn) / determinant, t = (a[1] * qn - a[0] * qt) / determinant;
    if (n >= 0 && std::abs(t) <= mu * n) {
      impulse = {n, t};
      return true;
    }
  }
  for (const double along : {mu, -mu}) {
    const double push = a[0] + along * a[2], n = -qn / push;
    if (!(push > 0) || (qt + (a[1] + along * a[3]) * n) * along > 0) continue;
    impulse = {n, along * n};
    return true;
  }
  return false;
}

}   // namespace stickslip
