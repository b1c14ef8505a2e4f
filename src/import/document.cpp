#include "import/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stickslip/geometry/aabb.h"
#include "stickslip/math/error.h"
#include "stickslip/world/joint.h"

namespace stickslip::robot {

namespace {

/// Part of the mass of a body that a body between two of its joints gets: small enough not to be noticed, large enough for all
/// solvers.
constexpr double kBetween = 0.01;

class Writer {
 public:
  Writer(Tree tree, const ImportOptions& options, Findings& findings)
      : tree_(std::move(tree)), options_(options), findings_(findings), poses_(poses_at_start(tree_)) {}

  std::string write() {
    name_bodies();
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i)
      if (tree_.bodies[i].alive) write_body(static_cast<int>(i));
    for (const TreeLoop& loop : tree_.loops) write_loop(loop);
    for (const TreeGear& gear : tree_.gears) write_gear(gear);
    for (const TreeLine& line : tree_.lines) write_line(line);
    for (const TreeSensor& sensor : tree_.sensors) write_sensor(sensor);
    const bool overlap = keep_apart();
    if (options_.ground) add_ground();

    Json scene = {{"schema", 1}, {"name", tree_.name}};
    if (!tree_.description.empty()) scene["description"] = tree_.description;
    scene["gravity"] = json_of(tree_.gravity);
    if (tree_.h) scene["step"] = Json::object({{"h", *tree_.h}});
    write_materials(scene);
    if (!tree_.meshes.empty()) scene["meshes"] = meshes_json(document_folder());
    scene["bodies"] = std::move(bodies_);
    if (!joints_.empty()) scene["joints"] = std::move(joints_);
    if (!sensors_.empty()) scene["sensors"] = std::move(sensors_);
    if (!apart_.empty()) {
      Json& list = scene["ignore_contacts"] = Json::array();
      for (const auto& [a, b] : apart_) list.push_back(Json::array({names_[at(a)], names_[at(b)]}));
    }
    if (overlap) scene["allow_overlap"] = true;
    return document::write_json(scene);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const TreeBody& body(int i) const { return tree_.bodies[at(i)]; }

  /// A name that nothing in `used` has.
  static std::string unused(std::string name, std::set<std::string>& used) {
    std::string result = name;
    for (int n = 2; !used.insert(result).second; ++n) result = fmt::format("{}-{}", name, n);
    return result;
  }

  void name_bodies() {
    std::set<std::string> given;
    for (const TreeBody& b : tree_.bodies) given.insert(b.name);
    used_bodies_ = {"world"};   // what joints call the world
    for (const TreeBody& b : tree_.bodies)
      names_.push_back(unused(b.name.empty() ? "body" : b.name == "world" ? "world-link" : b.name, used_bodies_));
    used_bodies_.insert(given.begin(), given.end());
  }

  Json shape_json(const TreePart& part) const {
    if (part.heights) {
      Json rows = Json::array();
      const HeightField& h = *part.heights;
      for (std::size_t i = 0; i < h.heights.size(); ++i) {
        if (i % at(h.columns) == 0) rows.push_back(Json::array());
        rows.back().push_back(h.heights[i]);
      }
      return {{"type", "height-field"}, {"size", {h.size.x(), h.size.y()}}, {"base", h.base}, {"heights", std::move(rows)}};
    }
    if (part.mesh < 0) return json_of(part.shape);
    Json shape = {{"type", "mesh"}, {"mesh", tree_.meshes[at(part.mesh)].name}};
    if (part.as_hulls) shape["as"] = "hulls";
    return shape;
  }

  std::filesystem::path document_folder() const {
    return options_.document_folder.empty() ? tree_.folder : std::filesystem::absolute(options_.document_folder);
  }

  static std::string file_from(const std::filesystem::path& folder, const std::filesystem::path& file) {
    const std::filesystem::path relative = file.lexically_normal().lexically_relative(folder.lexically_normal());
    return (relative.empty() ? file : relative).generic_string();
  }

  /// @param folder that names of files are relative to
  Json meshes_json(const std::filesystem::path& folder) const {
    Json list = Json::array();
    for (const TreeMesh& mesh : tree_.meshes) {
      Json json = {{"name", mesh.name}};
      if (mesh.file.empty()) {
        const TriangleMesh& triangles = mesh.solid->mesh();
        json["vertices"] = Json::array();
        for (const Vec3& v : triangles.vertices) json["vertices"].push_back(json_of(v));
        json["triangles"] = triangles.triangles;
      } else {
        json["file"] = file_from(folder, mesh.file);
        json["up"] = "z";
        if (mesh.scale != Vec3::Ones()) json["scale"] = json_of(mesh.scale);
      }
      json["checksum"] = checksum_text(mesh.solid->checksum());
      list.push_back(std::move(json));
    }
    return list;
  }

