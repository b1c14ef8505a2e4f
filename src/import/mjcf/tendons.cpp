// Tendons. Fixed ones are sums of joint values, Σ coef q: one of a single joint is that joint through a gear, one of two that
// an equality keeps is a gear between them. Spatial ones between two sites are distances. All others are left out, and said to
// be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

namespace {

/// Whether anything acts along a tendon, which only a joint of its own could take over.
bool acts(const Element& e, const Compiler& compiler) {
  return e.number("stiffness", 0) > 0 || e.number("damping", 0) > 0 || e.number("frictionloss", 0) > 0 ||
         e.number("armature", 0) > 0 || e.truth("limited", e.has("range") && compiler.autolimits);
}

/// Spring, damper, friction and range of a tendon of one joint, on the joint: its length is coef · q.
void give_to_joint(Model& model, const Element& e, const FixedTendon& tendon) {
  const auto [name, coef] = tendon.joints.front();
  TreeJoint& joint = *model.joint(name);
  const double reference = model.reference.at(name), stiffness = coef * coef * e.number("stiffness", 0);
  const auto length = e.numbers("springlength", 1, 2);
  if (length && length->size() == 2 && (*length)[0] != (*length)[1])
    e.pass_over({"springlength"}, Kind::not_supported, "a spring with a range at rest; it rests at the first length.",
                model.findings);
  // Without a length the spring rests where that of the joint does.
  const double rest = length && (*length)[0] >= 0 ? (*length)[0] / coef - reference : joint.rest;
  const double sum = joint.stiffness + stiffness;
  if (sum > 0) joint.rest = (joint.stiffness * joint.rest + stiffness * rest) / sum;
  joint.stiffness = sum;
  joint.damping += coef * coef * e.number("damping", 0);
  joint.friction += std::abs(coef) * e.number("frictionloss", 0);
  joint.armature += coef * coef * e.number("armature", 0);
  const auto range = e.numbers("range", 2, 2);
  if (!e.truth("limited", range.has_value() && model.compiler.autolimits) || !range) return;
  const double a = (*range)[0] / coef - reference, b = (*range)[1] / coef - reference;
  joint.lower = std::max(joint.lower, std::min(a, b));
  joint.upper = std::min(joint.upper, std::max(a, b));
  if (!(joint.lower <= joint.upper)) e.fail("range", "Together with the range of the joint it leaves nothing.");
}

void read_fixed(Model& model, const XmlNode& node) {
  const Element e = model.defaults.element(node, "", {"tendon"});
  FixedTendon tendon;
  bool plain = true;
  for (const auto& child : node.children) {
    if (child->name != "joint") continue;   // unread, and named as such
    child->used = true;
    const std::string& name = child->get("joint");
    const TreeJoint* joint = model.joint(name);
    if (!joint) child->fail("joint", fmt::format("There is no joint '{}'.", name));
    plain = plain && (joint->kind == Freedom::hinge || joint->kind == Freedom::slide);
    tendon.joints.emplace_back(name, numbers_of(*child, "coef", child->get("coef"), 1, 1).front());
    plain = plain && tendon.joints.back().second != 0;
  }
  e.pass_over({"group", "user", "rgba", "material", "width"}, Kind::ignored, "only looks.", model.findings);
  e.pass_over({"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"}, Kind::approximated,
              "stops and friction of joints are rigid here.", model.findings);
  for (const char* of_joint : {"stiffness", "damping", "frictionloss", "armature", "range", "limited", "springlength"})
    e.find(of_joint);
  const std::string* name = node.find("name");
  if (plain && tendon.joints.size() == 1) give_to_joint(model, e, tendon);
  else if (acts(e, model.compiler) || !plain)
    return account_for(node, model.findings, Kind::not_supported,
                       "a tendon of several joints with forces of its own is left out.");
  if (name) model.tendons[*name] = std::move(tendon);
}

}   // namespace

void read_tendons(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children) {
    if (child->name == "fixed") read_fixed(model, *child);
    else if (child->name == "spatial") read_line(model, *child);
    else account_for(*child, model.findings, Kind::not_supported, "this kind of tendon is left out.");
  }
}

void read_tendon_equality(Model& model, const Element& e) {
  const auto tendon = [&](const std::string& name) -> const FixedTendon* {
    const auto found = model.tendons.find(name);
    return found == model.tendons.end() ? nullptr : &found->second;
  };
  const auto left_out = [&](const char* why) { account_for(e.node(), model.findings, Kind::not_supported, why); };
  const FixedTendon* first = tendon(e.node().get("tendon1"));
  const std::string* other = e.node().find("tendon2");
  const FixedTendon* second = other ? tendon(*other) : nullptr;
  const auto polynomial = e.numbers("polycoef", 1, 5).value_or(std::vector<double>{0, 1});
  if (!first || (other && !second)) return left_out("it keeps a tendon that is left out.");
  const std::string name = e.word("name", fmt::format("{}-kept", e.node().get("tendon1")));
  if (!other) {
    if (first->joints.size() != 2) return left_out("only a tendon of two joints can be kept, as a gear.");
    const auto& [a, b] = std::pair(first->joints[0], first->joints[1]);
    model.tree.gears.push_back({name, a.first, b.first, -a.second / b.second, e.source()});
    return;
  }
  const double slope = polynomial.size() > 1 ? polynomial[1] : 0;
  const bool linear = std::all_of(polynomial.begin() + std::min<std::ptrdiff_t>(2, std::ssize(polynomial)), polynomial.end(),
                                  [](double c) { return c == 0; });
  if (first->joints.size() != 1 || second->joints.size() != 1 || slope == 0 || !linear || polynomial[0] != 0)
    return left_out("only two tendons of one joint each that go together are kept, as a gear.");
  model.tree.gears.push_back({name, second->joints[0].first, first->joints[0].first,
                              slope * second->joints[0].second / first->joints[0].second, e.source()});
}

}   // namespace stickslip::robot::mjcf
