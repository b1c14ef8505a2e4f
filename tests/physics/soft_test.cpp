// Soft bodies in steps: statics, friction, stacks, operators, pins, and what cannot be.
#include "error_message.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "worlds.h"

namespace stickslip::testing {
namespace {

std::shared_ptr<const ElasticSolid> solid_of(const TetMesh& mesh, const SoftMaterial& material = {}) {
  return std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra, material);
}

SoftDescription soft(std::shared_ptr<const ElasticSolid> solid, const Vec3& position, MaterialId m) {
  SoftDescription d;
  d.solid = std::move(solid);
  d.pose.position = position;
  d.material = m;
  return d;
}

/// A cube of rubber of 20 cm.
std::shared_ptr<const ElasticSolid> cube(double young = 1e5, double damping = 0.01, int cells = 2) {
  return solid_of(soft_box(Vec3::Constant(0.1), 0.2 / cells), {.young = young, .stiffness_damping = damping});
}

Vec3 force_on_ground(const StepReport& report, BodyId ground) {
  Vec3 sum = Vec3::Zero();
  for (const ContactRecord& c : report.contacts) {
    if (c.body_a == ground) sum -= c.impulse;
    if (c.body_b == ground) sum += c.impulse;
  }
  return sum / report.force_time;
}

double fastest_node(const NodalBody& nodes) {
  double fastest = 0;
  for (const Vec3& v : nodes.velocities) fastest = std::max(fastest, v.norm());
  return fastest;
}

TEST(SoftBodies, fall_freely_and_keep_their_momentum) {
  World world;
  world.gravity.setZero();
  SoftDescription d = soft(cube(), {0, 0, 1}, material(world, 0.5));
  d.velocity = {1, 2, 3};
  d.angular_velocity = {1, -2, 0.5};
  const BodyId id = world.add(d);
  Stepper stepper(options(0.01));
  const Vec3 before = world.linear_momentum();
  simulate(world, stepper, 1);
  EXPECT_LT((world.linear_momentum() - before).norm(), 1e-10 * before.norm());
  EXPECT_LT((world.body(id).position - Vec3(1, 2, 4)).norm(), 1e-9);
}

/// What a free cube that tumbles has after a second.
struct Tumbled {
  double momentum_error = 0;   ///< change of the angular momentum, relative
  double energy = 0;           ///< part of the energy that is left
};
Tumbled tumble(double young, const Vec3& spin, const StepOptions& o) {
  World world;
  world.gravity.setZero();
  SoftDescription d = soft(cube(young, 0), {0.3, 0, 0}, material(world, 0.5));
  d.velocity = {0.1, 0.2, 0.3};
  d.angular_velocity = spin;
  world.add(d);
  Stepper stepper(o);
  const Vec3 before = world.angular_momentum();
  const double energy = world.kinetic_energy();
  simulate(world, stepper, 1);
  return {(world.angular_momentum() - before).norm() / before.norm(),
          (world.kinetic_energy() + world.potential_energy()) / energy};
}

TEST(SoftBodies, that_spin_keep_their_angular_momentum_and_gain_no_energy) {
  for (const double young : {1e5, 1e9})
    for (const double h : {0.01, 0.0025})
      for (const double rate : {1.0, 10.0}) {
        const Vec3 spin = rate * Vec3(1, -2, 0.5);
        StepOptions o = options(h);
        const Tumbled t = tumble(young, spin, o);
        EXPECT_LT(t.momentum_error, 1e-10) << young << ' ' << h << ' ' << rate;
        // One linearisation leaves strains of fourth order in the angle of a step.
        EXPECT_LT(t.energy - 1, 1e-9 + 0.1 * std::pow(h * spin.norm(), 4)) << young << ' ' << h << ' ' << rate;
        EXPECT_GT(t.energy, 0.98) << young << ' ' << h << ' ' << rate;
        o.scheme = Scheme::moreau_midpoint;
        EXPECT_LT(tumble(young, spin, o).momentum_error, 1e-10) << young << ' ' << h << ' ' << rate;
      }
}

/// How much longer a free bar of 1 m is while it spins about its middle, mean over a while, against ρ ω² / (12 E) m.
double stretch_of_spinning_bar(const StepOptions& o, double damping = 0) {
  constexpr double kYoung = 1e6, kSpin = 4, kDensity = 1000;
  World world;
  world.gravity.setZero();
  const Vec3 half(0.5, 0.05, 0.05);
  const TetMesh mesh = soft_box(half, 0.1);
  const SoftMaterial rubber{.young = kYoung, .poisson = 0, .density = kDensity, .stiffness_damping = damping};
  SoftDescription d = soft(solid_of(mesh, rubber), Vec3::Zero(), material(world, 0.5));
  d.angular_velocity = {0, 0, kSpin};
  const BodyId id = world.add(d);
  Stepper stepper(o);
  if (damping > 0) simulate(world, stepper, 10 * damping);   // it creeps to its length as exp(-t / β)
  double length = 0;
  const int steps = static_cast<int>(std::lround(0.5 / o.h));
  for (int k = 0; k < steps; ++k) {
    stepper.step(world);
    Vec3 end_to_end = Vec3::Zero();
    int ends = 0;
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      const double x = mesh.vertices[i].x();
      if (std::abs(x) < 0.999 * half.x()) continue;
      end_to_end += std::copysign(2.0, x) * world.nodal_body(id).positions[i];
      ++ends;
    }
    length += (end_to_end / ends).norm() / steps;
  }
  return (length - 1) / (kDensity * kSpin * kSpin / (12 * kYoung));
}

