// Friction laws over areas: what a box does on four points it does on one area, spin has the mean of the area, and rolling
// resistance stands beside the moment of the pressure.
#include "physics/worlds.h"
#include "stickslip/friction/surface_law.h"
#include "stickslip/step/stepper.h"

namespace stickslip::testing {
namespace {

using Values = std::vector<std::pair<std::string, double>>;

std::shared_ptr<const SurfaceLaw> area_law(std::string_view name, const Values& values) {
  return std::make_shared<const SurfaceLaw>(make_surface_law(name, values));
}

StepOptions with_form(double h, ContactForm form) {
  StepOptions o = options(h);
  o.contact = form;
  return o;
}

/// Ground with grain along x, and a material whose grain stands at an angle to the axes of its body.
struct Grained {
  World world;
  MaterialId ground, top;

  Grained(std::shared_ptr<const SurfaceLaw> law, double grain_of_top = 0, const Mat2& tensor = Mat2::Identity()) {
    Surface of_top;
    of_top.structure = FixedStructure{{std::cos(grain_of_top), std::sin(grain_of_top), 0}};
    of_top.tensor = tensor;
    ground = world.materials.add({"ground", 1000, 0.5, 0, nullptr, {}});
    top = world.materials.add({"top", 1000, 0.5, 0, nullptr, of_top});
    world.materials.set_pair(top, ground, {0.5, 0, std::move(law), top});
    add_ground(world, ground);
  }
  /// Gravity as on a slope that falls in this direction.
  void tilt(double angle, double towards) {
    world.gravity = kGravity * Vec3(std::sin(angle) * std::cos(towards), std::sin(angle) * std::sin(towards), -std::cos(angle));
  }
};

struct LawCase {
  const char* name;
  Values values;
  Mat2 tensor = Mat2::Identity();
};

class EveryLawOfAreas : public ::testing::TestWithParam<LawCase> {};
const Mat2 kGrained = (Mat2() << 0.15, 0.02, -0.02, 0.3).finished();
INSTANTIATE_TEST_SUITE_P(, EveryLawOfAreas,
                         ::testing::Values(LawCase{"ellipse", {{"along", 0.2}, {"across", 0.6}}},
                                           LawCase{"static-kinetic", {{"static", 0.5}, {"kinetic", 0.3}}},
                                           LawCase{"stribeck", {{"static", 0.5}, {"kinetic", 0.2}, {"velocity", 0.1}}},
                                           LawCase{"contensou", {{"along", 0.2}, {"across", 0.5}, {"torsion", 0.01}}},
                                           LawCase{"matchstick", {{"friction", 0.4}, {"along", 0.2}, {"across", 0.6}}},
                                           LawCase{"tensor", {{"scale", 0.2}}, kGrained},
                                           LawCase{"tensor", {{"scale", 0.2}, {"direct", 1}}, kGrained}),
                         [](const auto& of) {
                           std::string name = fmt::format("{}_{}", of.param.name, of.index);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(EveryLawOfAreas, a_box_slides_and_sticks_on_one_area_as_on_four_points_in_every_direction) {
  for (const double towards : {0.0, 0.7, 2.0, 4.0})
    for (const double degrees : {8.0, 24.0}) {
      Vec3 moved[3];
      for (const ContactForm form : {ContactForm::points, ContactForm::patch, ContactForm::volume}) {
        Grained w(area_law(GetParam().name, GetParam().values), 0.4, GetParam().tensor);
        w.tilt(degrees * std::numbers::pi / 180, towards);
        const BodyId box = add_body(w.world, Box{Vec3(0.3, 0.2, 0.05)}, {0, 0, 0.05}, w.top);
        StepOptions o = with_form(0.01, form);
        o.overlap = 1e-5;
        Stepper stepper(o);
        const Vec3 start = w.world.body(box).position;
        simulate(w.world, stepper, 0.4, [&](const StepReport& r) {
          EXPECT_EQ(r.solve->status, SolveStatus::converged);
          EXPECT_EQ(r.contacts.size(), form == ContactForm::points ? 4u : 1u);
        });
        Vec3& way = moved[static_cast<int>(form) - static_cast<int>(ContactForm::points)];
        way = w.world.body(box).position - start;
        way.z() = 0;
      }
      EXPECT_NEAR((moved[1] - moved[0]).norm(), 0, 1e-6) << towards << ' ' << degrees;
      EXPECT_NEAR((moved[2] - moved[0]).norm(), 0, 1e-4) << towards << ' ' << degrees;
    }
}

TEST(LawsOfAreas, rolling_resistance_leaves_alone_what_slides) {
  // Points with rolling rows turn a box a little, as they share its weight in many ways: areas do not.
  const auto way_of = [](std::string_view name, const Values& values) {
    Grained w(area_law(name, values), 0.4);
    w.tilt(0.42, 0.7);
    const BodyId box = add_body(w.world, Box{Vec3(0.3, 0.2, 0.05)}, {0, 0, 0.05}, w.top);
    Stepper stepper(with_form(0.01, ContactForm::patch));
    simulate(w.world, stepper, 0.4);
    return w.world.body(box).position;
  };
  const Vec3 slid = way_of("rolling", {{"friction", 0.3}, {"rolling", 0.01}});
  const double speeding = kGravity * (std::sin(0.42) - 0.3 * std::cos(0.42)), way = speeding * 1e-4 * 40 * 41 / 2;
  EXPECT_NEAR((slid - Vec3(way * std::cos(0.7), way * std::sin(0.7), 0.05)).norm(), 0, 1e-8);
  const Vec3 grained = way_of("contensou", {{"along", 0.2}, {"across", 0.4}, {"torsion", 0.01}});
  const Vec3 full = way_of("full", {{"along", 0.2}, {"across", 0.4}, {"torsion", 0.01}, {"rolling", 0.01}});
  EXPECT_NEAR((full - grained).norm(), 0, 1e-8);
}

TEST(LawsOfAreas, static_friction_holds_up_to_its_threshold_and_kinetic_friction_slows_what_slides) {
  for (const ContactForm form : {ContactForm::patch, ContactForm::volume}) {
    for (const double over : {-1e-3, 1e-3}) {
      Grained w(area_law("static-kinetic", {{"static", 0.5}, {"kinetic", 0.3}}));
      w.tilt(std::atan(0.5 + over), 0);
      // By volume it lies as deep as it is to be from the start: what falls into its place slides on the way.
      const double deep = form == ContactForm::volume ? with_form(0.01, form).overlap * 0.1 : 0;
      const BodyId box = add_body(w.world, Box{Vec3(0.2, 0.2, 0.05)}, {0, 0, 0.05 - deep}, w.top);
      Stepper stepper(with_form(0.01, form));
      simulate(w.world, stepper, 1);
      const double moved = w.world.body(box).position.x();
      if (over < 0) EXPECT_LT(moved, 1e-6);
      else EXPECT_GT(moved, 0.5);   // as fast as kinetic friction lets it
    }
    Grained w(area_law("static-kinetic", {{"static", 0.5}, {"kinetic", 0.3}}));
    const BodyId box = add_body(w.world, Box{Vec3(0.2, 0.2, 0.05)}, {0, 0, 0.05}, w.top, {2, 0, 0});
    Stepper stepper(with_form(0.01, form));
    simulate(w.world, stepper, 0.5);
    EXPECT_NEAR(w.world.body(box).velocity.x(), 2 - 0.3 * kGravity * 0.5, form == ContactForm::patch ? 1e-6 : 1e-3);
    simulate(w.world, stepper, 0.5);
    EXPECT_LT(w.world.body(box).velocity.norm(), 1e-6);
  }
}

TEST(LawsOfAreas, kinetic_friction_slows_a_disc_that_only_spins) {
  const double r = 0.2, mu = 0.3;
  Grained w(area_law("static-kinetic", {{"static", 0.6}, {"kinetic", mu}}));
  const BodyId disc = add_body(w.world, Cylinder{r, 0.02}, {0, 0, 0.02}, w.top, Vec3::Zero(), {0, 0, 10});
  Stepper stepper(with_form(1e-3, ContactForm::patch));
  simulate(w.world, stepper, 0.05);
  EXPECT_NEAR(10 - w.world.body(disc).angular_velocity.z(), 0.05 * mu * kGravity * (2.0 / 3 * r) / (0.5 * r * r), 1e-5);
}

TEST(LawsOfAreas, friction_that_differs_along_and_across_slows_a_spinning_disc_by_an_elliptic_integral) {
  // The mean of √(μ_t² y² + μ_b² x²) over a disc is ⅔ r · 2/π · μ_b E(√(1 − μ_t²/μ_b²)).
  const double r = 0.2, across = 0.6;
  for (const double along : {0.6, 0.2, 0.0}) {
    Grained w(area_law("ellipse", {{"along", along}, {"across", across}}));
    const BodyId disc = add_body(w.world, Cylinder{r, 0.02}, {0, 0, 0.02}, w.top, Vec3::Zero(), {0, 0, 10});
    Stepper stepper(with_form(1e-3, ContactForm::patch));
    simulate(w.world, stepper, 0.02);
    const double k = std::sqrt(1 - along * along / (across * across));
    const double arm = 2.0 / 3 * r * 2 / std::numbers::pi * across * std::comp_ellint_2(k);
    const double slowing = kGravity * arm / (0.5 * r * r);
    EXPECT_NEAR((10 - w.world.body(disc).angular_velocity.z()) / 0.02, slowing, 1e-3 * slowing) << along;
  }
}

TEST(LawsOfAreas, torsion_of_the_places_stands_beside_that_of_the_area) {
  const double r = 0.2, torsion = 0.03, mu = 0.1;
  for (const double sliding : {0.0, mu}) {
    Grained w(area_law("contensou", {{"along", sliding}, {"across", sliding}, {"torsion", torsion}}));
    const BodyId disc = add_body(w.world, Cylinder{r, 0.02}, {0, 0, 0.02}, w.top, Vec3::Zero(), {0, 0, 10});
    Stepper stepper(with_form(1e-3, ContactForm::patch));
    simulate(w.world, stepper, 0.05);
    const double arm = std::hypot(2.0 / 3 * r * sliding, torsion);
    EXPECT_NEAR(10 - w.world.body(disc).angular_velocity.z(), 0.05 * kGravity * arm / (0.5 * r * r), 1e-5);
  }
}

TEST(LawsOfAreas, a_soft_ball_stops_under_the_moment_of_its_patch_and_that_of_its_law) {
  // m v' = f and I ω' = −R f − (a + μr) N: v' = −g (a + μr) R / (R² + 2r²/5), a the radius of the patch.
  const double r = 0.1, overlap = 0.01;
  for (const double rolling : {0.0, 0.01}) {
    Grained w(area_law("rolling", {{"friction", 0.8}, {"rolling", rolling}}));
    const BodyId ball = add_body(w.world, Sphere{r}, {0, 0, r * (1 - 4 * overlap)}, w.top, {1, 0, 0}, {0, 1 / r, 0});
    StepOptions o = with_form(2.5e-3, ContactForm::volume);
    o.overlap = overlap;
    Stepper stepper(o);
    const double high = r * (1 - 4 * overlap), reach = std::sqrt(r * r - high * high) + rolling;
    const double slowing = kGravity * reach * high / (high * high + 0.4 * r * r);
    double rubbed = 0;
    simulate(w.world, stepper, 0.05);
    const double before = w.world.body(ball).velocity.x();
    simulate(w.world, stepper, 0.1, [&](const StepReport& report) { rubbed -= report.energy.friction; });
    EXPECT_NEAR((before - w.world.body(ball).velocity.x()) / 0.1, slowing, 0.04 * slowing) << rolling;
    simulate(w.world, stepper, 1);
    EXPECT_LT(w.world.body(ball).velocity.norm(), 1e-6);
  }
}

TEST(LawsOfAreas, a_cube_over_an_edge_is_held_by_rolling_resistance_up_to_its_length) {
  const double rolling = 0.01;
  for (const double over : {0.99 * rolling, 1.01 * rolling}) {
    World world;
    const MaterialId m =
        world.materials.add({"felt", 1000, 0.5, 0, area_law("rolling", {{"friction", 0.5}, {"rolling", rolling}}), {}});
    BodyDescription table;
    table.motion = MotionType::fixed;
    table.parts = {{Box{Vec3(1, 1, 0.5)}, {}, m}};
    table.pose.position = Vec3(-1, 0, -0.5);
    world.add(table);
    const BodyId cube = add_body(world, Box{Vec3::Constant(0.1)}, Vec3(over, 0, 0.1), m);
    Stepper stepper(with_form(0.01, ContactForm::patch));
    simulate(world, stepper, 3);
    if (over < rolling) EXPECT_NEAR(world.body(cube).position.z(), 0.1, 1e-5);
    else EXPECT_LT(world.body(cube).position.z(), 0.08);
  }
}

TEST(LawsOfAreas, every_law_says_whether_it_is_one_of_areas_and_rests_on_impulses_of_the_step_before) {
  for (const SurfaceLawInfo& info : surface_laws()) {
    if (info.takes_points || info.name == "own") continue;
    Values values;
    for (const LawParameter& p : info.parameters)
      if (std::isnan(p.standard)) values.emplace_back(p.name, 0.4);
    Grained w(area_law(info.name, values));
    w.tilt(0.1, 1);
    add_body(w.world, Box{Vec3(0.2, 0.2, 0.05)}, {0, 0, 0.05}, w.top);
    Stepper stepper(with_form(0.01, ContactForm::patch));
    std::size_t contacts = 0;
    int iterations = 0;
    simulate(w.world, stepper, 0.5);
    simulate(w.world, stepper, 0.1, [&](const StepReport& r) {
      contacts = r.contacts.size();
      iterations += r.solve->iterations;
    });
    EXPECT_EQ(contacts, info.over_areas == OverAreas::no ? 4u : 1u) << info.name;
    if (info.over_areas != OverAreas::no) {
      EXPECT_EQ(iterations, 0) << info.name;
    }
  }
}

TEST(LawsOfAreas, structures_that_turn_within_an_area_keep_points) {
  Surface lathe;
  lathe.structure = CircularStructure{};
  const SurfaceLaw grain = make_surface_law("ellipse", {{"along", 0.2}, {"across", 0.6}});
  const SurfaceLaw fall = make_surface_law("static-kinetic", {{"static", 0.5}, {"kinetic", 0.3}});
  EXPECT_TRUE(acts_over_areas(grain, {}, {}));
  EXPECT_FALSE(acts_over_areas(grain, lathe, {}));
  EXPECT_FALSE(acts_over_areas(grain, {}, lathe));
  EXPECT_TRUE(acts_over_areas(fall, lathe, lathe));
}

}   // namespace
}   // namespace stickslip::testing
