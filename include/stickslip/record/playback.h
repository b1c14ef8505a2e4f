// A trajectory that plays again: its scene, with the world as it was in one frame after another, and nothing simulated.
#pragma once

#include <filesystem>
#include <memory>

#include "stickslip/scene/scene.h"
#include "stickslip/step/report.h"

namespace stickslip {

/// Whether a file is a trajectory, as `make_recorder("run.h5")` writes it. A file that was not completed is one too.
bool is_trajectory(const std::filesystem::path&);

/// Give what it shows to recorders, as if it had just been simulated: `begin(scene())`, then `record` with every further frame.
/// Bodies that were added during the run are left out, and so are histories of solves, which trajectories do not keep.
class Playback {
 public:
  /// The world is in frame 0. @throws Error if it is no trajectory, is damaged, or holds no scene
  explicit Playback(const std::filesystem::path&);
  ~Playback();
  Playback(Playback&&) noexcept;
  Playback& operator=(Playback&&) noexcept;

  const Scene& scene() const;
  std::size_t frames() const;             ///< that are whole; at least 1
  double time(std::size_t frame) const;   ///< [s]

  /// Puts the world into a frame. @returns what was recorded about the step that led there; nothing happened before frame 0.
  /// Valid until the next call. @throws Error if the file is damaged
  const StepReport& show(std::size_t frame);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}   // namespace stickslip
