// Friction laws in motion, against closed forms.
#include "physics/worlds.h"
#include "published_methods.h"
#include "stickslip/friction/surface_law.h"
#include "stickslip/solve/registry.h"

namespace stickslip::testing {
namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

std::shared_ptr<const SurfaceLaw> law(std::string_view name, const Numbers& numbers, std::vector<Vec3> points = {}) {
  return std::make_shared<const SurfaceLaw>(make_surface_law(name, numbers, std::move(points)));
}

/// Ground and a slider of mass 2 kg that touches it in one point below its centre and does not tip or roll: its inertia about
/// the horizontal axes is enormous. About the vertical it is `inertia`.
struct SliderWorld {
  World world;
  MaterialId ground, slider;
  BodyId body;
  static constexpr double mass = 2, radius = 0.1;

  explicit SliderWorld(std::shared_ptr<const SurfaceLaw> l, const Vec3& velocity, double spin = 0, double inertia = 1e9,
                       Surface ground_surface = {}, Surface slider_surface = {}) {
    ground = world.materials.add({"ground", 1000, 0.5, 0, nullptr, std::move(ground_surface)});
    slider = world.materials.add({"slider", 1000, 0.5, 0, nullptr, std::move(slider_surface)});
    world.materials.set_pair(ground, slider, {0.5, 0, std::move(l), ground});
    add_ground(world, ground);
    BodyDescription d;
    d.parts = {{Sphere{radius}, {}, slider}};
    d.pose.position = {0, 0, radius};
    d.velocity = velocity;
    d.angular_velocity = {0, 0, spin};
    d.mass_properties = MassProperties{mass, Vec3::Zero(), Vec3(1e9, 1e9, inertia).asDiagonal()};
    body = world.add(d);
  }
  const Body& state() const { return world.body(body); }
};

TEST(EllipticFriction, deflects_a_slider_along_the_curve_of_the_closed_form) {
  // Maximum dissipation gives v' = −g (μt² vx, μb² vy) / √(μt² vx² + μb² vy²), so that vy / vy₀ = (vx / vx₀)^(μb/μt)² all
  // along.
  const double along = 0.2, across = 0.4, power = (across / along) * (across / along);
  const Vec3 start(2, 2, 0);
  double error[2];
  for (const int fine : {0, 1}) {
    SliderWorld w(law("ellipse", {{"along", along}, {"across", across}}), start);
    Stepper stepper(options(fine ? 0.001 : 0.002));
    error[fine] = 0;
    simulate(w.world, stepper, 0.5, [&](const StepReport&) {
      const Vec3 v = w.state().velocity;
      error[fine] = std::max(error[fine], std::abs(v.y() / start.y() - std::pow(v.x() / start.x(), power)));
    });
    EXPECT_LT(w.state().velocity.y(), 0.7 * w.state().velocity.x());
  }
  EXPECT_LT(error[0], 2e-3);
  EXPECT_NEAR(error[0] / error[1], 2, 0.2);   // first order in the step
}

TEST(EllipticFriction, turns_with_the_body_to_which_its_frame_is_fixed) {
  for (const double angle : {0.0, 0.5, 1.3}) {
    Surface slider;
    slider.structure = FixedStructure{{std::cos(angle), std::sin(angle), 0}};
    SliderWorld w(nullptr, {2 * std::cos(angle), 2 * std::sin(angle), 0}, 0, 1e9, {}, slider);
    w.world.materials.set_pair(w.slider, w.ground, {0.5, 0, law("ellipse", {{"along", 0.2}, {"across", 0.6}}), w.slider});
    Stepper stepper(options(0.002));
    simulate(w.world, stepper, 0.5);
    // Along its grain there is no deflection, and the deceleration is μ g of the long axis.
    EXPECT_NEAR(w.state().velocity.norm(), 2 - 0.2 * kGravity * 0.5, 1e-6);
    EXPECT_NEAR(std::atan2(w.state().velocity.y(), w.state().velocity.x()), angle, 1e-9);
  }
}

/// With I = m μs²/μ² slide and spin decay at the same rate: v' = −μ² g/c, c = √(μ² + μs² ω₀²/v₀²), and the way is v₀² c / (2 μ²
/// g).
TEST(Contensou, a_spinning_slider_goes_farther_and_stops_spinning_and_sliding_at_the_same_instant) {
  const double mu = 0.3, torsion = 0.05, speed = 2, inertia = SliderWorld::mass * torsion * torsion / (mu * mu);
  double last = 0;
  for (const double spin : {0.0, 10.0, 30.0}) {
    const double c = std::hypot(mu, torsion * spin / speed);
    const double way = speed * speed * c / (2 * mu * mu * kGravity), time = speed * c / (mu * mu * kGravity);
    SliderWorld w(law("contensou", {{"along", mu}, {"across", mu}, {"torsion", torsion}}), {speed, 0, 0}, spin, inertia);
    const double h = 0.0005;
    StepOptions o = options(h);
    o.tolerance = 1e-8;
    Stepper stepper(o);
    double slide_end = 0, spin_end = 0;
    simulate(w.world, stepper, 1.2 * time, [&](const StepReport& report) {
      if (w.state().velocity.norm() > 1e-3) slide_end = report.time;
      if (std::abs(w.state().angular_velocity.z()) > 1e-3 * (spin > 0 ? spin / speed : 1)) spin_end = report.time;
    });
    EXPECT_NEAR(w.state().position.x(), way, 2e-3 * way) << spin;
    EXPECT_NEAR(slide_end, time, 5e-3 * time) << spin;
    if (spin > 0) {
      EXPECT_NEAR(spin_end, slide_end, 2 * h) << spin;
    }
    EXPECT_LT(w.state().velocity.norm(), 1e-9);
    EXPECT_LT(std::abs(w.state().angular_velocity.z()), 1e-8);
    EXPECT_GT(w.state().position.x(), 1.01 * last);
    last = w.state().position.x();
  }
}

class RollingFrictionLaw : public AtScale {};

TEST_P(RollingFrictionLaw, a_sphere_with_rolling_resistance_stops_where_the_formula_says) {
  // m v' = f and I ω' = −R f − μr N with v = ω R: v' = −(5/7) μr g / R.
  const Scale s = GetParam();
  const double radius = 0.1 * s.size, mu_rolling = 0.01 * s.size, speed = 1.0 * s.speed();
  const double deceleration = 5.0 / 7.0 * mu_rolling * kGravity / radius;
  World world;
  const MaterialId m =
      world.materials.add({"stone", 1000, 0.5, 0, law("rolling", {{"friction", 0.5}, {"rolling", mu_rolling}}), {}});
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{radius}, {0, 0, radius}, m, {speed, 0, 0}, {0, speed / radius, 0});
  StepOptions o = options(0.001 * s.time());
  o.tolerance = 1e-8;
  Stepper stepper(o);
  simulate(world, stepper, 1.2 * speed / deceleration);
  EXPECT_NEAR(world.body(ball).position.x(), speed * speed / (2 * deceleration), 2e-3 * speed * speed / deceleration);
  EXPECT_LT(world.body(ball).velocity.norm(), 1e-9 * s.speed());
}
INSTANTIATE_TEST_SUITE_P(Scales, RollingFrictionLaw, kScales, scale_name);