TEST(SoftBodies, that_spin_are_stretched_by_what_turns_them) {
  EXPECT_NEAR(stretch_of_spinning_bar(options(0.01)), 1, 0.03);
  StepOptions o = options(0.0025);   // ends of steps lie on chords
  o.scheme = Scheme::moreau_midpoint;
  EXPECT_NEAR(stretch_of_spinning_bar(o), 1, 0.03);
}

TEST(SoftBodies, that_spin_feel_nothing_of_their_damping) {
  // The chords of a turn by θ grow by θ²/2 in every step: damping that took that for a rate of strain blew such bodies up.
  for (const double damping : {0.02, 0.2}) EXPECT_NEAR(stretch_of_spinning_bar(options(0.01), damping), 1, 0.03) << damping;
  for (const int linearisations : {1, 20})
    for (const double rate : {2.0, 20.0}) {
      World world;
      world.gravity.setZero();
      SoftDescription d = soft(cube(1e7, 0.2), Vec3::Zero(), material(world, 0.5));
      d.angular_velocity = {0, 0, rate};
      world.add(d);
      StepOptions o = options(0.01);
      o.soft.max_linearisations = linearisations;
      Stepper stepper(o);
      const Vec3 before = world.angular_momentum();
      const double energy = world.kinetic_energy();
      double dissipated = 0;
      simulate(world, stepper, 1, [&](const StepReport& r) { dissipated += r.energy.damping; });
      // One linearisation leaves strains of fourth order in the angle of a step.
      const double bound = (1e-5 + 2 * std::pow(o.h * rate, 4)) * energy;
      EXPECT_LT((world.angular_momentum() - before).norm(), 1e-10 * before.norm()) << rate;
      EXPECT_NEAR(world.kinetic_energy() + world.potential_energy(), energy, bound) << rate << ' ' << linearisations;
      EXPECT_NEAR(dissipated, 0, bound) << rate << ' ' << linearisations;
    }
}

