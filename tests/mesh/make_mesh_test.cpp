#include "stickslip/mesh/make_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "error_message.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/mesh/health.h"

namespace stickslip::make_mesh_test {
namespace {

using ::stickslip::testing::message_of;
using ::testing::StartsWith;

constexpr double kPi = std::numbers::pi;

/// How much smaller a regular polygon is than the circle through its corners.
double inscribed(int n) { return std::sin(2 * kPi / n) / (2 * kPi / n); }

double polygon_area(const Polygon& p) {
  double doubled = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 &a = p[i], &b = p[(i + 1) % p.size()];
    doubled += a.x() * b.y() - a.y() * b.x();
  }
  return std::abs(doubled) / 2;
}

/// Fit for contact, and in one piece without anything superfluous.
void expect_sound(const TriangleMesh& mesh, long euler, const std::string& what) {
  const MeshHealth health = check(mesh);
  EXPECT_TRUE(health.findings.empty()) << what << ": " << fault_name(health.findings.front().fault) << ", "
                                       << health.findings.front().count;
  EXPECT_TRUE(health.is_fit(MeshUse::contact)) << what;
  EXPECT_EQ(health.pieces, 1u) << what;
  EXPECT_EQ(health.euler, euler) << what;
}

bool meet(const TriangleMesh& a, const TriangleMesh& b) { return check(joined(a, b)).count(MeshFault::self_intersection) > 0; }

/// Smallest angle of a triangle [°].
double smallest_angle(const TriangleMesh& mesh) {
  double least = 180;
  for (const auto& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const Vec3 &a = mesh.vertices[t[k]], &b = mesh.vertices[t[(k + 1) % 3]], &c = mesh.vertices[t[(k + 2) % 3]];
      least = std::min(least, std::acos((b - a).normalized().dot((c - a).normalized())) * 180 / kPi);
    }
  return least;
}

const Polygon kGlass = {{0, 0}, {0.03, 0}, {0.04, 0.1}, {0.036, 0.1}, {0.027, 0.01}, {0, 0.01}};
const Polygon kU = {{-2, 0}, {2, 0}, {2, 2}, {1.5, 2}, {1.5, 0.5}, {-1.5, 0.5}, {-1.5, 2}, {-2, 2}};

TEST(MakeMesh, every_maker_makes_sound_solids_of_any_fineness) {
  for (const int n : {1, 2, 5}) {
    expect_sound(triangle_mesh(Box{{1, 2, 3}}, n), 2, "box");
    expect_sound(triangle_mesh(Sphere{0.7}, n), 2, "sphere");
  }
  for (const int n : {4, 7, 32}) {
    expect_sound(triangle_mesh(Cylinder{0.5, 1}, n), 2, "cylinder");
    expect_sound(triangle_mesh(Capsule{0.5, 1}, n), 2, "capsule");
    expect_sound(triangle_mesh(Capsule{0.5, 0}, n), 2, "ball");
    expect_sound(torus(1, 0.3, n, n + 1), 0, "torus");
    expect_sound(revolve(kGlass, n), 2, "glass");
    expect_sound(sweep({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, circle(0.1, n)), 2, "pipe");
  }
  expect_sound(extrude(kU, 0.5), 2, "U");
  expect_sound(extrude(circle(2, 9), 0.5, {circle(1, 7)}), 0, "tube");
  expect_sound(extrude(gear_outline({}), 0.01, {circle(0.03, 24)}), 0, "gear");
  expect_sound(triangle_mesh(Voussoir{}), 2, "voussoir");
  expect_sound(triangle_mesh(WallStone{}), 2, "stone");
  expect_sound(triangle_mesh(Bolt{}), 2, "bolt");
  expect_sound(triangle_mesh(Nut{}), 0, "nut");
}

TEST(MakeMesh, all_vertices_of_round_solids_lie_on_their_surfaces) {
  for (const Vec3& v : triangle_mesh(Sphere{2}, 7).vertices) ASSERT_NEAR(v.norm(), 2, 1e-14);
  EXPECT_EQ(triangle_mesh(Sphere{2}, 7).vertices.size(), 10u * 7 * 7 + 2);
  for (const Vec3& v : torus(1, 0.25, 30, 12).vertices) ASSERT_NEAR(std::hypot(v.head<2>().norm() - 1, v.z()), 0.25, 1e-14);
  for (const Vec3& v : triangle_mesh(Capsule{0.5, 1}, 16).vertices)
    ASSERT_NEAR((v - Vec3(0, 0, std::clamp(v.z(), -1.0, 1.0))).norm(), 0.5, 1e-14);
}

TEST(MakeMesh, the_triangles_of_a_sphere_are_nearly_alike) {
  const TriangleMesh mesh = triangle_mesh(Sphere{1}, 12);
  EXPECT_GT(smallest_angle(mesh), 45);
  const double error = 1 - volume(mesh) / (4 * kPi / 3);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 0.01);
  const double finer = 1 - volume(triangle_mesh(Sphere{1}, 24)) / (4 * kPi / 3);
  EXPECT_NEAR(error / finer, 4, 0.1);   // of second order
}

TEST(MakeMesh, solids_of_revolution_have_the_volume_of_pappus_less_what_is_cut_off) {
  double moment = 0;   // ∫ r dA
  for (std::size_t i = 0; i < kGlass.size(); ++i) {
    const Vec2 &a = kGlass[i], &b = kGlass[(i + 1) % kGlass.size()];
    moment += (a.x() * b.y() - a.y() * b.x()) * (a.x() + b.x()) / 6;
  }
  for (const int n : {3, 8, 64}) {
    EXPECT_NEAR(volume(revolve(kGlass, n)), 2 * kPi * moment * inscribed(n), 1e-15) << n;
    EXPECT_NEAR(volume(torus(1, 0.25, n, 10)), 2 * kPi * polygon_area(circle(0.25, 10)) * inscribed(n), 1e-13) << n;
    EXPECT_NEAR(volume(triangle_mesh(Cylinder{0.5, 2}, n)), kPi * 0.25 * 4 * inscribed(n), 1e-13) << n;
  }
  Polygon backwards(kGlass.rbegin(), kGlass.rend());
  EXPECT_NEAR(volume(revolve(backwards, 8)), volume(revolve(kGlass, 8)), 1e-18);
}

TEST(MakeMesh, prisms_have_the_volume_of_area_times_height) {
  EXPECT_NEAR(volume(extrude(kU, 0.25)), polygon_area(kU) * 0.5, 1e-13);
  EXPECT_NEAR(volume(extrude({kU.rbegin(), kU.rend()}, 0.25)), polygon_area(kU) * 0.5, 1e-13);
  const Polygon rim = circle(2, 11), hole = circle(0.5, 6);
  Polygon aside = hole;
  for (Vec2& p : aside) p.x() += 1.1;
  EXPECT_NEAR(volume(extrude(rim, 1, {hole, aside})), 2 * (polygon_area(rim) - 2 * polygon_area(hole)), 1e-13);
}

TEST(MakeMesh, a_tube_has_the_volume_of_its_section_times_the_length_of_its_path) {
  // The middle of a circle runs along the path, so what a mitre takes off on one side it adds on the other.
  const std::vector<Vec3> path = {{0, 0, 0}, {1, 0, 0}, {1.5, 1, 0}, {1, 1.5, 1}, {0, 1, 2}};
  double length = 0;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) length += (path[i + 1] - path[i]).norm();
  const Polygon section = circle(0.1, 12);
  EXPECT_NEAR(volume(sweep(path, section)), polygon_area(section) * length, 1e-13);
  std::vector<Vec3> ring;
  for (const Vec2& p : circle(1, 20)) ring.push_back({p.x(), p.y(), 0});
  const TriangleMesh hoop = sweep(ring, section, {.closed = true});
  expect_sound(hoop, 0, "hoop");
  EXPECT_NEAR(volume(hoop), polygon_area(section) * 20 * 2 * std::sin(kPi / 20), 1e-13);
}

