// Steps by barriers: free motion, rest, friction, impacts that pass nothing, soft bodies, scripts, and what cannot be.
#include "error_message.h"
#include "step/barrier/barrier_system.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "stickslip/step/barrier_observer.h"
#include "stickslip/step/barrier_start.h"
#include "stickslip/step/motion_watch.h"
#include "worlds.h"

namespace stickslip::testing {
namespace {

StepOptions barrier(double h) {
  StepOptions o = options(h);
  o.integrator = "barrier";
  return o;
}

/// Pairs of patches that have points in common, by exact predicates.
std::size_t intersections(const World& world, const StepOptions& o) {
  BarrierSystem system;
  system.begin(world, o);
  return find_intersections(system.surface(), system.points(),
                            [&](std::uint32_t a, std::uint32_t b) {
                              const auto& patches = system.surface().patches();
                              return patches[a].body != patches[b].body || patches[a].deforms;
                            })
      .size();
}

TEST(Barrier, free_bodies_move_as_by_impulses) {
  World by_impulse;
  by_impulse.gravity = {0, 0, -3};
  const MaterialId m = material(by_impulse, 0.5);
  add_body(by_impulse, Box{{0.1, 0.2, 0.4}}, {0, 0, 0}, m, {1, 2, 3}, {5, 0.1, -2});
  World by_barrier = by_impulse;
  Stepper impulse(options(0.01)), stepper(barrier(0.01));
  simulate(by_impulse, impulse, 1);
  simulate(by_barrier, stepper, 1);
  const Body &a = by_impulse.bodies()[0], &b = by_barrier.bodies()[0];
  EXPECT_LT((a.position - b.position).norm(), 1e-9);
  EXPECT_LT((a.orientation.coeffs() - b.orientation.coeffs()).norm(), 1e-9);
  EXPECT_LT((a.angular_velocity - b.angular_velocity).norm(), 1e-8);
}

TEST(Barrier, a_top_that_touches_nothing_keeps_its_angular_momentum_however_fast_it_turns) {
  for (const double turn : {0.02, 0.3, 1.2}) {   // in a step [rad]
    World world;
    world.gravity.setZero();
    add_body(world, Box{{0.1, 0.2, 0.4}}, {0, 0, 0}, material(world, 0.5), {1, 2, 3}, turn / 0.01 * Vec3(0.1, 0.99, 0.1));
    const Vec3 spin = world.angular_momentum();
    const double energy = world.kinetic_energy();
    Stepper stepper(barrier(0.01));
    for (int k = 0; k < 1000; ++k) {
      stepper.step(world);
      ASSERT_LT((world.angular_momentum() - spin).norm(), 1e-10 * spin.norm()) << turn << ", step " << k;
      ASSERT_NEAR(world.kinetic_energy(), energy, 3e-3 * energy) << turn << ", step " << k;
    }
  }
}

/// A smooth box that tumbles on its corners: the moment of what pushes it is all that changes its angular momentum, but for
/// what is taken where it would gain energy.
TEST(Barrier, moments_of_contacts_are_what_changes_the_angular_momentum_of_what_they_strike) {
  for (const double turn : {0.02, 0.1, 0.3}) {   // in a step [rad]
    World world;
    const double h = 0.005;
    const MaterialId m = material(world, 0);
    add_ground(world, m);
    const BodyId box = add_body(world, Box{{0.1, 0.2, 0.4}}, {0, 0, 0.5}, m, {1, 0, -2}, turn / h * Vec3(0.5, 0.8, 0.3));
    Stepper stepper(barrier(h));
    int struck = 0;
    for (int k = 0; k < 200; ++k) {
      const Body before = world.body(box);
      const StepReport& report = stepper.step(world);
      ASSERT_EQ(report.outcome.status, SolveStatus::converged) << k;
      const Body& after = world.body(box);
      Vec3 moment = Vec3::Zero();
      for (const ContactRecord& c : report.contacts)
        moment += (c.body_b == box ? 1 : -1) * (c.position - after.position).cross(c.impulse);
      const Vec3 start = before.world_inertia() * before.angular_velocity, end = after.world_inertia() * after.angular_velocity;
      EXPECT_LT((end - start - moment).norm(), 1e-4 * (start.norm() + moment.norm())) << turn << ", step " << k;
      struck += !report.contacts.empty();
    }
    EXPECT_GT(struck, 2) << turn;
  }
}

TEST(Barrier, a_world_in_which_nothing_moves_stays_as_it_is) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  Stepper stepper(barrier(0.01));
  const StepReport& report = stepper.step(world);
  EXPECT_EQ(report.outcome.status, SolveStatus::converged);
  EXPECT_EQ(report.outcome.iterations, 0);
  EXPECT_EQ(world.step_count, 1);
}

class BarrierAtScale : public AtScale {};
INSTANTIATE_TEST_SUITE_P(Barrier, BarrierAtScale, kScales, scale_name);

TEST_P(BarrierAtScale, a_stack_presses_with_its_weight_and_rests) {
  const double size = GetParam().size;
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  double weight = 0;
  std::vector<BodyId> boxes;
  for (int k = 0; k < 4; ++k) {
    boxes.push_back(add_body(world, Box{Vec3::Constant(0.1 * size)}, {0, 0, (0.1 + 0.2 * k) * size}, m));
    weight += kGravity * world.body(boxes.back()).mass.mass;
  }
  Stepper stepper(barrier(0.01 * GetParam().time()));
  simulate(world, stepper, 1 * GetParam().time());   // they start in contact and are moved apart by half the range
  const StepReport& report = stepper.step(world);
  EXPECT_NEAR(-report.force_on(ground).z() / weight, 1, 1e-4);
  for (const BodyId id : boxes) EXPECT_LT(world.body(id).velocity.norm(), 1e-5 * GetParam().speed());
  EXPECT_GT(report.distance_min, 0);
  EXPECT_LT(report.distance_min, 1e-3 * 0.2 * size);
  EXPECT_EQ(intersections(world, stepper.options()), 0u);
  double loss = 0;
  for (const ContactRecord& c : report.contacts) loss = std::max(loss, -c.normal_impulse);
  EXPECT_LE(loss, 0);
}

double way_down(double slope, double mu, double seconds, bool anchored = true) {
  World world;
  const MaterialId m = material(world, mu);
  const Vec3 normal(-std::sin(slope), 0, std::cos(slope));   // down along −x
  add_ground(world, m, normal);
  const Quat turn = rotation_between(Vec3::UnitZ(), normal);
  const BodyId box = add_body(world, Box{{0.2, 0.2, 0.05}}, 0.05005 * normal, m, Vec3::Zero(), Vec3::Zero(), turn);
  StepOptions o = barrier(0.01);
  o.barrier.anchored = anchored;
  Stepper stepper(o);
  simulate(world, stepper, 0.5);   // settles
  const Vec3 from = world.body(box).position;
  simulate(world, stepper, seconds);
  return (world.body(box).position - from).norm();
}

TEST(Barrier, a_slope_holds_up_to_the_angle_of_friction_and_without_creep) {
  const double mu = 0.5, angle = std::atan(mu);
  EXPECT_LT(way_down(std::atan(0.99 * mu), mu, 2), 2e-8);   // 10 nm/s
  EXPECT_GT(way_down(std::atan(1.01 * mu), mu, 2), 0.01);
  EXPECT_LT(way_down(0.5 * angle, mu, 2), 2e-8);
  // As published, friction starts anew in every step, and what holds creeps.
  EXPECT_GT(way_down(0.5 * angle, mu, 2, false), 1e-6);
}

TEST(Barrier, slides_as_far_as_Coulomb_says) {
  World world;
  const double mu = 0.4, speed = 2;
  const MaterialId m = material(world, mu);
  add_ground(world, m);
  const BodyId box = add_body(world, Box{{0.2, 0.2, 0.05}}, {0, 0, 0.05003}, m, {speed, 0, 0});
  Stepper stepper(barrier(0.005));
  simulate(world, stepper, 1.5);
  EXPECT_NEAR(world.body(box).position.x() / (speed * speed / (2 * mu * kGravity)), 1, 0.02);
  EXPECT_LT(world.body(box).velocity.norm(), 1e-6);
}

TEST(Barrier, a_ball_that_slides_ends_up_rolling_with_five_sevenths_of_its_speed) {
  World world;
  const MaterialId m = material(world, 0.3);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.1}, {0, 0, 0.1001}, m, {1, 0, 0});
  Stepper stepper(barrier(0.002));
  simulate(world, stepper, 0.5);
  EXPECT_NEAR(world.body(ball).velocity.x(), 5.0 / 7, 0.01);
  EXPECT_NEAR(world.body(ball).angular_velocity.y() * 0.1, world.body(ball).velocity.x(), 1e-3);
}

