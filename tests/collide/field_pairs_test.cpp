// Contacts of solids given by distance fields, against those of the shapes that they stand for.
#include <gtest/gtest.h>

#include "stickslip/collide/collide.h"
#include "stickslip/field/sampled_field.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::field_pairs_test {
namespace {

/// Spheres of points on a grid of angles: for a closed surface of a function of them.
TriangleMesh grid_surface(int n, int m, const std::function<Vec3(double, double)>& at) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) mesh.vertices.push_back(at(2 * M_PI * i / n, 2 * M_PI * j / m));
  const auto number = [&](int i, int j) { return static_cast<std::uint32_t>((i % n) * m + j % m); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      mesh.triangles.push_back({number(i, j), number(i + 1, j), number(i + 1, j + 1)});
      mesh.triangles.push_back({number(i, j), number(i + 1, j + 1), number(i, j + 1)});
    }
  return mesh;
}

TriangleMesh torus_mesh(double radius, double tube) {
  return grid_surface(48, 24, [&](double u, double v) {
    const double r = radius + tube * std::cos(v);
    return Vec3(r * std::cos(u), r * std::sin(u), tube * std::sin(v));
  });
}

/// A ring whose samples are exact, as one of formulas.
class TorusField final : public DistanceField {
 public:
  TorusField(double radius, double tube) : radius_(radius), tube_(tube) {}
  double value(const Vec3& at) const override { return sample(at).value; }
  FieldSample sample(const Vec3& p) const override {
    const double across = std::hypot(p.x(), p.y());
    const Vec3 out = across > 0 ? Vec3(p.x() / across, p.y() / across, 0) : Vec3::UnitX();
    const Vec3 from_ring = (across - radius_) * out + Vec3(0, 0, p.z());
    return {from_ring.norm() - tube_, from_ring.normalized()};
  }
  Aabb bounds() const override {
    const Vec3 reach(radius_ + tube_, radius_ + tube_, tube_);
    return {-reach, reach};
  }
  double error_bound() const override { return 0; }
  double band() const override { return std::numeric_limits<double>::infinity(); }

 private:
  double radius_, tube_;
};

TriangleMesh box_mesh(const Vec3& half) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z());
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

/// An icosphere would do as well: a cube whose faces are divided and pushed out.
TriangleMesh ball_mesh(double radius, int n) {
  TriangleMesh mesh;
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {-1, 1}) {
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
          Vec3 p;
          p[axis] = side;
          p[(axis + 1) % 3] = side * (2.0 * i / n - 1);
          p[(axis + 2) % 3] = 2.0 * j / n - 1;
          mesh.vertices.push_back(radius * p.normalized());
        }
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int a, int b) { return first + static_cast<std::uint32_t>(a * (n + 1) + b); };
          mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
          mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    }
  // Vertices of neighbouring faces lie at the same places: one each.
  std::vector<std::uint32_t> same(mesh.vertices.size());
  std::vector<Vec3> kept;
  for (std::size_t v = 0; v < same.size(); ++v) {
    std::size_t k = 0;
    while (k < kept.size() && (kept[k] - mesh.vertices[v]).norm() > 1e-9 * radius) ++k;
    if (k == kept.size()) kept.push_back(mesh.vertices[v]);
    same[v] = static_cast<std::uint32_t>(k);
  }
  for (auto& t : mesh.triangles)
    for (auto& v : t) v = same[v];
  mesh.vertices = kept;
  return mesh;
}

Mesh with_field(TriangleMesh mesh, std::shared_ptr<const DistanceField> field) {
  auto solid = std::make_shared<MeshSolid>(std::move(mesh));
  EXPECT_TRUE(solid->closed());
  solid->set_field(field ? field : std::make_shared<const SampledField>(solid->surface(), FieldOptions{.resolution = 48}));
  return {solid};
}

Mesh ball(double radius) { return with_field(ball_mesh(radius, 8), std::make_shared<const ShapeField>(Sphere{radius})); }
Mesh block(const Vec3& half) { return with_field(box_mesh(half), nullptr); }

std::vector<ContactPoint> contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin) {
  ContactSink sink;
  collide(a, pose_a, b, pose_b, margin, sink);
  return sink.points();
}