TEST(SoftBodies, that_are_braked_lose_angular_momentum_as_the_brake_says) {
  World world;
  world.gravity.setZero();
  const TetMesh mesh = soft_box(Vec3::Constant(0.1), 0.1);
  const double alpha = 0.5, h = 0.01;
  SoftDescription d = soft(solid_of(mesh, {.young = 1e7, .mass_damping = alpha}), Vec3::Zero(), material(world, 0.5));
  d.angular_velocity = {0, 0, 5};
  world.add(d);
  Stepper stepper(options(h));
  const double before = world.angular_momentum().z();
  simulate(world, stepper, 1);
  EXPECT_NEAR(world.angular_momentum().z() / before, std::pow(1 + alpha * h, -100), 1e-3);
}

TEST(SoftBodies, at_rest_press_with_their_weight_and_do_not_creep) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  std::vector<BodyId> cubes;
  for (int i = 0; i < 3; ++i) cubes.push_back(world.add(soft(cube(), {0, 0, 0.1 + 0.2 * i}, m)));
  Stepper stepper(options(0.01));
  simulate(world, stepper, 4);
  const StepReport& report = stepper.step(world);
  const double weight = 3 * 8 * kGravity;
  EXPECT_EQ(report.outcome.status, SolveStatus::converged);
  EXPECT_LT((force_on_ground(report, ground) + Vec3(0, 0, weight)).norm(), 1e-5 * weight);
  for (const BodyId id : cubes) EXPECT_LT(fastest_node(world.nodal_body(id)), 1e-6);
  EXPECT_LT(report.penetration_max, 1e-6);
  // The lowest carries the most: it is flatter than the top one.
  const auto height = [&](BodyId id) {
    const auto& x = world.nodal_body(id).positions;
    const auto by_z = [](const Vec3& a, const Vec3& b) { return a.z() < b.z(); };
    return std::ranges::max_element(x, by_z)->z() - std::ranges::min_element(x, by_z)->z();
  };
  EXPECT_LT(height(cubes[0]), height(cubes[2]) - 1e-3);
}

TEST(SoftBodies, under_bricks_that_rest_press_as_in_the_step_before) {
  // Rims of the bricks run through triangles, along which many places are as deep: contacts that changed places among them
  // shook the bricks by millimetres a second.
  for (const double edge : {0.096, 0.07}) {
    World world;
    const MaterialId m = world.materials.add({"brick", 2000, 0.5, 0});
    BodyDescription ground;
    ground.motion = MotionType::fixed;
    ground.parts = {{Box{{5, 5, 0.5}}, {}, m}};
    ground.pose.position = {0, 0, -0.5};
    world.add(ground);
    const SoftMaterial rubber{.young = 1e7, .stiffness_damping = 0.02};
    world.add(soft(solid_of(soft_box({0.21, 0.15, 0.1}, edge), rubber), {0.16, 0, 0.1}, m));
    for (const double x : {0.0, 0.21}) {
      BodyDescription brick;
      brick.parts = {{Box{{0.1, 0.05, 0.05}}, {}, m}};
      brick.pose.position = {x, 0, 0.25};
      world.add(brick);
    }
    Stepper stepper(options(0.01));
    simulate(world, stepper, 0.2);
    for (int k = 0; k < 10; ++k) EXPECT_LT(stepper.step(world).solve->initial_residual.total(), 1e-5) << edge;
  }
}

/// A block on a slope, stiff enough to be rigid.
double slid(double angle, double mu, double seconds) {
  World world;
  const MaterialId m = material(world, mu);
  world.gravity = kGravity * Vec3(std::sin(angle), 0, -std::cos(angle));
  add_ground(world, m);
  const BodyId id = world.add(soft(cube(1e8, 1e-3), {0, 0, 0.1}, m));
  Stepper stepper(options(0.01));
  simulate(world, stepper, seconds);
  return world.body(id).position.x();
}

