// Checkpoints inside a trajectory: of its start, from which it plays again, and of its last state, from which a run goes on.
#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "record/texture_pool.h"
#include "stickslip/scene/scene.h"
#include "store/hdf5.h"

namespace stickslip {

/// Bytes that are replaced as a whole, with their length and a checksum in front: a reader, or the writer after it was killed
/// half way, can tell whether they are whole.
class StateDataset {
 public:
  void create(hid_t parent, const char* name);
  /// @param number larger than that of any state written before. @throws Error
  void write(std::uint64_t number, const std::string& bytes);
  bool close() noexcept { return dataset_.close(); }

 private:
  h5::Handle dataset_;
  hsize_t length_ = 0;
};

/// The group `states`. The last state is written into `last_0` and `last_1` in turn, so that one of them is whole at any
/// moment.
/// It holds no document: the trajectory has that already.
class TrajectoryStates {
 public:
  /// Makes the datasets and writes the start. A world that no checkpoint can hold leaves them empty.
  void create(hid_t root, const Scene&);
  /// Whether it is time to write the last state: rarely enough that this takes a fiftieth of the time at most, or more often
  /// where others are to see the file sooner than after a second. @param interval `RecordOptions::flush_interval` [s]
  bool is_due(double interval) const;
  void write_last(const World&);   ///< @throws Error
  bool close() noexcept;

 private:
  Scene about_;            ///< everything but the world
  TexturePool textures_;   ///< of the start, which alone holds their pictures
  bool possible_ = false;
  std::array<StateDataset, 2> last_;
  StateDataset start_;
  std::uint64_t written_ = 0;
  std::chrono::steady_clock::time_point when_;
  std::chrono::duration<double> cost_{0};   ///< of writing one
};

/// What a file holds of them, with the document of the trajectory. None: it is older, or no checkpoint can hold its world.
/// @throws Error if they are damaged
std::optional<Scene> read_start_state(hid_t file);
std::optional<Scene> read_last_state(hid_t file);

}   // namespace stickslip
