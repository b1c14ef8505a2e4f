// The tree of bodies, and their joints.
#include <fmt/format.h>

#include <cmath>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

namespace {

std::optional<MassProperties> read_inertial(Model& model, const XmlNode& node) {
  node.used = true;
  const Element e(node, {}, nullptr);
  const Pose at = read_pose(e, model.compiler);
  MassProperties mass;
  mass.mass = numbers_of(node, "mass", node.get("mass"), 1, 1).front();
  mass.center = at.position;
  if (const auto full = e.numbers("fullinertia", 6, 6)) {
    const auto& m = *full;
    mass.inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
    if (e.has("diaginertia")) node.fail("Both diaginertia and fullinertia are given. Keep one of them.");
  } else if (const auto diagonal = e.numbers("diaginertia", 3, 3)) {
    mass.inertia = Vec3(diagonal->data()).asDiagonal();
  } else {
    node.fail("The inertia is missing. Give diaginertia or fullinertia.");
  }
  mass.inertia = at.rotation() * mass.inertia * at.rotation().transpose();
  if (mass.mass == 0 && mass.inertia.isZero(0)) return std::nullopt;
  node.within([&] { validate(mass); });
  return mass;
}

/// What stands in a body and is not part of a scene. @return whether it was that
bool passed_over(Model& model, const XmlNode& node) {
  if (node.name == "camera" || node.name == "light") {
    account_for(node, model.findings, Kind::ignored, "only looks.");
    return true;
  }
  static const std::set<std::string_view> kMakers = {"composite", "flexcomp", "attach", "plugin"};
  if (!kMakers.contains(node.name)) return false;
  account_for(node, model.findings, Kind::not_supported, "what it makes is left out.");
  return true;
}

void read_body(Model& model, const PlacedChild& placed, int parent) {
  const XmlNode& node = *placed.node;
  node.used = true;
  const Element e(node, {}, nullptr);
  TreeBody body;
  if (const std::string* name = node.find("name")) body.name = *name;
  else body.name = fmt::format("body-{}", model.tree.bodies.size());
  body.parent = parent;
  body.in_parent = placed.frame * read_pose(e, model.compiler);
  body.source = model.source(node);
  std::vector<PlacedChild> children;
  add_children(model, node, Pose{}, e.word("childclass", placed.child_class), children);
  e.pass_over({"user"}, Kind::ignored, "numbers for programs of the user.", model.findings);
  if (e.number("gravcomp", 0) != 0) e.pass_over({"gravcomp"}, Kind::not_supported, "gravity acts in full.", model.findings);
  if (e.truth("mocap", false)) e.pass_over({"mocap"}, Kind::approximated, "the body stands still.", model.findings);

  const int index = static_cast<int>(model.tree.bodies.size());
  std::optional<MassProperties> of_geoms, of_inertial;
  bool has_inertial = false;
  for (const PlacedChild& child : children) {
    const std::string& kind = child.node->name;
    if (kind == "geom") read_geom(model, child, body, of_geoms);
    else if (kind == "joint" || kind == "freejoint") read_joint(model, child, body);
    else if (kind == "inertial") {
      if (has_inertial) child.node->fail("The body has two <inertial>. Keep one of them.");
      if (child.node->parent != &node) child.node->fail("An <inertial> does not stand in a <frame>. Put it into the body.");
      of_inertial = read_inertial(model, *child.node);
      has_inertial = true;
    } else if (kind == "site") read_site(model, child, index);
    else if (kind != "body") passed_over(model, *child.node);
  }
  if (body.joints.size() > 1)
    for (const TreeJoint& joint : body.joints)
      if (joint.kind == Freedom::free)
        node.fail(fmt::format("'{}' has a free joint and others. A free joint is alone.", body.name));
  if (body.joints.size() == 1 && body.is_free() && parent != kWorld)
    node.fail(fmt::format("'{}' has a free joint and is inside another body. Move it to <worldbody>.", body.name));
  using From = Compiler::InertiaFromGeom;
  const From from = model.compiler.inertia_from_geom;
  const bool use_inertial = has_inertial && from != From::yes;
  if (has_inertial && !use_inertial)
    model.findings.add(Kind::ignored, node.line, node.place(), "<inertial>: the compiler takes the inertia from the geoms.");
  body.mass = use_inertial ? of_inertial : from == From::no ? std::nullopt : of_geoms;

  if (!model.body_index.emplace(body.name, index).second)
    node.fail("name", "There is another body of this name. Names must differ.");
  model.tree.bodies.push_back(std::move(body));
  for (const PlacedChild& child : children)
    if (child.node->name == "body") read_body(model, child, index);
}

}   // namespace

TreeJoint* Model::joint(const std::string& name) {
  for (TreeBody& body : tree.bodies)
    for (TreeJoint& j : body.joints)
      if (j.name == name) return &j;
  return nullptr;
}

TreeLine* Model::line(const std::string& name) {
  for (TreeLine& l : tree.lines)
    if (l.name == name) return &l;
  return nullptr;
}