TEST(SoftBodies, that_are_stiff_stick_and_slide_like_rigid_ones) {
  const double mu = 0.5;
  EXPECT_LT(std::abs(slid(std::atan(mu) - 0.02, mu, 1)), 1e-4);
  const double angle = std::atan(mu) + 0.1, acceleration = kGravity * (std::sin(angle) - mu * std::cos(angle));
  // Forces act for the whole first step: v = a h n, and so x = a h² n (n + 1) / 2.
  EXPECT_NEAR(slid(angle, mu, 1) / (0.5 * acceleration * 1.01), 1, 1e-3);
}

TEST(SoftBodies, bend_as_statics_says) {
  World world;
  world.gravity = {0, 0, -kGravity};
  const TetMesh mesh = soft_box({0.3, 0.05, 0.05}, 0.05);
  const auto solid = solid_of(mesh, {.young = 1e6, .poisson = 0.3, .stiffness_damping = 0.05});
  SoftDescription d = soft(solid, {0, 0, 1}, material(world, 0.5));
  NodePins pins;
  for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i)
    if (mesh.vertices[i].x() < -0.3 + 1e-9) pins.nodes.push_back(i);
  d.pins = {pins};
  const BodyId id = world.add(d);
  StepOptions o = options(0.05);
  o.soft.max_linearisations = 5;
  Stepper stepper(o);
  simulate(world, stepper, 20);
  // Inner forces and weight balance at every node that is free.
  const NodalBody& nodes = world.nodal_body(id);
  std::vector<Vec3> forces(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) forces[i] = nodes.masses[i] * world.gravity;
  solid->add_forces(nodes.positions, forces);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes.is_free(i)) EXPECT_LT(forces[i].norm(), 1e-6 * solid->mass() * kGravity);
    else EXPECT_EQ(nodes.positions[i], mesh.vertices[i] + Vec3(0, 0, 1));
  }
  EXPECT_LT(world.body(id).position.z(), 1 - 1e-3);
}

/// A cube whose top hangs on a plate that forces do not move. @returns the plate, and the cube
std::pair<BodyId, BodyId> hang(World& world, const std::shared_ptr<const ElasticSolid>& solid, MaterialId m) {
  BodyDescription plate;
  plate.motion = MotionType::kinematic;
  plate.parts = {{Box{Vec3(0.2, 0.2, 0.01)}, {}, m}};
  plate.pose.position = {0, 0, 1.11};
  SoftDescription d = soft(solid, {0, 0, 1}, m);
  NodePins pins;
  pins.body = world.add(plate);
  for (std::uint32_t i = 0; i < solid->nodes(); ++i)
    if (solid->rest()[i].z() > 0.1 - 1e-9) pins.nodes.push_back(i);
  d.pins = {pins};
  return {pins.body, world.add(d)};
}

TEST(SoftBodies, are_held_by_bodies_that_move) {
  World world;
  const MaterialId m = material(world, 0.5);
  const auto solid = cube();
  const auto [holder, id] = hang(world, solid, m);
  world.set_velocity(holder, {0.5, 0, 0}, Vec3::Zero());
  Stepper stepper(options(0.01));
  double driven = 0;
  const double before = world.kinetic_energy() + world.potential_energy();
  double lost = 0;
  simulate(world, stepper, 2, [&](const StepReport& r) {
    driven += r.energy.driven;
    lost += r.energy.damping + r.energy.friction + r.energy.impact - r.energy.integration;
  });
  const NodalBody& nodes = world.nodal_body(id);
  for (const HeldNode& h : nodes.held)
    EXPECT_LT((nodes.positions[h.node] - (solid->rest()[h.node] + Vec3(1, 0, 1))).norm(), 1e-12);
  EXPECT_NEAR(world.body(id).velocity.x(), 0.5, 1e-3);
  EXPECT_NEAR(world.kinetic_energy() + world.potential_energy(), before + driven - lost, 1e-9 * (1 + std::abs(before)));
}

