// Contacts of surfaces that deform against brute force over all vertices, edges and triangles, and against what is plain to
// see.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include "collide/near_pairs.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/collide/surface.h"
#include "stickslip/distance/closest.h"
#include "stickslip/field/face_minimum.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/geometry/surface_part.h"

namespace stickslip::testing::surface {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// STICKSLIP_PAIRS asks for more pairs of each kind than the daily test.
int pairs_asked(int daily) {
  const char* asked = std::getenv("STICKSLIP_PAIRS");
  return asked ? std::atoi(asked) : daily;
}

/// The surface of a lattice of cells; lattice points inside are vertices that no triangle uses, as nodes of a solid are.
TriangleMesh lattice(const Vec3& half, std::array<int, 3> cells) {
  TriangleMesh mesh;
  const auto at = [&](int i, int j, int k) {
    return static_cast<std::uint32_t>((i * (cells[1] + 1) + j) * (cells[2] + 1) + k);
  };
  for (int i = 0; i <= cells[0]; ++i)
    for (int j = 0; j <= cells[1]; ++j)
      for (int k = 0; k <= cells[2]; ++k)
        mesh.vertices.push_back(
            half.cwiseProduct(Vec3(2.0 * i / cells[0] - 1, 2.0 * j / cells[1] - 1, 2.0 * k / cells[2] - 1)));
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < cells[u]; ++i)
      for (int j = 0; j < cells[v]; ++j)
        for (const int end : {0, cells[axis]}) {
          const auto corner = [&](int du, int dv) {
            std::array<int, 3> p;
            p[axis] = end, p[u] = i + du, p[v] = j + dv;
            return at(p[0], p[1], p[2]);
          };
          if (end > 0) add_quad(mesh, corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
          else add_quad(mesh, corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0));
        }
  }
  return mesh;
}

TriangleMesh moved(TriangleMesh mesh, const Vec3& by) { return placed(std::move(mesh), {by, Quat::Identity()}); }

/// Bent, twisted and dented a little.
TriangleMesh deformed(TriangleMesh mesh, PairMaker& maker, double by) {
  const Vec3 wave = 2 * maker.direction(), shift = by * maker.direction(), phase(maker.uniform(0, 6), 0, 0);
  for (Vec3& x : mesh.vertices)
    x += shift * std::sin(wave.dot(x) + phase.x()) + 0.1 * by * maker.direction() * maker.uniform(0, 1);
  return mesh;
}

struct Found {
  SurfacePart a, b;
  ContactPoint point;
  Vec3 on_a() const { return point.position - 0.5 * point.gap * point.normal; }
  Vec3 on_b() const { return point.position + 0.5 * point.gap * point.normal; }
};

std::vector<Found> list(const ContactSink& sink) {
  std::vector<Found> all;
  for (std::size_t i = 0; i < sink.parts().size(); ++i) {
    const auto& part = sink.parts()[i];
    if (i > 0) {
      EXPECT_GT(part.parts, sink.parts()[i - 1].parts);
    }
    for (std::uint32_t k = part.first; k < part.end; ++k) {
      const ContactPoint& p = sink.points()[k];
      if (k > part.first) {
        EXPECT_GT(p.feature, sink.points()[k - 1].feature);
      }
      EXPECT_TRUE(p.position.allFinite() && p.normal.allFinite() && std::isfinite(p.gap));
      EXPECT_NEAR(p.normal.norm(), 1, 1e-9);
      all.push_back({SurfacePart::of(static_cast<std::uint32_t>(part.parts >> 32)),
                     SurfacePart::of(static_cast<std::uint32_t>(part.parts)), p});
    }
  }
  EXPECT_TRUE(sink.parts().empty() || sink.parts().back().end == sink.points().size());
  return all;
}

std::vector<Found> contacts(const MeshSurface& a, const Shape& b, const Pose& pose, double margin) {
  ContactSink sink;
  collide_surface(a, b, pose, margin, sink);
  return list(sink);
}
std::vector<Found> contacts(const MeshSurface& a, const MeshSurface& b, double margin) {
  ContactSink sink;
  collide_surfaces(a, b, margin, sink);
  return list(sink);
}
std::vector<Found> own_contacts(const MeshSurface& a, double margin, double depth) {
  ContactSink sink;
  collide_self(a, margin, depth, sink);
  return list(sink);
}

/// The point of a part that moves with its vertices by weights, nearest to a place.
Vec3 place_on(const MeshSurface& s, SurfacePart part, const Vec3& x) {
  const auto& v = s.mesh().vertices;
  if (part.kind == SurfacePartKind::vertex) return v[part.index];
  if (part.kind == SurfacePartKind::edge) {
    const auto& t = s.mesh().triangles[part.index / 3];
    const Vec3 &a = v[t[part.index % 3]], &b = v[t[(part.index % 3 + 1) % 3]];
    return a + closest_on_edge(x, a, b).weight * (b - a);
  }
  const auto& t = s.mesh().triangles[part.index];
  const Vec3 w = closest_on_triangle(x, v[t[0]], v[t[1]], v[t[2]]).weights;
  return w[0] * v[t[0]] + w[1] * v[t[1]] + w[2] * v[t[2]];
}

