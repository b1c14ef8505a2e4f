// Contact of a rigid ball with an elastic half-space, after Hertz: F = 4/3 E/(1 − ν²) √R δ^(3/2).
#include <fmt/format.h>

#include "stickslip/soft/elastic_solid.h"
#include "stickslip/soft/primitives.h"
#include "worlds.h"

namespace stickslip::hertz_test {
namespace {

using namespace stickslip::testing;

constexpr double kYoung = 1e6, kPoisson = 0.3, kRadius = 1;

/// A block whose elements grow away from the middle of its top, held at its bottom and its sides, and a smooth ball above it.
struct Block {
  World world;
  BodyId ball;
  std::size_t nodes;

  Block(double size, double growth) {
    const double half = 10;
    world.gravity.setZero();
    const MaterialId m = material(world, 0);
    const TetMesh mesh = soft_graded_box({half, half, half / 2}, size, growth);
    nodes = mesh.vertices.size();
    SoftDescription d;
    d.solid = std::make_shared<const ElasticSolid>(
        mesh.vertices, mesh.tetrahedra,
        SoftMaterial{.model = SoftModel::linear, .young = kYoung, .poisson = kPoisson, .density = 1});
    d.material = m;
    d.pose.position.z() = -half / 2;
    NodePins pins;
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
      const Vec3& x = mesh.vertices[i];
      if (x.z() < -0.4999 * half || x.head<2>().cwiseAbs().maxCoeff() > 0.999 * half) pins.nodes.push_back(i);
    }
    d.pins = {pins};
    world.add(d);
    BodyDescription sphere;
    sphere.motion = MotionType::kinematic;
    sphere.parts = {{Sphere{kRadius}, {}, m}};
    sphere.pose.position.z() = kRadius;
    ball = world.add(sphere);
  }

  /// Presses the ball in by so much in one step, so long that nothing but the elasticity counts. @returns the force over
  /// Hertz's
  double press(double depth) {
    StepOptions o = options(1, 2000);
    o.tolerance = 1e-4;
    o.contact_band = 1e-9;   // of a block of metres: nothing touches that does not
    o.margin = 1e-4;
    Stepper stepper(o);
    world.set_velocity(ball, {0, 0, -(depth - (kRadius - world.body(ball).position.z()))}, Vec3::Zero());
    const StepReport& report = stepper.step(world);
    EXPECT_EQ(report.outcome.status, SolveStatus::converged);
    double force = 0;
    for (const ContactRecord& c : report.contacts) force += std::abs(c.impulse.z()) / report.force_time;
    return force / (4.0 / 3 * kYoung / (1 - kPoisson * kPoisson) * std::sqrt(kRadius) * std::pow(depth, 1.5));
  }
};

TEST(Hertz, the_force_over_a_decade_of_depths_is_within_three_percent_where_elements_are_small_at_the_contact) {
  for (const double depth : {1e-4, 3.16e-4, 1e-3}) {
    Block block(std::sqrt(kRadius * depth) / 4, 1.1);
    const double ratio = block.press(depth);
    EXPECT_NEAR(ratio, 1, 0.03);
    fmt::print("depth {:.2g} mm, elements of a quarter of the contact's radius, {} nodes: {:.4f}\n", 1e3 * depth, block.nodes,
               ratio);
  }
}

TEST(Hertz, the_force_comes_down_to_the_law_as_elements_grow_more_slowly) {
  double before = 2;
  for (const double growth : {1.4, 1.2, 1.1}) {
    Block block(std::sqrt(kRadius * 1e-3) / 4, growth);
    const double ratio = block.press(1e-3);
    fmt::print("growth {}, {} nodes: {:.4f}\n", growth, block.nodes, ratio);
    EXPECT_LT(ratio, 0.7 * before + 0.3);   // a third of the excess goes at least
    EXPECT_GT(ratio, 1);
    before = ratio;
  }
}

TEST(Hertz, on_one_mesh_the_force_grows_with_the_power_three_halves) {
  Block block(0.0025, 1.2);
  const double first = block.press(1e-4), last = block.press(1e-3);
  EXPECT_NEAR(1.5 + std::log10(last / first), 1.5, 0.03);
}

}   // namespace
}   // namespace stickslip::hertz_test
