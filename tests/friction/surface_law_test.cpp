// Surface laws: the table and its checks, what each law makes of a contact, and
// that it does not matter how bodies are placed and named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <numbers>

#include "error_message.h"
#include "friction/surface_sites.h"
#include "stickslip/friction/sets.h"
#include "stickslip/friction/surface_law.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

using namespace testing_sites;
using ::testing::HasSubstr;

using std::numbers::pi;
using testing::message_of;

/// One law of each kind, with numbers that show every asymmetry it can have.
std::vector<SurfaceLaw> one_of_each() {
  std::mt19937 random(4);
  std::vector<Vec3> points;
  for (int k = 0; k < 12; ++k) points.push_back(random_unit(random));
  return {make_surface_law("coulomb", {{"friction", 0.4}}),
          make_surface_law("ellipse", {{"along", 0.2}, {"across", 0.7}}),
          make_surface_law("contensou", {{"along", 0.2}, {"across", 0.7}, {"torsion", 0.3}}),
          make_surface_law("rolling", {{"friction", 0.2}, {"rolling", 0.1}}),
          make_surface_law("full", {{"along", 0.2}, {"across", 0.7}, {"torsion", 0.3}, {"rolling", 0.4}}),
          make_surface_law("box", {{"along", 0.2}, {"across", 0.7}}),
          make_surface_law("polyhedral", {{"friction", 0.5}, {"directions", 5}}),
          make_surface_law("polyhedral", {{"friction", 0.5}}),
          make_surface_law("limit-surface", {}, points),
          make_surface_law("tresca", {{"force", 3}}),
          make_surface_law("static-kinetic", {{"static", 0.5}, {"kinetic", 0.3}}),
          make_surface_law("stribeck", {{"static", 0.5}, {"kinetic", 0.3}, {"velocity", 0.5}}),
          make_surface_law("matchstick", {{"friction", 0.5}, {"along", 0.1}, {"across", 0.9}}),
          make_surface_law("tensor", {{"scale", 0.3}}),
          make_surface_law("tensor", {{"scale", 0.3}, {"direct", 1}}),
          make_surface_law("texture", {{"friction", 0.1}, {"patch", 0.5}}),
          make_surface_law("texture", {{"friction", 0.1}, {"patch", 0.5}, {"directions", 7}})};
}

/// Two surfaces with everything that laws can read.
struct Surfaces {
  Surface a, b;
  Surfaces() {
    a.structure = FixedStructure{{1, 0.2, 0.1}};
    a.tensor << 1, 0.3, -0.1, 0.5;
    a.normal_map = {std::make_shared<Picture>(sawtooth_normals(64, 3, 0.3, 0.9)), 1};
    b.structure = CircularStructure{Vec3::Zero(), {0.1, 0.3, 1}};
    b.tensor << 0.6, 0.2, 0.4, 0.9;
    b.normal_map = {std::make_shared<Picture>(sawtooth_normals(64, 2, 0.7, 0.2)), 0.8};
  }
  ContactSite random_site(std::mt19937& random) const {
    ContactSite site;
    site.position = random_pose(random).position;
    site.normal = random_unit(random);
    site.slip = site.normal.cross(random_unit(random));
    site.h = 0.01;
    site.a = {&a, random_pose(random)};
    site.b = {&b, random_pose(random)};
    site.frame_of_b = random() % 2;
    return site;
  }
};

TEST(SurfaceLaw, friction_does_not_depend_on_which_body_is_called_a) {
  const Surfaces surfaces;
  for (const SurfaceLaw& law : one_of_each()) {
    std::mt19937 random(11);
    const PreparedLaw prepared = prepare_surface_law(law);
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      const ContactSite site = surfaces.random_site(random), other = swapped(site);
      const LocalFriction here = prepared(site), there = prepared(other);
      for (int m = 0; m < 5; ++m) {
        const Vec3 v = random_unit(random), spin = random_unit(random);
        worst = std::max(worst, std::abs(reach(here, site, v, spin) - reach(there, other, -v, -spin)));
      }
    }
    EXPECT_LT(worst, 1e-12) << law.name;
  }
}

