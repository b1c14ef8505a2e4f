// Boxes and hulls seen alike: vertices, faces and edges in a local frame, without owning or allocating anything.
#pragma once

#include <array>
#include <span>

#include "stickslip/geometry/shape.h"

namespace stickslip::narrow {

struct PolytopeView {
  std::span<const Vec3> vertices;
  std::span<const int> loops;
  std::span<const Polytope::Face> faces;
  std::span<const Polytope::Edge> edges;
  Vec3 interior_point;
  double radius;   ///< largest distance of a vertex from the local origin [m]

  /// Index of the vertex farthest in `direction`; the first of equals.
  int support_index(const Vec3& direction) const {
    int best = 0;
    double farthest = direction.dot(vertices[0]);
    for (int i = 1; i < static_cast<int>(vertices.size()); ++i) {
      const double d = direction.dot(vertices[i]);
      if (d > farthest) farthest = d, best = i;
    }
    return best;
  }

  /// The face through vertex `vertex` whose normal is nearest to `direction`.
  int face_through(int vertex, const Vec3& direction) const;
};

PolytopeView view(const ConvexHull&);

/// A box as a polytope, on the stack. Vertex i has the sign of bit k of i on axis k; face 2k looks along −k, 2k + 1 along +k.
class BoxPolytope {
 public:
  explicit BoxPolytope(const Box&);
  PolytopeView view() const;

 private:
  std::array<Vec3, 8> vertices_;
  std::array<Polytope::Face, 6> faces_;
  double radius_;
};

}   // namespace stickslip::narrow