  Json texture_json(const TreeTexture& texture) const {
    Json json = Json::object();
    if (!texture.file.empty()) json["file"] = file_from(document_folder(), texture.file);
    else json = {{"pattern", texture.pattern}, {"colors", {colour_name(texture.colours[0]), colour_name(texture.colours[1])}}};
    if (texture.size[0] > 0) json["size"] = texture.size;
    else if (texture.repeat != std::array{1.0, 1.0}) json["repeat"] = texture.repeat;
    return json;
  }

  Json parts_json(const TreeBody& b) const {
    Json parts = Json::array();
    for (const TreePart& part : b.parts) {
      Json json = Json::object({{"shape", shape_json(part)}});
      put_pose(json, part.pose);
      if (part.material >= 0) json["material"] = tree_.materials[at(part.material)].name;
      if (part.colour) json["color"] = colour_name(*part.colour);
      if (part.texture) json["texture"] = texture_json(*part.texture);
      parts.push_back(std::move(json));
    }
    return parts;
  }

  static Json mass_json(const MassProperties& mass) {
    Json rows = Json::array();
    for (int i = 0; i < 3; ++i) rows.push_back(json_of(Vec3(mass.inertia.row(i))));
    return {{"mass", mass.mass}, {"center", json_of(mass.center)}, {"inertia", std::move(rows)}};
  }

  void add_body(const std::string& name, const Pose& pose, const std::optional<MassProperties>& mass, Json parts) {
    Json json = Json::object({{"name", name}});
    if (!mass) json["motion"] = "fixed";
    put_pose(json, pose);
    if (mass) json["mass_properties"] = mass_json(*mass);
    json["parts"] = std::move(parts);
    bodies_.push_back(std::move(json));
  }

  void write_body(int index) {
    const TreeBody& b = body(index);
    if (tree_.is_static(index)) {
      if (!b.parts.empty()) add_body(names_[at(index)], poses_[at(index)], std::nullopt, parts_json(b));
      return;
    }
    for (const TreePart& part : b.parts)
      if (std::holds_alternative<HalfSpace>(part.shape))
        throw Error(fmt::format("{}: '{}' moves and has a plane. Only what is held by the world can have one; give it a box.",
                                b.source.place, b.name));
    MassProperties mass = *b.mass;
    const std::vector<JointGroup> groups = b.is_free() ? std::vector<JointGroup>() : grouped(b.joints);
    if (groups.size() > 1) {
      const double part = kBetween * static_cast<double>(groups.size() - 1);
      mass.mass *= 1 - part;
      mass.inertia *= 1 - part;
      findings_.add(Kind::approximated, b.source.line, b.source.place,
                    fmt::format("Its {} joints are not one joint of a scene: {} {:g} % of its mass and inertia between them.",
                                b.joints.size(),
                                groups.size() == 2 ? "a small body stands with"
                                                   : fmt::format("{} small bodies stand, each with", groups.size() - 1),
                                100 * kBetween));
    }
    add_body(names_[at(index)], poses_[at(index)], mass, parts_json(b));
    if (b.is_free()) return;
    if (b.joints.empty()) write_fixed(index);
    else write_chain(index, groups);
  }

  /// The body of the scene that a joint to `parent` is made with, and its frame; the world where nothing stands for it.
  std::pair<std::string, Pose> holder(int parent) const {
    if (!tree_.is_static(parent)) return {names_[at(parent)], poses_[at(parent)]};
    if (!tree_.mujoco_contacts)
      for (int i = parent; i != kWorld; i = body(i).parent)
        if (!body(i).parts.empty()) return {names_[at(i)], poses_[at(i)]};
    return {"world", Pose{}};
  }

  void write_fixed(int index) {
    const auto [a, pose_a] = holder(body(index).parent);
    JointGroup fixed;
    fixed.type = "fixed";
    const std::string name = held_by_[index] = unused(names_[at(index)] + "-fixed", used_joints_);
    joints_.push_back(json_of(fixed, name, a, pose_a.inverse() * poses_[at(index)], names_[at(index)], Pose{}));
    note_joined(body(index).parent, index);
  }

