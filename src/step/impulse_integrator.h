// The impulse integrator: detect → build → solve → integrate → project → record.
#pragma once

#include "stickslip/step/integrator.h"

namespace stickslip {

/// @throws Error if the solver is unknown or has an invalid option.
std::unique_ptr<Integrator> make_impulse_integrator(const StepOptions&);

}   // namespace stickslip
