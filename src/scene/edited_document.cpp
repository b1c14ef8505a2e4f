#include "scene/edited_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stickslip/math/error.h"

namespace stickslip::document {

namespace {

Json json_of(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Vec3 vector_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? Vec3(Vec3::Zero()) : Vec3((*at)[0].get<double>(), (*at)[1].get<double>(), (*at)[2].get<double>());
}

std::array<int, 3> counts_of(const Json& entry) {
  const auto repeat = entry.find("repeat");
  if (repeat == entry.end()) return {1, 1, 1};
  const Json& count = repeat->at("count");
  return {count[0].get<int>(), count[1].get<int>(), count[2].get<int>()};
}

/// The entry of an array of objects that is called so, or null.
Json* called(Json& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Json& entry) { return entry.value("name", "") == name; });
  return found == list.end() ? nullptr : &*found;
}

/// Those that files are named by.
void make_files_absolute(Json& json, const std::filesystem::path& folder) {
  const auto put = [&](Json& name) {
    if (name.is_string()) name = std::filesystem::absolute(folder / name.get<std::string>()).lexically_normal().string();
  };
  if (json.is_object()) {
    for (const char* name : {"file", "texture"})
      if (const auto file = json.find(name); file != json.end()) put(*file);
    if (const auto soft = json.find("soft"); soft != json.end() && soft->is_object() && soft->contains("mesh"))
      put((*soft)["mesh"]);
  }
  if (json.is_structured())
    for (Json& child : json) make_files_absolute(child, folder);
}

void put_coefficients(Json& entry, const Coefficients& c) {
  if (c.friction) entry["friction"] = *c.friction;
  if (c.restitution) entry["restitution"] = *c.restitution;
  if (c.tangential_restitution) entry["tangential_restitution"] = *c.tangential_restitution;
}

}   // namespace

EditedDocument::EditedDocument(const Scene& scene) : folder_(scene.folder) {
  const World& world = scene.world;
  if (!scene.document.empty()) json_ = parse_json(scene.document, scene.name);
  std::vector<std::string> names;
  for (const Body& body : world.bodies())
    if (body.alive) names.push_back(body.name);
  for (const Joint& joint : world.joints())
    if (joint.alive) joints_.push_back(joint.description.name);
  std::size_t next = 0;
  if (json_.is_object() && json_.contains("bodies"))
    for (const Json& entry : json_["bodies"]) {
      const std::array<int, 3> counts = counts_of(entry);
      std::vector<std::string>& made = made_.emplace_back();
      for (int i = 0; i < counts[0] * counts[1] * counts[2] && next < names.size(); ++i) made.push_back(names[next++]);
    }
  const std::size_t joints = json_.is_object() && json_.contains("joints") ? json_["joints"].size() : 0;
  if (!json_.is_object() || next != names.size() || joints != joints_.size())
    throw Error(
        "This scene has no document that makes its bodies and joints, so it cannot be edited. Start it from a scene file.");
}

void EditedDocument::set_gravity(const Vec3& gravity) { json_["gravity"] = json_of(gravity); }

void EditedDocument::set_step(double h, const std::string& solver, const std::string& solver_at_start) {
  json_["step"]["h"] = h;
  if (solver != solver_at_start) json_["step"]["solver"] = solver;
}

void EditedDocument::set_material(const std::string& name, const Coefficients& coefficients) {
  if (!json_.contains("materials")) json_["materials"] = Json::array();
  Json* entry = called(json_["materials"], name);
  if (entry == nullptr) entry = &json_["materials"].emplace_back(Json{{"name", name}});
  put_coefficients(*entry, coefficients);
}

void EditedDocument::set_pair(const std::string& a, const std::string& b, const Coefficients& coefficients) {
  for (Json& pair : json_["material_pairs"]) {
    const std::string first = pair["between"][0], second = pair["between"][1];
    if ((first == a && second == b) || (first == b && second == a)) put_coefficients(pair, coefficients);
  }
}

void EditedDocument::set_joint(const std::string& name, int coordinate, const JointAxis& axis) {
  const auto at = std::find(joints_.begin(), joints_.end(), name);
  Json& joint = json_["joints"][static_cast<std::size_t>(at - joints_.begin())];
  const std::string type = joint.value("type", "");
  const bool direct = type == "hinge" || type == "prismatic" || type == "distance";
  Json& settings = direct ? joint : joint["axes"][std::string(joint_coordinate_name(coordinate))];
  if (std::isfinite(axis.lower)) settings["lower"] = axis.lower;
  if (std::isfinite(axis.upper)) settings["upper"] = axis.upper;
  if (axis.motor && axis.motor->path.empty()) {
    settings["motor"].erase("path");
    settings["motor"]["speed"] = axis.motor->speed;
  }
  if (axis.effort && axis.effort->path.empty()) {
    if (!settings["effort"].is_object()) settings["effort"] = Json::object();
    settings["effort"].erase("path");
    settings["effort"]["force"] = axis.effort->force;
  }
  if (axis.servo && axis.servo->path.empty()) {
    settings["servo"].erase("path");
    settings["servo"]["target"] = axis.servo->target;
  }
}

