// Bodies of nodes: beads fall, stack and rub like points with mass.
#include "error_message.h"
#include "physics/worlds.h"
#include "stickslip/solve/registry.h"
#include "stickslip/world/stencil.h"

namespace stickslip::testing {
namespace {

class Beads : public AtScale {};

BodyId add_beads(World& world, std::vector<Vec3> positions, double radius, MaterialId m, const Vec3& velocity = Vec3::Zero()) {
  NodalDescription d;
  d.positions = std::move(positions);
  d.radius = radius;
  d.material = m;
  d.velocity = velocity;
  return world.add(std::move(d));
}

TEST_P(Beads, fall_like_stones) {
  const Scale s = GetParam();
  World world;
  const BodyId cloud = add_beads(world, {s.size * Vec3(0, 0, 9), s.size * Vec3(0.5, 0, 9)}, 0.1 * s.size, material(world, 0.5),
                                 s.speed() * Vec3(1, 0, 2));
  Stepper stepper(options(0.01 * s.time()));
  simulate(world, stepper, 1 * s.time());
  const NodalBody& nodes = world.nodal_body(cloud);
  EXPECT_NEAR(nodes.velocities[1].z() / s.speed(), 2 - kGravity, 1e-9);
  EXPECT_NEAR(nodes.positions[1].x() / s.size, 1.5, 1e-9);
  // The scheme is off by h g t / 2 in the height.
  EXPECT_NEAR(nodes.positions[1].z() / s.size, 9 + 2 - 0.5 * kGravity - 0.5 * 0.01 * kGravity, 1e-9);
}

TEST_P(Beads, stop_after_v_squared_over_two_mu_g) {
  const Scale s = GetParam();
  const double mu = 0.4, speed = 2, expected = speed * speed / (2 * mu * kGravity);
  World world;
  const MaterialId m = material(world, mu);
  add_ground(world, m);
  const BodyId bead = add_beads(world, {s.size * Vec3(0, 0, 0.1)}, 0.1 * s.size, m, s.speed() * Vec3(speed, 0, 0));
  Stepper stepper(options(0.002 * s.time()));
  simulate(world, stepper, 1 * s.time());
  EXPECT_NEAR(world.nodal_body(bead).positions[0].x() / s.size, expected, 0.01 * expected);
  EXPECT_LT(world.nodal_body(bead).velocities[0].norm(), 1e-9 * s.speed());   // nodes do not roll
}

TEST_P(Beads, stay_on_a_slope_below_atan_mu_and_slide_above) {
  const Scale s = GetParam();
  for (const bool slides : {false, true}) {
    const double mu = 0.5, angle = std::atan(mu) + (slides ? 0.02 : -0.02);
    World world;
    const MaterialId m = material(world, mu);
    const Vec3 normal(std::sin(angle), 0, std::cos(angle));
    add_ground(world, m, normal);
    const BodyId bead = add_beads(world, {0.1 * s.size * normal}, 0.1 * s.size, m);
    Stepper stepper(options(0.005 * s.time()));
    simulate(world, stepper, 1 * s.time());
    const double moved = (world.nodal_body(bead).positions[0] - 0.1 * s.size * normal).norm() / s.size;
    const double expected = slides ? 0.5 * kGravity * (std::sin(angle) - mu * std::cos(angle)) : 0;
    EXPECT_NEAR(moved, expected, slides ? 0.02 * expected : 1e-7);
  }
}

TEST_P(Beads, of_a_column_carry_what_is_above_them_and_rest) {
  const Scale s = GetParam();
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  std::vector<Vec3> places;
  for (int i = 0; i < 5; ++i) places.push_back(s.size * Vec3(0, 0, 0.1 + 0.2 * i));
  const BodyId column = add_beads(world, places, 0.1 * s.size, m);
  const BodyId box = add_body(world, Box{s.size * Vec3(0.05, 0.05, 0.05)}, s.size * Vec3(0, 0, 1.05), m);
  StepReport report;
  Stepper stepper(options(0.005 * s.time()));
  simulate(world, stepper, 0.5 * s.time(), [&](const StepReport& r) { report = r; });
  const double bead = world.nodal_body(column).masses[0], lid = world.body(box).mass.mass, all = (5 * bead + lid) * kGravity;
  EXPECT_NEAR(report.force_on(ground).z(), -all, 1e-6 * all);
  EXPECT_NEAR(report.force_on(box).z(), lid * kGravity, 1e-6 * all);
  for (int i = 0; i < 5; ++i) EXPECT_LT((world.nodal_body(column).positions[i] - places[i]).norm(), 1e-4 * s.size) << i;
  EXPECT_LT(world.kinetic_energy(), 1e-12 * all * s.size);
}

INSTANTIATE_TEST_SUITE_P(, Beads, kScales, scale_name);

World cloud_hits_box(double mu) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, mu, 0.3);
  add_body(world, Box{Vec3(0.2, 0.3, 0.4)}, Vec3::Zero(), m, Vec3::Zero(), Vec3(0.3, -0.2, 0.5));
  std::vector<Vec3> places;
  for (int i = 0; i < 27; ++i) places.emplace_back(1 + 0.11 * (i % 3), 0.3 + 0.11 * (i / 3 % 3), 0.11 * (i / 9));
  add_beads(world, places, 0.05, m, {-3, 0, 0});
  return world;
}

