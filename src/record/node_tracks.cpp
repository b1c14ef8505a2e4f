#include "record/node_tracks.h"

#include <algorithm>

#include "record/description.h"
#include "record/varint.h"

namespace stickslip {

NodeTracks::NodeTracks(const World& world) {
  for (const BodyId id : described_bodies(world))
    if (!world.body(id).is_rigid()) {
      const NodalBody& nodes = world.nodal_body(id);
      tracks_.push_back({id, nodes.size(), 1 / node_quantum(nodes), {}});
    }
}

void NodeTracks::add_frame(const World& world) {
  for (Track& track : tracks_) {
    std::vector<std::int32_t>& numbers = track.numbers;
    const std::size_t width = 3 * track.nodes, before = numbers.size();
    numbers.resize(before + width);
    if (world.contains(track.id)) {
      std::size_t at = before;
      for (const Vec3& position : world.nodal_body(track.id).positions)
        for (const double x : position) numbers[at++] = rounded_to_32_bits(x * track.inverse_quantum);
    } else if (before > 0) {
      std::copy_n(numbers.data() + before - width, width, numbers.data() + before);
    }
  }
}

void NodeTracks::append_to(std::string& out) const {
  for (const Track& track : tracks_) {
    const std::size_t width = 3 * track.nodes, frames = track.numbers.size() / width;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t node = 0; node < track.nodes; ++node) {
        std::int64_t last = 0, step = 0;
        for (std::size_t frame = 0; frame < frames; ++frame) {
          const std::int64_t now = track.numbers[frame * width + 3 * node + axis];
          put_varint(out, now - (last + step));
          step = frame > 0 ? now - last : 0;
          last = now;
        }
      }
  }
}

}   // namespace stickslip
