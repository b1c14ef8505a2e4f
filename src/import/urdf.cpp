// URDF: urdfdom reads the numbers, our own walk over the XML checks them and finds what urdfdom passes over without a word.
#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "import/meshes.h"
#include "import/tree.h"
#include "import/urdf_grammar.h"

namespace stickslip {

namespace robot {

namespace {

/// Collects what urdfdom would print.
class Collector final : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && errors.empty()) errors = text;
  }
  std::string errors;   ///< the first one: those after it follow from it
};

urdf::ModelInterfaceSharedPtr parse(const std::string& text) {
  static std::mutex one_at_a_time;   // the output handler is the process's
  const std::lock_guard lock(one_at_a_time);
  Collector collector;
  console_bridge::useOutputHandler(&collector);
  urdf::ModelInterfaceSharedPtr model;
  std::string thrown;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& e) {
    thrown = e.what();
  }
  console_bridge::restorePreviousOutputHandler();
  if (!model) throw Error(fmt::format("urdfdom refuses the model: {}.", collector.errors.empty() ? thrown : collector.errors));
  return model;
}

Vec3 vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Pose pose(const urdf::Pose& p) {
  return {vector(p.position), Quat(p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z).normalized()};
}

class UrdfReader {
 public:
  UrdfReader(const std::filesystem::path& file, const XmlNode& root, const urdf::ModelInterface& model,
             const ImportOptions& options, Findings& findings)
      : file_(file), model_(model), options_(options), findings_(findings) {
    for (const auto& node : root.children)
      if (node->name == "link") link_nodes_[node->get("name")] = node.get();
      else if (node->name == "joint") joint_nodes_[node->get("name")] = node.get();
      else if (node->name == "transmission")
        for (const auto& child : node->children)
          if (const std::string* name = child->name == "joint" ? child->find("name") : nullptr) driven_.insert(*name);
  }

  Tree read() {
    tree_.name = model_.getName();
    tree_.description = fmt::format("Imported from {}.", file_.filename().string());
    add(*model_.getRoot(), kWorld, Pose{}, {});
    if (!options_.fixed_base) {
      TreeJoint& free = tree_.bodies.front().joints.emplace_back();
      free.kind = Freedom::free;
      free.name = model_.getRoot()->name + "-free";
    }
    for (TreeBody& body : tree_.bodies)
      for (TreeJoint& joint : body.joints) place(joint);
    return std::move(tree_);
  }

 private:
  void add(const urdf::Link& link, int parent, const Pose& in_parent, std::vector<TreeJoint> joints) {
    const XmlNode& node = *link_nodes_.at(link.name);
    TreeBody body;
    body.name = link.name;
    body.parent = parent;
    body.in_parent = in_parent;
    body.joints = std::move(joints);
    body.source = {node.line, node.place()};
    body.mass = mass_of(link, node);
    auto collision_node = node.children.begin();
    for (const auto& collision : link.collision_array) {
      while ((*collision_node)->name != "collision") ++collision_node;
      add_part(*collision, **collision_node++, body);
    }
    if (!body.parts.empty()) give_looks(link, node, body);
    if (link.collision_array.empty() && !link.visual_array.empty())
      findings_.add(Kind::ignored, node.line, node.place(), "The link has looks but no <collision>: nothing touches it.");
    tree_.bodies.push_back(std::move(body));
    const int index = static_cast<int>(tree_.bodies.size()) - 1;
    std::vector<urdf::JointSharedPtr> in_order = link.child_joints;   // urdfdom sorts them by name
    std::sort(in_order.begin(), in_order.end(),
              [&](const auto& a, const auto& b) { return joint_nodes_.at(a->name)->line < joint_nodes_.at(b->name)->line; });
    for (const auto& joint : in_order) add_child(*joint, index);
  }

  /// Shapes that touch have no looks of their own: those of the <visual> of the same number, or of the first.
  void give_looks(const urdf::Link& link, const XmlNode& node, TreeBody& body) {
    const auto& looks = link.visual_array;
    const bool by_number = looks.size() == body.parts.size();
    for (std::size_t i = 0; i < body.parts.size() && !looks.empty(); ++i) {
      const urdf::Visual& look = *looks[by_number ? i : 0];
      if (!look.material) continue;
      give_texture(look.material->texture_filename, node, body.parts[i]);
      const urdf::Color& c = look.material->color;
      // Without a colour urdfdom says black, which would hide the picture.
      const bool is_said = !body.parts[i].texture || c.r > 0 || c.g > 0 || c.b > 0;
      if (c.a > 0 && is_said) body.parts[i].colour = colour_of_parts(c.r, c.g, c.b, c.a);
    }
  }