TEST(SoftBodies, sleep_and_wake_with_what_holds_them_and_fall_when_it_is_gone) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const auto [holder, id] = hang(world, cube(1e5, 0.1), m);
  StepOptions o = options(0.01);
  o.sleep.enabled = true;
  Stepper stepper(o);
  simulate(world, stepper, 3);
  EXPECT_TRUE(world.body(id).asleep);
  world.set_velocity(holder, {0.2, 0, 0}, Vec3::Zero());
  simulate(world, stepper, 1);
  EXPECT_FALSE(world.body(id).asleep);
  EXPECT_NEAR(world.body(id).position.x(), 0.2, 0.01);
  world.remove(holder);
  add_body(world, Sphere{0.1}, {5, 0, 5}, m);   // takes its place, and holds nothing
  EXPECT_TRUE(world.nodal_body(id).held.empty());
  simulate(world, stepper, 1);
  EXPECT_LT(world.body(id).position.z(), 0.2);
}

TEST(SoftBodies, have_operators_that_agree) {
  const auto run = [](SoftOperator how, double h) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    const BodyId lower = world.add(soft(cube(2e4), {0, 0, 0.101}, m));
    world.add(soft(cube(2e4), {0.03, 0.02, 0.304}, m));
    StepOptions o = options(h, 5000);
    o.tolerance = 1e-7;
    o.soft.operator_ = how;
    Stepper stepper(o);
    StepReport report;
    simulate(world, stepper, 0.05, [&](const StepReport& r) {
      report = r;
      EXPECT_EQ(r.outcome.status, SolveStatus::converged) << soft_operator_names()[static_cast<std::size_t>(how)];
    });
    EXPECT_EQ(report.soft_operator, how == SoftOperator::automatic ? SoftOperator::factored : how);
    return world.nodal_body(lower).positions;
  };
  const auto farthest = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
    return most;
  };
  const auto expected = run(SoftOperator::automatic, 0.005);
  for (const SoftOperator how :
       {SoftOperator::assembled, SoftOperator::factored, SoftOperator::partial, SoftOperator::splitting})
    EXPECT_LT(farthest(run(how, 0.005), expected), 1e-8) << soft_operator_names()[static_cast<std::size_t>(how)];
  // Forces at the start of the step: another discretisation of first order.
  const auto differs = [&](double h) { return farthest(run(SoftOperator::lumped, h), run(SoftOperator::automatic, h)); };
  const double coarse = differs(2e-4), fine = differs(1e-4);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(fine, 0.6 * coarse);
}

TEST(SoftBodies, step_to_the_same_bits_with_any_number_of_threads) {
  const auto hash = [](int threads) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    for (int i = 0; i < 3; ++i) world.add(soft(cube(), {0.01 * i, 0, 0.11 + 0.205 * i}, m));
    add_body(world, Sphere{0.05}, {0, 0, 0.9}, m);
    StepOptions o = options(0.01);
    o.threads = threads;
    Stepper stepper(o);
    simulate(world, stepper, 0.3);
    return world.state_hash();
  };
  EXPECT_EQ(hash(1), hash(3));
}

TEST(SoftBodies, rest_with_friction_laws_of_every_number_of_rows) {
  const std::pair<const char*, std::vector<double>> laws[] = {{"tresca", {20}},
                                                              {"ellipse", {0.5, 0.3}},
                                                              {"contensou", {0.5, 0.4, 0.01}},
                                                              {"rolling", {0.5, 0.01}},
                                                              {"full", {0.5, 0.4, 0.01, 0.01}}};
  for (const auto& [name, numbers] : laws) {
    World world;
    Material surface{"surface", 1000, 0.5, 0};
    surface.law = std::make_shared<const SurfaceLaw>(SurfaceLaw{name, numbers, {}});
    const MaterialId m = world.materials.add(surface);
    const BodyId ground = add_ground(world, m);
    world.add(soft(cube(), {0, 0, 0.1}, m));
    Stepper stepper(options(0.01));
    simulate(world, stepper, 2);
    const StepReport& report = stepper.step(world);
    const double weight = 8 * kGravity;
    EXPECT_EQ(report.outcome.status, SolveStatus::converged) << name;
    EXPECT_LT((force_on_ground(report, ground) + Vec3(0, 0, weight)).norm(), 1e-4 * weight) << name;
  }
}

