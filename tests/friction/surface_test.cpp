// Structure fields, the mapping of pictures onto shapes, and facets.
#include <gtest/gtest.h>

#include <numbers>

#include "error_message.h"
#include "friction/surface_sites.h"
#include "stickslip/friction/surface.h"
#include "stickslip/math/error.h"

namespace stickslip {
namespace {

using namespace testing_sites;

using std::numbers::pi;
using testing::message_of;

Surface with(Structure structure) { return {std::move(structure), Mat2::Identity(), {}}; }
Surface with_map(Picture picture, double size) {
  return {FixedStructure{}, Mat2::Identity(), {std::make_shared<Picture>(std::move(picture)), size}};
}

/// Sine of the angle between two directions, whatever their sign.
double apart(const Vec3& a, const Vec3& b) { return a.normalized().cross(b.normalized()).norm(); }

TEST(Structure, directions_are_unit_tangents_fixed_to_the_body) {
  const std::vector<Surface> surfaces = {
      with(FixedStructure{{1, 2, 0.5}}),
      with(CircularStructure{{0.1, 0, 0}, {0, 1, 1}}),
      with(RadialStructure{{0, 0.3, 0}, {0, 0, 2}}),
      with(FlowStructure{{0, 0, 0}, 0.4, {1, 1, 0}}),
      with(PictureStructure{std::make_shared<Picture>(bumpy_normals(16, 1, 1)), 0.7}),
      with(FunctionStructure{[](const Vec3& place, const Vec3& n) { return Vec3(place.cross(n) + Vec3::UnitX()); }})};
  std::mt19937 random(3);
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    double worst = 0;
    for (int k = 0; k < 2000; ++k) {
      const Pose pose = random_pose(random), by = random_pose(random);
      const Vec3 position = random_pose(random).position, outward = random_unit(random);
      const Vec3 direction = SurfaceSide{&surfaces[s], pose}.structure_direction(position, outward);
      const Vec3 after = SurfaceSide{&surfaces[s], by * pose}.structure_direction(by * position, by.orientation * outward);
      worst = std::max({worst, std::abs(direction.norm() - 1), std::abs(direction.dot(outward)),
                        (after - by.orientation * direction).norm()});
    }
    EXPECT_LT(worst, 1e-8) << "structure " << s;
  }
}

TEST(Structure, circles_are_across_rays_and_across_the_axis) {
  const Vec3 axis(0, 0, 3), center(1, 2, 3), outward = Vec3::UnitZ(), position(1.3, 2.4, 3);
  const Surface circles = with(CircularStructure{center, axis}), rays = with(RadialStructure{center, axis});
  const Vec3 around = SurfaceSide{&circles, {}}.structure_direction(position, outward);
  const Vec3 ray = SurfaceSide{&rays, {}}.structure_direction(position, outward);
  EXPECT_LT(apart(ray, Vec3(0.3, 0.4, 0)), 1e-14);
  EXPECT_LT(apart(around, Vec3(-0.4, 0.3, 0)), 1e-14);
}

TEST(Structure, a_structure_along_the_normal_gives_some_tangent_that_is_always_the_same) {
  const Surface standing = with(FixedStructure{Vec3::UnitZ()});
  const SurfaceSide side{&standing, {}};
  const Vec3 direction = side.structure_direction({1, 2, 3}, Vec3::UnitZ());
  EXPECT_NEAR(direction.norm(), 1, 1e-15);
  EXPECT_NEAR(direction.z(), 0, 1e-15);
  EXPECT_EQ(direction, side.structure_direction({4, 5, 6}, Vec3::UnitZ()));
}

TEST(FlowStructure, runs_along_the_rim_of_the_cylinder_and_straight_far_away) {
  const FlowStructure flow{{0.5, -1, 0}, 0.7, {0, 2, 0}};
  const Surface surface = with(flow);
  const SurfaceSide side{&surface, {}};
  double worst = 0;
  for (int k = 0; k < 360; ++k) {
    const double angle = (k + 0.5) * pi / 180;
    const Vec3 radial(std::cos(angle), std::sin(angle), 0), tangent(-radial.y(), radial.x(), 0);
    for (const double r : {0.2, 0.7, 0.7 * (1 + 1e-9)})
      worst = std::max(worst, apart(side.structure_direction(flow.center + r * radial, Vec3::UnitZ()), tangent));
    EXPECT_LT(apart(side.structure_direction(flow.center + 7000 * radial, Vec3::UnitZ()), flow.direction), 1.1e-8);
  }
  EXPECT_LT(worst, 1e-6);
}

/// The stream function ψ = y (1 − R²/r²) of the flow along x does not change along the direction field.
TEST(FlowStructure, follows_the_level_lines_of_the_stream_function) {
  const double radius = 0.8;
  const Surface surface = with(FlowStructure{Vec3::Zero(), radius, Vec3::UnitX()});
  const auto stream = [&](const Vec3& p) { return p.y() * (1 - radius * radius / p.head<2>().squaredNorm()); };
  std::mt19937 random(5);
  std::uniform_real_distribution<double> spread(-3, 3);
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 p(spread(random), spread(random), spread(random));
    if (p.head<2>().norm() < 1.05 * radius) continue;
    const Vec3 d = SurfaceSide{&surface, {}}.structure_direction(p, Vec3::UnitZ());
    worst = std::max(worst, std::abs(stream(p + 1e-5 * d) - stream(p - 1e-5 * d)) / 2e-5);
  }
  EXPECT_LT(worst, 1e-8);
}

