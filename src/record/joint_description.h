// The joints of a scene as the viewer is told about them, and their numbers in replays: docs/viewer-protocol.md.
#pragma once

#include <nlohmann/json.hpp>

#include "record/joint_sample.h"

namespace stickslip {

/// The joints that frames tell about, in the order of their numbers: those that are alive now.
std::vector<JointId> described_joints(const World&);

/// @param bodies as frames number them
nlohmann::json describe_joints(const World&, std::span<const BodyId> bodies);

/// Torques in replays are whole multiples of a thousandth of this [N m].
double torque_unit(double force_unit, double quantum);

/// The joints of a replay: whole numbers, coded as differences from frame to frame.
class JointTracks {
 public:
  JointTracks() = default;
  JointTracks(const World&, double quantum, double force_unit);

  std::size_t size() const { return tracks_.size(); }
  std::size_t stride() const { return stride_; }   ///< joints are kept in every such frame, from frame 0 on

  /// Asked for every frame in turn.
  void add_frame(const World&, const StepReport&);
  /// For every joint, for every channel of it, for every kept frame: a varint.
  void append_to(std::string& out) const;

 private:
  struct Track {
    JointId id;
    std::vector<int> free;               ///< coordinates
    std::vector<std::int64_t> numbers;   ///< frame by frame, all channels
    std::size_t channels() const { return 9 + 3 * free.size(); }
  };
  void thin_out();

  std::vector<Track> tracks_;
  double quantum_ = 1, force_unit_ = 1, torque_unit_ = 1;
  std::size_t frames_ = 0, kept_ = 0, stride_ = 1;
};

}   // namespace stickslip
