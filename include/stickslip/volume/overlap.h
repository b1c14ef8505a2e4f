// The volume that two solids share, and how it changes when they move: all that contact by one block of six rows needs of the
// geometry of a pair [6d §4].
//
// Ω = A ∩ B is bounded by a part of the surface of A and a part S_B of the surface of B. Moving B by δ moves S_B along, so
//     ∂V/∂δ = ∫_{S_B} n dA,    ∂V/∂θ = ∫_{S_B} (x − c) × n dA,    n outward from Ω, θ a rotation vector about c.
// Surfaces are closed: the integrals over the part of A are the opposite, and so is what a motion of A does.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "stickslip/geometry/shape.h"
#include "stickslip/geometry/tet_mesh.h"

namespace stickslip {

/// What is special about an overlap. All its numbers are finite whatever stands here.
enum class Degeneracy : std::uint8_t {
  none,
  sheet,          ///< thinner than a thousandth of its width: what resting contact looks like
  needle,         ///< both its widths below a thousandth of its length: no direction across it is better than another
  touching,       ///< surfaces meet without a volume; the centroid is the middle of the common points, gradients are zero
  a_inside_b,     ///< the surface of B has no part in it: gradients are zero
  b_inside_a,     ///< likewise
  open_surface,   ///< a mesh is not closed around a volume: there is nothing to measure
  unbounded,      ///< two half-spaces
  not_finite      ///< a pose is not finite or not a rotation, or a shape has no size
};
std::string_view degeneracy_name(Degeneracy);

/// One connected piece of the common volume. World frame.
struct OverlapVolume {
  static constexpr int kMaxPoints = 10;

  double volume = 0;                   ///< V [m³]
  Vec3 centroid = Vec3::Zero();        ///< c [m]
  Mat3 second_moment = Mat3::Zero();   ///< ∫ (x − c)(x − c)ᵀ dV [m⁵]
  Vec3 gradient = Vec3::Zero();        ///< ∂V by translations of B, ∫_{S_B} n dA [m²]: points from B into A
  Vec3 turning = Vec3::Zero();   ///< ∂V by rotations of B about the centroid [m³]; of A the opposite, as with the gradient
  std::array<Vec3, kMaxPoints> points;   ///< corners of the outline seen along the gradient, then the two ends along it [m]
  int point_count = 0;
  Degeneracy degeneracy = Degeneracy::none;
  double error = 0;                                     ///< of the volume, estimated [m³]; 0 where it is exact up to rounding
  std::uint32_t rays = 0;                               ///< that met it, of the axis that saw most; 0: measured otherwise
  std::uint32_t first_segment = 0, segment_count = 0;   ///< of `OverlapScratch::segments()`; none for two convex shapes

  bool has_volume() const { return volume > 0; }
  /// Whether rays pass by most of it: sums of cells are then chance, while each ray still knows the surfaces at its ends.
  bool is_seen_by_chance() const { return rays > 0 && (rays < 30 || error > 0.25 * volume); }
};

/// A part of an overlap in which the two surfaces face each other in nearly one direction: what a bent overlap is split by.
struct OverlapSegment {
  Vec3 normal = Vec3::Zero();           ///< unit, from A to B, mean of those of the two surfaces
  double area = 0;                      ///< across the normal [m²]
  double volume = 0;                    ///< [m³]
  Vec3 area_first = Vec3::Zero();       ///< ∫ x dA [m³]
  Vec3 first = Vec3::Zero();            ///< ∫ x dV [m⁴]
  Mat3 second = Mat3::Zero();           ///< ∫ xxᵀ dV, all about the centroid of the overlap [m⁵]
  std::array<Vec3, 8> corners;          ///< farthest points in eight directions across the normal [m], from that centroid
  std::array<double, 8> reaches = {};   ///< how far they are [m]
};

struct OverlapOptions {
  int round_facets = 24;   ///< of a bent surface within the overlap, per half turn; the error falls with its square. 4 … 256
  int rays = 48;           ///< along each side of the box of the overlap, for meshes; 4 … 1024
};

/// Memory that is kept between calls, and the segments of the last one. Not to be shared by threads.
class OverlapScratch {
 public:
  OverlapScratch();
  ~OverlapScratch();
  OverlapScratch(OverlapScratch&&) noexcept;
  OverlapScratch& operator=(OverlapScratch&&) noexcept;

  std::span<const OverlapSegment> segments() const;   ///< of the overlaps that the last call found
  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// The common volume of two shapes, one entry per connected piece (the largest first), by the method that fits the pair:
/// clipping for two convex shapes, rays if one is a mesh. `found` is cleared first, and empty if the shapes are apart.
/// Nothing is allocated once scratch and list have grown. Swapping A and B gives the same numbers with opposite gradients.
/// @throws Error if an option is out of range
void overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch&,
              std::vector<OverlapVolume>& found, const OverlapOptions& = {});

/// Two convex shapes. Polytopes and half-spaces are clipped (to rounding), spheres cut by formulas and quadrature
/// over their rims (to about 1e-9); the bent sides of capsules and cylinders are replaced by planes in the range
/// of angles that the overlap covers, set back so that the volume is right: errors are below round_facets⁻² of
/// the volume.
/// @throws Error if one is a mesh
void overlaps_by_clipping(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch&,
                          std::vector<OverlapVolume>& found, const OverlapOptions& = {});

/// Any two shapes that are closed, one of them bounded, as seen by parallel rays along three axes: lengths inside both
/// times the
/// area between rays [6d §4.1]. Axes count by the area that they see, so that thin overlaps are measured across.
void overlaps_by_rays(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch&,
                      std::vector<OverlapVolume>& found, const OverlapOptions& = {});

/// Solids given as convex parts that do not overlap each other: pairs of parts are clipped, and pieces that touch become one.
void overlaps_of_parts(std::span<const ConvexHull> a, const Pose& pose_a, std::span<const ConvexHull> b, const Pose& pose_b,
                       OverlapScratch&, std::vector<OverlapVolume>& found);
/// Likewise for a solid of tetrahedra and a convex shape.
void overlaps_of_tetrahedra(const TetMesh& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, OverlapScratch&,
                            std::vector<OverlapVolume>& found, const OverlapOptions& = {});

}   // namespace stickslip
