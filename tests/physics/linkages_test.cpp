// Plane linkages against closed-form kinematics and virtual work.
#include "physics/joint_worlds.h"

namespace stickslip::testing {
namespace {

/// Angle of a point about a pivot in the x-z plane, from x towards z [rad].
double angle_of(const Vec3& point, const Vec3& pivot) { return std::atan2(point.z() - pivot.z(), point.x() - pivot.x()); }

/// A direction in the x-z plane.
Vec3 towards(double angle) { return Vec3(std::cos(angle), 0, std::sin(angle)); }

double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

/// Crank a, coupler b, rocker c, ground d: the crank turns about the origin, the rocker about (d, 0, 0).
struct FourBar {
  double a, b, c, d;

  /// Rocker angle from the crank angle by Freudenstein's equation, the branch where the elbow lies above.
  double rocker_angle(double crank) const {
    const double k1 = d / a, k2 = d / c, k3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
    const double A = std::cos(crank) - k1 - k2 * std::cos(crank) + k3, B = -2 * std::sin(crank),
                 C = k1 - (k2 + 1) * std::cos(crank) + k3;
    return 2 * std::atan2(-B - std::sqrt(B * B - 4 * A * C), 2 * A);
  }
  double coupler_angle(double crank) const {
    return angle_of(d * Vec3::UnitX() + c * towards(rocker_angle(crank)), a * towards(crank));
  }
  /// Angular velocity of the rocker over that of the crank.
  double ratio(double crank) const {
    const double coupler = coupler_angle(crank), rocker = rocker_angle(crank);
    return a * std::sin(coupler - crank) / (c * std::sin(coupler - rocker));
  }
};

struct FourBarWorld {
  World world;
  BodyId crank, coupler, rocker;
  JointId motor;
  FourBar shape;

  /// Turns at `speed` from the first step on; bars of the given mass.
  FourBarWorld(double size, double speed, double mass) : shape{0.2 * size, 0.5 * size, 0.45 * size, 0.55 * size} {
    world.gravity.setZero();
    const double start = 1;
    const Vec3 pin = shape.a * towards(start), pivot = shape.d * Vec3::UnitX(),
               elbow = pivot + shape.c * towards(shape.rocker_angle(start));
    crank = add_rod(world, mass, Vec3::Zero(), pin);
    coupler = add_rod(world, mass, pin, elbow);
    rocker = add_rod(world, mass, pivot, elbow);
    JointAxis drive;
    drive.motor = JointMotor{speed, std::numeric_limits<double>::infinity()};
    motor = join(world, JointType::hinge, kWorld, crank, Vec3::Zero(), -Vec3::UnitY(), drive);   // −y: angles grow from x to z
    join(world, JointType::hinge, crank, coupler, pin);
    join(world, JointType::hinge, coupler, rocker, elbow);
    join(world, JointType::hinge, kWorld, rocker, pivot);
  }
  Vec3 end_of(BodyId rod, double length) const {
    return world.body(rod).position + 0.5 * length * (world.body(rod).orientation * Vec3::UnitX());
  }
  double crank_angle() const { return angle_of(end_of(crank, shape.a), end_of(crank, -shape.a)); }
  double rocker_angle() const { return angle_of(end_of(rocker, shape.c), end_of(rocker, -shape.c)); }
  double coupler_angle() const { return angle_of(end_of(coupler, shape.b), end_of(coupler, -shape.b)); }
};

class Linkages : public AtScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Linkages, kScales, scale_name);

TEST_P(Linkages, a_four_bar_follows_freudensteins_equation_over_whole_turns) {
  const Scale scale = GetParam();
  const double speed = 6 / scale.time();
  const auto worst_error = [&](double h) {
    FourBarWorld linkage(scale.size, speed, 1);
    Stepper stepper(options(h * scale.time()));
    double worst = 0, turned = 0;
    simulate(linkage.world, stepper, 3 * scale.time(), [&](const StepReport& r) {
      const double crank = linkage.crank_angle();
      worst = std::max({worst, std::abs(wrapped(linkage.rocker_angle() - linkage.shape.rocker_angle(crank))),
                        std::abs(wrapped(linkage.coupler_angle() - linkage.shape.coupler_angle(crank)))});
      turned = r.joint(linkage.motor)->position[joint_turn_z];
    });
    EXPECT_NEAR(turned / (speed * 3 * scale.time()), 1, 1e-3);   // almost three turns
    return worst;
  };
  const double coarse = worst_error(0.004), fine = worst_error(0.002);
  EXPECT_LT(fine, 2e-3);
  EXPECT_LT(fine, 0.35 * coarse);   // second order would be a quarter
}

TEST_P(Linkages, the_motor_of_a_light_four_bar_balances_a_load_on_the_rocker_by_virtual_work) {
  const Scale scale = GetParam();
  const double speed = 2 / scale.time(), load = scale.size * kGravity, light = 1e-6;
  FourBarWorld linkage(scale.size, speed, light);
  StepOptions o = options(0.001 * scale.time());
  o.tolerance = 1e-9;
  Stepper stepper(o);
  linkage.world.set_applied(linkage.rocker, Vec3::Zero(), {0, load, 0});   // about +y: against growing angles
  double worst = 0, largest = 0;
  simulate(linkage.world, stepper, 3.5 * scale.time(), [&](const StepReport& r) {
    if (r.step < 20) return;
    const double expected =
        load * linkage.shape.ratio(linkage.crank_angle() - speed * r.h);   // rows are those of the start of the step
    worst = std::max(worst, std::abs(r.joint(linkage.motor)->motor_force[joint_turn_z] - expected) / load);
    largest = std::max(largest, std::abs(expected) / load);
  });
  EXPECT_GT(largest, 0.3);
  EXPECT_LT(worst, 5e-3);   // what geometric stiffness does to bodies of a milligram
}

struct SliderCrankWorld {
  World world;
  BodyId crank, rod, slider;
  JointId motor, guide;
  double r, l;

