// The scene that a command works on: a built-in one, a file, a robot, or a checkpoint or trajectory to go on from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "stickslip/scene/scene.h"

namespace stickslip::cli {

struct SceneArguments {
  std::string scene;
  std::string integrator, solver;
  std::string controls;   ///< a file of them
  std::vector<std::string> set;
  int threads = 0;   ///< 0: as the scene says
};

/// Adds <scene>, --integrator, --solver, --controls, --set and --threads.
void add_scene_arguments(CLI::App&, SceneArguments&);

/// Whether the argument names a checkpoint or a trajectory: by its content, or by an ending that only HDF5 files have.
bool names_checkpoint(const std::string& scene);

/// @throws Error
Scene open_scene(const SceneArguments&);

}   // namespace stickslip::cli
