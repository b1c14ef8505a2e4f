#include <cmath>

#include "geometry/nearest_on_triangle.h"
#include "geometry/outward.h"
#include "geometry/tree_stack.h"

namespace stickslip {

namespace {

using Lanes = TriangleTree::Lanes;

/// Rounding of the few operations that a squared distance takes.
constexpr float kFloatSlack = 1 - 2e-6f;

struct NearEntry {
  std::uint32_t child;
  float below_squared;   ///< ≤ the squared distance to its box [m²]
};

/// A point between floats: below ≤ point ≤ above.
struct FloatPoint {
  float below[3], above[3];
  explicit FloatPoint(const Vec3& p) {
    for (int axis = 0; axis < 3; ++axis) below[axis] = float_below(p[axis]), above[axis] = float_above(p[axis]);
  }
};

/// Lower bounds of the squared distances to the boxes of all children.
Lanes squared_below(const TriangleTree::Node& node, const FloatPoint& p) {
  Lanes sum = Lanes::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    const Lanes out = (node.lower[axis] - p.above[axis]).max(p.below[axis] - node.upper[axis]).max(0.0f);
    sum += out * out;
  }
  return sum * kFloatSlack;
}

/// Entries nearest last, so that they are popped first; of equal ones the lower lane.
void push_by_distance(const TriangleTree::Node& node, const Lanes& squared, float limit, TreeStack<NearEntry>& stack) {
  NearEntry near[TriangleTree::kWidth];
  int count = 0;
  for (int k = 0; k < TriangleTree::kWidth && node.children[k] != TriangleTree::kNone; ++k) {
    if (!(squared[k] <= limit)) continue;
    int at = count++;
    for (; at > 0 && near[at - 1].below_squared <= squared[k]; --at) near[at] = near[at - 1];
    near[at] = {node.children[k], squared[k]};
  }
  for (int i = 0; i < count; ++i) stack.push(near[i]);
}

struct NearestSoFar {
  double squared;
  std::uint32_t triangle = TriangleTree::kNone;
  Vec3 weights = Vec3::Zero();

  void look(const TriangleMesh& mesh, std::uint32_t candidate, const Vec3& from) {
    const auto& t = mesh.triangles[candidate];
    const TrianglePoint p = nearest_on_triangle(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], from, squared);
    const bool nearer = triangle == TriangleTree::kNone ? p.distance_squared <= squared : p.distance_squared < squared;
    if (!nearer && !(p.distance_squared == squared && candidate < triangle)) return;
    squared = p.distance_squared, triangle = candidate, weights = p.weights;
  }
};

MeshPoint described(const TriangleMesh& mesh, const NearestSoFar& best) {
  MeshPoint result;
  result.triangle = best.triangle, result.weights = best.weights, result.distance = std::sqrt(best.squared);
  const auto& t = mesh.triangles[best.triangle];
  result.point =
      best.weights[0] * mesh.vertices[t[0]] + best.weights[1] * mesh.vertices[t[1]] + best.weights[2] * mesh.vertices[t[2]];
  for (std::uint8_t k = 0; k < 3; ++k) {
    if (best.weights[k] == 1) {
      result.feature = Feature::vertex, result.corner = k, result.point = mesh.vertices[t[k]];
      return result;
    }
    if (best.weights[k] == 0) result.feature = Feature::edge, result.corner = static_cast<std::uint8_t>((k + 1) % 3);
  }
  return result;
}

// Rays: boxes in double, because a ray has no size that float slack could be measured against.
using WideLanes = Eigen::Array<double, TriangleTree::kWidth, 1>;

struct RayEntry {
  std::uint32_t child;
  double t;
};

/// Where the ray enters each box, grown by `pad`, and whether it meets it before `t_max`.
WideLanes entries_of(const TriangleTree::Node& node, const Vec3& origin, const Vec3& direction, double pad, double t_max,
                     unsigned& met) {
  constexpr double kSlack = 1e-14;   // of a few roundings
  WideLanes enter = WideLanes::Zero(), leave = WideLanes::Constant(t_max);
  for (int axis = 0; axis < 3; ++axis) {
    const WideLanes lower = node.lower[axis].cast<double>() - (origin[axis] + pad),
                    upper = node.upper[axis].cast<double>() - (origin[axis] - pad);
    if (direction[axis] == 0) {
      leave = (lower <= 0 && upper >= 0).select(leave, -1.0);
      continue;
    }
    const WideLanes a = lower / direction[axis], b = upper / direction[axis];
    enter = enter.max(a.min(b) * (1 - kSlack)), leave = leave.min(a.max(b) * (1 + kSlack));
  }
  met = lanes_of((enter <= leave).eval());
  return enter;
}

/// The frame of [Woop, Benthin, Wald 2013] in which the ray is the z axis: products for one edge are equal from both of its
/// faces.
struct RayFrame {
  Vec3 origin;
  int x, y, z;
  double shear_x, shear_y, scale;

  RayFrame(const Vec3& from, const Vec3& direction) : origin(from) {
    direction.cwiseAbs().maxCoeff(&z);
    x = (z + 1) % 3, y = (z + 2) % 3;
    if (direction[z] < 0) std::swap(x, y);
    shear_x = direction[x] / direction[z], shear_y = direction[y] / direction[z], scale = 1 / direction[z];
  }

  Vec3 sheared(const Vec3& vertex) const {
    const Vec3 v = vertex - origin;
    return {v[x] - shear_x * v[z], v[y] - shear_y * v[z], scale * v[z]};
  }
};

