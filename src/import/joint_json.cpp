// Shapes, poses and joints as scene documents spell them.
#include <algorithm>

#include "import/document.h"
#include "stickslip/geometry/shape_fields.h"
#include "stickslip/world/joint.h"

namespace stickslip::robot {

Json json_of(const Vec3& v) {
  // Minus zero is a riddle to readers of the document.
  return Json::array({v.x() + 0.0, v.y() + 0.0, v.z() + 0.0});
}

namespace {

Json shape_json(const Shape& shape) {
  Json json = {{"type", shape_name(shape)}};
  const auto add = [&]<class Number>(std::string_view name, const Number& x) {
    if constexpr (std::is_same_v<Number, Vec3>) json[std::string(name)] = json_of(x);
    else json[std::string(name)] = x;
  };
  std::visit([&](const auto& s) { for_each_field(s, add); }, shape);
  if (const auto* hull = std::get_if<ConvexHull>(&shape))
    for (const Vec3& v : hull->polytope->vertices) json["points"].push_back(json_of(v));
  return json;
}

Json wxyz(const Quat& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  return Json::array({sign * q.w() + 0.0, sign * q.x() + 0.0, sign * q.y() + 0.0, sign * q.z() + 0.0});
}

/// Settings of one coordinate, which is sign times the value of the joint.
Json settings(const TreeJoint& joint, double sign) {
  Json axis = Json::object();
  const double lower = sign > 0 ? joint.lower : -joint.upper, upper = sign > 0 ? joint.upper : -joint.lower;
  if (lower > -kNoLimit) axis["lower"] = lower;
  if (upper < kNoLimit) axis["upper"] = upper;
  if (joint.friction > 0) axis["friction"] = joint.friction;
  if (joint.armature > 0) axis["armature"] = joint.armature;
  if (joint.effort) {
    Json& effort = axis["effort"] = Json::object({{"force", sign * joint.effort->force + 0.0}});
    if (joint.effort->max_force < kNoLimit) effort["max_force"] = joint.effort->max_force;
  }
  if (joint.servo) {
    Json& servo = axis["servo"] = {
        {"target", sign * joint.servo->target + 0.0}, {"stiffness", joint.servo->stiffness}, {"damping", joint.servo->damping}};
    if (joint.servo->max_force < kNoLimit) servo["max_force"] = joint.servo->max_force;
  }
  if (joint.stiffness > 0)
    axis["spring"] = {{"rest", sign * joint.rest + 0.0}, {"stiffness", joint.stiffness}, {"damping", joint.damping}};
  else if (joint.damping > 0) axis["spring"] = Json::object({{"damping", joint.damping}});
  return axis;
}

}   // namespace

Json json_of(const Shape& shape) { return shape_json(shape); }

void put_pose(Json& json, const Pose& pose) {
  if (!pose.position.isZero(0)) json["position"] = json_of(pose.position);
  if (!pose.orientation.vec().isZero(0)) json["orientation_wxyz"] = wxyz(pose.orientation);
}

Json json_of(const Pose& pose) { return {{"position", json_of(pose.position)}, {"orientation_wxyz", wxyz(pose.orientation)}}; }

Json json_of(const JointGroup& group, const std::string& name, const std::string& a, const Pose& frame_a, const std::string& b,
             const Pose& frame_b) {
  Json joint = {{"name", name}, {"type", group.type},          {"a", a},
                {"b", b},       {"frame_a", json_of(frame_a)}, {"frame_b", json_of(frame_b)}};
  if (group.type == "fixed") return joint;
  if (group.type == "hinge" || group.type == "prismatic" || group.type == "distance") {
    joint.update(settings(*group.members.front().joint, group.members.front().sign));
    return joint;
  }
  Json axes = Json::object();
  if (group.type == "ball") {
    const TreeJoint& ball = *group.members.front().joint;
    if (ball.swing < kNoLimit) joint["swing_limit"] = ball.swing;
    if (const Json turn = settings(ball, 1); !turn.empty())
      for (const int c : {joint_turn_x, joint_turn_y, joint_turn_z}) axes[std::string(joint_coordinate_name(c))] = turn;
  }
  const bool six = group.type == "six-dof";
  for (int c = 0; c < kJointCoordinates && group.type != "ball"; ++c) {
    const auto member =
        std::find_if(group.members.begin(), group.members.end(), [c](const auto& m) { return m.coordinate == c; });
    Json axis = member == group.members.end() ? Json::object() : settings(*member->joint, member->sign);
    if (six) axis["locked"] = member == group.members.end();
    if (!axis.empty()) axes[std::string(joint_coordinate_name(c))] = std::move(axis);
  }
  if (!axes.empty()) joint["axes"] = std::move(axes);
  return joint;
}

}   // namespace stickslip::robot
