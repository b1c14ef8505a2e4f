// Friction tensors and texture friction against their formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "friction/surface_sites.h"
#include "stickslip/friction/sets.h"
#include "stickslip/friction/surface_law.h"

namespace stickslip {
namespace {

using namespace testing_sites;
using ::testing::HasSubstr;

using std::numbers::pi;

Mat2 turn(double angle) { return Eigen::Rotation2Dd(angle).toRotationMatrix(); }

/// A under B, normal z; B turned by an angle, so that its structure is too.
ContactSite turned(const Surface& a, const Surface& b, double angle) {
  ContactSite site;
  site.a = {&a, {}};
  site.b = {&b, {Vec3::Zero(), Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))}};
  return site;
}

/// L of the formula in the world's x and y. B's outward normal is −z: its basis is (s, −z × s).
Mat2 combined(double scale, const Mat2& a, const Mat2& b, double angle) {
  const Mat2 basis = turn(angle) * Eigen::DiagonalMatrix<double, 2>(1, -1);
  return scale * (a + basis * b * basis.transpose());
}

Surface with_tensor(double xx, double xy, double yx, double yy) {
  Surface surface;
  surface.tensor << xx, xy, yx, yy;
  return surface;
}

TEST(Tensor, the_cone_holds_the_force_of_every_direction_of_sliding_and_no_more) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  const SurfaceLaw law = make_surface_law("tensor", {{"scale", 0.3}});
  double worst = 0;
  for (int k = 0; k < 500; ++k) {
    const Surface a = with_tensor(normal(random), normal(random), normal(random), normal(random));
    const Surface b = with_tensor(normal(random), normal(random), normal(random), normal(random));
    const double angle = 3 * normal(random);
    const ContactSite site = turned(a, b, angle);
    const Mat2 L = combined(0.3, a.tensor, b.tensor, angle);
    const LocalFriction local = local_friction(law, site);
    const Vec2 d(normal(random), normal(random));
    // The support function of { L x : ‖x‖ ≤ 1 } is ‖Lᵀ d‖.
    worst = std::max(worst, std::abs(reach(local, site, Vec3(d.x(), d.y(), 0), Vec3::Zero()) - (L.transpose() * d).norm()));
  }
  EXPECT_LT(worst, 1e-13);
}

TEST(Tensor, a_singular_tensor_leaves_a_direction_without_friction) {
  const Surface a = with_tensor(2, 0, 0, 0), b = with_tensor(0, 0, 0, 0);
  const ContactSite site = turned(a, b, 0.4);
  const LocalFriction local = local_friction(make_surface_law("tensor", {{"scale", 0.25}}), site);
  EXPECT_NEAR(resistance(local, site, Vec3::UnitX()), 0.5, 1e-15);
  EXPECT_EQ(std::get<EllipseFriction>(local.set).mu_b, 0);
  const Surface skew_a = with_tensor(1, 2, 2, 4);   // singular along (2, −1)
  const LocalFriction oblique = local_friction(make_surface_law("tensor", {}), turned(skew_a, b, 0));
  EXPECT_EQ(std::get<EllipseFriction>(oblique.set).mu_b, 0);
  EXPECT_NEAR(std::get<EllipseFriction>(oblique.set).mu_t, 5, 1e-14);
  const LocalFriction nothing = local_friction(make_surface_law("tensor", {}), turned(b, b, 0));
  EXPECT_EQ(std::get<EllipseFriction>(nothing.set).mu_t, 0);
  EXPECT_TRUE(nothing.tangent.allFinite());
}

