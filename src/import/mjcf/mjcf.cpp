// MJCF: the sections of a file, in the order in which they need each other.
#include "import/mjcf/mjcf.h"

#include <fmt/format.h>

namespace stickslip {

namespace robot::mjcf {

namespace {

void read_compiler(Model& model, const XmlNode& node) {
  node.used = true;
  const Element e(node, {}, nullptr);
  Compiler& compiler = model.compiler;
  const std::string angle = e.word("angle", compiler.degrees ? "degree" : "radian");
  if (angle != "degree" && angle != "radian") e.fail("angle", "Give \"degree\" or \"radian\".");
  compiler.degrees = angle == "degree";
  if (e.word("coordinate", "local") != "local")
    e.fail("coordinate", "Only local coordinates are understood. MuJoCo itself can convert an old file.");
  compiler.euler_sequence = e.word("eulerseq", compiler.euler_sequence);
  if (compiler.euler_sequence.size() != 3 || compiler.euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos)
    e.fail("eulerseq", "Give three letters out of x, y, z, X, Y and Z.");
  compiler.autolimits = e.truth("autolimits", compiler.autolimits);
  const std::string from = e.word("inertiafromgeom", "auto");
  using From = Compiler::InertiaFromGeom;
  if (from != "auto" && from != "true" && from != "false") e.fail("inertiafromgeom", "Give \"true\", \"false\" or \"auto\".");
  compiler.inertia_from_geom = from == "true" ? From::yes : from == "false" ? From::no : From::automatic;
  compiler.texture_folder = e.word("texturedir", e.word("assetdir", compiler.texture_folder));
  compiler.mesh_folder = e.word("meshdir", e.word("assetdir", compiler.mesh_folder));
  compiler.total_mass = e.number("settotalmass", 0);
  Findings& findings = model.findings;
  for (const char* bound : {"boundmass", "boundinertia"})
    if (e.number(bound, 0) > 0) e.pass_over({bound}, Kind::not_supported, "masses stay as they are.", findings);
  e.pass_over({"inertiagrouprange", "balanceinertia", "alignfree"}, Kind::not_supported, "left out.", findings);
  e.pass_over(
      {"usethread", "discardvisual", "convexhull", "fitaabb", "strippath", "exactmeshinertia", "fusestatic", "saveinertial"},
      Kind::ignored, "how MuJoCo compiles.", findings);
  if (const XmlNode* lengths = node.child("lengthrange"))
    account_for(*lengths, findings, Kind::ignored, "how MuJoCo compiles.");
}

void read_flag(Model& model, const XmlNode& node, const XmlAttribute& flag) {
  static const std::set<std::string_view> kOffAtFirst = {"override", "energy", "fwdinv", "invdiscrete", "multiccd", "island"};
  static const std::set<std::string_view> kObeyed = {"constraint", "contact", "equality",  "limit",    "frictionloss",
                                                     "passive",    "gravity", "actuation", "clampctrl"};
  static const std::set<std::string_view> kOfSolving = {"energy",   "fwdinv",    "island",  "warmstart",
                                                        "midphase", "nativeccd", "refsafe", "sensor"};
  flag.used = true;
  if (flag.value != "enable" && flag.value != "disable") node.fail(flag.name, "Give \"enable\" or \"disable\".");
  if (flag.value == (kOffAtFirst.contains(flag.name) ? "disable" : "enable")) return;
  if (kObeyed.contains(flag.name)) model.disabled.insert(flag.name);
  else if (kOfSolving.contains(flag.name))
    model.findings.add(Kind::ignored, flag.line, node.place(), fmt::format("<flag {}>: how MuJoCo solves.", flag.name));
  else
    model.findings.add(Kind::not_supported, flag.line, node.place(),
                       fmt::format("<flag {}=\"{}\">: left out.", flag.name, flag.value));
}

/// Takes out what flags switch off.
void obey_flags(Model& model) {
  const auto off = [&](const char* flag) { return model.disabled.contains(flag); };
  const bool constraints = off("constraint");
  Tree& tree = model.tree;
  if (off("gravity")) tree.gravity.setZero();
  if (constraints || off("equality")) tree.loops.clear(), tree.gears.clear();
  for (TreeBody& body : tree.bodies) {
    if (constraints || off("contact"))
      for (TreePart& part : body.parts) part.contact_type = part.contact_affinity = 0;
    for (TreeJoint& joint : body.joints) {
      if (constraints || off("limit")) joint.lower = -kNoLimit, joint.upper = joint.swing = kNoLimit;
      if (constraints || off("frictionloss")) joint.friction = 0;
      if (off("passive")) joint.stiffness = joint.damping = 0;
      if (off("actuation")) joint.servo.reset(), joint.effort.reset();
    }
  }
  for (TreeLine& line : tree.lines) {
    if (constraints || off("limit")) line.settings.lower = -kNoLimit, line.settings.upper = kNoLimit;
    if (constraints || off("frictionloss")) line.settings.friction = 0;
    if (off("passive")) line.settings.stiffness = line.settings.damping = 0;
    if (off("actuation")) line.settings.servo.reset(), line.settings.effort.reset();
  }
}

void read_option(Model& model, const XmlNode& node) {
  node.used = true;
  const Element e(node, {}, nullptr);
  Findings& findings = model.findings;
  model.tree.h = e.number("timestep", *model.tree.h);
  if (!(*model.tree.h > 0)) e.fail("timestep", "A step must be longer than 0 s.");
  model.tree.gravity = e.vector("gravity", model.tree.gravity);
  for (const char* fluid : {"density", "viscosity"})
    if (e.number(fluid, 0) != 0) e.pass_over({fluid}, Kind::not_supported, "there is no fluid here.", findings);
  if (!e.vector("wind", Vec3::Zero()).isZero()) e.pass_over({"wind"}, Kind::not_supported, "there is no fluid here.", findings);
  e.pass_over({"solver",         "iterations",     "tolerance",      "noslip_iterations", "noslip_tolerance",
               "mpr_iterations", "mpr_tolerance",  "ls_iterations",  "ls_tolerance",      "ccd_iterations",
               "ccd_tolerance",  "sdf_iterations", "sdf_initpoints", "jacobian",          "cone",
               "integrator",     "collision",      "impratio",       "apirate",           "magnetic"},
              Kind::ignored, "how MuJoCo solves.", findings);
  e.pass_over({"o_margin", "o_solref", "o_solimp", "o_friction"}, Kind::not_supported, "left out.", findings);
  for (const auto& child : node.children) {
    if (child->name != "flag") continue;
    child->used = true;
    for (const XmlAttribute& flag : child->attributes) read_flag(model, *child, flag);
  }
}

void read_assets(Model& model, const XmlNode& node) {
  node.used = true;
  for (const auto& child : node.children)   // materials name textures that may stand behind them
    if (child->name == "texture") read_texture_asset(model, *child);
  for (const auto& child : node.children) {
    if (child->name == "texture") continue;
    if (child->name == "mesh") read_mesh_asset(model, *child);
    else if (child->name == "hfield") read_height_asset(model, *child);
    else if (child->name == "material") read_look_asset(model, *child);
    else
      account_for(*child, model.findings, child->name == "model" ? Kind::not_supported : Kind::ignored,
                  child->name == "model" ? "left out." : "only looks.");
  }
}

struct Section {
  Kind kind;
  const char* why;
};
const std::map<std::string_view, Section>& passed_over() {
  static const std::map<std::string_view, Section> table = {
      {"size", {Kind::ignored, "memory of MuJoCo."}},
      {"statistic", {Kind::ignored, "only looks."}},
      {"visual", {Kind::ignored, "only looks."}},
      {"keyframe", {Kind::ignored, "the scene starts in the pose of the file."}},
      {"custom", {Kind::ignored, "numbers for programs of the user."}},
      {"deformable", {Kind::not_supported, "all bodies are rigid here."}},
      {"extension", {Kind::not_supported, "plugins are left out."}},
  };
  return table;
}

/// Calls f for each section of that name; a file may have several.
template <class F>
void sections(const XmlNode& root, std::string_view name, F&& f) {
  for (const auto& child : root.children)
    if (child->name == name) f(*child);
}

void set_total_mass(Model& model) {
  if (!(model.compiler.total_mass > 0)) return;
  double total = 0;
  for (const TreeBody& body : model.tree.bodies) total += body.mass ? body.mass->mass : 0;
  for (TreeBody& body : model.tree.bodies)
    if (body.mass) {
      body.mass->mass *= model.compiler.total_mass / total;
      body.mass->inertia *= model.compiler.total_mass / total;
    }
}

void read_model(Model& model, XmlNode& root) {
  root.used = true;
  model.tree.name = Element(root, {}, nullptr).word("model", model.file.stem().string());
  model.tree.description = fmt::format("Imported from {}.", model.file.filename().string());
  model.tree.h = 0.002;
  model.tree.mujoco_contacts = true;
  model.tree.folder = std::filesystem::absolute(model.file).parent_path();
  sections(root, "compiler", [&](const XmlNode& n) { read_compiler(model, n); });
  sections(root, "option", [&](const XmlNode& n) { read_option(model, n); });
  sections(root, "default", [&](const XmlNode& n) { model.defaults.read(n, "", model.findings); });
  expand_replicates(model, root);
  sections(root, "asset", [&](const XmlNode& n) { read_assets(model, n); });
  sections(root, "worldbody", [&](const XmlNode& n) { read_world(model, n); });
  sections(root, "tendon", [&](const XmlNode& n) { read_tendons(model, n); });
  sections(root, "actuator", [&](const XmlNode& n) { read_actuators(model, n); });
  sections(root, "sensor", [&](const XmlNode& n) { read_sensors(model, n); });
  sections(root, "equality", [&](const XmlNode& n) { read_equality(model, n); });
  sections(root, "contact", [&](const XmlNode& n) { read_contact(model, n); });
  for (const auto& child : root.children)
    if (const auto known = passed_over().find(child->name); known != passed_over().end())
      account_for(*child, model.findings, known->second.kind, known->second.why);
  obey_flags(model);
  pair_materials(model);
  set_total_mass(model);
  model.defaults.finish(model.findings);
}

}   // namespace

}   // namespace robot::mjcf

ImportedScene import_mjcf(const std::filesystem::path& file, const ImportOptions& options) {
  using namespace robot;
  try {
    const std::unique_ptr<XmlNode> root = load_xml(file, true);
    if (root->name != "mujoco") root->fail(fmt::format("<{}> is not the root of an MJCF file, which is <mujoco>.", root->name));
    Findings findings;
    mjcf::Model model{file, options, findings, {}, {}, {}, {}, {}, {}, {}, {}, {}, kWorld, {}, {}, {}, {}, {}};
    mjcf::read_model(model, *root);
    report_unread(*root, findings);
    ImportedScene scene;
    scene.document = write_document(std::move(model.tree), options, findings);
    scene.findings = findings.finish(options.strict, file);
    return scene;
  } catch (Error& e) {
    throw e.in(file.string());
  }
}

ImportedScene import_robot(const std::filesystem::path& file, const ImportOptions& options) {
  const std::string root = robot::load_xml(file, false)->name;
  if (root == "robot") return import_urdf(file, options);
  if (root == "mujoco") return import_mjcf(file, options);
  throw Error(fmt::format("<{}> is not the root of a robot file. URDF has <robot>, MJCF has <mujoco>.", root))
      .in(file.string());
}

bool names_robot(const std::filesystem::path& file) { return file.extension() == ".urdf" || file.extension() == ".xml"; }

}   // namespace stickslip
