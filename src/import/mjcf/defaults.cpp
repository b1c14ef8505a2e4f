// Elements and the defaults of their classes.
#include <fmt/format.h>

#include <algorithm>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

const std::string* Element::find(std::string_view attribute, const XmlNode** where) const {
  if (asked_) asked_->emplace(node_.name, attribute);
  const XmlNode* found_in = nullptr;
  const std::string* found = nullptr;
  const auto look = [&](const XmlNode& node) {
    const std::string* value = node.find(attribute);   // marks it also where a nearer one hides it
    if (value && !found) {
      found = value;
      found_in = &node;
    }
  };
  look(node_);
  for (const XmlNode* node : defaults_) look(*node);
  if (where) *where = found_in ? found_in : &node_;
  return found;
}

bool Element::has(std::string_view attribute) const { return find(attribute) != nullptr; }

std::string Element::word(std::string_view attribute, const std::string& fallback) const {
  const std::string* value = find(attribute);
  return value ? *value : fallback;
}

std::optional<std::vector<double>> Element::numbers(std::string_view attribute, std::size_t least, std::size_t most) const {
  const XmlNode* where = nullptr;
  const std::string* value = find(attribute, &where);
  if (!value) return std::nullopt;
  return numbers_of(*where, attribute, *value, least, most);
}

double Element::number(std::string_view attribute, double fallback) const {
  const auto given = numbers(attribute, 1, 1);
  return given ? given->front() : fallback;
}

Vec3 Element::vector(std::string_view attribute, const Vec3& fallback) const {
  const auto given = numbers(attribute, 3, 3);
  return given ? Vec3(given->data()) : fallback;
}

bool Element::truth(std::string_view attribute, bool automatic) const {
  const std::string given = word(attribute, "auto");
  if (given == "auto") return automatic;
  if (given != "true" && given != "false") fail(attribute, "Give \"true\", \"false\" or \"auto\".");
  return given == "true";
}

void Element::fail(std::string_view attribute, const std::string& message) const {
  const XmlNode* where = nullptr;
  find(attribute, &where);
  where->fail(attribute, message);
}

void Element::pass_over(std::initializer_list<std::string_view> attributes, Kind kind, const std::string& why,
                        Findings& findings) const {
  for (const std::string_view attribute : attributes) {
    const XmlNode* where = nullptr;
    if (find(attribute, &where))
      findings.add(kind, where->line, where->place(), fmt::format("<{} {}>: {}", where->name, attribute, why));
  }
}

void Defaults::read(const XmlNode& node, const std::string& parent, Findings& findings) {
  node.used = true;
  const std::string* given = node.find("class");
  if (!given && !parent.empty()) node.fail("A <default> inside another needs a class.");
  const std::string name = given ? *given : "main";
  if (const auto existing = classes_.find(name); existing != classes_.end() && !(parent.empty() && name == "main"))
    node.fail("class", "There is another default class of this name. Names must differ.");
  Class& here = classes_[name];
  here.parent = parent.empty() && name != "main" ? "main" : parent;
  for (const auto& child : node.children) {
    static const std::set<std::string_view> kRead = {"geom",     "joint",    "mesh",    "equality", "tendon",  "motor",
                                                     "position", "velocity", "general", "site",     "material"};
    static const std::set<std::string_view> kPassedOver = {"camera", "light",       "pair",     "muscle", "cylinder",
                                                           "damper", "intvelocity", "adhesion", "plugin", "flex"};
    if (kRead.contains(child->name)) {
      child->used = true;
      here.elements.push_back(child.get());
    } else if (kPassedOver.contains(child->name)) {
      account_for(*child, findings, Kind::ignored, "defaults of elements that are passed over.");
    }
  }
  for (const auto& child : node.children)
    if (child->name == "default") read(*child, name, findings);
}