bool is_used(const MeshSurface& s, std::uint32_t v) { return !s.edges().faces_of_vertex(v).empty(); }

/// Least value of a field on the whole surface.
double least_on(const MeshSurface& s, const DistanceField& field) {
  double least = kInfinite;
  for (const auto& t : s.mesh().triangles) {
    const auto& v = s.mesh().vertices;
    const Vec3 middle = (v[t[0]] + v[t[1]] + v[t[2]]) / 3;
    double reach = 0;
    for (const std::uint32_t i : t) reach = std::max(reach, (v[i] - middle).norm());
    if (field.value(middle) - reach > least) continue;
    least = std::min(least, minimise_over_triangle(field, v[t[0]], v[t[1]], v[t[2]], {.subdivisions = 2}).value);
  }
  return least;
}

double typical_edge(const MeshSurface& s) {
  double longest = 0;
  for (std::size_t e = 0; e < s.edges().size(); ++e)
    longest =
        std::max(longest, (s.mesh().vertices[s.edges().vertices(e)[1]] - s.mesh().vertices[s.edges().vertices(e)[0]]).norm());
  return longest;
}

/// What must hold of every contact with a shape.
void check_claims(const MeshSurface& a, const DistanceField& b, const Found& c) {
  const double h = typical_edge(a), step = 1e-6 * h;
  // Moves with the vertices of its part.
  EXPECT_LT((place_on(a, c.a, c.point.position) - c.on_a()).norm(), 1e-6 * h) << int(c.a.kind) << ' ' << c.point.feature;
  const double value = b.value(c.on_a()), in_a = signed_distance(a, c.on_b())->distance;
  if (c.point.gap > 1e-9) {
    EXPECT_TRUE(std::abs(value - c.point.gap) < 2e-3 * h + 1e-3 * c.point.gap ||
                std::abs(in_a - c.point.gap) < 1e-7 * h + 1e-3 * c.point.gap)
        << c.point.gap << " is claimed, " << value << " and " << in_a << " are true; part " << int(c.a.kind) << " feature "
        << c.point.feature;
    EXPECT_LT(b.value(c.on_b()), 2e-3 * h);
  } else {
    EXPECT_LT(std::min(value, in_a), 1e-6) << "part " << int(c.a.kind) << " feature " << c.point.feature;
  }
  // Along the normal they part: at once if they are apart, by the depth if they overlap.
  if (c.point.gap > 0) {
    EXPECT_TRUE(b.value(c.on_a() - step * c.point.normal) > value ||
                signed_distance(a, c.on_b() + step * c.point.normal)->distance > in_a);
  } else {
    EXPECT_TRUE(b.value(c.on_b()) > -1e-6 || signed_distance(a, c.on_a())->distance > -1e-6);
    EXPECT_GE(c.point.normal.dot(c.on_a() - c.on_b()), 0);
  }
}

/// Surfaces to try: coarse, fine, round.
MeshSurface some_surface(PairMaker& maker, int kind) {
  TriangleMesh mesh = kind % 3 == 0   ? lattice(Vec3(0.5, 0.4, 0.3), {2, 2, 1})
                      : kind % 3 == 1 ? lattice(Vec3(0.5, 0.5, 0.4), {5, 4, 4})
                                      : sphere_mesh(0.5, 14);
  mesh = placed(deformed(std::move(mesh), maker, 0.05), {Vec3::Zero(), maker.rotation()});
  return MeshSurface(std::move(mesh));
}

Shape some_shape(PairMaker& maker, std::size_t kind) {
  if (kind < 6) return maker.shape(kind);
  return kind == 6 ? Shape(make_mesh(deformed(lattice(Vec3(0.6, 0.5, 0.4), {2, 3, 2}), maker, 0.03)))
                   : Shape(make_mesh(l_mesh()));
}

/// A shape beside a surface, so that along a direction it overlaps by `deep` [m] at its end.
Pose beside(PairMaker& maker, const MeshSurface& a, const Shape& b, double deep) {
  Pose pose{Vec3::Zero(), maker.rotation()};
  const Vec3 u = maker.direction();
  double end = -kInfinite;
  for (std::uint32_t v = 0; v < a.mesh().vertices.size(); ++v)
    if (is_used(a, v)) end = std::max(end, u.dot(a.mesh().vertices[v]));
  if (std::holds_alternative<HalfSpace>(b)) return {(end - deep) * u, rotation_between(Vec3::UnitZ(), -u)};
  const double start = u.dot(pose.orientation * support(b, pose.orientation.conjugate() * -u));
  pose.position = (end - deep - start) * u + 0.2 * u.cross(maker.direction());
  return pose;
}

