// Contacts on meshes: as on the shapes that they stand for, as brute force finds them, and none that are not there.
#include <gtest/gtest.h>

#include "collide/mesh_gap.h"
#include "collide/near_pairs.h"
#include "geometry/triangle_meshes.h"
#include "stickslip/distance/triangles.h"
#include "stickslip/geometry/mesh_names.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::testing {
namespace {

/// A square of n × n cells of two triangles, the corners moved about within the plane.
TriangleMesh uneven_floor(int n, double side, PairMaker& random) {
  TriangleMesh mesh;
  const double cell = side / n;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const bool rim = i == 0 || j == 0 || i == n || j == n;
      const Vec3 moved = rim ? Vec3(Vec3::Zero()) : Vec3(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 0);
      mesh.vertices.push_back(Vec3(i * cell - side / 2, j * cell - side / 2, 0) + cell * moved);
    }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(i * (n + 1) + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

std::vector<ContactPoint> by_place(const ContactSink& sink) {
  std::vector<ContactPoint> points = sink.points();
  std::sort(points.begin(), points.end(), [](const ContactPoint& p, const ContactPoint& q) {
    return std::tuple(p.position.x(), p.position.y()) < std::tuple(q.position.x(), q.position.y());
  });
  return points;
}

TEST(MeshContacts, a_flat_floor_of_20000_triangles_is_the_plane_for_every_shape) {
  PairMaker random(1);
  const Shape floor = make_mesh(uneven_floor(100, 20, random));
  ASSERT_EQ(std::get<Mesh>(floor).solid->facets().size(), 1u);
  ContactSink on_mesh, on_plane;
  int points = 0;
  for (const std::size_t kind : {0, 1, 2, 3, 5})
    for (int i = 0; i < 100; ++i) {
      const Shape shape = random.shape(kind);
      Pose pose{Vec3(random.uniform(-5, 5), random.uniform(-5, 5), 0),
                i % 2 ? random.rotation() : turned(0.1 * i, Vec3::UnitZ())};
      pose.position.z() = -bounding_box(shape, pose).lower.z() + random.uniform(-0.02, 0.02);
      collide(shape, pose, floor, {}, 0.05, on_mesh);
      collide(shape, pose, HalfSpace{}, {}, 0.05, on_plane);
      const auto found = by_place(on_mesh), expected = by_place(on_plane);
      ASSERT_EQ(found.size(), expected.size()) << shape_name(shape) << " " << i;
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_NEAR((found[k].position - expected[k].position).norm(), 0, 1e-12);
        EXPECT_NEAR((found[k].normal - expected[k].normal).norm(), 0, 1e-12);
        EXPECT_NEAR(found[k].gap, expected[k].gap, 1e-12);
      }
      points += static_cast<int>(found.size());
    }
  EXPECT_GT(points, 500);
}

double lowest(const ContactSink& sink) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& p : sink.points()) least = std::min(least, p.gap);
  return least;
}