void read_joint(Model& model, const PlacedChild& placed, TreeBody& body) {
  const XmlNode& node = *placed.node;
  Findings& findings = model.findings;
  TreeJoint joint;
  joint.source = model.source(node);
  const std::string* name = node.find("name");
  joint.name =
      name ? *name
           : fmt::format("{}-joint{}", body.name, body.joints.empty() ? "" : fmt::format("-{}", body.joints.size() + 1));
  if (model.reference.contains(joint.name)) node.fail("name", "There is another joint of this name. Names must differ.");
  model.reference[joint.name] = 0;
  if (node.name == "freejoint") {
    node.used = true;
    joint.kind = Freedom::free;
    Element(node, {}, nullptr).pass_over({"group", "align"}, Kind::ignored, "only looks.", findings);
    body.joints.push_back(std::move(joint));
    return;
  }
  const Element e = model.defaults.element(node, placed.child_class);
  const std::string type = e.word("type", "hinge");
  if (type == "hinge") joint.kind = Freedom::hinge;
  else if (type == "slide") joint.kind = Freedom::slide;
  else if (type == "ball") joint.kind = Freedom::ball;
  else if (type == "free") joint.kind = Freedom::free;
  else
    e.fail("type", fmt::format("'{}' is not a type of joint. {}", type,
                               suggest(type, std::vector<std::string>{"hinge", "slide", "ball", "free"})));

  const bool turns = joint.kind == Freedom::hinge || joint.kind == Freedom::ball;
  const auto value = [&](double given) { return turns ? model.compiler.angle(given) : given; };
  joint.anchor = placed.frame * e.vector("pos", Vec3::Zero());
  joint.axis = placed.frame.orientation * e.vector("axis", Vec3::UnitZ());
  if (!(joint.axis.norm() > 1e-12)) e.fail("axis", "A direction must not be zero.");
  joint.axis.normalize();
  joint.stiffness = e.number("stiffness", 0);
  joint.damping = e.number("damping", 0);
  joint.friction = e.number("frictionloss", 0);
  for (const auto& [attribute, number] : {std::pair("stiffness", joint.stiffness), std::pair("damping", joint.damping),
                                          std::pair("frictionloss", joint.friction)})
    if (number < 0) e.fail(attribute, "It must not be negative.");
  const double reference = value(e.number("ref", 0));
  joint.rest = value(e.number("springref", 0)) - reference;
  const auto range = e.numbers("range", 2, 2);
  const bool limited = e.truth("limited", range.has_value() && model.compiler.autolimits);
  if (limited && !range) e.fail("limited", "The joint is limited and has no range.");
  if (range && !limited) e.pass_over({"range"}, Kind::ignored, "the joint is not limited.", findings);
  if (limited && joint.kind != Freedom::free) {
    const double low = value((*range)[0]), high = value((*range)[1]);
    if (low >= high) e.fail("range", "The first number must be less than the second.");
    if (joint.kind == Freedom::ball) {
      if (low != 0) e.fail("range", "The range of a ball joint starts at 0.");
      joint.swing = high;
      if (high >= EIGEN_PI) joint.swing = kNoLimit;
      e.pass_over({"range"}, Kind::approximated, "it limits the swing of the z axis instead of the whole angle.", findings);
    } else {
      joint.lower = low - reference;
      joint.upper = high - reference;
      if (joint.lower > 0 || joint.upper < 0)
        e.pass_over({"range"}, Kind::approximated, "the joint starts outside it, and is pulled in at once.", findings);
    }
  }
  if (joint.kind == Freedom::free && (joint.stiffness > 0 || joint.damping > 0 || joint.friction > 0))
    findings.add(Kind::not_supported, node.line, node.place(),
                 "<joint type=\"free\">: stiffness, damping and frictionloss of a free joint.");
  joint.armature = e.number("armature", 0);
  if (joint.armature < 0) e.fail("armature", "It must not be negative.");
  if (joint.armature > 0 && joint.kind == Freedom::free)
    e.pass_over({"armature"}, Kind::not_supported, "of a free joint: left out.", findings);
  e.pass_over({"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"}, Kind::approximated,
              "stops and friction of joints are rigid here.", findings);
  e.pass_over({"springdamper", "actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp"}, Kind::not_supported, "left out.",
              findings);
  e.pass_over({"group", "user"}, Kind::ignored, "only looks.", findings);
  model.reference[joint.name] = reference;
  body.joints.push_back(std::move(joint));
}

void read_world(Model& model, const XmlNode& worldbody) {
  worldbody.used = true;
  Element(worldbody, {}, nullptr).pass_over({"name", "childclass"}, Kind::ignored, "the world has none.", model.findings);
  TreeBody ground;
  ground.source = model.source(worldbody);
  std::optional<MassProperties> mass;
  std::string only_name;
  std::vector<PlacedChild> children;
  add_children(model, worldbody, Pose{}, "", children);
  for (const PlacedChild& child : children) {
    const std::string& kind = child.node->name;
    if (kind == "joint" || kind == "freejoint" || kind == "inertial")
      child.node->fail(fmt::format("The world has no <{}>.", kind));
    if (kind == "geom") {
      read_geom(model, child, ground, mass);
      if (const std::string* name = child.node->find("name")) only_name = *name;
    } else if (kind == "site") read_site(model, child, kWorld);
    else if (kind != "body") passed_over(model, *child.node);
  }
  if (!ground.parts.empty()) {
    ground.name = ground.parts.size() == 1 && !only_name.empty() ? only_name : "ground";
    model.ground = static_cast<int>(model.tree.bodies.size());
    model.tree.bodies.push_back(std::move(ground));
  }
  for (const PlacedChild& child : children)
    if (child.node->name == "body") read_body(model, child, kWorld);
}

}   // namespace stickslip::robot::mjcf