TEST(SurfaceContacts, what_is_apart_has_a_contact_where_it_is_nearest) {
  PairMaker maker(7);
  int near = 0;
  for (std::size_t kind = 0; kind < 8; ++kind)
    for (int i = 0; i < pairs_asked(24); ++i) {
      const MeshSurface a = some_surface(maker, i);
      const Shape b = some_shape(maker, kind);
      const Pose pose = beside(maker, a, b, -maker.uniform(0.0, 0.1));
      const ShapeField field(b, pose);
      const double least = least_on(a, field), margin = least + maker.uniform(0.005, 0.1);
      if (least <= 0) continue;
      const auto found = contacts(a, b, pose, margin);
      double nearest = kInfinite;
      for (const Found& c : found) nearest = std::min(nearest, c.point.gap), check_claims(a, field, c);
      EXPECT_NEAR(nearest, least, 2e-3 * typical_edge(a)) << shape_name(b) << ' ' << i;
      ++near;
      EXPECT_TRUE(contacts(a, b, pose, 0.9 * least).empty());
    }
  EXPECT_GT(near, 100);
}

TEST(SurfaceContacts, whatever_has_come_inside_is_held) {
  PairMaker maker(8);
  int held = 0;
  for (std::size_t kind = 0; kind < 7; ++kind)
    for (int i = 0; i < pairs_asked(24); ++i) {
      const MeshSurface a = some_surface(maker, i);
      const Shape b = some_shape(maker, kind);
      const Pose pose = beside(maker, a, b, maker.uniform(0.02, 0.25));
      const ShapeField field(b, pose);
      const double margin = i % 2 == 0 ? 0.0 : 0.02;
      const auto found = contacts(a, b, pose, margin);
      const double h = typical_edge(a), least = least_on(a, field);
      double deepest = kInfinite;
      for (const Found& c : found) deepest = std::min(deepest, c.point.gap), check_claims(a, field, c);
      if (least < -1e-6) {
        EXPECT_LT(deepest, 0.1 * least) << shape_name(b) << ' ' << i;
      }
      for (std::uint32_t v = 0; v < a.mesh().vertices.size(); ++v) {
        const double value = field.value(a.mesh().vertices[v]);
        if (!is_used(a, v) || value > -1e-9) continue;
        const auto at = std::find_if(found.begin(), found.end(), [&](const Found& c) {
          return c.a == SurfacePart{SurfacePartKind::vertex, v} && c.point.feature == 0;
        });
        ASSERT_NE(at, found.end()) << shape_name(b);
        EXPECT_LE(at->point.gap, value + 1e-9);
        EXPECT_GE(at->point.gap, value - 0.25 * h);
        ++held;
      }
    }
  EXPECT_GT(held, 300);
}

/// How far contacts that look up or down reach in a direction across.
double reach_along(const std::vector<Found>& found, const Vec3& u) {
  double most = -kInfinite;
  for (const Found& c : found) most = std::max(most, u.dot(c.point.position));
  return most;
}

/// Contacts of flat things on flat things span the rectangle in which they overlap, and push up and down only.
void expect_span(const std::vector<Found>& found, const Vec2& low, const Vec2& high, double gap, const char* what) {
  for (const Found& c : found) {
    EXPECT_GT(std::abs(c.point.normal.z()), 1 - 1e-9) << what << ' ' << c.point.normal.transpose();
    EXPECT_NEAR(c.point.gap, gap, 1e-9) << what;
  }
  for (int k = 0; k < 16; ++k) {
    const double angle = std::numbers::pi / 8 * k + 0.1;
    const Vec3 u(std::cos(angle), std::sin(angle), 0);
    const double wanted = u.x() * (u.x() > 0 ? high : low).x() + u.y() * (u.y() > 0 ? high : low).y();
    EXPECT_NEAR(reach_along(found, u), wanted, 1e-6) << what << ' ' << k;
  }
}