TEST(MakeMesh, a_closed_path_that_twists_still_meets_itself) {
  std::vector<Vec3> knot;   // a trefoil: frames carried around it come back turned
  for (int i = 0; i < 120; ++i) {
    const double t = 2 * kPi * i / 120;
    knot.push_back({std::sin(t) + 2 * std::sin(2 * t), std::cos(t) - 2 * std::cos(2 * t), -std::sin(3 * t)});
  }
  expect_sound(sweep(knot, {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}}, {.closed = true}), 0, "trefoil");
}

TEST(MakeMesh, a_gutter_stays_upright_along_a_winding_path) {
  std::vector<Vec3> path;
  for (int i = 0; i <= 60; ++i) path.push_back({10 * std::cos(0.2 * i), 10 * std::sin(0.2 * i), -0.1 * i});
  Polygon section = kU;
  for (Vec2& p : section) p *= 0.1;
  const TriangleMesh run = sweep(path, section, {.up = Vec3::UnitZ()});
  expect_sound(run, 2, "gutter");
  for (std::size_t i = 0; i < path.size(); ++i) {   // both rims at the same height, above the path
    const Vec3 &left = run.vertices[8 * i + 2], &right = run.vertices[8 * i + 7];
    ASSERT_NEAR(left.z(), right.z(), 1e-12);
    ASSERT_GT(left.z(), path[i].z() + 0.19);
  }
}

