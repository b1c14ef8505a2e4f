// How steps of soft bodies are solved: beside rigid ones, and by minimisation over velocities.
#include <numbers>
#include <random>

#include "error_message.h"
#include "solve/islands.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "worlds.h"

namespace stickslip::testing::soft_solutions {
namespace {

/// A cube of 20 cm.
BodyId add_cube(World& world, const SoftMaterial& material, const Vec3& position, MaterialId m,
                const Vec3& velocity = Vec3::Zero(), int cells = 3) {
  const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.2 / cells);
  SoftDescription d;
  d.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, material);
  d.pose.position = position;
  d.velocity = velocity;
  d.material = m;
  return world.add(d);
}

std::vector<BodyId> add_wall(World& world, MaterialId m, const Vec3& corner) {
  std::vector<BodyId> bricks;
  for (int layer = 0; layer < 4; ++layer)
    for (int i = 0; i < 3; ++i)
      bricks.push_back(
          add_body(world, Box{{0.1, 0.05, 0.05}}, corner + Vec3(0.201 * i + 0.04 * (layer % 2), 0, 0.1 * layer + 0.05), m));
  return bricks;
}

TEST(SoftBodies, and_rigid_ones_that_they_do_not_touch_leave_each_other_alone) {
  World alone, soft_alone, both;
  std::vector<BodyId> bricks, beside;
  BodyId cube, cube_beside;
  for (World* world : {&alone, &soft_alone, &both}) {
    const MaterialId m = material(*world, 0.5);
    add_ground(*world, m);
    if (world != &soft_alone) (world == &alone ? bricks : beside) = add_wall(*world, m, {0, 2, 0});
    if (world != &alone) (world == &both ? cube_beside : cube) = add_cube(*world, {}, {0, 0, 0.105}, m);
  }
  Stepper of_alone(options(0.01)), of_soft(options(0.01)), of_both(options(0.01));
  for (int k = 0; k < 60; ++k) {
    of_alone.step(alone);
    of_soft.step(soft_alone);
    EXPECT_EQ(of_both.step(both).outcome.status, SolveStatus::converged) << k;
  }
  for (std::size_t i = 0; i < bricks.size(); ++i)
    EXPECT_LT((alone.body(bricks[i]).position - both.body(beside[i]).position).norm(), 1e-7) << i;
  const std::vector<Vec3>&one = soft_alone.nodal_body(cube).positions, &other = both.nodal_body(cube_beside).positions;
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_LT((one[i] - other[i]).norm(), 1e-7) << i;
}

TEST(SoftBodies, are_told_apart_from_what_they_do_not_touch_and_keep_their_part_of_w) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  add_wall(world, m, {0, 2, 0});
  for (int i = 0; i < 2; ++i) add_cube(world, {}, {0, 0, 0.1 + 0.2 * i}, m, Vec3::Zero(), 2);
  add_cube(world, {}, {1, 0, 0.1}, m, Vec3::Zero(), 2);
  Stepper stepper(options(0.01));
  stepper.step(world);
  const ContactProblem& whole = stepper.problem();
  const BlockMatrix w = delassus(whole);
  Islands islands;
  islands.find(whole);
  ASSERT_EQ(islands.count(), 3u);   // the wall, two cubes on each other, and one
  int coupled = 0;
  for (std::size_t k = 0; k < islands.count(); ++k) {
    const std::span<const std::uint32_t> blocks = islands.blocks(k);
    SubProblem sub;
    sub.extract(whole, blocks);
    coupled += sub.problem().is_coupled();
    const BlockMatrix part = delassus(sub.problem());
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(part.first[i + 1] - part.first[i], w.first[blocks[i] + 1] - w.first[blocks[i]]);
      for (std::uint32_t e = part.first[i]; e < part.first[i + 1]; ++e) {
        const Eigen::MatrixXd expected = w.entry(blocks[i], w.find(blocks[i], blocks[part.column[e]]));
        EXPECT_LT((part.entry(i, e) - expected).norm(), 1e-12 * w.entry(blocks[i], w.find(blocks[i], blocks[i])).norm());
      }
    }
  }
  EXPECT_EQ(coupled, 2);
}

double fastest_node(const NodalBody& nodes) {
  double speed = 0;
  for (const Vec3& v : nodes.velocities) speed = std::max(speed, v.norm());
  return speed;
}

TEST(SoftBodies, share_islands_with_rigid_ones_whatever_else_lies_about) {
  // A brick on a soft block, flush with two of its sides, and a wall beside it.
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  std::vector<BodyId> all = add_wall(world, m, {0, 2, 0});
  const BodyId block = add_cube(world, {.young = 1e6}, {0, 0, 0.1}, m);
  const BodyId brick = add_body(world, Box{{0.1, 0.05, 0.05}}, {0, 0, 0.25}, m);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 2, [](const StepReport& r) { EXPECT_EQ(r.outcome.status, SolveStatus::converged); });
  const StepReport& report = stepper.step(world);
  EXPECT_NEAR(report.force_on(brick).z(), world.body(brick).mass.mass * kGravity,
              1e-4 * world.body(brick).mass.mass * kGravity);
  EXPECT_LT(world.body(brick).velocity.norm(), 1e-6);
  EXPECT_LT(world.body(all.back()).velocity.norm(), 1e-6);
  EXPECT_LT(fastest_node(world.nodal_body(block)), 1e-6);
}

