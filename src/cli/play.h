// Trajectories as things to look at.
#pragma once

#include <limits>

#include "cli/open_scene.h"
#include "stickslip/record/playback.h"
#include "stickslip/record/recorder.h"

namespace stickslip::cli {

/// @throws Error if options change what was simulated, which is over, or if the file cannot be read
Playback open_playback(const SceneArguments&);

/// Gives the frames until a time to a recorder. @returns false if it was interrupted
bool play(Playback&, Recorder&, bool show_progress, double until = std::numeric_limits<double>::infinity());

}   // namespace stickslip::cli
