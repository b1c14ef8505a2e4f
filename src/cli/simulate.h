// Steps a scene and feeds the recorders.
#pragma once

#include <memory>
#include <vector>

#include "cli/failures.h"
#include "cli/statistics.h"
#include "stickslip/record/recorder.h"
#include "stickslip/step/motion_watch.h"

namespace stickslip::cli {

struct SimulateResult {
  Statistics statistics;
  SensorReader sensors;               ///< as they read after the last step
  std::vector<MotionRecord> motion;   ///< what is wrong with it; empty if nothing is
  bool interrupted = false;
  bool stopped = false;   ///< at a step that missed its tolerance
};

/// Runs `steps` steps, or fewer if a signal or a missed tolerance asks to stop. Every recorder is finished, also when something
/// throws; an error of a step says which step it was. @throws Error also if the motion has blown up
SimulateResult simulate(Scene&, std::uint64_t steps, std::vector<std::unique_ptr<Recorder>>&, FailureHandler&,
                        bool show_progress);

}   // namespace stickslip::cli
