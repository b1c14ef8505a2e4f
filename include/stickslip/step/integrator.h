// Ways of advancing a world by one step, and the table of them.
//
//   impulse   contacts and joints as one contact problem over impulses, solved once or a few times a step (the default)
//   barrier   contact as a potential that is infinite where surfaces touch: no step ends with an intersection
//   penalty   contacts as springs and dampers (docs/penalty.md)
//
// A program may add its own before it makes a stepper that names it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Thrown by a step whose caller wants it to end (`StepOptions::cancel`). The world is as it was before the step.
struct StepCancelled {};

/// @throws StepCancelled if the caller wants the step to end
inline void end_if_cancelled(const std::atomic<bool>* cancel) {
  if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) throw StepCancelled();
}

/// Holds memory and caches, nothing that changes a result: a new one continues a saved world to the same bits.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Advances the world by one step. The report stays valid until the next call.
  /// @throws Error if the world has a shape pair without a collider or a state that is not finite; StepCancelled
  virtual const StepReport& step(World&) = 0;

  // Of those that solve a contact problem: that of the last step, the guess that it was solved from, and the impulses found.
  virtual const ContactProblem* problem() const { return nullptr; }
  virtual std::span<const double> guess() const { return {}; }
  virtual std::span<const double> impulses() const { return {}; }
};

struct IntegratorInfo {
  std::string name;
  std::string summary;   ///< what it does, in one line
  /// @throws Error if an option is invalid. The options are valid but for those that it reads alone.
  std::function<std::unique_ptr<Integrator>(const StepOptions&)> make;
};

/// All integrators, in the order of the table; added ones last.
std::vector<IntegratorInfo> integrators();

/// Adds one to the table. @throws Error if its name is empty or taken, or it cannot be made.
void add_integrator(IntegratorInfo);

/// The one that the options name. @throws Error with a suggestion for an unknown name, or if an option is invalid.
std::unique_ptr<Integrator> make_integrator(const StepOptions&);

}   // namespace stickslip
