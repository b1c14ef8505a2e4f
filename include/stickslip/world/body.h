// Bodies: what all kinds share, and the state of rigid ones. Bodies of nodes have theirs in world/nodal_body.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/geometry/mass_properties.h"
#include "stickslip/geometry/shape.h"
#include "stickslip/world/colour.h"
#include "stickslip/world/contact_form.h"
#include "stickslip/world/ids.h"
#include "stickslip/world/motion_script.h"
#include "stickslip/world/texture.h"

namespace stickslip {

enum class BodyKind : std::uint8_t {
  rigid,   ///< moves as a whole: its state is in `Body`
  nodal,   ///< nodes that move on their own: its state is in `NodalBody`
};

enum class MotionType {
  dynamic,     ///< moved by forces
  fixed,       ///< never moves
  kinematic,   ///< moved by a script; pushes others, is not pushed
};

/// How a body is kept from passing through what lies in its way.
enum class Continuous : std::uint8_t {
  automatic,   ///< by margin, and by impact where a step moves it farther than margins can tell
  margin,      ///< contacts are generated as far ahead as a step moves it
  impact,      ///< the step is cut where it would first touch something
  off,         ///< contacts are generated where it is; what is thinner than its way may be passed through
};

/// One shape of a body, at a pose in the body frame.
struct Part {
  Shape shape;
  Pose pose;
  MaterialId material;
  std::optional<Colour> colour = {};   ///< that it is shown in; without: those of its mesh, or that of its material
  SharedTexture texture = {};          ///< the same of its picture; null: that of its mesh or material
};

/// What a user gives to make a body.
struct BodyDescription {
  std::string name = {};   ///< unique if not empty; empty gets "body-<index>"
  MotionType motion = MotionType::dynamic;
  std::vector<Part> parts = {};           ///< at least one
  Pose pose = {};                         ///< of the body frame in the world
  Vec3 velocity = Vec3::Zero();           ///< of the centre of mass, world frame [m/s]
  Vec3 angular_velocity = Vec3::Zero();   ///< world frame [rad/s]

  /// Mass properties in the body frame; from the densities of the parts' materials if not given.
  std::optional<MassProperties> mass_properties = {};
  /// Alternatively: scales the mass properties that follow from the densities so that this is the mass [kg].
  std::optional<double> mass = {};

  Vec3 force = Vec3::Zero();    ///< constant applied force at the centre of mass, world frame [N]
  Vec3 torque = Vec3::Zero();   ///< constant applied torque, world frame [N m]
  MotionScript script = {};     ///< kinematic bodies only
  bool can_sleep = true;
  Continuous continuous = Continuous::automatic;
  ContactForm contact = ContactForm::automatic;
  double overlap = 0;   ///< see Body
};

/// How a body has moved since it is slow: what only trembles stays near its place, what starts slowly leaves it faster and
/// faster.
struct QuietSpell {
  double time = 0;                                    ///< how long it has been slow enough to sleep [s]
  Vec3 moved = Vec3::Zero(), turned = Vec3::Zero();   ///< in this time [m, rad]
  double early = 0, far = 0;   ///< farthest that a point of it was from its place, in the first half of the wait, and ever [m]

  /// After a step of h. @param slow enough to sleep @param away how far its points are from their places, at most [m] @param
  /// wait [s]
  void note(bool slow, double away, double h, double wait) {
    if (!slow) {
      *this = {};
      return;
    }
    time += h;
    far = std::max(far, away);
    if (time < 0.5 * (wait + h)) early = far;
  }
};

struct Body {
  std::string name;
  BodyKind kind = BodyKind::rigid;
  MotionType motion = MotionType::dynamic;
  std::uint32_t generation = 0;
  bool alive = false;
  std::uint32_t place = 0;   ///< of other kinds than rigid: among the bodies of its kind

  // State of a rigid body. Of other kinds it tells about the whole: centre of mass, mean velocity, no turn.
  Vec3 position = Vec3::Zero();           ///< of the centre of mass, world frame [m]
  Quat orientation = Quat::Identity();    ///< body frame to world frame, unit
  Vec3 velocity = Vec3::Zero();           ///< of the centre of mass [m/s]
  Vec3 angular_velocity = Vec3::Zero();   ///< world frame [rad/s]
  bool asleep = false;
  bool can_sleep = true;
  Continuous continuous = Continuous::automatic;
  ContactForm contact = ContactForm::automatic;
  /// Mean depth of the overlaps that contact by volume keeps, as a part of the thinner body's thickness; of two bodies the
  /// larger counts. 0: as the step options say.
  double overlap = 0;
  QuietSpell quiet;   ///< of a body that may fall asleep

  // Mass. Zero inverse for fixed and kinematic bodies.
  MassProperties mass;                      ///< in the body frame
  double inverse_mass = 0;                  ///< [1/kg]
  Mat3 inverse_inertia = Mat3::Zero();      ///< about the centre of mass, body frame [1/(kg m²)]
  Vec3 principal_moments = Vec3::Zero();    ///< eigenvalues of mass.inertia [kg m²]
  Quat principal_axes = Quat::Identity();   ///< principal frame to body frame

  Vec3 force = Vec3::Zero();    ///< applied until changed, world frame [N]
  Vec3 torque = Vec3::Zero();   ///< applied until changed, world frame [N m]

  MotionScript script;
  Pose script_start;   ///< pose of the body frame at time 0 of the script

  std::vector<std::uint32_t> colliders;   ///< indices into World::colliders()

  /// Recomputes everything that follows from `motion` and `mass`: inverses and principal axes.
  void derive_from_mass();

  bool moves_by_forces() const { return motion == MotionType::dynamic && !asleep; }
  bool is_rigid() const { return kind == BodyKind::rigid; }
  /// Pose of the body frame (its origin need not be the centre of mass).
  Pose frame() const { return {position - orientation * mass.center, orientation}; }
  Mat3 world_inverse_inertia() const;
  Mat3 world_inertia() const;
  /// Velocity of the point of the body that is at `point` now [m/s].
  Vec3 velocity_at(const Vec3& point) const { return velocity + angular_velocity.cross(point - position); }
};

inline constexpr std::uint32_t kNoNode = ~0u;

/// One part of a live body, as contact generation sees it.
struct Collider {
  Shape shape;
  Pose local;                     ///< pose in the frame that has its origin in the centre of mass and the body frame's axes
  std::uint32_t body = 0;         ///< body slot
  std::uint32_t node = kNoNode;   ///< that it moves with, among the nodes of its body; kNoNode: the body as a whole
  MaterialId material;
  std::optional<Colour> colour;       ///< as of Part
  SharedTexture texture;              ///< as of Part
  double characteristic_length = 0;   ///< of the shape [m]
  double reach = 0;   ///< largest distance of a point of the shape from the centre of mass [m]; infinite for a half-space
  bool alive = false;
  bool deforms = false;   ///< whether its points move on their own, as on a surface of nodes
};

}   // namespace stickslip
