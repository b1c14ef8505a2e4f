// Nonsmooth nonlinear conjugate gradients over Gauss–Seidel sweeps.
#pragma once

#include <string>

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// NNCG [course §3.2.7, Alg. 10].
///
/// A sweep maps λ to S(λ), and its fixed points solve the model. Take g = λ − S(λ) for the gradient of a function nobody
/// writes down and follow Fletcher and Reeves with step length 1:
///
///   β = ‖g_k‖² / ‖g_{k−1}‖²,   λ_{k+1} = S(λ_k) + β p_{k−1},   p_k = β p_{k−1} − g_k
///
/// and p = 0 where β > 1 (restart), and at the start, where Alg. 10 has −g₀ (`start=gradient`). The norm is ‖x‖² = Σ W_ii xᵢ²,
/// an energy, rather than Σ xᵢ² as in the paper (`norm=plain`), so that light and heavy bodies count alike. S(λ) is admissible
/// and is what is judged and handed back; the extrapolated impulses need not be, the next sweep projects them.
/// Costs one sweep and three vector updates per iteration.
class Nncg final : public ContactSolver {
 public:
  struct Options {
    std::string model = "boxed";
    std::string start = "zero";
    std::string norm = "energy";
    OrderingOptions order;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("model", model, "boxed: each row for itself, as in the paper; exact: sweeps on the friction law itself");
      v("start", start, "first direction p: zero, or gradient, −g as in the paper");
      v("norm", norm, "of β: energy, weighted with the diagonal of W, or plain as in the paper");
      order.visit(v);
    }
  };

  explicit Nncg(Options);   ///< @throws Error if an option is unknown
  std::string_view name() const override { return "nncg"; }
  FrictionModel model() const override { return exact_ ? FrictionModel::exact : FrictionModel::boxed; }
  std::string_view cannot_solve(const ContactProblem& problem) const override { return options_.order.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  OrderingOptions::Use order_use() const;

  Options options_;
  bool exact_;
};

}   // namespace stickslip
