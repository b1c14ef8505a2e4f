#include "import/tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "stickslip/math/error.h"

namespace stickslip::robot {

bool Tree::is_static(int body) const {
  for (; body != kWorld; body = bodies[static_cast<std::size_t>(body)].parent)
    if (!bodies[static_cast<std::size_t>(body)].joints.empty()) return false;
  return true;
}

std::pair<int, Pose> Tree::owner(int body) const {
  Pose pose;
  while (body != kWorld && !bodies[static_cast<std::size_t>(body)].alive) {
    const TreeBody& merged = bodies[static_cast<std::size_t>(body)];
    pose = merged.in_parent * pose;
    body = merged.parent;
  }
  return {body, pose};
}

Pose motion_of(const TreeJoint& joint, double value) {
  switch (joint.kind) {
    case Freedom::slide:
      return {joint.axis * value, Quat::Identity()};
    case Freedom::hinge: {
      const Quat turn = rotation_from_vector(joint.axis * value);
      return {joint.anchor - turn * joint.anchor, turn};
    }
    case Freedom::ball:
    case Freedom::free:
      return {};
  }
  return {};
}

std::vector<Pose> poses_at_start(const Tree& tree) {
  std::vector<Pose> poses;
  for (const TreeBody& body : tree.bodies) {
    Pose pose = body.parent == kWorld ? body.in_parent : poses[static_cast<std::size_t>(body.parent)] * body.in_parent;
    for (const TreeJoint& joint : body.joints) pose = pose * motion_of(joint, joint.start);
    pose.orientation.normalize();
    poses.push_back(pose);
  }
  return poses;
}

namespace {

class Massless {
 public:
  Massless(Tree& tree, bool merge_all, Findings& findings) : tree_(tree), merge_all_(merge_all), findings_(findings) {}

  void remove() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = tree_.bodies.size(); i-- > 0;) changed = visit(static_cast<int>(i)) || changed;
    }
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i) {
      const TreeBody& body = tree_.bodies[i];
      if (!body.alive || body.mass || tree_.is_static(static_cast<int>(i))) continue;
      throw Error(fmt::format(
          "{}: '{}' moves and has no mass{}. Give it mass and inertia (<inertial>), or a fixed joint to a body that has.",
          body.source.place, body.name, body.parts.empty() ? "" : ", though it has shapes"));
    }
  }

 private:
  TreeBody& at(int i) { return tree_.bodies[static_cast<std::size_t>(i)]; }

  std::vector<int> children_of(int body) const {
    std::vector<int> children;
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i)
      if (tree_.bodies[i].alive && tree_.bodies[i].parent == body) children.push_back(static_cast<int>(i));
    return children;
  }

  /// @return whether something changed
  bool visit(int index) {
    TreeBody& body = at(index);
    if (!body.alive || tree_.is_static(index)) return false;
    if (body.joints.empty()) {
      TreeBody& parent = at(body.parent);   // moves, because this body does
      if (!merge_all_ && body.mass && parent.mass) return false;
      merge(index);
      return true;
    }
    if (body.mass || !body.parts.empty() || body.is_free()) return false;
    const std::vector<int> children = children_of(index);
    if (children.empty()) {
      findings_.add(
          Kind::ignored, body.source.line, body.source.place,
          fmt::format("'{}' moves without mass or shape and carries nothing: it is left out with its joint.", body.name));
      leave_out(index);
      return true;
    }
    const bool in_loop = std::any_of(tree_.loops.begin(), tree_.loops.end(),
                                     [&](const TreeLoop& loop) { return loop.a == index || loop.b == index; });
    if (children.size() > 1 || at(children.front()).joints.empty() || at(children.front()).is_free() || in_loop) return false;
    hand_on(index, children.front());
    return true;
  }

  /// Makes a body part of its parent.
  void merge(int index) {
    TreeBody &body = at(index), &parent = at(body.parent);
    if (body.mass) {
      MassProperties placed = body.mass->placed(body.in_parent);
      if (parent.mass) *parent.mass += placed;
      else parent.mass = placed;
    }
    for (TreePart part : body.parts) {
      part.pose = body.in_parent * part.pose;
      parent.parts.push_back(std::move(part));
    }
    for (const int child : children_of(index)) {
      at(child).in_parent = body.in_parent * at(child).in_parent;
      at(child).parent = body.parent;
    }
    body.alive = false;
  }

  void leave_out(int index) {
    for (const TreeJoint& joint : at(index).joints)
      std::erase_if(tree_.gears, [&](const TreeGear& gear) {
        if (gear.first != joint.name && gear.second != joint.name) return false;
        findings_.add(Kind::ignored, gear.source.line, gear.source.place,
                      fmt::format("'{}' couples a joint that is left out, and goes with it.", gear.name));
        return true;
      });
    at(index).alive = false;
    at(index).joints.clear();
  }

  /// The only child takes over the joints of a body that is nothing but a place between joints.
  void hand_on(int index, int child_index) {
    TreeBody &body = at(index), &child = at(child_index);
    const Pose in_child = child.in_parent.inverse();
    std::vector<TreeJoint> joints = std::move(body.joints);
    for (TreeJoint& joint : joints) {
      joint.axis = in_child.orientation * joint.axis;
      joint.anchor = in_child * joint.anchor;
    }
    joints.insert(joints.end(), child.joints.begin(), child.joints.end());
    child.joints = std::move(joints);
    child.in_parent = body.in_parent * child.in_parent;
    child.parent = body.parent;
    body.alive = false;
    body.joints.clear();
  }

  Tree& tree_;
  bool merge_all_;
  Findings& findings_;
};

}   // namespace

void remove_massless(Tree& tree, bool merge_all, Findings& findings) { Massless(tree, merge_all, findings).remove(); }

}   // namespace stickslip::robot