/// The entry that makes this body and no other.
Json& EditedDocument::entry_of(const std::string& body) {
  for (std::size_t i = 0; i < made_.size(); ++i)
    if (std::find(made_[i].begin(), made_[i].end(), body) != made_[i].end()) return json_["bodies"][take_apart(i, body)];
  throw Error(fmt::format("The document does not make a body '{}'.", body));
}

/// Writes an entry that repeats as one for each copy. @returns where the one of this body is then
std::size_t EditedDocument::take_apart(std::size_t entry, const std::string& body) {
  const std::vector<std::string> names = made_[entry];
  const Json whole = json_["bodies"][entry];
  if (!whole.contains("repeat")) return entry;
  const std::array<int, 3> counts = counts_of(whole);
  const Vec3 step = vector_in(whole["repeat"], "step"), from = vector_in(whole, "position");
  Json list = Json::array();
  std::vector<std::vector<std::string>> made;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (i != entry) {
      list.push_back(std::move(json_["bodies"][i]));
      made.push_back(std::move(made_[i]));
      continue;
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      const int n = static_cast<int>(k);
      Json one = whole;
      one.erase("repeat");
      one["name"] = names[k];
      one["position"] =
          json_of(from + step.cwiseProduct(Vec3(n % counts[0], n / counts[0] % counts[1], n / (counts[0] * counts[1]))));
      list.push_back(std::move(one));
      made.push_back({names[k]});
    }
  }
  json_["bodies"] = std::move(list);
  made_ = std::move(made);
  return entry + static_cast<std::size_t>(std::find(names.begin(), names.end(), body) - names.begin());
}

void EditedDocument::move_body(const std::string& name, const Vec3& by) {
  Json& entry = entry_of(name);
  entry["position"] = json_of(vector_in(entry, "position") + by);
}

void EditedDocument::set_velocity(const std::string& name, const Vec3& velocity) {
  entry_of(name)["velocity"] = json_of(velocity);
}

void EditedDocument::scale_mass(const std::string& name, double factor, double mass) {
  Json& entry = entry_of(name);
  const auto properties = entry.find("mass_properties");
  if (properties == entry.end()) {
    entry["mass"] = mass;
    return;
  }
  (*properties)["mass"] = mass;
  for (Json& row : (*properties)["inertia"]) {
    if (row.is_number()) row = row.get<double>() * factor;
    else
      for (Json& x : row) x = x.get<double>() * factor;
  }
}

/// Names that follow from places in lists change when something is taken out: all get the one that they have.
void EditedDocument::name_all() {
  for (std::size_t i = 0; i < made_.size(); ++i)
    if (Json& entry = json_["bodies"][i]; !entry.contains("name")) {
      if (entry.contains("repeat")) return static_cast<void>((take_apart(i, made_[i].front()), name_all()));
      entry["name"] = made_[i].front();
    }
  for (std::size_t i = 0; i < joints_.size(); ++i) json_["joints"][i]["name"] = joints_[i];
}

bool EditedDocument::is_of_body(const Json& joint, const std::string& body) const {
  return joint.value("a", "") == body || joint.value("b", "") == body;
}

/// With gears that couple them.
void EditedDocument::remove_joints(const std::function<bool(const Json&)>& unwanted) {
  const auto couples_missing = [&](const Json& joint) {
    for (const char* side : {"first", "second"})
      if (joint.contains(side) && std::find(joints_.begin(), joints_.end(), joint[side].value("joint", "")) == joints_.end())
        return true;
    return false;
  };
  for (int round = 0; round < 2; ++round)   // joints, then gears that coupled them
    for (std::size_t i = joints_.size(); i-- > 0;)
      if (const Json& joint = json_["joints"][i]; round == 0 ? unwanted(joint) : couples_missing(joint)) {
        json_["joints"].erase(i);
        joints_.erase(joints_.begin() + static_cast<std::ptrdiff_t>(i));
      }
}

