// Sites, and the sensors that have a counterpart here.
#include <fmt/format.h>

#include <algorithm>

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

/// Body and frame that two attributes name, such as objtype and objname. @returns nothing for kinds that have none here
std::optional<Site> frame_named(const Model& model, const XmlNode& node, std::string_view type, std::string_view name) {
  const std::string& kind = node.get(type);
  if (kind == "site") return site_named(model, node, name);
  if (kind != "xbody" && kind != "body") return {};
  const int body = body_named(model, Element(node, {}, nullptr), name);
  Pose pose;   // "body" is the frame of its inertia
  if (kind == "body" && body != kWorld && model.tree.bodies[static_cast<std::size_t>(body)].mass)
    pose.position = model.tree.bodies[static_cast<std::size_t>(body)].mass->center;
  return Site{body, pose};
}

/// framepos, framequat, framexaxis, … of anything with a frame, seen from another. @returns whether it could be read
bool read_frame_sensor(Model& model, const XmlNode& node, TreeSensor& sensor) {
  const auto seen = frame_named(model, node, "objtype", "objname");
  const auto from = node.has("refname") ? frame_named(model, node, "reftype", "refname") : Site{};
  if (!seen || !from) return false;
  sensor.kind = TreeSensor::frame_state;
  sensor.body = seen->body, sensor.frame = seen->pose;
  sensor.from = from->body, sensor.from_frame = from->pose;
  const auto note = [&](const char* what) {
    model.findings.add(Kind::approximated, node.line, node.place(), fmt::format("<{}>: {}", node.name, what));
  };
  if (node.name.ends_with("axis")) note("the sensor tells the quaternion, of whose rotation the axis is a column.");
  if (node.get("objtype") == "body" && (node.name == "framequat" || node.name.ends_with("axis")))
    note("axes are those of the body, not of its inertia.");
  return true;
}

bool is_frame_sensor(const std::string& type) {
  static const std::set<std::string> known = {"framepos",   "framequat",   "framexaxis", "frameyaxis",
                                              "framezaxis", "framelinvel", "frameangvel"};
  return known.contains(type);
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
  } else if (type == "force" || type == "torque") {
    at_site(TreeSensor::load);
  } else if (type == "velocimeter") {
    at_site(TreeSensor::frame_state);
    sensor.own_axes = true;
  } else if (is_frame_sensor(type)) {
    if (!read_frame_sensor(model, node, sensor)) return left_out("only sites and bodies have frames here.");
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
    pose = {(from + to) / 2, rotation_between(Vec3::UnitZ(), from - to)};
  }
  if (const std::string* name = e.find("name")) model.sites[*name] = {body, child.frame * pose};
}

void read_sensors(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children) read_sensor(model, *child);
}

void read_line(Model& model, const XmlNode& node) {
  const auto left_out = [&](const char* why) { account_for(node, model.findings, Kind::not_supported, why); };
  const auto is_site = [](const auto& child) { return child->name == "site"; };
  if (!std::ranges::all_of(node.children, is_site)) return left_out("a tendon around geoms or over pulleys is left out.");
  std::vector<Site> sites;
  for (const auto& child : node.children) {
    child->used = true;
    sites.push_back(site_named(model, *child, "site"));
  }
  if (sites.size() < 2) return left_out("a tendon of less than two sites is left out.");
  const Element e = model.defaults.element(node, "", {"tendon"});
  TreeLine line;
  line.name = e.word("name", fmt::format("tendon-{}", model.tree.lines.size() + 1));
  line.source = model.source(node);
  int changing = 0;
  const std::vector<Pose> poses = poses_at_start(model.tree);
  const auto place = [&](const Site& site) {
    return (site.body == kWorld ? Pose{} : poses[static_cast<std::size_t>(site.body)]) * site.pose.position;
  };
  for (std::size_t k = 0; k + 1 < sites.size(); ++k) {
    const Site &a = sites[k], &b = sites[k + 1];
    if (a.body == b.body || (model.tree.is_static(a.body) && model.tree.is_static(b.body))) {
      line.beside += (place(a) - place(b)).norm();
    } else {
      ++changing;
      line.body = {a.body, b.body}, line.point = {a.pose.position, b.pose.position};
    }
  }
  if (changing == 0) return left_out("all its sites are on one body.");
  if (changing > 1) return left_out("a tendon of several stretches between bodies is left out: a joint holds two bodies.");
  e.pass_over({"group", "user", "rgba", "material", "width"}, Kind::ignored, "only looks.", model.findings);
  e.pass_over({"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"}, Kind::approximated,
              "stops and friction of joints are rigid here.", model.findings);
  TreeJoint& settings = line.settings;
  settings.stiffness = e.number("stiffness", 0), settings.damping = e.number("damping", 0);
  settings.friction = e.number("frictionloss", 0), settings.armature = e.number("armature", 0);
  settings.rest = -1;
  if (const auto length = e.numbers("springlength", 1, 2)) {
    settings.rest = length->front() < 0 ? -1 : std::max(length->front() - line.beside, 0.0);
    if (length->front() >= 0 && length->front() < line.beside)
      e.pass_over({"springlength"}, Kind::approximated, "longer than that at its shortest; it rests there.", model.findings);
    // Slack below its length: a rope that is elastic. The range of rest of a spring has no counterpart.
    if (length->size() == 2 && (*length)[0] != (*length)[1])
      e.pass_over({"springlength"}, Kind::not_supported, "a spring with a range at rest; it rests at the first length.",
                  model.findings);
  }
  const auto range = e.numbers("range", 2, 2);
  if (e.truth("limited", range.has_value() && model.compiler.autolimits) && range) {
    if (!((*range)[0] < (*range)[1])) e.fail("range", "The first number must be less than the second.");
    if ((*range)[0] > line.beside) settings.lower = (*range)[0] - line.beside;
    if (!((*range)[1] > line.beside)) e.fail("range", fmt::format("{:g} m of it never get shorter.", line.beside));
    settings.upper = (*range)[1] - line.beside;
  }
  model.tree.lines.push_back(std::move(line));
}

}   // namespace stickslip::robot::mjcf
