#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "stickslip/math/types.h"

namespace stickslip {
namespace {

Vec3 random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

TEST(Pose, composition_acts_like_one_pose_after_the_other) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose a{random_vector(random), rotation_from_vector(random_vector(random))};
    const Pose b{random_vector(random), rotation_from_vector(random_vector(random))};
    const Vec3 x = random_vector(random);
    EXPECT_LT(((a * b) * x - a * (b * x)).norm(), 1e-13);
    EXPECT_LT((a.inverse() * (a * x) - x).norm(), 1e-13);
    EXPECT_LT((a.to_local(a * x) - x).norm(), 1e-13);
    EXPECT_LT((a * x - (a.position + a.rotation() * x)).norm(), 1e-13);
  }
}

TEST(Skew, the_matrix_acts_as_the_cross_product) {
  const Vec3 a(1, -2, 3), b(0.5, 4, -1);
  EXPECT_EQ(skew(a) * b, a.cross(b));
}

TEST(RotationFromVector, a_quarter_turn_about_z_takes_x_to_y) {
  const Quat q = rotation_from_vector({0, 0, std::numbers::pi / 2});
  EXPECT_LT((q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

TEST(RotationFromVector, agrees_with_the_axis_angle_formula_at_every_size) {
  const Vec3 axis = Vec3(1, 2, -2) / 3;
  for (double angle = 1e-12; angle < 100; angle *= 1.7) {
    const Quat q = rotation_from_vector(angle * axis);
    EXPECT_NEAR(q.norm(), 1, 1e-15);
    EXPECT_NEAR(q.w(), std::cos(angle / 2), 1e-15 * std::max(1.0, angle)) << angle;
    EXPECT_LT((q.vec() - std::sin(angle / 2) * axis).norm(), 1e-15 * std::max(1e-3, angle)) << angle;
  }
  EXPECT_EQ(rotation_from_vector(Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
}

TEST(RotationFromVector, the_two_formulas_meet_without_a_step) {
  // The series takes over below an angle of 1e-4.
  const Quat below = rotation_from_vector({0.99999999e-4, 0, 0}), above = rotation_from_vector({1.00000001e-4, 0, 0});
  EXPECT_NEAR(above.x() - below.x(), 1e-12, 1e-18);
  EXPECT_GE(below.w(), above.w());
}

TEST(RotationBetween, turns_one_direction_into_the_other_for_all_angles_up_to_half_a_turn) {
  std::mt19937 random(3);
  for (double short_of_half = 2; short_of_half > 1e-20; short_of_half *= 0.4) {
    const Vec3 a = random_vector(random).normalized(), across = a.cross(random_vector(random)).normalized();
    const double angle = std::numbers::pi - short_of_half;
    const Vec3 b = -std::cos(short_of_half) * a + std::sin(short_of_half) * across;
    const Quat q = rotation_between(3 * a, 0.5 * b);
    EXPECT_NEAR(q.norm(), 1, 1e-14) << short_of_half;
    EXPECT_LT((q * a - b).norm(), 1e-14) << short_of_half;
    EXPECT_NEAR(q.angularDistance(Quat::Identity()), angle, 1e-7) << "the smallest that does";
  }
  EXPECT_LT((rotation_between(Vec3::UnitZ(), -Vec3::UnitZ()) * Vec3::UnitZ() + Vec3::UnitZ()).norm(), 1e-15);
}

TEST(FrameFromNormal, is_orthonormal_and_right_handed_for_every_direction) {
  std::mt19937 random(2);
  std::vector<Vec3> normals;
  for (int i = 0; i < 200; ++i) normals.push_back(random_vector(random).normalized());
  for (int axis = 0; axis < 3; ++axis)
    for (double sign : {-1.0, 1.0}) normals.push_back(sign * Vec3::Unit(axis));
  for (double y : {-1.0, 1.0})
    for (double z : {-1.0, 1.0}) normals.push_back(Vec3(1, y, z).normalized());
  for (const Vec3& n : normals) {
    const Mat3 frame = frame_from_normal(n);
    EXPECT_EQ(frame.col(0), n);
    EXPECT_LT((frame.transpose() * frame - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(frame.determinant(), 1, 1e-14);
  }
}

}   // namespace
}   // namespace stickslip
