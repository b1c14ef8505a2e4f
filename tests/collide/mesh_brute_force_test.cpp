// Contacts on meshes against brute force over all triangles: how far shapes are apart, and that what contacts claim is there.
// STICKSLIP_PAIRS asks for more pairs of each kind than the daily test, a filter such as *MeshBruteForce*cylinder* for a kind.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "collide/near_pairs.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/collide/separation.h"
#include "stickslip/distance/triangles.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::testing::mesh_brute_force {
namespace {

using Triangle = std::array<Vec3, 3>;

int pairs_asked(int daily) {
  const char* asked = std::getenv("STICKSLIP_PAIRS");
  return asked ? std::atoi(asked) : daily;
}

/// An edge of a mesh gets a corner in its middle, with a triangle without area beside it.
TriangleMesh with_sliver(TriangleMesh mesh) {
  const auto [a, b, c] = mesh.triangles.front();
  const auto middle = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
  mesh.triangles.front() = {a, middle, c};
  mesh.triangles.push_back({middle, b, c});
  mesh.triangles.push_back({a, b, middle});
  return mesh;
}

/// The surface of a polytope; the axis of a capsule and the centre of a ball. Cylinders have none.
std::vector<Triangle> triangles_of(const Shape& shape, const Pose& pose) {
  TriangleMesh mesh;
  if (const auto* box = std::get_if<Box>(&shape)) mesh = box_mesh(box->half_extents);
  else if (const auto* m = std::get_if<Mesh>(&shape)) mesh = m->solid->mesh();
  else if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
    const Polytope& p = *hull->polytope;
    mesh.vertices = p.vertices;
    for (const auto& f : p.faces)
      for (int k = 1; k + 1 < f.count; ++k)
        mesh.triangles.push_back({static_cast<std::uint32_t>(p.loops[f.first]),
                                  static_cast<std::uint32_t>(p.loops[f.first + k]),
                                  static_cast<std::uint32_t>(p.loops[f.first + k + 1])});
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vec3 top(0, 0, capsule->half_height);
    mesh.vertices = {-top, top, top};
    mesh.triangles = {{0, 1, 2}};
  } else if (std::holds_alternative<Sphere>(shape)) {
    mesh.vertices = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    mesh.triangles = {{0, 1, 2}};
  }
  std::vector<Triangle> all;
  for (const auto& t : mesh.triangles)
    all.push_back({pose * mesh.vertices[t[0]], pose * mesh.vertices[t[1]], pose * mesh.vertices[t[2]]});
  return all;
}

double radius_around(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* c = std::get_if<Capsule>(&shape)) return c->radius;
  return 0;
}

/// Signed distance of a point from a cylinder in its own frame.
double from_cylinder(const Cylinder& c, const Vec3& x) {
  const double side = std::hypot(x.x(), x.y()) - c.radius, cap = std::abs(x.z()) - c.half_height;
  if (side > 0 && cap > 0) return std::hypot(side, cap);
  return std::max(side, cap);
}

/// The least of a convex function on [0, 1].
double least(auto&& f, int steps) {
  const double part = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 1, x = high - part, y = part, fx = f(x), fy = f(y), best = std::min({fx, fy, f(0.0), f(1.0)});
  for (int i = 0; i < steps; ++i) {
    if (fx < fy) high = y, y = x, fy = fx, x = high - part * (high - low), fx = f(x);
    else low = x, x = y, fx = fy, y = low + part * (high - low), fy = f(y);
    best = std::min({best, fx, fy});
  }
  return best;
}

/// No point of a triangle is farther from its first corner.
double reach_of(const Triangle& t) { return std::max((t[1] - t[0]).norm(), (t[2] - t[0]).norm()); }

/// How far two shapes are apart, the second a mesh; 0 or less if they meet [m].
double distance_of(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  double closest = std::numeric_limits<double>::infinity();
  const std::vector<Triangle> of_b = triangles_of(b, pose_b);
  if (std::holds_alternative<HalfSpace>(a)) {
    for (const Triangle& t : of_b)
      for (const Vec3& x : t) closest = std::min(closest, pose_a.to_local(x).z());
    return closest;
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&a)) {
    for (const Triangle& t : of_b) {
      const Vec3 x = pose_a.to_local(t[0]), u = pose_a.to_local(t[1]) - x, v = pose_a.to_local(t[2]) - x;
      const double far = std::sqrt(closest_on_triangle(pose_a.position, t[0], t[1], t[2]).squared_distance) -
                         std::hypot(cylinder->radius, cylinder->half_height);
      if (far > closest) continue;
      closest = std::min(
          closest, least(
                       [&](double s) {
                         return least([&](double r) { return from_cylinder(*cylinder, x + s * u + (1 - s) * r * v); }, 40);
                       },
                       40));
    }
    return closest;
  }
  for (const Triangle& s : triangles_of(a, pose_a))
    for (const Triangle& t : of_b) {
      const double far = (s[0] - t[0]).norm() - reach_of(s) - reach_of(t);
      if (far < closest) closest = std::min(closest, std::sqrt(closest_of_triangles(s, t).squared_distance));
    }
  return closest - radius_around(a);
}

