#include <gtest/gtest.h>

#include "error_message.h"
#include "field/fields.h"
#include "stickslip/field/field_contact.h"
#include "stickslip/field/sampled_field.h"

namespace stickslip::field_contact_test {
namespace {

using namespace test_meshes;

std::vector<Vec3> seeds_of_both(const TriangleMesh& a, const TriangleMesh& b, const Pose& b_in_a, double spacing) {
  std::vector<Vec3> seeds = surface_seeds(a, spacing);
  for (const Vec3& x : surface_seeds(b, spacing)) seeds.push_back(b_in_a * x);
  return seeds;
}

TEST(FieldContact, of_two_balls_is_one_point_between_them_whether_they_touch_overlap_or_are_apart) {
  std::mt19937 random(1);
  for (double scale : kScales)
    for (double gap : {-0.1, 0.0, 0.05}) {
      const double ra = 0.5 * scale, rb = 0.3 * scale;
      const ShapeField a(Sphere{ra}), b(Sphere{rb});
      const Vec3 direction = random_direction(random);
      const Pose pose{(ra + rb + gap * scale) * direction, random_rotation(random)};
      const auto seeds = seeds_of_both(sphere_mesh(ra, 20, 12), sphere_mesh(rb, 20, 12), pose, scale);
      FieldContactOptions options;
      options.margin = 0.04 * scale, options.reach = 0.2 * scale, options.merge = 0.05 * scale;
      const auto contacts = field_contacts(a, b, pose, seeds, options);
      ASSERT_EQ(contacts.size(), 1u);
      EXPECT_NEAR(contacts[0].gap(), gap * scale, 1e-6 * scale);
      EXPECT_NEAR(contacts[0].value_a, contacts[0].value_b, 1e-4 * scale);
      EXPECT_LT((contacts[0].normal - direction).norm(), 1e-3);
      EXPECT_LT((contacts[0].point - (ra + 0.5 * gap * scale) * direction).norm(), 1e-3 * scale);
    }
}

TEST(FieldContact, of_two_balls_farther_apart_than_twice_the_margin_is_none) {
  const ShapeField a(Sphere{0.5}), b(Sphere{0.3});
  const Pose pose{Vec3(0.9, 0, 0), Quat::Identity()};
  FieldContactOptions options;
  options.margin = 0.049, options.reach = 1;
  EXPECT_TRUE(
      field_contacts(a, b, pose, seeds_of_both(sphere_mesh(0.5, 20, 12), sphere_mesh(0.3, 20, 12), pose, 1), options).empty());
  options.margin = 0.051;
  EXPECT_FALSE(
      field_contacts(a, b, pose, seeds_of_both(sphere_mesh(0.5, 20, 12), sphere_mesh(0.3, 20, 12), pose, 1), options).empty());
}

TEST(FieldContact, of_a_block_on_a_block_spreads_over_the_face) {
  const Vec3 half(0.5, 0.4, 0.1);
  const ShapeField a(Box{half}), b(Box{half});
  const Pose pose{Vec3(0, 0, 0.199), Quat::Identity()};
  FieldContactOptions options;
  options.margin = 1e-3, options.reach = 0.01, options.merge = 0.05;
  const auto contacts = field_contacts(a, b, pose, seeds_of_both(box_mesh(half), box_mesh(half), pose, 0.1), options);
  Aabb spread;
  for (const FieldContact& c : contacts) {
    EXPECT_NEAR(c.gap(), -0.001, 1e-9);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-9);
    spread = spread.merged({c.point, c.point});
  }
  EXPECT_GT(spread.upper.x() - spread.lower.x(), 0.8);
  EXPECT_GT(spread.upper.y() - spread.lower.y(), 0.6);
}

TEST(FieldContact, a_ball_in_a_groove_of_a_mesh_has_two_normals_and_the_list_does_not_depend_on_the_order_of_seeds) {
  // Two bars side by side, blended into one sampled field; a ball lies between them.
  const auto bar = [](double y) {
    return std::make_shared<ShapeField>(Capsule{0.3, 1}, Pose{Vec3(0, y, 0), rotation_between(Vec3::UnitZ(), Vec3::UnitX())});
  };
  const SmoothUnion bars({bar(-0.3), bar(0.3)}, 0.02);
  FieldOptions sampling;
  sampling.resolution = 128, sampling.band = 0.1;
  const SampledField groove(bars, bars.bounds(), sampling);
  const ShapeField ball(Sphere{0.2});
  const double height = std::sqrt(0.5 * 0.5 - 0.3 * 0.3);
  const Pose pose{Vec3(0.1, 0, height - 0.005), Quat::Identity()};
  std::vector<Vec3> seeds;
  for (const Vec3& x : surface_seeds(sphere_mesh(0.2, 40, 20), 1)) seeds.push_back(pose * x);
  FieldContactOptions options;
  options.margin = 1e-3, options.reach = 0.03, options.merge = 0.06;
  const auto contacts = field_contacts(groove, ball, pose, seeds, options);
  ASSERT_EQ(contacts.size(), 2u);
  for (const FieldContact& c : contacts) {
    EXPECT_NEAR(c.gap(), -0.005 * height / 0.5, groove.error_bound());
    const Vec3 expected = Vec3(0, c.point.y() > 0 ? -0.3 : 0.3, height) / 0.5;
    EXPECT_LT((c.normal - expected).norm(), 0.05);
  }
  EXPECT_LT(contacts[0].point.y() * contacts[1].point.y(), 0);
  std::reverse(seeds.begin(), seeds.end());
  const auto again = field_contacts(groove, ball, pose, seeds, options);
  ASSERT_EQ(again.size(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(again[i].point, contacts[i].point);
}

TEST(SurfaceSeeds, lie_on_the_surface_and_leave_no_gaps) {
  std::mt19937 random(2);
  const Vec3 half(0.5, 0.3, 0.2);
  const ShapeField box(Box{half});
  const double spacing = 0.07;
  const auto seeds = surface_seeds(box_mesh(half), spacing);
  for (const Vec3& x : seeds) EXPECT_NEAR(box.value(x), 0, 1e-15);
  for (int i = 0; i < 300; ++i) {
    Vec3 p = point_in({-half, half}, random);
    const FieldSample s = box.sample(p);
    p -= s.value * s.gradient;
    double nearest = 1;
    for (const Vec3& x : seeds) nearest = std::min(nearest, (x - p).norm());
    EXPECT_LE(nearest, spacing);
  }
  EXPECT_EQ(testing::message_of([&] { surface_seeds(box_mesh(half), 0); }),
            "/spacing: 0 is not a length. The spacing of seeds must be finite and greater than 0.");
  EXPECT_EQ(testing::message_of([&] { surface_seeds(box_mesh(half), 1e-5); }),
            "/spacing: A spacing of 1e-05 m asks for more than 10000000 seeds. Choose a wider one.");
}

}   // namespace
}   // namespace stickslip::field_contact_test
