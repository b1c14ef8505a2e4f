#include "collide/field_features.h"

#include <algorithm>

#include "collide/polytope_view.h"

namespace stickslip::narrow {

namespace {

/// Triangles of a mesh with a point in {normal · x ≤ offset}: boxes that lie beyond the plane are left out.
void triangles_below(const MeshSolid& solid, const Vec3& normal, double offset, std::vector<std::uint32_t>& found) {
  const TriangleTree& tree = solid.surface().tree();
  const double limit = offset - normal.dot(tree.origin());
  std::vector<std::uint32_t> waiting = {0};
  while (!waiting.empty()) {
    const TriangleTree::Node& node = tree.nodes()[waiting.back()];
    waiting.pop_back();
    for (int lane = 0; lane < TriangleTree::kWidth; ++lane) {
      const std::uint32_t child = node.children[static_cast<std::size_t>(lane)];
      if (child == TriangleTree::kNone) break;
      double lowest = 0;
      for (int axis = 0; axis < 3; ++axis)
        lowest += normal[axis] * double{normal[axis] > 0 ? node.lower[axis][lane] : node.upper[axis][lane]};
      if (lowest > limit) continue;
      if (!TriangleTree::is_leaf(child)) {
        waiting.push_back(child);
        continue;
      }
      const std::uint32_t first = TriangleTree::leaf_first(child);
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(child); ++i) found.push_back(tree.order()[first + i]);
    }
  }
}

void unique(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

FieldFeatures features_of(const Mesh& mesh, const Shape& other, const Pose& other_in_mesh, double margin) {
  const MeshSolid& solid = *mesh.solid;
  const TriangleMesh& t = solid.mesh();
  const MeshEdges& edges = solid.surface().edges();
  std::vector<std::uint32_t> near, vertices, sides;
  if (std::holds_alternative<HalfSpace>(other)) {
    const Vec3 up = other_in_mesh.orientation * Vec3::UnitZ();
    triangles_below(solid, up, up.dot(other_in_mesh.position) + margin, near);
  } else {
    overlapping(t, solid.surface().tree(), bounding_box(other, other_in_mesh).grown(margin), near);
  }
  std::sort(near.begin(), near.end());
  FieldFeatures features;
  for (const std::uint32_t i : near) {
    for (const std::uint32_t v : t.triangles[i]) vertices.push_back(v);
    for (const std::uint32_t e : edges.edges_of_face(i)) {
      features.spacing += (t.vertices[edges.vertices(e)[1]] - t.vertices[edges.vertices(e)[0]]).norm();
      if (solid.active_edge(e)) sides.push_back(e);
    }
    features.faces.push_back({t.triangles[i], face_normal(t, i), i});
  }
  if (!near.empty()) features.spacing /= 3.0 * static_cast<double>(near.size());
  unique(vertices);
  unique(sides);
  for (const std::uint32_t v : vertices) features.points.push_back({t.vertices[v], edges.vertex_normal(v), v});
  for (FieldFeatures::Face& face : features.faces)
    for (std::uint32_t& corner : face.corners)
      corner = static_cast<std::uint32_t>(std::lower_bound(vertices.begin(), vertices.end(), corner) - vertices.begin());
  for (const std::uint32_t e : sides)
    features.edges.push_back({t.vertices[edges.vertices(e)[0]], t.vertices[edges.vertices(e)[1]], edge_normal(t, edges, e), e});
  return features;
}

FieldFeatures features_of(const PolytopeView& polytope) {
  FieldFeatures features;
  const std::size_t count = polytope.vertices.size();
  std::vector<Vec3> normals(count, Vec3::Zero());
  for (std::size_t f = 0; f < polytope.faces.size(); ++f) {
    const Polytope::Face& face = polytope.faces[f];
    const auto corner = [&](int k) {
      return static_cast<std::uint32_t>(polytope.loops[static_cast<std::size_t>(face.first + k)]);
    };
    for (int k = 0; k < face.count; ++k) normals[corner(k)] += face.normal;
    for (int k = 1; k + 1 < face.count; ++k)
      features.faces.push_back(
          {{corner(0), corner(k), corner(k + 1)}, face.normal, static_cast<std::uint32_t>(face.first + k)});
  }
  for (std::size_t i = 0; i < count; ++i)
    features.points.push_back({polytope.vertices[i], normals[i].normalized(), static_cast<std::uint32_t>(i)});
  for (std::size_t i = 0; i < polytope.edges.size(); ++i) {
    const Polytope::Edge& edge = polytope.edges[i];
    const auto face = [&](int side) -> const Vec3& { return polytope.faces[static_cast<std::size_t>(edge.face[side])].normal; };
    features.edges.push_back({polytope.vertices[static_cast<std::size_t>(edge.vertex[0])],
                              polytope.vertices[static_cast<std::size_t>(edge.vertex[1])], (face(0) + face(1)).normalized(),
                              static_cast<std::uint32_t>(i)});
  }
  return features;
}

FieldFeatures features_of(const Sphere& s) {
  FieldFeatures features;
  features.points.push_back({Vec3::Zero(), Vec3::Zero(), 0});
  features.radius = s.radius;
  return features;
}

FieldFeatures features_of(const Capsule& c) {
  FieldFeatures features;
  const Vec3 end(0, 0, c.half_height);
  features.points = {{-end, Vec3::Zero(), 0}, {end, Vec3::Zero(), 1}};
  features.edges.push_back({-end, end, Vec3::Zero(), 0});
  features.radius = c.radius;
  return features;
}

FieldFeatures features_of(const Cylinder& c) {
  FieldFeatures features;
  for (const int side : {-1, 1})
    features.rims.push_back({side * c.half_height * Vec3::UnitZ(), side * Vec3::UnitZ(), c.radius, side < 0 ? 0u : 1u});
  return features;
}

}   // namespace

FieldFeatures features_near(const Shape& shape, const Pose& place, const Shape& other, const Pose& other_in_shape,
                            double margin) {
  FieldFeatures f = std::visit(
      [&]<class S>(const S& s) -> FieldFeatures {
        if constexpr (std::is_same_v<S, Mesh>) return features_of(s, other, other_in_shape, margin);
        else if constexpr (std::is_same_v<S, Box>) return features_of(BoxPolytope(s).view());
        else if constexpr (std::is_same_v<S, ConvexHull>) return features_of(view(s));
        else if constexpr (std::is_same_v<S, HalfSpace>) return {};
        else return features_of(s);
      },
      shape);
  const auto turn = [&](Vec3& direction) { direction = place.orientation * direction; };
  for (auto& p : f.points) p.at = place * p.at, turn(p.normal);
  for (auto& e : f.edges) e.a = place * e.a, e.b = place * e.b, turn(e.normal);
  for (auto& t : f.faces) turn(t.normal);
  for (auto& r : f.rims) r.center = place * r.center, turn(r.axis);
  return f;
}

}   // namespace stickslip::narrow