/// Distance of a point from the surface of a mesh [m].
double off_surface(const TriangleMesh& mesh, const Vec3& point) {
  double closest = std::numeric_limits<double>::infinity();
  for (const auto& [a, b, c] : mesh.triangles)
    closest =
        std::min(closest, closest_on_triangle(point, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]).squared_distance);
  return std::sqrt(closest);
}

/// How far a point lies outside a shape [m].
double outside(const Shape& shape, const Pose& pose, const Vec3& point) {
  if (const auto* m = std::get_if<Mesh>(&shape)) return off_surface(m->solid->mesh(), pose.to_local(point));
  if (std::holds_alternative<HalfSpace>(shape)) return std::max(0.0, pose.to_local(point).z());
  if (const auto* cylinder = std::get_if<Cylinder>(&shape))
    return std::max(0.0, from_cylinder(*cylinder, pose.to_local(point)));
  double closest = std::numeric_limits<double>::infinity();
  bool behind = true;
  for (const auto& [a, b, c] : triangles_of(shape, pose)) {
    closest = std::min(closest, closest_on_triangle(point, a, b, c).squared_distance);
    behind = behind && (b - a).cross(c - a).dot(point - a) < 0;
  }
  return behind ? 0 : std::max(0.0, std::sqrt(closest) - radius_around(shape));
}

std::vector<Shape> meshes() {
  std::vector<Shape> all;
  for (const TriangleMesh& m : {l_mesh(), cross_mesh(), torus_mesh(1, 0.35, 12, 8), sphere_mesh(1, 10),
                                box_mesh(Vec3(1, 0.8, 0.6)), with_sliver(box_mesh(Vec3(0.7, 0.9, 0.5))), with_sliver(l_mesh())})
    all.push_back(make_mesh(m));
  return all;
}

/// A shape beside a mesh at the origin.
struct Placed {
  Shape shape;
  Pose pose;
  Vec3 way;   ///< that it came, unit
};

Shape shape_of(PairMaker& random, std::size_t kind, int i) {
  if (kind < 6) return random.shape(kind);
  return make_mesh(i % 2 ? l_mesh() : box_mesh(Vec3(0.4, 0.5, 0.6)));
}

/// Comes from outside along a line until it is as near as asked: anyhow, or with faces and edges along those of the mesh. The
/// library finds the way, since brute force takes long; how near it is then is found out without it.
Placed place(PairMaker& random, std::size_t kind, const Shape& mesh, double apart, int i) {
  static const Quat kAlong[] = {Quat::Identity(), testing::turned(M_PI / 2, Vec3::UnitX()),
                                testing::turned(M_PI / 2, Vec3::UnitY()), testing::turned(M_PI / 4, Vec3::UnitZ()),
                                testing::turned(0.3, Vec3::UnitZ())};
  const bool aligned = i % 3 == 0;
  Placed p{shape_of(random, kind, i), {}, aligned ? Vec3(i / 2 % 2 ? -Vec3::UnitZ() : -Vec3::UnitX()) : random.direction()};
  const bool plane = std::holds_alternative<HalfSpace>(p.shape);
  p.pose.orientation = plane ? rotation_between(Vec3::UnitZ(), p.way) : aligned ? kAlong[i / 3 % 5] : random.rotation();
  p.pose.position = -6 * p.way;
  if (!plane) p.pose.position += 0.6 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  for (int k = 0; k < 60; ++k) {
    const double d = separation(p.shape, p.pose, mesh, {}).distance;
    if (d <= apart + 1e-9 || d > 20) break;
    p.pose.position += 0.999 * (d - apart) * p.way;
  }
  return p;
}

struct Tolerance {
  double gap = 1e-8, place = 1e-8;   ///< [m]; shapes are about 1 m
};
/// Patches of convex shapes, up to 3 m across, may miss the nearest points by 1e-4 of their size (kPatchMisses), edges see
/// cylinders rounded by 1e-3 of the radius (kEdgeInset).
Tolerance tolerance_for(std::size_t kind) {
  if (kind == 3) return {2e-4, 2e-3};
  return kind == 1 || kind == 5 ? Tolerance{1e-4, 3e-4} : Tolerance{};
}

double lowest_of(const ContactSink& sink) { return lowest_gap(sink.points()); }

/// Both ends of every gap are points of the shapes; along edges that take the normal of a face within 2°, to that sine.
void expect_attained(const Placed& p, const Shape& mesh, const ContactSink& sink, double tolerance, const std::string& which) {
  for (const ContactPoint& c : sink.points()) {
    const double allowed = 0.035 * std::abs(c.gap) + tolerance;
    EXPECT_NEAR(c.normal.norm(), 1, 1e-12) << which;
    EXPECT_LE(outside(p.shape, p.pose, c.position - 0.5 * c.gap * c.normal), allowed) << which << " gap " << c.gap;
    EXPECT_LE(off_surface(std::get<Mesh>(mesh).solid->mesh(), c.position + 0.5 * c.gap * c.normal), allowed)
        << which << " gap " << c.gap;
  }
}