TEST(Tensor, the_direct_form_gives_the_force_of_the_formula_to_a_sliding_body) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const SurfaceLaw law = make_surface_law("tensor", {{"scale", 0.3}, {"direct", 1}});
  double worst = 0;
  for (int k = 0; k < 500; ++k) {
    const Surface a = with_tensor(3 + normal(random), normal(random), normal(random), 3 + normal(random));
    const Surface b = with_tensor(3 + normal(random), normal(random), normal(random), 3 + normal(random));
    const double angle = 3 * normal(random);
    ContactSite site = turned(a, b, angle);
    const Vec2 v(normal(random), normal(random));
    site.slip = {v.x(), v.y(), 0};
    const Vec2 force = -combined(0.3, a.tensor, b.tensor, angle) * v.normalized();
    const LocalFriction local = local_friction(law, site);
    if (force.dot(v) >= 0) {
      EXPECT_EQ(reach(local, site, random_unit(random), Vec3::Zero()), 0) << "no friction where the formula would drive";
      continue;
    }
    // The force is in the set, and no other of it goes further against the slip.
    for (int m = 0; m < 4; ++m) {
      const Vec3 d = random_unit(random);
      worst = std::max(worst, (force.dot(d.head<2>()) - reach(local, site, d, Vec3::Zero())) / force.norm());
    }
    const double against = reach(local, site, -site.slip.normalized(), Vec3::Zero());
    worst = std::max(worst, std::abs(against + force.dot(v.normalized())) / force.norm());
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(Tensor, the_direct_form_turns_with_the_slip_as_the_formula_does) {
  // The support function s of a set has s + s'' for the speed of its support point along the edge; that of the formula is wᵀ
  // L w, w across the slip.
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const SurfaceLaw law = make_surface_law("tensor", {{"scale", 0.3}, {"direct", 1}});
  for (int k = 0; k < 100; ++k) {
    const Surface a = with_tensor(3 + normal(random), 0.5 * normal(random), 0.5 * normal(random), 3 + normal(random));
    const Surface b = with_tensor(1, 0, 0, 1);
    ContactSite site = turned(a, b, 0);
    const double angle = 3 * normal(random), step = 1e-3;
    const auto direction = [&](double turned_by) { return Vec3(std::cos(angle + turned_by), std::sin(angle + turned_by), 0); };
    site.slip = direction(0);
    const Mat2 L = combined(0.3, a.tensor, b.tensor, 0);
    const Vec2 v = direction(0).head<2>(), w(-v.y(), v.x());
    if (v.dot(L * v) < 0.3 || w.dot(L * w) < 0.3) continue;
    const LocalFriction local = local_friction(law, site);
    const auto s = [&](double turned_by) { return reach(local, site, -direction(turned_by), Vec3::Zero()); };
    EXPECT_NEAR(s(0) + (s(step) - 2 * s(0) + s(-step)) / (step * step), w.dot(L * w), 2e-3 * w.dot(L * w)) << k;
  }
}

TEST(Tensor, the_direct_form_is_the_cone_while_the_bodies_stick) {
  const Surface a = with_tensor(2, 0.3, 0.1, 1), b = with_tensor(1, 0, 0, 3);
  ContactSite site = turned(a, b, 0.4);
  const auto along = [&](const SurfaceLaw& law, const Vec3& d) {
    return reach(local_friction(law, site), site, d, Vec3::Zero());
  };
  const SurfaceLaw direct = make_surface_law("tensor", {{"direct", 1}}), cone = make_surface_law("tensor", {});
  site.slip = {0.5e-3, 0, 0};
  for (const Vec3& d : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, -0.8, 0)}) EXPECT_NEAR(along(direct, d), along(cone, d), 1e-15);
  site.slip = {2e-3, 0, 0};
  EXPECT_GT(std::abs(along(direct, {-1, 0, 0}) - along(cone, {-1, 0, 0})), 1e-3);
}

/// The warning about driving forces against a search over relative angles and directions of sliding.
TEST(Tensor, a_warning_of_driven_sliding_is_given_exactly_if_some_angle_and_direction_has_it) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  const SurfaceLaw law = make_surface_law("tensor", {{"direct", 1}});
  const auto& warn = surface_law_info("tensor").warn;
  int driven = 0;
  for (int k = 0; k < 300; ++k) {
    const Surface a = with_tensor(1 + normal(random), normal(random), normal(random), 1 + normal(random));
    const Surface b = with_tensor(1 + normal(random), normal(random), normal(random), 1 + normal(random));
    double least = INFINITY;
    for (int i = 0; i < 90; ++i)
      for (int j = 0; j < 90; ++j) {
        const Vec2 v = turn(j * pi / 90) * Vec2::UnitX();
        least = std::min(least, v.dot(combined(1, a.tensor, b.tensor, i * pi / 90) * v));
      }
    if (std::abs(least) < 0.02) continue;   // the search is not fine enough to tell
    driven += least < 0;
    EXPECT_EQ(warn(law, a, b).find("drive the sliding") != std::string::npos, least < 0) << least;
  }
  EXPECT_GT(driven, 50);
  EXPECT_LT(driven, 250);
}

