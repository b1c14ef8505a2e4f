// Energy densities of isotropic elasticity, with first and second derivatives.
//
// With singular values σ of F (rotations U, V; the smallest σ has the sign of det F), E = ½(FᵀF − I), I = |F|², J = det F:
//
//     linear               Ψ = µ |ε|² + λ/2 (tr ε)²,            ε = ½(F + Fᵀ) − I
//     corotated            Ψ = µ |F − R|² + λ/2 (Σσ − 3)²,      R = U Vᵀ
//     St Venant–Kirchhoff  Ψ = µ |E|² + λ/2 (tr E)²
//     neo-Hookean          Ψ = m/2 (I − 3) − m/2 ln((I + 1)/4) + l/2 ((J − α)² − (1 − α)²),
//                          m = 4/3 µ, l = λ + 5/6 µ, α = 1 + 3m/(4l)          [Smith et al. 2018]
//
// Ψ(I) = 0, P(I) = 0, and at F = I all four have the Hessian of linear elasticity.
//
// Seen from the frames U and V the Hessian of an isotropic energy falls apart into the stretches (3 × 3: ∂²Ψ/∂σᵢ∂σⱼ) and, for
// every pair of axes, a twist with the eigenvalue (pᵢ + pⱼ)/(σᵢ + σⱼ) and a flip with (pᵢ − pⱼ)/(σᵢ − σⱼ), p = ∂Ψ/∂σ [Smith et
// al. 2019]; for these energies the divisions by differences cancel. So it is made positive semidefinite by clamping six
// numbers and a 3 × 3 matrix.
#pragma once

#include <Eigen/Core>

#include "stickslip/math/types.h"
#include "stickslip/soft/material.h"

namespace stickslip {

using Mat9 = Eigen::Matrix<double, 9, 9>;

double energy_density(const Lame&, SoftModel, const Mat3& f);   ///< Ψ(F) [J/m³ of the rest shape]
Mat3 first_piola(const Lame&, SoftModel, const Mat3& f);        ///< P = ∂Ψ/∂F [Pa]

/// ∂²Ψ/∂F² [Pa]; rows and columns are the entries of F, column by column. The corotated energy has a kink where the two
/// smallest σ add up to 0 (inverted elements): there the twist is bounded.
Mat9 energy_hessian(const Lame&, SoftModel, const Mat3& f);

/// The nearest positive semidefinite matrix: negative eigenvalues are 0.
Mat9 projected_hessian(const Lame&, SoftModel, const Mat3& f);

/// F = U diag(σ) Vᵀ with rotations U and V, σ₁ ≥ σ₂ ≥ |σ₃|, for entries between 1e-70 and 1e70 in size, or 0.
struct SignedSvd {
  Mat3 u, v;
  Vec3 sigma;
};
SignedSvd signed_svd(const Mat3& f);

}   // namespace stickslip
