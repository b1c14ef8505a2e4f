// Squared distances with gradient and Hessian.
//
// Every one of them is D(x) = min over free weights of |Σ wᵢ xᵢ|², where the weights of the two sides add up to 1 and −1. With
// r = Σ wᵢ xᵢ at the minimum, free directions e_k = Σ b_ki xᵢ and their Gram matrix G,
//     ∂D/∂xᵢ   = 2 wᵢ r,
//     ∂²D/∂xᵢ∂xⱼ = 2 [ wᵢ wⱼ P − Σ_k (b_ki wⱼ r ê_kᵀ + wᵢ b_kj ê_k rᵀ) − Σ_kl (G⁻¹)_kl b_ki b_lj r rᵀ ],
// with ê_k = Σ_l (G⁻¹)_kl e_l and the projector P onto what is orthogonal to all e_k: one formula for points (no direction), a
// point and a line (one), a point and a plane and two lines (two).
//
// Edges and triangles are those of the nearest feature [Li et al. 2020]: once differentiable where it changes, but for edges
// that become parallel, which the mollifier (mollifier.h) takes care of.
#pragma once

#include "stickslip/distance/closest.h"

namespace stickslip {

/// A function of N / 3 points, stacked in the order of the arguments.
template <int N>
struct WithDerivatives {
  double value = 0;
  Eigen::Matrix<double, N, 1> gradient = Eigen::Matrix<double, N, 1>::Zero();
  Eigen::Matrix<double, N, N> hessian = Eigen::Matrix<double, N, N>::Zero();   ///< symmetric; not projected
};

/// Squared distances [m²] with gradient [m] and Hessian [1]. Finite wherever closest.h is and angles are above 1e-15 rad.
/// @name Of features without bounds. Degenerate ones count as what is left of them: a line through one point as the point, a
/// plane through three points on a line as the line, parallel lines as the distance of a point from a line.
/// @{
WithDerivatives<6> squared_point_point(const Vec3& p, const Vec3& q);
WithDerivatives<9> squared_point_line(const Vec3& p, const Vec3& x0, const Vec3& x1);
WithDerivatives<12> squared_point_plane(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2);
WithDerivatives<12> squared_line_line(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);
/// @}

/// @name Of bounded features, by that which is nearest.
/// @{
WithDerivatives<9> squared_point_edge(const Vec3& p, const Vec3& x0, const Vec3& x1);
WithDerivatives<12> squared_point_triangle(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2);
WithDerivatives<12> squared_edge_edge(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);
/// @}

/// @name The same for a feature that is known: what closest.h found, or what a caller keeps fixed.
/// @{
WithDerivatives<9> squared_point_edge(const Vec3& p, const Vec3& x0, const Vec3& x1, OnEdge on);
WithDerivatives<12> squared_point_triangle(const Vec3& p, const Vec3& x0, const Vec3& x1, const Vec3& x2, OnTriangle on);
WithDerivatives<12> squared_edge_edge(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, OnEdge on_a, OnEdge on_b);
/// @}

/// The signed distance of a point from a half-space, n·p − offset [m], squared [m²].
/// @pre `normal` has length 1
WithDerivatives<3> squared_point_half_space(const Vec3& p, const Vec3& normal, double offset);

}   // namespace stickslip