TEST(Nodes, exchange_momentum_with_rigid_bodies_and_lose_none) {
  for (const double mu : {0.0, 0.5}) {
    World world = cloud_hits_box(mu);
    const Vec3 linear = world.linear_momentum(), angular = world.angular_momentum();
    double energy = world.kinetic_energy();
    StepOptions o = options(0.002);
    o.tolerance = 1e-10;   // what solves leave of friction that is not there is a couple too
    Stepper stepper(o);
    simulate(world, stepper, 1, [&](const StepReport&) {
      EXPECT_LE(world.kinetic_energy(), energy * (1 + 1e-6));   // that of the turning box swings with (ω h)²
      energy = std::min(energy, world.kinetic_energy());
    });
    EXPECT_GT(world.body(world.find("body-0")).velocity.norm(), 0.01);   // it was struck
    EXPECT_LT((world.linear_momentum() - linear).norm(), 1e-12 * linear.norm());
    // A node has no spin to take the couple of friction at the surface of its bead.
    if (mu == 0) {
      EXPECT_LT((world.angular_momentum() - angular).norm(), 1e-10 * angular.norm());
    }
  }
}

TEST(Nodes, are_solved_by_every_solver) {
  World world;
  const MaterialId m = material(world, 0.6);
  add_ground(world, m);
  std::vector<Vec3> places;
  for (int i = 0; i < 12; ++i) places.emplace_back(0.09 * (i % 3), 0.08 * (i / 3 % 2), 0.05 + 0.08 * (i / 6));
  add_beads(world, places, 0.05, m);
  add_body(world, Box{Vec3(0.15, 0.1, 0.05)}, {0.1, 0.05, 0.3}, m);
  Stepper stepper(options(0.005));
  simulate(world, stepper, 0.2);
  const ContactProblem& problem = stepper.problem();
  ASSERT_GT(problem.contact_count(), 10u);
  for (const SolverInfo& info : solvers()) {
    const auto solver = make_solver(info.name);
    if (!solver->cannot_solve(problem).empty()) continue;
    std::vector<double> impulses(problem.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-5;
    control.max_iterations = 3000;
    const SolveReport report = solver->solve(problem, impulses, workspace, control);
    EXPECT_LT(report.model_residual, 1e-3) << info.name;
  }
}

TEST(Nodes, have_stencils_by_weights_on_their_triangles) {
  World world;
  NodalDescription d;
  d.positions = {{0, 0, 0}, {1, 0, 0.1}, {0, 2, 0.3}, {5, 5, 5}};
  d.triangles = {{0, 1, 2}};
  const BodyId sheet = world.add(d);
  Collider surface;
  surface.body = sheet.index;
  surface.deforms = true;
  const Vec3 weights(0.2, 0.5, 0.3), place = 0.5 * d.positions[1] + 0.3 * d.positions[2];
  const Stencil s = stencil(world, surface, 0, place);
  ASSERT_EQ(s.count, 3);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(s.entries[k].weight, weights[k], 1e-14);
    EXPECT_EQ(motion_of(world, s.entries[k].mover).pose.position, d.positions[k]);
  }
  EXPECT_EQ(stencil(world, world.colliders()[3], 0, place).count, 1);
  EXPECT_EQ(motion_of(world, world.colliders()[3]).pose.position, d.positions[3]);
}

