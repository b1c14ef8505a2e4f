// Actuators, equality constraints and excluded contacts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

int body_named(const Model& model, const Element& e, std::string_view attribute, const char* fallback) {
  const std::string name = fallback ? e.word(attribute, fallback) : e.node().get(attribute);
  if (name == "world") return kWorld;
  const auto found = model.body_index.find(name);
  if (found != model.body_index.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, index] : model.body_index) names.push_back(known);
  e.fail(attribute, fmt::format("There is no body '{}'. {}", name, suggest(name, names)));
}

namespace {

/// What an actuator does, in the words of MuJoCo: force = gain · control + bias₀ + bias₁ · length + bias₂ · speed.
struct ActuatorLaw {
  double gain = 1;
  std::array<double, 3> bias = {};
};

/// @returns nothing if it is not of that form
std::optional<ActuatorLaw> law_of(const Element& e, const std::string& type) {
  if (type == "motor") return ActuatorLaw{};
  const auto not_negative = [&](const char* attribute, double fallback) {
    const double value = e.number(attribute, fallback);
    if (value < 0) e.fail(attribute, "It must not be negative.");
    return value;
  };
  if (type == "position") {
    const double kp = not_negative("kp", 1);
    return ActuatorLaw{kp, {0, -kp, -not_negative("kv", 0)}};
  }
  if (type == "velocity") {
    const double kv = not_negative("kv", 1);
    return ActuatorLaw{kv, {0, 0, -kv}};
  }
  const std::string bias_type = e.word("biastype", "none");
  const auto gain = e.numbers("gainprm", 1, 10).value_or(std::vector<double>{1});
  const auto bias = e.numbers("biasprm", 1, 10).value_or(std::vector<double>{});
  for (const char* attribute : {"dynprm", "actdim"}) e.find(attribute);
  if (e.word("dyntype", "none") != "none" || e.word("gaintype", "fixed") != "fixed") return {};
  ActuatorLaw law{gain[0], {}};
  if (bias_type == "none") return law;
  if (bias_type != "affine") return {};
  std::copy_n(bias.begin(), std::min<std::size_t>(3, bias.size()), law.bias.begin());
  // What pulls back is a servo; what pushes away, or pushes by itself, is not.
  if (law.bias[0] != 0 || law.bias[1] > 0 || law.bias[2] > 0) return {};
  const bool to_a_place = law.bias[1] < 0 && law.gain == -law.bias[1];
  const bool to_a_speed = law.bias[1] == 0 && law.bias[2] < 0 && law.gain == -law.bias[2];
  return to_a_place || to_a_speed ? std::optional(law) : std::nullopt;
}

/// One actuator of a joint, in the units of the joint.
struct Actuator {
  ActuatorLaw law;
  double gear;
  std::optional<std::pair<double, double>> control_range, force_range;

