#include "import/joint_groups.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "stickslip/world/joint.h"

namespace stickslip::robot {

namespace {

constexpr double kAligned =
    1e-7;   ///< on sines and cosines of angles between axes, and on distances of anchors relative to 1 m

bool perpendicular(const Vec3& a, const Vec3& b) { return std::abs(a.dot(b)) < kAligned; }

Vec3 any_perpendicular(const Vec3& axis) { return frame_from_normal(axis).col(1); }

std::string type_of(const std::set<int>& free) {
  if (free == std::set<int>{joint_turn_z}) return "hinge";
  if (free == std::set<int>{joint_z}) return "prismatic";
  if (free == std::set<int>{joint_z, joint_turn_z}) return "cylindrical";
  if (free == std::set<int>{joint_turn_x, joint_turn_z}) return "universal";
  if (free == std::set<int>{joint_x, joint_y, joint_turn_z}) return "planar";
  return "six-dof";
}

/// Axes of the joint frame as columns, if the axes of slides and hinges allow one.
std::optional<Mat3> frame_of(const std::vector<const TreeJoint*>& slides, const std::vector<const TreeJoint*>& hinges) {
  Vec3 x, z;
  if (hinges.size() == 3) {
    x = hinges[0]->axis;
    z = x.cross(hinges[1]->axis);
  } else if (hinges.size() == 2) {
    x = hinges[0]->axis;
    z = hinges[1]->axis;
  } else {
    z = hinges.size() == 1 ? hinges[0]->axis : slides[0]->axis;
    x = any_perpendicular(z);
    for (const TreeJoint* slide : slides)
      if (perpendicular(slide->axis, z)) {
        x = slide->axis;
        break;
      }
  }
  if (!perpendicular(x, z) || z.norm() < 0.5) return std::nullopt;
  Mat3 frame;
  frame.col(0) = x.normalized();
  frame.col(2) = (z - z.dot(x) * x).normalized();
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

}   // namespace

std::optional<JointGroup> as_one_joint(std::span<const TreeJoint> joints) {
  JointGroup group;
  if (joints.size() == 1 && joints.front().kind == Freedom::ball) {
    group.type = "ball";
    group.frame.position = joints.front().anchor;
    group.members = {{&joints.front(), joint_turn_z, 1.0}};
    return group;
  }
  std::vector<const TreeJoint*> slides, hinges;
  for (const TreeJoint& joint : joints) {
    if (joint.kind == Freedom::hinge) hinges.push_back(&joint);
    else if (joint.kind == Freedom::slide && hinges.empty()) slides.push_back(&joint);
    else return std::nullopt;
  }
  if (hinges.size() > 3 || slides.size() > 3) return std::nullopt;
  for (const TreeJoint* hinge : hinges)
    if ((hinge->anchor - hinges.front()->anchor).norm() > kAligned * std::max(1.0, hinge->anchor.norm())) return std::nullopt;
  // The middle angle of three must stay away from a right angle, where the other two are about the same axis.
  constexpr double kMostMiddle = 0.49 * std::numbers::pi;
  if (hinges.size() == 3 && !(hinges[1]->lower > -kMostMiddle && hinges[1]->upper < kMostMiddle)) return std::nullopt;

  const std::optional<Mat3> frame = frame_of(slides, hinges);
  if (!frame) return std::nullopt;
  group.frame = {hinges.empty() ? slides.front()->anchor : hinges.front()->anchor, Quat(*frame).normalized()};
  std::set<int> free;
  const auto take = [&](const TreeJoint& joint, int first, int axis) {
    const double along = frame->col(axis).dot(joint.axis);
    if (std::abs(along) < 1 - kAligned || !free.insert(first + axis).second) return false;
    group.members.push_back({&joint, first + axis, along > 0 ? 1.0 : -1.0});
    return true;
  };
  for (const TreeJoint* slide : slides) {
    Eigen::Index axis = 0;
    (frame->transpose() * slide->axis).cwiseAbs().maxCoeff(&axis);
    if (!take(*slide, joint_x, static_cast<int>(axis))) return std::nullopt;
  }
  static constexpr int kAxes[3][3] = {{2, 0, 0}, {0, 2, 0}, {0, 1, 2}};   // of one, two and three hinges
  for (std::size_t i = 0; i < hinges.size(); ++i)
    if (!take(*hinges[i], joint_turn_x, kAxes[hinges.size() - 1][i])) return std::nullopt;
  group.type = type_of(free);
  return group;
}

std::vector<JointGroup> grouped(std::span<const TreeJoint> joints) {
  std::vector<JointGroup> groups;
  for (std::size_t first = 0; first < joints.size();) {
    std::size_t count = joints.size() - first;
    std::optional<JointGroup> group;
    while (!(group = as_one_joint(joints.subspan(first, count)))) --count;
    groups.push_back(std::move(*group));
    first += count;
  }
  return groups;
}

}   // namespace stickslip::robot