TEST(SurfaceLaw, friction_turns_with_the_two_bodies) {
  const Surfaces surfaces;
  for (const SurfaceLaw& law : one_of_each()) {
    std::mt19937 random(12);
    const PreparedLaw prepared = prepare_surface_law(law);
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      const Pose by = random_pose(random);
      const ContactSite site = surfaces.random_site(random), other = moved(site, by);
      const LocalFriction here = prepared(site), there = prepared(other);
      for (int m = 0; m < 5; ++m) {
        const Vec3 v = random_unit(random), spin = random_unit(random);
        worst = std::max(worst,
                         std::abs(reach(here, site, v, spin) - reach(there, other, by.orientation * v, by.orientation * spin)));
      }
    }
    EXPECT_LT(worst, 1e-10) << law.name;
  }
}

TEST(SurfaceLaw, tangents_are_zero_or_unit_tangents_and_rows_are_those_announced) {
  const Surfaces surfaces;
  std::mt19937 random(13);
  for (const SurfaceLaw& law : one_of_each()) {
    const ContactSite site = surfaces.random_site(random);
    const LocalFriction local = local_friction(law, site);
    EXPECT_EQ(law_rows(local.set), surface_law_info(law.name).rows) << law.name;
    if (!local.tangent.isZero(0)) {
      EXPECT_NEAR(local.tangent.norm(), 1, 1e-14) << law.name;
      EXPECT_NEAR(local.tangent.dot(site.normal), 0, 1e-14) << law.name;
    }
  }
}

TEST(SurfaceLaw, a_prepared_law_shares_its_set_and_agrees_with_the_one_made_for_one_contact) {
  const Surfaces surfaces;
  std::mt19937 random(14);
  const SurfaceLaw law = make_surface_law("limit-surface", {}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, -1}});
  const PreparedLaw prepared = prepare_surface_law(law);
  ContactSite site = surfaces.random_site(random), other = surfaces.random_site(random);
  site.frame_of_b = other.frame_of_b = false;
  EXPECT_EQ(std::get<CustomFriction<3>>(prepared(site).set).set, std::get<CustomFriction<3>>(prepared(other).set).set);
  const Vec3 v = random_unit(random), spin = random_unit(random);
  EXPECT_DOUBLE_EQ(reach(prepared(site), site, v, spin), reach(local_friction(law, site), site, v, spin));
}

/// Rows of torsion and rolling are torque impulses over a length ℓ; their velocities are spins times ℓ.
TEST(SurfaceLaw, torques_do_not_depend_on_the_length_that_scales_their_rows) {
  const Surfaces surfaces;
  for (const SurfaceLaw& law : one_of_each()) {
    std::mt19937 random(16);
    const PreparedLaw prepared = prepare_surface_law(law);
    double worst = 0;
    for (const double length : {1e-3, 0.5, 20.0, 0.5}) {
      const ContactSite site = surfaces.random_site(random);
      ContactSite scaled = site;
      scaled.length = length;
      const Vec3 v = random_unit(random), spin = random_unit(random);
      worst =
          std::max(worst, std::abs(reach(prepared(site), site, v, spin) - reach(prepared(scaled), scaled, v, spin * length)));
    }
    EXPECT_LT(worst, 1e-14) << law.name;
  }
}

TEST(SurfaceLaw, aligned_sets_lie_along_the_structure_of_their_surface) {
  const Surfaces surfaces;
  std::mt19937 random(15);
  const SurfaceLaw law = make_surface_law("ellipse", {{"along", 0.2}, {"across", 0.7}});
  for (int k = 0; k < 20; ++k) {
    const ContactSite site = surfaces.random_site(random);
    const Vec3 s = site.frame_of_b ? site.b.structure_direction(site.position, -site.normal)
                                   : site.a.structure_direction(site.position, site.normal);
    const LocalFriction local = local_friction(law, site);
    EXPECT_NEAR(resistance(local, site, s), 0.2, 1e-14);
    EXPECT_NEAR(resistance(local, site, site.normal.cross(s)), 0.7, 1e-14);
  }
}

TEST(LimitSurface, a_point_is_the_impulse_on_the_body_that_slides_over_the_owner) {
  const Surfaces surfaces;
  ContactSite site;
  site.a = {&surfaces.a, {}};   // structure near x, normal z
  site.b = {&surfaces.b, {}};
  const Vec3 s = site.material_direction();
  const LocalFriction local = local_friction(make_surface_law("limit-surface", {}, {{0.3, 0, 0}}), site);
  EXPECT_NEAR(reach(local, site, s, Vec3::Zero()), 0.3, 1e-14);   // B is pushed along +s by at most 0.3 …
  EXPECT_NEAR(reach(local, site, -s, Vec3::Zero()), 0, 1e-14);    // … and not at all along −s
}

