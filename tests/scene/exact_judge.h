// Whether anything in a world has points in common, found without the code of the barrier integrator: all pairs of triangles
// whose boxes overlap, judged in rational numbers.
#pragma once

#include <algorithm>
#include <numbers>
#include <optional>

#include "distance/rational_triangles.h"
#include "stickslip/distance/closest.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/world/world.h"

namespace stickslip::testing {

class ExactJudge {
 public:
  explicit ExactJudge(const World& world) : world_(world) {
    for (std::uint32_t slot = 0; slot < world.bodies().size(); ++slot)
      if (world.bodies()[slot].alive) add_body(slot);
  }

  /// The names of two bodies that touch.
  std::optional<std::string> meeting() const {
    std::vector<std::uint32_t> order(faces_.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::sort(order, {}, [&](std::uint32_t k) { return faces_[k].lower.x(); });
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = i + 1; j < order.size() && faces_[order[j]].lower.x() <= faces_[order[i]].upper.x(); ++j)
        if (meet(faces_[order[i]], faces_[order[j]])) return names(faces_[order[i]].body, faces_[order[j]].body);
    for (const Round& r : rounds_) {
      for (const Face& f : faces_)
        if (may_meet(r.body, f.body) && distance(r, f) <= r.radius) return names(r.body, f.body);
      for (const Round& other : rounds_)
        if (&other > &r && may_meet(r.body, other.body) && distance(r, other) <= r.radius + other.radius)
          return names(r.body, other.body);
    }
    for (const Ground& g : grounds_) {
      const auto below = [&](const Vec3& x, double radius) { return g.normal.dot(x) - g.offset <= radius; };
      for (const Face& f : faces_)
        if (may_meet(g.body, f.body) && std::ranges::any_of(f.corners, [&](const Vec3& x) { return below(x, 0); }))
          return names(g.body, f.body);
      for (const Round& r : rounds_)
        if (may_meet(g.body, r.body) && (below(r.ends[0], r.radius) || below(r.ends[1], r.radius)))
          return names(g.body, r.body);
    }
    return {};
  }

 private:
  struct Face {
    std::uint32_t body;
    std::array<Vec3, 3> corners;
    std::array<std::uint32_t, 3> points;   ///< of nodes: their numbers, so that neighbours are known
    Vec3 lower, upper;
  };
  struct Round {
    std::uint32_t body;
    std::array<Vec3, 2> ends;
    double radius;
  };
  struct Ground {
    std::uint32_t body;
    Vec3 normal;
    double offset;
  };

  std::string names(std::uint32_t a, std::uint32_t b) const {
    return world_.bodies()[a].name + " and " + world_.bodies()[b].name;
  }

  void add_face(std::uint32_t body, const std::array<Vec3, 3>& x, const std::array<std::uint32_t, 3>& points) {
    faces_.push_back({body, x, points, x[0].cwiseMin(x[1]).cwiseMin(x[2]), x[0].cwiseMax(x[1]).cwiseMax(x[2])});
  }

  void add_body(std::uint32_t slot) {
    const Body& body = world_.bodies()[slot];
    for (const std::uint32_t number : body.colliders) {
      const Collider& c = world_.colliders()[number];
      if (c.deforms) {
        const NodalBody& nodes = world_.nodal_bodies()[body.place];
        for (const auto& t : nodes.triangles)
          add_face(slot, {nodes.positions[t[0]], nodes.positions[t[1]], nodes.positions[t[2]]}, t);
      } else if (body.is_rigid()) {
        add_shape(slot, c.shape, [&](const Vec3& v) { return Pose{body.position, body.orientation} * (c.local * v); });
      } else {
        const Vec3 at = world_.nodal_bodies()[body.place].positions[c.node];
        rounds_.push_back({slot, {at, at}, std::get<Sphere>(c.shape).radius});
      }
    }
  }

