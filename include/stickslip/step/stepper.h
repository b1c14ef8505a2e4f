// Advances a world by one step: detect → build → solve → integrate → project → record.
#pragma once

#include <memory>

#include "stickslip/step/options.h"
#include "stickslip/step/report.h"
#include "stickslip/world/world.h"

namespace stickslip {

/// Holds memory and caches, nothing that changes a result: a new stepper continues a saved world to the same bits.
class Stepper {
 public:
  /// @throws Error if an option is invalid or the solver unknown.
  explicit Stepper(StepOptions options = {});
  ~Stepper();
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;

  /// Advances the world by options().h. The report stays valid until the next call.
  /// @throws Error if the world has a shape pair without a collider or a state that is not finite.
  const StepReport& step(World&);

  /// The contact problem of the last step (before its solve), and the guess it was solved from.
  const ContactProblem& problem() const;
  std::span<const double> guess() const;
  /// The impulses that the solve handed back.
  std::span<const double> impulses() const;

  const StepOptions& options() const;
  /// @throws Error if an option is invalid; then the old options stay.
  void set_options(StepOptions);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Pairs of bodies that overlap by more than `tolerance` times the thickness of the thinner one, deepest first.
struct Overlap {
  BodyId a, b;
  double depth;   ///< [m], > 0
};
std::vector<Overlap> find_overlaps(const World&, double tolerance = 0.01);

/// @throws Error naming two bodies whose shapes have no collider.
void check_colliders(const World&);

}  // namespace stickslip