const ContactPoint& deepest(const ContactSink& sink) {
  return *std::min_element(sink.points().begin(), sink.points().end(),
                           [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
}

TEST(MeshContacts, boxes_of_triangles_touch_as_boxes_do) {
  PairMaker random(2);
  ContactSink of_meshes, of_boxes, mixed;
  int close = 0;
  for (int i = 0; i < 600; ++i) {
    const Box a{Vec3(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1))};
    const Box b{Vec3(random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1))};
    const Pose pose_a{Vec3::Zero(), random.rotation()};
    Pose pose_b{Vec3::Zero(), i % 3 == 0 ? Quat(pose_a.orientation * turned(0.3 * i, Vec3::UnitZ())) : random.rotation()};
    const Vec3 along = i % 3 == 0 ? Vec3(pose_a.orientation * Vec3::UnitZ()) : random.direction();
    // As far along a direction as the shapes reach, so that they nearly touch or overlap a little.
    const auto reach = [](const Box& box, const Pose& pose, const Vec3& d) {
      return d.dot(pose.orientation * support(box, pose.orientation.conjugate() * d));
    };
    pose_b.position = (reach(a, pose_a, along) + reach(b, pose_b, -along) + random.uniform(-0.02, 0.02)) * along;
    const Shape mesh_a = make_mesh(box_mesh(a.half_extents)), mesh_b = make_mesh(box_mesh(b.half_extents));
    collide(a, pose_a, b, pose_b, 0.1, of_boxes);
    collide(mesh_a, pose_a, mesh_b, pose_b, 0.1, of_meshes);
    collide(a, pose_a, mesh_b, pose_b, 0.1, mixed);
    if (of_boxes.points().empty() || lowest(of_boxes) > 0.09) continue;
    ASSERT_FALSE(of_meshes.points().empty()) << i;
    ASSERT_FALSE(mixed.points().empty()) << i;
    // Points along one normal are farther apart than along their own, so pairs that are apart differ by the angle between.
    const double tolerance = lowest(of_boxes) < 0 ? 2e-4 : 0.02;
    EXPECT_NEAR(lowest(of_meshes), lowest(of_boxes), tolerance) << i;
    EXPECT_NEAR(lowest(mixed), lowest(of_boxes), tolerance) << i;
    if (lowest(of_boxes) > 0) continue;
    ++close;
    EXPECT_GT(deepest(of_meshes).normal.dot(deepest(of_boxes).normal), 0.99) << i;
  }
  EXPECT_GT(close, 50);
}

double brute_gap(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& s : a.triangles)
    for (const auto& t : b.triangles) {
      const std::array<Vec3, 3> of_a{a.vertices[s[0]], a.vertices[s[1]], a.vertices[s[2]]};
      const std::array<Vec3, 3> of_b{b_in_a * b.vertices[t[0]], b_in_a * b.vertices[t[1]], b_in_a * b.vertices[t[2]]};
      least = std::min(least, closest_of_triangles(of_a, of_b).squared_distance);
    }
  return std::sqrt(least);
}

TEST(MeshContacts, meshes_that_are_apart_have_the_distance_that_brute_force_finds) {
  PairMaker random(3);
  const MeshSolid ring(torus_mesh(1, 0.25, 16, 10)), l(l_mesh());
  ContactSink sink;
  int apart = 0;
  for (int i = 0; i < 150; ++i) {
    const Pose pose{random.uniform(0.2, 2.5) * random.direction(), random.rotation()};
    const double expected = brute_gap(ring.mesh(), l.mesh(), pose);
    const auto found = narrow::gap_of(ring, l, pose, 10);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->distance, expected, 1e-12);
    EXPECT_FALSE(narrow::gap_of(ring, l, pose, 0.99 * expected - 1e-9));
    if (!(expected > 0)) continue;
    ++apart;
    EXPECT_NEAR((found->on_b - found->on_a).norm(), expected, 1e-9);
    collide(make_mesh(ring.mesh()), {}, make_mesh(l.mesh()), pose, expected + 0.1, sink);
    // Edges nearly along a face take its normal: within 2°, the gap along it is at most that cosine smaller.
    ASSERT_FALSE(sink.points().empty());
    EXPECT_LE(lowest(sink), expected + 1e-9) << i;
    EXPECT_GE(lowest(sink), 0.9993 * expected - 1e-9) << i;
  }
  EXPECT_GT(apart, 60);
}

