#include "stickslip/distance/triangles.h"

#include <limits>

#include "stickslip/distance/intersection.h"

namespace stickslip {
namespace {

Vec3 edge_weights(int edge, double weight) {
  Vec3 weights = Vec3::Zero();
  weights[edge] = 1 - weight;
  weights[(edge + 1) % 3] = weight;
  return weights;
}

/// The point of an edge in the plane of a triangle, by the heights of its ends, and the point of the triangle nearest to it.
/// @returns their squared distance: rounding, if the edge meets the triangle [m²]
double piercing_point(const std::array<Vec3, 3>& of_edge, int edge, const std::array<Vec3, 3>& triangle, Vec3& on_edge,
                      Vec3& inside) {
  const Vec3 &p = of_edge[edge], &q = of_edge[(edge + 1) % 3];
  const Vec3 n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
  const double from = n.dot(p - triangle[0]), to = n.dot(q - triangle[0]);
  const double weight = from == to ? 0.5 : std::clamp(from / (from - to), 0.0, 1.0);
  const ClosestOnTriangle closest = closest_on_triangle(p + weight * (q - p), triangle[0], triangle[1], triangle[2]);
  on_edge = edge_weights(edge, weight);
  inside = closest.weights;
  return closest.squared_distance;
}

ClosestOfTriangles nearest_features(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  ClosestOfTriangles best;
  best.squared_distance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const ClosestOnTriangle on_b = closest_on_triangle(a[i], b[0], b[1], b[2]);
    if (on_b.squared_distance < best.squared_distance)
      best = {on_b.squared_distance, Vec3::Unit(i), on_b.weights, TrianglePairKind::vertex_of_a, i, -1};
    const ClosestOnTriangle on_a = closest_on_triangle(b[i], a[0], a[1], a[2]);
    if (on_a.squared_distance < best.squared_distance)
      best = {on_a.squared_distance, on_a.weights, Vec3::Unit(i), TrianglePairKind::vertex_of_b, -1, i};
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const ClosestOfEdges edges = closest_of_edges(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]);
      if (edges.squared_distance < best.squared_distance)
        best = {edges.squared_distance,
                edge_weights(i, edges.weight_a),
                edge_weights(j, edges.weight_b),
                TrianglePairKind::edges,
                i,
                j};
    }
  return best;
}

}   // namespace

ClosestOfTriangles closest_of_triangles(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  ClosestOfTriangles best = nearest_features(a, b);
  if (!triangles_meet(a, b)) {
    best.squared_distance = std::max(best.squared_distance, std::numeric_limits<double>::min());
    return best;
  }
  best.kind = TrianglePairKind::meeting;
  best.feature_a = best.feature_b = -1;
  // Of all points where an edge goes through a face, and those of features, the pair that is nearest in floating point.
  for (int i = 0; i < 3 && best.squared_distance > 0; ++i) {
    Vec3 on_edge, inside;
    const double of_a = piercing_point(a, i, b, on_edge, inside);
    if (of_a < best.squared_distance) best.squared_distance = of_a, best.weights_a = on_edge, best.weights_b = inside;
    const double of_b = piercing_point(b, i, a, on_edge, inside);
    if (of_b < best.squared_distance) best.squared_distance = of_b, best.weights_a = inside, best.weights_b = on_edge;
  }
  best.squared_distance = 0;
  return best;
}

}   // namespace stickslip
