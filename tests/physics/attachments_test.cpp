// Nodes of soft bodies that are attached to rigid bodies which forces move.
#include <fmt/format.h>

#include "../published_methods.h"
#include "joint_worlds.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"

namespace stickslip::attachments_test {
namespace {

using namespace stickslip::testing;

std::shared_ptr<const ElasticSolid> bar(const Vec3& half, double size, const SoftMaterial& material = {}) {
  const TetMesh mesh = soft_box(half, size);
  return std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, material);
}

/// Nodes whose place at rest is beyond a height.
NodePins pinned_above(const ElasticSolid& solid, double z, BodyId to) {
  NodePins pins{{}, to};
  for (std::uint32_t i = 0; i < solid.nodes(); ++i)
    if (solid.rest()[i].z() > z - 1e-9) pins.nodes.push_back(i);
  return pins;
}
NodePins pinned_below(const ElasticSolid& solid, double z, BodyId to) {
  NodePins pins{{}, to};
  for (std::uint32_t i = 0; i < solid.nodes(); ++i)
    if (solid.rest()[i].z() < z + 1e-9) pins.nodes.push_back(i);
  return pins;
}

SoftDescription soft(std::shared_ptr<const ElasticSolid> solid, const Vec3& position, MaterialId m) {
  SoftDescription d;
  d.solid = std::move(solid);
  d.pose.position = position;
  d.material = m;
  return d;
}

/// A rigid plate, and a cube of rubber of 20 cm on top of it whose lowest nodes are attached.
struct Pudding {
  World world;
  MaterialId m = material(world, 0.5);
  BodyId plate, cube;