  void write_chain(int index, const std::vector<JointGroup>& groups) {
    const TreeBody& b = body(index);
    auto [a, pose_a] = holder(b.parent);
    const Pose parent_pose = b.parent == kWorld ? Pose{} : poses_[at(b.parent)];
    Pose zero =
        pose_a.inverse() * (parent_pose * b.in_parent);   // the frame of the body with the joints to come at 0, seen from a
    Pose pose = parent_pose * b.in_parent;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const JointGroup& group = groups[g];
      std::string joint_name;
      for (const auto& member : group.members) {
        pose = pose * motion_of(*member.joint, member.joint->start);
        joint_name += (joint_name.empty() ? "" : "+") + member.joint->name;
      }
      std::string b_name = names_[at(index)];
      if (g + 1 < groups.size()) {
        b_name = unused(fmt::format("{}-between", names_[at(index)]), used_bodies_);
        MassProperties mass = *b.mass;
        mass.mass *= kBetween;
        mass.inertia *= kBetween;
        pose.orientation.normalize();
        add_body(b_name, pose, mass, Json::array());
      }
      joint_name = unused(joint_name, used_joints_);
      for (const auto& member : group.members)
        if (group.type != "ball") coordinate_of_[member.joint->name] = {joint_name, member.coordinate, member.sign};
      joints_.push_back(json_of(group, joint_name, a, zero * group.frame, b_name, group.frame));
      held_by_[index] = joint_name;
      a = b_name;
      zero = Pose{};
    }
    if (groups.size() == 1) note_joined(b.parent, index);
    else if (!(tree_.mujoco_contacts && tree_.is_static(b.parent)))
      if (const int parent = touching(b.parent); parent != kWorld && !b.parts.empty())
        apart_.insert(std::minmax(parent, index));
  }

  /// The body that stands for `parent` in the scene; the world if none does.
  int touching(int parent) const {
    if (!tree_.is_static(parent)) return parent;
    for (int i = parent; i != kWorld; i = body(i).parent)
      if (!body(i).parts.empty()) return i;
    return kWorld;
  }
  void note_joined(int parent, int child) {
    if (tree_.mujoco_contacts && tree_.is_static(parent)) return;   // joined to the world: contacts stay
    if (const int p = touching(parent); p != kWorld) joined_.insert(std::minmax(p, child));
  }

  void write_loop(const TreeLoop& loop) {
    const auto [a, in_a] = tree_.owner(loop.a);
    const auto [b, in_b] = tree_.owner(loop.b);
    if (tree_.is_static(a) && tree_.is_static(b)) {
      findings_.add(Kind::ignored, loop.source.line, loop.source.place,
                    "It holds together what the world holds anyway: left out.");
      return;
    }
    const auto pose = [&](int i) { return tree_.is_static(i) ? (i == kWorld ? Pose{} : poses_[at(i)]) : poses_[at(i)]; };
    const Pose world_a = pose(a) * in_a * loop.frame_a;
    const Pose frame_b = loop.frame_b_at_start ? pose(b).inverse() * world_a : in_b * loop.frame_b;
    // The moving one is b if the other is the world.
    JointGroup group;
    group.type = loop.ball ? "ball" : "fixed";
    TreeJoint plain;
    group.members = {{&plain, joint_turn_z, 1.0}};
    const auto name = unused(loop.name, used_joints_);
    const auto named = [&](int i) { return tree_.is_static(i) ? std::string("world") : names_[at(i)]; };
    const Pose at_a = tree_.is_static(a) ? world_a : in_a * loop.frame_a,
               at_b = tree_.is_static(b) ? pose(b) * frame_b : frame_b;
    Json joint = tree_.is_static(b) ? json_of(group, name, "world", at_b, named(a), at_a)
                                    : json_of(group, name, named(a), at_a, named(b), at_b);
    joint["collide"] = true;
    joints_.push_back(std::move(joint));
  }

  void write_gear(const TreeGear& gear) {
    const auto first = coordinate_of_.find(gear.first), second = coordinate_of_.find(gear.second);
    if (first == coordinate_of_.end() || second == coordinate_of_.end()) {
      findings_.add(Kind::not_supported, gear.source.line, gear.source.place,
                    fmt::format("'{}' couples '{}' and '{}', and not both of them are a joint with one coordinate.", gear.name,
                                gear.first, gear.second));
      return;
    }
    const auto side = [](const SceneCoordinate& c) {
      return Json({{"joint", c.joint}, {"coordinate", std::string(joint_coordinate_name(c.coordinate))}});
    };
    joints_.push_back({{"name", unused(gear.name, used_joints_)},
                       {"type", "gear"},
                       {"first", side(first->second)},
                       {"second", side(second->second)},
                       {"ratio", gear.ratio * first->second.sign * second->second.sign}});
  }

