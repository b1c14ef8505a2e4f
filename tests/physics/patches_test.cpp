// Contact over areas: one block of six rows does what the points of the area do, and what they cannot.
#include "physics/worlds.h"
#include "stickslip/geometry/mesh_solid.h"
#include "stickslip/volume/patch.h"

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

TEST_P(Patches, what_strikes_at_the_rim_of_its_area_loses_energy_by_the_impact_and_none_by_friction_that_is_not_there) {
  // A cube falls on a table with half of its side less a tenth over the edge: its area presses at the edge, not in the middle.
  const double s = GetParam().size;
  double lost[2];
  for (const ContactForm form : {ContactForm::points, ContactForm::patch}) {
    World world;
    const MaterialId m = material(world, 0);
    BodyDescription table;
    table.motion = MotionType::fixed;
    table.parts = {{Box{s * Vec3(1, 1, 0.5)}, {}, m}};
    table.pose.position = s * Vec3(-1, 0, -0.5);
    world.add(table);
    add_body(world, Box{s * Vec3::Constant(0.1)}, s * Vec3(0.02, 0, 0.15), m);
    StepOptions o = options(0.01 * GetParam().time());
    o.contact = form;
    Stepper stepper(o);
    double &impact = lost[form == ContactForm::patch] = 0, most = 0;
    simulate(world, stepper, 0.15 * GetParam().time(), [&](const StepReport& r) {
      EXPECT_EQ(r.energy.friction, 0);
      impact = std::max(impact, r.energy.impact);   // that of the blow
      most = std::max(most, r.energy.kinetic_start);
    });
    EXPECT_GT(impact, 0.1 * most);
  }
  EXPECT_NEAR(lost[1] / lost[0], 1, 1e-6);
}

TEST_P(Patches, friction_of_an_even_pressure_slows_a_spinning_disc) {
  const double s = GetParam().size, h = 1e-3 * GetParam().time(), r = 0.2;
  for (const bool on_box : {false, true}) {
    World world;
    const MaterialId m = material(world, 0.3);
    if (on_box) {
      BodyDescription table;
      table.motion = MotionType::fixed;
      table.parts = {{Box{s * Vec3(1, 1, 0.5)}, {}, m}};
      table.pose.position = s * Vec3(0.3, 0.1, -0.5);
      world.add(table);
    } else {
      add_ground(world, m);
    }
    const BodyId disc =
        add_body(world, Cylinder{s * r, s * 0.02}, s * Vec3(0, 0, 0.02), m, Vec3::Zero(), Vec3(0, 0, 10 / GetParam().time()));
    Stepper stepper(patches(h));
    const double before = world.body(disc).angular_velocity.z();
    simulate(world, stepper, 0.05 * GetParam().time(), [](const StepReport& report) { EXPECT_EQ(report.contacts.size(), 1u); });
    const double slowing = (before - world.body(disc).angular_velocity.z()) / (0.05 * GetParam().time());
    EXPECT_NEAR(slowing, 0.3 * kGravity * (2.0 / 3 * r * s) / (0.5 * r * r * s * s), 1e-6 * slowing) << on_box;
  }
}