TEST(RollingResistance, a_sphere_rests_on_a_slope_whose_tangent_is_below_the_resistance_over_the_radius) {
  const double radius = 0.1, mu_rolling = 0.02;   // tan = 0.2
  for (const double tangent : {0.19, 0.21}) {
    World world;
    const MaterialId m =
        world.materials.add({"stone", 1000, 0.9, 0, law("rolling", {{"friction", 0.9}, {"rolling", mu_rolling}}), {}});
    const Vec3 normal = Vec3(tangent, 0, 1).normalized();
    add_ground(world, m, normal);
    const BodyId ball = add_body(world, Sphere{radius}, radius * normal, m);
    StepOptions o = options(0.005);
    o.tolerance = 1e-9;
    Stepper stepper(o);
    simulate(world, stepper, 2);
    if (tangent < mu_rolling / radius) {
      EXPECT_LT(world.body(ball).velocity.norm(), 1e-6);
    } else {
      EXPECT_GT(world.body(ball).velocity.norm(), 0.01);
    }
  }
}

double distance_in_direction(const Vec3& direction, const Vec3& ground_structure, const Vec3& slider_structure) {
  Surface ground, slider;
  ground.structure = FixedStructure{ground_structure};
  slider.structure = FixedStructure{slider_structure};
  SliderWorld w(law("matchstick", {{"friction", 0.4}, {"along", 0.2}, {"across", 0.8}}), 2 * direction, 0, 1e9, ground, slider);
  Stepper stepper(options(0.001));
  simulate(w.world, stepper, 1.2);
  return w.state().position.head<2>().norm();
}