TEST(SoftBodies, and_what_stands_flush_on_them_do_not_tremble) {
  // Nodes at the rim come and go under the brick by nanometres, and edges are as near as their ends.
  struct Case {
    double young;
    Vec3 half;
    double turned = 0;
    double slope = 0;   ///< of the ground [rad]
  };
  for (const Case& c : {Case{1e6, {0.1, 0.1, 0.05}}, Case{1e5, {0.1, 0.05, 0.05}}, Case{1e5, {0.07, 0.06, 0.05}},
                        Case{1e6, {0.1, 0.1, 0.05}, 0, 0.3}, Case{1e5, {0.1, 0.1, 0.05}, 0.35}}) {
    SCOPED_TRACE(::testing::Message() << c.young << " Pa, " << c.half.transpose() << ", turned by " << c.turned);
    World world;
    world.gravity = kGravity * Vec3(std::sin(c.slope), 0, -std::cos(c.slope));
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    const BodyId block = add_cube(world, {.young = c.young, .stiffness_damping = 0.01}, {0, 0, 0.1}, m);
    BodyDescription d;
    d.parts = {{Box{c.half}, {}, m}};
    d.pose = {{0, 0, 0.25}, Quat(Eigen::AngleAxisd(c.turned, Vec3::UnitZ()))};
    const BodyId brick = world.add(d);
    Stepper stepper(options(0.01));
    simulate(world, stepper, 1.5, [](const StepReport& r) { EXPECT_EQ(r.outcome.status, SolveStatus::converged); });
    for (int k = 0; k < 20; ++k) {
      const std::size_t contacts = stepper.step(world).contacts.size();
      EXPECT_LT(world.body(brick).velocity.norm(), 1e-6) << k << ", " << contacts << " contacts";
      EXPECT_LT(fastest_node(world.nodal_body(block)), 1e-6) << k;
    }
  }
}

TEST(SoftBodies, of_the_same_size_rest_on_each_other_without_trembling) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId low = add_cube(world, {.young = 1e5, .stiffness_damping = 0.01}, {0, 0, 0.1}, m);
  const BodyId high = add_cube(world, {.young = 1e5, .stiffness_damping = 0.01}, {0, 0, 0.3}, m);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 1.5);
  for (int k = 0; k < 20; ++k) {
    stepper.step(world);
    for (const BodyId id : {low, high}) EXPECT_LT(fastest_node(world.nodal_body(id)), 1e-6) << k;
  }
}

/// ½ Σ m (u − u_t)² − τ m g·u + τ/h E(x + h u): what a step of implicit Euler minimises [course §4.2.3].
struct Objective {
  NodalBody before;
  Vec3 gravity;
  double kick, h;

  double operator()(const std::vector<Vec3>& u) const {
    std::vector<Vec3> ends = before.positions;
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      ends[i] += h * u[i];
      sum += before.masses[i] * (0.5 * (u[i] - before.velocities[i]).squaredNorm() - kick * gravity.dot(u[i]));
    }
    return sum + kick / h * before.solid->energy(ends);
  }
};

StepOptions minimising(double h, SoftSolution solution = SoftSolution::minimisation) {
  StepOptions o = options(h, 2000);
  o.soft.solution = solution;
  o.soft.max_linearisations = 60;
  o.soft.max_pieces = 1;   // what comes of one step
  return o;
}

/// A capsule of rubber, 26 cm long and 6 cm thick. @param pinned whether its ends are held
BodyId add_capsule(World& world, MaterialId m, const Pose& pose, const Vec3& velocity, bool pinned) {
  const TetMesh mesh = soft_capsule(0.03, 0.1, 0.035);
  SoftDescription d;
  d.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, SoftMaterial{.stiffness_damping = 0.01});
  d.pose = pose;
  d.velocity = velocity;
  d.material = m;
  for (std::uint32_t i = 0; pinned && i < mesh.vertices.size(); ++i)
    if (std::abs(mesh.vertices[i].z()) > 0.09) d.pins.push_back({.nodes = {i}});
  return world.add(d);
}

