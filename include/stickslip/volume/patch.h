// Contact patches: what a block of six rows needs of an overlap, or of the points of a contact manifold [6d §4.2, §5, A].
//
// Which axis is dropped. The paper's tensor is that of inertia: of a flat overlap its largest eigenvalue, the sum of the other
// two, belongs to the thin direction. In the second moments used here that is the smallest. It is not an eigenvector that is
// dropped, but the direction of the gradient: the ellipsoid with these moments is seen along the normal, and its shadow is the
// ellipse whose moments are the block of the second moments across the normal.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/volume/overlap.h"

namespace stickslip {

/// A solid of constant density with given second moments. Its half sides or semi-axes are a multiple of the standard deviation.
enum class EquivalentForm {
  cuboid,      ///< √3: a box of uniform depth; what `half_sides` asks for
  sheet,       ///< √4: an elliptic disc of uniform depth
  ellipsoid,   ///< √5: as in the paper
  cap          ///< √6: depth of a paraboloid, as a shallow ball has
};

struct Patch {
  static constexpr int kMaxCorners = 8;

  Vec3 origin = Vec3::Zero();      ///< centroid of the overlap, world frame [m]
  Mat3 frame = Mat3::Identity();   ///< columns n, t, b: n from A to B, against the gradient; t along the larger spread
  double depth = 0;                ///< V/|∂V|, the mean depth of a flat overlap; negative: a gap (of contact points only) [m]
  double area = 0;                 ///< |∂V|: of the overlap seen along the normal [m²]
  Vec2 area_middle = Vec2::Zero();         ///< centroid of that area, in (t, b) from the origin [m]
  Vec2 deviations = Vec2::Zero();          ///< standard deviations of the volume along t and b, the first not smaller [m]
  std::array<Vec2, kMaxCorners> outline;   ///< convex, counter-clockwise about n, in (t, b) from the origin [m]
  int corner_count = 0;                    ///< fewer than 3: an edge or a point
  double outline_area = 0;                 ///< [m²]
  /// Mean distance from the origin over the outline [m]: with uniform pressure friction resists spin up to µ N times this, ⅔ r
  /// of a disc. 0 of a point.
  double spin_radius = 0;
  Degeneracy degeneracy = Degeneracy::none;

  Vec3 normal() const { return frame.col(0); }
  /// Semi-axes along t and b [m].
  Vec2 semi_axes(EquivalentForm form = EquivalentForm::ellipsoid) const;
  /// Mean distance from the origin over that ellipse [m].
  double spin_radius_of_ellipse(EquivalentForm form = EquivalentForm::ellipsoid) const;
  std::span<const Vec2> corners() const { return {outline.data(), static_cast<std::size_t>(corner_count)}; }
};

/// Whether an overlap has a direction in which the two come apart. Where the surface of B faces one way the overlap is as long
/// along it, ℓ, as it is deep there, and its standard deviation along it √12 σ ≥ V/|∂V| = ⟨ℓ⟩. Where thin bodies cross, B faces
/// both ways, ∂V is the little that is left of both, and points anywhere.
bool has_direction(const OverlapVolume&);

/// The patch of an overlap as a whole. One inside the other, or touching only, has no gradient: then the normal is the
/// direction
/// in which the overlap is thinnest, up to its sign, and the degeneracy says so.
Patch patch_of(const OverlapVolume&);

/// One patch per segment of an overlap that bends, largest first; the whole if it does not, or has no segments. Where few rays
/// meet something thin, sums of ± cells are mostly chance, while each ray still knows the surfaces at its ends: there the
/// segments are what counts, and where the gradient says otherwise. `patches` is cleared first.
/// @param segments `OverlapScratch::segments()` of the call that found it
void split(const OverlapVolume&, std::span<const OverlapSegment> segments, std::vector<Patch>& patches);

/// One patch for several that face nearly one way: their volumes, moments and outlines together. @pre there is one
Patch joined(std::span<const Patch> patches);

/// Joins those of a list that face within 25° of each other and lie in nearly one plane: the bumps of a rough face, or the legs
/// of a table, become one patch. The largest first.
void join_alike(std::vector<Patch>& patches);

/// Depth as a linear function over the tangent plane.
struct PatchDepth {
  Vec2 middle = Vec2::Zero();   ///< of the area, in (t, b) from the origin [m]
  double depth = 0;             ///< there, and on average over the area [m]
  Vec2 slope = Vec2::Zero();    ///< how it grows along t and b

  double at(const Vec2& place) const { return depth + slope.dot(place - middle); }
};
/// That with the volume and the centroid of the overlap: of two flat faces their distance. Its area is that of the outline, or,
/// where that leaves much open (the foot of an L, four legs), one with the moments of the volume. Nowhere in the outline below
/// 0.
PatchDepth depth_over(const Patch&);

/// Half-axes along t and b of the ellipse that the overlap is, seen along its normal, with its area: if one of the forms has
/// that area, to `tolerance`, of discs the sheet and of round caps the cap. Regular polygons of many sides pass too: ask only
/// where a surface is round.
struct RoundOutline {
  EquivalentForm form;
  Vec2 half_axes;   ///< [m]
};
std::optional<RoundOutline> round_outline(const Patch&, double tolerance = 0.02);

/// A point of a contact manifold.
struct PatchPoint {
  Vec3 position;   ///< halfway between the surfaces, world frame [m]
  double gap;      ///< along the normal, negative is penetration [m]
};

/// The patch of the contact points of one manifold: that of the overlap of two flat surfaces whose distance is the linear
/// function nearest to the gaps, over the hull of the points. Where the deepest point is less than `slack` deep, the
/// surfaces count
/// as moved together until it is, so that the patch passes without a jump into that of the overlap as bodies touch.
/// @param normal unit, from A to B; @param slack > 0 [m]
Patch patch_of_points(std::span<const PatchPoint> points, const Vec3& normal, double slack);

/// The smallest polygon around an outline with sides in `directions` (4 or 8) directions, evenly turned from t: coarser
/// than the
/// outline, but it changes without jumps. @throws Error for other numbers
void set_outline_to_dop(Patch&, int directions = 8);

/// ∫ |x| dA over a polygon, counter-clockwise, from the origin, exact.
double distance_integral(std::span<const Vec2> polygon);

}   // namespace stickslip
