// A solid as a union of convex hulls, for those who ask for it.
#pragma once

#include "stickslip/geometry/shape.h"
#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct ConvexPartsOptions {
  /// Most of the volume of a hull that may lie outside the solid: (V_hull − V_part) / V_hull, 1e-4 … 1. Parts for which that is
  /// less than 1e-5 of the volume of the whole solid may have more.
  double concavity = 0.05;
  std::size_t max_parts = 128;   ///< cutting ends there, whatever the concavity
};

struct ConvexPart {
  ConvexHull hull;
  double volume = 0;      ///< of the part of the solid that it covers [m³]
  double concavity = 0;   ///< of this part
};

struct ConvexParts {
  std::vector<ConvexPart> parts;   ///< the largest first
  double overfill = 0;             ///< (Σ V_hull − V) / V
  double worst = 0;                ///< largest concavity of a part
  bool reached = true;             ///< whether every part keeps the concavity asked for
};

/// Cuts the solid by planes until each part is nearly convex, then joins parts whose common hull is. The hulls cover the solid,
/// because the parts
/// do and every hull covers its part. Planes are tried along the axes of the box and of inertia, and along the faces at edges
/// that turn inwards;
/// the one that leaves the least volume of hulls is taken.
/// @throws Error if the mesh is not closed, has no positive volume, or an option is out of range
ConvexParts convex_parts(const TriangleMesh&, const ConvexPartsOptions& = {});

/// The surface of a hull as triangles.
TriangleMesh triangle_mesh(const ConvexHull&);

}   // namespace stickslip
