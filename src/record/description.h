// A scene as the viewer is told about it: docs/viewer-protocol.md.
#pragma once

#include <nlohmann/json.hpp>

#include "stickslip/scene/scene.h"

namespace stickslip {

/// Version of the descriptions and frames of docs/viewer-protocol.md.
inline constexpr int kViewerProtocol = 6;

/// "dynamic", "fixed", "kinematic"
std::string_view motion_name(MotionType);

/// Positions in frames are whole multiples of this length [m]: a power of ten, at most 1e-4 of the smallest body.
double position_quantum(const World&);

/// Positions of nodes in frames are whole multiples of this length [m]: a power of ten, at most 1e-3 of the radius of their
/// beads.
double node_quantum(const NodalBody&);

/// Forces in replays are whole multiples of a thousandth of this [N]: a power of ten near the weight of the lightest body.
double force_unit(const World&);

/// The bodies that frames tell about, in the order of their numbers: those that are alive now.
std::vector<BodyId> described_bodies(const World&);

nlohmann::json describe_scene(const Scene&, double quantum);

}   // namespace stickslip