TEST(Matchstick, is_isotropic_for_crossed_and_anisotropic_for_parallel_structure) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY();
  const double isotropic = 2 * 2 / (2 * 0.4 * kGravity);
  for (const double angle : {0.0, 0.4, 0.8, 1.2, std::numbers::pi / 2})
    EXPECT_NEAR(distance_in_direction({std::cos(angle), std::sin(angle), 0}, x, y), isotropic, 5e-3 * isotropic) << angle;
  EXPECT_NEAR(distance_in_direction(x, x, x), 2 * isotropic, 1e-2 * isotropic);
  EXPECT_NEAR(distance_in_direction(y, x, x), 0.5 * isotropic, 5e-3 * isotropic);
}

TEST(Texture, a_block_slides_with_the_grain_of_a_sawtooth_and_sticks_against_it) {
  for (const int sense : {1, -1}) {
    Surface ground;
    ground.normal_map = {
        std::make_shared<const Picture>(sawtooth_normals(256, 4, 10 * std::numbers::pi / 180, 49 * std::numbers::pi / 180)),
        0.1};
    World world;
    const MaterialId g = world.materials.add({"floor", 1000, 0.5, 0, nullptr, ground}), b = material(world, 0.5);
    world.materials.set_pair(
        g, b, {0.5, 0, law("texture", {{"friction", 0.05}, {"scale", 6}, {"patch", 0.1}, {"directions", 4}}), g});
    add_ground(world, g);
    const BodyId block = add_body(world, Box{{0.2, 0.2, 0.05}}, {0, 0, 0.05}, b);
    const double weight = kGravity / world.body(block).inverse_mass;
    world.set_applied(block, {sense * 0.25 * weight, 0, 0}, Vec3::Zero());
    Stepper stepper(options(0.005));
    simulate(world, stepper, 1);
    if (sense > 0) {
      EXPECT_GT(world.body(block).position.x(), 0.1);
    } else {
      EXPECT_LT(world.body(block).position.norm(), 0.05 + 1e-6);
    }
  }
}

TEST(StaticAndKinetic, a_block_at_rest_holds_on_a_slope_on_which_a_moving_one_speeds_up) {
  const double tangent = 0.4;   // between kinetic and static
  for (const bool kicked : {false, true}) {
    World world;
    const MaterialId m = world.materials.add(
        {"steel", 1000, 0.5, 0, law("static-kinetic", {{"static", 0.5}, {"kinetic", 0.3}, {"velocity", 1e-3}}), {}});
    const Vec3 normal = Vec3(tangent, 0, 1).normalized(), downhill(normal.z(), 0, -normal.x());
    add_ground(world, m, normal);
    const BodyId block =
        add_body(world, Box{{0.2, 0.2, 0.02}}, 0.02 * normal, m, kicked ? Vec3(0.1 * downhill) : Vec3(Vec3::Zero()),
                 Vec3::Zero(), rotation_between(Vec3::UnitZ(), normal));
    Stepper stepper(options(0.002));
    simulate(world, stepper, 1);
    const double along = kGravity * (normal.x() - 0.3 * normal.z());
    if (kicked) {
      EXPECT_NEAR(world.body(block).velocity.dot(downhill), 0.1 + along, 1e-3);
    } else {
      EXPECT_LT(world.body(block).velocity.norm(), 1e-6);
    }
  }
}

TEST(Stribeck, the_deceleration_follows_the_curve) {
  const double mu_static = 0.6, mu_kinetic = 0.2, velocity = 0.5, exponent = 2, h = 1e-4;
  SliderWorld w(
      law("stribeck", {{"static", mu_static}, {"kinetic", mu_kinetic}, {"velocity", velocity}, {"exponent", exponent}}),
      {1, 0, 0});
  Stepper stepper(options(h));
  double v = 1;
  simulate(w.world, stepper, 0.2, [&](const StepReport&) {
    const double mu = mu_kinetic + (mu_static - mu_kinetic) * std::exp(-std::pow(v / velocity, exponent));
    const double next = w.state().velocity.x();
    EXPECT_NEAR((v - next) / h, mu * kGravity, 1e-5);
    v = next;
  });
}

TEST(Tresca, brakes_with_a_force_that_does_not_depend_on_the_weight) {
  for (const double gravity : {1.0, 9.81}) {
    SliderWorld w(law("tresca", {{"force", 3}}), {1, 0, 0});
    w.world.gravity = {0, 0, -gravity};
    Stepper stepper(options(0.001));
    simulate(w.world, stepper, 0.2);
    EXPECT_NEAR(w.state().velocity.x(), 1 - 3 / SliderWorld::mass * 0.2, 1e-3) << gravity;
  }
}