  explicit Pudding(double bottom, double young = 1e5) {
    plate = add_body(world, Box{Vec3(0.15, 0.15, 0.02)}, {0, 0, bottom + 0.02}, m);
    const auto solid = bar(Vec3::Constant(0.1), 0.1, {.young = young, .stiffness_damping = 0.01});
    SoftDescription d = soft(solid, {0, 0, bottom + 0.14}, m);
    d.pins = {pinned_below(*solid, -0.1, plate)};
    cube = world.add(d);
  }
  double mass() const { return world.body(plate).mass.mass + world.body(cube).mass.mass; }
  /// Farthest that attached nodes are from their places [m].
  double error() const {
    double most = 0;
    const NodalBody& nodes = world.nodal_body(cube);
    const Body& b = world.body(plate);
    for (const AttachedNode& a : nodes.attached)
      most = std::max(most, (nodes.positions[a.node] - Pose{b.position, b.orientation} * a.local).norm());
    return most;
  }
};

TEST(Attachments, by_barriers_carry_weight_and_keep_momentum_where_they_tumble) {
  Pudding p(0.001);
  const BodyId ground = add_ground(p.world, p.m);
  StepOptions o = options(0.01);
  o.integrator = "barrier";
  Stepper stepper(o);
  int missed = 0;
  simulate(p.world, stepper, 1, [&](const StepReport& r) { missed += r.outcome.status != SolveStatus::converged; });
  const StepReport& report = stepper.step(p.world);
  EXPECT_NEAR(-report.force_on(ground).z() / (p.mass() * kGravity), 1, 1e-3);
  ASSERT_EQ(report.attachments.size(), 1u);
  EXPECT_EQ(report.attachments[0].nodes, 9u);
  EXPECT_NEAR(report.attachments[0].force.z() / (8 * kGravity), 1, 1e-3);
  EXPECT_LT(report.attachments[0].error, 1e-5);
  Pudding free(0);
  free.world.gravity.setZero();
  free.world.set_velocity(free.plate, {0.3, 0, 0.1}, {1, 2, -1});
  free.world.set_velocity(free.cube, {-0.1, 0.2, 0}, {0, -1, 2});
  const Vec3 before = free.world.linear_momentum();
  simulate(free.world, stepper, 0.5, [&](const StepReport& r) {
    missed += r.outcome.status != SolveStatus::converged;
    EXPECT_LT(r.attachments[0].error, 1e-4);
  });
  EXPECT_EQ(missed, 0);
  EXPECT_LT((free.world.linear_momentum() - before).norm(), 1e-4 * before.norm());
}

TEST(Attachments, carry_the_weight_of_the_soft_body_to_the_rigid_one) {
  Pudding p(0);
  const BodyId ground = add_ground(p.world, p.m);
  Stepper stepper(options(0.01));
  simulate(p.world, stepper, 2);
  const StepReport& report = stepper.step(p.world);
  EXPECT_EQ(report.outcome.status, SolveStatus::converged);
  EXPECT_NEAR(report.wrench(p.plate, ground, Vec3::Zero()).force.z(), p.mass() * kGravity, 1e-5 * p.mass() * kGravity);
  ASSERT_EQ(report.attachments.size(), 1u);
  const AttachmentRecord& held = report.attachments[0];
  EXPECT_EQ(held.soft, p.cube);
  EXPECT_EQ(held.body, p.plate);
  EXPECT_EQ(held.nodes, 9u);
  const double weight = 8 * kGravity;
  EXPECT_LT((held.force - Vec3(0, 0, weight)).norm(), 1e-5 * weight);
  EXPECT_LT(held.torque.norm(), 1e-5 * weight * 0.1);
  EXPECT_LT(held.error, 1e-6);
  // Nothing is left for contacts between the two.
  for (const ContactRecord& c : report.contacts) EXPECT_TRUE(c.body_a == ground || c.body_b == ground);
}

class AttachmentsBy : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Integrators, AttachmentsBy, ::testing::Values("impulse", "barrier"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(AttachmentsBy, hold_a_load_that_stretches_a_strap_as_statics_says) {
  World world;
  const MaterialId m = material(world, 0.5);
  const double young = 1e6, width = 0.04, length = 0.4;
  const auto strap = bar({width / 2, width / 2, length / 2}, 0.02,
                         {.model = SoftModel::linear, .young = young, .poisson = 0, .density = 1, .stiffness_damping = 0.02});
  const BodyId load = add_body(world, Box{Vec3::Constant(0.05)}, {0, 0, -0.05}, m);
  SoftDescription d = soft(strap, {0, 0, length / 2}, m);
  d.pins = {pinned_above(*strap, length / 2, {}), pinned_below(*strap, -length / 2, load)};
  world.add(d);
  StepOptions o = options(0.02);
  o.integrator = GetParam();
  Stepper stepper(o);
  simulate(world, stepper, 6);
  const double weight = world.body(load).mass.mass * kGravity, stretch = weight * length / (young * width * width);
  EXPECT_NEAR(stepper.step(world).attachments[0].force.z(), -weight, 1e-5 * weight);
  // And what the strap itself weighs; by barriers ties give way by a thousandth of g h².
  const double give = GetParam() == std::string("barrier") ? 1e-3 * kGravity * 0.02 * 0.02 : 0;
  EXPECT_NEAR(world.body(load).position.z(), -0.05 - stretch, 2e-3 * stretch + give);
}

/// Seconds between the first two highest places after the start of a load that bounces on a strap.
double bouncing_period(double h, double mass_of_strap, double stiffness, double load_mass) {
  World world;
  const MaterialId m = material(world, 0.5);
  const double width = 0.04, length = 0.4, young = stiffness * length / (width * width);
  const auto strap =
      bar({width / 2, width / 2, length / 2}, 0.04,
          {.model = SoftModel::linear, .young = young, .poisson = 0, .density = mass_of_strap / (width * width * length)});
  BodyDescription box;
  box.parts = {{Box{Vec3::Constant(0.05)}, {}, m}};
  box.mass = load_mass;
  box.pose.position = {0, 0, -0.05};
  const BodyId load = world.add(box);
  SoftDescription d = soft(strap, {0, 0, length / 2}, m);
  d.pins = {pinned_above(*strap, length / 2, {}), pinned_below(*strap, -length / 2, load)};
  world.add(d);
  Stepper stepper(options(h));
  // At the lowest and the highest place the velocity changes its sign.
  std::vector<double> turns;
  double before = -1e-9;
  while (turns.size() < 2) {
    stepper.step(world);
    const double now = world.body(load).velocity.z();
    if (before < 0 && now >= 0) turns.push_back(world.time - h * now / (now - before));
    if (before > 0 && now <= 0 && !turns.empty()) turns.push_back(world.time - h * now / (now - before));
    before = now;
  }
  return 2 * (turns[1] - turns[0]);
}

TEST(Attachments, let_a_load_bounce_with_the_period_of_a_spring_and_a_mass) {
  // A third of the strap moves with the load.
  const double stiffness = 400, strap = 0.03, load = 1;
  const double expected = 2 * std::numbers::pi * std::sqrt((load + strap / 3) / stiffness);
  EXPECT_NEAR(bouncing_period(0.001, strap, stiffness, load) / expected, 1, 2e-3);
}

/// A pudding that tumbles without gravity, plate and cube with motions of their own at first.
void set_tumbling(Pudding& p) {
  p.world.gravity.setZero();
  p.world.set_velocity(p.plate, {0.3, 0, 0.1}, {1, 2, -1});
  p.world.set_velocity(p.cube, {-0.1, 0.2, 0}, {0, -1, 2});
}

TEST(Attachments, exchange_momentum_and_lose_none) {
  Pudding p(0);
  set_tumbling(p);
  const Vec3 before = p.world.linear_momentum();
  const double mass = p.mass();
  Vec3 center = Vec3::Zero();
  for (const BodyId id : {p.plate, p.cube}) center += p.world.body(id).mass.mass / mass * p.world.body(id).position;
  Stepper stepper(options(0.01));
  double scale = 0;
  simulate(p.world, stepper, 1, [&](const StepReport& r) {
    scale = std::max(scale, r.attachments[0].force.norm() * r.h);
    EXPECT_EQ(r.outcome.status, SolveStatus::converged);
  });
  EXPECT_GT(scale, 0.01 * before.norm());
  EXPECT_LT((p.world.linear_momentum() - before).norm(), 1e-12 * before.norm());
  for (const BodyId id : {p.plate, p.cube}) center -= p.world.body(id).mass.mass / mass * p.world.body(id).position;
  EXPECT_LT((center + before / mass).norm(), 1e-10);
}

TEST(Attachments, exchange_angular_momentum_and_lose_none) {
  // Impulses act on node and body in one point, and forces inside the solid keep its angular momentum, at the start of the step
  // or at its end.
  for (const SoftOperator how : {SoftOperator::lumped, SoftOperator::automatic}) {
    Pudding p(0, 2e4);
    set_tumbling(p);
    StepOptions o = options(2e-4);
    o.soft.operator_ = how;
    Stepper stepper(o);
    const Vec3 before = p.world.angular_momentum();
    simulate(p.world, stepper, 0.2);
    EXPECT_LT((p.world.angular_momentum() - before).norm(), 1e-11 * before.norm());
  }
}

TEST(Attachments, stay_closed_at_the_end_of_every_step) {
  for (const Scheme scheme : {Scheme::semi_implicit_euler, Scheme::moreau_midpoint}) {
    Pudding p(0);
    set_tumbling(p);
    StepOptions o = options(0.01);
    o.scheme = scheme;
    Stepper stepper(o);
    simulate(p.world, stepper, 0.5);
    double most = 0;
    simulate(p.world, stepper, 1, [&](const StepReport& r) { most = std::max(most, r.attachments[0].error); });
    // Moreau's scheme closes them in the middle of the step, and the rest of it leaves tangents.
    EXPECT_LT(most, scheme == Scheme::moreau_midpoint ? 2e-4 : 1e-6);
    EXPECT_NEAR(p.error(), 0, scheme == Scheme::moreau_midpoint ? 2e-4 : 1e-6);
  }
}

TEST(Attachments, have_operators_that_agree) {
  const auto run = [](SoftOperator how) {
    Pudding p(0.003, 2e4);
    add_ground(p.world, p.m);
    p.world.set_velocity(p.plate, {0.5, 0, 0}, {0, 0, 1});
    StepOptions o = options(0.005, 5000);
    o.tolerance = 1e-7;
    o.soft.operator_ = how;
    Stepper stepper(o);
    simulate(p.world, stepper, 0.05, [&](const StepReport& r) {
      EXPECT_EQ(r.outcome.status, SolveStatus::converged) << soft_operator_names()[static_cast<std::size_t>(how)];
    });
    return p.world.nodal_body(p.cube).positions;
  };
  const auto expected = run(SoftOperator::automatic);
  for (const SoftOperator how : {SoftOperator::assembled, SoftOperator::partial, SoftOperator::splitting}) {
    const auto found = run(how);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_LT((found[i] - expected[i]).norm(), 1e-7) << soft_operator_names()[static_cast<std::size_t>(how)];
  }
}

TEST(Attachments, are_solved_by_every_solver_that_takes_joints) {
  const auto run = [](const std::string& solver) {
    World world;
    const MaterialId m = material(world, 0);   // all models of friction agree
    add_ground(world, m);
    const BodyId plate = add_body(world, Box{Vec3(0.1, 0.1, 0.05)}, {0, 0, 0.05}, m);
    const auto solid = bar(Vec3(0.05, 0.05, 0.05), 0.1, {.young = 1e4, .stiffness_damping = 0.05});
    SoftDescription d = soft(solid, {0, 0, 0.15}, m);
    d.pins = {pinned_below(*solid, -0.05, plate)};
    const BodyId cube = world.add(d);
    StepOptions o = options(0.01, 20000);
    o.solver = solver;
    o.tolerance = 1e-5;
    Stepper stepper(o);
    SolveStatus worst = SolveStatus::converged;
    simulate(world, stepper, 0.05, [&](const StepReport& r) {
      if (r.outcome.status != SolveStatus::converged) worst = r.outcome.status;
    });
    return std::pair(worst, world.body(cube).position.z());
  };
  const double expected = run("auto").second;
  std::size_t unsupported = 0;
  for (const SolverInfo& info : solvers()) {
    if (is_published(info.name)) continue;
    const auto [status, height] = run(info.name);
    if (status == SolveStatus::unsupported) {
      ++unsupported;
      continue;
    }
    EXPECT_EQ(status, SolveStatus::converged) << info.name;
    EXPECT_NEAR(height, expected, 1e-6) << info.name;
  }
  EXPECT_LT(unsupported, solvers().size() / 2);
}

TEST(Attachments, sleep_wake_and_let_go_together) {
  Pudding p(0);
  add_ground(p.world, p.m);
  StepOptions o = options(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(p.world, stepper, 4);
  EXPECT_TRUE(p.world.body(p.plate).asleep && p.world.body(p.cube).asleep);
  const double weight = 8 * kGravity;
  EXPECT_NEAR(stepper.step(p.world).attachments[0].force.z(), weight, 1e-3 * weight);
  p.world.apply_impulse(p.plate, {3, 0, 0}, p.world.body(p.plate).position);
  simulate(p.world, stepper, 0.02);
  EXPECT_FALSE(p.world.body(p.cube).asleep);
  EXPECT_GT(p.world.body(p.cube).velocity.x(), 0.01);
  simulate(p.world, stepper, 4);
  EXPECT_TRUE(p.world.body(p.plate).asleep);
  p.world.remove(p.plate);
  EXPECT_TRUE(p.world.nodal_body(p.cube).attached.empty());
  EXPECT_FALSE(p.world.body(p.cube).asleep);
  simulate(p.world, stepper, 0.1);
  EXPECT_LT(p.world.body(p.cube).velocity.z(), -0.1);
}

TEST(Attachments, come_along_when_positions_are_projected) {
  Pudding p(-0.01);   // too deep in the ground
  add_ground(p.world, p.m);
  StepOptions o = options(0.01);
  o.projection.enabled = true;
  Stepper stepper(o);
  simulate(p.world, stepper, 0.5);
  EXPECT_GT(p.world.body(p.plate).position.z(), 0.0199);
  EXPECT_LT(p.error(), 1e-6);
}

TEST(Attachments, join_jointed_bodies_too) {
  // A hammer: a handle on a hinge, its head soft. It hangs at rest below the hinge, and the joint carries both.
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId handle = add_body(world, Box{Vec3(0.02, 0.02, 0.2)}, {0, 0, 0.8}, m);
  const auto solid = bar(Vec3(0.1, 0.05, 0.05), 0.05, {.young = 1e5, .stiffness_damping = 0.05});
  SoftDescription head = soft(solid, {0, 0, 0.55}, m);
  head.pins = {pinned_above(*solid, 0.05, handle)};
  const BodyId soft_head = world.add(head);
  const JointId joint = join(world, JointType::hinge, kWorld, handle, {0, 0, 1});
  world.set_velocity(handle, Vec3::Zero(), {0, 0.5, 0});
  Stepper stepper(options(0.01));
  double most = 0;
  const double weight = kGravity * (world.body(handle).mass.mass + world.body(soft_head).mass.mass);
  simulate(world, stepper, 1, [&](const StepReport& r) { most = std::max({most, r.attachments[0].error, r.joint_error_max}); });
  EXPECT_LT(most, 1e-5);
  Vec3 mean = Vec3::Zero();
  const int steps = 400;
  const double start = world.linear_momentum().z();
  for (int i = 0; i < steps; ++i) mean += stepper.step(world).joint(joint)->force / steps;
  EXPECT_NEAR(mean.z() - (world.linear_momentum().z() - start) / (0.01 * steps), weight, 1e-6 * weight);
}

TEST(Attachments, hold_light_bodies_by_single_nodes_under_high_tension) {
  // A bead between two straps that are pulled apart: to it, forces at the arms are a spring much too stiff for the step.
  for (const double mass : {1e-4, 1e-3, 1e-2}) {
    World world;
    const MaterialId m = material(world, 0.5);
    BodyDescription cube;
    cube.parts = {{Box{Vec3::Constant(0.01)}, {}, m}};
    cube.mass = mass;
    cube.angular_velocity = {0, 1, 2};
    const BodyId bead = world.add(cube);
    const auto strap = bar({0.1, 0.01, 0.01}, 0.01, {.young = 1e6, .poisson = 0.3, .stiffness_damping = 0.002});
    for (const double side : {-1.0, 1.0}) {
      BodyDescription puller;
      puller.motion = MotionType::kinematic;
      puller.parts = {{Sphere{0.001}, {}, m}};
      puller.pose.position = {side * 0.25, 0, 0};
      puller.velocity = {side * 0.08, 0, 0};
      NodePins inner{{}, bead}, outer{{}, world.add(puller)};
      for (std::uint32_t i = 0; i < strap->nodes(); ++i) {
        const Vec3& x = strap->rest()[i];
        if (side * x.x() > 0.1 - 1e-9) outer.nodes.push_back(i);
        if (side * x.x() < -0.1 + 1e-9 && x.tail<2>().norm() < 1e-9) inner.nodes.push_back(i);
      }
      ASSERT_EQ(inner.nodes.size(), 1u);
      SoftDescription d = soft(strap, {side * 0.11, 0, 0}, m);
      d.pins = {inner, outer};
      world.add(d);
    }
    Stepper stepper(options(0.01));
    double fastest = 0, error = 0, tension = 0;
    simulate(world, stepper, 0.5, [&](const StepReport& r) {
      tension = r.attachments[0].force.norm();
      for (const AttachmentRecord& a : r.attachments) error = std::max(error, a.error);
      fastest = std::max(fastest, world.body(bead).angular_velocity.norm());
    });
    EXPECT_GT(1e-4 * tension * 0.01, 4 * mass * 2e-4 / 3) << "not stiff";
    EXPECT_LT(fastest, 30);
    EXPECT_LT(world.body(bead).angular_velocity.norm(), 5);
    EXPECT_LT(error, 1e-5);
  }
}

/// A box of 8 cm between two soft pads, without gravity. Jaws on rails, which the pads are attached to, press with a force.
struct Grip {
  World world;
  BodyId box;

  Grip(double mu, double force) {
    world.gravity.setZero();
    const MaterialId m = material(world, mu);
    box = add_body(world, Box{Vec3::Constant(0.04)}, {0, 0, 0}, m);
    const auto solid = bar({0.015, 0.025, 0.025}, 0.0167, {.young = 1e5, .stiffness_damping = 0.02});
    for (const double side : {-1.0, 1.0}) {
      const BodyId jaw = add_body(world, Box{Vec3(0.01, 0.03, 0.03)}, {side * 0.0801, 0, 0}, m);
      join(world, JointType::prismatic, kWorld, jaw, {side * 0.0801, 0, 0}, Vec3::UnitX());
      world.set_applied(jaw, {-side * force, 0, 0}, Vec3::Zero());
      SoftDescription d = soft(solid, {side * 0.0551, 0, 0}, m);
      NodePins pins{{}, jaw};
      for (std::uint32_t i = 0; i < solid->nodes(); ++i)
        if (side * solid->rest()[i].x() > 0.015 - 1e-9) pins.nodes.push_back(i);
      d.pins = {pins};
      world.add(d);
    }
    Stepper stepper(options(0.01));
    simulate(world, stepper, 0.5);
  }

  /// Whether the box stays between the pads when it is pulled out with a force [N].
  bool holds(double force) const {
    World copy = world;
    Stepper stepper(options(0.01));
    copy.set_applied(box, {0, 0, -force}, Vec3::Zero());
    simulate(copy, stepper, 0.5);
    const double settled = copy.body(box).position.z();
    simulate(copy, stepper, 0.2);
    return settled - copy.body(box).position.z() < 1e-4;
  }
};

TEST(SoftPads, grip_with_the_friction_of_statics) {
  const double pressing = 6;
  for (const double mu : {0.3, 0.8}) {
    const Grip grip(mu, pressing);
    const double limit = 2 * mu * pressing;
    double held = 0.8 * limit, lost = 1.2 * limit;
    ASSERT_TRUE(grip.holds(held));
    ASSERT_FALSE(grip.holds(lost));
    while (lost - held > 0.02 * limit) {
      const double middle = 0.5 * (held + lost);
      (grip.holds(middle) ? held : lost) = middle;
    }
    fmt::print("mu = {}: holds {:.3f} to {:.3f} of 2 mu N\n", mu, held / limit, lost / limit);
    EXPECT_NEAR(held / limit, 1, 0.05) << mu;
  }
}

}   // namespace
}   // namespace stickslip::attachments_test