TEST_P(Patches, points_at_the_rim_slow_a_spinning_disc_one_and_a_half_times_as_much) {
  const double s = GetParam().size, time = GetParam().time(), r = 0.2;
  double slowing[2];
  for (const ContactForm form : {ContactForm::points, ContactForm::patch}) {
    World world;
    const MaterialId m = material(world, 0.3);
    add_ground(world, m);
    const BodyId disc =
        add_body(world, Cylinder{s * r, s * 0.02}, s * Vec3(0, 0, 0.02), m, Vec3::Zero(), Vec3(0, 0, 10 / time));
    StepOptions o = options(1e-3 * time);
    o.contact = form;
    Stepper stepper(o);
    simulate(world, stepper, 0.05 * time);
    slowing[form == ContactForm::patch] = 10 / time - world.body(disc).angular_velocity.z();
  }
  EXPECT_NEAR(slowing[0], 1.5 * slowing[1], 1e-5 * slowing[0]);
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

StepOptions volumes(double h, double overlap = 1e-3) {
  StepOptions o = options(h);
  o.contact = ContactForm::volume;
  o.overlap = overlap;
  return o;
}

/// Depth at which a ball has this mean depth V/|∂V| in a half-space: V = π d² (3r − d)/3, |∂V| = π d (2r − d).
double depth_of_ball(double radius, double mean) {
  double d = 2 * mean;
  for (int k = 0; k < 50; ++k) d = 3 * mean * (2 * radius - d) / (3 * radius - d);
  return d;
}

class VolumeContact : public AtScale {};
INSTANTIATE_TEST_SUITE_P(, VolumeContact, kScales, scale_name);

TEST_P(VolumeContact, a_box_stands_sticks_and_slides_on_its_volume_as_on_four_points) {
  const double s = GetParam().size, h = 0.01 * GetParam().time(), sunk = 2e-4 * s;   // a thousandth of its thickness
  for (const double degrees : {20.0, 40.0}) {
    Vec3 moved[2];
    for (const ContactForm form : {ContactForm::points, ContactForm::volume}) {
      World world;
      const MaterialId m = material(world, 0.5);
      const double angle = degrees * std::numbers::pi / 180;
      const Vec3 up(-std::sin(angle), 0, std::cos(angle));
      add_ground(world, m, up);
      const Vec3 start = (0.1 * s - (form == ContactForm::volume ? sunk : 0)) * up;
      const BodyId box = add_body(world, Box{s * Vec3(0.3, 0.2, 0.1)}, start, m, Vec3::Zero(), Vec3::Zero(),
                                  rotation_between(Vec3::UnitZ(), up));
      StepOptions o = options(h);
      o.contact = form;
      Stepper stepper(o);
      simulate(world, stepper, GetParam().time(), [&](const StepReport& r) {
        EXPECT_EQ(r.contacts.size(), form == ContactForm::volume ? 1u : 4u);
        EXPECT_EQ(r.solve->status, SolveStatus::converged);
      });
      moved[form == ContactForm::volume] = (world.body(box).position - start) / s;
    }
    EXPECT_NEAR((moved[1] - moved[0]).norm(), 0, 2e-5) << degrees;   // within the band of touching contacts
    if (degrees < 26) {
      EXPECT_LT(moved[1].norm(), 2e-5);
    }
  }
}

TEST_P(VolumeContact, cubes_over_an_edge_stay_or_tip_within_a_hundredth_of_the_threshold) {
  const double s = GetParam().size;
  for (const double over : {-1e-2, 1e-2}) {
    World world;
    const MaterialId m = material(world, 0.5);
    BodyDescription table;
    table.motion = MotionType::fixed;
    table.parts = {{Box{s * Vec3(1, 1, 0.5)}, {}, m}};
    table.pose.position = s * Vec3(-1, 0, -0.5);
    world.add(table);
    const BodyId cube = add_body(world, Box{s * Vec3::Constant(0.1)}, s * Vec3(0.2 * over, 0, 0.1), m);
    Stepper stepper(volumes(0.01 * GetParam().time()));
    simulate(world, stepper, 2 * GetParam().time());
    if (over < 0) EXPECT_NEAR(world.body(cube).position.z() / s, 0.1, 5e-4);
    else EXPECT_LT(world.body(cube).position.z() / s, -0.1);
  }
}

TEST_P(VolumeContact, a_ball_that_falls_comes_to_rest_at_its_target_and_never_flickers) {
  const double s = GetParam().size, r = 0.1 * s, overlap = 0.02, mean = overlap * 2 * r;
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{r}, {0, 0, 1.5 * r}, m);
  Stepper stepper(volumes(0.01 * GetParam().time(), overlap));
  simulate(world, stepper, GetParam().time());
  double impulse = 0;
  simulate(world, stepper, GetParam().time(), [&](const StepReport& report) {
    ASSERT_EQ(report.contacts.size(), 1u);
    impulse = report.contacts[0].normal_impulse;
    EXPECT_NEAR(report.contacts[0].gap, -mean, 2.5e-4 * 2 * r);
    EXPECT_TRUE(report.findings.empty());
  });
  EXPECT_NEAR(world.body(ball).position.z(), r - depth_of_ball(r, mean), 5e-4 * 2 * r);
  EXPECT_NEAR(impulse, world.body(ball).mass.mass * kGravity * stepper.options().h, 1e-4 * impulse);
  EXPECT_LT(world.body(ball).velocity.norm(), 1e-4 * GetParam().speed());
}

