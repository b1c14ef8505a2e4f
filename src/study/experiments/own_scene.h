// The study of one's own scene: how the motion depends on the step, and what every solver costs for what it gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stickslip/study/study.h"

namespace stickslip::study::own_scene {

/// What a recommendation must keep: a column of the tables `runs` or `errors` and its largest value.
struct Limit {
  std::string column;
  double value = 0;
};
/// "creep=1e-6,penetration=1e-4". Empty text: creep under 1 µm/s. @throws Error naming what can be limited
std::vector<Limit> parse_limits(const std::string& text);

/// p of error = C (hᵖ − h₀ᵖ), which distances from a run with step h₀ follow if the method is of order p: to a hundredth, from
/// 0.01 to 4, by least squares of logarithms. NaN of fewer than two errors above 0.
double order_of(const std::vector<double>& h, const std::vector<double>& error, double reference);

}   // namespace stickslip::study::own_scene
