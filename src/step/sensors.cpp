#include "stickslip/step/sensors.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "math/infinity.h"
#include "stickslip/math/error.h"
#include "stickslip/world/ray_cast.h"

namespace stickslip {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

struct Quantity {
  std::string_view name, unit, suffix;
};

std::vector<Quantity> quantities_of(const World&, const ContactSensor&) {
  return {{"force_x", "N", "N"}, {"force_y", "N", "N"}, {"force_z", "N", "N"}};
}
std::vector<Quantity> quantities_of(const World&, const JointSensor& s) {
  if (is_turn(s.coordinate)) return {{"position", "rad", "rad"}, {"velocity", "rad/s", "rad_per_s"}, {"effort", "N m", "N_m"}};
  return {{"position", "m", "m"}, {"velocity", "m/s", "m_per_s"}, {"effort", "N", "N"}};
}
std::vector<Quantity> quantities_of(const World&, const InertialSensor&) {
  return {{"acceleration_x", "m/s²", "m_per_s2"},       {"acceleration_y", "m/s²", "m_per_s2"},
          {"acceleration_z", "m/s²", "m_per_s2"},       {"angular_velocity_x", "rad/s", "rad_per_s"},
          {"angular_velocity_y", "rad/s", "rad_per_s"}, {"angular_velocity_z", "rad/s", "rad_per_s"}};
}
std::vector<Quantity> quantities_of(const World&, const RaySensor&) { return {{"distance", "m", "m"}}; }
std::vector<Quantity> quantities_of(const World&, const FrameSensor&) {
  return {{"position_x", "m", "m"},
          {"position_y", "m", "m"},
          {"position_z", "m", "m"},
          {"orientation_w", "1", ""},
          {"orientation_x", "1", ""},
          {"orientation_y", "1", ""},
          {"orientation_z", "1", ""},
          {"velocity_x", "m/s", "m_per_s"},
          {"velocity_y", "m/s", "m_per_s"},
          {"velocity_z", "m/s", "m_per_s"},
          {"angular_velocity_x", "rad/s", "rad_per_s"},
          {"angular_velocity_y", "rad/s", "rad_per_s"},
          {"angular_velocity_z", "rad/s", "rad_per_s"}};
}
std::vector<Quantity> quantities_of(const World&, const LoadSensor&) {
  return {{"force_x", "N", "N"},      {"force_y", "N", "N"},      {"force_z", "N", "N"},
          {"torque_x", "N m", "N_m"}, {"torque_y", "N m", "N_m"}, {"torque_z", "N m", "N_m"}};
}

void require_body(const World& world, BodyId id, std::string_view field) {
  if (!world.contains(id)) throw Error("The body of a sensor is not in this world.").at(field);
}

void check(const World& world, const ContactSensor& s) {
  require_body(world, s.body, "body");
  if (s.from != BodyId{}) require_body(world, s.from, "from");
  if (s.from == s.body)
    throw Error(fmt::format("'{}' exerts no contact force on itself. Name another body.", world.body(s.body).name)).at("from");
}

void check(const World& world, const JointSensor& s) {
  if (!world.contains(s.joint)) throw Error("The joint of a sensor is not in this world.").at("joint");
  const JointDescription& d = world.joint(s.joint).description;
  const bool known = s.coordinate >= 0 && s.coordinate < kJointCoordinates;
  if (!known || d.type == JointType::gear || d.axes[static_cast<std::size_t>(s.coordinate)].locked ||
      (d.type == JointType::distance && s.coordinate != joint_x))
    throw Error(fmt::format("The joint '{}' has no free coordinate '{}'.", d.name,
                            known ? joint_coordinate_name(s.coordinate) : std::to_string(s.coordinate)))
        .at("coordinate");
}

void check_frame(const Pose& frame) {
  if (!frame.position.allFinite() || !(frame.orientation.norm() > 0))
    throw Error("The frame of a sensor must be finite, and its quaternion not zero.").at("frame");
}

void check_carried(const World& world, BodyId body, const Pose& frame, std::string_view field) {
  require_body(world, body, field);
  if (!world.body(body).is_rigid())
    throw Error(fmt::format("'{}' is a body of nodes, which carries no frame. Name a rigid body.", world.body(body).name))
        .at(field);
  check_frame(frame);
}

void check(const World& world, const InertialSensor& s) { check_carried(world, s.body, s.frame, "body"); }

void check(const World& world, const FrameSensor& s) {
  check_carried(world, s.frame.body, s.frame.pose, "body");
  if (s.from.body != BodyId{}) check_carried(world, s.from.body, s.from.pose, "from");
  else check_frame(s.from.pose);
}

void check(const World& world, const LoadSensor& s) {
  if (!world.contains(s.joint)) throw Error("The joint of a sensor is not in this world.").at("joint");
  const JointDescription& d = world.joint(s.joint).description;
  if (d.type == JointType::gear)
    throw Error(fmt::format("'{}' is a gear, which is nowhere: it bears no load at a place. Name one of its joints.", d.name))
        .at("joint");
  check_frame(s.frame);
}

void check(const World& world, const RaySensor& s) {
  if (s.body != BodyId{}) {
    require_body(world, s.body, "body");
    if (!world.body(s.body).is_rigid())
      throw Error(fmt::format("'{}' is a body of nodes, which carries no ray. Name a rigid body.", world.body(s.body).name))
          .at("body");
  }
  if (!s.origin.allFinite()) throw Error("The origin of a ray must be three finite numbers [m].").at("origin");
  if (!s.direction.allFinite() || !(s.direction.norm() > 0))
    throw Error("The direction of a ray must be finite and not zero.").at("direction");
  if (!(s.range > 0)) throw Error(fmt::format("{} is not a range. It must be greater than 0 m.", s.range)).at("range");
}

Vec3 velocity_of(const World& world, const InertialSensor& s) {
  const Body& b = world.body(s.body);
  return b.velocity_at(b.frame() * s.frame.position);
}

/// A frame in the world, and how it moves.
struct MovingFrame {
  Pose pose;
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();   ///< of its origin [m/s]; [rad/s]
};
MovingFrame moving(const World& world, const CarriedFrame& carried) {
  if (carried.body == BodyId{}) return {carried.pose};
  const Body& b = world.body(carried.body);
  const Pose pose = b.frame() * Pose{carried.pose.position, carried.pose.orientation.normalized()};
  return {pose, b.velocity_at(pose.position), b.angular_velocity};
}

void put(const Vec3& v, double* out) { std::copy_n(v.data(), 3, out); }

/// What a reading is made from.
struct Moment {
  const World& world;
  const StepReport& report;
  double time;   ///< since the last reading, for velocities [s]
};

void read_one(const Moment& m, const ContactSensor& s, Vec3&, double* out) {
  put(s.from == BodyId{} ? m.report.force_on(s.body) : m.report.wrench(s.body, s.from, Vec3::Zero()).force, out);
}

void read_one(const Moment& m, const JointSensor& s, Vec3&, double* out) {
  const Joint& joint = m.world.joint(s.joint);
  const std::size_t at = static_cast<std::size_t>(s.coordinate);
  const JointPlace place = locate(m.world, joint);
  out[0] = place.position[at];
  out[1] = rate(m.world, joint.description, place.row[at]);
  const JointRecord* record = m.report.joint(s.joint);
  out[2] = record ? record->motor_force[at] : 0;
}

void read_one(const Moment& m, const InertialSensor& s, Vec3& before, double* out) {
  const Body& b = m.world.body(s.body);
  const Vec3 now = velocity_of(m.world, s);
  const Quat to_sensor = (b.orientation * s.frame.orientation.normalized()).conjugate();
  put(to_sensor * ((now - before) / m.time - m.world.gravity), out);
  put(to_sensor * b.angular_velocity, out + 3);
  before = now;
}

void read_one(const Moment& m, const RaySensor& s, Vec3&, double* out) {
  const Pose frame = s.body == BodyId{} ? Pose{} : m.world.body(s.body).frame();
  const auto met = cast_ray(m.world, frame * s.origin, frame.orientation * s.direction, s.range, s.body);
  *out = met ? met->distance : kInfinity;
}

void read_one(const Moment& m, const FrameSensor& s, Vec3&, double* out) {
  const MovingFrame seen = moving(m.world, s.frame), from = moving(m.world, s.from);
  const Vec3 apart = seen.pose.position - from.pose.position;
  const Quat turn = from.pose.orientation.conjugate() * seen.pose.orientation;
  const Quat to_axes = (s.own_axes ? seen : from).pose.orientation.conjugate();
  put(from.pose.orientation.conjugate() * apart, out);
  const double parts[] = {turn.w(), turn.x(), turn.y(), turn.z()};
  std::copy_n(parts, 4, out + 3);
  put(to_axes * (seen.velocity - from.velocity - from.angular_velocity.cross(apart)), out + 7);
  put(to_axes * (seen.angular_velocity - from.angular_velocity), out + 10);
}

void read_one(const Moment& m, const LoadSensor& s, Vec3&, double* out) {
  std::fill_n(out, 6, 0.0);
  const JointRecord* record = m.report.joint(s.joint);
  if (!record) return;
  const Pose place = m.world.body(m.world.joint(s.joint).description.b).frame() * s.frame;
  const Quat to_sensor = place.orientation.normalized().conjugate();
  put(to_sensor * record->force, out);
  put(to_sensor * (record->torque + (record->point - place.position).cross(record->force)), out + 3);
}

}   // namespace

