// Contact over areas: one block of six rows does what the points of the area do, and what they cannot.
#include "physics/worlds.h"

namespace stickslip::testing {
namespace {

StepOptions patches(double h) {
  StepOptions o = options(h);
  o.contact = ContactForm::patch;
  return o;
}

class Patches : public AtScale {};
INSTANTIATE_TEST_SUITE_P(, Patches, kScales, scale_name);

TEST_P(Patches, a_box_stands_sticks_and_slides_on_one_patch_as_on_four_points) {
  const double s = GetParam().size, h = 0.01 * GetParam().time();
  for (const double degrees : {20.0, 40.0}) {   // µ = 0.5: the angle of friction is 26.6°
    Vec3 moved[2];
    for (const ContactForm form : {ContactForm::points, ContactForm::patch}) {
      World world;
      const MaterialId m = material(world, 0.5);
      const double angle = degrees * std::numbers::pi / 180;
      const Vec3 up(-std::sin(angle), 0, std::cos(angle));
      add_ground(world, m, up);
      const Quat lie = rotation_between(Vec3::UnitZ(), up);
      const BodyId box = add_body(world, Box{s * Vec3(0.3, 0.2, 0.1)}, 0.1 * s * up, m, Vec3::Zero(), Vec3::Zero(), lie);
      StepOptions o = options(h);
      o.contact = form;
      Stepper stepper(o);
      const Vec3 start = world.body(box).position;
      std::size_t contacts = 0;
      simulate(world, stepper, GetParam().time(), [&](const StepReport& r) {
        contacts = r.contacts.size();
        EXPECT_EQ(r.solve->status, SolveStatus::converged);
      });
      EXPECT_EQ(contacts, form == ContactForm::patch ? 1u : 4u);
      moved[form == ContactForm::patch] = (world.body(box).position - start) / s;
    }
    EXPECT_NEAR((moved[1] - moved[0]).norm(), 0, 1e-6) << degrees;
    if (degrees < 26) EXPECT_LT(moved[1].norm(), 1e-6);
    else EXPECT_GT(moved[1].norm(), 0.5);
  }
}

TEST_P(Patches, cubes_over_an_edge_stay_or_tip_within_a_thousandth_of_the_threshold) {
  const double s = GetParam().size;
  for (const double over : {-1e-3, 1e-3}) {
    World world;
    const MaterialId m = material(world, 0.5);
    BodyDescription table;
    table.motion = MotionType::fixed;
    table.parts = {{Box{s * Vec3(1, 1, 0.5)}, {}, m}};
    table.pose.position = s * Vec3(-1, 0, -0.5);
    world.add(table);
    const BodyId cube = add_body(world, Box{s * Vec3::Constant(0.1)}, s * Vec3(0.2 * over, 0, 0.1), m);
    Stepper stepper(patches(0.01 * GetParam().time()));
    simulate(world, stepper, 2 * GetParam().time());
    if (over < 0) EXPECT_NEAR(world.body(cube).position.z() / s, 0.1, 1e-6);
    else EXPECT_LT(world.body(cube).position.z() / s, -0.1);
  }
}

TEST_P(Patches, friction_of_an_even_pressure_slows_a_spinning_square) {
  const double s = GetParam().size, h = 1e-3 * GetParam().time(), a = 0.2;
  World world;
  const MaterialId m = material(world, 0.3);
  add_ground(world, m);
  const BodyId plate =
      add_body(world, Box{s * Vec3(a, a, 0.02)}, s * Vec3(0, 0, 0.02), m, Vec3::Zero(), Vec3(0, 0, 10 / GetParam().time()));
  Stepper stepper(patches(h));
  const double before = world.body(plate).angular_velocity.z();
  simulate(world, stepper, 0.05 * GetParam().time());
  const double slowing = (before - world.body(plate).angular_velocity.z()) / (0.05 * GetParam().time());
  // Mean distance of the points of a square with half side a from its middle, and its moment of inertia per mass.
  const double arm = a * s * (std::sqrt(2.0) + std::asinh(1.0)) / 3, inertia = 2 * a * a * s * s / 3;
  EXPECT_NEAR(slowing, 0.3 * kGravity * arm / inertia, 1e-6 * slowing);
}

}   // namespace
}   // namespace stickslip::testing