const char* const kKinds[] = {"sphere", "box", "capsule", "cylinder", "half_space", "hull", "mesh"};
constexpr std::size_t kCylinder = 3;

class MeshBruteForce : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::vector<Shape> all_ = meshes();
  ContactSink sink_;
};

TEST_P(MeshBruteForce, a_shape_apart_from_a_mesh_is_as_far_as_the_nearest_triangle) {
  const std::size_t kind = GetParam();
  PairMaker random(10 + static_cast<unsigned>(kind));
  int seen = 0;
  const int count = pairs_asked(kind == kCylinder ? 14 : 42);
  for (int i = 0; i < count; ++i) {
    const Shape& mesh = all_[static_cast<std::size_t>(i) % all_.size()];
    const Placed p = place(random, kind, mesh, std::pow(10, random.uniform(-6, -1)), i);
    const double d = distance_of(p.shape, p.pose, mesh, {});
    if (!(d > 0) || d > 0.3) continue;
    ++seen;
    const std::string which = std::string(shape_name(p.shape)) + " " + std::to_string(i);
    collide(p.shape, p.pose, mesh, {}, d + 0.05, sink_);
    ASSERT_FALSE(sink_.points().empty()) << which;
    EXPECT_LE(lowest_of(sink_), d + tolerance_for(kind).gap) << which;
    EXPECT_GE(lowest_of(sink_), 0.9993 * d - tolerance_for(kind).gap) << which;
    expect_attained(p, mesh, sink_, tolerance_for(kind).place, which);
  }
  EXPECT_GT(seen, count / 2);
}

/// How deep the points of a shape lie in a mesh, corners or points on its rims or axis; of a half-space the other way [m].
double depth_of(const Placed& p, const MeshSurface& surface) {
  double deepest = 0;
  if (std::holds_alternative<HalfSpace>(p.shape)) {
    for (const Vec3& x : surface.mesh().vertices) deepest = std::max(deepest, -p.pose.to_local(x).z());
    return deepest;
  }
  std::vector<Vec3> points;
  if (const auto* c = std::get_if<Cylinder>(&p.shape))
    for (int k = 0; k < 64; ++k)
      for (const double z : {-c->half_height, c->half_height})
        points.push_back(p.pose * Vec3(c->radius * std::cos(M_PI / 32 * k), c->radius * std::sin(M_PI / 32 * k), z));
  if (const auto* c = std::get_if<Capsule>(&p.shape))
    for (int k = 1; k < 16; ++k) points.push_back(p.pose * Vec3(0, 0, (k / 8.0 - 1) * c->half_height));
  for (const Triangle& t : triangles_of(p.shape, p.pose)) points.insert(points.end(), t.begin(), t.end());
  for (const Vec3& x : points)
    deepest = std::max(deepest, radius_around(p.shape) - signed_distance(surface, x, SignRule::normals)->distance);
  return deepest;
}

TEST_P(MeshBruteForce, a_shape_that_overlaps_a_mesh_is_held_as_deep_as_its_points_lie_in_it) {
  const std::size_t kind = GetParam();
  PairMaker random(30 + static_cast<unsigned>(kind));
  int seen = 0;
  const int count = pairs_asked(kind == kCylinder ? 7 : 42);
  for (int i = 0; i < count; ++i) {
    const Shape& mesh = all_[static_cast<std::size_t>(i) % all_.size()];
    Placed p = place(random, kind, mesh, 1e-7, i);
    const double deep = std::pow(10, random.uniform(-5, -1.3));
    p.pose.position += deep * p.way;
    if (distance_of(p.shape, p.pose, mesh, {}) > 0) continue;
    ++seen;
    const std::string which = std::string(shape_name(p.shape)) + " " + std::to_string(i);
    collide(p.shape, p.pose, mesh, {}, 0.06, sink_);
    ASSERT_FALSE(sink_.points().empty()) << which;
    EXPECT_LE(lowest_of(sink_), tolerance_for(kind).gap) << which;
    // A plane sees four points of a rim, of which edges cut off some.
    const double held = kind == kCylinder ? 0.5 : 0.999, depth = depth_of(p, std::get<Mesh>(mesh).solid->surface());
    EXPECT_GE(-lowest_of(sink_), held * depth - tolerance_for(kind).gap) << which;
    expect_attained(p, mesh, sink_, tolerance_for(kind).place, which);
  }
  EXPECT_GT(seen, count / 2);
}

INSTANTIATE_TEST_SUITE_P(Of, MeshBruteForce, ::testing::Range(std::size_t{0}, std::size(kKinds)),
                         [](const auto& kind) { return std::string(kKinds[kind.param]); });

}   // namespace
}   // namespace stickslip::testing::mesh_brute_force
