// Joints in the live view: their numbers in frames, and what viewers may change about them.
#pragma once

#include <string>

#include "record/joint_sample.h"
#include "serve/command.h"

namespace stickslip::serve {

/// Knows the joints of one scene by the numbers that frames give them.
class JointTable {
 public:
  explicit JointTable(const World&);

  std::size_t size() const { return ids_.size(); }

  /// All joints after a step, byte for byte as frames have them.
  std::string rows(const World&, const StepReport&) const;

 private:
  std::vector<JointId> ids_;
  std::vector<std::vector<int>> free_;   ///< coordinates of each
};

/// Changes what a motor or servo asks for, the effort or the bounds, and wakes the bodies. @returns the coordinate
/// @throws Error if there is no such joint or coordinate, it has no motor or servo, or the joint is broken.
int drive(World&, const DriveJoint&);

}   // namespace stickslip::serve