/// Whatever the shape, the speed and the step: nothing is passed, and energy does not grow.
TEST(Barrier, bullets_of_all_shapes_never_pass_a_sheet) {
  const std::vector<Shape> shapes{Sphere{0.02}, Box{{0.02, 0.01, 0.03}}, Capsule{0.01, 0.02}, Cylinder{0.02, 0.02}};
  for (const double h : {0.1, 0.01, 1e-3, 1e-4})
    for (const double speed : {10.0, 1000.0})
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        World world;
        world.gravity.setZero();
        const MaterialId m = material(world, 0.3);
        BodyDescription sheet;
        sheet.motion = k % 2 == 0 ? MotionType::fixed : MotionType::dynamic;
        sheet.parts = {{Box{{20, 20, 0.0005}}, {}, m}};
        world.add(sheet);
        const BodyId bullet = add_body(world, shapes[k], {0.05, 0.03, 0.2}, m, {1, 0, -speed}, {30, 200, 10});
        const StepOptions o = barrier(h);
        Stepper stepper(o);
        const double energy = world.kinetic_energy();
        for (int i = 0; i < 12; ++i) {
          const StepReport& report = stepper.step(world);
          ASSERT_EQ(intersections(world, o), 0u) << "shape " << k << ", h " << h << ", speed " << speed << ", step " << i;
          ASSERT_GT(report.distance_min, 0);
        }
        EXPECT_LE(world.kinetic_energy(), energy * (1 + 1e-5));   // free tops keep their momentum, and energy nearly
        const Vec3 at = world.body(bullet).position - world.bodies()[0].position;
        EXPECT_GT((world.bodies()[0].orientation.conjugate() * at).z(), 0)
            << "shape " << k << ", h " << h << ", speed " << speed;
      }
}