TEST(StaticKinetic, the_coefficient_changes_at_the_threshold) {
  const SurfaceLaw law = make_surface_law("static-kinetic", {{"static", 0.6}, {"kinetic", 0.4}, {"velocity", 0.02}});
  ContactSite site;
  for (const auto& [speed, mu] : {std::pair(0.0, 0.6), {0.02, 0.6}, {0.0200001, 0.4}, {10.0, 0.4}}) {
    site.slip = {0, speed, 0};
    EXPECT_EQ(std::get<CircularFriction>(local_friction(law, site).set).mu, mu) << speed;
  }
}

TEST(Stribeck, the_curve_starts_static_ends_kinetic_and_is_as_the_formula_says_between) {
  ContactSite site;
  for (const double exponent : {0.5, 1.0, 2.0}) {
    const SurfaceLaw law =
        make_surface_law("stribeck", {{"static", 0.6}, {"kinetic", 0.4}, {"velocity", 0.1}, {"exponent", exponent}});
    const auto mu = [&](double speed) {
      site.slip = Vec3(0.6, 0.8, 0) * speed;
      return std::get<CircularFriction>(local_friction(law, site).set).mu;
    };
    EXPECT_DOUBLE_EQ(mu(0), 0.6);
    EXPECT_NEAR(mu(0.1), 0.4 + 0.2 / std::numbers::e, 1e-15);
    EXPECT_NEAR(mu(0.05), 0.4 + 0.2 * std::exp(-std::pow(0.5, exponent)), 1e-15);
    EXPECT_NEAR(mu(1e6), 0.4, 1e-15);
    for (double v = 0; v < 0.3; v += 0.01) EXPECT_LT(mu(v + 0.01), mu(v));
  }
}

TEST(Tresca, the_bound_is_force_times_step_where_bodies_touch_and_nothing_where_they_do_not) {
  const SurfaceLaw law = make_surface_law("tresca", {{"force", 3}});
  ContactSite site;
  site.h = 0.01;
  site.slack = 1e-6;
  for (const auto& [gap, bound] : {std::pair(-1e-3, 0.03), {0.0, 0.03}, {1e-9, 0.03}, {1e-6, 0.03}, {2e-6, 0.0}, {1.0, 0.0}}) {
    site.gap = gap;
    EXPECT_NEAR(resistance(local_friction(law, site), site, Vec3::UnitX()), bound, 1e-17) << gap;
  }
}

TEST(Polyhedral, has_as_many_corners_as_asked_the_first_along_the_structure) {
  ContactSite site;
  const auto local = local_friction(make_surface_law("polyhedral", {{"friction", 0.5}, {"directions", 6}}), site);
  const auto& set = dynamic_cast<const PolygonSet&>(*std::get<CustomFriction<2>>(local.set).set);
  EXPECT_EQ(set.corners().size(), 6u);
  for (int k = 0; k < 6; ++k) {
    const Vec3 d(std::cos(k * pi / 3), std::sin(k * pi / 3), 0);
    EXPECT_NEAR(resistance(local, site, d), 0.5, 1e-15);
  }
}

// ---------------------------------------------------------------------------------------------------------------- matchstick

ContactSite crossed_at(double angle, const Surface& surface) {
  ContactSite site;
  site.a = {&surface, {}};
  site.b = {&surface, {Vec3::Zero(), Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))}};
  return site;
}

TEST(Matchstick, is_isotropic_for_crossed_and_anisotropic_for_parallel_structure) {
  const Surface grooves;   // along x
  const SurfaceLaw law = make_surface_law("matchstick", {{"friction", 0.5}, {"along", 0.1}, {"across", 0.9}});
  for (int k = 0; k < 12; ++k) {
    const Vec3 d(std::cos(k * pi / 12), std::sin(k * pi / 12), 0);
    for (const double angle : {pi / 2, -pi / 2, 1.5 * pi}) {
      const ContactSite site = crossed_at(angle, grooves);
      EXPECT_NEAR(resistance(local_friction(law, site), site, d), 0.5, 1e-14);
    }
    for (const double angle : {0.0, pi, -pi}) {
      const ContactSite site = crossed_at(angle, grooves);
      EXPECT_NEAR(resistance(local_friction(law, site), site, d), std::hypot(0.1 * d.x(), 0.9 * d.y()), 1e-14);
    }
  }
}

