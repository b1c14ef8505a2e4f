#include "collide/polytope_view.h"

#include <limits>

namespace stickslip::narrow {
namespace {

// Loops counter-clockwise seen from outside; faces −x, +x, −y, +y, −z, +z.
constexpr std::array<int, 24> kBoxLoops{0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

// Left and right face of each edge, heading from the first vertex to the second.
constexpr std::array<Polytope::Edge, 12> kBoxEdges{{
    {{0, 1}, {2, 4}},
    {{2, 3}, {4, 3}},
    {{4, 5}, {5, 2}},
    {{6, 7}, {3, 5}},
    {{0, 2}, {4, 0}},
    {{1, 3}, {1, 4}},
    {{4, 6}, {0, 5}},
    {{5, 7}, {5, 1}},
    {{0, 4}, {0, 2}},
    {{1, 5}, {2, 1}},
    {{2, 6}, {3, 0}},
    {{3, 7}, {1, 3}},
}};

}   // namespace

int PolytopeView::face_through(int vertex, const Vec3& direction) const {
  // Merged facets are flat to rounding only.
  const double tolerance = 1e-6 * radius;
  int best = -1;
  double largest = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
    const double aligned = faces[f].normal.dot(direction);
    if (aligned <= largest) continue;
    if (faces[f].offset - faces[f].normal.dot(vertices[vertex]) > tolerance) continue;
    largest = aligned;
    best = f;
  }
  return best;
}

PolytopeView view(const ConvexHull& hull) {
  const Polytope& p = *hull.polytope;
  return {p.vertices, p.loops, p.faces, p.edges, p.interior_point, p.radius};
}

BoxPolytope::BoxPolytope(const Box& box) : radius_(box.half_extents.norm()) {
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vertices_[i][k] = (i >> k & 1) ? box.half_extents[k] : -box.half_extents[k];
  for (int f = 0; f < 6; ++f) {
    Vec3 normal = Vec3::Zero();
    normal[f / 2] = f % 2 ? 1 : -1;
    faces_[f] = {normal, box.half_extents[f / 2], 4 * f, 4};
  }
}

PolytopeView BoxPolytope::view() const { return {vertices_, kBoxLoops, faces_, kBoxEdges, Vec3::Zero(), radius_}; }

}   // namespace stickslip::narrow
