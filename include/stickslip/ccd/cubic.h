// Times of impact by the classical road: when are the four points in one plane [Provot 1997; course §2.2.2, §2.2.3]?
//
// f(t) = det(x₁ − x₀, x₂ − x₀, x₃ − x₀) is a cubic. It is held in Bernstein form on [0, 1], which knows no leading
// coefficient that could vanish; its roots are bracketed between its extrema and found by bisection. Candidates are roots,
// extrema and both ends; the first at which the features are nearer than the tolerance is the impact. Where the four points
// stay (nearly) in one plane, the times at which an end is in line with an edge, or two ends coincide, are candidates too.
//
// Faster than inclusion.h for hits, with a time that is the true one to rounding in ordinary cases; but without its
// guarantee: it can be late by rounding, and miss an impact that is ill-conditioned. For comparison, and where a missed
// impact does no harm.
#pragma once

#include <optional>

#include "stickslip/ccd/impact.h"

namespace stickslip {

/// @param tolerance how near counts as touching, relative to the size of the query (ImpactOptions::tolerance)
/// @throws Error for coordinates that are not finite or a negative tolerance
std::optional<Impact> vertex_face_impact_by_cubic(const PointsAt<4>& start, const PointsAt<4>& end, double tolerance = 1e-6);
std::optional<Impact> edge_edge_impact_by_cubic(const PointsAt<4>& start, const PointsAt<4>& end, double tolerance = 1e-6);

}   // namespace stickslip