TEST(SoftBodies, carry_rigid_ones_and_are_carried_by_them) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  add_body(world, Box{Vec3(0.15, 0.15, 0.05)}, {0, 0, 0.05}, m);
  const BodyId middle = world.add(soft(cube(), {0, 0, 0.2}, m));
  const BodyId load = add_body(world, Box{Vec3(0.06, 0.07, 0.08)}, {0.01, 0, 0.385}, m);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 5);
  const StepReport& report = stepper.step(world);
  const double weight = kGravity * (9 + 8 + world.body(load).mass.mass);
  EXPECT_LT((force_on_ground(report, ground) + Vec3(0, 0, weight)).norm(), 1e-4 * weight);
  EXPECT_LT(world.body(load).velocity.norm(), 1e-5);
  EXPECT_GT(world.body(load).position.z(), 0.36);
  EXPECT_LT(fastest_node(world.nodal_body(middle)), 1e-5);
}

/// A strip of rubber, 6 cm wide and 3 cm thick, bent into a U whose arms come together with that speed each.
BodyId add_bent_strip(World& world, double speed, double turn = std::numbers::pi, double element = 0.03) {
  const TetMesh mesh = soft_box({0.3, 0.03, 0.015}, element);
  SoftDescription d = soft(solid_of(mesh, {.young = 3e4, .stiffness_damping = 0.02}), {0, 0, 0}, material(world, 0.3));
  d.positions = mesh.vertices;
  const double radius = 0.06;   // of the bend
  for (Vec3& x : d.positions) {
    const double along = std::clamp(x.x() / radius, -turn / 2, turn / 2), past = x.x() - radius * along;
    const Vec3 out(std::sin(along), 0, -std::cos(along)), tangent(std::cos(along), 0, std::sin(along));
    x = (radius - x.z()) * out + past * tangent + Vec3(0, x.y(), 0);
  }
  d.self_contact = true;
  world.gravity.setZero();
  const BodyId id = world.add(d);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    world.mutable_nodal_bodies()[0].velocities[i].x() = mesh.vertices[i].x() > 0 ? -speed : speed;
  return id;
}

TEST(SoftBodies, that_touch_themselves_do_not_pass_through) {
  World world;
  const BodyId id = add_bent_strip(world, 2);
  const std::vector<Vec3>& rest = world.nodal_body(id).solid->rest();
  Stepper stepper(options(0.005));
  const auto opposite = [&](const Vec3& x) {
    return std::ranges::find_if(rest, [&](const Vec3& o) { return (o - Vec3(-x.x(), x.y(), x.z())).norm() < 1e-9; }) -
           rest.begin();
  };
  double nearest = 1;
  std::size_t contacts = 0;
  simulate(world, stepper, 0.3, [&](const StepReport& r) {
    contacts = std::max(contacts, r.contacts.size());
    EXPECT_LT(r.penetration_max, 5e-4);   // of 3 cm; steps that are not taken in pieces end 1.6 mm deep
    // The arms stay on their sides of each other.
    const std::vector<Vec3>& x = world.nodal_body(id).positions;
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (rest[i].x() > 0.2) nearest = std::min(nearest, x[i].x() - x[static_cast<std::size_t>(opposite(rest[i]))].x());
  });
  EXPECT_GT(contacts, 0u);
  EXPECT_GT(nearest, -0.003);   // a tenth of their thickness: they lean, and what met need not stay opposite
  EXPECT_LT(nearest, 0.01);
  EXPECT_LT(fastest_node(world.nodal_body(id)), 10);
}

