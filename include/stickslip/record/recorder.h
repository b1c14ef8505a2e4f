// Recorders: see, never touch.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/scene/scene.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

class Recorder {
 public:
  virtual ~Recorder() = default;
  /// The state before the first step. @throws Error if the file cannot be written.
  virtual void begin(const Scene&) = 0;
  virtual void record(const World&, const StepReport&) = 0;
  /// Completes the file. Called on interruption too; a recorder destroyed without it leaves a readable file.
  virtual void finish() = 0;
  /// The same, and keeps the state that the run ended in where the file can hold one: a trajectory goes on from there.
  virtual void finish_at(const World&) { finish(); }
};

struct RecordOptions {
  double frames_per_second = 0;   ///< frames of a trajectory per simulated second [Hz]; 0: one per step
  double flush_interval = 1;      ///< how often others get to see what was recorded so far, at the least [s of wall time]
  bool overlaps = false;          ///< whether a replay draws what bodies by volume share as it is, which is measured for it
};

/// Chooses the writer by extension: `.h5` or `.hdf5` trajectory, `.csv` telemetry, `.html` replay, `.glb` animated glTF,
/// `.pvd` ParaView (with frames in the directory `<stem>/`). Touches no file before `begin`.
/// @throws Error with the list of known extensions for any other.
std::unique_ptr<Recorder> make_recorder(const std::filesystem::path&, const RecordOptions& = {});

}   // namespace stickslip