TEST(MeshContacts, a_ball_in_a_notch_touches_both_of_its_sides) {
  // A block with a notch of 90° along y.
  const std::vector<Vec2> outline = {{-2, -2}, {2, -2}, {2, 1}, {1, 1}, {0, 0}, {-1, 1}, {-2, 1}};
  const std::vector<std::array<std::uint32_t, 3>> cap = {{0, 4, 5}, {0, 5, 6}, {0, 1, 4}, {1, 3, 4}, {1, 2, 3}};
  const Shape block = make_mesh(prism_mesh(outline, cap, 1));
  ContactSink sink;
  const double r = 0.3;
  collide(Sphere{r}, {Vec3(0, r * std::sqrt(2.0), 0), Quat::Identity()}, block, {}, 1e-3, sink);
  ASSERT_EQ(sink.points().size(), 2u);
  ASSERT_EQ(sink.parts().size(), 2u) << "two normals, two manifolds";
  for (const ContactPoint& p : sink.points()) {
    EXPECT_NEAR(p.gap, 0, 1e-12);
    EXPECT_NEAR(std::abs(p.normal.x()), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(p.normal.y(), -std::sqrt(0.5), 1e-12);
  }
}

TEST(MeshContacts, only_the_side_that_is_touched_of_a_thin_plate_counts) {
  PairMaker random(4);
  const Shape plate = make_mesh(box_mesh(Vec3(1, 1, 0.005)));
  ContactSink sink;
  for (const Shape& shape :
       {Shape(Box{Vec3::Constant(0.1)}), Shape(Sphere{0.1}), Shape(make_mesh(box_mesh(Vec3::Constant(0.1)))),
        Shape(Cylinder{0.1, 0.1}), Shape(Capsule{0.1, 0.1})})
    for (int i = 0; i < 50; ++i) {
      const double depth = random.uniform(-1e-3, 1e-3);
      Pose pose{Vec3(random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), 0), turned(0.2 * i, Vec3::UnitZ())};
      pose.position.z() = 0.005 - bounding_box(shape, pose).lower.z() - depth;
      collide(shape, pose, plate, {}, 0.02, sink);
      ASSERT_FALSE(sink.points().empty()) << shape_name(shape);
      for (const ContactPoint& p : sink.points()) {
        EXPECT_NEAR(p.normal.z(), -1, 1e-9) << shape_name(shape);
        EXPECT_GE(p.gap, -depth - 1e-9) << shape_name(shape);
      }
    }
}

TEST(MeshContacts, what_is_far_from_a_thin_sheet_is_not_behind_its_other_side) {
  const Shape sheet = make_mesh(box_mesh(Vec3(0.0005, 0.2, 0.2)));
  ContactSink sink;
  for (const double apart : {0.02, 0.1, 1.4, 10.0})
    for (const Shape& shape : {sheet, Shape(Box{Vec3(0.0005, 0.2, 0.2)}), Shape(Sphere{0.01})}) {
      collide(sheet, {}, shape, {Vec3(apart, 0.01, 0.02), turned(0.3, Vec3::UnitX())}, 2 * apart, sink);
      ASSERT_FALSE(sink.points().empty()) << shape_name(shape) << " " << apart;
      for (const ContactPoint& p : sink.points()) EXPECT_GT(p.gap, 0) << shape_name(shape) << " " << apart;
    }
}

TEST(MeshContacts, a_box_over_the_rim_of_a_table_is_not_pushed_off_its_side) {
  const Shape table = make_mesh(box_mesh(Vec3(1, 1, 0.1)));
  ContactSink sink;
  for (const Shape& shape :
       {Shape(Box{Vec3::Constant(0.2)}), Shape(make_mesh(box_mesh(Vec3::Constant(0.2)))), Shape(Cylinder{0.2, 0.2})})
    for (const double overhang : {1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.19}) {
      const Pose pose{Vec3(1 - 0.2 + overhang, 0.03, 0.3 - 1e-5), turned(0.01, Vec3::UnitZ())};
      collide(shape, pose, table, {}, 1e-3, sink);
      EXPECT_GE(sink.points().size(), 3u) << shape_name(shape) << overhang;
      for (const ContactPoint& p : sink.points()) EXPECT_NEAR(p.normal.z(), -1, 1e-9) << shape_name(shape) << overhang;
      double farthest = -1;
      for (const ContactPoint& p : sink.points()) farthest = std::max(farthest, p.position.x());
      EXPECT_NEAR(farthest, 1, 1e-6 + (std::holds_alternative<Cylinder>(shape) ? 0 : 2e-3 + (overhang < 0.01 ? 0.02 : 0)))
          << "the rim carries " << shape_name(shape) << overhang;
    }
}