/// Whether sides of two outlines cross, the second turned by `angle` and moved along x.
bool outlines_cross(const Polygon& a, double turn_a, const Polygon& b, double turn_b, double apart) {
  const auto side = [](const Vec2& p, const Vec2& q, const Vec2& x) {
    return (q - p).x() * (x - p).y() - (q - p).y() * (x - p).x();
  };
  Polygon first, second;
  for (const Vec2& p : a) first.push_back(Eigen::Rotation2Dd(turn_a) * p);
  for (const Vec2& p : b) second.push_back(Vec2(apart, 0) + Eigen::Rotation2Dd(turn_b) * p);
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t k = 0; k < second.size(); ++k) {
      const Vec2 &p = first[i], &q = first[(i + 1) % first.size()], &r = second[k], &s = second[(k + 1) % second.size()];
      if ((side(p, q, r) > 0) != (side(p, q, s) > 0) && (side(r, s, p) > 0) != (side(r, s, q) > 0)) return true;
    }
  return false;
}

TEST(MakeMesh, involute_gears_mesh_at_a_constant_ratio_within_their_backlash) {
  const Gear small{.teeth = 18, .module = 1, .backlash = 0.04}, large{.teeth = 30, .module = 1, .backlash = 0.04};
  const Polygon a = gear_outline(small), b = gear_outline(large);
  const double apart = 0.5 * (18 + 30), play = 0.04 / 15;   // both teeth are thinner: [rad] each way at the larger wheel
  for (int i = 0; i < 40; ++i) {
    const double turn = 2 * kPi / 18 * i / 40;
    const double back = kPi - turn * 18 / 30 + kPi / 30;   // a gap of the larger one faces the tooth
    EXPECT_FALSE(outlines_cross(a, turn, b, back, apart)) << i;
    EXPECT_FALSE(outlines_cross(a, turn, b, back + 0.9 * play, apart)) << i;
    EXPECT_TRUE(outlines_cross(a, turn, b, back + 1.5 * play, apart)) << i;
    EXPECT_TRUE(outlines_cross(a, turn, b, back - 1.5 * play, apart)) << i;
  }
}

TEST(MakeMesh, a_nut_turns_down_its_bolt_without_touching_it) {
  const Bolt bolt{.thread = {.segments = 24}};
  const TriangleMesh screw = triangle_mesh(bolt), nut = triangle_mesh(Nut{.thread = bolt.thread});
  const double play = bolt.thread.clearance / std::cos(kPi / 6);   // along the axis
  for (int i = 0; i < 4; ++i) {
    const double z = 0.005 + 0.00223 * i;
    const auto at = [&](double lift) {
      return placed(nut, {{0, 0, z + lift}, rotation_from_vector({0, 0, 2 * kPi * z / bolt.thread.pitch})});
    };
    EXPECT_FALSE(meet(screw, at(0))) << i;
    EXPECT_FALSE(meet(screw, at(0.8 * play))) << i;
    EXPECT_FALSE(meet(screw, at(-0.8 * play))) << i;
    EXPECT_TRUE(meet(screw, at(1.3 * play))) << i;
    EXPECT_TRUE(meet(screw, at(-1.3 * play))) << i;
  }
}

