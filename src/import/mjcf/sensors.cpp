// Sites, and the sensors that have a counterpart here.
#include <fmt/format.h>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

namespace {

const Site& site_named(const Model& model, const XmlNode& node, std::string_view attribute) {
  const std::string& name = node.get(attribute);
  const auto found = model.sites.find(name);
  if (found != model.sites.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, site] : model.sites) names.push_back(known);
  node.fail(attribute, fmt::format("There is no site '{}'. {}", name, suggest(name, names)));
}

void read_sensor(Model& model, const XmlNode& node) {
  const std::string& type = node.name;
  const auto left_out = [&](const std::string& why) { account_for(node, model.findings, Kind::ignored, why); };
  TreeSensor sensor;
  sensor.source = model.source(node);
  const std::string* name = node.find("name");
  sensor.name = name ? *name : fmt::format("{}-{}", type, model.tree.sensors.size() + 1);
  const Element e(node, {}, nullptr);
  const auto at_site = [&](TreeSensor::Kind kind) {
    const Site& site = site_named(model, node, "site");
    sensor.kind = kind, sensor.body = site.body, sensor.frame = site.pose;
  };
  if (type == "jointpos" || type == "jointvel" || type == "jointactuatorfrc") {
    sensor.joint = node.get("joint");
    if (!model.joint(sensor.joint)) node.fail("joint", fmt::format("There is no joint '{}'.", sensor.joint));
  } else if (type == "tendonpos" || type == "tendonvel") {
    sensor.joint = tendon_key(node.get("tendon"));
  } else if (type == "actuatorpos" || type == "actuatorvel" || type == "actuatorfrc") {
    const auto driven = model.driven.find(node.get("actuator"));
    if (driven == model.driven.end()) return left_out("its actuator is left out.");
    sensor.joint = driven->second;
  } else if (type == "accelerometer" || type == "gyro") {
    at_site(TreeSensor::inertial);
  } else if (type == "touch") {
    at_site(TreeSensor::contact);
    model.findings.add(Kind::ignored, node.line, node.place(),
                       "<touch>: here it measures all contacts of the body, whatever the size of the site.");
  } else if (type == "rangefinder" && node.has("site")) {
    at_site(TreeSensor::ray);
    if (const double range = e.number("cutoff", 0); range > 0) sensor.range = range;
  } else {
    return left_out("there is no such sensor here.");
  }
  node.used = true;
  e.pass_over({"cutoff", "noise", "user", "nsample", "interp", "delay", "interval"}, Kind::ignored,
              "values are told as they are.", model.findings);
  model.tree.sensors.push_back(std::move(sensor));
}

}   // namespace

void read_site(Model& model, const PlacedChild& child, int body) {
  const Element e = model.defaults.element(*child.node, child.child_class);
  child.node->used = true;
  e.pass_over({"group", "user", "rgba", "material", "size", "type"}, Kind::ignored, "only looks.", model.findings);
  Pose pose = read_pose(e, model.compiler);
  if (const auto ends = e.numbers("fromto", 6, 6)) {
    const Vec3 from(ends->data()), to(ends->data() + 3);
    if (!((from - to).norm() > 1e-12)) e.fail("fromto", "The two points are the same.");
    pose = {(from + to) / 2, Quat::FromTwoVectors(Vec3::UnitZ(), from - to)};
  }
  if (const std::string* name = e.find("name")) model.sites[*name] = {body, child.frame * pose};
}

void read_sensors(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children) read_sensor(model, *child);
}

void read_line(Model& model, const XmlNode& node) {
  const auto left_out = [&](const char* why) { account_for(node, model.findings, Kind::not_supported, why); };
  std::vector<const XmlNode*> ends;
  for (const auto& child : node.children) {
    if (child->name != "site") return left_out("a tendon around geoms or over pulleys is left out.");
    ends.push_back(child.get());
  }
  if (ends.size() != 2) return left_out("a tendon through more or less than two sites is left out: a joint holds two bodies.");
  const Element e = model.defaults.element(node, "", {"tendon"});
  TreeLine line;
  line.name = e.word("name", fmt::format("tendon-{}", model.tree.lines.size() + 1));
  line.source = model.source(node);
  for (std::size_t k = 0; k < 2; ++k) {
    ends[k]->used = true;
    const Site& site = site_named(model, *ends[k], "site");
    line.body[k] = site.body, line.point[k] = site.pose.position;
  }
  if (line.body[0] == line.body[1]) return left_out("both its ends are on one body.");
  e.pass_over({"group", "user", "rgba", "material", "width"}, Kind::ignored, "only looks.", model.findings);
  e.pass_over({"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"}, Kind::approximated,
              "stops and friction of joints are rigid here.", model.findings);
  TreeJoint& settings = line.settings;
  settings.stiffness = e.number("stiffness", 0), settings.damping = e.number("damping", 0);
  settings.friction = e.number("frictionloss", 0), settings.armature = e.number("armature", 0);
  settings.rest = -1;
  if (const auto length = e.numbers("springlength", 1, 2)) {
    settings.rest = length->front();
    // Slack below its length: a rope that is elastic. The range of rest of a spring has no counterpart.
    if (length->size() == 2 && (*length)[0] != (*length)[1])
      e.pass_over({"springlength"}, Kind::not_supported, "a spring with a range at rest; it rests at the first length.",
                  model.findings);
  }
  const auto range = e.numbers("range", 2, 2);
  if (e.truth("limited", range.has_value() && model.compiler.autolimits) && range) {
    if (!((*range)[0] < (*range)[1])) e.fail("range", "The first number must be less than the second.");
    if ((*range)[0] > 0) settings.lower = (*range)[0];
    settings.upper = (*range)[1];
  }
  model.tree.lines.push_back(std::move(line));
}

}   // namespace stickslip::robot::mjcf