TEST(MeshContacts, a_box_on_one_of_its_size_stands_on_its_top_and_touches_no_side) {
  const Shape below = make_mesh(box_mesh(Vec3::Constant(0.5)));
  ContactSink sink;
  for (const Shape& box : {Shape(Box{Vec3::Constant(0.5)}), below})
    for (const double aside : {0.0, 1e-9, -1e-9, 1e-6, 1e-5, -1e-5, 1e-3})
      for (const double deep : {0.0, 1e-9, 1e-7, 1e-5, 1e-4})
        for (const double turn : {0.0, 1e-8, -1e-6}) {
          collide(below, {}, box, {Vec3(aside, 0.3 * aside, 1 - deep), turned(turn, Vec3(1, 1, 1).normalized())}, 0.01, sink);
          int up = 0;
          for (const ContactPoint& p : sink.points()) {
            EXPECT_GT(p.normal.z(), 0.999) << aside << " " << deep << " " << turn << " gap " << p.gap;
            if (p.normal.z() > 0.999) ++up;
          }
          EXPECT_GE(up, 4) << aside << " " << deep << " " << turn;
        }
}

TEST(MeshContacts, what_is_deeper_inside_than_it_can_move_in_a_step_is_pushed_out) {
  const Shape plate = make_mesh(box_mesh(Vec3(0.5, 0.5, 0.1)));
  ContactSink sink;
  for (const double deep : {0.01, 0.037, 0.06, 0.09})
    for (const double aside : {0.0, 0.1}) {
      collide(plate, {}, plate, {Vec3(aside, 0, 0.2 - deep), Quat::Identity()}, 0.02, sink);
      ASSERT_FALSE(sink.points().empty()) << deep << " " << aside;
      for (const ContactPoint& p : sink.points()) EXPECT_LE(p.gap, 0.02);
      EXPECT_NEAR(deepest(sink).gap, -deep, 1e-9) << deep << " " << aside;
      EXPECT_GT(deepest(sink).normal.z(), 0.999) << deep << " " << aside;
    }
}

TEST(MeshContacts, exchanging_meshes_reverses_normals_and_names_only) {
  PairMaker random(5);
  const Shape ring = make_mesh(torus_mesh(1, 0.25, 16, 10)), ball = make_mesh(sphere_mesh(0.6, 16));
  ContactSink forth, back;
  for (int i = 0; i < 60; ++i) {
    const Pose pose{Vec3(random.uniform(0.5, 1.5), random.uniform(-0.5, 0.5), random.uniform(0.6, 0.9)), random.rotation()};
    collide(ring, {}, ball, pose, 0.05, forth);
    collide(ball, pose, ring, {}, 0.05, back);
    ASSERT_EQ(forth.points().size(), back.points().size());
    const auto a = by_place(forth), b = by_place(back);
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].gap, b[k].gap);
      EXPECT_EQ(a[k].normal, Vec3(-b[k].normal));
      EXPECT_EQ(a[k].feature, exchanged_feature(b[k].feature));
    }
  }
}

TEST(MeshSolid, knows_facets_thickness_mass_and_what_it_costs) {
  const MeshSolid box(box_mesh(Vec3(1, 2, 3)));
  EXPECT_EQ(box.facets().size(), 6u);
  EXPECT_NEAR(box.thickness(), 2, 1e-5);
  ASSERT_TRUE(box.solid());
  EXPECT_NEAR(box.solid()->mass, 48, 1e-10);
  const MeshSolid ball(sphere_mesh(1, 64));
  EXPECT_NEAR(ball.thickness(), 2, 0.01);
  EXPECT_LT(static_cast<double>(ball.bytes()) / static_cast<double>(ball.mesh().triangles.size()), 200);
  PairMaker random(6);
  const MeshSolid floor(uneven_floor(10, 1, random));
  EXPECT_FALSE(floor.closed());
  EXPECT_EQ(floor.thickness(), 0);
  EXPECT_THROW(mass_properties(Shape(make_mesh(floor.mesh())), 1000), Error);
  EXPECT_THROW(make_mesh(TriangleMesh{}), Error);
}