TEST(Nodes, go_with_their_body_and_leave_the_others_alone) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId first = add_beads(world, {{0, 0, 1}, {1, 0, 1}}, 0.1, m), second = add_beads(world, {{0, 0, 3}}, 0.1, m);
  const BodyId box = add_body(world, Box{}, {0, 0, 9}, m);
  world.remove(first);
  EXPECT_EQ(world.node_count(), 1u);
  EXPECT_EQ(world.nodal_body(second).positions[0], Vec3(0, 0, 3));
  EXPECT_EQ(motion_of(world, world.colliders()[world.body(second).colliders[0]]).pose.position, Vec3(0, 0, 3));
  world.set_velocity(second, {1, 2, 3}, Vec3::Zero());
  EXPECT_EQ(world.nodal_body(second).velocities[0], Vec3(1, 2, 3));
  EXPECT_TRUE(world.body(second).velocity.isApprox(Vec3(1, 2, 3), 1e-14));
  EXPECT_THROW(world.nodal_body(first), Error);
  EXPECT_THROW(world.nodal_body(box), Error);
}

TEST(Nodes, that_cannot_be_are_refused_with_place_and_remedy) {
  World world;
  const auto message = [&](auto&& change) {
    NodalDescription d;
    d.positions = {{0, 0, 0}, {1, 0, 0}};
    change(d);
    return message_of([&] { world.add(d); });
  };
  EXPECT_EQ(message([](NodalDescription& d) { d.positions.clear(); }), "/positions: A body of nodes needs at least one.");
  EXPECT_EQ(message([](NodalDescription& d) { d.radius = -1; }),
            "/radius: -1 is not a length. The radius of beads must be finite and greater than 0 m.");
  EXPECT_EQ(message([](NodalDescription& d) {
              d.triangles = {{0, 1, 2}};
            }),
            "/triangles/0: There is no node 2; the body has 2, counted from 0.");
  EXPECT_EQ(message([](NodalDescription& d) { d.positions[1].x() = std::numeric_limits<double>::quiet_NaN(); }),
            "/positions/1: [nan, 0, 0] is not finite. It must be three finite numbers [m].");
  EXPECT_EQ(world.body_count(), 0u);
  const BodyId beads = add_beads(world, {{0, 0, 0}}, 0.1, material(world, 0.5));
  JointDescription joint;
  joint.b = beads;
  EXPECT_EQ(message_of([&] { world.add(joint); }),
            "/b: 'body-0' is a body of nodes, which joints do not hold. Join rigid bodies.");
}

TEST(Nodes, that_rest_fall_asleep_and_wake_when_struck) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId beads = add_beads(world, {{0, 0, 0.1}, {0.5, 0, 0.1}}, 0.1, m);
  StepOptions o = options(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(world, stepper, 2);
  EXPECT_TRUE(world.body(beads).asleep);
  add_body(world, Sphere{0.1}, {0, 0, 1}, m);
  simulate(world, stepper, 0.5);
  EXPECT_FALSE(world.body(beads).asleep);
}

}   // namespace
}   // namespace stickslip::testing