TEST(Tensor, a_warning_is_given_unless_dissipation_is_maximal) {
  const auto& warn = surface_law_info("tensor").warn;
  const Surface two = with_tensor(2, 0, 0, 2), three = with_tensor(3, 0, 0, 3), stretched = with_tensor(2, 0, 0, 1),
                twisted = with_tensor(2, 1, -1, 2);
  for (const double direct : {0.0, 1.0}) {
    const SurfaceLaw law = make_surface_law("tensor", {{"direct", direct}});
    EXPECT_EQ(warn(law, two, three), "");
    EXPECT_EQ(warn(law, twisted, twisted), "");   // seen from opposite sides the two turns cancel
    EXPECT_THAT(warn(law, two, stretched), HasSubstr("no multiple of the identity"));
    EXPECT_THAT(warn(law, two, twisted), HasSubstr("no multiple of the identity"));
    EXPECT_THAT(warn(law, two, with_tensor(-4, 0, 0, -4)), HasSubstr("drive the sliding"));
  }
}

// ---------------------------------------------------------------------------------------------------------------- texture

Surface textured(Picture picture, double size) {
  Surface surface;
  surface.normal_map = {std::make_shared<Picture>(std::move(picture)), size};
  return surface;
}

/// Averages over ramp and cliff of max(0, n'·d) (2/π) θ: (2/π) φ cos φ k for
/// the face with angle φ, k = 1 / (cot ramp + cot cliff).
struct Sawtooth {
  double ramp, cliff;
  double face(double angle) const { return 2 / pi * angle * std::cos(angle) / (1 / std::tan(ramp) + 1 / std::tan(cliff)); }
  double with_grain() const { return face(ramp); }
  double against_grain() const { return face(cliff); }
};

TEST(Texture, a_block_slides_up_the_ramps_of_a_sawtooth_with_the_grain_and_runs_into_the_cliffs_against_it) {
  const Sawtooth tooth{0.2, 0.86};
  const Surface floor = textured(sawtooth_normals(2048, 4, tooth.ramp, tooth.cliff), 1), smooth;
  ContactSite site = turned(floor, smooth, 0.3);
  site.position = {0.3, 0.2, 0};
  for (const double directions : {4.0, 8.0}) {
    const LocalFriction local =
        local_friction(make_surface_law("texture", {{"patch", 1}, {"samples", 64}, {"directions", directions}}), site);
    EXPECT_NEAR(resistance(local, site, Vec3::UnitX()), tooth.with_grain(), 0.01 * tooth.with_grain());
    EXPECT_NEAR(resistance(local, site, -Vec3::UnitX()), tooth.against_grain(), 0.01 * tooth.against_grain());
    if (directions == 4) {
      // Along the ridges nothing plows.
      EXPECT_NEAR(resistance(local, site, Vec3::UnitY()), 0, 1e-6);
      EXPECT_NEAR(resistance(local, site, -Vec3::UnitY()), 0, 1e-6);
    }
  }
  EXPECT_GT(tooth.against_grain(), 2.5 * tooth.with_grain());
}

TEST(Texture, facets_of_the_sliding_body_plow_where_they_lean_forward) {
  const Sawtooth tooth{0.2, 0.86};
  const Surface sole = textured(sawtooth_normals(2048, 4, tooth.ramp, tooth.cliff), 1), smooth;
  // B's lower side shows the picture from behind: ramps still climb toward +x
  const ContactSite site = turned(smooth, sole, 0);
  const LocalFriction local = local_friction(make_surface_law("texture", {{"patch", 1}, {"samples", 64}}), site);
  // cliffs lean toward +x
  EXPECT_NEAR(resistance(local, site, Vec3::UnitX()), tooth.against_grain(), 0.01 * tooth.against_grain());
  EXPECT_NEAR(resistance(local, site, -Vec3::UnitX()), tooth.with_grain(), 0.01 * tooth.with_grain());
}