  /// Where a body of the tree is in the scene: the body that it became part of, or the world, and its frame there.
  std::pair<int, Pose> place_of(int index) const {
    const auto [owner, in_owner] = tree_.owner(index);
    if (owner == kWorld || (tree_.is_static(owner) && body(owner).parts.empty()))
      return {kWorld, (owner == kWorld ? Pose{} : poses_[at(owner)]) * in_owner};
    return {owner, in_owner};
  }

  void write_line(const TreeLine& line) {
    JointGroup group;
    group.type = "distance";
    std::array<std::string, 2> names;
    std::array<Pose, 2> frames;
    std::array<Vec3, 2> points;
    bool moves = false;
    for (std::size_t k = 0; k < 2; ++k) {
      auto [owner, in_owner] = place_of(line.body[k]);
      if (owner != kWorld && tree_.is_static(owner)) in_owner = poses_[at(owner)] * in_owner, owner = kWorld;
      names[k] = owner == kWorld ? "world" : names_[at(owner)];
      frames[k].position = in_owner * line.point[k];
      points[k] = owner == kWorld ? frames[k].position : poses_[at(owner)] * frames[k].position;
      moves = moves || owner != kWorld;
    }
    if (!moves || names[0] == names[1]) {
      findings_.add(Kind::ignored, line.source.line, line.source.place, "Both its ends are on one body: left out.");
      return;
    }
    TreeJoint settings = line.settings;
    if (settings.rest < 0) settings.rest = (points[1] - points[0]).norm();
    group.members = {{&settings, joint_x, 1.0}};
    const std::string name = unused(line.name, used_joints_);
    coordinate_of_[tendon_key(line.name)] = {name, joint_x, 1.0};
    const bool swap = names[1] == "world";   // the moving one is b
    Json joint = json_of(group, name, names[swap], frames[swap], names[!swap], frames[!swap]);
    joint["collide"] = true;
    joints_.push_back(std::move(joint));
  }