TEST_P(VolumeContact, a_soft_ball_rolls_to_rest_under_the_moment_of_its_patch) {
  const double s = GetParam().size, r = 0.1 * s, v = 1 * GetParam().speed();
  double before = 0;
  for (const double overlap : {0.002, 0.01, 0.03}) {
    World world;
    const MaterialId m = material(world, 0.8);
    add_ground(world, m);
    const double depth = depth_of_ball(r, overlap * 2 * r), arm = r - 2.0 / 3 * depth;
    const BodyId ball = add_body(world, Sphere{r}, {0, 0, r - depth}, m, {v, 0, 0}, {0, v / arm, 0});
    Stepper stepper(volumes(0.005 * GetParam().time(), overlap));
    // Force at the front of the patch, a ahead: it slows down by g a R/(R² + 2r²/5), with R the radius it rolls on.
    const double a = std::sqrt(depth * (2 * r - depth)), slowing = kGravity * a * arm / (arm * arm + 0.4 * r * r);
    simulate(world, stepper, 0.5 * v / slowing);
    EXPECT_NEAR(world.body(ball).velocity.x(), 0.5 * v, 0.04 * v) << overlap;
    simulate(world, stepper, v / slowing);
    EXPECT_LT(world.body(ball).velocity.norm(), 1e-3 * v) << overlap;
    EXPECT_GT(slowing, before);
    before = slowing;
  }
}

TEST_P(VolumeContact, without_friction_a_soft_ball_slides_and_does_not_turn) {
  const double s = GetParam().size, r = 0.1 * s, v = GetParam().speed();
  World world;
  const MaterialId m = material(world, 0);
  add_ground(world, m);
  const BodyId ball = add_body(world, Sphere{r}, {0, 0, r}, m, {v, 0, 0});
  Stepper stepper(volumes(0.01 * GetParam().time(), 0.02));
  simulate(world, stepper, GetParam().time());
  EXPECT_NEAR(world.body(ball).velocity.x(), v, 1e-9 * v);
  EXPECT_LT(world.body(ball).angular_velocity.norm() * r, 1e-9 * v);
}

TEST_P(VolumeContact, spin_of_a_disc_and_of_a_soft_ball_is_slowed_by_two_thirds_of_their_radius) {
  const double s = GetParam().size, h = 1e-3 * GetParam().time(), spin = 10 / GetParam().time();
  const double r = 0.2 * s, overlap = 0.02;
  for (const bool is_disc : {true, false}) {
    World world;
    const MaterialId m = material(world, 0.3);
    add_ground(world, m);
    const double half = 0.02 * s, ball_depth = depth_of_ball(r, overlap * 2 * r);
    const Shape shape = is_disc ? Shape(Cylinder{r, half}) : Shape(Sphere{r});
    const double start = is_disc ? half - 1e-3 * 2 * half : r - ball_depth;
    const BodyId body = add_body(world, shape, {0, 0, start}, m, Vec3::Zero(), {0, 0, spin});
    Stepper stepper(volumes(h, is_disc ? 1e-3 : overlap));
    simulate(world, stepper, 0.05 * GetParam().time());
    const double slowing = (spin - world.body(body).angular_velocity.z()) / (0.05 * GetParam().time());
    const double reach = is_disc ? r : std::sqrt(ball_depth * (2 * r - ball_depth));
    const double inertia = (is_disc ? 0.5 : 0.4) * r * r;   // over the mass
    EXPECT_NEAR(slowing, 0.3 * kGravity * 2.0 / 3 * reach / inertia, 0.02 * slowing) << is_disc;
  }
}