  /// Nobody steers: the control is 0, or the nearest that its range allows.
  double control() const { return control_range ? std::clamp(0.0, control_range->first, control_range->second) : 0; }
  static double within(const std::pair<double, double>& range) {
    return std::min(std::abs(range.first), std::abs(range.second));
  }
  static bool is_even(const std::optional<std::pair<double, double>>& range) {
    return !range || range->first == -range->second;
  }
};

/// A force that controls may set, times gear. Of several on one joint the bounds add up.
void add_effort(TreeJoint& joint, const Actuator& a, const Element& e, Findings& findings) {
  double most = kNoLimit;
  const auto reach = [](const std::pair<double, double>& r) { return std::max(std::abs(r.first), std::abs(r.second)); };
  if (a.control_range) most = std::abs(a.law.gain) * reach(*a.control_range);
  if (a.force_range) most = std::min(most, reach(*a.force_range));
  const bool had = joint.effort.has_value();
  TreeEffort& effort = had ? *joint.effort : joint.effort.emplace();
  effort.force += a.gear * a.law.gain * a.control();
  effort.max_force = (had ? effort.max_force : 0) + std::abs(a.gear) * most;
  for (const auto& [range, name] : {std::pair(&a.control_range, "ctrlrange"), std::pair(&a.force_range, "forcerange")})
    if (!Actuator::is_even(*range))
      e.pass_over({name}, Kind::approximated, "one bound of force holds in both directions, the larger.", findings);
}

/// Actuator force u = kp·(control − length) − kv·speed with length = gear · q, so on the joint  gear²·kp (control/gear − q) −
/// gear²·kv q̇.
void add_servo(TreeJoint& joint, const Actuator& a, double reference, const Element& e, Findings& findings) {
  const bool had = joint.servo.has_value();
  TreeServo& servo = had ? *joint.servo : joint.servo.emplace();
  const double stiffness = -a.law.bias[1] * a.gear * a.gear, target = a.control() / a.gear - reference;
  const double sum = servo.stiffness + stiffness;
  if (sum > 0) servo.target = (servo.stiffness * servo.target + stiffness * target) / sum;
  servo.stiffness = sum;
  servo.damping -= a.law.bias[2] * a.gear * a.gear;
  if (stiffness == 0 && a.control() != 0)
    e.pass_over({"ctrlrange"}, Kind::not_supported,
                "it leaves no control of 0, and the servo of a speed other than 0 is left out.", findings);
  if (servo.stiffness == 0 && servo.damping == 0) joint.servo.reset();
  if (!a.force_range || !joint.servo) return;
  const double least = Actuator::within(*a.force_range) * std::abs(a.gear);
  servo.max_force = had ? std::min(servo.max_force, least) : least;
  if (had || !Actuator::is_even(a.force_range))
    e.pass_over({"forcerange"}, Kind::approximated,
                "one bound of force holds in both directions, and for all actuators of the joint together.", findings);
}

void read_actuator(Model& model, const XmlNode& node) {
  const std::string& type = node.name;
  Findings& findings = model.findings;
  const auto not_supported = [&](const std::string& why) { account_for(node, findings, Kind::not_supported, why); };
  if (type != "motor" && type != "position" && type != "velocity" && type != "general")
    return not_supported("this kind of actuator is left out.");
  const Element e = model.defaults.element(node, "", {"motor", "position", "velocity", "general"});
  const std::string *joint_name = node.find("joint"), *tendon_name = joint_name ? nullptr : node.find("tendon");
  double coefficient = 1;
  TreeLine* line = tendon_name ? model.line(*tendon_name) : nullptr;
  if (tendon_name && !line) {
    const auto tendon = model.tendons.find(*tendon_name);
    if (tendon == model.tendons.end() || tendon->second.joints.size() != 1)
      return not_supported("an actuator of a tendon that is not a single joint is left out.");
    joint_name = &tendon->second.joints[0].first;
    coefficient = tendon->second.joints[0].second;
  }
  if (!joint_name && !line) return not_supported("an actuator that does not act on a joint or tendon is left out.");
  TreeJoint* joint = line ? &line->settings : model.joint(*joint_name);
  if (!joint) e.fail("joint", fmt::format("There is no joint '{}'.", *joint_name));
  if (joint->kind != Freedom::hinge && joint->kind != Freedom::slide)
    return not_supported("an actuator of a ball or free joint is left out.");

  if (const std::string* name = e.find("name")) model.driven[*name] = line ? tendon_key(line->name) : *joint_name;
  e.pass_over({"group", "user"}, Kind::ignored, "only looks.", findings);
  e.pass_over({"inheritrange", "actearly", "actlimited", "actrange", "dampratio", "timeconst"}, Kind::not_supported,
              "left out.", findings);
  const auto limits = [&](const char* range_name, const char* limited_name) -> std::optional<std::pair<double, double>> {
    const auto range = e.numbers(range_name, 2, 2);
    if (!e.truth(limited_name, range.has_value() && model.compiler.autolimits) || !range) return std::nullopt;
    return std::pair((*range)[0], (*range)[1]);
  };
  Actuator actuator{{},
                    coefficient * e.numbers("gear", 1, 6).value_or(std::vector<double>{1}).front(),
                    limits("ctrlrange", "ctrllimited"),
                    limits("forcerange", "forcelimited")};
  if (model.disabled.contains("clampctrl")) actuator.control_range.reset();
  const auto law = law_of(e, type);
  if (!law) return not_supported("a general actuator that is neither a force nor a servo is left out.");
  if (actuator.gear == 0) return not_supported("an actuator with gear 0 does nothing.");
  actuator.law = *law;
  if (law->bias == std::array<double, 3>{}) add_effort(*joint, actuator, e, findings);
  else add_servo(*joint, actuator, line ? line->beside : model.reference.at(*joint_name), e, findings);
}

void read_joint_equality(Model& model, const Element& e) {
  const std::string &first = e.node().get("joint1"), *second = e.node().find("joint2");
  const auto polynomial = e.numbers("polycoef", 1, 5).value_or(std::vector<double>{0, 1});
  const auto coefficient = [&](std::size_t i) { return i < polynomial.size() ? polynomial[i] : 0.0; };
  Findings& findings = model.findings;
  for (const std::string* name : {&first, second})
    if (name && !model.joint(*name)) e.node().fail(fmt::format("There is no joint '{}'.", *name));
  if (!second || coefficient(1) == 0) {
    findings.add(Kind::not_supported, e.node().line, e.node().place(), "<joint>: a joint that is held at a value is left out.");
    return;
  }
  if (coefficient(2) != 0 || coefficient(3) != 0 || coefficient(4) != 0)
    findings.add(Kind::approximated, e.node().line, e.node().place(), "<joint polycoef>: only the linear part is kept.");
  if (coefficient(0) != 0)
    findings.add(Kind::approximated, e.node().line, e.node().place(),
                 "<joint polycoef>: the two joints keep the difference that they start with.");
  model.tree.gears.push_back(
      {e.word("name", fmt::format("{}-follows-{}", first, *second)), *second, first, coefficient(1), e.source()});
}

/// MuJoCo's weld and connect: body2 is held to body1.
void read_loop(Model& model, const Element& e) {
  if (e.node().has("site1") || e.node().has("site2")) {
    account_for(e.node(), model.findings, Kind::not_supported, "held by sites: left out.");
    return;
  }
  TreeLoop loop;
  loop.ball = e.node().name == "connect";
  loop.a = body_named(model, e, "body1");
  loop.b = body_named(model, e, "body2", "world");
  loop.name = e.word("name", fmt::format("{}-{}", e.node().name, model.tree.loops.size() + 1));
  loop.source = e.source();
  if (loop.ball) {
    loop.frame_a.position = Vec3(numbers_of(e.node(), "anchor", e.node().get("anchor"), 3, 3).data());
  } else {
    // The anchor of a weld is where the torque acts: a rigid one does not depend on it.
    e.pass_over({"anchor", "torquescale"}, Kind::ignored, "a rigid weld does not depend on it.", model.findings);
    const auto relative = e.numbers("relpose", 7, 7);
    const bool given = relative && ((*relative)[3] != 0 || (*relative)[4] != 0 || (*relative)[5] != 0 || (*relative)[6] != 0);
    if (given) {
      const auto& r = *relative;
      loop.frame_a = {Vec3(r[0], r[1], r[2]), Quat(r[3], r[4], r[5], r[6]).normalized()};
      loop.frame_b_at_start = false;
    }
  }
  model.tree.loops.push_back(std::move(loop));
}

}   // namespace

