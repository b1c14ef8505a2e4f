// <frame> and <replicate>: coordinate systems that stand around other elements, and copies of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

namespace {

constexpr double kMostReplicas = 100'000;

/// Names that were replicated, with the suffixes that their copies have.
using Replicated = std::map<std::string, std::vector<std::string>>;

std::unique_ptr<XmlNode> copy_of(const XmlNode& node, const XmlNode* parent) {
  auto copy = std::make_unique<XmlNode>();
  copy->name = node.name;
  copy->text = node.text;
  copy->file = node.file;
  copy->line = node.line;
  copy->parent = parent;
  copy->attributes = node.attributes;
  for (const auto& child : node.children) copy->children.push_back(copy_of(*child, copy.get()));
  return copy;
}

/// Everything below a node that has a name gets a suffix.
void append_to_names(XmlNode& node, const std::string& suffix, std::vector<std::string>& named) {
  for (XmlAttribute& a : node.attributes)
    if (a.name == "name") {
      named.push_back(a.value);
      a.value += suffix;
    }
  for (auto& child : node.children) append_to_names(*child, suffix, named);
}

/// @param inner what <replicate>s inside made, which are copied once more
void note_copies(Replicated& replicated, const Replicated& inner, const std::vector<std::string>& named,
                 const std::string& suffix) {
  std::set<std::string> of_inner;
  for (const auto& [name, suffixes] : inner)
    for (const std::string& first : suffixes) {
      of_inner.insert(name + first);
      replicated[name].push_back(first + suffix);
    }
  for (const std::string& name : named)
    if (!of_inner.contains(name)) replicated[name].push_back(suffix);
}

/// A <replicate> becomes as many <frame>s; inner ones come first.
void expand(const Model& model, XmlNode& node, Replicated& replicated) {
  std::vector<std::unique_ptr<XmlNode>> children;
  for (auto& child : node.children) {
    Replicated inner;
    expand(model, *child, child->name == "replicate" ? inner : replicated);
    if (child->name != "replicate") {
      children.push_back(std::move(child));
      continue;
    }
    const Element e(*child, {}, nullptr);
    if (child->child("joint") || child->child("freejoint"))
      child->fail("A <replicate> has no joints of its own. Put them into a <body>.");
    const double count = numbers_of(*child, "count", child->get("count"), 1, 1).front();
    if (count < 1 || count != std::floor(count) || count > kMostReplicas)
      child->fail("count", fmt::format("Give a whole number from 1 to {:g}.", kMostReplicas));
    const Pose step{e.vector("offset", Vec3::Zero()), euler_rotation(e, model.compiler)};
    const std::string separator = e.word("sep", "");
    const std::size_t digits = fmt::format("{:.0f}", count - 1).size();
    Pose pose;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      auto frame = copy_of(*child, &node);
      frame->name = "frame";
      const auto number = [&](double x) { return fmt::format("{:.17g}", x); };
      const Quat& q = pose.orientation;
      frame->attributes = {
          {"pos", fmt::format("{} {} {}", number(pose.position.x()), number(pose.position.y()), number(pose.position.z())),
           child->line},
          {"quat", fmt::format("{} {} {} {}", number(q.w()), number(q.x()), number(q.y()), number(q.z())), child->line}};
      const std::string suffix = fmt::format("{}{:0{}}", separator, i, digits);
      std::vector<std::string> named;
      for (auto& copy : frame->children) append_to_names(*copy, suffix, named);
      note_copies(replicated, inner, named, suffix);
      children.push_back(std::move(frame));
      pose = pose * step;
      pose.orientation.normalize();
    }
  }
  node.children = std::move(children);
}

/// Elements that name what was replicated are replicated too.
void follow(XmlNode& section, const Replicated& replicated) {
  static const std::set<std::string_view> kReferences = {"joint", "joint1", "joint2", "body",
                                                         "body1", "body2",  "site",   "tendon"};
  std::vector<std::unique_ptr<XmlNode>> children;
  for (auto& child : section.children) {
    const auto named = std::find_if(child->attributes.begin(), child->attributes.end(), [&](const XmlAttribute& a) {
      return kReferences.contains(a.name) && replicated.contains(a.value);
    });
    if (named == child->attributes.end()) {
      children.push_back(std::move(child));
      continue;
    }
    for (const std::string& suffix : replicated.at(named->value)) {
      auto copy = copy_of(*child, &section);
      for (XmlAttribute& a : copy->attributes)
        if (a.name == "name" || (kReferences.contains(a.name) && replicated.contains(a.value))) a.value += suffix;
      children.push_back(std::move(copy));
    }
  }
  section.children = std::move(children);
}

}   // namespace

void expand_replicates(const Model& model, XmlNode& root) {
  Replicated replicated;
  for (auto& section : root.children)
    if (section->name == "worldbody") expand(model, *section, replicated);
  if (replicated.empty()) return;
  for (auto& section : root.children)
    if (section->name == "actuator" || section->name == "equality" || section->name == "contact") follow(*section, replicated);
}

void add_children(const Model& model, const XmlNode& node, const Pose& frame, const std::string& child_class,
                  std::vector<PlacedChild>& out) {
  for (const auto& child : node.children) {
    if (child->name != "frame") {
      out.push_back({child.get(), frame, child_class});
      continue;
    }
    child->used = true;
    const Element e(*child, {}, nullptr);
    e.find("name");
    add_children(model, *child, frame * read_pose(e, model.compiler), e.word("childclass", child_class), out);
  }
}

}   // namespace stickslip::robot::mjcf