  /// Robots are often handed on without their pictures, which nothing needs that moves.
  void give_texture(const std::string& name, const XmlNode& node, TreePart& part) {
    if (name.empty()) return;
    try {
      const std::filesystem::path file = std::filesystem::absolute(resolved(name));
      if (!std::filesystem::is_regular_file(file)) throw Error(fmt::format("There is no picture '{}'.", file.string()));
      auto texture = std::make_shared<TreeTexture>();
      texture->file = file;
      part.texture = std::move(texture);
    } catch (const Error& error) {
      findings_.add(Kind::ignored, node.line, node.place(), fmt::format("<texture>: {} It is not shown.", error.message()));
    }
  }

  void add_child(const urdf::Joint& joint, int parent) {
    const XmlNode& node = *joint_nodes_.at(joint.name);
    Pose in_parent = pose(joint.parent_to_joint_origin_transform);
    std::vector<TreeJoint> joints = joints_of(joint, node);
    if (joints.size() == 1 && joints[0].lower == joints[0].upper && !joint.mimic) {
      findings_.add(Kind::ignored, node.line, node.place(),
                    fmt::format("Both limits are {:g}: the joint is a fixed one.", joints[0].lower));
      in_parent = in_parent * motion_of(joints[0], joints[0].lower);
      joints.clear();
    }
    if (joints.empty() && joint.mimic)
      findings_.add(Kind::not_supported, node.line, node.place(),
                    "<mimic>: a joint without one coordinate cannot follow another.");
    add(*model_.getLink(joint.child_link_name), parent, in_parent, std::move(joints));
  }

  std::optional<MassProperties> mass_of(const urdf::Link& link, const XmlNode& node) {
    if (!link.inertial) return std::nullopt;
    const urdf::Inertial& given = *link.inertial;
    Mat3 inertia;
    inertia << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz, given.iyz, given.izz;
    if (given.mass == 0 && inertia.isZero(0)) return std::nullopt;
    const Pose at = pose(given.origin);
    MassProperties mass{given.mass, at.position, at.rotation() * inertia * at.rotation().transpose()};
    node.child("inertial")->within([&] { validate(mass); });
    return mass;
  }