TEST(Barrier, momentum_is_kept_in_collisions) {
  World world;
  world.gravity.setZero();
  const MaterialId m = material(world, 0.4);
  add_body(world, Box{{0.1, 0.1, 0.1}}, {-0.3, 0.02, 0.01}, m, {3, 0, 0}, {1, 2, 3});
  add_body(world, Box{{0.1, 0.2, 0.1}}, {0.3, 0, 0}, m, {-2, 0, 0}, {-2, 0, 1});
  const Vec3 before = world.linear_momentum(), spin = world.angular_momentum();
  StepOptions o = barrier(0.001);
  o.tolerance = 1e-9;
  Stepper stepper(o);
  bool met = false;
  simulate(world, stepper, 0.3, [&](const StepReport& r) { met = met || !r.contacts.empty(); });
  EXPECT_TRUE(met);
  EXPECT_LT((world.linear_momentum() - before).norm(), 1e-6 * before.norm());
  // Forces act where bodies are at the end of a step: angular momentum is kept to first order in h.
  EXPECT_LT((world.angular_momentum() - spin).norm(), 0.05 * spin.norm());
}

std::shared_ptr<const ElasticSolid> rubber(const TetMesh& mesh, double young = 1e5) {
  return std::make_shared<const ElasticSolid>(mesh.vertices, mesh.tetrahedra,
                                              SoftMaterial{.young = young, .stiffness_damping = 0.01});
}

