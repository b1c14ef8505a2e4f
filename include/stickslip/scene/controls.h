// Controls: what drives joints over time, from a file.
//
//   time,shoulder:target,elbow.turn_z:effort,left wheel:speed
//   0,0.2,0,1
//   0.5,0.4,1.5,
//   2,0.4,0,3
//
// The first column is the time [s], which grows from row to row. Every other one drives a coordinate of a joint: the target of
// its servo [m or rad], the speed of its motor [m/s or rad/s], or an effort [N or N m]. The name of the coordinate may be left
// out where only one can be meant. Values are joined by straight lines and rest before the first and after the last; an empty
// cell is no point of the line.
#pragma once

#include <filesystem>
#include <string_view>

#include "stickslip/world/world.h"

namespace stickslip {

/// Gives efforts, motors and servos of a world the paths of a table; they become part of its joints, so that it runs, saves and
/// continues as if its scene had said them. A coordinate without an effort gets one.
/// @throws Error naming file, line, column, value and remedy
void read_controls(const std::filesystem::path&, World&);
/// From text. @param file for messages
void parse_controls(std::string_view text, const std::string& file, World&);

}   // namespace stickslip