TEST(SurfaceContacts, flat_on_flat_spans_the_overlap) {
  struct Case {
    const char* what;
    Vec3 half, middle;   // of the shape, its top at z = 0 less the gap
  };
  const Vec3 soft(0.5, 0.3, 0.2);
  for (const Case& c : {Case{"large floor", {2, 2, 0.5}, {0, 0, 0}}, Case{"small block", {0.11, 0.13, 0.5}, {0.02, 0.03, 0}},
                        Case{"plank across", {0.17, 1, 0.5}, {0.04, 0, 0}}, Case{"narrow plank", {0.01, 1, 0.5}, {0.05, 0, 0}},
                        Case{"flush", {0.5, 0.3, 0.5}, {0, 0, 0}}, Case{"corner", {0.5, 0.3, 0.5}, {0.43, 0.21, 0}},
                        Case{"longer", {0.7, 0.3, 0.5}, {0, 0, 0}}})
    for (const double gap : {1e-3, 0.0, -1e-3}) {
      const Vec3 middle = c.middle - Vec3(0, 0, c.half.z() + gap);
      const Vec2 low = (middle - c.half).cwiseMax(-soft).head<2>(), high = (middle + c.half).cwiseMin(soft).head<2>();
      const MeshSurface a(moved(lattice(soft, {4, 3, 2}), {0, 0, soft.z()})),
          coarse(moved(lattice(soft, {1, 1, 1}), {0, 0, soft.z()}));
      std::vector<Vec3> points;
      for (int i = 0; i < 8; ++i) points.push_back(c.half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
      const Pose pose{middle, Quat::Identity()};
      for (const MeshSurface* s : {&a, &coarse}) {
        expect_span(contacts(*s, Box{c.half}, pose, 2e-3), low, high, gap, c.what);
        expect_span(contacts(*s, make_convex_hull(points), pose, 2e-3), low, high, gap, c.what);
        expect_span(contacts(*s, make_mesh(box_mesh(c.half)), pose, 2e-3), low, high, gap, c.what);
        expect_span(contacts(*s, MeshSurface(moved(lattice(c.half, {3, 3, 1}), middle)), 2e-3), low, high, gap, c.what);
      }
    }
}

TEST(SurfaceContacts, a_ridge_lies_on_every_edge_that_it_crosses) {
  // A box on its edge along y, pressed into the top of a coarse soft block.
  const MeshSurface a(moved(lattice(Vec3(0.5, 0.5, 0.2), {2, 4, 1}), {0.23, 0, -0.2}));
  const double r = std::sqrt(0.5);
  for (const double gap : {-1e-3, 1e-3}) {
    const Pose pose{Vec3(0, 0, 0.5 * 2 * r + gap), turned(std::numbers::pi / 4, Vec3::UnitY())};
    const auto found = contacts(a, Box{Vec3(0.5, 2, 0.5)}, pose, 5e-3);
    EXPECT_NEAR(reach_along(found, Vec3::UnitY()), 0.5, 1e-9);
    EXPECT_NEAR(reach_along(found, -Vec3::UnitY()), 0.5, 1e-9);
    EXPECT_GE(found.size(), 5u);
    for (const Found& c : found) {
      EXPECT_NEAR(c.point.normal.z(), 1, 1e-9);
      EXPECT_NEAR(c.point.gap, gap, 1e-9);
      EXPECT_EQ(c.a.kind, SurfacePartKind::edge);
    }
  }
}

TEST(SurfaceContacts, a_corner_presses_into_a_face) {
  PairMaker maker(9);
  const MeshSurface a(moved(lattice(Vec3(0.5, 0.5, 0.2), {3, 3, 1}), {0, 0, -0.2}));
  const Vec3 half(0.2, 0.3, 0.25);
  for (int i = 0; i < 20; ++i) {
    const double gap = maker.uniform(-0.02, 0.01);
    const Vec3 corner(maker.uniform(-0.4, 0.4), maker.uniform(-0.4, 0.4), gap);
    const Quat down = turned(maker.uniform(0, 6), Vec3::UnitZ()) * rotation_between(half, -Vec3::UnitZ());
    const Pose pose{corner - down * half, down};
    for (const Shape& shape : {Shape(Box{half}), Shape(make_mesh(box_mesh(half)))}) {
      const auto found = contacts(a, shape, pose, 0.012);
      const auto at = std::find_if(found.begin(), found.end(), [](const Found& c) { return c.point.feature == 1 + 7; });
      ASSERT_NE(at, found.end()) << i;
      EXPECT_NEAR(at->point.gap, gap, 1e-12);
      EXPECT_NEAR(at->point.normal.z(), 1, 1e-12);
      EXPECT_LT((at->on_b() - corner).norm(), 1e-12);
    }
  }
}

TEST(SurfaceContacts, a_cylinder_stands_on_its_rim) {
  const MeshSurface a(moved(lattice(Vec3(1, 1, 0.2), {1, 1, 1}), {0, 0, -0.2}));
  const auto found = contacts(a, Cylinder{0.3, 0.5}, {Vec3(0.1, 0.05, 0.499), Quat::Identity()}, 1e-2);
  for (int k = 0; k < 16; ++k) {
    const Vec3 u(std::cos(0.3 * k), std::sin(0.3 * k), 0);
    EXPECT_GT(reach_along(found, u), u.dot(Vec3(0.1, 0.05, 0)) + 0.3 * std::cos(std::numbers::pi / 16) - 1e-9);
  }
  for (const Found& c : found) EXPECT_NEAR(c.point.gap, -1e-3, 1e-12);
}

TEST(SurfaceContacts, balls_and_capsules_rest_on_one_large_triangle) {
  const MeshSurface a(moved(lattice(Vec3(1, 1, 0.2), {1, 1, 1}), {0, 0, -0.2}));
  const auto ball = contacts(a, Sphere{0.2}, {Vec3(0.3, -0.2, 0.195), Quat::Identity()}, 1e-2);
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_EQ(ball[0].a.kind, SurfacePartKind::triangle);
  EXPECT_NEAR(ball[0].point.gap, -5e-3, 1e-12);
  EXPECT_LT((ball[0].point.normal - Vec3::UnitZ()).norm(), 1e-12);
  const auto seam = contacts(a, Sphere{0.2}, {Vec3(0.3, 0.3, 0.205), Quat::Identity()}, 1e-2);
  ASSERT_EQ(seam.size(), 1u);   // over the seam of two triangles, one contact
  const auto log = contacts(a, Capsule{0.1, 0.3}, {Vec3(0.1, 0, 0.1), turned(std::numbers::pi / 2, Vec3::UnitX())}, 1e-2);
  EXPECT_NEAR(reach_along(log, Vec3::UnitY()), 0.3, 1e-9);
  EXPECT_NEAR(reach_along(log, -Vec3::UnitY()), 0.3, 1e-9);
  EXPECT_LE(log.size(), 3u);
}

TEST(SurfaceContacts, open_meshes_push_to_their_front) {
  TriangleMesh floor;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j) floor.vertices.push_back({0.5 * i - 1, 0.5 * j - 1, 0});
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = 0; j < 4; ++j) add_quad(floor, 5 * i + j, 5 * i + 5 + j, 5 * i + 6 + j, 5 * i + 1 + j);
  const Mesh mesh = make_mesh(floor);
  const MeshSurface a(moved(lattice(Vec3(0.3, 0.3, 0.3), {3, 3, 3}), {0.1, 0.1, 0.25}));
  const auto found = contacts(a, mesh, {}, 1e-3);
  ASSERT_GE(found.size(), 16u);
  for (const Found& c : found) {
    EXPECT_NEAR(c.point.normal.z(), -1, 1e-9);
    EXPECT_NEAR(c.point.gap, -0.05, 1e-9);
  }
  // Beyond the rim there is nothing.
  const MeshSurface beside(moved(lattice(Vec3(0.3, 0.3, 0.3), {3, 3, 3}), {1.4, 0.1, 0.25}));
  EXPECT_TRUE(contacts(beside, mesh, {}, 1e-3).empty());
}