TEST(Barrier, soft_cubes_come_to_rest_on_each_other_and_press_with_their_weight) {
  World world;
  const MaterialId m = material(world, 0.5);
  const BodyId ground = add_ground(world, m);
  double weight = 0;
  for (int k = 0; k < 2; ++k) {
    SoftDescription d;
    d.solid = rubber(soft_box(Vec3::Constant(0.1), 0.1));
    d.pose.position = {0.01 * k, 0, 0.1 + 0.21 * k};
    d.material = m;
    weight += kGravity * world.body(world.add(d)).mass.mass;
  }
  const StepOptions o = barrier(0.01);
  Stepper stepper(o);
  double energy = std::numeric_limits<double>::infinity();
  simulate(world, stepper, 1.5, [&](const StepReport& r) {
    ASSERT_EQ(intersections(world, o), 0u);
    const double now = r.energy.kinetic_end + r.energy.potential_end;
    ASSERT_LE(now, energy + 1e-3 * weight * 0.2);   // what barriers store comes and goes
    energy = std::min(energy, now);
  });
  const StepReport& report = stepper.step(world);
  EXPECT_NEAR(-report.force_on(ground).z() / weight, 1, 1e-4);
}

/// Points of equal meshes stand on each other: their planes turn by their way along them over their gap.
TEST(Barrier, soft_cubes_whose_points_fall_on_each_other_solve_every_step) {
  for (const double friction : {0.1, 0.3, 0.5, 0.8}) {
    World world;
    const MaterialId m = world.materials.add({"rubber", 1000, friction, 0});
    add_ground(world, m);
    for (int level = 0; level < 2; ++level) {
      SoftDescription d;
      d.solid = rubber(soft_box(Vec3::Constant(0.1), 0.1));
      d.pose.position = {0, 0, 0.1005 + 0.201 * level};
      d.material = m;
      world.add(d);
    }
    Stepper stepper(barrier(0.01));
    for (int k = 0; k < 4; ++k) EXPECT_EQ(stepper.step(world).outcome.status, SolveStatus::converged) << friction << ' ' << k;
  }
}

/// Newton's second law, body by body, while a heap tumbles: what is recorded of contacts is what moved them.
TEST(Barrier, forces_of_contacts_are_what_changes_the_momentum_of_every_body) {
  World world;
  const MaterialId m = material(world, 0.4);
  add_ground(world, m);
  std::vector<BodyId> bodies;
  for (int k = 0; k < 4; ++k)
    bodies.push_back(
        add_body(world, Box{{0.1, 0.07, 0.05}}, {0.04 * k, 0.02 * k, 0.1 + 0.13 * k}, m, {0.3, 0, -1}, {1.0 * k, 2, 0.5}));
  SoftDescription d;
  d.solid = rubber(soft_box(Vec3::Constant(0.08), 0.08));
  d.pose.position = {0.05, 0, 0.75};
  d.material = m;
  bodies.push_back(world.add(d));
  Stepper stepper(barrier(0.005));
  int contacts = 0;
  for (int k = 0; k < 100; ++k) {
    std::vector<Vec3> before;
    for (const BodyId id : bodies) before.push_back(world.body(id).velocity);
    const StepReport& report = stepper.step(world);
    ASSERT_EQ(report.outcome.status, SolveStatus::converged) << k;
    contacts += static_cast<int>(report.contacts.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Body& b = world.body(bodies[i]);
      const Vec3 force = b.mass.mass * ((b.velocity - before[i]) / 0.005 - world.gravity);
      EXPECT_LT((report.force_on(bodies[i]) - force).norm(), 1e-4 * b.mass.mass * kGravity) << b.name << " in step " << k;
    }
  }
  EXPECT_GT(contacts, 1000);
}

