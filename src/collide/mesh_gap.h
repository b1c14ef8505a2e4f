// The distance of two meshes.
#pragma once

#include <algorithm>
#include <optional>

#include "stickslip/collide/separation.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::narrow {

struct MeshGap {
  double distance = 0;   ///< ≥ 0; 0 where the surfaces meet [m]
  Vec3 on_a, on_b;       ///< nearest points, in the frame of A [m]
  std::uint32_t triangle_a = 0, triangle_b = 0;
  bool generic = false;   ///< a vertex and the inside of a face, or the insides of two edges
};

/// The nearest points of pairs of triangles that are looked at one after the other; of equally near ones the first.
class NearestTriangles {
 public:
  using Corners = std::array<Vec3, 3>;
  /// @param reach of what counts [m]
  explicit NearestTriangles(double reach) { best_.distance = reach; }
  void note(const Corners& a, std::uint32_t triangle_a, const Corners& b, std::uint32_t triangle_b);
  bool any() const { return any_; }
  double distance() const { return best_.distance; }   ///< what counts now [m]
  std::optional<MeshGap> found() const { return any_ ? std::optional(best_) : std::nullopt; }

 private:
  MeshGap best_;
  bool any_ = false;
};

/// Facets are planes up to rounding: of the room that they leave this much counts.
inline constexpr double kSurely = 1 - 1e-6;

/// How far the plane of a facet keeps a triangle from it, at least [m]; negative if it does not. Those without a normal keep
/// nothing apart.
inline double kept_apart(const MeshFacet& facet, const Vec3& a, const Vec3& b, const Vec3& c) {
  const double x = facet.normal.dot(a), y = facet.normal.dot(b), z = facet.normal.dot(c);
  return kSurely * std::max(std::min({x, y, z}) - facet.offset, facet.offset - std::max({x, y, z}));
}

/// The nearest points of two surfaces; none beyond `reach` [m].
/// @param likely triangles that may be near each other: the nearer, the shorter the search. They never change what is found.
std::optional<MeshGap> gap_of(const MeshSolid& a, const MeshSolid& b, const Pose& b_in_a, double reach,
                              const NearestPlace* likely = nullptr);

}   // namespace stickslip::narrow