TEST_P(VolumeContact, a_spinning_coin_rings_down_faster_and_faster_and_never_gains_energy) {
  const double s = GetParam().size, r = 0.0375 * s, half = 0.00635 * s, h = 0.001 * GetParam().time();
  World world;
  const MaterialId m = material(world, 0.8, 0, 7800);
  add_ground(world, m);
  const Quat lean(Eigen::AngleAxisd(std::numbers::pi / 9, Vec3::UnitY()));
  const Vec3 spin = Vec3(-16.89341151135256, 0, 9.601051443636823) / GetParam().time();
  const BodyId coin = add_body(world, Cylinder{r, half}, {0, 0, 0.018792803516703094 * s}, m, Vec3::Zero(), spin, lean);
  Stepper stepper(volumes(h));
  const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
  const auto azimuth = [&] {
    const Vec3 axis = world.body(coin).orientation * Vec3::UnitZ();
    return std::atan2(axis.y(), axis.x());
  };
  const double start = energy();
  double least = start, turned = 0, before = azimuth();
  std::vector<double> pitch;   // turns of the leaning axis in every tenth of a second
  for (int k = 1; k <= 600; ++k) {
    stepper.step(world);
    EXPECT_LT(energy(), least + 0.002 * start) << k;
    least = std::min(least, energy());
    turned += std::remainder(azimuth() - before, 2 * std::numbers::pi);
    before = azimuth();
    if (k % 100 == 0) pitch.push_back(std::abs(turned)), turned = 0;
  }
  for (std::size_t k = 2; k + 1 < pitch.size(); ++k) EXPECT_GT(pitch[k], pitch[k - 1]) << k;
  simulate(world, stepper, 0.6 * GetParam().time());
  EXPECT_LT(world.body(coin).angular_velocity.norm() * r, 1e-4 * GetParam().speed());
  EXPECT_NEAR(world.body(coin).position.z(), half, 3e-3 * half);
}

/// Steps a world that is to stay out of the ground, no deeper than a hundredth of the thinner body beyond its target, and is to
/// gain no energy.
void stay_out(World& world, Stepper& stepper, double seconds) {
  const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
  const double start = energy();
  double least = start;
  simulate(world, stepper, seconds, [&](const StepReport& r) {
    EXPECT_LT(r.motion.value[static_cast<std::size_t>(MotionKind::deep_overlap)], 0.01) << r.step;
    EXPECT_LT(energy(), least + 0.005 * start) << r.step;
    least = std::min(least, energy());
  });
}

TEST_P(VolumeContact, a_cylinder_that_falls_over_stays_out_of_the_ground) {
  const double s = GetParam().size;
  for (const double h : {0.002, 0.005, 0.01}) {
    SCOPED_TRACE(h);
    World world;
    const MaterialId m = material(world, 1, 0, 500);
    add_ground(world, m);
    add_body(world, Cylinder{0.1 * s, 0.2 * s}, {0, 0, 0.2 * s}, m, 1.2 * GetParam().speed() * Vec3::UnitX());
    Stepper stepper(volumes(h * GetParam().time()));
    stay_out(world, stepper, GetParam().time());
  }
}

TEST_P(VolumeContact, a_coin_on_its_rim_stays_out_of_the_ground_at_steps_ten_times_too_long) {
  const double s = GetParam().size;
  for (const double h : {0.005, 0.01}) {
    SCOPED_TRACE(h);
    World world;
    const MaterialId m = material(world, 0.8, 0, 7800);
    add_ground(world, m);
    const Quat lean(Eigen::AngleAxisd(std::numbers::pi / 9, Vec3::UnitY()));
    const Vec3 spin = Vec3(-16.89341151135256, 0, 9.601051443636823) / GetParam().time();
    add_body(world, Cylinder{0.0375 * s, 0.00635 * s}, {0, 0, 0.018792803516703094 * s}, m, Vec3::Zero(), spin, lean);
    Stepper stepper(volumes(h * GetParam().time()));
    stay_out(world, stepper, 0.5 * GetParam().time());
  }
}