  void add_part(const urdf::Collision& collision, const XmlNode& node, TreeBody& body) {
    const XmlNode& shape_node = *node.child("geometry")->children.front();
    TreePart part;
    part.pose = pose(collision.origin);
    switch (collision.geometry->type) {
      case urdf::Geometry::SPHERE:
        part.shape = Sphere{static_cast<const urdf::Sphere&>(*collision.geometry).radius};
        break;
      case urdf::Geometry::BOX:
        part.shape = Box{vector(static_cast<const urdf::Box&>(*collision.geometry).dim) / 2};
        break;
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(*collision.geometry);
        part.shape = Cylinder{cylinder.radius, cylinder.length / 2};
        break;
      }
      case urdf::Geometry::MESH: {
        const auto& mesh = static_cast<const urdf::Mesh&>(*collision.geometry);
        if (!add_mesh_part(mesh, shape_node, part)) return;
        break;
      }
    }
    shape_node.within([&] { validate(part.shape); });
    body.parts.push_back(std::move(part));
  }

  /// @return whether there is something to add
  bool add_mesh_part(const urdf::Mesh& mesh, const XmlNode& node, TreePart& part) {
    const MeshImport as = options_.meshes.value_or(MeshImport::hull);
    const auto left_out = [&](const std::string& why) {
      findings_.add(Kind::not_supported, node.line, node.place(), fmt::format("<mesh>: left out{}.", why));
      return false;
    };
    if (as == MeshImport::none) return left_out(", as asked for");
    try {
      const std::filesystem::path file = resolved(mesh.filename);
      const Vec3 scale = vector(mesh.scale);
      if (as == MeshImport::hull) part.shape = make_convex_hull(mesh_of_file(file, scale).vertices);
      else set_mesh(part, tree_, add_mesh(tree_, file.stem().string(), file, scale), as);
    } catch (const Error& e) {
      if (!options_.meshes) return left_out(fmt::format(": {}", e.message()));
      node.fail(e.message());
    }
    if (as != MeshImport::mesh)
      findings_.add(Kind::approximated, node.line, node.place(),
                    as == MeshImport::hull ? "<mesh>: its convex hull is used." : "<mesh>: convex hulls cover it.");
    return true;
  }

  /// package://name/rest is looked for in the folders given and those around the file.
  std::filesystem::path resolved(const std::string& name) const {
    namespace fs = std::filesystem;
    if (name.starts_with("file://")) return name.substr(7);
    const fs::path folder = fs::absolute(file_).parent_path();
    if (!name.starts_with("package://")) return folder / name;
    const fs::path in_package = name.substr(10);
    const fs::path package = *in_package.begin(), rest = in_package.lexically_relative(package);
    std::vector<fs::path> candidates;
    for (const fs::path& given : options_.package_directories)
      candidates.insert(candidates.end(), {given / in_package, given / rest});
    for (fs::path up = folder;; up = up.parent_path()) {
      candidates.push_back(up / in_package);
      if (up.filename() == package) candidates.push_back(up / rest);
      if (up == up.parent_path()) break;
    }
    for (const fs::path& candidate : candidates)
      if (fs::exists(candidate)) return candidate;
    throw Error(fmt::format("'{}' is not found. Name the folder that holds the package '{}', or import without meshes.", name,
                            package.string()));
  }

  std::vector<TreeJoint> joints_of(const urdf::Joint& given, const XmlNode& node) {
    TreeJoint joint;
    joint.name = given.name;
    joint.source = {node.line, node.place()};
    joint.axis = vector(given.axis);
    const bool has_axis = given.type == urdf::Joint::REVOLUTE || given.type == urdf::Joint::CONTINUOUS ||
                          given.type == urdf::Joint::PRISMATIC || given.type == urdf::Joint::PLANAR;
    if (has_axis) {
      if (!(joint.axis.norm() > 1e-12)) node.child("axis")->fail("xyz", "A joint needs an axis that is not zero.");
      joint.axis.normalize();
    }
    if (given.dynamics) {
      joint.damping = given.dynamics->damping;
      joint.friction = given.dynamics->friction;
      const XmlNode& dynamics = *node.child("dynamics");
      if (joint.damping < 0) dynamics.fail("damping", "It must not be negative.");
      if (joint.friction < 0) dynamics.fail("friction", "It must not be negative.");
    }
    const auto unused = [&](const char* element, const char* why) {
      if (node.child(element)) findings_.add(Kind::ignored, node.line, node.place(), fmt::format("<{}>: {}", element, why));
    };
    switch (given.type) {
      case urdf::Joint::FIXED:
        for (const char* element : {"limit", "dynamics"}) unused(element, "a fixed joint has none.");
        return {};
      case urdf::Joint::FLOATING:
        joint.kind = Freedom::free;
        if (joint.damping > 0 || joint.friction > 0)
          findings_.add(Kind::not_supported, node.line, node.place(), "<dynamics>: a floating joint has none here.");
        unused("limit", "a floating joint has none.");
        return {joint};
      case urdf::Joint::PLANAR:
        return planar(joint, node);
      case urdf::Joint::PRISMATIC:
        joint.kind = Freedom::slide;
        break;
      default:
        joint.kind = Freedom::hinge;
    }
    const bool driven = !given.mimic && driven_.contains(given.name);
    if (given.limits) limit(joint, *given.limits, given.type != urdf::Joint::CONTINUOUS, driven, node);
    if (driven) joint.effort = TreeEffort{0, given.limits && given.limits->effort > 0 ? given.limits->effort : kNoLimit};
    if (given.mimic) add_mimic(*given.mimic, given.name, node);
    else if (options_.hold) {
      joint.servo = TreeServo{0, options_.hold->stiffness, options_.hold->damping};
      if (given.limits && given.limits->effort > 0) joint.servo->max_force = given.limits->effort;
    }
    return {joint};
  }

  /// The axis is the normal of the plane, in which the child slides and turns.
  std::vector<TreeJoint> planar(const TreeJoint& joint, const XmlNode& node) {
    if (joint.damping > 0 || joint.friction > 0 || node.child("limit"))
      findings_.add(Kind::not_supported, node.line, node.place(), "<limit> and <dynamics> of a planar joint.");
    const Mat3 frame = frame_from_normal(joint.axis);
    std::vector<TreeJoint> three(3);
    static constexpr const char* kNames[] = {"-x", "-y", "-turn"};
    for (int i = 0; i < 3; ++i) {
      TreeJoint& j = three[static_cast<std::size_t>(i)];
      j.name = joint.name + kNames[i];
      j.kind = i == 2 ? Freedom::hinge : Freedom::slide;
      j.axis = frame.col((i + 1) % 3);
      j.source = joint.source;
    }
    return three;
  }

  void limit(TreeJoint& joint, const urdf::JointLimits& limits, bool stops, bool driven, const XmlNode& node) {
    const XmlNode& limit_node = *node.child("limit");
    if (stops) {
      joint.lower = limits.lower;
      joint.upper = limits.upper;
      if (joint.lower > joint.upper)
        limit_node.fail("lower", fmt::format("It is above upper=\"{}\". Exchange them.", limits.upper));
    }
    if (!options_.hold && !driven)
      findings_.add(Kind::ignored, limit_node.line, limit_node.place(),
                    "<limit effort velocity>: bounds of a drive, and the joint has none.");
    else if (limits.velocity > 0)
      findings_.add(Kind::ignored, limit_node.line, limit_node.place(),
                    "<limit velocity>: a bound of the drive, which has none here.");
  }

  void add_mimic(const urdf::JointMimic& mimic, const std::string& follower, const XmlNode& node) {
    const XmlNode& mimic_node = *node.child("mimic");
    if (!joint_nodes_.contains(mimic.joint_name))
      mimic_node.fail("joint", fmt::format("There is no joint '{}'.", mimic.joint_name));
    if (mimic.multiplier == 0)
      mimic_node.fail("multiplier",
                      "A joint that follows another moves with it: give a multiplier other than 0, or a fixed joint.");
    tree_.gears.push_back(
        {follower + "-mimic", mimic.joint_name, follower, mimic.multiplier, {mimic_node.line, mimic_node.place()}});
    mimic_of_[follower] = &mimic;
  }

  /// Value at the start: 0, or the nearest that the limits allow; of a joint that follows another, what that asks for.
  double start_of(const std::string& name, std::size_t depth = 0) const {
    const auto mimic = mimic_of_.find(name);
    if (mimic != mimic_of_.end()) {
      if (depth > mimic_of_.size())
        joint_nodes_.at(name)->child("mimic")->fail("joint", "Joints follow each other in a circle.");
      return mimic->second->multiplier * start_of(mimic->second->joint_name, depth + 1) + mimic->second->offset;
    }
    const urdf::Joint& joint = *model_.getJoint(name);
    if (!joint.limits || (joint.type != urdf::Joint::REVOLUTE && joint.type != urdf::Joint::PRISMATIC)) return 0;
    return std::clamp(0.0, joint.limits->lower, joint.limits->upper);
  }

  void place(TreeJoint& joint) {
    if (joint.kind != Freedom::hinge && joint.kind != Freedom::slide) return;
    if (!joint_nodes_.contains(joint.name)) return;   // one of the three of a planar joint
    joint.start = start_of(joint.name);
    if (joint.servo) joint.servo->target = joint.start;
    const bool follows = mimic_of_.contains(joint.name);
    if (!follows && joint.start != 0)
      findings_.add(Kind::approximated, joint.source.line, joint.source.place,
                    fmt::format("0 is outside the limits: the joint starts at {:.6g} instead.", joint.start));
    if (follows && (joint.start < joint.lower || joint.start > joint.upper))
      findings_.add(Kind::approximated, joint.source.line, joint.source.place,
                    fmt::format("<mimic> asks for {:.6g} at the start, which is outside the limits.", joint.start));
  }

  const std::filesystem::path& file_;
  const urdf::ModelInterface& model_;
  const ImportOptions& options_;
  Findings& findings_;
  Tree tree_;
  std::map<std::string, const XmlNode*> link_nodes_, joint_nodes_;
  std::set<std::string> driven_;   ///< joints that transmissions name
  std::map<std::string, const urdf::JointMimic*> mimic_of_;
};

}   // namespace

}   // namespace robot

ImportedScene import_urdf(const std::filesystem::path& file, const ImportOptions& options) {
  using namespace robot;
  try {
    std::string text;
    const std::unique_ptr<XmlNode> root = load_xml(file, false, &text);
    if (root->name != "robot") root->fail(fmt::format("<{}> is not the root of a URDF file, which is <robot>.", root->name));
    Findings findings;
    walk_urdf(*root, findings);
    check_urdf_tree(*root);
    const urdf::ModelInterfaceSharedPtr model = parse(text);
    Tree tree = UrdfReader(file, *root, *model, options, findings).read();
    tree.folder = std::filesystem::absolute(file).parent_path();
    report_unread(*root, findings);
    ImportedScene scene;
    scene.document = write_document(std::move(tree), options, findings);
    scene.findings = findings.finish(options.strict, file);
    return scene;
  } catch (Error& e) {
    throw e.in(file.string());
  }
}

}   // namespace stickslip