/// A floor that rises carries what stands on it, and presses with weight and inertia.
TEST(Barrier, a_half_space_that_rises_lifts_what_stands_on_it) {
  World world;
  const MaterialId m = material(world, 0.5);
  BodyDescription lift;
  lift.motion = MotionType::kinematic;
  lift.parts = {{HalfSpace{}, {}, m}};
  lift.velocity = {0.2, 0, 0.5};
  const BodyId floor = world.add(lift);
  const BodyId box = add_body(world, Box{Vec3::Constant(0.1)}, {3, 0, 0.1001}, m),
               ball = add_body(world, Sphere{0.1}, {0, 0, 0.1001}, m);
  Stepper stepper(barrier(0.01));
  simulate(world, stepper, 1);
  EXPECT_NEAR(world.body(floor).position.z(), 0.5, 1e-6);   // as heavy as a great many of them
  for (const BodyId id : {box, ball}) {
    EXPECT_GT(world.body(id).position.z(), 0.6);
    EXPECT_NEAR(world.body(id).position.z(), 0.6, 3e-4);
    EXPECT_NEAR(world.body(id).velocity.z(), 0.5, 1e-6);
  }
  EXPECT_NEAR(world.body(box).velocity.x(), 0.2, 1e-5);   // carried along by friction
  const double weight = kGravity * (world.body(box).mass.mass + world.body(ball).mass.mass);
  EXPECT_NEAR(-stepper.step(world).force_on(floor).z() / weight, 1, 1e-4);
}

/// A floor that tilts: what stands on it slides when the angle of friction is passed, as by impulses.
TEST(Barrier, a_half_space_that_tilts_lets_go_at_the_angle_of_friction) {
  const double mu = 0.4, rate = 0.5;
  const auto along = [&](const std::string& integrator, double seconds) {
    World world;
    const MaterialId m = material(world, mu);
    BodyDescription floor;
    floor.motion = MotionType::kinematic;
    floor.parts = {{HalfSpace{}, {}, m}};
    floor.angular_velocity = {0, rate, 0};
    const BodyId id = world.add(floor);
    const BodyId box = add_body(world, Box{{0.2, 0.2, 0.05}}, {0, 0, 0.0501}, m);
    StepOptions o = barrier(0.005);
    o.integrator = integrator;
    Stepper stepper(o);
    simulate(world, stepper, seconds, [&](const StepReport& r) {
      if (integrator == "barrier") {
        EXPECT_EQ(r.outcome.status, SolveStatus::converged) << r.step;
        EXPECT_GT(r.distance_min, 0);
      }
    });
    const Pose pose{world.body(id).position, world.body(id).orientation};
    return pose.to_local(world.body(box).position).x();
  };
  const double slips_at = std::atan(mu) / rate;
  EXPECT_LT(std::abs(along("barrier", 0.95 * slips_at)), 1e-3);
  const double late = slips_at + 0.4, by_impulse = along("impulse", late);
  EXPECT_GT(by_impulse, 0.05);
  EXPECT_NEAR(along("barrier", late), by_impulse, 0.05 * by_impulse);
}

/// Whatever comes: nothing passes a half-space that moves towards it.
TEST(Barrier, bullets_never_pass_a_half_space_that_moves_and_turns) {
  for (const double h : {0.1, 0.01, 1e-3})
    for (const double speed : {10.0, 1000.0}) {
      World world;
      world.gravity.setZero();
      const MaterialId m = material(world, 0.3);
      BodyDescription wall;
      wall.motion = MotionType::kinematic;
      wall.parts = {{HalfSpace{}, {}, m}};
      wall.velocity = {0, 0, 0.1 * speed};
      wall.angular_velocity = {0.5, 1, 0};
      const BodyId id = world.add(wall);
      const BodyId bullet = add_body(world, Box{{0.02, 0.01, 0.03}}, {0.3, 0.1, 2}, m, {1, 0, -speed}, {30, 200, 10});
      Stepper stepper(barrier(h));
      for (int k = 0; k < 8; ++k) {
        stepper.step(world);
        const Body& b = world.body(bullet);
        const Pose plane{world.body(id).position, world.body(id).orientation};
        for (int c = 0; c < 8; ++c) {
          const Vec3 corner(c & 1 ? 0.02 : -0.02, c & 2 ? 0.01 : -0.01, c & 4 ? 0.03 : -0.03);
          ASSERT_GT(plane.to_local(b.position + b.orientation * corner).z(), 0)
              << "h " << h << ", speed " << speed << ", step " << k;
        }
      }
    }
}

