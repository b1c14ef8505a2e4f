// Elements of soft bodies that a step would turn inside out.
#pragma once

#include "step/velocity_space.h"

namespace stickslip {

/// Whether an element that is not inside out now would be after time h with these velocities. What is so already is not asked.
bool inverts_elements(const World&, const VelocitySpace&, std::span<const double> velocity, double h);

}   // namespace stickslip
