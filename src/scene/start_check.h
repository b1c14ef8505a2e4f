// Is the state a scene starts in one that can be simulated?
#pragma once

#include <string>
#include <vector>

#include "stickslip/step/options.h"
#include "stickslip/world/world.h"

namespace stickslip::document {

/// "2.5 mm": a length in the unit that keeps the number readable.
std::string readable_length(double metres);

/// @throws Error if two shapes have no collider, or if bodies overlap and may not. @param warnings gets a sentence if they
/// overlap and may.
void check_start(const World&, const StepOptions&, bool allow_overlap, std::vector<std::string>& warnings);

/// Checks the friction laws of all materials that can meet.
/// @throws Error if laws do not combine, or if the solver of the step cannot honour one, or contact over areas where it is
/// asked for; it names solvers that can.
/// @param warnings gets a sentence for every law that does what its user should know
void check_laws(const World&, const StepOptions&, std::vector<std::string>& warnings);

/// @throws Error if the solver cannot hold a joint; it names the joint and the solvers that can
void check_solver(const World&, const ContactSolver&);

/// Checks that the solver of the step can hold all joints, as `check_solver` does.
/// @param warnings gets a sentence for every joint whose frames do not meet at the start, or that starts beyond its limits
void check_joints(const World&, const StepOptions&, std::vector<std::string>& warnings);

}   // namespace stickslip::document
