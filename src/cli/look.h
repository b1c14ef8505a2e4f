// How the viewer shows things: the options that `render` and `view` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "stickslip/world/world.h"

namespace stickslip::cli {

struct LookArguments {
  std::string camera;   ///< a preset, azimuth and elevation [degrees], or where it stands and looks [m]; "": the usual place
  std::string follow;   ///< name of a body
  std::string fit = "motion";
  std::string theme;
  std::string colour = "usual";   ///< what bodies are coloured by
  std::vector<std::string> layers;
  double zoom = 1;
  bool orthographic = false;
};

void add_look_arguments(CLI::App&, LookArguments&);

/// Whether the layer of common volumes is to be seen, which replays measure for it.
bool shows_overlaps(const LookArguments&);

/// What follows # in the address of the viewer's page. @throws Error naming the option that cannot be meant
std::string look_fragment(const LookArguments&, const World&);

}   // namespace stickslip::cli