bool is_there(const World& world, const Sensor& sensor) {
  return std::visit(
      [&]<class S>(const S& s) {
        const auto here = [&](BodyId id) { return id == BodyId{} || world.contains(id); };
        if constexpr (std::is_same_v<S, JointSensor> || std::is_same_v<S, LoadSensor>) return world.contains(s.joint);
        else if constexpr (std::is_same_v<S, FrameSensor>) return world.contains(s.frame.body) && here(s.from.body);
        else if constexpr (std::is_same_v<S, RaySensor>) return here(s.body);
        else if constexpr (std::is_same_v<S, ContactSensor>) return world.contains(s.body) && here(s.from);
        else return world.contains(s.body);
      },
      sensor.what);
}

std::string_view sensor_type_name(const Sensor& sensor) {
  static constexpr std::string_view kNames[] = {"contact", "joint", "inertial", "ray", "frame", "load"};
  return kNames[sensor.what.index()];
}

void check_sensor(const World& world, const Sensor& sensor) {
  if (sensor.name.empty()) throw Error("A sensor needs a name.").at("name");
  if (sensor.name.find_first_of("/,\"\r\n") != std::string::npos || sensor.name == "." || sensor.name == "..")
    throw Error(
        fmt::format("'{}' is not a name for a sensor, which becomes the name of columns: leave out / , \" and line ends.",
                    sensor.name))
        .at("name");
  std::visit([&](const auto& s) { check(world, s); }, sensor.what);
}