TEST(BoxMapping, shows_the_picture_along_the_nearest_axis_in_cyclic_order) {
  const Vec3 place(1, 2, 3);
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(box_mapping(place, Vec3(5 * sign, 1, 1)).uv, Vec2(2, 3));
    EXPECT_EQ(box_mapping(place, Vec3(1, 5 * sign, 1)).uv, Vec2(3, 1));
    EXPECT_EQ(box_mapping(place, Vec3(1, 1, 5 * sign)).uv, Vec2(1, 2));
  }
  for (const int axis : {0, 1, 2}) {
    const Vec3 outward = Vec3::Unit(axis);
    const PicturePlace at = box_mapping(place, outward);
    EXPECT_EQ(at.u.cross(at.v), outward);
    EXPECT_EQ(at.uv, Vec2(place.dot(at.u), place.dot(at.v)));
  }
}

TEST(PictureStructure, red_and_green_point_along_u_and_v) {
  // Two columns: the left one points along u, the right one along v.
  const auto picture = std::make_shared<Picture>(2, 1, std::vector<float>{1, 0.5F, 0, 0.5F, 1, 0});
  const Surface surface = with(PictureStructure{picture, 2});   // a pixel is 1 m wide
  const SurfaceSide side{&surface, {}};
  EXPECT_LT(apart(side.structure_direction({0.5, 0.3, 0}, Vec3::UnitZ()), Vec3::UnitX()), 1e-7);
  EXPECT_LT(apart(side.structure_direction({1.5, 0.3, 0}, Vec3::UnitZ()), Vec3::UnitY()), 1e-7);
  EXPECT_LT(apart(side.structure_direction({9, 0.5, 0.3}, Vec3::UnitX()), Vec3::UnitY()), 1e-7);
  EXPECT_LT(apart(side.structure_direction({0.3, 9, 1.5}, Vec3::UnitY()), Vec3::UnitX()), 1e-7);
}

TEST(NormalMap, a_smooth_surface_has_the_facets_of_its_shape) {
  const Surface smooth;
  const Vec3 outward = Vec3(1, 2, 3).normalized();
  EXPECT_LT((SurfaceSide{&smooth, {}}.facet_normal({1, 1, 1}, outward) - outward).norm(), 1e-15);
  EXPECT_LT((SurfaceSide{}.facet_normal({1, 1, 1}, outward) - outward).norm(), 1e-15);
}

TEST(NormalMap, the_facets_of_a_sawtooth_are_those_of_its_height) {
  const double ramp = 0.3, cliff = 1.0, size = 2;
  const Surface surface = with_map(sawtooth_normals(256, 4, ramp, cliff), size);
  const SurfaceSide side{&surface, {}};
  const double tooth = size / 4, climb = tooth * std::tan(cliff) / (std::tan(ramp) + std::tan(cliff));
  // On +z: rises toward +x, so the normal leans toward −x; then falls.
  EXPECT_LT((side.facet_normal({0.5 * climb, 0.7, 0}, Vec3::UnitZ()) - Vec3(-std::sin(ramp), 0, std::cos(ramp))).norm(), 1e-6);
  EXPECT_LT(
      (side.facet_normal({tooth + 0.5 * (climb + tooth), 0.7, 0}, Vec3::UnitZ()) - Vec3(std::sin(cliff), 0, std::cos(cliff)))
          .norm(),
      1e-6);
  // On −z the same picture from behind: still rises toward +x, now outward along −z.
  EXPECT_LT((side.facet_normal({0.5 * climb, 0.7, 0}, -Vec3::UnitZ()) - Vec3(-std::sin(ramp), 0, -std::cos(ramp))).norm(),
            1e-6);
  // On +x the teeth follow each other along y.
  EXPECT_LT((side.facet_normal({0, 0.5 * climb, 0.7}, Vec3::UnitX()) - Vec3(std::cos(ramp), -std::sin(ramp), 0)).norm(), 1e-6);
}