void read_actuators(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children) read_actuator(model, *child);
}

void read_equality(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children) {
    if (child->name != "connect" && child->name != "weld" && child->name != "joint" && child->name != "tendon") {
      account_for(*child, model.findings, Kind::not_supported, "this kind of equality is left out.");
      continue;
    }
    // The defaults of all of them stand in <equality>; a <joint> there is that of bodies.
    const Element with_class = model.defaults.element(*child, "", {"equality"});
    const Element e = child->name == "joint" ? Element(*child, {}, nullptr) : with_class;
    e.find("name");
    if (!e.truth("active", true)) {
      account_for(*child, model.findings, Kind::ignored, "not active.");
      continue;
    }
    e.pass_over({"solref", "solimp"}, Kind::approximated, "it is rigid here.", model.findings);
    if (child->name == "joint") read_joint_equality(model, e);
    else if (child->name == "tendon") read_tendon_equality(model, e);
    else read_loop(model, e);
  }
}

void read_contact(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children) {
    if (child->name != "exclude") {
      account_for(*child, model.findings, Kind::not_supported, "contacts with settings of their own are left out.");
      continue;
    }
    child->used = true;
    const Element e(*child, {}, nullptr);
    e.find("name");
    const auto touching = [&](std::string_view attribute) {
      const int index = body_named(model, e, attribute);
      return index == kWorld ? model.ground : index;
    };
    model.tree.apart.emplace_back(touching("body1"), touching("body2"));
  }
}

}   // namespace stickslip::robot::mjcf