TEST(SurfaceContacts, what_lies_deep_inside_is_pushed_to_the_nearest_exit) {
  const MeshSurface a(lattice(Vec3(0.1, 0.1, 0.1), {2, 2, 2}));
  const Pose pose{Vec3(0, 0, -0.6), Quat::Identity()};
  for (const Found& c : contacts(a, Box{Vec3(1, 1, 1)}, pose, 0.01)) {
    EXPECT_NEAR(c.point.normal.z(), -1, 1e-9);
    EXPECT_NEAR(c.point.gap, c.on_a().z() - 0.4, 1e-9);
  }
  // A pellet that was swallowed.
  const MeshSurface big(lattice(Vec3(1, 1, 1), {3, 3, 3}));
  const auto swallowed = contacts(big, Box{Vec3::Constant(0.05)}, {Vec3(0, 0, 0.8), Quat::Identity()}, 0.01);
  EXPECT_EQ(swallowed.size(), 8u);
  for (const Found& c : swallowed) EXPECT_NEAR(c.point.normal.z(), 1, 1e-9);
}

TEST(SurfaceContacts, two_surfaces_are_as_far_apart_as_their_triangles) {
  PairMaker maker(11);
  int near = 0;
  for (int i = 0; i < pairs_asked(60); ++i) {
    const MeshSurface a = some_surface(maker, i), b_there = some_surface(maker, i / 3);
    const Mesh as_shape = make_mesh(b_there.mesh());
    const Pose pose = beside(maker, a, as_shape, -maker.uniform(0.0, 0.08));
    const MeshSurface b(placed(b_there.mesh(), pose));
    const ShapeField field(as_shape, pose);
    double least = least_on(a, field);
    if (least <= 0) continue;
    const double h = std::min(typical_edge(a), typical_edge(b));
    const auto found = contacts(a, b, least + 0.03);
    double nearest = kInfinite;
    for (const Found& c : found) {
      nearest = std::min(nearest, c.point.gap);
      EXPECT_LT((place_on(a, c.a, c.point.position) - c.on_a()).norm(), 1e-6 * h);
      EXPECT_LT((place_on(b, c.b, c.point.position) - c.on_b()).norm(), 1e-6 * h);
      const double slack = 1e-3 * c.point.gap;
      EXPECT_TRUE(std::abs(field.value(c.on_a()) - c.point.gap) < slack ||
                  std::abs(signed_distance(a, c.on_b())->distance - c.point.gap) < slack);
    }
    EXPECT_NEAR(nearest, least, 3e-3 * h) << i;
    ++near;
  }
  EXPECT_GT(near, 30);
}

