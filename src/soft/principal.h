// Second derivatives of isotropic energies in the principal frames of F, where most of their entries vanish.
#pragma once

#include "stickslip/soft/energy.h"

namespace stickslip {

/// A quadratic form of dF. With G = Uᵀ dF V it is
///
///     Σᵢⱼ stretch(i, j) Gᵢᵢ Gⱼⱼ + Σᵢ≠ⱼ ( shear(i, j) Gᵢⱼ² + swap(i, j) Gᵢⱼ Gⱼᵢ )
///
/// A twist t and a flip f of an energy are shear = (f + t)/2 and swap = (f − t)/2. Diagonals of shear and swap are not used.
struct PrincipalForm {
  SignedSvd frame;
  Mat3 stretch, shear, swap;   ///< stretch and swap are symmetric
};

/// s ∂²Ψ/∂F². The linear model does not look at F: its frames are the axes.
PrincipalForm principal_hessian(const Lame&, SoftModel, const Mat3& f, double s, bool projected);

/// += d (l (tr Ė)² + m |Ė|²), Ė = sym(Fᵀ dF), in the frames of the form. @param linear: ε̇ = sym(dF)
void add_strain_rate_form(double l, double m, double d, bool linear, PrincipalForm&);

}   // namespace stickslip