TEST_P(VolumeContact, a_plate_on_a_box_that_tumbles_stays_out_of_it) {
  // It turns and slides on a face that turns as well: no round of a step may be left unseen, and what is tolerated of a step
  // may not add up.
  const double s = GetParam().size, time = GetParam().time();
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  add_body(world, Box{s * Vec3(0.05016, 0.06336, 0.04917)}, s * Vec3(0.14681, 0.16036, 0.25), m, Vec3::Zero(), Vec3::Zero(),
           Quat(-0.474661, 0.520731, 0.150479, -0.693464).normalized());
  add_body(world, Box{s * Vec3(0.0454, 0.05483, 0.02186)}, s * Vec3(0.1286, 0.13389, 0.55), m, Vec3::Zero(), Vec3::Zero(),
           Quat(-0.425593, 0.379217, -0.776492, -0.268561).normalized());
  Stepper stepper(volumes(0.01 * time));
  simulate(world, stepper, 0.6 * time, [&](const StepReport& r) {
    for (const MotionFinding& f : r.findings)
      EXPECT_NE(f.kind, MotionKind::deep_overlap) << world.time / time << " s " << f.value;
  });
}

/// An L that lies on its side, of two bricks, or of the tetrahedra of both. Its faces towards the ground are one.
const Vec3 kLong(0.3, 0.1, 0.05), kShort(0.1, 0.1, 0.05), kShortAt(-0.2, 0.2, 0);

TetMesh tetrahedra_of_l() {
  TetMesh mesh;
  for (const auto& [half, middle] : {std::pair(kLong, Vec3(0, 0, 0)), std::pair(kShort, kShortAt)}) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (int k = 0; k < 8; ++k)
      mesh.vertices.push_back(middle + Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1).cwiseProduct(half));
    const std::array<std::array<std::uint32_t, 2>, 6> edges = {{{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}};
    for (const auto& [p, q] : edges) mesh.tetrahedra.push_back({first, first + p, first + q, first + 7});
  }
  return mesh;
}

TEST(PatchesOfParts, a_body_of_two_parts_that_touch_stands_on_one_area_as_its_tetrahedra_do) {
  for (const ContactForm form : {ContactForm::patch, ContactForm::volume}) {
    World world;
    const MaterialId m = material(world, 0.5);
    add_ground(world, m);
    BodyDescription d;
    d.parts = {{Box{kLong}, {}, m}, {Box{kShort}, {kShortAt, Quat::Identity()}, m}};
    d.pose.position.z() = 0.0505;
    const BodyId body = world.add(d);
    StepOptions o = options(0.01);
    o.contact = form;
    Stepper stepper(o);
    simulate(world, stepper, 0.5, [&](const StepReport& r) {
      EXPECT_EQ(r.contacts.size(), 1u);
      EXPECT_EQ(r.solve->status, SolveStatus::converged);
    });
    const StepReport& r = stepper.step(world);
    ASSERT_EQ(r.contacts.size(), 1u);
    const ContactRecord& c = r.contacts.front();
    const Body& b = world.body(body);
    EXPECT_NEAR(c.normal_impulse / (b.mass.mass * 9.81 * 0.01), 1, 1e-6);
    // The centre of pressure is below the centre of mass.
    const Vec3 pressed = c.position + c.normal.cross(c.angular_impulse) / c.normal_impulse;
    EXPECT_LT((pressed - b.position).head<2>().norm(), 1e-4);
    EXPECT_LT(b.velocity.norm() + b.angular_velocity.norm(), 1e-5);
    // The same outline as the common volume of its tetrahedra and the ground has.
    OverlapScratch scratch;
    std::vector<OverlapVolume> found;
    const Pose at = Pose{b.position, b.orientation} * Pose{-b.mass.center, Quat::Identity()};
    overlaps_of_tetrahedra(tetrahedra_of_l(), {at.position - Vec3(0, 0, at.position.z() - 0.049), at.orientation}, HalfSpace{},
                           Pose{}, scratch, found);
    ASSERT_EQ(found.size(), 1u);
    const Patch patch = patch_of(found.front());
    ASSERT_EQ(c.outline->corners.size(), static_cast<std::size_t>(patch.corner_count));
    for (const Vec2& corner : patch.corners()) {
      const Vec3 place = patch.origin + corner.x() * patch.frame.col(1) + corner.y() * patch.frame.col(2);
      double nearest = 1;
      for (const Vec3& x : c.outline->corners) nearest = std::min(nearest, (x - place).head<2>().norm());
      EXPECT_LT(nearest, 1e-4) << place.transpose();
    }
  }
}

