#include "mesh/health/predicates.h"

#include <cmath>

namespace stickslip {

namespace {

#ifdef __SIZEOF_FLOAT128__
using Wide = __float128;
#else
using Wide = long double;
#endif

constexpr double kPlaneRounding = 7.8e-16,
                 kLineRounding = 3.4e-16;   // bounds of the error relative to the sum of absolute terms [Shewchuk 1997]
constexpr double kWideZero = 1e-31;

int sign_of(Wide value, double terms) {
  const Wide bound = kWideZero * static_cast<Wide>(terms);
  return value > bound ? 1 : value < -bound ? -1 : 0;
}

int wide_side_of_plane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double terms) {
  Wide m[3][3];
  for (int k = 0; k < 3; ++k) {
    m[0][k] = static_cast<Wide>(a[k]) - d[k];
    m[1][k] = static_cast<Wide>(b[k]) - d[k];
    m[2][k] = static_cast<Wide>(c[k]) - d[k];
  }
  return sign_of(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) + m[1][0] * (m[2][1] * m[0][2] - m[2][2] * m[0][1]) +
                     m[2][0] * (m[0][1] * m[1][2] - m[0][2] * m[1][1]),
                 terms);
}

/// The plane of coordinates in which a triangle is largest; false first where it is turned over by that.
struct Flattened {
  int u, v;
  explicit Flattened(const Vec3& across) {
    int drop = 0;
    across.cwiseAbs().maxCoeff(&drop);
    u = (drop + 1) % 3, v = (drop + 2) % 3;
    if (across[drop] < 0) std::swap(u, v);
  }
  Vec2 operator()(const Vec3& p) const { return {p[u], p[v]}; }
};

bool in_between(const Vec2& a, const Vec2& b, const Vec2& p) {
  return std::min(a.x(), b.x()) <= p.x() && p.x() <= std::max(a.x(), b.x()) && std::min(a.y(), b.y()) <= p.y() &&
         p.y() <= std::max(a.y(), b.y());
}

bool segments_meet(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
  const int pa = side_of_line(a, b, p), pb = side_of_line(a, b, q), ap = side_of_line(p, q, a), aq = side_of_line(p, q, b);
  if (pa * pb < 0 && ap * aq < 0) return true;
  return (pa == 0 && in_between(a, b, p)) || (pb == 0 && in_between(a, b, q)) || (ap == 0 && in_between(p, q, a)) ||
         (aq == 0 && in_between(p, q, b));
}

bool flat_segment_meets(const Vec3& p3, const Vec3& q3, const Vec3& a3, const Vec3& b3, const Vec3& c3) {
  const Flattened flat((b3 - a3).cross(c3 - a3));
  const Vec2 p = flat(p3), q = flat(q3), a = flat(a3), b = flat(b3), c = flat(c3);
  if (side_of_line(a, b, p) >= 0 && side_of_line(b, c, p) >= 0 && side_of_line(c, a, p) >= 0) return true;
  return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
}

}   // namespace

int side_of_plane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 x = a - d, y = b - d, z = c - d;
  const double yz = y.y() * z.z(), zy = y.z() * z.y(), zx = z.y() * x.z(), xz = z.z() * x.y(), xy = x.y() * y.z(),
               yx = x.z() * y.y();
  const double value = x.x() * (yz - zy) + y.x() * (zx - xz) + z.x() * (xy - yx);
  const double terms = std::abs(x.x()) * (std::abs(yz) + std::abs(zy)) + std::abs(y.x()) * (std::abs(zx) + std::abs(xz)) +
                       std::abs(z.x()) * (std::abs(xy) + std::abs(yx));
  if (std::abs(value) > kPlaneRounding * terms) return value > 0 ? 1 : -1;
  return terms == 0 ? 0 : wide_side_of_plane(a, b, c, d, terms);
}

int side_of_line(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y()), right = (a.y() - c.y()) * (b.x() - c.x());
  const double terms = std::abs(left) + std::abs(right);
  if (std::abs(left - right) > kLineRounding * terms) return left > right ? 1 : -1;
  if (terms == 0) return 0;
  const Wide cx = c.x(), cy = c.y();
  return sign_of((a.x() - cx) * (b.y() - cy) - (a.y() - cy) * (b.x() - cx), terms);
}

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int from = side_of_plane(a, b, c, p), to = side_of_plane(a, b, c, q);
  if (from == 0 && to == 0) return flat_segment_meets(p, q, a, b, c);
  if (from == to) return false;
  const int s = side_of_plane(p, q, a, b), t = side_of_plane(p, q, b, c), u = side_of_plane(p, q, c, a);
  return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

bool triangles_meet(const Vec3 (&a)[3], const Vec3 (&b)[3]) {
  const auto apart = [](const Vec3(&plane)[3], const Vec3(&other)[3]) {
    const int first = side_of_plane(plane[0], plane[1], plane[2], other[0]);
    return first != 0 && side_of_plane(plane[0], plane[1], plane[2], other[1]) == first &&
           side_of_plane(plane[0], plane[1], plane[2], other[2]) == first;
  };
  if (apart(a, b) || apart(b, a)) return false;
  for (int k = 0; k < 3; ++k)
    if (segment_meets_triangle(a[k], a[(k + 1) % 3], b[0], b[1], b[2]) ||
        segment_meets_triangle(b[k], b[(k + 1) % 3], a[0], a[1], a[2]))
      return true;
  return false;
}

bool triangles_meet_beyond_corner(const Vec3 (&a)[3], const Vec3 (&b)[3]) {
  // What they share is a segment or an area that starts in the corner and ends on the opposite side of one of them.
  return segment_meets_triangle(a[1], a[2], b[0], b[1], b[2]) || segment_meets_triangle(b[1], b[2], a[0], a[1], a[2]);
}

bool is_folded(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  if (side_of_plane(p, q, a, b) != 0) return false;
  const Flattened flat((q - p).cross(a - p));
  return side_of_line(flat(p), flat(q), flat(a)) == side_of_line(flat(p), flat(q), flat(b));
}

}   // namespace stickslip
