#include "import/urdf_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace stickslip::robot {

namespace {

/// What becomes of an element.
struct Element {
  std::map<std::string_view, std::size_t> attributes = {};   ///< how many numbers each has; 0: text
  std::vector<std::string_view> children = {};
  bool repeats = false;   ///< more than one is fine
};

/// Elements that the importer reads. Names mean the same wherever they stand, but for <joint> in a transmission, which is
/// passed over before.
const std::map<std::string_view, Element>& elements() {
  static const std::map<std::string_view, Element> table = {
      {"robot", {{{"name", 0}, {"version", 0}}, {"link", "joint"}}},
      {"link", {{{"name", 0}}, {"inertial", "collision"}, true}},
      {"inertial", {{}, {"origin", "mass", "inertia"}}},
      {"mass", {{{"value", 1}}}},
      {"inertia", {{{"ixx", 1}, {"ixy", 1}, {"ixz", 1}, {"iyy", 1}, {"iyz", 1}, {"izz", 1}}}},
      {"origin", {{{"xyz", 3}, {"rpy", 3}}}},
      {"collision", {{{"name", 0}}, {"origin", "geometry"}, true}},
      {"geometry", {{}, {"box", "cylinder", "sphere", "mesh"}}},
      {"box", {{{"size", 3}}}},
      {"cylinder", {{{"radius", 1}, {"length", 1}}}},
      {"sphere", {{{"radius", 1}}}},
      {"mesh", {{{"filename", 0}, {"scale", 3}}}},
      {"joint", {{{"name", 0}, {"type", 0}}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}, true}},
      {"parent", {{{"link", 0}}}},
      {"child", {{{"link", 0}}}},
      {"axis", {{{"xyz", 3}}}},
      {"limit", {{{"lower", 1}, {"upper", 1}, {"effort", 1}, {"velocity", 1}}}},
      {"dynamics", {{{"damping", 1}, {"friction", 1}}}},
      {"mimic", {{{"joint", 0}, {"multiplier", 1}, {"offset", 1}}}},
  };
  return table;
}

struct PassedOver {
  Kind kind;
  const char* why;
};

/// Elements that are known and have no place in a scene.
const std::map<std::string_view, PassedOver>& passed_over() {
  static const std::map<std::string_view, PassedOver> table = {
      {"visual", {Kind::ignored, "only looks; its colour and picture are taken."}},
      {"material", {Kind::ignored, "only looks; its colour and picture are taken."}},
      {"transmission", {Kind::ignored, "its joint can be driven by an effort; the rest is for controllers."}},
      {"safety_controller", {Kind::ignored, "limits of a controller, and a scene has none."}},
      {"calibration", {Kind::ignored, "only for the real machine."}},
      {"sensor", {Kind::ignored, "sensors do not move anything."}},
      {"gazebo", {Kind::not_supported, "extensions for Gazebo, which may change friction, damping or gravity."}},
      {"ros2_control", {Kind::ignored, "drives need a controller, and a scene has none."}},
      {"contact_coefficients", {Kind::not_supported, "contact coefficients; give friction in the materials of the scene."}},
      {"verbose", {Kind::ignored, "a remark."}},
  };
  return table;
}

void walk(const XmlNode& node, Findings& findings) {
  const Element& element = elements().at(node.name);
  node.used = true;
  for (const XmlAttribute& a : node.attributes) {
    if (const auto known = element.attributes.find(a.name); known != element.attributes.end()) {
      a.used = true;
      if (known->second > 0) numbers_of(node, a.name, a.value, known->second, known->second);
    } else if (a.name.starts_with("xmlns")) {
      a.used = true;
    }
  }
  std::set<std::string_view> seen;
  for (const auto& child : node.children) {
    if (child->name.starts_with("xacro:"))
      child->fail(fmt::format("<{}> is for the program xacro. Run `xacro model.xacro > model.urdf` and import what it makes.",
                              child->name));
    const bool read = std::find(element.children.begin(), element.children.end(), child->name) != element.children.end();
    if (read) {
      const bool first = seen.insert(child->name).second;
      if (first || elements().at(child->name).repeats) walk(*child, findings);
      else account_for(*child, findings, Kind::not_supported, "given more than once; only the first counts.");
    } else if (const auto known = passed_over().find(child->name); known != passed_over().end()) {
      account_for(*child, findings, known->second.kind, known->second.why);
    } else if (node.name == "geometry") {
      child->fail(fmt::format("<{}> is not a shape of URDF. It has box, cylinder, sphere and mesh.", child->name));
    }
  }
}

}   // namespace

void walk_urdf(const XmlNode& root, Findings& findings) { walk(root, findings); }

void check_urdf_tree(const XmlNode& root) {
  std::map<std::string, const XmlNode*> links, joints, parent_joint;
  for (const auto& node : root.children) {
    if (node->name != "link" && node->name != "joint") continue;
    auto& named = node->name == "link" ? links : joints;
    const std::string& name = node->get("name");
    if (const auto [other, added] = named.emplace(name, node.get()); !added)
      node->fail(fmt::format("There is another {} '{}' at line {}. Names must differ.", node->name, name, other->second->line));
  }
  if (links.empty()) root.fail("The robot has no link. Give it at least one <link>.");
  std::vector<std::string> names;
  for (const auto& [name, node] : links) names.push_back(name);
  const auto end_of = [&](const XmlNode& joint, const char* which) -> const std::string& {
    const XmlNode* end = joint.child(which);
    if (!end) joint.fail(fmt::format("The joint has no <{}>. It needs <parent link=\"…\"/> and <child link=\"…\"/>.", which));
    const std::string& link = end->get("link");
    if (!links.contains(link)) end->fail("link", fmt::format("There is no link '{}'. {}", link, suggest(link, names)));
    return link;
  };
  for (const auto& [name, joint] : joints) {
    end_of(*joint, "parent");
    const std::string& child = end_of(*joint, "child");
    if (const auto [other, added] = parent_joint.emplace(child, joint); !added)
      joint->fail(
          fmt::format("The link '{}' is already the child of the joint '{}' at line {}. URDF is a tree: a link has one parent; "
                      "close loops in the scene.",
                      child, other->second->get("name"), other->second->line));
  }
  const XmlNode* root_link = nullptr;
  for (const auto& node : root.children) {
    if (node->name != "link" || parent_joint.contains(node->get("name"))) continue;
    if (root_link)
      node->fail(
          fmt::format("Neither '{}' nor '{}' (line {}) is the child of a joint. A robot has one root link: connect them.",
                      node->get("name"), root_link->get("name"), root_link->line));
    root_link = node.get();
  }
  // From any link, going up must end at the root within as many joints as there are.
  for (const auto& node : root.children) {
    if (node->name != "link") continue;
    std::string link = node->get("name");
    for (std::size_t steps = 0; parent_joint.contains(link); ++steps) {
      if (steps > links.size())
        node->fail(
            fmt::format("The joints above the link '{}' run in a circle. One of them has parent and child exchanged.", link));
      link = parent_joint.at(link)->child("parent")->get("link");
    }
  }
}

}   // namespace stickslip::robot