/// a b − c d with the right sign always (Kahan): of an edge seen from its two faces exactly one is negative.
double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  return std::fma(a, b, -cd) + std::fma(-c, d, cd);
}

void hit_triangle(const TriangleMesh& mesh, std::uint32_t triangle, const RayFrame& ray, std::optional<RayHit>& best,
                  double& t_max) {
  const auto& t = mesh.triangles[triangle];
  const Vec3 a = ray.sheared(mesh.vertices[t[0]]), b = ray.sheared(mesh.vertices[t[1]]), c = ray.sheared(mesh.vertices[t[2]]);
  const double u = difference_of_products(c.x(), b.y(), c.y(), b.x()), v = difference_of_products(a.x(), c.y(), a.y(), c.x()),
               w = difference_of_products(b.x(), a.y(), b.y(), a.x());
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return;
  const double sum = u + v + w;
  if (sum == 0) return;
  const double at = (u * a.z() + v * b.z() + w * c.z()) / sum;
  if (!(at >= 0 && at <= t_max) || (best && at == best->t && triangle > best->triangle)) return;
  best = RayHit{at, triangle, Vec3(u, v, w) / sum};
  t_max = at;
}

}   // namespace

void overlapping(const TriangleMesh& mesh, const TriangleTree& tree, const Aabb& box, std::vector<std::uint32_t>& found) {
  found.clear();
  if (tree.empty()) return;
  const FloatPoint lower(box.lower - tree.origin()), upper(box.upper - tree.origin());
  TreeStack<std::uint32_t> stack;
  stack.push(0);
  while (!stack.empty()) {
    const std::uint32_t child = stack.pop();
    if (TriangleTree::is_leaf(child)) {
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(child); ++i) {
        const std::uint32_t triangle = tree.order()[TriangleTree::leaf_first(child) + i];
        if (triangle_box(mesh, triangle).overlaps(box)) found.push_back(triangle);
      }
      continue;
    }
    const TriangleTree::Node& node = tree.nodes()[child];
    const auto meet = (node.lower[0] <= upper.above[0] && node.upper[0] >= lower.below[0] && node.lower[1] <= upper.above[1] &&
                       node.upper[1] >= lower.below[1] && node.lower[2] <= upper.above[2] && node.upper[2] >= lower.below[2])
                          .eval();
    for (int k = TriangleTree::kWidth; k-- > 0;)
      if (meet[k] && node.children[k] != TriangleTree::kNone) stack.push(node.children[k]);
  }
}

std::optional<MeshPoint> closest_point(const TriangleMesh& mesh, const TriangleTree& tree, const Vec3& from, double reach,
                                       std::uint32_t hint) {
  if (tree.empty() || !(reach >= 0)) return std::nullopt;
  NearestSoFar best{reach * reach};
  if (hint != TriangleTree::kNone) best.look(mesh, hint, from);
  const FloatPoint point(from - tree.origin());
  TreeStack<NearEntry> stack;
  stack.push({0, 0.0f});
  float limit = float_above(best.squared);
  while (!stack.empty()) {
    const NearEntry entry = stack.pop();
    if (entry.below_squared > limit) continue;
    if (!TriangleTree::is_leaf(entry.child)) {
      const TriangleTree::Node& node = tree.nodes()[entry.child];
      push_by_distance(node, squared_below(node, point), limit, stack);
      continue;
    }
    for (std::uint32_t i = 0; i < TriangleTree::leaf_count(entry.child); ++i)
      best.look(mesh, tree.order()[TriangleTree::leaf_first(entry.child) + i], from);
    limit = float_above(best.squared);
  }
  if (best.triangle == TriangleTree::kNone) return std::nullopt;
  return described(mesh, best);
}

std::optional<RayHit> first_hit(const TriangleMesh& mesh, const TriangleTree& tree, const Vec3& origin, const Vec3& direction,
                                double t_max) {
  if (tree.empty() || !(t_max >= 0) || direction.isZero(0)) return std::nullopt;
  const RayFrame ray(origin, direction);
  const Vec3 local = origin - tree.origin();
  const double pad = 1e-15 * (local.norm() + (tree.bounds().upper - tree.bounds().lower).norm());
  std::optional<RayHit> best;
  TreeStack<RayEntry> stack;
  stack.push({0, 0});
  while (!stack.empty()) {
    const RayEntry entry = stack.pop();
    if (entry.t > t_max) continue;
    if (TriangleTree::is_leaf(entry.child)) {
      for (std::uint32_t i = 0; i < TriangleTree::leaf_count(entry.child); ++i)
        hit_triangle(mesh, tree.order()[TriangleTree::leaf_first(entry.child) + i], ray, best, t_max);
      continue;
    }
    const TriangleTree::Node& node = tree.nodes()[entry.child];
    unsigned met = 0;
    const WideLanes enter = entries_of(node, local, direction, pad, t_max, met);
    RayEntry near[TriangleTree::kWidth];
    int count = 0;
    for (int k = 0; k < TriangleTree::kWidth && node.children[k] != TriangleTree::kNone; ++k) {
      if ((met >> k & 1u) == 0) continue;
      int at = count++;
      for (; at > 0 && near[at - 1].t <= enter[k]; --at) near[at] = near[at - 1];
      near[at] = {node.children[k], enter[k]};
    }
    for (int i = 0; i < count; ++i) stack.push(near[i]);
  }
  return best;
}

}   // namespace stickslip
