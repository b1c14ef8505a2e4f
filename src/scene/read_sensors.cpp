#include "scene/read_sensors.h"

#include <set>

#include "scene/read_joints.h"
#include "scene/read_parts.h"
#include "stickslip/scene/scene.h"

namespace stickslip::document {

namespace {

const std::vector<std::string> kTypes = {"contact", "joint", "inertial", "ray", "frame", "load"};   // as the variant

void read(Fields& fields, const World& world, ContactSensor& s) {
  s.body = read_body_name(fields.get("body"), world);
  if (const auto from = fields.find("from")) s.from = read_body_name(*from, world);
}

void read(Fields& fields, const World& world, JointSensor& s) {
  const GearSide coordinate = read_joint_coordinate(fields, world);
  s = {coordinate.joint, coordinate.coordinate};
}

void read(Fields& fields, const World& world, InertialSensor& s) {
  s.body = read_body_name(fields.get("body"), world);
  s.frame = read_pose(fields);
}

void read(Fields& fields, const World& world, RaySensor& s) {
  if (const auto body = fields.find("body"); body && body->value() != "world") s.body = read_body_name(*body, world);
  fields.optional("origin", s.origin);
  s.direction = fields.required<Vec3>("direction");
  fields.optional("range", s.range);
}

void read(Fields& fields, const World& world, FrameSensor& s) {
  s.frame = {read_body_name(fields.get("body"), world), read_pose(fields)};
  if (const auto from = fields.find("from"))
    read_object(*from, "a frame", [&](Fields& frame) {
      if (const auto body = frame.find("body"); body && body->value() != "world") s.from.body = read_body_name(*body, world);
      s.from.pose = read_pose(frame);
    });
  if (const auto axes = fields.find("axes")) s.own_axes = read_choice(*axes, {"from", "own"}) == 1;
}

void read(Fields& fields, const World& world, LoadSensor& s) {
  const Place joint = fields.get("joint");
  std::string name;
  read(joint, name);
  s.joint = joint.within([&] { return world.find_joint(name); });
  s.frame = read_pose(fields);
}

Sensor read_sensor(const Place& place, const World& world) {
  Sensor sensor;
  read_object(place, "a sensor", [&](Fields& fields) {
    sensor.name = fields.required<std::string>("name");
    const auto read_as = [&]<class S>(S s) {
      read(fields, world, s);
      sensor.what = s;
    };
    switch (read_choice(fields.get("type"), kTypes)) {
      case 0:
        return read_as(ContactSensor{});
      case 1:
        return read_as(JointSensor{});
      case 2:
        return read_as(InertialSensor{});
      case 3:
        return read_as(RaySensor{});
      case 4:
        return read_as(FrameSensor{});
      default:
        return read_as(LoadSensor{});
    }
  });
  place.within([&] { check_sensor(world, sensor); });
  return sensor;
}

Json sensor_vector(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

void write(const World& world, const ContactSensor& s, Json& json) {
  json["body"] = world.body(s.body).name;
  if (s.from != BodyId{}) json["from"] = world.body(s.from).name;
}

void write(const World& world, const JointSensor& s, Json& json) {
  json["joint"] = world.joint(s.joint).description.name;
  json["coordinate"] = joint_coordinate_name(s.coordinate);
}

void write(const Pose& frame, Json& json) {
  json["position"] = sensor_vector(frame.position);
  const Quat& q = frame.orientation;
  json["orientation_wxyz"] = Json::array({q.w(), q.x(), q.y(), q.z()});
}

void write(const World& world, const InertialSensor& s, Json& json) {
  json["body"] = world.body(s.body).name;
  write(s.frame, json);
}

void write(const World& world, const FrameSensor& s, Json& json) {
  json["body"] = world.body(s.frame.body).name;
  write(s.frame.pose, json);
  Json& from = json["from"] = {{"body", s.from.body == BodyId{} ? "world" : world.body(s.from.body).name}};
  write(s.from.pose, from);
  if (s.own_axes) json["axes"] = "own";
}

void write(const World& world, const LoadSensor& s, Json& json) {
  json["joint"] = world.joint(s.joint).description.name;
  write(s.frame, json);
}

void write(const World& world, const RaySensor& s, Json& json) {
  json["body"] = s.body == BodyId{} ? "world" : world.body(s.body).name;
  json["origin"] = sensor_vector(s.origin);
  json["direction"] = sensor_vector(s.direction);
  if (s.range < std::numeric_limits<double>::infinity()) json["range"] = s.range;
}

}   // namespace

std::vector<Sensor> read_sensors(const Place& list, const World& world) {
  if (!list.value().is_array()) list.wrong_type("Give an array of sensors.");
  std::vector<Sensor> sensors;
  std::set<std::string> names;
  for (const Json& value : list.value()) {
    const Place place(value, list, std::to_string(sensors.size()));
    sensors.push_back(read_sensor(place, world));
    if (!names.insert(sensors.back().name).second)
      place.fail(fmt::format("There is another sensor '{}'. Names of sensors must differ.", sensors.back().name));
  }
  return sensors;
}

}   // namespace stickslip::document

namespace stickslip {

std::string sensors_to_text(const World& world, std::span<const Sensor> sensors) {
  using namespace document;
  Json list = Json::array();
  for (const Sensor& sensor : sensors) {
    if (!is_there(world, sensor)) continue;
    Json json = {{"name", sensor.name}, {"type", sensor_type_name(sensor)}};
    std::visit([&](const auto& s) { write(world, s, json); }, sensor.what);
    list.push_back(std::move(json));
  }
  return list.empty() ? std::string() : list.dump();
}

std::vector<Sensor> sensors_from_text(const std::string& text, const World& world) {
  using namespace document;
  if (text.empty()) return {};
  const Json list = parse_json(text, "sensors");
  return read_sensors(Place(list), world);
}

}   // namespace stickslip
