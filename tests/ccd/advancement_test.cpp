#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_message.h"
#include "stickslip/ccd/advancement.h"
#include "stickslip/distance/triangles.h"

namespace stickslip::ccd_test {
namespace {

using stickslip::testing::message_of;

class Motions {
 public:
  explicit Motions(unsigned seed) : random_(seed) {}
  double uniform(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 vector() { return {uniform(), uniform(), uniform()}; }
  /// From somewhere across the origin to about the other side.
  RigidMotion motion(double reach) {
    const Vec3 from = 2 * vector();
    return {{from, rotation_from_vector(3 * vector())}, -2 * from + 2 * vector(), 4 * vector(), reach};
  }

 private:
  std::mt19937 random_;
};

/// Spheres whose centres are away from the origins of their frames: they swing around.
struct SwungSpheres {
  Vec3 centre_a, centre_b;
  double radius_a, radius_b;
  bool with_normal;

  Separation operator()(const Pose& a, const Pose& b) const {
    const Vec3 between = b * centre_b - a * centre_a;
    return {between.norm() - radius_a - radius_b, with_normal ? Vec3(between.normalized()) : Vec3(Vec3::Zero())};
  }
};

using Box = std::array<std::array<Vec3, 3>, 12>;

Box box_triangles(const Vec3& half) {
  Box box;
  int count = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (double side : {-1.0, 1.0}) {
      Vec3 corner[4];
      for (int i = 0; i < 4; ++i) {
        corner[i][axis] = side * half[axis];
        corner[i][(axis + 1) % 3] = (i == 0 || i == 3 ? -1 : 1) * half[(axis + 1) % 3];
        corner[i][(axis + 2) % 3] = (i < 2 ? -1 : 1) * half[(axis + 2) % 3];
      }
      box[count++] = {corner[0], corner[1], corner[2]};
      box[count++] = {corner[0], corner[2], corner[3]};
    }
  return box;
}

/// Distance of the surfaces of two boxes by all pairs of triangles.
struct Boxes {
  Box a, b;
  bool with_normal;

