#include "solve/automatic/plan.h"

namespace stickslip {

namespace {

using enum Method;

/// Too large to factor, or not allowed to.
const Plan kSweepsOnly{{sweeps}};
/// Newton steps in velocities cost a dozen sweeps and do not mind redundant contacts.
const Plan kVelocities{{sweeps, newton, admm}};
/// More sweeps would be lost: 30 of 50 islands of the worst in falling heaps stood still for all that they were allowed, and
/// took five to twenty Newton steps.
const Plan kStubborn{{newton, sweeps}};
/// Factorisations are dear, and Newton steps the quicker of them.
const Plan kMatrix{{sweeps, newton, admm}};
/// Sweeps feel whole mechanisms, which only heavy loads on light ones slow down;
/// then factorisations take joints and contacts together.
const Plan kMechanism{{sweeps, newton, admm}};

}   // namespace

const Plan& choose_plan(const Features& f, std::size_t most_rows) {
  if (f.rows > most_rows) return kSweepsOnly;
  if (f.joints) return kMechanism;
  if (f.stubborn) return kStubborn;
  return f.factored ? kVelocities : kMatrix;
}

}   // namespace stickslip
