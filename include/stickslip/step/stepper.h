// Advances a world by one step after the other, by the integrator that the options name.
#pragma once

#include "stickslip/step/integrator.h"

namespace stickslip {

/// Holds memory and caches, nothing that changes a result: a new stepper continues a saved world to the same bits.
class Stepper {
 public:
  /// @throws Error if an option is invalid or the integrator or solver unknown.
  explicit Stepper(StepOptions options = {});
  ~Stepper();
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;

  /// Advances the world by options().h. The report stays valid until the next call.
  /// @throws Error if the world has a shape pair without a collider or a state that is not finite; StepCancelled if
  /// `StepOptions::cancel` says so: the world is then as it was.
  const StepReport& step(World& world) { return integrator_->step(world); }

  /// The contact problem of the last step (before its solve), the guess it was solved from, and the impulses that the solve
  /// handed back. @throws Error if the integrator solves no contact problem
  const ContactProblem& problem() const;
  std::span<const double> guess() const { return integrator_->guess(); }
  std::span<const double> impulses() const { return integrator_->impulses(); }

  const StepOptions& options() const { return options_; }
  /// @throws Error if an option is invalid; then the old options stay.
  void set_options(StepOptions);

 private:
  StepOptions options_;
  std::unique_ptr<Integrator> integrator_;
};

/// Pairs of bodies that overlap by more than `tolerance` times the thickness of the thinner one, deepest first.
struct Overlap {
  BodyId a, b;
  double depth;   ///< [m], > 0
};
std::vector<Overlap> find_overlaps(const World&, double tolerance = 0.01);
/// The same beyond what contact by volume is to keep: as deep as a ball is whose mean depth is the target.
std::vector<Overlap> find_overlaps(const World&, const StepOptions&, double tolerance = 0.01);

/// Whether contacts of some pair may become areas.
bool asks_for_areas(const World&, const StepOptions&);

/// @throws Error naming two bodies whose shapes have no collider.
void check_colliders(const World&);

}   // namespace stickslip
