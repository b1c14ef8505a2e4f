// Random pairs of shapes that overlap or nearly touch, and a brute-force oracle for how far apart they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stickslip/collide/collide.h"

namespace stickslip::testing {

inline Quat turned(double angle, const Vec3& axis) { return Quat(Eigen::AngleAxisd(angle, axis)); }

struct NearPair {
  Shape a, b;
  Pose pose_a, pose_b;
  double size;     // smaller characteristic length of the two [m]
  double margin;   // [m]
};

class PairMaker {
 public:
  explicit PairMaker(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(random_), normal(random_), normal(random_)).normalized();
  }
  Quat rotation() {
    std::normal_distribution<double> normal;
    return Quat(normal(random_), normal(random_), normal(random_), normal(random_)).normalized();
  }
  Shape shape(std::size_t kind) {
    const auto length = [&] { return uniform(0.3, 1.0); };
    switch (kind) {
      case 0:
        return Sphere{length()};
      case 1:
        return Box{Vec3(length(), length(), length())};
      case 2:
        return Capsule{length(), length()};
      case 3:
        return Cylinder{length(), length()};
      case 4:
        return HalfSpace{};
      default: {
        std::vector<Vec3> points;
        const Vec3 extents(length(), length(), length());
        for (int k = 0; k < 16; ++k) points.push_back(direction().cwiseProduct(extents));
        return make_convex_hull(points);
      }
    }
  }
  /// B lies so that along a random direction the shapes overlap by up to `deepest` or miss by up to `farthest`, both in
  /// parts of the smaller characteristic length.
  NearPair near_pair(std::size_t kind_a, std::size_t kind_b, double deepest = 0.4, double farthest = 0.1) {
    NearPair pair{shape(kind_a), shape(kind_b), {}, {}, 0, 0};
    pair.size = std::min(characteristic_length(pair.a), characteristic_length(pair.b));
    pair.margin = 0.05 * pair.size;
    pair.pose_a = {Vec3(uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)), rotation()};
    pair.pose_b.orientation = rotation();
    const Vec3 u = direction();
    const double apart = extent(pair.a, pair.pose_a.orientation, u) + extent(pair.b, pair.pose_b.orientation, -u) +
                         uniform(-deepest, farthest) * pair.size;
    pair.pose_b.position = pair.pose_a.position + apart * u;
    return pair;
  }

 private:
  static double extent(const Shape& shape, const Quat& orientation, const Vec3& u) {
    return u.dot(orientation * support(shape, orientation.conjugate() * u));
  }
  std::mt19937 random_;
};

/// Distance of the two supporting planes across the unit vector n: a lower bound of the separation for every n [m].
inline double separation_along(const NearPair& p, const Vec3& n) {
  const Vec3 on_a = p.pose_a * support(p.a, p.pose_a.orientation.conjugate() * n);
  const Vec3 on_b = p.pose_b * support(p.b, p.pose_b.orientation.conjugate() * Vec3(-n));
  return n.dot(on_b - on_a);
}

/// Best separation found over many directions: a lower bound of the true one (distance of shapes apart, minus the depth of
/// shapes that overlap), near to it. A grid on the sphere, then its best directions refined in shrinking rings.
inline double searched_separation(const NearPair& p, int grid = 200, int refined = 3) {
  std::vector<std::pair<double, Vec3>> best;
  const double golden = M_PI * (3 - std::sqrt(5.0));
  for (int k = 0; k < grid; ++k) {
    const double z = 1 - (2 * k + 1.0) / grid, r = std::sqrt(1 - z * z);
    const Vec3 n(r * std::cos(golden * k), r * std::sin(golden * k), z);
    best.emplace_back(separation_along(p, n), n);
  }
  std::partial_sort(best.begin(), best.begin() + refined, best.end(), [](auto& x, auto& y) { return x.first > y.first; });
  double largest = best[0].first;
  for (int k = 0; k < refined; ++k) {
    auto [value, n] = best[k];
    for (double step = 0.2; step > 1e-5; step *= 0.6) {
      const Mat3 frame = frame_from_normal(n);
      for (int ring = 0; ring < 8; ++ring) {
        const double angle = M_PI / 4 * ring + step;
        const Vec3 m = (n + step * (std::cos(angle) * frame.col(1) + std::sin(angle) * frame.col(2))).normalized();
        const double s = separation_along(p, m);
        if (s > value) value = s, n = m;
      }
    }
    largest = std::max(largest, value);
  }
  return largest;
}

/// Face normals and edge directions of a box or hull, world frame.
inline void axes(const Shape& shape, const Pose& pose, std::vector<Vec3>& normals, std::vector<Vec3>& edges) {
  if (std::holds_alternative<Box>(shape)) {
    const Mat3 r = pose.rotation();
    for (int k = 0; k < 3; ++k) {
      normals.push_back(r.col(k));
      normals.push_back(-r.col(k));
      edges.push_back(r.col(k));
    }
    return;
  }
  const Polytope& hull = *std::get<ConvexHull>(shape).polytope;
  for (const auto& face : hull.faces) normals.push_back(pose.orientation * face.normal);
  for (const auto& edge : hull.edges)
    edges.push_back(pose.orientation * Vec3(hull.vertices[edge.vertex[1]] - hull.vertices[edge.vertex[0]]).normalized());
}

/// The same for boxes and hulls, exactly where they overlap: every face normal and every pair of edges is tried.
struct ExactSeparation {
  double all;     // over all axes
  double faces;   // over face normals only
};
inline ExactSeparation exact_separation(const NearPair& p) {
  std::vector<Vec3> normals_a, normals_b, edges_a, edges_b;
  axes(p.a, p.pose_a, normals_a, edges_a);
  axes(p.b, p.pose_b, normals_b, edges_b);
  const double none = -std::numeric_limits<double>::infinity();
  ExactSeparation s{none, none};
  for (const Vec3& n : normals_a) s.faces = std::max(s.faces, separation_along(p, n));
  for (const Vec3& n : normals_b) s.faces = std::max(s.faces, separation_along(p, -n));
  s.all = s.faces;
  for (const Vec3& u : edges_a) {
    for (const Vec3& v : edges_b) {
      const Vec3 n = u.cross(v);
      if (n.squaredNorm() < 1e-12) continue;
      s.all = std::max({s.all, separation_along(p, n.normalized()), separation_along(p, -n.normalized())});
    }
  }
  return s;
}

inline std::vector<ContactPoint> contacts(const NearPair& p) {
  ContactSink sink;
  collide(p.a, p.pose_a, p.b, p.pose_b, p.margin, sink);
  return sink.points();
}

inline double lowest_gap(const std::vector<ContactPoint>& points) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const ContactPoint& point : points) lowest = std::min(lowest, point.gap);
  return lowest;
}

}   // namespace stickslip::testing
