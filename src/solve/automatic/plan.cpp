#include "solve/automatic/plan.h"

namespace stickslip {

namespace {

using enum Method;

const Plan kSweepsOnly{{sweeps}, "Too large to factor, or not allowed to."};
const Plan kVelocities{{sweeps, newton, admm}, "Newton steps in velocities cost a few sweeps and do not mind redundant contacts."};
const Plan kMatrix{{sweeps, newton, admm}, "W is a matrix: factorisations are dear, and Newton steps the quicker of them."};
const Plan kMechanism{{sweeps, newton, admm}, "Sweeps feel whole mechanisms, which only heavy loads on light ones slow down."};

}  // namespace

const Plan& choose_plan(const Features& f, std::size_t most_rows) {
  if (f.rows > most_rows) return kSweepsOnly;
  if (f.joints) return kMechanism;
  return f.factored ? kVelocities : kMatrix;
}

}  // namespace stickslip
