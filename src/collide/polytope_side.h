// Boxes and hulls as contact generation on meshes sees them.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "collide/mesh_side.h"
#include "collide/polytope_view.h"
#include "collide/tolerances.h"

namespace stickslip::narrow {

/// A box or hull as contact generation on meshes sees it, in its own frame; its faces are facets.
class PolytopeSide {
 public:
  explicit PolytopeSide(const Box& box) : box_(box), view_(box_.view()) { collect_edges(); }
  explicit PolytopeSide(const ConvexHull& hull) : box_(Box{}), view_(narrow::view(hull)) { collect_edges(); }
  PolytopeSide(const PolytopeSide&) = delete;   // the view may point into the object
  PolytopeSide& operator=(const PolytopeSide&) = delete;

  const std::vector<MeshEdge>& edges() const { return edges_; }
  const PolytopeView& view() const { return view_; }
  double radius() const { return view_.radius; }

  /// The face whose plane a point is highest over: the nearest one to a point inside.
  NearFacet nearest(const Vec3& point) const {
    NearFacet best{0, -std::numeric_limits<double>::infinity()};
    for (std::uint32_t f = 0; f < view_.faces.size(); ++f) {
      const double height = view_.faces[f].normal.dot(point) - view_.faces[f].offset;
      if (height > best.distance) best = {f, height};
    }
    best.distance = -best.distance;
    return best;
  }
  /// The same among the faces that something can touch; the nearest one if there is none. @param touches as bool(face normal)
  NearFacet nearest_touched(const Vec3& point, auto&& touches) const {
    NearFacet best{0, -std::numeric_limits<double>::infinity()};
    for (std::uint32_t f = 0; f < view_.faces.size(); ++f) {
      const double height = view_.faces[f].normal.dot(point) - view_.faces[f].offset;
      if (height > best.distance && touches(view_.faces[f].normal)) best = {f, height};
    }
    if (!std::isfinite(best.distance)) return nearest(point);
    best.distance = -best.distance;
    return best;
  }
  const Vec3& normal(std::uint32_t face) const { return view_.faces[face].normal; }

  /// Whether a vertex can touch something in a unit direction, as `can_touch` of a mesh.
  bool can_touch(std::uint32_t vertex, const Vec3& direction) const {
    for (const Polytope::Edge& e : view_.edges)
      if (is_end(e, vertex))
        for (const int face : e.face)
          if (view_.faces[face].normal.dot(direction) > kFeatureCone) return true;
    return is_touched_from(vertex, direction, kFeatureCone);
  }
  /// Whether no edge goes from a vertex into a unit direction, as `is_touched_from` of a mesh.
  /// @param sine of the angle that may
  bool is_touched_from(std::uint32_t vertex, const Vec3& direction, double sine) const {
    return std::none_of(view_.edges.begin(), view_.edges.end(), [&](const Polytope::Edge& e) {
      if (!is_end(e, vertex)) return false;
      const Vec3 along =
          view_.vertices[e.vertex[static_cast<std::uint32_t>(e.vertex[0]) == vertex ? 1 : 0]] - view_.vertices[vertex];
      return direction.dot(along) > sine * along.norm();
    });
  }

  /// Whether the projection of a point onto a face lies in it.
  bool is_over(std::uint32_t face, const Vec3& point) const {
    const Polytope::Face& f = view_.faces[face];
    for (int k = 0; k < f.count; ++k) {
      const Vec3& a = view_.vertices[view_.loops[f.first + k]];
      const Vec3 along = view_.vertices[view_.loops[f.first + (k + 1) % f.count]] - a;
      if (f.normal.cross(along).dot(point - a) < -kClipTolerance * along.norm() * view_.radius) return false;
    }
    return true;
  }

 private:
  static bool is_end(const Polytope::Edge& e, std::uint32_t vertex) {
    return static_cast<std::uint32_t>(e.vertex[0]) == vertex || static_cast<std::uint32_t>(e.vertex[1]) == vertex;
  }

  void collect_edges() {
    for (std::uint32_t id = 0; id < view_.edges.size(); ++id) {
      const Polytope::Edge& e = view_.edges[id];
      MeshEdge edge;
      edge.id = id;
      edge.start = view_.vertices[e.vertex[0]];
      edge.along = view_.vertices[e.vertex[1]] - edge.start;
      const Vec3 unit = edge.along.normalized();
      for (const int side : {0, 1}) {
        edge.facet[side] = static_cast<std::uint32_t>(e.face[side]);
        edge.normal[side] = view_.faces[e.face[side]].normal;
        edge.into[side] = side == 0 ? edge.normal[side].cross(unit) : unit.cross(edge.normal[side]);
      }
      edges_.push_back(edge);
    }
  }

  BoxPolytope box_;
  PolytopeView view_;
  std::vector<MeshEdge> edges_;
};

}   // namespace stickslip::narrow
