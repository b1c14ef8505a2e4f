// Joints that act one after the other, as one joint of a scene.
//
// A scene's joint turns by Rx Ry Rz in its own frame and moves its origin along fixed axes (world/joint.h). So slides at right
// angles followed by hinges at right angles through one point are one joint: two hinges take the axes x and z (universal),
// three take x, y and z.
#pragma once

#include <span>

#include "import/tree.h"

namespace stickslip::robot {

struct JointGroup {
  std::string type;   ///< as scenes spell it
  Pose frame;         ///< of the joint, in the frame of the body with all joints at 0
  struct Member {
    const TreeJoint* joint;
    int coordinate;   ///< JointCoordinate
    double sign;      ///< coordinate = sign · value of the joint
  };
  std::vector<Member> members;
};

/// The joints as one, if that is possible. @pre at least one, none free
std::optional<JointGroup> as_one_joint(std::span<const TreeJoint>);

/// Cuts the joints of a body into as few groups as possible, in their order.
std::vector<JointGroup> grouped(std::span<const TreeJoint>);

}   // namespace stickslip::robot
