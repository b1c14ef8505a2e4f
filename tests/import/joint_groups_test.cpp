// Joints one after the other as one joint: the motion is the same.
#include "import/joint_groups.h"

#include <gtest/gtest.h>

#include <random>

#include "stickslip/world/joint.h"

namespace stickslip::robot {
namespace {

TreeJoint hinge(const Vec3& axis, const Vec3& anchor = Vec3::Zero(), double lower = -1, double upper = 1) {
  TreeJoint joint;
  joint.kind = Freedom::hinge;
  joint.axis = axis.normalized();
  joint.anchor = anchor;
  joint.lower = lower;
  joint.upper = upper;
  return joint;
}
TreeJoint slide(const Vec3& axis) {
  TreeJoint joint = hinge(axis);
  joint.kind = Freedom::slide;
  return joint;
}

/// Where a joint of a scene with these coordinates puts frame B, seen from frame A (world/joint.h).
Pose placed(const std::array<double, kJointCoordinates>& c) {
  const Quat turn = Eigen::AngleAxisd(c[joint_turn_x], Vec3::UnitX()) * Eigen::AngleAxisd(c[joint_turn_y], Vec3::UnitY()) *
                    Eigen::AngleAxisd(c[joint_turn_z], Vec3::UnitZ());
  return {Vec3(c[joint_x], c[joint_y], c[joint_z]), turn};
}

void expect_same_motion(const std::vector<TreeJoint>& joints, const JointGroup& group, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  for (int round = 0; round < 20; ++round) {
    Pose one_by_one;
    std::array<double, kJointCoordinates> coordinates = {};
    for (const TreeJoint& joint : joints) {
      const double q = value(random);
      one_by_one = one_by_one * motion_of(joint, q);
      for (const auto& member : group.members)
        if (member.joint == &joint) coordinates[static_cast<std::size_t>(member.coordinate)] = member.sign * q;
    }
    const Pose together = group.frame * placed(coordinates) * group.frame.inverse();
    EXPECT_LT((together.position - one_by_one.position).norm(), 1e-12);
    EXPECT_LT((together.rotation() - one_by_one.rotation()).norm(), 1e-12);
  }
}

TEST(JointGroups, any_axes_at_right_angles_move_as_one_joint) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  const std::vector<std::pair<std::string, std::string>> cases = {
      // h and s: hinges and slides along x, y, z; capital: against it
      {"hx", "hinge"},
      {"sx", "prismatic"},
      {"hx hy", "universal"},
      {"hZ hx", "universal"},
      {"hx hy hz", "six-dof"},
      {"hX hz hY", "six-dof"},
      {"sx sy", "six-dof"},
      {"sz hz", "cylindrical"},
      {"sx sy hz", "planar"},
      {"sX sz hY", "planar"},
      {"sx sy sZ", "six-dof"},
      {"sy hx hz", "six-dof"},
      {"sx sy sz hx hy hz", "six-dof"},
      {"sz sY sx hZ hx hY", "six-dof"}};
  for (const auto& [text, type] : cases)
    for (int turned = 0; turned < 3; ++turned) {
      const Mat3 axes = turned == 0
                            ? Mat3(Mat3::Identity())
                            : Quat(value(random), value(random), value(random), value(random)).normalized().toRotationMatrix();
      const Vec3 anchor = turned == 0 ? Vec3(Vec3::Zero()) : Vec3(value(random), value(random), value(random));
      std::vector<TreeJoint> joints;
      for (std::size_t i = 0; i < text.size(); i += 3) {
        const Vec3 axis = axes.col((text[i + 1] | 0x20) - 'x') * (text[i + 1] < 'a' ? -1 : 1);
        joints.push_back(text[i] == 'h' ? hinge(axis, anchor) : slide(axis));
      }
      const auto group = as_one_joint(joints);
      ASSERT_TRUE(group) << text;
      EXPECT_EQ(group->type, type) << text;
      EXPECT_EQ(group->members.size(), joints.size());
      expect_same_motion(joints, *group, random);
    }
}

TEST(JointGroups, what_is_not_one_joint_is_cut_into_few) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  EXPECT_FALSE(as_one_joint(std::vector{hinge(x), hinge(x + y)})) << "not at a right angle";
  EXPECT_FALSE(as_one_joint(std::vector{hinge(x), hinge(y, 0.1 * z)})) << "two places";
  EXPECT_FALSE(as_one_joint(std::vector{hinge(x), slide(y)})) << "the slide turns with the hinge";
  EXPECT_FALSE(as_one_joint(std::vector{slide(x), slide(x)})) << "twice the same";
  EXPECT_FALSE(as_one_joint(std::vector{hinge(x), hinge(y, {0, 0, 0}, -2, 2), hinge(z)})) << "the middle angle passes 90°";
  const std::vector<TreeJoint> three = {hinge(x), hinge(y, {0, 0, 0}, -2, 2), hinge(z)};
  const auto groups = grouped(three);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].type, "universal");
  EXPECT_EQ(groups[1].type, "hinge");
}

}   // namespace
}   // namespace stickslip::robot