TEST(Barrier, what_begins_within_range_is_named_before_the_run) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId box = add_body(world, Box{Vec3::Constant(0.1)}, {0, 0, 0.105}, m),
               other = add_body(world, Box{Vec3::Constant(0.1)}, {0.21, 0, 0.1}, m);   // touches the ground
  StepOptions o = barrier(0.01);
  EXPECT_TRUE(find_near_starts(world, o).empty());
  o.barrier.range = 0.1;   // 2 cm
  const std::vector<NearStart> starts = find_near_starts(world, o);
  ASSERT_EQ(starts.size(), 2u);   // box and ground, box and box
  EXPECT_EQ(starts[0].b, box);
  EXPECT_NEAR(starts[0].gap, 0.005, 1e-12);
  EXPECT_NEAR(starts[0].range, 0.02, 1e-12);
  EXPECT_EQ(starts[1].a, box);
  EXPECT_EQ(starts[1].b, other);
  EXPECT_NEAR(starts[1].gap, 0.01, 1e-12);
}

TEST(Barrier, a_range_beyond_the_elements_of_a_soft_body_is_refused) {
  World world;
  SoftDescription d;
  d.name = "sponge";
  d.solid = rubber(soft_box(Vec3::Constant(0.1), 0.02));
  d.material = material(world, 0.5);
  world.add(d);
  StepOptions o = barrier(0.01);
  o.barrier.range = 0.1;   // as far as its elements are large
  Stepper far(o);
  const std::string text = message_of([&] { far.step(world); });
  EXPECT_NE(text.find("'sponge'"), std::string::npos);
  EXPECT_NE(text.find("/step/barrier/range"), std::string::npos);
  o.barrier.range = 0.05;
  Stepper near(o);
  world.gravity.setZero();
  near.step(world);
  for (const Vec3& v : world.nodal_bodies()[0].velocities) EXPECT_LT(v.norm(), 1e-9);   // it stays as it is
}

/// A bar that stands on a plate which holds its foot, and falls over: all of it but the foot lies on the plate.
TEST(Barrier, what_a_body_holds_touches_it_with_the_rest) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId plate = add_body(world, Box{{0.6, 0.3, 0.05}}, {0, 0, 0.0501}, m);
  SoftDescription d;
  d.solid = rubber(soft_box({0.02, 0.02, 0.15}, 0.02), 1e4);
  d.pose.position = {0, 0, 0.1001 + 0.15};
  d.material = m;
  d.pins.resize(1);
  d.pins[0].body = plate;
  for (std::uint32_t i = 0; i < d.solid->nodes(); ++i)
    if (d.solid->rest()[i].z() < -0.1499) d.pins[0].nodes.push_back(i);
  world.add(d);
  auto& nodes = world.mutable_nodal_bodies()[0];
  ASSERT_EQ(nodes.attached.size(), d.pins[0].nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes.velocities[i] = {10 * (nodes.positions[i].z() - 0.1), 0, 0};
  const StepOptions o = barrier(0.01);
  Stepper stepper(o);
  bool met = false;
  const BodyId bar = world.id_of(nodes.body);
  simulate(world, stepper, 0.6, [&](const StepReport& r) {
    ASSERT_EQ(intersections(world, o), 0u) << r.step;
    for (const ContactRecord& c : r.contacts)
      met = met || (c.body_a == plate && c.body_b == bar) || (c.body_a == bar && c.body_b == plate);
    const Body& b = world.body(plate);
    for (const Vec3& x : world.nodal_bodies()[0].positions)
      ASSERT_GT((b.orientation.conjugate() * (x - b.position)).z(), 0.05 - 1e-4) << r.step;
  });
  EXPECT_TRUE(met);
}

