// Joints: what two bodies, or a body and the world, may do relative to each other.
//
// A joint has a frame on each of its two bodies. Its coordinates are the place of frame B seen from frame A:
//   x, y, z                    the origin of B in the axes of A [m]
//   turn_x, turn_y, turn_z     angles with R = Rx(turn_x) Ry(turn_y) Rz(turn_z), R the rotation from B to A [rad]. turn_x and
//   turn_z count
//                              on over whole turns; turn_y lies between −90° and 90°, where the other two become one.
// Each coordinate is locked, or free and then perhaps limited, driven, sprung and rubbed. The types of joints differ only in
// what they lock:
//
//   fixed        everything                          cylindrical  all but z and turn_z
//   ball         x, y, z                             universal    x, y, z, turn_y: the first axis is x of A, the second z of B
//   hinge        all but turn_z                      planar       z, turn_x, turn_y
//   prismatic    all but z                           six_dof      what the description says
//   screw        cylindrical, with z − pitch · turn_z / 2π kept at what it is at the start
//   distance     one coordinate, in place of x: the distance of the two origins [m]; locked (a rod), limited (a rope) or sprung
//   gear         no bodies of its own: second coordinate − ratio · first coordinate of two other joints is kept at what it is
//   at the start
//
// Forces of a joint are those that A exerts on B: force_on_b acts at the origin of frame B, torque is about that point; A
// receives the opposite at the same point. Generalised forces go with their coordinate: positive pushes it up [N, N m].
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stickslip/math/types.h"
#include "stickslip/world/ids.h"

namespace stickslip {

enum class JointType : std::uint8_t {
  fixed,
  ball,
  hinge,
  prismatic,
  cylindrical,
  universal,
  planar,
  six_dof,
  screw,
  distance,
  gear
};
std::string_view joint_type_name(JointType);   ///< as scenes spell it: "six-dof" with a hyphen
/// @throws Error with a suggestion for an unknown name.
JointType joint_type_from_name(std::string_view);

enum JointCoordinate : int { joint_x, joint_y, joint_z, joint_turn_x, joint_turn_y, joint_turn_z };
inline constexpr int kJointCoordinates = 6;
inline constexpr bool is_turn(int coordinate) { return coordinate >= joint_turn_x; }
std::string_view joint_coordinate_name(int coordinate);   ///< "x" … "turn_z"
/// @throws Error with a suggestion for an unknown name.
int joint_coordinate_from_name(std::string_view);

/// A value that changes with time: passes through (time [s], value) linearly, rests before the first and after the last. Times
/// increase strictly.
using JointPath = std::vector<std::pair<double, double>>;

/// A force on a coordinate, as it is given: positive pushes the coordinate up. B receives it, A the opposite.
struct JointEffort {
  double force = 0;                                             ///< [N or N m]
  double max_force = std::numeric_limits<double>::infinity();   ///< [N or N m], ≥ 0: what is beyond is cut off
  JointPath path = {};                                          ///< moves the force
};

/// Keeps a speed as long as no more than a given force is needed for it.
struct JointMotor {
  double speed = 0;                                             ///< [m/s or rad/s]
  double max_force = std::numeric_limits<double>::infinity();   ///< [N or N m], ≥ 0
  JointPath path = {};                                          ///< changes the speed
};

/// Proportional–derivative: pulls towards a target with stiffness (target − coordinate) + damping (its speed − speed), by means
/// over the step, or by its end where it is too long for them, so that no stiffness is unstable.
struct JointServo {
  double target = 0;      ///< [m or rad]
  double stiffness = 0;   ///< [N/m or N m/rad], ≥ 0
  double damping = 0;     ///< [N s/m or N m s/rad], ≥ 0; stiffness and damping not both 0
  double max_force = std::numeric_limits<double>::infinity();   ///< [N or N m], ≥ 0
  JointPath path = {};                                          ///< moves the target
};

/// Spring and damper in parallel, without a limit of force.
struct JointSpring {
  double rest = 0;        ///< [m or rad]
  double stiffness = 0;   ///< [N/m or N m/rad], ≥ 0
  double damping = 0;     ///< [N s/m or N m s/rad], ≥ 0; stiffness and damping not both 0
};

/// What one coordinate of a joint may do.
struct JointAxis {
  bool locked =
      false;   ///< stays at 0 (at `length` for distance). Read for six_dof and distance; the other types lock what they lock
  double lower = -std::numeric_limits<double>::infinity();   ///< [m or rad]
  double upper = std::numeric_limits<double>::infinity();    ///< [m or rad]
  double limit_stiffness = 0;                                ///< of the stops [N/m or N m/rad]; 0 with damping 0: hard
  double limit_damping = 0;                                  ///< of the stops [N s/m or N m s/rad]
  double friction = 0;                                       ///< largest force of dry friction [N or N m], ≥ 0
  /// Inertia against changes of the speed of the coordinate beside that of the bodies, as a rotor has behind its gear, ≥ 0
  /// [kg or kg m²]
  double armature = 0;
  std::optional<JointEffort> effort = {};
  std::optional<JointMotor> motor = {};
  std::optional<JointServo> servo = {};
  std::optional<JointSpring> spring = {};

