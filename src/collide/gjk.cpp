#include "collide/gjk.h"

namespace stickslip::narrow {
namespace {

// Convergence on the duality gap |v|² − v·w ≤ ε |v|²: the direction is then right to √ε, and to rounding between flat faces.
constexpr double kDistanceConverged = 1e-13;
constexpr int kMaxIterations = 64;
// Cores nearer than this part of their sizes overlap: the direction between them would be rounding noise.
constexpr double kTouching = 1e-9;

// Part of a simplex, named by ascending indices of its points, with the weights of its point nearest to the origin.
struct Nearest {
  int count = 0;
  int index[3] = {};
  double weight[3] = {};
  Vec3 point = Vec3::Zero();

  bool nearer_than(const Nearest& o) const { return o.count == 0 || point.squaredNorm() < o.point.squaredNorm(); }
};

Nearest on_point(const DifferencePoint* p, int i) { return {1, {i, 0, 0}, {1, 0, 0}, p[i].w}; }

Nearest on_segment(const DifferencePoint* p, int i, int j) {
  const Vec3 d = p[j].w - p[i].w;
  const double along = -p[i].w.dot(d), squared = d.squaredNorm();
  if (along <= 0 || squared == 0) return on_point(p, i);
  if (along >= squared) return on_point(p, j);
  const double f = along / squared;
  return {2, {i, j, 0}, {1 - f, f, 0}, p[i].w + f * d};
}

// Solves for the weights with differences of the points only, and by cross products: curved shapes give triangles far
// smaller than their distance, or long and thin ones, and both keep their digits this way.
Nearest on_triangle(const DifferencePoint* p, int i, int j, int k) {
  const Vec3& a = p[i].w;
  const Vec3 e = p[j].w - a, f = p[k].w - a;
  const Vec3 normal = e.cross(f);
  const double determinant = normal.squaredNorm();
  const double beta = normal.dot(f.cross(a)), gamma = normal.dot(a.cross(e));
  if (determinant > 1e-28 * e.squaredNorm() * f.squaredNorm() && beta > 0 && gamma > 0 && beta + gamma < determinant) {
    const double wb = beta / determinant, wc = gamma / determinant;
    return {3, {i, j, k}, {1 - wb - wc, wb, wc}, a + wb * e + wc * f};
  }
  Nearest best = on_segment(p, i, j);
  for (const Nearest& edge : {on_segment(p, i, k), on_segment(p, j, k)})
    if (edge.nearer_than(best)) best = edge;
  return best;
}

// Empty if the tetrahedron holds the origin.
Nearest on_tetrahedron(const DifferencePoint* p) {
  constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 1, 3, 2}, {1, 2, 3, 0}};
  Nearest best;
  for (const auto& f : faces) {
    const Vec3& a = p[f[0]].w;
    const Vec3 normal = (p[f[1]].w - a).cross(p[f[2]].w - a);
    const double origin_side = -normal.dot(a), inner_side = normal.dot(p[f[3]].w - a);
    if (origin_side * inner_side > 0) continue;   // the origin lies on the inner side of this face
    const Nearest face = on_triangle(p, f[0], f[1], f[2]);
    if (face.nearer_than(best)) best = face;
  }
  return best;
}

Nearest on_simplex(const DifferencePoint* p, int count) {
  switch (count) {
    case 1:
      return on_point(p, 0);
    case 2:
      return on_segment(p, 0, 1);
    case 3:
      return on_triangle(p, 0, 1, 2);
    default:
      return on_tetrahedron(p);
  }
}

}   // namespace

CoreDirection core_direction(const ConvexCore& a, const ConvexCore& b, double reach) {
  const double size = a.size() + b.size();
  const double touching_squared = kTouching * kTouching * size * size;
  Vec3 start = b.center() - a.center();
  if (start.squaredNorm() <= touching_squared) start = Vec3::UnitX();
  DifferencePoint points[4];
  points[0] = difference_support(a, b, -start);
  int count = 1;
  Nearest nearest = on_point(points, 0);

  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 v = nearest.point;
    const double squared = v.squaredNorm();
    if (squared <= touching_squared) return shallowest_overlap(a, b, points, count);
    points[count] = difference_support(a, b, -v);
    const double lower = v.dot(points[count].w);   // the distance is at least lower / |v|
    if (lower > 0 && lower * lower > reach * reach * squared) return {};
    if (squared - lower <= kDistanceConverged * squared) break;

    const Nearest next = on_simplex(points, count + 1);
    if (next.count == 0) {
      if (lower > 0) break;   // a plane lies between the cores, whatever a flat tetrahedron says
      return shallowest_overlap(a, b, points, 4);
    }
    if (next.point.squaredNorm() >= squared) break;   // rounding has the last word
    nearest = next;
    count = next.count;
    for (int k = 0; k < count; ++k) {
      points[k] = points[nearest.index[k]];
      nearest.index[k] = k;
    }
  }

  CoreDirection result;
  result.state = CoreDirection::State::apart;
  result.normal = nearest.point.normalized();
  result.on_a = result.on_b = Vec3::Zero();
  for (int k = 0; k < count; ++k) {
    result.on_a += nearest.weight[k] * points[k].on_a;
    result.on_b += nearest.weight[k] * points[k].on_b;
  }
  return result;
}

}   // namespace stickslip::narrow
