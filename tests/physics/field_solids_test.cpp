// Solids whose contacts come from distance fields move as physics says.
#include "physics/worlds.h"
#include "stickslip/field/sampled_field.h"
#include "stickslip/geometry/mesh_solid.h"

namespace stickslip::testing {
namespace {

using FieldSolids = AtScale;

TriangleMesh box_surface(double half) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(half * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  mesh.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return mesh;
}

TriangleMesh ring_surface(double radius, double tube) {
  constexpr int n = 48, m = 24;
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const double u = 2 * std::numbers::pi * i / n, v = 2 * std::numbers::pi * j / m, r = radius + tube * std::cos(v);
      mesh.vertices.emplace_back(r * std::cos(u), r * std::sin(u), tube * std::sin(v));
    }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>((i % n) * m + j % m); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

/// Circles of latitude and two poles.
TriangleMesh ball_surface(double radius) {
  constexpr int rings = 16, around = 24;
  TriangleMesh mesh;
  mesh.vertices = {Vec3(0, 0, radius), Vec3(0, 0, -radius)};
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double down = std::numbers::pi * i / rings, turn = 2 * std::numbers::pi * j / around;
      mesh.vertices.emplace_back(radius *
                                 Vec3(std::sin(down) * std::cos(turn), std::sin(down) * std::sin(turn), std::cos(down)));
    }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(2 + (i - 1) * around + j % around); };
  for (int j = 0; j < around; ++j) {
    mesh.triangles.push_back({0, at(1, j), at(1, j + 1)});
    mesh.triangles.push_back({1, at(rings - 1, j + 1), at(rings - 1, j)});
    for (int i = 1; i + 1 < rings; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

Mesh sampled(TriangleMesh mesh) {
  auto solid = std::make_shared<MeshSolid>(std::move(mesh));
  solid->set_field(std::make_shared<const SampledField>(solid->surface(), FieldOptions{.resolution = 32}));
  return {solid};
}

TEST_P(FieldSolids, a_stack_of_sampled_boxes_stays) {
  const double size = GetParam().size, half = 0.5 * size;
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const Mesh box = sampled(box_surface(half));
  const auto place = [&](int i) { return Vec3(0.05 * size * (i % 2), 0, half + i * size); };
  std::vector<BodyId> boxes;
  for (int i = 0; i < 4; ++i) boxes.push_back(add_body(world, box, place(i), m));
  StepOptions options;
  options.h = 0.01 * GetParam().time();
  Stepper stepper(options);
  simulate(world, stepper, GetParam().time());
  for (int i = 0; i < 4; ++i) {
    const Body& body = world.body(boxes[static_cast<std::size_t>(i)]);
    EXPECT_LT((body.position - place(i)).norm(), 1e-3 * size) << i;
    EXPECT_LT(body.velocity.norm(), 1e-4 * GetParam().speed()) << i;
  }
}

TEST_P(FieldSolids, a_ball_comes_to_rest_in_the_hole_of_a_ring) {
  const double size = GetParam().size, radius = size, tube = 0.4 * size, ball = 0.75 * size;
  World world;
  const MaterialId m = material(world, 0.5);
  BodyDescription ring;
  ring.motion = MotionType::fixed;
  ring.parts = {{sampled(ring_surface(radius, tube)), {}, m}};
  world.add(ring);
  const double rest = std::sqrt(std::pow(ball + tube, 2) - radius * radius);
  const BodyId id = add_body(world, Sphere{ball}, {0.02 * size, 0.01 * size, rest + 0.05 * size}, m);
  StepOptions options;
  options.h = 0.005 * GetParam().time();
  Stepper stepper(options);
  simulate(world, stepper, 1.5 * GetParam().time());
  const Body& body = world.body(id);
  EXPECT_NEAR(body.position.z(), rest, 0.02 * size);   // its triangles lie inside the ring by up to 0.9 % of the tube
  EXPECT_LT(body.position.head<2>().norm(), 0.03 * size);
  EXPECT_LT(body.velocity.norm(), 1e-3 * GetParam().speed());
}

TEST_P(FieldSolids, a_smooth_ball_of_coarse_triangles_rolls_down_a_slope_as_a_ball_does) {
  const double size = GetParam().size, radius = 0.5 * size, angle = 0.3;
  World world;
  const MaterialId m = material(world, 0.5);
  const Quat slope = rotation_from_vector(Vec3(0, angle, 0));
  add_ground(world, m, slope * Vec3::UnitZ());
  auto solid = std::make_shared<MeshSolid>(ball_surface(radius));
  solid->set_field(std::make_shared<const ShapeField>(Sphere{radius}));
  BodyDescription ball;
  ball.parts = {{Mesh{solid}, {}, m}};
  ball.pose.position = slope * Vec3(0, 0, radius);
  ball.mass_properties = mass_properties(Shape(Sphere{radius}), 1000);
  const BodyId id = world.add(ball);
  StepOptions options;
  options.h = 0.005 * GetParam().time();
  Stepper stepper(options);
  simulate(world, stepper, GetParam().time());
  // A ball that rolls has 7/5 of its mass to accelerate.
  const double way = 0.5 * (5.0 / 7) * kGravity * std::sin(angle) * size;
  const Vec3 along = slope.conjugate() * world.body(id).position;
  EXPECT_NEAR(along.x(), way, 0.01 * way);
  EXPECT_NEAR(along.y(), 0, 0.01 * way);
  EXPECT_NEAR(along.z(), radius, 1e-3 * radius);
}

INSTANTIATE_TEST_SUITE_P(Scales, FieldSolids, kScales, scale_name);

}   // namespace
}   // namespace stickslip::testing