TEST(SoftBodies, that_run_through_themselves_are_told) {
  // Arms that begin through each other, deeper than contacts look for.
  World world;
  const BodyId id = add_bent_strip(world, 0, std::numbers::pi + 0.5);
  const std::vector<Overlap> overlaps = find_overlaps(world);
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].a, id);
  EXPECT_EQ(overlaps[0].b, id);
  EXPECT_GT(overlaps[0].depth, 0.001);
  for (const char* integrator : {"impulse", "penalty"}) {
    World copy = world;
    StepOptions o = options(0.005);
    o.integrator = integrator;
    Stepper stepper(o);
    const StepReport& report = stepper.step(copy);
    EXPECT_GE(report.penetration_max, overlaps[0].depth) << integrator;
    const auto told = std::ranges::find(report.findings, MotionKind::deep_overlap, &MotionFinding::kind);
    ASSERT_NE(told, report.findings.end()) << integrator;
    EXPECT_GE(told->amount, overlaps[0].depth) << integrator;
    EXPECT_EQ(where(*told, copy), "'body-0' and itself") << integrator;
  }
}

TEST(SoftBodies, that_a_step_would_turn_elements_of_inside_out_are_taken_in_pieces_if_they_may) {
  // A soft cube strikes the ground at 10 m/s with steps of 10 ms: each takes it half as far as it is large.
  const auto run = [](int pieces) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    SoftDescription d = soft(cube(3e4, 0, 4), {0, 0, 0.15}, m);
    d.velocity = {0, 0, -10};
    const BodyId id = world.add(d);
    StepOptions o = options(0.01);
    o.soft.max_pieces = pieces;
    Stepper stepper(o);
    int most = 0, inverted = 0;
    simulate(world, stepper, 0.1, [&](const StepReport& r) {
      most = std::max(most, r.pieces);
      const NodalBody& nodes = world.nodal_body(id);
      for (std::size_t e = 0; e < nodes.solid->elements(); ++e)
        inverted += nodes.solid->deformation_gradient(e, nodes.positions).determinant() <= 0;
      EXPECT_LE(r.pieces, std::max(pieces, 1));
    });
    return std::pair(most, inverted);
  };
  const auto [whole, inverted] = run(1);
  EXPECT_EQ(whole, 1);
  EXPECT_GT(inverted, 0);
  const auto [most, left] = run(64);
  EXPECT_GT(most, 1);
  EXPECT_EQ(left, 0);
}

TEST(SoftBodies, that_cannot_be_are_refused_with_place_and_remedy) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId other = world.add(soft(cube(), {0, 0, 3}, m));
  const auto message = [&](auto&& change) {
    SoftDescription d = soft(cube(), Vec3::Zero(), m);
    change(d);
    return message_of([&] { world.add(d); });
  };
  EXPECT_EQ(message([](SoftDescription& d) { d.solid = nullptr; }), "/solid: A soft body needs a solid.");
  EXPECT_EQ(message([](SoftDescription& d) { d.positions.resize(3, Vec3::Zero()); }),
            "/positions: There are 3 positions, and the solid has 27 nodes.");
  EXPECT_EQ(message([](SoftDescription& d) {
              d.pins = {{{99}, {}}};
            }),
            "/pins/0/nodes: There is no node 99; the solid has 27, counted from 0.");
  EXPECT_EQ(message([&](SoftDescription& d) {
              d.pins = {{{0}, other}};
            }),
            "/pins/0/body: Nodes are pinned to 'body-0', which is made of nodes. Pin them to a rigid body, or to the world.");
  EXPECT_EQ(message([](SoftDescription& d) { d.pressure = std::numeric_limits<double>::infinity(); }),
            "/pressure: inf is not a pressure. It must be finite [Pa].");
  EXPECT_EQ(world.body_count(), 1u);
}

}   // namespace
}   // namespace stickslip::testing