TEST(MakeMesh, a_thread_has_the_same_cross_section_everywhere) {
  Bolt bolt;
  bolt.thread.segments = 96;
  Bolt longer = bolt;
  longer.length += 0.00337;
  // Across z the angle runs through the whole profile: the mean of r² over one pitch, flanks r₁² + r₁r₂ + r₂² over 3.
  const Thread& t = bolt.thread;
  const double high = t.radius, low = t.radius - t.depth, rise = t.depth * std::tan(kPi / 6), flat = 0.5 * t.pitch - rise;
  const double mean = (flat * (high * high + low * low) + 2 * rise * (high * high + high * low + low * low) / 3) / t.pitch;
  const double head = polygon_area(circle(bolt.head_radius, 6)) * bolt.head_height;
  EXPECT_NEAR(volume(triangle_mesh(bolt)), kPi * mean * bolt.length + head, 2e-3 * kPi * mean * bolt.length);
  EXPECT_NEAR(volume(triangle_mesh(longer)) - volume(triangle_mesh(bolt)), kPi * mean * 0.00337, 5e-3 * kPi * mean * 0.00337);
}

TEST(MakeMesh, the_surface_of_a_distance_is_even_and_lies_on_it) {
  const auto distance = [](const Vec3& p) { return std::hypot(p.head<2>().norm() - 1, p.z()) - 0.4; };
  const TriangleMesh mesh = surface_of(distance, {{-1.5, -1.5, -0.5}, {1.5, 1.5, 0.5}}, 0.15);
  expect_sound(mesh, 0, "torus");
  for (const Vec3& v : mesh.vertices) ASSERT_NEAR(distance(v), 0, 1e-9);
  EXPECT_GT(smallest_angle(mesh), 25);
  EXPECT_NEAR(volume(mesh), 2 * kPi * kPi * 0.16, 0.02 * 2 * kPi * kPi * 0.16);
}

std::vector<Stick> jack_sticks() {
  std::vector<Stick> sticks;
  for (int axis = 0; axis < 3; ++axis) {
    sticks.push_back({-Vec3::Unit(axis), Vec3::Unit(axis), 0.15});
    for (const int side : {-1, 1}) sticks.push_back({side * Vec3::Unit(axis), side * Vec3::Unit(axis), 0.25});
  }
  return sticks;
}

TEST(MakeMesh, a_jack_is_one_smooth_solid_of_even_triangles) {
  const TriangleMesh jack = joined_sticks(jack_sticks(), 0.15, 0.1);
  expect_sound(jack, 2, "jack");
  EXPECT_GT(smallest_angle(jack), 25);
  EXPECT_GT(jack.vertices.size(), 1200u);
  EXPECT_LT(jack.vertices.size(), 2000u);
  const MassProperties mass = mass_properties(jack, 1000);
  EXPECT_LT(mass.center.norm(), 1e-3);
  EXPECT_NEAR(mass.inertia(0, 0) / mass.inertia(2, 2), 1, 1e-2);
  EXPECT_EQ(joined_sticks(jack_sticks(), 0.15, 0.1).vertices, jack.vertices);   // bit for bit
}

