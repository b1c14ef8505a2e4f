// Steps by barriers: free motion, rest, friction, impacts that pass nothing, soft bodies, scripts, and what cannot be.
#include "error_message.h"
#include "step/barrier/barrier_system.h"
#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
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
  EXPECT_NEAR(-report.force_on(ground).z() / weight, 1, 1e-3);
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
  EXPECT_NE(message([](World& w) {
              const MaterialId m = material(w, 0.5);
              BodyDescription d;
              d.name = "lift";
              d.motion = MotionType::kinematic;
              d.parts = {{HalfSpace{}, {}, m}};
              w.add(d);
              add_body(w, Sphere{0.1}, {0, 0, 1}, m);
            }).find("'lift' is a half-space that moves"),
            std::string::npos);
  StepOptions bad = barrier(0.01);
  bad.barrier.stiffness = 0;
  EXPECT_NE(message_of([&] { Stepper stepper(bad); }).find("barrier/stiffness"), std::string::npos);
}

}   // namespace
}   // namespace stickslip::testing
