// Where a soft body would be if it went on as a rigid one.
#pragma once

#include <vector>

#include "stickslip/world/nodal_body.h"

namespace stickslip {

/// The velocities that Newton's method starts from: those that take the nodes where the mean motion of the body would take them
/// as a rigid one in time h, along with the centre of mass, and turned by R = exp(h ω), ω = I⁻¹ L. From where nodes are now
/// a turn by θ looks like a strain of θ²/2 to the first linearisation, and a stiff body that is linearised once would hardly
/// turn.
///
/// A body that is held and does not move along with what holds it starts from rest; so does one of the linear model, to which a
/// turn is a strain anyway.
void find_first_trial(const NodalBody&, double h, std::vector<Vec3>& trial);

}   // namespace stickslip
