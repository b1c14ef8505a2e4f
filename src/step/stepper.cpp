#include "stickslip/step/stepper.h"

#include <fmt/format.h>

#include "stickslip/math/error.h"

namespace stickslip {

Stepper::Stepper(StepOptions options) { set_options(std::move(options)); }
Stepper::~Stepper() = default;
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;

const ContactProblem& Stepper::problem() const {
  if (const ContactProblem* problem = integrator_->problem()) return *problem;
  throw Error(fmt::format("The integrator '{}' solves no contact problem. `impulse` does.", options_.integrator));
}

void Stepper::set_options(StepOptions options) {
  integrator_ = make_integrator(options);
  options_ = std::move(options);
}

}   // namespace stickslip