TEST(FrictionTensor, direct_evaluation_pushes_along_the_tensor_and_not_against_the_slip) {
  // Q_A + Q_B with off-diagonal parts: f = −λₙ κ (Q_A + Q_B) v̂, across the slip with the direction that the slip has in the
  // end.
  Surface ground, slider;
  ground.tensor << 0.2, 0.1, 0.1, 0.3;
  slider.tensor << 0.1, 0.0, 0.0, 0.1;
  const double h = 1e-4;
  SliderWorld w(law("tensor", {{"scale", 1}, {"direct", 1}}), {1, 0, 0}, 0, 1e9, ground, slider);
  Stepper stepper(options(h));
  stepper.step(w.world);
  // The structure of both surfaces is x; B's outward normal is −z, so that its second axis is −y: diagonal tensors do not see
  // it.
  const double gained = h * kGravity;
  const Vec3 expected = Vec3(1, 0, 0) - gained * Vec3(0.3, 0.1 / (1 + 0.4 * gained), 0);
  EXPECT_LT((w.state().velocity - expected).norm(), 1e-9);
}

TEST(FrictionTensor, direct_evaluation_is_steady_at_every_speed) {
  // On a slope a little steeper than friction holds, a block starts with g (sin α − µ cos α) and goes straight, below and
  // above µ g h / 2 = 15 mm/s.
  World world;
  world.gravity = {0.303 * kGravity, 0, -kGravity};
  Surface floor, sole;
  floor.tensor << 0.2, 0, 0, 0.1;
  sole.tensor << 0.1, 0, 0, 0.2;
  const MaterialId ground = world.materials.add({"ground", 1000, 0.5, 0, nullptr, floor});
  const MaterialId slider = world.materials.add({"slider", 1000, 0.5, 0, nullptr, sole});
  world.materials.set_pair(ground, slider, {0.5, 0, law("tensor", {{"direct", 1}}), ground});
  add_ground(world, ground);
  const BodyId block = add_body(world, Box{{0.2, 0.2, 0.1}}, {0, 0, 0.1}, slider);
  Stepper stepper(options(0.01));
  simulate(world, stepper, 2, [&](const StepReport& r) {
    const Body& b = world.body(block);
    ASSERT_NEAR(b.velocity.x(), 0.003 * kGravity * r.time, 1e-5) << r.time;
    ASSERT_LT(std::abs(b.velocity.y()), 1e-5);
    ASSERT_LT(std::abs(b.angular_velocity.z()), 1e-4);
  });
}

TEST(FrictionTensor, direct_evaluation_damps_what_goes_across_a_slow_slip_however_unlike_its_axes) {
  for (const double across : {0.05, 0.3, 1.0, 3.0}) {
    Surface ground, slider;
    ground.tensor << 0.3, 0, 0, across;
    slider.tensor.setZero();
    SliderWorld w(law("tensor", {{"direct", 1}}), {5e-3, 1e-4, 0}, 0, 1e9, ground, slider);
    w.world.gravity.x() = 0.3 * kGravity;   // friction along x just balances
    Stepper stepper(options(0.01));
    double widest = 0;
    simulate(w.world, stepper, 1, [&](const StepReport&) { widest = std::max(widest, std::abs(w.state().velocity.y())); });
    EXPECT_LT(widest, 1e-4) << across;
    EXPECT_LT(std::abs(w.state().velocity.y()), 1e-5) << across;
    EXPECT_NEAR(w.state().velocity.x(), 5e-3, 2e-4) << across;
  }
}

TEST(Ledger, closes_with_torsion_and_rolling_and_the_torques_stand_in_the_wrench) {
  World world;
  const MaterialId m = world.materials.add(
      {"rubber", 1000, 0.5, 0, law("full", {{"along", 0.5}, {"across", 0.3}, {"torsion", 0.02}, {"rolling", 0.01}}), {}});
  const BodyId ground = add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.1}, {0, 0, 0.1}, m, {0.5, 0.2, 0}, {1, 5, 20});
  Stepper stepper(options(0.001));
  Vec3 before = world.body(ball).angular_velocity;
  simulate(world, stepper, 0.1, [&](const StepReport& report) {
    const EnergyLedger& e = report.energy;
    const double change = e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start;
    EXPECT_NEAR(change, e.applied + e.driven + e.stabilisation - e.friction - e.impact + e.integration, 1e-12);
    EXPECT_LT(std::abs(e.integration), 1e-9);   // everything else is accounted for
    EXPECT_GE(e.friction, -1e-12);
    const Body& body = world.body(ball);
    // The contacts are those of the start of the step.
    const Wrench w = report.wrench(ball, ground, body.position - report.h * body.velocity);
    const Vec3 turned = 0.4 / body.inverse_mass * 0.01 * (body.angular_velocity - before) / report.h;
    EXPECT_LT((w.torque - turned).norm(), 1e-3 * (1e-3 + turned.norm()));
    before = body.angular_velocity;
  });
}

