// What viewers ask for: text messages read and checked before they get near the simulation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scene/edited_document.h"
#include "stickslip/math/types.h"

namespace stickslip::serve {

struct Pause {};
struct Run {};
struct StepOnce {
  int count = 1;
};
struct Reset {};
struct Speed {
  double value = 1;   ///< simulated over real time; 0: as fast as it goes
};
struct Settings {
  std::optional<std::string> solver;
  std::optional<double> h;                         ///< [s]
  std::optional<std::optional<double>> friction;   ///< the inner one is empty for the scene's own
};
struct DragTo {
  std::uint32_t body = 0;                             ///< as frames number it
  std::optional<std::uint32_t> node;                  ///< of a body of nodes, in place of `local`
  Vec3 local = Vec3::Zero(), target = Vec3::Zero();   ///< body axes from the centre of mass; world frame [m]
};
struct Release {};
struct DriveJoint {
  std::string name;
  std::optional<std::string> coordinate;           ///< empty: the only one that has a motor or servo
  std::optional<double> speed = {}, target = {};   ///< one of them: of the motor [m/s or rad/s], of the servo [m or rad]
  std::optional<double> effort = {};               ///< or a force that acts from now on [N or N m]
  std::optional<double> lower = {}, upper = {};    ///< or bounds of the coordinate [m or rad]
};
struct EditGravity {
  Vec3 value = Vec3::Zero();   ///< [m/s²]
};
/// Of a material, or of a pair that the scene lists.
struct EditMaterial {
  std::vector<std::string> names;   ///< 1 or 2
  document::Coefficients coefficients;
};
struct EditBody {
  std::uint32_t body = 0;                   ///< as frames number it
  std::optional<Vec3> position, velocity;   ///< of the centre of mass, world frame [m], [m/s]
  std::optional<double> mass;               ///< [kg]
};
struct RemoveBody {
  std::uint32_t body = 0;
};
struct CopyBody {
  std::uint32_t body = 0;
};
struct OpenScene {
  std::string name;   ///< of a built-in scene
};
struct SaveScene {
  bool now = false;   ///< as it is now, and not as it starts
};
struct Undo {};
struct Redo {};
struct Want {
  std::optional<bool> contacts, history, joints, fields, overlaps;
};
struct Capture {};
struct Compare {
  std::vector<std::string> solvers;   ///< 1 to 8
};

using Command = std::variant<Pause, Run, StepOnce, Reset, Speed, Settings, DragTo, Release, DriveJoint, Want, Capture, Compare,
                             EditGravity, EditMaterial, EditBody, RemoveBody, CopyBody, OpenScene, SaveScene, Undo, Redo>;

/// The type that messages give a command: "pause", "run", …
std::string_view type_of(const Command&);

/// A message as it was understood: a command, or the reason why it is refused.
struct ParsedCommand {
  std::string type;   ///< empty if the message does not say
  std::optional<Command> command;
  std::string refusal;
};

/// Never throws for bad input. Checks everything that can be checked without the world: form, types, ranges, names of solvers.
ParsedCommand parse_command(std::string_view text);

/// The longest message that is read [bytes].
constexpr std::size_t kLongestCommand = 64 * 1024;

}   // namespace stickslip::serve