TEST(PatchesOfParts, legs_of_a_table_that_do_not_touch_each_other_stay_areas_of_their_own) {
  World world;
  const MaterialId m = material(world, 0.5);
  add_ground(world, m);
  BodyDescription d;
  d.parts = {{Box{Vec3(0.5, 0.4, 0.02)}, {Vec3(0, 0, 0.42), Quat::Identity()}, m}};
  for (int k = 0; k < 4; ++k)
    d.parts.push_back({Box{Vec3(0.03, 0.03, 0.2)}, {Vec3(k & 1 ? 0.4 : -0.4, k & 2 ? 0.3 : -0.3, 0.2), Quat::Identity()}, m});
  const BodyId table = world.add(d);
  Stepper stepper(patches(0.01));
  simulate(world, stepper, 0.5, [&](const StepReport& r) { EXPECT_EQ(r.contacts.size(), 4u); });
  EXPECT_LT(world.body(table).velocity.norm(), 1e-6);
}

TEST(VolumeContacts, two_components_of_a_mesh_are_one_area_and_what_is_inside_another_stays_finite) {
  // A table top of triangles on two ridges of one mesh.
  World world;
  const MaterialId m = material(world, 0.5);
  TriangleMesh ridges;
  for (const double at : {-1.0, 1.0}) {
    const auto first = static_cast<std::uint32_t>(ridges.vertices.size());
    for (int k = 0; k < 8; ++k) ridges.vertices.push_back(Vec3(at + (k & 1 ? 0.1 : -0.1), k & 2 ? 1 : -1, k & 4 ? 0.1 : -0.1));
    for (const std::array<std::uint32_t, 3>& t : std::vector<std::array<std::uint32_t, 3>>{{0, 4, 6},
                                                                                           {0, 6, 2},
                                                                                           {1, 3, 7},
                                                                                           {1, 7, 5},
                                                                                           {0, 1, 5},
                                                                                           {0, 5, 4},
                                                                                           {2, 6, 7},
                                                                                           {2, 7, 3},
                                                                                           {0, 2, 3},
                                                                                           {0, 3, 1},
                                                                                           {4, 5, 7},
                                                                                           {4, 7, 6}})
      ridges.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  const BodyId table = add_body(world, make_mesh(ridges, "ridges"), {0, 0, 0.1}, m);
  add_ground(world, m);
  Stepper stepper(volumes(0.01, 0.01));
  simulate(world, stepper, 1);
  std::size_t contacts = 0;
  simulate(world, stepper, 0.1, [&](const StepReport& r) { contacts = r.contacts.size(); });
  EXPECT_EQ(contacts, 1u);
  EXPECT_NEAR(world.body(table).position.z(), 0.1 - 0.01 * 0.2, 1e-3);
  EXPECT_LT(world.body(table).velocity.norm(), 1e-3);

  World nested;
  const MaterialId n = material(nested, 0.5);
  BodyDescription large;
  large.motion = MotionType::fixed;
  large.parts = {{Box{Vec3::Constant(1)}, {}, n}};
  nested.add(large);
  const BodyId inside = add_body(nested, Sphere{0.1}, {0.1, 0, 0.7}, n);
  Stepper other(volumes(0.01));
  simulate(nested, other, 1);
  EXPECT_TRUE(nested.body(inside).position.allFinite());
  EXPECT_LT(nested.body(inside).velocity.norm(), 20);
}

}   // namespace
}   // namespace stickslip::testing
