// The joints of a trajectory: the group /joints of docs/records.md.
#pragma once

#include <vector>

#include "record/columns.h"
#include "record/growing_dataset.h"
#include "record/joint_sample.h"

namespace stickslip {

class JointDatasets {
 public:
  /// Makes the group. Every dataset is appended to `all`.
  void create(hid_t file, const World&, std::vector<h5::GrowingDataset*>& all);

  /// One frame. @param bodies with columns for all bodies of the world
  void write_frame(const World&, const StepReport&, const BodyColumns& bodies);

 private:
  void add_joint(const Joint&, const BodyColumns&);

  JointColumns columns_;
  std::size_t name_length_ = 0;
  h5::GrowingDataset name_, type_, body_a_, body_b_, first_, second_;
  h5::GrowingDataset alive_, broken_, position_, velocity_, force_, torque_, motor_force_, coupling_force_, error_;
};

/// Text of exactly `length` bytes.
void push_text(h5::GrowingDataset&, std::string_view text, std::size_t length);

/// Bytes kept of a name, unless a longer one is there at the start.
inline constexpr std::size_t kNameLength = 64;
/// Bytes of the name of a kind of shape, joint or motion.
inline constexpr std::size_t kKindLength = 16;

}   // namespace stickslip
