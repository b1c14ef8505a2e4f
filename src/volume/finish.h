// From sums to overlaps.
#pragma once

#include "volume/memory.h"

namespace stickslip {

/// The overlap that has these sums; `memory.points` are points of its surface.
OverlapVolume finished(const MomentSums&, OverlapScratch::Memory&);

/// Names what is special about the shape of an overlap that has a volume.
Degeneracy named_by_shape(const OverlapVolume&);

/// Chooses corners of the outline seen along `normal`, and the two ends along it, out of `memory.points`.
void choose_points(const Vec3& normal, OverlapScratch::Memory& memory, OverlapVolume& overlap);

/// An overlap that only says why there is none.
OverlapVolume nothing_because(Degeneracy why, const Vec3& where);

bool is_rigid(const Pose&);

/// Whether the pair is to be handled as (B, A), so that both orders give the same numbers.
bool swapped_order(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b);

/// Turns the overlap of (B, A) into that of (A, B).
void mirror(OverlapVolume&);

void check(const OverlapOptions&);

}   // namespace stickslip