const ContactPoint& deepest(const std::vector<ContactPoint>& points) {
  return *std::min_element(points.begin(), points.end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
}

Pose random_pose(std::mt19937& random, double distance) {
  std::normal_distribution<double> normal;
  const Vec3 at(normal(random), normal(random), normal(random));
  return {distance * at.normalized(), Quat(normal(random), normal(random), normal(random), normal(random)).normalized()};
}

TEST(FieldPairs, a_smooth_ball_touches_as_the_sphere_does) {
  const double radius = 0.7, margin = 0.1;
  const Mesh field = ball(radius);
  std::mt19937 random(1);
  const auto compare = [&](const Shape& other, const Pose& pose_other, const Pose& pose_ball, const char* what) {
    const auto exact = contacts(other, pose_other, Sphere{radius}, pose_ball, margin);
    const auto found = contacts(other, pose_other, field, pose_ball, margin);
    ASSERT_EQ(exact.empty(), found.empty()) << what;
    if (exact.empty()) return;
    const ContactPoint &e = deepest(exact), &f = deepest(found);
    EXPECT_NEAR(f.gap, e.gap, 1e-4 * radius) << what;
    EXPECT_GT(f.normal.dot(e.normal), 0.9999) << what;
    EXPECT_LT((f.position - e.position).norm(), 0.02 * radius) << what;
    for (const ContactPoint& p : found) EXPECT_NEAR(p.normal.norm(), 1, 1e-9) << what;
  };
  for (int i = 0; i < 60; ++i) {
    const double gap = -0.03 + 0.001 * i;
    const Quat turn = random_pose(random, 1).orientation;
    compare(HalfSpace{}, {}, {{0.3, -0.2, radius + gap}, turn}, "half-space");
    compare(Sphere{0.4}, {}, random_pose(random, 1.1 + gap), "sphere");
    compare(Capsule{0.3, 0.5}, {{0, 0, 0}, turn}, {turn * Vec3(1 + gap, 0, 0.2), Quat::Identity()}, "capsule");
    compare(Box{{1, 2, 0.5}}, {}, {{0.2, -0.3, 0.5 + radius + gap}, turn}, "box");
    compare(Cylinder{0.5, 1}, {}, {{0.5 + radius + gap, 0, 0.3}, turn}, "cylinder");
  }
}

TEST(FieldPairs, exchanging_the_shapes_turns_the_normals) {
  const Mesh field = ball(0.7);
  const auto one = contacts(Box{{1, 1, 0.5}}, {}, field, {{0, 0, 1.19}}, 0.05);
  const auto other = contacts(field, {{0, 0, 1.19}}, Box{{1, 1, 0.5}}, {}, 0.05);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].gap, other[i].gap);
    EXPECT_EQ(one[i].normal, -other[i].normal);
  }
}

TEST(FieldPairs, a_block_on_a_plane_touches_with_its_corners) {
  const Mesh field = block({0.5, 0.4, 0.3});
  for (const double gap : {-0.002, 0.0, 0.002}) {
    const auto found = contacts(HalfSpace{}, {}, field, {{1, 2, 0.3 + gap}}, 0.01);
    ASSERT_EQ(found.size(), 4u);
    for (const ContactPoint& p : found) {
      EXPECT_NEAR(p.gap, gap, 1e-12);
      EXPECT_TRUE(p.normal.isApprox(Vec3::UnitZ(), 1e-12));
      EXPECT_NEAR(std::abs(p.position.x() - 1), 0.5, 1e-9);
      EXPECT_NEAR(std::abs(p.position.y() - 2), 0.4, 1e-9);
    }
  }
}

/// All points have the same gap and normal, and the corners of the rectangle are among them.
void expect_patch(const std::vector<ContactPoint>& found, double gap, const Vec3& half, double tolerance, const char* what) {
  for (const ContactPoint& p : found) {
    EXPECT_NEAR(p.gap, gap, tolerance) << what;
    EXPECT_GT(p.normal.z(), 1 - 1e-6) << what;
  }
  for (const double x : {-half.x(), half.x()})
    for (const double y : {-half.y(), half.y()}) {
      double nearest = half.x();
      for (const ContactPoint& p : found) nearest = std::min(nearest, (p.position.head<2>() - Vec2(x, y)).norm());
      EXPECT_LT(nearest, 0.03 * half.x()) << what << " at " << x << ", " << y;
    }
}