TEST(SurfaceContacts, surfaces_that_overlap_hold_all_vertices_inside) {
  PairMaker maker(12);
  int held = 0;
  for (int i = 0; i < pairs_asked(40); ++i) {
    const MeshSurface a = some_surface(maker, i + 1), b_there = some_surface(maker, i / 3);
    const Pose pose = beside(maker, a, make_mesh(b_there.mesh()), maker.uniform(0.02, 0.2));
    const MeshSurface b(placed(b_there.mesh(), pose));
    const auto found = contacts(a, b, i % 2 ? 0.0 : 0.01), flipped = contacts(b, a, i % 2 ? 0.0 : 0.01);
    for (std::uint32_t v = 0; v < a.mesh().vertices.size(); ++v) {
      if (!is_used(a, v) || signed_distance(b, a.mesh().vertices[v])->distance > -1e-9) continue;
      const auto at = std::find_if(found.begin(), found.end(), [&](const Found& c) {
        return c.a == SurfacePart{SurfacePartKind::vertex, v};
      });
      ASSERT_NE(at, found.end());
      EXPECT_LE(at->point.gap, 1e-9);
      ++held;
    }
    ASSERT_EQ(found.size(), flipped.size());
    for (const Found& c : found) {
      const auto same = std::find_if(flipped.begin(), flipped.end(), [&](const Found& f) { return f.a == c.b && f.b == c.a; });
      ASSERT_NE(same, flipped.end());
      EXPECT_LT((same->point.position - c.point.position).norm() + (same->point.normal + c.point.normal).norm(), 1e-9);
      EXPECT_NEAR(same->point.gap, c.point.gap, 1e-12);
    }
  }
  EXPECT_GT(held, 40);
}

/// A strip along x, bent by an angle around y in its middle, with straight arms.
TriangleMesh bent_strip(double angle, double radius, double half_thickness, double arm) {
  const double bend = radius * angle, half = arm + 0.5 * bend;
  TriangleMesh mesh = lattice(Vec3(half, 0.1, half_thickness), {60, 3, 1});
  for (Vec3& x : mesh.vertices) {
    const double s = std::clamp(x.x(), -0.5 * bend, 0.5 * bend), turn = s / radius, beyond = x.x() - s;
    const Vec3 along(std::cos(turn), 0, std::sin(turn)), up(-std::sin(turn), 0, std::cos(turn));
    x = Vec3(radius * std::sin(turn), x.y(), radius * (1 - std::cos(turn))) + beyond * along + x.z() * up;
  }
  return mesh;
}

TEST(SurfaceContacts, bodies_that_are_not_folded_do_not_touch_themselves) {
  for (const double margin : {0.0, 1e-3, 0.03, 0.09})
    for (const double depth : {0.0, 1e-3, 0.05, 0.3}) {
      EXPECT_TRUE(own_contacts(MeshSurface(lattice(Vec3(0.5, 0.5, 0.5), {5, 5, 5})), margin, depth).empty());
      EXPECT_TRUE(own_contacts(MeshSurface(lattice(Vec3(0.5, 0.5, 0.01), {10, 10, 1})), margin, depth).empty());
      EXPECT_TRUE(own_contacts(MeshSurface(sphere_mesh(0.5, 16)), margin, depth).empty());
      EXPECT_TRUE(own_contacts(MeshSurface(torus_mesh(0.5, 0.15, 24, 12)), margin, depth).empty());
      EXPECT_TRUE(own_contacts(MeshSurface(bent_strip(std::numbers::pi, 0.1, 0.02, 0.4)), margin, depth).empty());
    }
}

TEST(SurfaceContacts, a_strip_bent_shut_touches_itself) {
  // Arms as far apart as the gap inside the U, then through each other.
  const double t = 0.02, radius = 0.05;
  const MeshSurface open(bent_strip(std::numbers::pi, radius, t, 0.4));
  const double between = 2 * (radius - t);
  EXPECT_TRUE(own_contacts(open, 0.8 * between, 0.01).empty());
  const auto near = own_contacts(open, 1.02 * between, 0.01);
  EXPECT_GT(near.size(), 60u);
  for (const Found& c : near) {
    EXPECT_GT(std::abs(c.point.normal.x()), 0.8);
    EXPECT_GT(c.point.gap, 0.8 * between);
    EXPECT_LE(c.point.gap, 1.02 * between);
    EXPECT_LT((place_on(open, c.a, c.point.position) - c.on_a()).norm(), 1e-9);
    EXPECT_LT((place_on(open, c.b, c.point.position) - c.on_b()).norm(), 1e-9);
  }
  // Ends that cross: the arms meet at a small angle, ends are through each other by less than they are thick.
  const MeshSurface shut(bent_strip(std::numbers::pi + 0.17, radius, t, 0.4));
  int through = 0;
  for (const Found& c : own_contacts(shut, 1e-3, 0.5 * t)) {
    EXPECT_GT(c.point.gap, -0.5 * t);
    if (c.point.gap >= 0) continue;
    ++through;
    EXPECT_GT(winding_number(shut.mesh(), shut.tree(), c.point.position, kInfinite), 1.5);
    // Back along the normal the vertex comes out.
    EXPECT_NEAR(std::abs(c.point.normal.x()), 1, 0.05);
  }
  EXPECT_GT(through, 4);
}