  Separation operator()(const Pose& at_a, const Pose& at_b) const {
    const auto placed = [](Box box, const Pose& pose) {
      for (auto& triangle : box)
        for (Vec3& x : triangle) x = pose * x;
      return box;
    };
    const Box x = placed(a, at_a), y = placed(b, at_b);
    Separation best{1e300, Vec3::Zero()};
    for (const auto& s : x)
      for (const auto& t : y) {
        const ClosestOfTriangles closest = closest_of_triangles(s, t);
        const double distance = std::sqrt(closest.squared_distance);
        if (distance >= best.distance) continue;
        Vec3 between = Vec3::Zero();
        for (int i = 0; i < 3; ++i) between += closest.weights_b[i] * t[i] - closest.weights_a[i] * s[i];
        best = {distance, with_normal ? between : Vec3(Vec3::Zero())};
      }
    return best;
  }
};

/// What is found is sampled: never nearer before, there at the time; if there is nothing, never so near.
void expect_first_time(const RigidMotion& a, const RigidMotion& b, const SeparationOracle& separation, double least,
                       const std::optional<RigidImpact>& found, int samples) {
  const double end = found ? found->time : 1;
  for (int k = 0; k < samples; ++k) {
    const double time = end * k / samples;
    ASSERT_GT(separation(a.at(time), b.at(time)).distance, least) << time << " before " << end;
  }
  if (!found || found->time == 0) return;
  EXPECT_FALSE(found->stopped_early);
  EXPECT_LE(found->separation.distance, least + 1.000001e-6 * std::max(a.reach, b.reach));
  EXPECT_GE(found->separation.distance, least);
}

TEST(RigidImpact, spheres_on_curved_paths_meet_no_earlier_than_samples_say) {
  Motions motions(41);
  int hits = 0, misses = 0;
  for (int i = 0; i < 400; ++i) {
    const SwungSpheres spheres{0.5 * motions.vector(), 0.5 * motions.vector(), 0.3, motions.uniform(0.05, 0.5), i % 2 == 0};
    const RigidMotion a = motions.motion(spheres.centre_a.norm() + spheres.radius_a);
    const RigidMotion b = motions.motion(spheres.centre_b.norm() + spheres.radius_b);
    const double least = i % 3 == 0 ? 0.1 : 0;
    const auto found = rigid_impact(a, b, spheres, {.min_distance = least});
    if (!(spheres(a.start, b.start).distance > least)) {
      EXPECT_EQ(found->time, 0);
      continue;
    }
    expect_first_time(a, b, spheres, least, found, 500);
    ++(found ? hits : misses);
  }
  EXPECT_GT(hits, 50);
  EXPECT_GT(misses, 50);
}

TEST(RigidImpact, tumbling_boxes_meet_no_earlier_than_samples_say) {
  Motions motions(42);
  int hits = 0, misses = 0;
  for (int i = 0; i < 30; ++i) {
    const Vec3 half_a(0.5, 0.3, 0.2), half_b(0.8, 0.1, 0.4);
    const Boxes boxes{box_triangles(half_a), box_triangles(half_b), i % 2 == 0};
    const RigidMotion a = motions.motion(half_a.norm()), b = motions.motion(half_b.norm());
    const auto found = rigid_impact(a, b, boxes);
    if (boxes(a.start, b.start).distance == 0) continue;
    expect_first_time(a, b, boxes, 0, found, 40);
    ++(found ? hits : misses);
  }
  EXPECT_GT(hits, 4);
  EXPECT_GT(misses, 4);
}

// About an axis that wanders, first fast and then slowly.
TEST(RigidImpact, bodies_that_hand_in_their_orientations_meet_no_earlier_than_samples_say) {
  Motions motions(43);
  int hits = 0;
  for (int i = 0; i < 200; ++i) {
    const SwungSpheres spheres{0.5 * motions.vector(), 0.5 * motions.vector(), 0.3, 0.2, i % 2 == 0};
    RigidMotion a = motions.motion(spheres.centre_a.norm() + spheres.radius_a);
    const RigidMotion b = motions.motion(spheres.centre_b.norm() + spheres.radius_b);
    const Vec3 first = 3 * motions.vector(), second = 2 * motions.vector();
    a.orientation = [=](double t) { return rotation_from_vector(t * t * first) * rotation_from_vector(t * second); };
    a.turn = 2 * first.norm() + second.norm();
    a.rotation.setZero();
    const auto found = rigid_impact(a, b, spheres);
    if (!(spheres(a.at(0), b.start).distance > 0)) continue;
    expect_first_time(a, b, spheres, 0, found, 500);
    hits += found.has_value();
  }
  EXPECT_GT(hits, 10);
}

TEST(RigidImpact, a_bullet_meets_the_sheet_when_its_tip_does) {
  // 1000 m/s for 10 ms, a sheet of 1 mm at 4 m.
  const RigidMotion bullet{{}, Vec3(10, 0, 0), Vec3(100, 0, 0), 0.01},
      sheet{{Vec3(4, 0, 0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero(), 1};
  const SeparationOracle separation = [](const Pose& a, const Pose& b) {
    const double along = b.position.x() - a.position.x();
    return Separation{std::abs(along) - 0.01 - 0.0005, Vec3(along < 0 ? -1 : 1, 0, 0)};
  };
  const auto found = rigid_impact(bullet, sheet, separation);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->time, (4 - 0.0105) / 10, 1e-6);
  EXPECT_LE(found->iterations, 4);
}

TEST(RigidImpact, a_normal_lets_bodies_slide_past_in_few_steps) {
  const SwungSpheres with{Vec3::Zero(), Vec3::Zero(), 1, 1, true}, without{Vec3::Zero(), Vec3::Zero(), 1, 1, false};
  const RigidMotion a{{}, Vec3::Zero(), Vec3::Zero(), 1},
      b{{Vec3(-5, 0, 2.001), Quat::Identity()}, Vec3(10, 0, 0), Vec3::Zero(), 1};
  int with_normal = 0, without_normal = 0;
  EXPECT_FALSE(rigid_impact(a, b, [&](const Pose& x, const Pose& y) { return ++with_normal, with(x, y); }));
  EXPECT_FALSE(rigid_impact(a, b, [&](const Pose& x, const Pose& y) { return ++without_normal, without(x, y); }));
  EXPECT_LT(with_normal, 20);
  EXPECT_GT(without_normal, 5 * with_normal);
}

TEST(RigidImpact, stopping_early_is_said_and_safe) {
  const SwungSpheres spheres{Vec3::Zero(), Vec3::Zero(), 1, 1, false};
  const RigidMotion a{{}, Vec3::Zero(), Vec3::Zero(), 1},
      b{{Vec3(-5, 0, 1.9), Quat::Identity()}, Vec3(10, 0, 0), Vec3::Zero(), 1};
  const auto whole = rigid_impact(a, b, spheres), cut = rigid_impact(a, b, spheres, {.max_iterations = 5});
  ASSERT_TRUE(whole && cut);
  EXPECT_FALSE(whole->stopped_early);
  EXPECT_TRUE(cut->stopped_early);
  EXPECT_EQ(cut->iterations, 5);
  EXPECT_LT(cut->time, whole->time);
  EXPECT_NEAR(whole->time, 0.5 - std::sqrt(4 - 1.9 * 1.9) / 10, 1e-5);
}

TEST(RigidImpact, bad_input_is_named) {
  const SwungSpheres spheres{Vec3::Zero(), Vec3::Zero(), 1, 1, false};
  RigidMotion a, b;
  b.start.position = Vec3(9, 0, 0);
  const auto message = [&](const AdvancementOptions& options = {}) {
    return message_of([&] { rigid_impact(a, b, spheres, options); });
  };
  EXPECT_EQ(message(), "no error");
  EXPECT_THAT(message({.min_distance = -1}), ::testing::HasSubstr("/min_distance: -1"));
  EXPECT_THAT(message({.tolerance = -1}), ::testing::HasSubstr("/tolerance: -1"));
  a.reach = -2;
  EXPECT_THAT(message(), ::testing::HasSubstr("/reach: -2"));
  a.reach = 1;
  a.rotation.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message(), ::testing::HasSubstr("must be finite"));
  a.rotation.x() = 0;
  EXPECT_THAT(message_of([&] {
                rigid_impact(a, b, [](const Pose&, const Pose&) { return Separation{std::nan(""), Vec3::Zero()}; });
              }),
              ::testing::HasSubstr("not a number"));
}

}   // namespace
}   // namespace stickslip::ccd_test
