#include "cli/play.h"

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "stickslip/math/error.h"

namespace stickslip::cli {

Playback open_playback(const SceneArguments& arguments) {
  if (!arguments.set.empty() || !arguments.solver.empty() || !arguments.integrator.empty())
    throw Error(
        "A trajectory is shown as it was recorded: --set, --solver and --integrator have nothing to change. Leave them out, or "
        "give the scene.")
        .in(arguments.scene);
  return Playback(arguments.scene);
}

bool play(Playback& playback, Recorder& recorder, bool show_progress, double until) {
  Progress progress(playback.frames(), show_progress, "frame");
  recorder.begin(playback.scene());
  for (std::size_t frame = 1; frame < playback.frames() && playback.time(frame) <= until * (1 + 1e-12); ++frame) {
    if (InterruptGuard::requested()) return false;
    const StepReport& report = playback.show(frame);
    recorder.record(playback.scene().world, report);
    progress.update(frame + 1, report.time);
  }
  recorder.finish();
  return true;
}

}   // namespace stickslip::cli
