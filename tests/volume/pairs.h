// Pairs of shapes that overlap, and what is asked of all of them.
#pragma once

#include <numbers>

#include <gtest/gtest.h>

#include "stickslip/volume/overlap.h"

namespace stickslip::volume_test {

inline constexpr double kPi = std::numbers::pi;

inline Pose at(double x, double y, double z) { return {Vec3(x, y, z), Quat::Identity()}; }

inline std::vector<OverlapVolume> all_overlaps(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                               const OverlapOptions& options = {}) {
  static OverlapScratch scratch;
  std::vector<OverlapVolume> found;
  overlaps(a, pose_a, b, pose_b, scratch, found, options);
  return found;
}

inline OverlapVolume one_overlap(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                 const OverlapOptions& options = {}) {
  const std::vector<OverlapVolume> found = all_overlaps(a, pose_a, b, pose_b, options);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? OverlapVolume{} : found[0];
}

struct PlacedPair {
  Shape a;
  Pose pose_a;
  Shape b;
  Pose pose_b;
  double tolerance;   ///< of numbers that bent sides make, relative
};

/// Every pair of convex shapes, in general position.
inline std::vector<PlacedPair> convex_pairs() {
  const ConvexHull hull = make_convex_hull(
      {{0.5, 0, 0}, {-0.5, 0.1, 0}, {0, 0.6, 0.1}, {0.1, -0.5, 0}, {0, 0.1, 0.6}, {0.1, 0, -0.7}, {0.4, 0.4, 0.4}});
  const std::vector<Shape> shapes = {HalfSpace{},       Sphere{0.5},        Box{{0.5, 0.4, 0.3}},
                                     Capsule{0.4, 0.5}, Cylinder{0.4, 0.5}, hull};
  std::vector<PlacedPair> pairs;
  const auto exact = [](const Shape& s) { return !std::holds_alternative<Capsule>(s) && !std::holds_alternative<Cylinder>(s); };
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = std::max<std::size_t>(i, 1); j < shapes.size(); ++j) {
      const Pose pose_a{Vec3(0.1, 0.2, 0.3), rotation_from_vector({0.3, -0.2, 0.4})};
      const Vec3 up = pose_a.orientation * Vec3(0.1, 0.05, i == 0 ? 0.25 : 0.6);
      const Pose pose_b{pose_a.position + up, rotation_from_vector({-0.7, 0.5, 0.2})};
      pairs.push_back({shapes[i], pose_a, shapes[j], pose_b, exact(shapes[i]) && exact(shapes[j]) ? 1e-6 : 1e-2});
    }
  return pairs;
}

/// Gradient and turning against differences of the volume.
inline void expect_derivatives(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double tolerance,
                               const OverlapOptions& options = {}) {
  const OverlapVolume o = one_overlap(a, pose_a, b, pose_b, options);
  ASSERT_GT(o.volume, 0);
  const double step = tolerance < 1e-4 ? 1e-5 : 1e-4, arm = std::sqrt(o.second_moment.trace() / o.volume);
  const auto volume = [&](const Pose& pose) { return one_overlap(a, pose_a, b, pose, options).volume; };
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 along = step * Vec3::Unit(axis);
    const double slope =
        (volume({pose_b.position + along, pose_b.orientation}) - volume({pose_b.position - along, pose_b.orientation})) /
        (2 * step);
    EXPECT_NEAR(slope, o.gradient[axis], tolerance * o.gradient.norm()) << "along axis " << axis;
    const auto turned = [&](double sign) {
      const Quat turn = rotation_from_vector(sign * along);
      return Pose{o.centroid + turn * (pose_b.position - o.centroid), turn * pose_b.orientation};
    };
    EXPECT_NEAR((volume(turned(1)) - volume(turned(-1))) / (2 * step), o.turning[axis],
                tolerance * (o.turning.norm() + arm * o.gradient.norm()))
        << "about axis " << axis;
  }
}

}   // namespace stickslip::volume_test
