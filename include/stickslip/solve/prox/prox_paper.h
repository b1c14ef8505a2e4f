// The proximal schemes as they were published, to be read beside the paper.
#pragma once

#include "stickslip/solve/ordering.h"

namespace stickslip {

/// What Algorithms 1 and 2 of [prox §4] share. `prox-gs` and `prox-jacobi` are ours and better; these are for comparison with
/// the paper, step by step.
///
/// One pass computes λ_{k+1} from λ_k by closest points of z = λ − R(Wλ + b), and r_{k+1} = ‖λ_{k+1} − λ_k‖∞ [N s]. If
/// r_{k+1} > r_k the pass is undone and R ← νR; it counts as an iteration, as it costs one, and as one of
/// `SolveReport::rollbacks`. R of a contact is [prox §4.2]
///
///   global    r I with one r for all rows, 5 to begin with: the paper's number, a mass in kg
///   local     diag(1/A_ii), row by row
///   blocked   1/A_nn and the inverse block of the friction rows; the closest point is the Euclidean one, which makes friction
///             oppose A_ff⁻¹ v_f rather than the slip v_f where A_ff is not a multiple of the identity
///
/// What the paper does not have: joints take z itself and boxes clamp it, row by row but for blocked joints, which take the
/// inverse of their block; where a block has no inverse its rows have 1/A_ii, which the notes tell; rows that cannot move stay.
///
/// The paper stops where r_k is at most 0.001 or changes by less than that fraction, and hands back the last iterate:
///
///   control.tolerance = 0;
///   control.merit = {.function = Merit::step, .absolute = 1e-3, .relative = 1e-3};
///   control.last_iterate = true;
class ProxPaper : public ContactSolver {
 public:
  struct Options {
    std::string r_factor = "local";
    double r = 5;
    double relaxation = 1;
    double shrink = 0;
    std::string friction = "law";

    template <class Visitor>
    void visit(Visitor&& v) {
      v("r_factor", r_factor, "global: one r for all rows; local: 1/A_ii of every row; blocked: inverse friction blocks");
      v("r", r, "first r of the global strategy [kg], ≥ 0; 0: 1/(|λmin| + |λmax|) of A, by power iteration");
      v("relaxation", relaxation, "γ > 0: local and blocked r-factors begin with γ times theirs");
      v("shrink", shrink, "ν in (0, 1): factor on R at a rollback; 0: the paper's, 0.9 for local, 0.5 for the others");
      v("friction", friction, "law: the friction set of the contact; box: the box around it, which makes it PGS or PSOR");
    }
  };

  FrictionModel model() const override { return boxed_ ? FrictionModel::boxed : FrictionModel::exact; }

 protected:
  explicit ProxPaper(const Options&);   ///< @throws Error if an option is out of range

  Options settings_;
  bool boxed_;
};

/// Algorithm 1: all contacts from the same λ_k, friction within F(λₙ) of λ_k.
class ProxJacobiPaper final : public ProxPaper {
 public:
  using Options = ProxPaper::Options;
  explicit ProxJacobiPaper(const Options& options) : ProxPaper(options) {}
  std::string_view name() const override { return "prox-jacobi-paper"; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;
};

/// Algorithm 2: contact by contact. z of all rows of a contact is taken before any of them changes; friction within F(λₙ) of
/// λ_{k+1}.
///
/// With a `cone`, which only programs can give, the friction set of a contact is made anew at every visit, from the new normal
/// impulse and the slip [course §6.1.3, Alg. 22]: friction that falls with the slip speed, say. Iterates are then judged by the
/// sets at their own velocities, and a solve that meets those ends as `stalled`, for the sets of the problem are others.
class ProxGaussSeidelPaper final : public ProxPaper {
 public:
  /// The friction set of a block at this normal impulse [N s] and slip velocity [m/s]; of the same kind as the problem's.
  using Cone = std::function<FrictionSet(std::uint32_t block, double normal, std::span<const double> slip)>;

  struct Options : ProxPaper::Options {
    OrderingOptions order;
    Cone cone;   ///< empty: the sets of the problem

    template <class Visitor>
    void visit(Visitor&& v) {
      ProxPaper::Options::visit(v);
      order.visit(v);
    }
  };
  explicit ProxGaussSeidelPaper(const Options&);   ///< @throws Error if an option is out of range
  std::string_view name() const override { return "prox-gs-paper"; }
  std::string_view cannot_solve(const ContactProblem& problem) const override { return order_.cannot_order(problem); }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  OrderingOptions order_;
  Cone cone_;
};

}   // namespace stickslip