TEST(Matchstick, interpolates_over_the_angle_along_the_bisector) {
  const Surface grooves;
  const SurfaceLaw law = make_surface_law("matchstick", {{"friction", 0.5}, {"along", 0.1}, {"across", 0.9}});
  for (const double angle : {1e-9, 0.3, 1.2, pi / 3, 2.0, 3.0}) {
    const ContactSite site = crossed_at(angle, grooves);
    const double acute = std::min(angle, pi - angle), d = 1 - 2 * acute / pi;
    const double bisector = angle < pi / 2 ? angle / 2 : (angle - pi) / 2;
    const Vec3 t(std::cos(bisector), std::sin(bisector), 0), b(-t.y(), t.x(), 0);
    const LocalFriction local = local_friction(law, site);
    EXPECT_NEAR(resistance(local, site, t), d * 0.1 + (1 - d) * 0.5, 1e-14) << angle;
    EXPECT_NEAR(resistance(local, site, b), d * 0.9 + (1 - d) * 0.5, 1e-14) << angle;
  }
}

// ------------------------------------------------------------------------------------------------------ user, names, checks

TEST(SurfaceLawTable, a_law_of_ones_own_works_like_the_built_in_ones) {
  SurfaceLawInfo info;
  info.name = "test-one-way";
  info.summary = "no friction one way";
  info.parameters = {{"friction", "", "coefficient", 0.5, 0, true}};
  info.prepare = [](const SurfaceLaw& law) -> PreparedLaw {
    return [mu = law.numbers[0]](const ContactSite& site) {
      return LocalFriction{site.material_direction(),
                           CustomFriction<2>{std::make_shared<PolygonSet>(std::vector<Vec2>{{mu, 0}})}};
    };
  };
  add_surface_law(info);
  EXPECT_EQ(surface_laws().back().get().name, "test-one-way");
  const SurfaceLaw law = make_surface_law("test-one-way", {{"friction", 0.7}});
  ContactSite site;
  EXPECT_NEAR(resistance(prepare_surface_law(law)(site), site, -Vec3::UnitX()), 0.7, 1e-15);
  EXPECT_NEAR(resistance(local_friction(law, site), site, Vec3::UnitX()), 0, 1e-15);

  EXPECT_THAT(message_of([&] { add_surface_law(info); }), HasSubstr("'test-one-way' already"));
  info.name = "coulomb";
  EXPECT_THROW(add_surface_law(info), Error);
  info.name = "test-rows";
  info.rows = 6;
  EXPECT_THAT(message_of([&] { add_surface_law(info); }), HasSubstr("6 is not a number of friction rows"));
  info.rows = 2;
  info.prepare = nullptr;
  EXPECT_THAT(message_of([&] { add_surface_law(info); }), HasSubstr("prepare"));
  info.name = "";
  EXPECT_THROW(add_surface_law(info), Error);
}

