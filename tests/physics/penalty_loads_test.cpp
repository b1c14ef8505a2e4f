// Contacts as springs that carry what hangs on a body by joints.
#include "joint_worlds.h"
#include "worlds.h"

namespace stickslip::testing {
namespace {

/// A load of 1000 kg on four wheels of 1 kg: springs for the wheels alone would give way by a thousand times their depth, and
/// ring under the load, for which dampers of the wheels are weak.
TEST(PenaltyLoads, heavy_loads_on_light_wheels_sink_no_deeper_than_wanted_and_come_to_rest) {
  for (const PenaltyStepping stepping : {PenaltyStepping::explicit_, PenaltyStepping::implicit}) {
    World world;
    const MaterialId m = material(world, 0.8);
    const BodyId ground = add_ground(world, m);
    const double radius = 0.2, mass = 1000, turns = 0.4 * radius * radius;
    const BodyId load = add_mass(world, mass, mass * Vec3(0.1, 0.3, 0.35), {0, 0, 0.5});
    for (const double x : {-0.6, 0.6})
      for (const double y : {-0.4, 0.4}) {
        BodyDescription d;
        d.parts = {{Sphere{radius}, {}, m}};
        d.mass_properties = MassProperties{1, Vec3::Zero(), Vec3::Constant(turns).asDiagonal()};
        d.pose.position = {x, y, radius};
        join(world, JointType::hinge, load, world.add(d), {x, y, radius});
      }
    StepOptions o = options(0.01);
    o.integrator = "penalty";
    o.penalty.stepping = stepping;
    Stepper stepper(o);
    for (int k = 0; k < 40; ++k) stepper.step(world);
    const StepReport& report = stepper.step(world);
    EXPECT_LT(report.penetration_max, o.penalty.depth * 2 * radius);
    EXPECT_LT(world.body(load).velocity.norm(), 1e-3 * kGravity * o.h);
    EXPECT_NEAR(-report.force_on(ground).z() / ((mass + 4) * kGravity), 1, 1e-4);
  }
}

}   // namespace
}   // namespace stickslip::testing