// ---- every solver that honours a law agrees on the motion

struct Case {
  std::string name;
  Numbers numbers;
  std::vector<Vec3> points = {};
};

std::vector<Case> cases() {
  return {{"coulomb", {{"friction", 0.4}}},
          {"ellipse", {{"along", 0.2}, {"across", 0.5}}},
          {"contensou", {{"along", 0.3}, {"across", 0.3}, {"torsion", 0.03}}},
          {"rolling", {{"friction", 0.4}, {"rolling", 0.01}}},
          {"full", {{"along", 0.2}, {"across", 0.4}, {"torsion", 0.03}, {"rolling", 0.01}}},
          {"box", {{"along", 0.2}, {"across", 0.4}}},
          {"polyhedral", {{"friction", 0.4}, {"directions", 6}}},
          {"limit-surface", {}, {{0.4, 0, 0}, {-0.3, 0, 0}, {0, 0.3, 0}, {0, -0.3, 0}, {0, 0, 0.02}, {0, 0, -0.02}}},
          {"tresca", {{"force", 2}}},
          {"stribeck", {{"static", 0.5}, {"kinetic", 0.3}, {"velocity", 0.1}, {"exponent", 1}}},
          {"matchstick", {{"friction", 0.4}, {"along", 0.2}, {"across", 0.6}}},
          {"tensor", {{"scale", 0.2}, {"direct", 0}}}};
}

/// A sphere that slides, spins and rolls, and what its velocities are after a few steps.
Eigen::Matrix<double, 6, 1> motion(const Case& c, const std::string& solver, std::size_t* unconverged) {
  World world;
  const MaterialId m =
      world.materials.add({"m", 1000, 0.4, 0, c.name == "coulomb" ? nullptr : law(c.name, c.numbers, c.points), {}});
  if (c.name == "coulomb") world.materials.set(m, {"m", 1000, 0.4, 0, nullptr, {}});
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{0.1}, {0, 0, 0.1}, m, {1, 0.5, 0}, {1, 2, 15});
  StepOptions o = options(0.005, 3000);
  o.solver = solver;
  o.tolerance = 1e-9;
  Stepper stepper(o);
  simulate(world, stepper, 0.1, [&](const StepReport& report) {
    if (report.solve->status != SolveStatus::converged && report.solve->status != SolveStatus::stalled) ++*unconverged;
  });
  Eigen::Matrix<double, 6, 1> v;
  v << world.body(ball).velocity, 0.1 * world.body(ball).angular_velocity;
  return v;
}

TEST(EverySolver, that_honours_a_law_exactly_agrees_on_the_motion) {
  for (const Case& c : cases()) {
    std::size_t ignored = 0;
    const auto reference = motion(c, "prox-gs", &ignored);
    EXPECT_EQ(ignored, 0u) << c.name;
    const FrictionSet set = local_friction(*law(c.name, c.numbers, c.points), ContactSite{}).set;
    int agreeing = 0;
    for (const std::string& solver : solvers_that_honour(set)) {
      if (is_published(solver) || make_solver(solver)->model() != FrictionModel::exact) continue;
      std::size_t unconverged = 0;
      EXPECT_LT((motion(c, solver, &unconverged) - reference).norm(), 1e-6) << c.name << " with " << solver;
      EXPECT_EQ(unconverged, 0u) << c.name << " with " << solver;
      ++agreeing;
    }
    EXPECT_GE(agreeing, 8) << c.name;
  }
}

/// A user's set that happens to have the name of one of ours.
class Impostor final : public ConvexSet<5> {
 public:
  std::string_view name() const override { return "full"; }
  std::vector<double> parameters() const override { return {}; }
  Vector project(double normal, const Vector& trial) const override { return trial.cwiseMax(-normal).cwiseMin(normal); }
  Vector support_point(const Vector& direction) const override {
    return direction.unaryExpr([](double d) { return d < 0 ? -1.0 : 1.0; });
  }
};

TEST(CoulombNewton, does_not_take_a_set_for_ours_by_its_name) {
  const auto solver = make_solver("coulomb-newton");
  EXPECT_NE(solver->cannot_honour(CustomFriction<5>{std::make_shared<const Impostor>()}), "");
  EXPECT_EQ(
      solver->cannot_honour(
          local_friction(*law("full", {{"along", 0.2}, {"across", 0.4}, {"torsion", 0.03}, {"rolling", 0.01}}), ContactSite{})
              .set),
      "");
}

}   // namespace
}   // namespace stickslip::testing
