// The nodes of bodies in a replay: docs/viewer-protocol.md.
#pragma once

#include <string>
#include <vector>

#include "stickslip/world/world.h"

namespace stickslip {

/// Whole numbers, coded as differences from the straight and even way on: what falls, rolls or rests takes a byte or two.
class NodeTracks {
 public:
  NodeTracks() = default;
  explicit NodeTracks(const World&);

  /// Asked for every frame in turn. Nodes of a body that was removed stay where they were.
  void add_frame(const World&);
  /// For every body of nodes, for every axis, for every node, for every frame: a varint.
  void append_to(std::string& out) const;

 private:
  struct Track {
    BodyId id;
    std::size_t nodes;
    double inverse_quantum;
    std::vector<std::int32_t> numbers;   ///< frame by frame, node by node, three each
  };
  std::vector<Track> tracks_;
};

}   // namespace stickslip