/// Both meshes as one surface.
TriangleMesh together(TriangleMesh a, const TriangleMesh& b, const Vec3& shift) {
  const auto first = static_cast<std::uint32_t>(a.vertices.size());
  for (const Vec3& x : b.vertices) a.vertices.push_back(x + shift);
  for (const auto& [i, j, k] : b.triangles) a.triangles.push_back({first + i, first + j, first + k});
  return a;
}

TEST(SurfaceCrossings, surfaces_that_are_whole_do_not_run_through_themselves) {
  for (const TriangleMesh& mesh : {lattice(Vec3(0.5, 0.5, 0.01), {10, 10, 1}), sphere_mesh(0.5, 16),
                                   torus_mesh(0.5, 0.15, 24, 12), bent_strip(std::numbers::pi, 0.1, 0.02, 0.4),
                                   together(lattice(Vec3::Ones(), {3, 3, 3}), lattice(Vec3::Ones(), {2, 2, 2}), {0, 0, 2.001})})
    EXPECT_EQ(self_crossing_depth(MeshSurface(mesh)), 0);
}

TEST(SurfaceCrossings, are_as_deep_as_what_has_come_through) {
  // A block of which the end is inside another one, a block whose edge is, a rod through a plate.
  const TriangleMesh block = lattice(Vec3(0.5, 0.5, 0.5), {5, 5, 5}), rod = lattice(Vec3(0.07, 0.07, 0.5), {1, 1, 2});
  const auto with_rod = [&](double depth) {
    return self_crossing_depth(MeshSurface(together(block, rod, {0.03, 0.02, 1 - depth})));
  };
  for (const double depth : {1e-6, 1e-3, 0.1}) EXPECT_NEAR(with_rod(depth), depth, 1e-12) << depth;
  EXPECT_NEAR(with_rod(0.4), 0.14, 1e-12);   // as thick as it is
  TriangleMesh leaning = rod;
  const Mat3 turn = Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()).toRotationMatrix();
  for (Vec3& x : leaning.vertices) x = turn * Vec3(x.z(), x.x(), x.y());
  const double edge = std::sqrt(2.0) * 0.07;
  for (const double depth : {1e-3, 0.02})
    EXPECT_NEAR(self_crossing_depth(MeshSurface(together(block, leaning, {0.03, 0.02, 0.5 + edge - depth}))), depth,
                1e-3 * depth);
  const double through =
      self_crossing_depth(MeshSurface(together(lattice(Vec3(0.5, 0.5, 0.02), {5, 5, 1}), rod, {0.03, 0.02, 0.1})));
  EXPECT_GE(through, 0.02 - 1e-12);
  EXPECT_LE(through, 0.07);
}

TEST(SurfaceCrossings, of_a_strip_bent_into_itself_grow_with_the_bend) {
  double before = 0;
  for (const double angle : {0.1, 0.14, 0.2, 0.3}) {
    const double depth = self_crossing_depth(MeshSurface(bent_strip(std::numbers::pi + angle, 0.05, 0.02, 0.4)));
    EXPECT_GE(depth, before) << angle;
    EXPECT_LE(depth, 0.04) << angle;   // as thick as an arm
    before = depth;
  }
  EXPECT_GT(before, 0.01);
}

TEST(SurfaceContacts, contacts_do_not_depend_on_the_order_of_triangles) {
  PairMaker maker(15);
  std::mt19937 random(3);
  const auto set_of = [](const std::vector<Found>& found) {
    std::vector<std::array<double, 7>> set;
    for (const Found& c : found) {
      const Vec3 &x = c.point.position, &n = c.point.normal;
      set.push_back({x.x(), x.y(), x.z(), n.x(), n.y(), n.z(), c.point.gap});
    }
    std::sort(set.begin(), set.end());
    return set;
  };
  const auto expect_same = [&](const std::vector<Found>& x, const std::vector<Found>& y) {
    const auto p = set_of(x), q = set_of(y);
    ASSERT_EQ(p.size(), q.size());
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(p[i][k], q[i][k], 1e-6);
  };
  for (int i = 0; i < pairs_asked(8); ++i) {
    const MeshSurface a = some_surface(maker, i), other = some_surface(maker, i + 1);
    TriangleMesh mesh = a.mesh();
    std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), random);
    const MeshSurface shuffled(mesh);
    const Shape b = some_shape(maker, static_cast<std::size_t>(i % 8));
    const Pose pose = beside(maker, a, b, 0.03);
    expect_same(contacts(a, b, pose, 0.02), contacts(shuffled, b, pose, 0.02));
    const MeshSurface there(moved(other.mesh(), Vec3(0.7, 0.2, 0.1)));
    expect_same(contacts(a, there, 0.02), contacts(shuffled, there, 0.02));
  }
}