Element Defaults::element(const XmlNode& node, const std::string& child_class, std::initializer_list<std::string_view> kinds) {
  node.used = true;
  const std::string* own = node.find("class");
  std::string name = own ? *own : child_class.empty() ? "main" : child_class;
  if (!classes_.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : classes_) names.push_back(known);
    node.fail(fmt::format("There is no default class '{}'. {}", name, suggest(name, names)));
  }
  std::vector<const XmlNode*> chain;
  for (; !name.empty(); name = classes_.at(name).parent) {
    const auto& elements = classes_.at(name).elements;
    for (auto e = elements.rbegin(); e != elements.rend(); ++e)
      if ((*e)->name == node.name || std::find(kinds.begin(), kinds.end(), (*e)->name) != kinds.end()) chain.push_back(*e);
  }
  return Element(node, std::move(chain), &asked_);
}

void Defaults::finish(Findings& findings) const {
  for (const auto& [name, here] : classes_)
    for (const XmlNode* element : here.elements)
      for (const XmlAttribute& a : element->attributes) {
        if (a.used) continue;
        if (asked_.contains({element->name, a.name})) a.used = true;
        else if (std::none_of(asked_.begin(), asked_.end(), [&](const auto& pair) { return pair.first == element->name; })) {
          a.used = true;
          findings.add(Kind::ignored, a.line, element->place(),
                       fmt::format("<{} {}>: a default that no element uses.", element->name, a.name));
        }
      }
}

namespace {

Quat from_euler(const std::vector<double>& angles, const Compiler& compiler) {
  Quat q = Quat::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char axis = compiler.euler_sequence[i];
    const Vec3 unit = Vec3::Unit((axis | 0x20) - 'x');
    const Quat turn(Eigen::AngleAxisd(compiler.angle(angles[i]), unit));
    q = axis >= 'a' ? q * turn : turn * q;
  }
  return q;
}

}   // namespace

Quat euler_rotation(const Element& e, const Compiler& compiler) {
  const auto angles = e.numbers("euler", 3, 3);
  return angles ? from_euler(*angles, compiler) : Quat::Identity();
}

Pose read_pose(const Element& e, const Compiler& compiler) {
  Pose pose;
  pose.position = e.vector("pos", Vec3::Zero());
  static constexpr std::string_view kWays[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  std::string_view first;
  for (const std::string_view way : kWays)
    if (e.node().has(way)) {
      if (!first.empty()) e.fail(way, fmt::format("The orientation is also given by {}. Keep one of them.", first));
      first = way;
    }
  const auto unit = [&](const Vec3& v, std::string_view attribute) {
    if (!(v.norm() > 1e-12)) e.fail(attribute, "A direction must not be zero.");
    return Vec3(v.normalized());
  };
  // A way that the element itself uses hides those of its defaults.
  const auto numbers = [&](std::string_view way, std::size_t count) {
    const auto given = e.numbers(way, count, count);
    return first.empty() || first == way ? given : std::nullopt;
  };
  if (const auto q = numbers("quat", 4)) {
    pose.orientation = Quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (!(pose.orientation.norm() > 1e-12)) e.fail("quat", "A quaternion must not be zero.");
    pose.orientation.normalize();
  } else if (const auto a = numbers("axisangle", 4)) {
    pose.orientation = Eigen::AngleAxisd(compiler.angle((*a)[3]), unit(Vec3(a->data()), "axisangle"));
  } else if (const auto angles = numbers("euler", 3)) {
    pose.orientation = from_euler(*angles, compiler);
  } else if (const auto xy = numbers("xyaxes", 6)) {
    Mat3 axes;
    axes.col(0) = unit(Vec3(xy->data()), "xyaxes");
    const Vec3 y(xy->data() + 3);
    axes.col(1) = unit(y - axes.col(0).dot(y) * axes.col(0), "xyaxes");
    axes.col(2) = axes.col(0).cross(axes.col(1));
    pose.orientation = Quat(axes).normalized();
  } else if (const auto z = numbers("zaxis", 3)) {
    const Vec3 axis = unit(Vec3(z->data()), "zaxis");
    // The smallest rotation; half a turn about x where that is not unique.
    pose.orientation = axis.z() < -1 + 1e-14 ? Quat(0, 1, 0, 0) : rotation_between(Vec3::UnitZ(), axis);
  }
  return pose;
}

}   // namespace stickslip::robot::mjcf
