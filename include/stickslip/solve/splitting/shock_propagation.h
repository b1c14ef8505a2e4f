// Shock propagation: loads travel through a stack in one pass.
#pragma once

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// Gauss–Seidel sweeps with passes that carry shocks up and loads down by layers [course §3.2.4; Erleben 2007].
///
/// Layers are counted from the unmoving world (src/solve/contact_graph.h): along gravity for everything that stands on it.
/// A pass goes up: the contacts of a layer are swept as if the bodies below could not move, so that each layer comes to rest
/// on the one below; the reactions on the bodies below are kept back. Then it goes down: the reactions of a layer are applied
/// to the bodies below it, and the contacts that carry these are swept again. At the end all reactions are applied and
/// w = Gᵀλ as always. One pass carries the whole weight of a stack to the ground, which takes plain sweeps at least
/// the square of its height.
///
/// Plain sweeps come before, between and after, and decide: a pass that does not lower the residual is undone. The fixed point
/// is therefore that of `pgs`. Passes help where layers come to rest; in a stack that tips or slides they are undone. Where W
/// is a matrix no body is known; a pass then sweeps the layers of the matrix up and down.
class ShockPropagation final : public ContactSolver {
 public:
  struct Options {
    int sweeps_before = 2;
    int layer_sweeps = 50;
    int every = 10;
    OrderingOptions order;   ///< of the plain sweeps

    template <class Visitor>
    void visit(Visitor&& v) {
      v("sweeps_before", sweeps_before, "≥ 0: plain sweeps before the first pass");
      v("layer_sweeps", layer_sweeps,
        "≥ 1: most sweeps of every layer in a pass, up and down; it ends where one moves less than a tenth of the tolerance");
      v("every", every, "≥ 0: plain sweeps between passes, doubled whenever a pass is undone; 0: only one pass");
      order.visit(v);
    }
  };

  explicit ShockPropagation(Options);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "shock"; }
  FrictionModel model() const override { return FrictionModel::boxed; }
  std::string_view cannot_solve(const ContactProblem& problem) const override { return options_.order.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
};

}   // namespace stickslip