/// Contacts at a step after those of a step before, all of which bore a load.
std::vector<Found> contacts_after(const std::vector<Found>& before, const MeshSurface& a, const Shape& b, const Pose& pose) {
  LoadedContacts loaded;
  for (const Found& f : before) loaded.add(pair_of_parts(f.a.number(), f.b.number()), f.point.feature, f.point.position);
  loaded.sort();
  ContactSink sink;
  collide_surface(a, b, pose, 1e-3, sink, loaded);
  return list(sink);
}

bool has(const std::vector<Found>& all, const Found& f) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Found& g) { return g.a == f.a && g.b == f.b && g.point.feature == f.point.feature; });
}

TEST(SurfaceContacts, that_bore_a_load_stay_as_long_as_their_features_meet) {
  // A plate that presses 1 mm into a block: its rim crosses edges, which lie deeper than their ends at first, and then not.
  const Pose above{{0.03, 0.02, 0.6 - 1e-3}, Quat::Identity()};
  TriangleMesh pressed = lattice(Vec3::Constant(0.5), {5, 5, 5});
  const MeshSurface flat(pressed);
  for (Vec3& x : pressed.vertices)   // below the plate, but at its rim
    if (x.z() > 0.4 && x.head<2>().lpNorm<Eigen::Infinity>() < 0.35) x.z() -= 1e-3;
  const MeshSurface bent(pressed);
  const Box plate{{0.35, 0.35, 0.1}};
  const auto crosses = [](const Found& f) { return f.a.kind == SurfacePartKind::edge; };
  const std::vector<Found> first = contacts(bent, plate, above, 1e-3), alone = contacts(flat, plate, above, 1e-3),
                           after = contacts_after(first, flat, plate, above);
  int stayed = 0;
  for (const Found& f : first)
    if (crosses(f)) {
      EXPECT_TRUE(has(after, f)) << f.point.position.transpose();
      stayed += !has(alone, f);
    }
  EXPECT_GT(stayed, 4);   // else nothing is shown
}

TEST(SurfaceContacts, take_over_what_a_vertex_bore_that_left_a_face) {
  // The rim of a plate runs through a row of vertices: under it by a hair, then beside it.
  const MeshSurface surface(lattice(Vec3::Constant(0.5), {4, 4, 4}));
  const Box plate{{0.25, 0.25, 0.1}};
  const auto at = [&](double x) { return Pose{{x, 0, 0.6}, Quat::Identity()}; };
  const std::vector<Found> under = contacts(surface, plate, at(1e-6), 1e-3);
  const auto is_at_rim = [](const Found& f) {
    return std::abs(f.point.position.x() - 0.25) < 1e-4 && std::abs(f.point.position.y()) < 0.1;
  };
  ASSERT_TRUE(std::any_of(under.begin(), under.end(), is_at_rim));
  const std::vector<Found> beside = contacts_after(under, surface, plate, at(-1e-6));
  EXPECT_TRUE(std::any_of(beside.begin(), beside.end(), [&](const Found& f) {
    return is_at_rim(f) && f.a.kind == SurfacePartKind::edge && f.point.normal.z() > 0.99;
  }));
}

TEST(SurfaceContacts, triangles_without_area_stay_finite) {
  TriangleMesh mesh = lattice(Vec3(0.5, 0.5, 0.5), {3, 3, 3});
  const auto n = static_cast<std::uint32_t>(mesh.vertices.size());
  // One edge gets a corner in its middle with a triangle without area, one face is squeezed to a line.
  const auto [a, b, c] = mesh.triangles[0];
  mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
  mesh.triangles[0] = {a, n, c};
  mesh.triangles.push_back({n, b, c});
  mesh.triangles.push_back({a, b, n});
  mesh.vertices[mesh.triangles[9][0]] = mesh.vertices[mesh.triangles[9][1]];
  const MeshSurface s(mesh);
  PairMaker maker(17);
  std::size_t all = 0;
  for (std::size_t kind = 0; kind < 7; ++kind)
    for (int i = 0; i < 6; ++i) {
      const Shape shape = some_shape(maker, kind);
      all += contacts(s, shape, beside(maker, s, shape, 0.05), 0.01).size();
    }
  for (int axis = 0; axis < 3; ++axis)
    all += contacts(s, MeshSurface(moved(mesh, 0.99 * Vec3::Unit(axis))), 0.02).size() + own_contacts(s, 0.1, 0.05).size();
  EXPECT_GT(all, 100u);
}

}   // namespace
}   // namespace stickslip::testing::surface