  SliderCrankWorld(double size, double speed, double light) : r(0.15 * size), l(0.45 * size) {
    world.gravity.setZero();
    const double start = 1;
    const Vec3 pin = r * towards(start), end = position(start) * Vec3::UnitX();
    crank = add_rod(world, light, Vec3::Zero(), pin);
    rod = add_rod(world, light, pin, end);
    slider = add_mass(world, 2, Vec3::Constant(0.01 * size * size), end);
    JointAxis drive;
    drive.motor = JointMotor{speed, std::numeric_limits<double>::infinity()};
    motor = join(world, JointType::hinge, kWorld, crank, Vec3::Zero(), -Vec3::UnitY(), drive);
    join(world, JointType::hinge, crank, rod, pin);
    join(world, JointType::hinge, rod, slider, end);
    guide = join(world, JointType::prismatic, kWorld, slider, end, Vec3::UnitX());
  }
  /// x = r cos θ + √(l² − r² sin² θ), and its first two derivatives.
  double position(double angle) const { return r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2)); }
  double slope(double angle) const {
    const double s = std::sin(angle), c = std::cos(angle);
    return -r * s - r * r * s * c / std::sqrt(l * l - r * r * s * s);
  }
  double curvature(double angle) const {
    const double s = std::sin(angle), c = std::cos(angle), root = std::sqrt(l * l - r * r * s * s);
    return -r * c - r * r * (c * c - s * s) / root - std::pow(r, 4) * s * s * c * c / std::pow(root, 3);
  }
  double crank_angle() const {
    const Vec3 along = world.body(crank).orientation * Vec3::UnitX();
    return std::atan2(along.z(), along.x());
  }
};

TEST_P(Linkages, the_slider_follows_the_crank_by_the_law_of_cosines) {
  const Scale scale = GetParam();
  const auto worst_error = [&](double h) {
    SliderCrankWorld linkage(scale.size, 6 / scale.time(), 0.5);
    Stepper stepper(options(h * scale.time()));
    double worst = 0;
    simulate(linkage.world, stepper, 3 * scale.time(), [&](const StepReport&) {
      worst =
          std::max(worst, std::abs(linkage.world.body(linkage.slider).position.x() - linkage.position(linkage.crank_angle())) /
                              scale.size);
    });
    return worst;
  };
  const double coarse = worst_error(0.004), fine = worst_error(0.002);
  EXPECT_LT(fine, 5e-4);
  EXPECT_LT(fine, 0.35 * coarse);
}

TEST_P(Linkages, the_motor_of_a_slider_crank_gives_the_torque_of_virtual_work) {
  const Scale scale = GetParam();
  const double speed = 6 / scale.time();
  const auto worst_error = [&](double h) {
    SliderCrankWorld linkage(scale.size, speed, 1e-5);
    StepOptions o = options(h * scale.time());
    o.tolerance = 1e-9;
    Stepper stepper(o);
    double worst = 0, largest = 0;
    simulate(linkage.world, stepper, 3 * scale.time(), [&](const StepReport& report) {
      if (report.step < 50) return;
      // T ω = m ẍ ẋ at constant ω, where the rows were set up: at the start of the step.
      const double angle = linkage.crank_angle() - speed * report.h;
      const double torque = 2 * speed * speed * linkage.curvature(angle) * linkage.slope(angle);
      worst = std::max(worst, std::abs(report.joint(linkage.motor)->motor_force[joint_turn_z] - torque));
      largest = std::max(largest, std::abs(torque));
    });
    return worst / largest;
  };
  const double coarse = worst_error(0.004), fine = worst_error(0.002);
  EXPECT_LT(fine, 0.03);
  EXPECT_LT(fine, 0.6 * coarse);
}

TEST_P(Linkages, the_motor_of_a_slider_crank_pays_for_the_energy_of_the_slider) {
  const Scale scale = GetParam();
  SliderCrankWorld linkage(scale.size, 6 / scale.time(), 0.5);
  Stepper stepper(options(0.001 * scale.time()));
  double paid = 0, unexplained = 0, most = 0;
  const double start = linkage.world.kinetic_energy();
  simulate(linkage.world, stepper, 3 * scale.time(), [&](const StepReport& r) {
    paid += r.energy.motors - r.energy.impact + r.energy.stabilisation;
    most = std::max(most, r.energy.kinetic_end);
    unexplained = std::max(unexplained, std::abs(r.energy.kinetic_end - start - paid));
  });
  EXPECT_GT(most, 0);
  EXPECT_LT(unexplained / most, 1e-9);
}

}   // namespace
}   // namespace stickslip::testing