TEST(Texture, plowing_of_both_surfaces_and_the_base_coefficient_add_up) {
  const Sawtooth lower{0.3, 0.9}, upper{0.5, 0.7};
  const Surface a = textured(sawtooth_normals(2048, 4, lower.ramp, lower.cliff), 1),
                b = textured(sawtooth_normals(2048, 8, upper.ramp, upper.cliff), 1);
  const ContactSite site = turned(a, b, 0);
  const LocalFriction local =
      local_friction(make_surface_law("texture", {{"friction", 0.05}, {"scale", 3}, {"patch", 1}, {"samples", 64}}), site);
  const double forward = 0.05 + 3 * (lower.with_grain() + upper.against_grain()),
               back = 0.05 + 3 * (lower.against_grain() + upper.with_grain());
  EXPECT_NEAR(resistance(local, site, Vec3::UnitX()), forward, 0.01 * forward);
  EXPECT_NEAR(resistance(local, site, -Vec3::UnitX()), back, 0.01 * back);
  EXPECT_NEAR(resistance(local, site, Vec3::UnitY()), 0.05, 1e-6);
}

TEST(Texture, bumps_are_isotropic_within_three_percent_and_as_strong_as_their_average) {
  const double slope = 0.8;
  const Surface floor = textured(bumpy_normals(512, 2, slope), 1), smooth;
  const ContactSite site = turned(floor, smooth, 0);
  const LocalFriction local =
      local_friction(make_surface_law("texture", {{"patch", 1}, {"samples", 32}, {"directions", 16}}), site);
  // Bump of radius ½ in a cell of area 1: mean of max(0, cos φ) over angles is 1/π.
  double mean = 0;
  const int steps = 20000;
  for (int i = 0; i < steps; ++i) {
    const double r = 0.5 * (i + 0.5) / steps, theta = std::atan(std::tan(slope) * std::sin(2 * pi * r));
    mean += 2 * pi * r * (0.5 / steps) * std::sin(theta) * (2 / pi) * theta / pi;
  }
  for (int k = 0; k < 16; ++k) {
    const Vec3 d(std::cos(k * pi / 8), std::sin(k * pi / 8), 0);
    EXPECT_NEAR(resistance(local, site, d), mean, 0.03 * mean) << k;
  }
}

TEST(Texture, fine_regular_teeth_do_not_beat_with_the_samples) {
  const Sawtooth tooth{0.3, 0.8};
  const SurfaceLaw law = make_surface_law("texture", {{"patch", 1}, {"samples", 16}});
  const Surface smooth;
  // Sixteen teeth under sixteen samples per side: rows and columns of samples would all hit the same face.
  for (const int teeth : {8, 16, 32}) {
    const Surface floor = textured(sawtooth_normals(2048, teeth, tooth.ramp, tooth.cliff), 1);
    ContactSite site = turned(floor, smooth, 0);
    for (const double x : {0.0, 0.013, 0.04}) {
      site.position.x() = x;
      const LocalFriction local = local_friction(law, site);
      EXPECT_NEAR(resistance(local, site, Vec3::UnitX()), tooth.with_grain(), 0.1 * tooth.with_grain()) << teeth;
      EXPECT_NEAR(resistance(local, site, -Vec3::UnitX()), tooth.against_grain(), 0.1 * tooth.against_grain()) << teeth;
    }
  }
}

TEST(Texture, smooth_surfaces_have_the_base_coefficient_alone_and_a_warning) {
  const Surface smooth;
  const ContactSite site = turned(smooth, smooth, 0.5);
  const SurfaceLaw law = make_surface_law("texture", {{"friction", 0.3}, {"patch", 0.1}});
  const LocalFriction local = local_friction(law, site);
  for (const Vec3& d : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    EXPECT_DOUBLE_EQ(resistance(local, site, d), 0.3);
  const auto& warn = surface_law_info("texture").warn;
  EXPECT_THAT(warn(law, smooth, smooth), HasSubstr("Neither surface has a normal map"));
  EXPECT_EQ(warn(law, smooth, textured(bumpy_normals(8, 1, 0.5), 1)), "");
}

}   // namespace
}   // namespace stickslip
