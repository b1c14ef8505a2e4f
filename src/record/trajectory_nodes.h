// The bodies of nodes of a trajectory: the group /nodes of docs/records.md.
#pragma once

#include <vector>

#include "record/columns.h"
#include "record/growing_dataset.h"

namespace stickslip {

/// Topology is written once, when a body is seen first; then places and velocities of its nodes in every frame. A node keeps
/// its column for good, as bodies do.
class NodeDatasets {
 public:
  /// Makes the group. Every dataset is appended to `all`.
  void create(hid_t file, const World&, std::vector<h5::GrowingDataset*>& all);

  /// Once for every body of nodes, in the order of their columns. @param column of the body
  void add_body(const World&, BodyId, std::uint32_t column);

  /// One frame, after all new bodies were added.
  void write_frame(const World&);

 private:
  struct Known {
    BodyId id;
    std::size_t nodes;
  };
  std::vector<Known> known_;
  std::size_t node_count_ = 0, triangle_count_ = 0;   ///< of all that were seen
  h5::GrowingDataset body_, radius_, first_node_, first_triangle_, mass_, triangles_, position_, velocity_;
};

}   // namespace stickslip