/// The corner of one T of sheet is nearly out of a ridge of another, that its edges are 0.4 mm deep in: moving it out by what
/// the corner asks for leaves the two crossed.
TEST(MeshContacts, edges_deep_in_a_ridge_are_held_though_a_corner_is_nearly_out_of_it) {
  const double t = 0.003, low = -0.010234, mid = -0.004234, top = 0.029766;
  TriangleMesh mesh =
      prism_mesh({{-0.03, low}, {0.03, low}, {0.03, mid}, {t, mid}, {t, top}, {-t, top}, {-t, mid}, {-0.03, mid}},
                 {{0, 1, 2}, {0, 2, 3}, {0, 3, 6}, {0, 6, 7}, {3, 4, 5}, {3, 5, 6}}, 0.04);
  for (Vec3& x : mesh.vertices) x.z() -= 0.02;
  const Shape piece = make_mesh(std::move(mesh));
  const Pose a{{0.0171721, 0.0155868, 0.0255269}, Quat(0.4864511, -0.6028609, 0.0092804, -0.6323274).normalized()};
  const Pose b{{0.0244643, -0.0245252, 0.0584456}, Quat(0.4746537, 0.7961583, 0.3255156, 0.1867497).normalized()};
  // What the parts that overlap, which are boxes, are deep in each other by.
  const double half = 0.5 * (low + mid);
  const Shape foot = Box{{0.03, 0.003, 0.02}}, stem = Box{{t, 0.5 * (top - mid), 0.02}};
  ContactSink sink;
  double deepest = 0;
  for (const auto& [part_a, up_a] : {std::pair(foot, half), std::pair(stem, 0.5 * (mid + top))})
    for (const auto& [part_b, up_b] : {std::pair(foot, half), std::pair(stem, 0.5 * (mid + top))}) {
      collide(part_a, a * Pose{{0, up_a, 0}, Quat::Identity()}, part_b, b * Pose{{0, up_b, 0}, Quat::Identity()}, 0, sink);
      if (!sink.points().empty()) deepest = std::max(deepest, -lowest_gap(sink.points()));
    }
  EXPECT_NEAR(deepest, 4.04e-4, 2e-6);
  collide(piece, a, piece, b, 0.001, sink);
  EXPECT_GE(-lowest_gap(sink.points()), 0.99 * deepest);
}

/// Two stones of a column whose rims have the same size, the upper one flaring out: corners of the lower one are as near to the
/// flank of the upper one as to its foot.
TEST(MeshContacts, an_edge_that_lies_on_the_foot_of_an_l_has_nothing_to_do_with_the_wall_of_its_notch) {
  const Shape foot =
      make_mesh(prism_mesh({{-0.07, -0.07}, {0.07, -0.07}, {0.07, -0.024}, {-0.024, -0.024}, {-0.024, 0.07}, {-0.07, 0.07}},
                           {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}}, 0.05));
  const Shape bar = make_mesh(box_mesh(Vec3(0.07, 0.02, 0.02)));
  ContactSink sink;
  for (const double slope : {0.0, 1e-5, 1e-4, 1e-3}) {
    // It stands on its edge, which ends 5 mm beside the wall and sinks in by a little more towards the rim.
    const double deep = 4e-5;
    const Quat tilt = rotation_from_vector(Vec3(0, -slope, 0)) * rotation_from_vector(Vec3(M_PI / 4, 0, 0));
    const Vec3 corner(0.018, -0.029, 0.05 - deep), start(0.07, -0.02, -0.02);
    const Pose lying{corner - tilt * start, tilt};
    collide(foot, Pose{}, bar, lying, 5e-3, sink);
    EXPECT_LT(lowest_gap(sink.points()), -0.9 * deep) << slope;
    EXPECT_GT(lowest_gap(sink.points()), -1.1 * (deep + 0.088 * slope)) << slope;
    sink.clear();
  }
}

