// What a sweep varies: `--over /json/pointer=values`.
#pragma once

#include <string>
#include <vector>

namespace stickslip::cli {

/// A place in the scene, and the values that it takes as text of JSON.
struct SweepAxis {
  std::string pointer;
  std::vector<std::string> values;
};

/// `/pointer=a:b:n` (n values from a to b), `/pointer=a:b:n:log` (in equal ratios) or `/pointer=x,y,z` (as they are; commas
/// within brackets and quotes belong to a value). Values of ranges are rounded to 12 digits, so that 0.15 is 0.15.
/// @throws Error
SweepAxis parse_axis(const std::string& text);

/// Every combination, the first axis slowest: for each the number of the value of every axis.
/// @throws Error if they are too many
std::vector<std::vector<std::size_t>> combinations(const std::vector<SweepAxis>&);

}   // namespace stickslip::cli
