// Times of impact that are never too late: root finding by inclusion [Wang et al. 2021; Snyder 1992; course §2.2.5].
//
// The difference of the two features, F(t, u, v), is linear in each argument, so that over a cell of parameters (u, v) it
// stays, at any time, in the convex hull of its values at the corners. Where Wang et al. halve cells of all three arguments
// and hold their boxes against 0, here only parameters are halved, and time is advanced: the point of the hull that is
// nearest to 0 gives a plane between hull and 0; corners move along its normal at constant rates, so nothing touches before
// the first of them reaches the plane (the idea of conservative advancement [Mirtich 1996], without a bound of speed). Cells
// that advance little are halved where F varies most. The earliest cell comes first; once it is within the tolerance, that is
// the time of impact. Before all that, most misses are decided by the boxes of the moving features, or because four points
// never come into one plane.
//
// Rounding is accounted for: values are differences of the given points, means of those and steps between those, and each of
// them adds known units of rounding of the largest value; planes are passed by no less. So there are no false negatives: if
// there is no result, the features, for the very numbers given, stay farther apart than `min_distance` for all t in [0, 1];
// if there is one, they do for all t before `time`. There are false positives, within the tolerance: at `time` features are
// no farther apart than `min_distance` and the tolerance.
//
// All throw Error for coordinates that are not finite, a negative tolerance or min_distance, max_iterations below 1.
#pragma once

#include <optional>

#include "stickslip/ccd/impact.h"

namespace stickslip {

std::optional<Impact> vertex_face_impact(const PointsAt<4>& start, const PointsAt<4>& end, const ImpactOptions& options = {});
std::optional<Impact> edge_edge_impact(const PointsAt<4>& start, const PointsAt<4>& end, const ImpactOptions& options = {});
std::optional<Impact> point_edge_impact(const PointsAt<3>& start, const PointsAt<3>& end, const ImpactOptions& options = {});
std::optional<Impact> point_point_impact(const PointsAt<2>& start, const PointsAt<2>& end, const ImpactOptions& options = {});

}   // namespace stickslip