TEST(SoftBodies, that_glance_off_each_other_end_deeper_by_a_hundredth_at_most_if_steps_may_be_cut) {
  // Each step takes the one that flies as far as the other is thick.
  const auto deepest = [](double off, int pieces) {
    World world;
    world.gravity.setZero();
    const MaterialId m = material(world, 0.3);
    const Quat lying(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()));
    const Quat across(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3(1, 0.3, 0).normalized()));
    add_capsule(world, m, {Vec3::Zero(), lying}, Vec3::Zero(), true);
    add_capsule(world, m, {{0.01, off, 0.075}, across}, {0, 0, -3}, false);
    StepOptions o = options(0.01);
    o.soft.max_pieces = pieces;
    Stepper stepper(o);
    double depth = 0;
    simulate(world, stepper, 0.12, [&](const StepReport& r) {
      depth = std::max(depth, r.penetration_max);
      EXPECT_LE(r.outcome.error, r.outcome.tolerance);
    });
    return depth;
  };
  for (const double off : {0.0, 0.1}) {
    EXPECT_GT(deepest(off, 1), 0.02 * 0.06) << off;
    EXPECT_LT(deepest(off, 8), 0.011 * 0.06) << off;
  }
}

TEST(SoftBodies, whose_steps_are_minimised_have_the_least_objective_of_all_velocities_that_contacts_allow) {
  // Smooth ground, which it strikes within the step.
  World world;
  const MaterialId m = material(world, 0);
  add_ground(world, m);
  const BodyId id = add_cube(world, {.young = 3e4, .stiffness_damping = 0}, {0, 0, 0.11}, m, {0.3, 0, -4});
  const double h = 0.01;
  Stepper stepper(minimising(h));
  const NodalBody before = world.nodal_body(id);
  const StepReport& report = stepper.step(world);
  ASSERT_EQ(report.outcome.status, SolveStatus::converged);
  EXPECT_LT(report.linearisations, 60);
  EXPECT_GT(report.linearisations, 2);
  const Objective objective{before, world.gravity, report.force_time, h};
  std::vector<Vec3> solved(before.size());
  for (std::size_t i = 0; i < solved.size(); ++i) solved[i] = (world.nodal_body(id).positions[i] - before.positions[i]) / h;
  const double least = objective(solved);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::size_t touching = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<Vec3> other = solved;
    const double size = std::pow(10, -k % 4);
    for (std::size_t i = 0; i < other.size(); ++i) {
      other[i] += size * Vec3(normal(random), normal(random), normal(random));
      const double lowest = -before.positions[i].z() / h;
      const bool touches = solved[i].z() < lowest + 1e-2;
      touching += touches;
      other[i].z() = std::max(other[i].z(), touches ? solved[i].z() : lowest);
    }
    EXPECT_GT(objective(other), least) << k << ", by changes of " << size << " m/s";
  }
  EXPECT_GT(touching, 0u);
}

TEST(SoftBodies, come_to_the_same_step_by_minimisation_and_by_newton_where_both_do) {
  const auto run = [](SoftSolution solution) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    const BodyId id = add_cube(world, {.young = 1e5}, {0, 0, 0.101}, m, {1, 0, -0.5});
    Stepper stepper(minimising(0.005, solution));
    simulate(world, stepper, 0.05, [](const StepReport& r) {
      EXPECT_EQ(r.outcome.status, SolveStatus::converged);
      EXPECT_LE(r.soft_error, r.outcome.tolerance);
    });
    return world.nodal_body(id).positions;
  };
  const auto one = run(SoftSolution::newton), other = run(SoftSolution::minimisation);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_LT((one[i] - other[i]).norm(), 1e-7);
}

TEST(SoftBodies, that_are_pulled_far_by_one_step_get_there_by_minimisation_and_blow_up_by_newton) {
  // Jelly hangs by its top and is pulled down by thirty times its weight in a step of 0.1 s, which draws it out to ten lengths.
  const auto step = [](SoftSolution solution) {
    World world;
    const MaterialId m = material(world, 0.5);
    world.gravity = {0, 0, -300};
    const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.2 / 3);
    SoftDescription d;
    d.solid = std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, SoftMaterial{.young = 1e3});
    d.material = m;
    NodePins pins;
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i)
      if (mesh.vertices[i].z() > 0.1 - 1e-9) pins.nodes.push_back(i);
    d.pins = {pins};
    const BodyId id = world.add(d);
    Stepper stepper(minimising(0.1, solution));
    const StepReport& report = stepper.step(world);
    return std::tuple(world.nodal_body(id).positions[0].allFinite(), report.soft_error <= report.outcome.tolerance);
  };
  EXPECT_EQ(step(SoftSolution::minimisation), std::tuple(true, true));
  EXPECT_FALSE(std::get<0>(step(SoftSolution::newton)));
}

TEST(SoftBodies, whose_steps_are_to_be_minimised_by_one_linearisation_are_refused) {
  StepOptions o = minimising(0.01);
  o.soft.max_linearisations = 1;
  EXPECT_EQ(message_of([&] { validate(o); }),
            "/soft/solution: A minimum is not found by one linearisation. Allow more by max_linearisations, 20 say.");
}

}   // namespace
}   // namespace stickslip::testing::soft_solutions
