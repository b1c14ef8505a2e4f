// How the coupling of soft bodies enters the solve of a step: the operators of the dual form [course §4.3, Table 4].
//
// All solve the same problem, v = J A⁻¹ Jᵀ λ + b, and are judged by its residual; they differ in what stands for A⁻¹. The
// lumped operator changes the problem itself and acts where it is built (soft_systems.h).
//
// Where factors of earlier matrices serve, W of the factored operator is near: Ŵ. What it is off by stands in b, of the iterate
// before: v = Ŵ λ⁺ + (W − Ŵ) λ + b, until the residual with W itself is small.
#pragma once

#include <limits>

#include "problem/carrier_compliance.h"
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

  /// Takes another problem, whose matrix is made when it is first asked for.
  void begin(SoftOperator chosen) {
    chosen_ = chosen;
    ++series_;
    is_made_ = false;
    corrected_ = std::numeric_limits<double>::infinity();
  }

  /// @pre the problem is coupled. The velocity is that of the problem plus what impulses change.
  SolveReport solve(const ContactProblem&, std::span<double> impulses, const Tools&, const SolveControl&);

 private:
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

  ContactProblem condensed_;
  Source source_, next_source_;   ///< empty: of no use
  bool is_made_ = false;          ///< whether the condensed problem is that of this step
  CoupledDelassus delassus_;
  ResidualWorkspace work_;
  std::vector<double> near_v_, scratch_;
  SolveReport last_;           ///< of the corrected problem
  double corrected_ = 0;       ///< its residual; infinite if there was none [m/s]
  std::uint64_t series_ = 0;   ///< of problems with one matrix
};

}   // namespace stickslip