TEST(Barrier, a_soft_bar_folds_without_passing_itself) {
  World world;
  world.gravity.setZero();
  SoftDescription d;
  d.solid = rubber(soft_box({0.3, 0.03, 0.03}, 0.06), 2e4);
  d.material = material(world, 0.3);
  const BodyId id = world.add(d);
  auto& nodes = world.mutable_nodal_bodies()[0];
  for (std::size_t i = 0; i < nodes.size(); ++i) {   // both ends swing up and meet
    const double x = nodes.positions[i].x();
    nodes.velocities[i] = {-8 * x, 0, 20 * std::abs(x)};
  }
  const StepOptions o = barrier(0.01);
  Stepper stepper(o);
  bool met = false;
  simulate(world, stepper, 0.2, [&](const StepReport& r) {
    met = met || !r.contacts.empty();
    ASSERT_EQ(intersections(world, o), 0u) << r.step;
  });
  EXPECT_TRUE(met);
  EXPECT_TRUE(world.contains(id));
}

TEST(Barrier, scripts_push_what_is_in_their_way) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId box = add_body(world, Box{Vec3::Constant(0.1)}, {0.3, 0, 0.1001}, m);
  BodyDescription pusher;
  pusher.name = "pusher";
  pusher.motion = MotionType::kinematic;
  pusher.parts = {{Box{{0.05, 0.3, 0.1}}, {}, m}};
  pusher.pose.position = {0, 0, 0.15};
  pusher.velocity = {0.5, 0, 0};
  const BodyId id = world.add(pusher);
  Stepper stepper(barrier(0.01));
  double driven = 0, rubbed = 0;
  simulate(world, stepper, 1, [&](const StepReport& r) {
    driven += r.energy.driven;
    rubbed += r.energy.friction;
  });
  EXPECT_NEAR(world.body(id).position.x(), 0.5, 1e-6);
  EXPECT_NEAR(world.body(box).position.x(), 0.5 + 0.15, 1e-3);
  EXPECT_NEAR(world.body(box).velocity.x(), 0.5, 1e-3);
  const Body& b = world.body(box);
  EXPECT_NEAR(driven - rubbed, b.mass.mass * 0.25, 0.05 * driven);   // half of it is lost in the impact
}

/// What is pinned is acted on: its momentum is not its own.
TEST(Barrier, a_bar_that_swings_on_its_pins_loses_no_momentum) {
  World world;
  world.gravity.setZero();
  SoftDescription d;
  d.solid = rubber(soft_box({0.3, 0.03, 0.03}, 0.06), 2e4);
  d.material = material(world, 0.3);
  d.velocity = {0, 0, 2};
  for (std::uint32_t i = 0; i < d.solid->nodes(); ++i)
    if (d.solid->rest()[i].x() < -0.29) d.pins.resize(1), d.pins[0].nodes.push_back(i);
  world.add(d);
  Stepper stepper(barrier(0.01));
  MotionWatch watch(world);
  const double before = world.linear_momentum().norm();
  simulate(world, stepper, 0.3, [&](const StepReport& r) { watch.add(world, r); });
  EXPECT_LT(world.linear_momentum().norm(), 0.9 * before);
  EXPECT_TRUE(watch.records().empty());
}

TEST(Barrier, the_distance_at_rest_shrinks_with_the_range) {
  double last = 1;
  for (const double range : {1e-2, 1e-3, 1e-4}) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    const BodyId box = add_body(world, Box{Vec3::Constant(0.1)}, {0, 0, 0.1 + 0.1 * range}, m);
    StepOptions o = barrier(0.01);
    o.barrier.range = range;
    Stepper stepper(o);
    simulate(world, stepper, 0.5);
    const double gap = world.body(box).position.z() - 0.1;
    EXPECT_GT(gap, 0);
    EXPECT_LT(gap, 0.2 * range);
    EXPECT_LT(gap, 0.11 * last);
    last = gap;
  }
}