namespace {

/// What a document of now could not go on with. @throws Error
void check_timeless(const World& world, const Json& json) {
  const auto refuse = [](const std::string& what) {
    throw Error(what +
                " A scene file cannot begin in the middle of it. `stickslip run … --checkpoint FILE.h5` keeps everything.");
  };
  for (const Body& body : world.bodies()) {
    if (!body.alive) continue;
    if (!body.is_rigid()) refuse(fmt::format("'{}' is made of nodes, which are somewhere else now.", body.name));
    if (body.motion == MotionType::kinematic && !std::holds_alternative<ConstantVelocity>(body.script))
      refuse(fmt::format("'{}' follows a script.", body.name));
  }
  for (const Joint& joint : world.joints())
    for (const JointAxis& axis : joint.description.axes)
      if (joint.alive && ((axis.servo && !axis.servo->path.empty()) || (axis.motor && !axis.motor->path.empty()) ||
                          (axis.effort && !axis.effort->path.empty())))
        refuse(fmt::format("The joint '{}' follows a path.", joint.description.name));
  if (json.contains("controls")) refuse("The scene follows controls from a file.");
}

Json frame_json(const Pose& pose) {
  const Quat& q = pose.orientation;
  return {{"position", json_of(pose.position)}, {"orientation_wxyz", Json::array({q.w(), q.x(), q.y(), q.z()})}};
}

}   // namespace

void EditedDocument::set_state(const World& world) {
  check_timeless(world, json_);
  name_all();
  for (const Body& body : world.bodies()) {
    if (!body.alive) continue;
    Json& entry = entry_of(body.name);
    entry.erase("rotation");
    entry.update(frame_json(body.frame()));
    if (body.motion == MotionType::fixed) continue;
    entry["velocity"] = json_of(body.velocity);
    entry["angular_velocity"] = json_of(body.angular_velocity);
  }
  for (const Joint& joint : world.joints()) {
    const JointDescription& d = joint.description;
    if (!joint.alive || d.type == JointType::gear) continue;
    if (joint.broken) {
      remove_joints([&](const Json& entry) { return entry["name"] == d.name; });
      continue;
    }
    Json& entry =
        json_["joints"][static_cast<std::size_t>(std::find(joints_.begin(), joints_.end(), d.name) - joints_.begin())];
    for (const char* at_the_start : {"anchor", "anchor_b", "axis", "x_axis"}) entry.erase(at_the_start);
    entry["frame_a"] = frame_json(d.frame_a);
    entry["frame_b"] = frame_json(d.frame_b);
    if (d.type == JointType::distance && d.axes[joint_x].locked) entry["length"] = d.length;
  }
}

void EditedDocument::remove_body(const std::string& name) {
  name_all();
  entry_of(name);
  const auto at = std::find(made_.begin(), made_.end(), std::vector{name}) - made_.begin();
  json_["bodies"].erase(static_cast<std::size_t>(at));
  made_.erase(made_.begin() + at);
  remove_joints([&](const Json& joint) { return is_of_body(joint, name); });
  if (json_.contains("ignore_contacts")) {
    Json kept = Json::array();
    for (const Json& pair : json_["ignore_contacts"])
      if (pair[0] != name && pair[1] != name) kept.push_back(pair);
    json_["ignore_contacts"] = std::move(kept);
  }
  for (Json& body : json_["bodies"]) {
    if (!body.contains("soft") || !body["soft"].contains("pins")) continue;
    Json kept = Json::array();
    for (const Json& pin : body["soft"]["pins"])
      if (pin.value("body", "") != name) kept.push_back(pin);
    body["soft"]["pins"] = std::move(kept);
  }
}

std::string EditedDocument::copy_body(const std::string& name, const std::string& copy, const Pose& pose) {
  name_all();
  Json entry = entry_of(name);
  entry["name"] = copy;
  entry["position"] = json_of(pose.position);
  for (const char* other : {"rotation", "velocity", "angular_velocity"}) entry.erase(other);
  const Quat& q = pose.orientation;
  entry["orientation_wxyz"] = Json::array({q.w(), q.x(), q.y(), q.z()});
  Json alone = {{"bodies", Json::array({entry})}};
  if (json_.contains("meshes")) alone["meshes"] = json_["meshes"];
  json_["bodies"].push_back(std::move(entry));
  made_.push_back({copy});
  return write_json(alone);
}

std::string EditedDocument::text(bool allow_overlap) const {
  Json json = json_;
  make_files_absolute(json, folder_);
  if (allow_overlap) json["allow_overlap"] = true;
  return write_json(json);
}

}   // namespace stickslip::document