TEST(FieldPairs, blocks_that_lie_flat_on_each_other_touch_in_the_whole_common_rectangle) {
  const Vec3 half(0.5, 0.5, 0.5);
  const Mesh cube = block(half), bar = block({1.5, 0.2, 0.1}), plate = block({2, 2, 0.2}),
             triangles = make_mesh(box_mesh(half));
  for (const double gap : {-0.001, 0.0, 0.001}) {
    expect_patch(contacts(cube, {}, cube, {{0, 0, 1 + gap}}, 0.01), gap, half, 1e-4, "two fields");
    expect_patch(contacts(Box{half}, {}, cube, {{0, 0, 1 + gap}}, 0.01), gap, half, 1e-4, "a box and a field");
    expect_patch(contacts(triangles, {}, cube, {{0, 0, 1 + gap}}, 0.01), gap, half, 1e-4, "a mesh and a field");
    expect_patch(contacts(plate, {}, cube, {{0, 0, 0.7 + gap}}, 0.01), gap, half, 1e-4, "on a plate");
    const Quat crosswise = rotation_from_vector(Vec3(0, 0, M_PI / 2));
    expect_patch(contacts(bar, {}, bar, {{0, 0, 0.2 + gap}, crosswise}, 0.005), gap, {0.2, 0.2, 0}, 1e-4, "crosswise");
  }
}

TEST(FieldPairs, a_ball_in_the_hole_of_a_ring_touches_all_around) {
  const double radius = 1, tube = 0.4, ball_radius = 0.75;
  // The ball rests where its centre is ball + tube away from the middle line of the tube.
  const double height = std::sqrt(std::pow(ball_radius + tube, 2) - radius * radius);
  for (const Mesh& ring : {with_field(torus_mesh(radius, tube), std::make_shared<const TorusField>(radius, tube)),
                           with_field(torus_mesh(radius, tube), nullptr)}) {
    const bool is_exact = std::isinf(ring.solid->field()->band());
    const auto found = contacts(Sphere{ball_radius}, {{0, 0, height}}, ring, {}, 0.02);
    ASSERT_GE(found.size(), 6u);
    Vec3 sum = Vec3::Zero();
    std::array<int, 8> octants{};
    for (const ContactPoint& p : found) {
      if (p.gap > 0.01) continue;
      sum += p.normal;
      EXPECT_NEAR(p.gap, 0, is_exact ? 1e-6 : 0.01);
      EXPECT_NEAR(p.normal.z(), -height / (ball_radius + tube), is_exact ? 1e-3 : 0.15);
      const double angle = std::atan2(p.position.y(), p.position.x()) + M_PI;
      ++octants[static_cast<std::size_t>(std::min(7.0, angle / (M_PI / 4)))];
    }
    EXPECT_LT(sum.head<2>().norm(), 0.25 * std::abs(sum.z()));
    for (const int count : octants) EXPECT_GT(count, 0);
  }
}

TEST(FieldPairs, names_of_contacts_stay_while_a_block_slides) {
  const Mesh field = block({0.5, 0.4, 0.3});
  std::vector<std::uint64_t> names;
  for (int i = 0; i < 20; ++i) {
    const auto found = contacts(Box{{3, 3, 0.5}}, {}, field, {{0.013 * i, 0.007 * i, 0.8 - 1e-4}}, 0.01);
    std::vector<std::uint64_t> now;
    for (const ContactPoint& p : found) now.push_back(p.feature);
    if (i == 0) names = now;
    EXPECT_EQ(now, names) << i;
  }
}

TEST(FieldPairs, a_corner_on_a_face_and_two_crossing_edges_touch_in_a_point) {
  const Vec3 half(0.5, 0.5, 0.5);
  const Quat on_corner = rotation_between(Vec3(1, 1, 1), -Vec3::UnitZ());
  const auto corner = contacts(block({2, 2, 0.5}), {}, block(half), {{0.1, 0.2, 0.5 + half.norm() + 0.001}, on_corner}, 0.01);
  ASSERT_FALSE(corner.empty());
  EXPECT_NEAR(deepest(corner).gap, 0.001, 1e-6);
  EXPECT_GT(deepest(corner).normal.z(), 0.9999);
  EXPECT_LT((deepest(corner).position - Vec3(0.1, 0.2, 0.5)).norm(), 0.01);
  // One stands on an edge along y, the other turns an edge along x up.
  const Quat edge_down = rotation_from_vector(Vec3(0, M_PI / 4, 0)), edge_up = rotation_from_vector(Vec3(M_PI / 4, 0, 0));
  const double far = 2 * half.x() * std::sqrt(2.0);
  const auto edges = contacts(block(half), {{0, 0, 0}, edge_up}, block(half), {{0.1, 0.15, far - 0.002}, edge_down}, 0.01);
  ASSERT_FALSE(edges.empty());
  EXPECT_NEAR(deepest(edges).gap, -0.002, 1e-3);
  EXPECT_GT(deepest(edges).normal.z(), 0.99);
}

}   // namespace
}   // namespace stickslip::field_pairs_test