TEST(Barrier, a_new_stepper_continues_to_the_same_bits) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  for (int k = 0; k < 4; ++k)
    add_body(world, Box{{0.1, 0.08, 0.06}}, {0.03 * k, 0, 0.1 + 0.17 * k}, m, {0.2, 0, 0}, {0, 1, 0.3});
  Stepper one(barrier(0.01));
  simulate(world, one, 0.3);
  World copy = world;
  Stepper other(barrier(0.01));
  for (int k = 0; k < 10; ++k) {
    one.step(world);
    other.step(copy);
  }
  EXPECT_EQ(world.state_hash(), copy.state_hash());
}

/// As in docs/barrier.md.
TEST(Barrier, observers_see_every_iteration_and_change_no_bit) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  for (int k = 0; k < 3; ++k)
    add_body(world, Box{{0.1, 0.08, 0.06}}, {0.03 * k, 0, 0.1 + 0.17 * k}, m, {0.2, 0, 0}, {0, 1, 0.3});
  World copy = world;
  std::vector<BarrierIteration> seen;
  const auto observed = make_observed_barrier(barrier(0.01), [&](const BarrierIteration& i) { seen.push_back(i); });
  Stepper plain(barrier(0.01));
  std::size_t most = 0;
  bool follows = false;
  for (int k = 0; k < 30; ++k) {
    seen.clear();
    const StepReport& report = observed->step(world);
    plain.step(copy);
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(report.outcome.iterations));
    EXPECT_DOUBLE_EQ(seen.back().speed, report.outcome.error);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].iteration, static_cast<int>(i) + 1);
      EXPECT_EQ(seen[i].step, k);
      EXPECT_GE(seen[i].gradient, 0);
      most = std::max(most, seen[i].contacts);
      follows |= seen[i].coupled;
      if (i == 0 || seen[i].round != seen[i - 1].round) continue;   // another function
      EXPECT_LE(seen[i].value, seen[i - 1].value * (1 + 1e-9)) << "step " << k << ", iteration " << i + 1;
    }
  }
  EXPECT_GT(most, 3u);
  EXPECT_TRUE(follows);
  EXPECT_EQ(world.state_hash(), copy.state_hash());
}

TEST(Barrier, every_method_takes_the_same_step) {
  Vec3 found = Vec3::Zero();
  for (const MinimiseMethod method : {MinimiseMethod::projected_newton, MinimiseMethod::newton, MinimiseMethod::lbfgs}) {
    World world;
    const MaterialId m = material(world, 0.2);
    add_ground(world, m);
    const BodyId ball = add_body(world, Sphere{0.1}, {0, 0, 0.15}, m, {1, 0, -2});
    StepOptions o = barrier(0.01);
    o.max_iterations = 5000;
    o.tolerance = 1e-8;
    o.barrier.method = method;
    Stepper stepper(o);
    simulate(world, stepper, 0.05);
    if (method == MinimiseMethod::projected_newton) found = world.body(ball).position;
    EXPECT_LT((world.body(ball).position - found).norm(), 1e-6) << static_cast<int>(method);
  }
}

TEST(Barrier, what_cannot_be_is_named) {
  const auto message = [](const auto& make) {
    World world;
    make(world);
    Stepper stepper(barrier(0.01));
    return message_of([&] { stepper.step(world); });
  };
  EXPECT_NE(message([](World& w) {
              const MaterialId m = material(w, 0.5);
              for (int k = 0; k < 2; ++k) {
                BodyDescription d;
                d.name = k == 0 ? "inner" : "outer";
                d.motion = k == 0 ? MotionType::dynamic : MotionType::fixed;
                // Rings that are linked: nothing moves them apart.
                d.parts = {{Box{{0.5, 0.1, 0.1}}, {}, m}, {Box{{0.1, 0.5, 0.1}}, {}, m}, {Box{{0.1, 0.1, 0.5}}, {}, m}};
                d.pose.position = {0.01 * k, 0, 0};
                w.add(d);
              }
            }).find("'inner' and 'outer'"),
            std::string::npos);
  StepOptions bad = barrier(0.01);
  bad.barrier.stiffness = 0;
  EXPECT_NE(message_of([&] { Stepper stepper(bad); }).find("barrier/stiffness"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::testing
