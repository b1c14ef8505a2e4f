// Principal pivoting on the boxed model: Murty's least-index method, and blocks of pivots.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Options that `murty` and `bpp` share.
struct PrincipalPivotingOptions {
  double regularisation = 1e-8;
  int patience = 5;
};

/// Principal pivoting on the boxed model [course §3.1.2, §3.1.3, Alg. 4; §1.7].
///
/// Rows are free (v = 0), at their lower bound (v ≥ 0) or at their upper bound (v ≤ 0). Each iteration solves
///
///   W_FF λ_F = −b_F − W_FT λ_T
///
/// with the other rows T at their bounds, and moves rows that violate their conditions [course (120)]: `Murty` the one of
/// least index, `BlockPrincipalPivoting` all of them; that may cycle, so after `patience` blocks without progress it makes
/// least-index pivots until there are fewer infeasible rows than ever before [Júdice, Pires 1994]. With least-index pivots a
/// P-matrix never comes back to an index set; where one does come back, the matrix is none, and the solve fails and says so.
///
/// Redundant contacts make W_FF singular. Therefore every round of pivots is a proximal step, W + εD with b − εDλ_old, D the
/// diagonal of W: a P-matrix for every W ≥ 0, whose bias vanishes as the rounds repeat. ε starts at 0.01 and falls tenfold per
/// round to `regularisation`; a round whose blocks do not settle is taken back and repeated with a larger ε.
///
/// Bounds of friction rows follow from the normal impulses of the round before, damped when they do not settle. After each
/// round, up to six blocks of pivots are tried with friction at its bounds as ±μ λₙ in the unknowns: close to the solution
/// these find it. Where the bounds wander, because redundant normal impulses do, a larger ε holds these for some rounds.
///
/// W_FF is factored sparse and modified row by row (CHOLMOD); where W is not symmetric, by sparse LU, anew in each iteration.
class PrincipalPivoting : public ContactSolver {
 public:
  FrictionModel model() const override { return FrictionModel::boxed; }

 protected:
  PrincipalPivoting(PrincipalPivotingOptions, bool blocks);   ///< @throws Error if an option is out of range
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  PrincipalPivotingOptions options_;
  bool blocks_;
};

/// One row per iteration, the violating one of least index [Murty 1974].
class Murty final : public PrincipalPivoting {
 public:
  struct Options {
    double regularisation = 1e-8;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("regularisation", regularisation,
        "proximal diagonal as a fraction of that of W, ≥ 0; 0 cannot treat redundant contacts");
    }
  };
  explicit Murty(Options options) : PrincipalPivoting({options.regularisation, 0}, false) {}
  std::string_view name() const override { return "murty"; }
};

/// All violating rows per iteration, single ones where that does not help.
class BlockPrincipalPivoting final : public PrincipalPivoting {
 public:
  struct Options {
    double regularisation = 1e-8;
    int patience = 5;

    template <class Visitor>
    void visit(Visitor&& v) {
      v("regularisation", regularisation,
        "proximal diagonal as a fraction of that of W, ≥ 0; 0 cannot treat redundant contacts");
      v("patience", patience, "blocks of pivots without fewer infeasible rows before single pivots begin, ≥ 0");
    }
  };
  explicit BlockPrincipalPivoting(Options options) : PrincipalPivoting({options.regularisation, options.patience}, true) {}
  std::string_view name() const override { return "bpp"; }
};

}   // namespace stickslip