TEST(NormalMap, facets_keep_their_angle_to_an_oblique_surface_and_turn_with_the_body) {
  const double ramp = 0.3, cliff = 1.0;
  const Surface surface = with_map(sawtooth_normals(64, 1, ramp, cliff), 1);
  std::mt19937 random(9);
  double worst_angle = 0, worst_turn = 0;
  for (int k = 0; k < 2000; ++k) {
    const Pose pose = random_pose(random), by = random_pose(random);
    const Vec3 outward = random_unit(random);
    Vec3 position = random_pose(random).position;
    const Vec3 normal = SurfaceSide{&surface, pose}.facet_normal(position, outward);
    const double angle = std::acos(normal.dot(outward));
    // Between two pixels of different faces the normal is in between.
    worst_angle = std::max(worst_angle, angle - cliff);
    worst_turn = std::max(worst_turn, (SurfaceSide{&surface, by * pose}.facet_normal(by * position, by.orientation * outward) -
                                       by.orientation * normal)
                                          .norm());
  }
  EXPECT_LT(worst_angle, 1e-6);
  EXPECT_LT(worst_turn, 1e-10);
}

TEST(NormalMap, the_mean_slope_of_a_sawtooth_and_of_bumps_is_zero) {
  const auto mean_slope = [](const Picture& picture) {
    Vec2 sum = Vec2::Zero();
    for (std::size_t i = 0; i < picture.rgb().size(); i += 3) {
      const Vec3 n = 2 * Vec3(picture.rgb()[i], picture.rgb()[i + 1], picture.rgb()[i + 2]) - Vec3::Ones();
      sum -= n.head<2>() / n.z();
    }
    return Vec2(sum / (double(picture.width()) * picture.height()));
  };
  // a face may miss a pixel of its 512
  EXPECT_LT(mean_slope(sawtooth_normals(1024, 2, 0.2, 0.8)).norm(), 2 * std::tan(0.8) / 512);
  EXPECT_LT(mean_slope(bumpy_normals(128, 4, 0.8)).norm(), 1e-6);
}

TEST(NormalMap, no_facet_of_bumps_is_steeper_than_asked_and_one_is_as_steep) {
  const Picture picture = bumpy_normals(256, 2, 0.7);
  double steepest = 0;
  for (std::size_t i = 2; i < picture.rgb().size(); i += 3)
    steepest = std::max(steepest, std::acos(2 * double(picture.rgb()[i]) - 1));
  EXPECT_LE(steepest, 0.7 + 1e-6);
  EXPECT_GT(steepest, 0.7 - 1e-3);
}

TEST(NormalMap, impossible_tiles_are_refused) {
  EXPECT_THAT(message_of([] { sawtooth_normals(64, 2, 0, 1); }), ::testing::HasSubstr("/ramp: 0 rad"));
  EXPECT_THAT(message_of([] { sawtooth_normals(64, 2, 0.1, 1.6); }), ::testing::HasSubstr("/cliff: 1.6 rad"));
  EXPECT_THAT(message_of([] { sawtooth_normals(64, 0, 0.1, 1); }), ::testing::HasSubstr("/teeth: 0"));
  EXPECT_THAT(message_of([] { sawtooth_normals(3, 2, 0.1, 1); }), ::testing::HasSubstr("/pixels: 3"));
  EXPECT_THAT(message_of([] { bumpy_normals(1'000'000, 2, 0.1); }), ::testing::HasSubstr("/pixels: 1000000"));
  EXPECT_THAT(message_of([] { bumpy_normals(64, 2, std::nan("")); }), ::testing::HasSubstr("/slope: nan"));
}

TEST(CheckSurface, names_what_is_wrong) {
  EXPECT_EQ(message_of([] { check_surface(Surface{}); }), "no error");
  EXPECT_THAT(message_of([] { check_surface(with(FixedStructure{Vec3::Zero()})); }),
              ::testing::HasSubstr("/structure/direction: (0, 0, 0)"));
  EXPECT_THAT(message_of([] {
                check_surface(with(CircularStructure{{std::nan(""), 0, 0}, Vec3::UnitZ()}));
              }),
              ::testing::HasSubstr("/structure/center"));
  EXPECT_THAT(message_of([] {
                check_surface(with(FlowStructure{Vec3::Zero(), -1, Vec3::UnitX()}));
              }),
              ::testing::HasSubstr("/structure/radius: -1"));
  EXPECT_THAT(message_of([] {
                check_surface(with(FlowStructure{Vec3::Zero(), 1, Vec3::UnitZ()}));
              }),
              ::testing::HasSubstr("/structure/direction"));
  EXPECT_THAT(message_of([] { check_surface(with(PictureStructure{})); }), ::testing::HasSubstr("/structure/picture"));
  EXPECT_THAT(message_of([] { check_surface(with(FunctionStructure{})); }), ::testing::HasSubstr("/structure/direction"));
  EXPECT_THAT(message_of([] { check_surface(with_map(bumpy_normals(8, 1, 1), 0)); }),
              ::testing::HasSubstr("/normal_map/size: 0"));
  Surface surface;
  surface.tensor(0, 1) = INFINITY;
  EXPECT_THAT(message_of([&] { check_surface(surface); }), ::testing::HasSubstr("/tensor"));
}

}   // namespace
}   // namespace stickslip