SensorReader::SensorReader(const World& world, std::vector<Sensor> sensors) : sensors_(std::move(sensors)), time_(world.time) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    check_sensor(world, sensors_[i]);
    if (!names.insert(sensors_[i].name).second)
      throw Error(fmt::format("There is another sensor '{}'. Names of sensors must differ.", sensors_[i].name)).at("name");
    const auto quantities = std::visit([&](const auto& s) { return quantities_of(world, s); }, sensors_[i].what);
    for (const Quantity& q : quantities) channels_.push_back({i, q.name, q.unit, q.suffix});
    const auto* inertial = std::get_if<InertialSensor>(&sensors_[i].what);
    velocities_.push_back(inertial ? velocity_of(world, *inertial) : Vec3::Zero());
  }
  values_.assign(channels_.size(), kNothing);
}

std::span<const double> SensorReader::read(const World& world, const StepReport& report) {
  std::fill(values_.begin(), values_.end(), kNothing);
  // Velocities are means over drifts, and forces act from the middle of one to that of the next; over several steps, as where
  // a record of some of them is read, that does not count.
  const bool one_step = std::abs(report.time - time_ - report.h) < 1e-6 * report.h;
  const Moment moment{world, report, one_step ? report.force_time : report.time - time_};
  time_ = report.time;
  for (std::size_t channel = 0; channel < channels_.size();) {
    const std::size_t sensor = channels_[channel].sensor;
    if (is_there(world, sensors_[sensor]))
      std::visit([&](const auto& s) { read_one(moment, s, velocities_[sensor], &values_[channel]); }, sensors_[sensor].what);
    while (channel < channels_.size() && channels_[channel].sensor == sensor) ++channel;
  }
  return values_;
}

}   // namespace stickslip