  void add_shape(std::uint32_t slot, const Shape& shape, const auto& place) {
    std::vector<std::vector<Vec3>> faces;   // polygons, in the frame of the shape
    if (const auto* s = std::get_if<Sphere>(&shape)) {
      rounds_.push_back({slot, {place(Vec3::Zero()), place(Vec3::Zero())}, s->radius});
    } else if (const auto* k = std::get_if<Capsule>(&shape)) {
      rounds_.push_back({slot, {place(Vec3(0, 0, -k->half_height)), place(Vec3(0, 0, k->half_height))}, k->radius});
    } else if (std::holds_alternative<HalfSpace>(shape)) {
      const Vec3 origin = place(Vec3::Zero()), normal = place(Vec3::UnitZ()) - origin;
      grounds_.push_back({slot, normal, normal.dot(origin)});
    } else if (const auto* b = std::get_if<Box>(&shape)) {
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0}) {
          std::vector<Vec3>& face = faces.emplace_back();
          for (const auto& [u, v] : {std::pair(-1.0, -1.0), std::pair(1.0, -1.0), std::pair(1.0, 1.0), std::pair(-1.0, 1.0)}) {
            Vec3 corner;
            corner[axis] = side;
            corner[(axis + 1) % 3] = u;
            corner[(axis + 2) % 3] = v;
            face.push_back(b->half_extents.cwiseProduct(corner));
          }
        }
    } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
      // The prism that stands for it (docs/barrier.md).
      const auto rim = [&](int i, double z) {
        const double angle = 2 * std::numbers::pi * (i % 32) / 32;
        return Vec3(cylinder->radius * std::cos(angle), cylinder->radius * std::sin(angle), z * cylinder->half_height);
      };
      faces.resize(2);
      for (int i = 0; i < 32; ++i) {
        faces.push_back({rim(i, -1), rim(i + 1, -1), rim(i + 1, 1), rim(i, 1)});
        faces[0].push_back(rim(i, -1));
        faces[1].push_back(rim(i, 1));
      }
    } else if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
      for (const Polytope::Face& f : hull->polytope->faces) {
        faces.emplace_back();
        for (int i = 0; i < f.count; ++i)
          faces.back().push_back(hull->polytope->vertices[static_cast<std::size_t>(hull->polytope->loops[f.first + i])]);
      }
    } else if (const auto* mesh = std::get_if<Mesh>(&shape)) {
      const TriangleMesh& m = mesh->solid->mesh();
      for (const auto& t : m.triangles) faces.push_back({m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]});
    }
    for (const std::vector<Vec3>& face : faces)
      for (std::size_t i = 1; i + 1 < face.size(); ++i)
        add_face(slot, {place(face[0]), place(face[i]), place(face[i + 1])}, {0, 0, 0});
  }

  bool may_meet(std::uint32_t a, std::uint32_t b) const {
    const Body &one = world_.bodies()[a], &other = world_.bodies()[b];
    if (a == b) return !one.is_rigid();
    const auto holds = [&](const Body& soft, std::uint32_t slot) {
      if (soft.is_rigid()) return false;
      const NodalBody& nodes = world_.nodal_bodies()[soft.place];
      return std::ranges::any_of(nodes.held, [&](const HeldNode& h) { return h.body == slot; }) ||
             std::ranges::any_of(nodes.attached, [&](const AttachedNode& h) { return h.body == slot; });
    };
    const bool moves = one.motion == MotionType::dynamic || other.motion == MotionType::dynamic;
    return moves && world_.may_touch(a, b) && !holds(one, b) && !holds(other, a);
  }

  bool meet(const Face& a, const Face& b) const {
    if ((a.lower.array() > b.upper.array()).any() || (b.lower.array() > a.upper.array()).any()) return false;
    if (!may_meet(a.body, b.body)) return false;
    if (a.body == b.body)   // neighbours
      for (const std::uint32_t p : a.points)
        if (std::ranges::find(b.points, p) != b.points.end()) return false;
    return !clearly_apart(a.corners, b.corners) && distance_test::squared_triangle_distance(a.corners, b.corners).is_zero();
  }

  /// Whether a plane lies between both, by much more than rounding: spares rational numbers.
  static bool clearly_apart(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    const auto between = [&](const Vec3& n) {
      double low_a = 1e300, high_a = -1e300, low_b = 1e300, high_b = -1e300, largest = 0;
      for (int i = 0; i < 3; ++i) {
        const double at_a = n.dot(a[i] - b[0]), at_b = n.dot(b[i] - b[0]);
        low_a = std::min(low_a, at_a), high_a = std::max(high_a, at_a);
        low_b = std::min(low_b, at_b), high_b = std::max(high_b, at_b);
        largest = std::max({largest, (a[i] - b[0]).norm(), a[i].norm(), b[i].norm()});
      }
      const double doubt = 1e-13 * n.norm() * largest;
      return low_a > high_b + doubt || low_b > high_a + doubt;
    };
    for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      if (between(((*x)[1] - (*x)[0]).cross((*x)[2] - (*x)[0]))) return true;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          if (between(((*x)[(i + 1) % 3] - (*x)[i]).cross((*y)[(j + 1) % 3] - (*y)[j]))) return true;
    }
    return false;
  }

  static double distance(const Round& r, const Face& f) {
    const auto to_face = [&](const Vec3& x) {
      return closest_on_triangle(x, f.corners[0], f.corners[1], f.corners[2]).squared_distance;
    };
    double squared = std::min(to_face(r.ends[0]), to_face(r.ends[1]));
    for (int k = 0; k < 3; ++k)
      squared =
          std::min(squared, closest_of_edges(r.ends[0], r.ends[1], f.corners[k], f.corners[(k + 1) % 3]).squared_distance);
    const Vec3 n = (f.corners[1] - f.corners[0]).cross(f.corners[2] - f.corners[0]);
    const double from = n.dot(r.ends[0] - f.corners[0]), to = n.dot(r.ends[1] - f.corners[0]);
    if (from * to < 0 && to_face(r.ends[0] + from / (from - to) * (r.ends[1] - r.ends[0])) < 1e-24) return 0;
    return std::sqrt(squared);
  }
  static double distance(const Round& a, const Round& b) {
    return std::sqrt(closest_of_edges(a.ends[0], a.ends[1], b.ends[0], b.ends[1]).squared_distance);
  }

  const World& world_;
  std::vector<Face> faces_;
  std::vector<Round> rounds_;
  std::vector<Ground> grounds_;
};

}   // namespace stickslip::testing
