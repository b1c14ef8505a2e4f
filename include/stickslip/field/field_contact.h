// Where two solids given by fields touch or overlap.
#pragma once

#include "stickslip/field/distance_field.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct FieldContactOptions {
  double margin = 0;         ///< both fields are at most this at a contact [m], so that gaps up to twice as much are found
  double reach = 0;          ///< how much farther away seeds may lie [m]; the distance between seeds is a good choice
  double merge = 0;          ///< of contacts nearer to one another than this, the deepest stays [m]
  double tolerance = 1e-4;   ///< the descent ends where it promises to fall by less than this times margin + reach
  int max_steps = 40;        ///< of the descent from a seed
};

/// In the frame of A.
struct FieldContact {
  Vec3 point = Vec3::Zero();    ///< local minimum of max(φ_A, φ_B) [m]
  Vec3 normal = Vec3::Zero();   ///< unit, from A to B: along ∇φ_A − ∇φ_B, at kinks along the mean gradients that balance
  double value_a = 0, value_b = 0;   ///< fields at the point [m]

  double gap() const { return value_a + value_b; }   ///< between the surfaces through the point, < 0 overlap [m]
};

/// Deepest points of the overlap (nearest, if there is none): from every seed max(φ_A, φ_B) is followed down, by steps s that
/// minimise the largest of the last linearisations of both fields plus |s|²/2τ (a proximal bundle method, which passes kinks).
/// Contacts are sorted by depth, then by place; the same fields and seeds give the same list.
/// @param seeds points near the surface of either, in the frame of A [m]
std::vector<FieldContact> field_contacts(const DistanceField& a, const DistanceField& b, const Pose& b_in_a,
                                         std::span<const Vec3> seeds, const FieldContactOptions&);

/// Points of the surface no farther apart than about `spacing` [m]: all vertices, and points inside triangles that are larger.
/// @throws Error if the spacing is not positive or asks for more than ten million points
std::vector<Vec3> surface_seeds(const TriangleMesh&, double spacing);

}   // namespace stickslip