TEST(MeshContacts, rims_that_lie_on_each_other_press_across_their_faces_and_not_as_wedges) {
  const std::vector<Vec2> drum{{0.75, 0}, {0.62, 1}}, flared{{0.62, 0}, {0.9, 0.3}};
  const TriangleMesh lower_mesh = revolved_mesh(drum, 0, 1, 16), upper_mesh = revolved_mesh(flared, 0, 0.3, 16);
  const Shape lowers[] = {make_mesh(lower_mesh), make_convex_hull(lower_mesh.vertices)};
  const Shape uppers[] = {make_mesh(upper_mesh), make_convex_hull(upper_mesh.vertices)};
  PairMaker random(17);
  ContactSink sink;
  for (int i = 0; i < 400; ++i) {
    const Shape &lower = lowers[i / 2 % 2], &upper = uppers[i / 4 % 2];
    const double deep = std::pow(10, random.uniform(-7, -3.5));
    const auto noise = [&] { return random.uniform(-0.3, 0.3) * deep; };
    const Pose pose{Vec3(noise(), noise(), 1 - deep), rotation_from_vector(Vec3(noise(), noise(), i % 2 ? noise() : 0.1))};
    collide(lower, {}, upper, pose, 1e-3, sink);
    Vec3 middle = Vec3::Zero();
    for (const ContactPoint& p : sink.points()) {
      ASSERT_GT(p.normal.z(), 0.999) << i << ' ' << deep;
      ASSERT_NEAR(p.gap, -deep, 0.6 * deep) << i << ' ' << deep;
      middle += p.position / static_cast<double>(sink.points().size());
    }
    ASSERT_GE(sink.points().size(), 4u) << i;
    EXPECT_LT(middle.head<2>().norm(), 0.2) << i;
  }
}

/// A spike along x whose tip is the origin.
TriangleMesh spike_mesh() {
  TriangleMesh spike;
  spike.vertices = {{0, 0, 0}, {0.5, 0.1, 0.1}, {0.5, -0.1, 0.1}, {0.5, -0.1, -0.1}, {0.5, 0.1, -0.1}};
  spike.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {0, 1, 4}, {1, 2, 3}, {1, 3, 4}};
  return spike;
}

TEST(MeshContacts, a_tip_behind_a_hollow_edge_is_held_though_it_is_over_no_face) {
  // The inner edge of an L runs along z through (1, 1); the tip of a spike has come through it along the diagonal.
  const Shape angle = make_mesh(l_mesh()), tip = make_mesh(spike_mesh());
  const Vec3 out = Vec3(1, 1, 0).normalized();
  for (const double depth : {0.01, 0.03, 0.05}) {
    const Pose pose{Vec3(1, 1, 0.4) - depth * out, rotation_between(Vec3::UnitX(), out)};
    ContactSink sink;
    for (const double sign : {1.0, -1.0}) {
      sink.clear();
      if (sign > 0) collide(angle, {}, tip, pose, 0.2, sink);
      else collide(tip, pose, angle, {}, 0.2, sink);
      EXPECT_NEAR(lowest_gap(sink.points()), -depth, 1e-12);
      for (const ContactPoint& p : sink.points())
        EXPECT_TRUE(p.gap > 0 || std::abs(sign * p.normal.dot(out) - 1) < 1e-12) << p.gap;
    }
  }
}

