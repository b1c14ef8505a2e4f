// The parallel-edge mollifier [Li et al. 2020]: where two edges become parallel the gradient of their distance jumps; a
// potential of it is multiplied by this factor, which is 0 there and 1 at larger angles.
#pragma once

#include "stickslip/distance/derivatives.h"

namespace stickslip {

/// c = |(a₁ − a₀) × (b₁ − b₀)|² [m⁴].
double squared_cross_of_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);
WithDerivatives<12> squared_cross_with_derivatives(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

/// The threshold 1e-3 |a|² |b|² [m⁴] of edges at rest: sin of the angle is about 0.03.
double mollifier_threshold(const Vec3& rest_a0, const Vec3& rest_a1, const Vec3& rest_b0, const Vec3& rest_b1);

/// m = (2 − c/ε) c/ε for c < ε, 1 from there on: once continuously differentiable [1].
/// @param threshold ε [m⁴], greater than 0; 0 (edges that had no length at rest): m = 1
double edge_mollifier(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double threshold);
WithDerivatives<12> edge_mollifier_with_derivatives(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1,
                                                    double threshold);

}   // namespace stickslip
