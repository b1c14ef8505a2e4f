// Fewer triangles for nearly the same surface, by quadric error metrics [Garland, Heckbert 1997].
#pragma once

#include <limits>

#include "stickslip/geometry/triangle_mesh.h"

namespace stickslip {

struct SimplifyOptions {
  std::size_t triangles = 0;   ///< ends at this number or below it
  double max_error = std::numeric_limits<double>::
      infinity();   ///< no vertex moves farther than this from the planes that it stands for, as a root mean square [m]
};

struct Simplified {
  TriangleMesh mesh;
  double error = 0;            ///< the largest that was made, as for max_error [m]
  std::size_t collapsed = 0;   ///< edges
  bool reached = true;         ///< false: no edge was left to collapse before the number of triangles was reached
};

/// Collapses edges, the cheapest first: the cost of a vertex at x is Σ area (n · x − d)² over the planes of the triangles that
/// it replaces, and x
/// is where that is least. An edge stays if its collapse would change the topology (link condition: what is closed stays
/// closed, manifold stays
/// manifold, pieces and handles stay), turn a triangle by more than 78°, or cost more than the bound. Rims are held by planes
/// across them.
/// Errors below 1e-7 of the size of the mesh are rounding.
/// @throws Error if the mesh is not valid or the error is not a length
Simplified simplify(const TriangleMesh&, const SimplifyOptions&);

}   // namespace stickslip
