// Text messages to viewers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/command.h"
#include "serve/snapshot.h"
#include "stickslip/scene/scene.h"

namespace stickslip::serve {

struct State {
  bool running = true;
  double speed = 1;   ///< simulated over real time; 0: as fast as it goes
  std::string solver;
  double h = 0;                     ///< [s]
  std::optional<double> friction;   ///< empty: the scene's own
  double steps_per_second = 0;
  std::size_t viewers = 0;
  std::string undo, redo;   ///< what would be taken back or done again; empty: nothing
};

struct ComparedSolver {
  std::string name;
  std::string_view status;
  int iterations = 0;
  double seconds = 0, residual = 0;   ///< [s], [m/s]
  History history;
};

std::string scene_message(const Scene&, double quantum);
std::string state_message(const State&);
std::string comparison_message(std::uint64_t step, const std::vector<ComparedSolver>&);
/// What a joint is driven to from now on.
std::string joint_message(const DriveJoint&, int coordinate);
/// Gravity and materials, which viewers can change.
std::string surroundings_message(const World&);
/// A scene file, for the viewer to keep. @param remark what its user should know
std::string saved_message(const std::string& file, const std::string& text, const std::string& remark);
std::string captured_message(const std::string& file);
/// @param of type of the command that was refused; empty if it has none
std::string error_message(std::string_view of, std::string_view message);

}   // namespace stickslip::serve
