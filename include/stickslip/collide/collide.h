// Contact generation for a pair of shapes: the table of pair colliders.
//
// Each pair has one free function `collide(const S1&, const Pose&, const S2&, const Pose&, double margin, ContactSink&)`
// in its own file in src/collide, declared in src/collide/pairs.h; `collide.cpp` makes the table of them, flipped pairs too,
// and does not compile while a pair is missing.
#pragma once

#include "stickslip/collide/contact.h"
#include "stickslip/geometry/shape.h"

namespace stickslip {

/// Most points kept per pair of shapes. Two boxes that lie crosswise on each other share eight corners; with four of them
/// they sink in at the others, one after the other, and a large heap never comes to rest. Shapes that turn fast while they
/// fly towards each other can bring others down than those of the patch that lands next: a cylinder on its rim falls on its
/// cap or on its side. With four points in all, one in 200 random bodies that hit a board at 1 to 30 m/s goes through it, and
/// rods sink in four times as deep.
inline constexpr int kMaxManifoldPoints = 8;

/// Appends nothing and clears nothing else: fills `sink` with at most `kMaxManifoldPoints` points whose gap is at most
/// `margin`, sorted by feature. The normal points from `a` to `b`. Deterministic: depends on the arguments
/// alone, of the sink on what it expects.
/// @pre has_collider(a.index(), b.index()); margin ≥ 0 [m]
void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin, ContactSink& sink);

/// Whether the table has an entry for the two shape kinds (variant indices of `Shape`), in either order.
bool has_collider(std::size_t kind_a, std::size_t kind_b);

/// Reduces points that share one normal direction to at most `kMaxManifoldPoints`: of those that touch or land next, the
/// deepest point, up to three others that span the largest area, and the corners that stand out of these, so that the set of
/// resulting wrenches shrinks as little as possible; then those that turns of the shapes can bring lower. Keeps feature ids
/// and sorts by them.
/// @param margin what the shapes can move against each other [m]
void reduce_manifold(std::vector<ContactPoint>& points, double margin);

}   // namespace stickslip