  bool has_lower() const { return lower > -std::numeric_limits<double>::infinity(); }
  bool has_upper() const { return upper < std::numeric_limits<double>::infinity(); }
};

/// One of the two coordinates that a gear couples.
struct GearSide {
  JointId joint = {};
  int coordinate = joint_turn_z;
};

/// What a user gives to make a joint.
struct JointDescription {
  std::string name = {};   ///< unique among joints if not empty; empty gets "joint-<index>"
  JointType type = JointType::fixed;
  BodyId a = {};                     ///< the default is the world
  BodyId b = {};                     ///< a body; at least one of the two moves by forces
  Pose frame_a = {}, frame_b = {};   ///< joint frame in the body frame of A (the world frame without A) and of B
  std::array<JointAxis, kJointCoordinates> axes = {};
  double swing_limit =
      std::numeric_limits<double>::infinity();   ///< ball only: largest angle between the two z axes, in (0, π) [rad]
  double length = 0;                             ///< distance, locked: the length that is kept; 0: that at the start [m]
  double pitch = 0;                              ///< screw: travel along z per turn, not 0 [m]
  GearSide first = {}, second = {};              ///< gear
  double ratio = 1;       ///< gear: second moves by ratio for every unit of first; not 0 [rad/rad, m/rad, m/m or rad/m]
  bool collide = false;   ///< whether the two bodies can touch each other
  double break_force =
      std::numeric_limits<double>::infinity();   ///< on B [N]: above it the joint is gone from the next step on
  double break_torque = std::numeric_limits<double>::infinity();   ///< on B about the origin of frame B [N m]
};

/// The impulses of the last step by what made them, in the units of the rows of the contact problem [N s]: where the next solve
/// starts from.
struct JointMemory {
  std::array<double, kJointCoordinates> locked = {}, motor = {}, servo = {}, spring = {}, friction = {}, lower = {}, upper = {},
                                        armature = {};
  double coupling = 0, swing = 0;
  Vec3 force = Vec3::Zero();   ///< on B, world frame, mean over the last step [N]
};

struct Joint {
  JointDescription description;   ///< `axes` with the locks of the type; `length` of a rod, name and frames filled in
  std::uint32_t generation = 0;
  bool alive = false;
  bool broken = false;   ///< exerts nothing any more

  double row_length = 1;              ///< [m]: rows of angles are this times the angle, so that all rows are of like size
  double coupling_start = 0;          ///< what screw and gear keep [m, of a gear between two angles rad]
  std::array<double, 3> turns = {};   ///< state: the angles of the last step, from which whole turns are counted on [rad]
  JointMemory memory;                 ///< state

  bool acts() const { return alive && !broken; }
};

/// How fast a coordinate grows with the velocities of the two bodies: dc/dt = linear·(v_b − v_a) + angular_a·ω_a +
/// angular_b·ω_b.
struct JointRow {
  Vec3 linear = Vec3::Zero(), angular_a = Vec3::Zero(), angular_b = Vec3::Zero();
};

class World;

/// Where a joint is.
struct JointPlace {
  Pose frame_a, frame_b;                                 ///< in the world
  std::array<double, kJointCoordinates> position = {};   ///< [m, rad]
  std::array<JointRow, kJointCoordinates> row = {};
};
/// @pre not a gear
JointPlace locate(const World&, const Joint&);
/// Where it would be if the bodies stood elsewhere. @param a, b their frames in the centre of mass; that of the world, if A
/// is it, is not read
JointPlace locate(const World&, const Joint&, const Pose& a, const Pose& b);

/// Velocity of a coordinate of a joint, from the bodies as they are now [m/s or rad/s].
double rate(const World&, const JointDescription&, const JointRow&);

/// The motion that the armature of a free coordinate is against: of the angles of a ball the angular velocity of B relative to
/// A along an axis of frame B, as dampers have it; the coordinate itself otherwise.
JointRow armature_row(const JointDescription&, const JointPlace&, int coordinate);

/// What a screw or gear keeps: z − pitch · turn_z / 2π, or second − ratio · first [m or rad].
double coupled_position(const World&, const Joint&);

/// Angle between the two z axes [rad], and how fast it grows.
std::pair<double, JointRow> swing_of(const JointPlace&);

/// Sets both frames from where the bodies are now. @param anchor a point of the joint [m] @param axis z of the frame, any
/// length
/// @param x_axis x of the frame as far as it is perpendicular to `axis`; zero: any. World frame. For `universal` give the
/// second axis as `axis` and the first as `x_axis`. @throws Error if an axis is zero or they are parallel.
void place_joint(JointDescription&, const World&, const Vec3& anchor, const Vec3& axis = Vec3::UnitZ(),
                 const Vec3& x_axis = Vec3::Zero());

/// Target and speed of a servo at a time [m or rad, and per second].
std::pair<double, double> servo_target(const JointServo&, double time);
/// Speed that a motor keeps at a time [m/s or rad/s].
double motor_speed(const JointMotor&, double time);
/// Force of an effort at a time, within its bound [N or N m].
double effort_force(const JointEffort&, double time);

}   // namespace stickslip