TEST(SurfaceLawTable, laws_stay_where_they_are_while_others_are_added_and_read) {
  const SurfaceLawInfo& coulomb = surface_law_info("coulomb");
  std::atomic<bool> done = false;
  int read = 0;
  std::thread reader([&] {
    for (; !done || read == 0; ++read) {
      for (const SurfaceLawInfo& info : surface_laws()) EXPECT_EQ(&surface_law_info(info.name), &info);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 100; ++i) {
    SurfaceLawInfo info;
    info.name = "test-crowd-" + std::to_string(i);
    info.summary = "one of many";
    info.prepare = coulomb.prepare;
    add_surface_law(info);
  }
  done = true;
  reader.join();
  EXPECT_GT(read, 0);
  EXPECT_EQ(&surface_law_info("coulomb"), &coulomb);
}

TEST(SurfaceLawTable, every_law_says_what_it_is_and_takes_its_standard_numbers) {
  for (const SurfaceLawInfo& info : surface_laws()) {
    EXPECT_FALSE(info.summary.empty()) << info.name;
    if (info.name.starts_with("test-")) continue;
    EXPECT_FALSE(info.source.empty()) << info.name;
    std::vector<std::pair<std::string, double>> given;
    for (const LawParameter& parameter : info.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << info.name << ' ' << parameter.name;
      EXPECT_EQ(&info.parameters[info.parameter(parameter.name)], &parameter);
      if (std::isnan(parameter.standard)) given.emplace_back(parameter.name, 0.5);
    }
    EXPECT_NO_THROW(
        make_surface_law(info.name, given, info.takes_points ? std::vector<Vec3>{Vec3::Ones()} : std::vector<Vec3>{}))
        << info.name;
    // Without one that must be given it cannot be made.
    for (std::size_t i = 0; i < given.size(); ++i) {
      auto fewer = given;
      fewer.erase(fewer.begin() + std::ptrdiff_t(i));
      EXPECT_THAT(message_of([&] { make_surface_law(info.name, fewer); }), HasSubstr("needs '" + given[i].first + "'"))
          << info.name;
    }
  }
}

TEST(SurfaceLawTable, wrong_names_and_numbers_are_named_with_a_remedy) {
  EXPECT_THAT(message_of([] { surface_law_info("colomb"); }), HasSubstr("Did you mean 'coulomb'?"));
  EXPECT_THAT(message_of([] { make_surface_law("coulomb", {{"fricton", 1}}); }), HasSubstr("Did you mean 'friction'?"));
  EXPECT_THAT(message_of([] {
                make_surface_law("coulomb", {{"friction", -1}});
              }),
              HasSubstr("/friction: -1 is not a valid 'friction'"));
  EXPECT_THAT(message_of([] {
                make_surface_law("coulomb", {{"friction", INFINITY}});
              }),
              HasSubstr("must be finite and at least 0"));
  EXPECT_THAT(message_of([] { make_surface_law("coulomb", {{"friction", NAN}}); }), HasSubstr("nan is not a valid"));
  EXPECT_THAT(message_of([] { make_surface_law("coulomb", {{"friction", 1}, {"friction", 2}}); }), HasSubstr("given twice"));
  EXPECT_THAT(message_of([] {
                make_surface_law("coulomb", {{"friction", 1}}, {Vec3::Zero()});
              }),
              HasSubstr("/points: Friction law 'coulomb' takes no points"));
  EXPECT_THAT(message_of([] { make_surface_law("limit-surface", {}); }),
              HasSubstr("/points: Friction law 'limit-surface' needs"));
  EXPECT_THAT(message_of([] { make_surface_law("limit-surface", {}, {{0, NAN, 0}}); }), HasSubstr("/points/0: (0, nan, 0)"));
  EXPECT_THAT(message_of([] {
                make_surface_law("polyhedral", {{"friction", 1}, {"directions", 4.5}});
              }),
              HasSubstr("/directions: 4.5"));
  EXPECT_THAT(message_of([] {
                make_surface_law("polyhedral", {{"friction", 1}, {"directions", 2}});
              }),
              HasSubstr("/directions: 2"));
  EXPECT_THAT(message_of([] {
                make_surface_law("static-kinetic", {{"static", 0.2}, {"kinetic", 0.3}});
              }),
              HasSubstr("/static: 0.2"));
  EXPECT_THAT(message_of([] {
                make_surface_law("stribeck", {{"static", 0.5}, {"kinetic", 0.3}, {"velocity", 0}});
              }),
              HasSubstr("/velocity: 0"));
  EXPECT_THAT(message_of([] { make_surface_law("tensor", {{"direct", 2}}); }), HasSubstr("/direct: 2"));
  EXPECT_THAT(message_of([] { make_surface_law("texture", {{"patch", 0}}); }), HasSubstr("/patch: 0"));
  EXPECT_THAT(message_of([] {
                make_surface_law("texture", {{"patch", 1}, {"samples", 1e9}});
              }),
              HasSubstr("/samples: 1000000000"));
  EXPECT_THAT(message_of([] {
                make_surface_law("texture", {{"patch", 1}, {"directions", 3}});
              }),
              HasSubstr("/directions: 3 is not"));
  EXPECT_THAT(message_of([] { check_surface_law({"ellipse", {0.5}, {}}); }), HasSubstr("has 2 numbers, not 1"));
  EXPECT_THAT(message_of([] { check_surface_law({"ellipse", {0.5, -0.5}, {}}); }), HasSubstr("/across: -0.5"));
  EXPECT_THROW(local_friction({"ellipse", {0.5}, {}}, {}), Error);
  EXPECT_THROW(prepare_surface_law({"ellipse", {0.5, NAN}, {}}), Error);
}

TEST(PublishedFriction, names_give_laws_with_their_numbers) {
  EXPECT_EQ(published_law("steel-on-steel"), make_surface_law("static-kinetic", {{"static", 0.74}, {"kinetic", 0.57}}));
  EXPECT_EQ(published_law("waxed-wood-on-dry-snow"), make_surface_law("coulomb", {{"friction", 0.04}}));
  EXPECT_THAT(message_of([] { published_law("steel-on-stel"); }), HasSubstr("Did you mean 'steel-on-steel'?"));
  for (const PublishedFriction& entry : published_friction()) {
    EXPECT_NO_THROW(published_law(entry.name)) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
  }
}

}   // namespace
}   // namespace stickslip