  void write_sensor(const TreeSensor& sensor) {
    const auto left_out = [&](const std::string& why) {
      findings_.add(Kind::ignored, sensor.source.line, sensor.source.place, why);
    };
    std::string name = sensor.name;   // it becomes part of the names of columns and datasets
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == ',' || c == '"'; }, '-');
    Json json = {{"name", unused(name, used_sensors_)}};
    const auto [owner, in_owner] = place_of(sensor.body);
    const Pose frame = in_owner * sensor.frame;
    if (sensor.kind == TreeSensor::joint_state) {
      const auto found = coordinate_of_.find(sensor.joint);
      if (found == coordinate_of_.end())
        return left_out("It measures a joint or tendon without a coordinate of the scene: left out.");
      const auto& [joint, coordinate, sign] = found->second;
      for (const TreeLine& line : tree_.lines)
        if (line.beside > 0 && tendon_key(line.name) == sensor.joint)
          left_out(fmt::format("The position is that of the part that changes: add {:g} m.", line.beside));
      if (sign < 0) left_out("Its joint turns the other way in the scene: the values have the other sign.");
      json.update({{"type", "joint"}, {"joint", joint}, {"coordinate", std::string(joint_coordinate_name(coordinate))}});
    } else if (sensor.kind == TreeSensor::ray) {
      json.update({{"type", "ray"},
                   {"body", owner == kWorld ? "world" : names_[at(owner)]},
                   {"origin", json_of(frame.position)},
                   {"direction", json_of(Vec3(frame.orientation * Vec3::UnitZ()))}});
      if (sensor.range < kNoLimit) json["range"] = sensor.range;
    } else if (owner == kWorld || tree_.is_static(owner)) {
      return left_out("It measures a body that does not move: left out.");
    } else if (sensor.kind == TreeSensor::load) {
      const auto joint = held_by_.find(owner);
      if (owner != sensor.body || joint == held_by_.end())
        return left_out("No joint holds its body: left out. (A body that became part of another feels nothing from it.)");
      json.update({{"type", "load"}, {"joint", joint->second}});
      put_pose(json, frame);
    } else if (sensor.kind == TreeSensor::frame_state) {
      json.update({{"type", "frame"}, {"body", names_[at(owner)]}});
      put_pose(json, frame);
      const auto [from, in_from] = place_of(sensor.from);
      Json& seen_from = json["from"] = {{"body", from == kWorld ? "world" : names_[at(from)]}};
      put_pose(seen_from, in_from * sensor.from_frame);
      if (sensor.own_axes) json["axes"] = "own";
    } else {
      json.update({{"type", sensor.kind == TreeSensor::contact ? "contact" : "inertial"}, {"body", names_[at(owner)]}});
      if (sensor.kind == TreeSensor::inertial) put_pose(json, frame);
    }
    sensors_.push_back(std::move(json));
  }

  /// Collects the pairs that do not touch. @return whether bodies of different trees overlap
  bool keep_apart() {
    for (const auto& [a, b] : tree_.apart) {
      const int i = tree_.owner(a).first, j = tree_.owner(b).first;
      if (i != j && i != kWorld && j != kWorld && !body(i).parts.empty() && !body(j).parts.empty())
        apart_.insert(std::minmax(i, j));
    }
    if (tree_.mujoco_contacts) keep_apart_as_mujoco(tree_, apart_, findings_);
    for (const auto& pair : joined_) apart_.erase(pair);
    std::map<std::string, int> index_of;
    for (std::size_t i = 0; i < names_.size(); ++i) index_of[names_[i]] = static_cast<int>(i);
    bool overlap = false;
    Json plain = bodies_;   // names of pictures are relative to another folder, and nothing touches them
    for (Json& b : plain)
      for (Json& part : b["parts"]) part.erase("texture");
    for (const StartOverlap& o : overlaps_at_start(plain, meshes_json(tree_.folder), tree_.folder, index_of)) {
      const std::pair<int, int> pair = std::minmax(o.a, o.b);
      if (apart_.contains(pair) || joined_.contains(pair)) continue;
      const bool one_tree = root_of(o.a) == root_of(o.b);
      findings_.add(Kind::approximated, body(o.b).source.line, body(o.b).source.place,
                    fmt::format("'{}' and '{}' overlap by {:.3g} mm at the start: {}.", names_[at(o.a)], names_[at(o.b)],
                                1000 * o.depth, one_tree ? "they do not touch each other" : "they are pushed apart"));
      if (one_tree) apart_.insert(pair);
      else overlap = true;
    }
    return overlap;
  }
  int root_of(int index) const {
    while (body(index).parent != kWorld) index = body(index).parent;
    return index;
  }

  void write_materials(Json& scene) const {
    if (tree_.materials.empty()) return;
    Json& list = scene["materials"] = Json::array();
    for (const TreeMaterial& m : tree_.materials) list.push_back({{"name", m.name}, {"friction", m.friction}});
    if (tree_.maximum_friction) scene["combine"] = Json::object({{"friction", "maximum"}});
    if (tree_.pair_friction.empty()) return;
    Json& pairs = scene["material_pairs"] = Json::array();
    for (const auto& [pair, friction] : tree_.pair_friction)
      pairs.push_back({{"between", Json::array({tree_.materials[at(pair.first)].name, tree_.materials[at(pair.second)].name})},
                       {"friction", friction}});
  }

  void add_ground() {
    double lowest = kNoLimit;
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i) {
      if (!tree_.bodies[i].alive) continue;
      for (const TreePart& part : tree_.bodies[i].parts)
        if (!std::holds_alternative<HalfSpace>(part.shape))
          lowest = std::min(lowest, bounding_box(part.shape, poses_[i] * part.pose).lower.z());
    }
    Json ground = {
        {"name", unused("ground", used_bodies_)}, {"motion", "fixed"}, {"shape", Json::object({{"type", "half-space"}})}};
    if (std::isfinite(lowest) && lowest != 0) ground["position"] = json_of(Vec3(0, 0, lowest));
    bodies_.push_back(std::move(ground));
  }

  Tree tree_;
  const ImportOptions& options_;
  Findings& findings_;
  std::vector<Pose> poses_;
  std::vector<std::string> names_;
  std::set<std::string> used_bodies_, used_joints_, used_sensors_;
  std::map<std::string, SceneCoordinate> coordinate_of_;
  std::map<int, std::string> held_by_;   ///< body → the joint whose B it is
  Json bodies_ = Json::array(), joints_ = Json::array(), sensors_ = Json::array();
  Pairs joined_, apart_;
};

}   // namespace

std::string write_document(Tree tree, const ImportOptions& options, Findings& findings) {
  remove_massless(tree, options.merge_fixed, findings);
  return Writer(std::move(tree), options, findings).write();
}

}   // namespace stickslip::robot
