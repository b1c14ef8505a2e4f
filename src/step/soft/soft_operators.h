// How the coupling of soft bodies enters the solve of a step: the operators of the dual form [course §4.3, Table 4].
//
// All solve the same problem, v = J A⁻¹ Jᵀ λ + b, and are judged by its residual; they differ in what stands for A⁻¹. The
// lumped operator changes the problem itself and acts where it is built (soft_systems.h).
//
// Contacts that no soft body feels, directly or through others, are a problem of their own, which is solved as one without soft
// bodies is. Where many contacts between rigid bodies hang together with a soft one (a wall on a slab), W is large and far from
// full, and nothing is multiplied out: solvers go through the factors of A, as `partial` does everywhere.
//
// Where factors of earlier matrices serve, W of the factored operator is near: Ŵ. What it is off by stands in b, of the iterate
// before: v = Ŵ λ⁺ + (W − Ŵ) λ + b, until the residual with W itself is small.
#pragma once

#include <limits>

#include "problem/carrier_compliance.h"
#include "solve/islands.h"
#include "stickslip/solve/solver.h"
#include "stickslip/step/options.h"

namespace stickslip {

class SoftOperators {
 public:
  /// What a step solves with.
  struct Tools {
    const ContactSolver& solver;
    Workspace& workspace;
  };

  /// The operator that solves this problem: the one that was asked for, or the one that `automatic` means here.
  static SoftOperator choose(SoftOperator asked, const ContactProblem&);

  /// @pre the problem is coupled. The velocity is that of the problem plus what impulses change.
  SolveReport solve(SoftOperator chosen, const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);

 private:
  /// Blocks of a problem as one of their own.
  struct Part {
    std::vector<std::uint32_t> blocks;
    SubProblem sub;
    std::vector<double> impulses;

    template <class Solve>
    SolveReport solve(const ContactProblem& whole, std::span<double> impulses, const Solve&);
  };
  void find_parts(const ContactProblem&, bool mixes);
  void begin();
  SolveReport solve_soft(const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);
  SolveReport solve_once(const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);
  SolveReport solve_matrix(const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);
  void multiply_out(const ContactProblem&);
  Residual judge(const ContactProblem&, std::span<const double> impulses, double accuracy, double tolerance);
  SolveReport correct(const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);
  SolveReport solve_by_splitting(const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);

  SoftOperator chosen_ = SoftOperator::factored;
  /// What a matrix was made of, where factors of an earlier step serve: contacts that stay as they are leave it as it is.
  struct Source {
    std::vector<std::shared_ptr<const CoupledMass::InversePart>> parts;
    std::vector<std::uint32_t> places;   ///< what blocks act on: kinds, sizes, rows and segments
    std::vector<double> jacobian;
    bool operator==(const Source&) const = default;
  };
  void find_source(const ContactProblem&, Source&) const;

  Islands islands_;
  Part rigid_, mixed_, soft_;
  Workspace rigid_workspace_, mixed_workspace_;
  ContactProblem condensed_;
  Source source_, next_source_;   ///< empty: of no use
  bool is_made_ = false;          ///< whether the condensed problem is that of this step
  CoupledDelassus delassus_;
  ResidualWorkspace work_;
  std::vector<double> near_v_, scratch_, guess_;
  SolveReport last_;           ///< of the corrected problem
  double corrected_ = 0;       ///< its residual; infinite if there was none [m/s]
  std::uint64_t series_ = 0;   ///< of problems with one matrix
};

}   // namespace stickslip
