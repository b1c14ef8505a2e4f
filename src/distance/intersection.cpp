#include "stickslip/distance/intersection.h"

#include <algorithm>

#include "distance/expansion.h"

namespace stickslip {
namespace {

using Difference = Expansion<2>;

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Difference u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = Difference::difference(b[k], a[k]);
    v[k] = Difference::difference(c[k], a[k]);
    w[k] = Difference::difference(d[k], a[k]);
  }
  const auto part = [&](int x, int y, int z) { return u[x].times(v[y]).plus(u[y].times(v[x]), -1).times(w[z]); };
  return part(1, 2, 0).plus(part(2, 0, 1)).plus(part(0, 1, 2)).sign();
}

int exact_orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Difference ux = Difference::difference(b.x(), a.x()), uy = Difference::difference(b.y(), a.y());
  const Difference vx = Difference::difference(c.x(), a.x()), vy = Difference::difference(c.y(), a.y());
  return ux.times(vy).plus(uy.times(vx), -1).sign();
}

/// The point without one coordinate; the others in cyclic order.
Vec2 seen_along(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

bool within_box(const Vec3& p, const Vec3& a, const Vec3& b) {
  return (a.cwiseMin(b).array() <= p.array()).all() && (p.array() <= a.cwiseMax(b).array()).all();
}

/// Edges in a plane that lies askew to the axis.
bool edges_meet_seen_along(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, int axis) {
  const Vec2 p = seen_along(a0, axis), q = seen_along(a1, axis), r = seen_along(b0, axis), s = seen_along(b1, axis);
  const int r_side = orientation(p, q, r), s_side = orientation(p, q, s);
  const int p_side = orientation(r, s, p), q_side = orientation(r, s, q);
  if (r_side * s_side < 0 && p_side * q_side < 0) return true;
  // Otherwise an end of one lies on the other: in line with it, and within its box.
  return (r_side == 0 && within_box(b0, a0, a1)) || (s_side == 0 && within_box(b1, a0, a1)) ||
         (p_side == 0 && within_box(a0, b0, b1)) || (q_side == 0 && within_box(a1, b0, b1));
}

/// An axis along which the points are not seen on a line; −1 if they are on a line.
int askew_axis(const std::array<Vec3, 4>& x) {
  for (int axis = 0; axis < 3; ++axis)
    for (int left_out = 3; left_out >= 0; --left_out) {
      const Vec3 &a = x[left_out == 0 ? 1 : 0], &b = x[left_out <= 1 ? 2 : 1], &c = x[left_out <= 2 ? 3 : 2];
      if (orientation(seen_along(a, axis), seen_along(b, axis), seen_along(c, axis)) != 0) return axis;
    }
  return -1;
}

bool boxes_apart(const Vec3& low_a, const Vec3& high_a, const Vec3& low_b, const Vec3& high_b) {
  return (high_a.array() < low_b.array()).any() || (high_b.array() < low_a.array()).any();
}

/// An edge in the plane of a triangle with area.
bool edge_meets_triangle_in_plane(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& x, int axis) {
  const Vec2 a = seen_along(x[0], axis), b = seen_along(x[1], axis), c = seen_along(x[2], axis), s = seen_along(p, axis);
  const int turn = orientation(a, b, c);
  if (turn * orientation(a, b, s) >= 0 && turn * orientation(b, c, s) >= 0 && turn * orientation(c, a, s) >= 0) return true;
  for (int i = 0; i < 3; ++i)
    if (edges_meet_seen_along(p, q, x[i], x[(i + 1) % 3], axis)) return true;
  return false;
}

}   // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  const double det = u.cross(v).dot(w);
  // Permanent of the same matrix times 8 units of rounding: more than all errors of det.
  const Vec3 s = u.cwiseAbs(), t = v.cwiseAbs(), r = w.cwiseAbs();
  const double permanent =
      (s[1] * t[2] + s[2] * t[1]) * r[0] + (s[2] * t[0] + s[0] * t[2]) * r[1] + (s[0] * t[1] + s[1] * t[0]) * r[2];
  const double error = 9e-16 * permanent;
  if (det > error) return 1;
  if (det < -error) return -1;
  return exact_orientation(a, b, c, d);
}

int orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (b.x() - a.x()) * (c.y() - a.y()), right = (b.y() - a.y()) * (c.x() - a.x());
  const double det = left - right, error = 4e-16 * (std::abs(left) + std::abs(right));
  if (det > error) return 1;
  if (det < -error) return -1;
  return exact_orientation(a, b, c);
}

bool edges_meet(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  if (boxes_apart(a0.cwiseMin(a1), a0.cwiseMax(a1), b0.cwiseMin(b1), b0.cwiseMax(b1))) return false;
  if (orientation(a0, a1, b0, b1) != 0) return false;
  const int axis = askew_axis({a0, a1, b0, b1});
  // On one line edges meet where their boxes do.
  return axis < 0 || edges_meet_seen_along(a0, a1, b0, b1, axis);
}

bool edge_meets_triangle(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& x) {
  const int p_side = orientation(x[0], x[1], x[2], p), q_side = orientation(x[0], x[1], x[2], q);
  if (p_side * q_side > 0) return false;
  if (p_side != 0 || q_side != 0) {   // the line crosses the plane in one point: is it inside?
    const int a = orientation(p, q, x[0], x[1]), b = orientation(p, q, x[1], x[2]), c = orientation(p, q, x[2], x[0]);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
  }
  const int axis = askew_axis({x[0], x[1], x[2], x[2]});
  if (axis >= 0) return edge_meets_triangle_in_plane(p, q, x, axis);
  // Without area it is its edges.
  return edges_meet(p, q, x[0], x[1]) || edges_meet(p, q, x[1], x[2]) || edges_meet(p, q, x[2], x[0]);
}

bool triangles_meet(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  const auto low = [](const std::array<Vec3, 3>& x) { return Vec3(x[0].cwiseMin(x[1]).cwiseMin(x[2])); };
  const auto high = [](const std::array<Vec3, 3>& x) { return Vec3(x[0].cwiseMax(x[1]).cwiseMax(x[2])); };
  if (boxes_apart(low(a), high(a), low(b), high(b))) return false;
  // All of one strictly on one side of the other: the usual answer.
  const auto apart = [](const std::array<Vec3, 3>& x, const std::array<Vec3, 3>& y) {
    const int side = orientation(x[0], x[1], x[2], y[0]);
    return side != 0 && side == orientation(x[0], x[1], x[2], y[1]) && side == orientation(x[0], x[1], x[2], y[2]);
  };
  if (apart(a, b) || apart(b, a)) return false;
  for (int i = 0; i < 3; ++i)
    if (edge_meets_triangle(a[i], a[(i + 1) % 3], b) || edge_meets_triangle(b[i], b[(i + 1) % 3], a)) return true;
  return false;
}

}   // namespace stickslip
