// Sensors: numbers that are measured after every step. They see and never touch: a scene moves to the same bits with and
// without them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stickslip/step/report.h"

namespace stickslip {

/// Sum of the contact forces on a body, or of those that it receives from one other, mean over the step, world frame.
/// Channels: force_x, force_y, force_z [N].
struct ContactSensor {
  BodyId body;
  BodyId from = {};   ///< the default is all bodies
};

/// A free coordinate of a joint, at the end of the step, and what drives it. Channels: position [m or rad], velocity [m/s or
/// rad/s], effort [N or N m] (of effort, motor and servo together, mean over the step).
struct JointSensor {
  JointId joint;
  int coordinate = joint_turn_z;
};

/// Acceleration of a place of a body less gravity, and angular velocity, in a frame that the body carries. Channels:
/// acceleration_x, _y, _z [m/s²], mean over the step; angular_velocity_x, _y, _z [rad/s], at its end. At rest it shows what
/// holds the body up, in free fall nothing.
struct InertialSensor {
  BodyId body;
  Pose frame = {};   ///< in the body frame
};

/// Distance to the first surface along a ray that a body carries, at the end of the step; the body itself is not met. Channel:
/// distance [m], infinite if nothing is within range.
struct RaySensor {
  BodyId body = {};                                         ///< the default is the world
  Vec3 origin = Vec3::Zero();                               ///< in the body frame [m]
  Vec3 direction = Vec3::UnitX();                           ///< in the body frame, any length but 0
  double range = std::numeric_limits<double>::infinity();   ///< [m], > 0
};

/// A frame that a body carries, or the world where there is no body.
struct CarriedFrame {
  BodyId body = {};
  Pose pose = {};   ///< in the body frame
};

/// Where a frame is and how it moves, at the end of the step, as seen from another one. Channels: position_x, _y, _z [m],
/// orientation_w, _x, _y, _z (from the frame to the other), velocity_x, _y, _z [m/s], angular_velocity_x, _y, _z [rad/s]. All
/// are in the axes of the frame that looks, which may itself turn; with `own_axes` the two velocities are in those of the
/// frame that is looked at.
struct FrameSensor {
  CarriedFrame frame;       ///< of a body
  CarriedFrame from = {};   ///< that looks
  bool own_axes = false;
};

/// What a joint transmits to its body B, drives, springs and friction of the joint included, in a frame that B carries: the
/// reading of a load cell. Channels: force_x, _y, _z [N] on B and torque_x, _y, _z [N m] about the origin of the frame, mean
/// over the step. A joint that exerts nothing reads 0.
struct LoadSensor {
  JointId joint;
  Pose frame = {};   ///< in the body frame of B
};

struct Sensor {
  std::string name;   ///< unique among sensors
  std::variant<ContactSensor, JointSensor, InertialSensor, RaySensor, FrameSensor, LoadSensor> what;
};
/// "contact", "joint", "inertial", "ray", "frame" or "load", as scenes spell it.
std::string_view sensor_type_name(const Sensor&);

/// One number of a sensor.
struct SensorChannel {
  std::size_t sensor = 0;         ///< place in the list
  std::string_view quantity;      ///< "force_x", "distance", …
  std::string_view unit;          ///< "N", "rad/s", …
  std::string_view unit_suffix;   ///< as it stands in the name of a column: "rad_per_s"
};

/// Whether its body or joint is in the world.
bool is_there(const World&, const Sensor&);

/// Checks a sensor and its name, which must not hold '/', ',', '"' or line ends. @throws Error naming the field, its value
/// and what is valid
void check_sensor(const World&, const Sensor&);

/// Reads a list of sensors, step after step.
///
///   SensorReader reader(world, sensors);                       // before the first step
///   for (…) { const StepReport& step = stepper.step(world);  values = reader.read(world, step); }
///
/// The values follow from the world and the report, and for accelerations from the world at the last reading; so a reader made
/// from a world that a checkpoint holds goes on to the same values. A sensor whose body or joint is gone reads NaN.
class SensorReader {
 public:
  SensorReader() = default;
  /// @throws Error as `check_sensor` does, and if two sensors have one name
  SensorReader(const World&, std::vector<Sensor>);

  std::span<const Sensor> sensors() const { return sensors_; }
  std::span<const SensorChannel> channels() const { return channels_; }
  /// In the order of the channels. Valid until the next call. The report is that of the step that led to the world.
  std::span<const double> read(const World&, const StepReport&);
  /// Of the last reading; NaN before the first.
  std::span<const double> values() const { return values_; }

 private:
  std::vector<Sensor> sensors_;
  std::vector<SensorChannel> channels_;
  std::vector<double> values_;
  double time_ = 0;                ///< of the last reading [s]
  std::vector<Vec3> velocities_;   ///< of the places of inertial sensors at the last reading, by sensor [m/s]
};

}   // namespace stickslip