TEST(MeshContacts, a_tip_behind_a_hollow_edge_is_not_as_deep_as_the_next_face_is_far) {
  // As above, but near the top of the L, behind which the tip lies farther than behind the edge.
  const Shape angle = make_mesh(l_mesh()), tip = make_mesh(spike_mesh());
  const Vec3 out = Vec3(1, 1, 0).normalized();
  for (const double depth : {1e-4, 1e-3, 5e-3})
    for (const double below : {0.01, 0.02, 0.045}) {
      const Pose pose{Vec3(1, 1, 1 - below) - depth * out, rotation_between(Vec3::UnitX(), out)};
      ContactSink sink;
      collide(angle, {}, tip, pose, 1e-3, sink);
      ASSERT_FALSE(sink.points().empty());
      for (const ContactPoint& p : sink.points()) {
        EXPECT_NEAR(p.gap, -depth, 1e-12) << below;
        EXPECT_NEAR(p.normal.dot(out), 1, 1e-12) << below;
      }
    }
}

/// Inside a ring corners lie between ridges that bend inwards: no corner there looks at anything, and seen from the two ridges
/// beside it a ridge of the other ring passes beyond their ends.
TEST(MeshContacts, rings_that_hang_in_each_other_are_held_wherever_they_have_swung) {
  const Shape ring = make_mesh(torus_mesh(1, 0.2, 40, 16));
  const MeshSolid& solid = *std::get<Mesh>(ring).solid;
  const Pose upper{Vec3::Zero(), rotation_from_vector(Vec3(M_PI / 2, 0, 0))};
  PairMaker random(5);
  ContactSink sink;
  for (int i = 0; i < 40; ++i) {
    const Quat swung = rotation_from_vector(Vec3(random.uniform(-0.7, 0.7), i % 2 ? random.uniform(-1e-3, 1e-3) : 0, 0));
    const Vec3 along = swung * -Vec3::UnitZ();
    const auto hanging = [&](double way) {
      return Pose{-Vec3::UnitZ() + way * along, swung * rotation_from_vector(Vec3(0, M_PI / 2, 0))};
    };
    double apart = 0.5, touching = 0.75;
    for (int halves = 0; halves < 25; ++halves) {
      const double way = 0.5 * (apart + touching);
      const auto gap = narrow::gap_of(solid, solid, upper.inverse() * hanging(way), 0.01);
      (gap && gap->distance == 0 ? touching : apart) = way;
    }
    const double deep = random.uniform(0.001, 0.01);
    collide(ring, upper, ring, hanging(touching + deep), 1e-3, sink);
    EXPECT_LT(lowest_gap(sink.points()), -0.5 * deep) << i;
    EXPECT_GT(lowest_gap(sink.points()), -1.001 * deep) << i;
    sink.clear();
  }
}

TEST(MeshContacts, the_rim_of_a_cylinder_is_held_where_it_lies_deepest_between_the_places_that_planes_see) {
  // It leans over the corner of a block: its lowest point is beside the top, and a part of the rim is behind the side.
  const Shape block = make_mesh(box_mesh(Vec3(0.5, 0.5, 0.5)));
  const Cylinder cylinder{0.6, 0.7};
  PairMaker random(17);
  int seen = 0;
  for (int i = 0; i < 60; ++i) {
    const Pose pose{Vec3(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.9, 1.2)), random.rotation()};
    double deepest = 0;
    for (int k = 0; k < 4000; ++k)
      for (const double z : {-0.7, 0.7}) {
        const double angle = 2 * M_PI / 4000 * k;
        const Vec3 x = pose * Vec3(0.6 * std::cos(angle), 0.6 * std::sin(angle), z);
        deepest = std::max(deepest, 0.5 - x.cwiseAbs().maxCoeff());
      }
    if (deepest < 1e-3 || deepest > 0.1) continue;
    ++seen;
    ContactSink sink;
    collide(cylinder, pose, block, {}, 0.06, sink);
    EXPECT_GE(-lowest_gap(sink.points()), 0.85 * deepest) << i;
  }
  EXPECT_GT(seen, 5);
}

}   // namespace
}   // namespace stickslip::testing