TEST(MakeMesh, stones_have_their_volumes_and_fit_their_neighbours) {
  const double angle = 20 * kPi / 180, per_chord = 4 * std::sin(angle / 4) / angle;
  EXPECT_NEAR(volume(triangle_mesh(Voussoir{})), angle * per_chord * 0.5 * (1.5 * 1.5 - 1) * 0.5, 1e-13);
  Voussoir next;
  next.from_degrees = 10.001, next.to_degrees = 30;
  EXPECT_FALSE(meet(triangle_mesh(Voussoir{}), triangle_mesh(next)));
  next.from_degrees = 9.99;
  EXPECT_TRUE(meet(triangle_mesh(Voussoir{}), triangle_mesh(next)));
  // A round wall of equal half axes.
  WallStone stone;
  stone.a = stone.b = 10, stone.divisions = 1;
  EXPECT_NEAR(volume(triangle_mesh(stone)), 0.5 * std::sin(10 * kPi / 180) * (11 * 11 - 10 * 10), 1e-12);
  // Half of an arch above a pier: a hollow below, flat above; about the middle of the pier.
  WallStone arch{.a = 20, .b = 12, .thickness = 1.5, .lower = {}, .upper = {}, .divisions = 1, .origin = {30, 2}};
  for (int i = 0; i <= 6; ++i) {
    const double turned = kPi / 2 * i / 6;
    arch.lower.push_back({30 + 5 * (1 - std::cos(turned)), 2 + std::sin(turned)});
    arch.upper.push_back({30 + 5.0 * i / 6, 3.5});
  }
  expect_sound(triangle_mesh(arch), 2, "half an arch");
  EXPECT_LT(bounding_box(triangle_mesh(arch)).lower.norm(), 4);
}

TEST(MakeMesh, what_makes_no_solid_is_refused_by_name) {
  EXPECT_EQ(message_of([] { triangle_mesh(Box{{1, 1, 1}}, 0); }), "/divisions: 0 is out of range. Give 1 to 256.");
  EXPECT_EQ(message_of([] { torus(1, 1.5, 8, 8); }), "/tube: 1.5 is not less than the radius 1: the ring has no hole.");
  EXPECT_EQ(message_of([] {
              revolve({{-0.1, 0}, {1, 0}, {1, 1}}, 8);
            }),
            "/profile/0: The radius -0.1 lies behind the axis. Give (r, z) with r ≥ 0.");
  EXPECT_EQ(
      message_of([] {
        extrude({{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 1);
      }),
      "/outline: Sides 0 and 2 of the polygon touch or cross (counted from 0, side i from corner i to the next). Give the "
      "corners of a simple polygon, none twice.");
  EXPECT_THAT(message_of([] { extrude({{0, 0}, {1, 0}, {1, 0}, {0, 1}}, 1); }), StartsWith("/outline: Sides"));
  EXPECT_THAT(message_of([] {
                extrude(circle(1, 9), 1, {{{0, 0}, {0.1, 0}}});
              }),
              StartsWith("/holes/0: A polygon of 2 corners"));
  EXPECT_EQ(message_of([] {
              sweep({{0, 0, 0}, {0, 0, 0}}, circle(1, 9));
            }),
            "/path/0: The next point is at the same place, or a coordinate is not finite.");
  EXPECT_THAT(message_of([] {
                sweep({{0, 0, 0}, {1, 0, 0}, {0, 0.1, 0}}, circle(1, 9));
              }),
              StartsWith("/path/1: The path turns back"));
  EXPECT_THAT(message_of([] { triangle_mesh(Nut{.outer_radius = 0.003}); }),
              StartsWith("/outer_radius: A hexagon with corners at 0.003 m"));
  EXPECT_THAT(message_of([] { triangle_mesh(Bolt{.thread = {.pitch = 0.0004}}); }), StartsWith("/pitch: Flanks"));
  EXPECT_EQ(message_of([] { triangle_mesh(Bolt{.length = 2}); }),
            "/pitch: 2 m make more than 1000 turns of 0.001 m. Give a larger pitch.");
  EXPECT_THAT(message_of([] { gear_outline({.teeth = 6, .pressure_degrees = 30, .backlash = 0.005}); }),
              StartsWith("/teeth: 6 teeth"));
  EXPECT_EQ(message_of([] { joined_sticks({}, 0.1, 0.1); }), "/sticks: There are no sticks. Give at least one.");
  EXPECT_THAT(message_of([] { joined_sticks({{{0, 0, 0}, {1, 0, 0}, -1}}, 0.1, 0.1); }), StartsWith("/sticks/0/radius: -1"));
}

}   // namespace
}   // namespace stickslip::make_mesh_test
