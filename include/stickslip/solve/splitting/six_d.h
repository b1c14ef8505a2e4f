// The projection of wrenches that 6D contact was published with, beside the law of patches.
#pragma once

#include "stickslip/solve/solver.h"

namespace stickslip {

/// Gauss–Seidel over patches, each visit the projection of a rigid joint's wrench [6d §5, Alg. 1]:
///
///   1. λ = −S⁻¹e: the joint that holds all six rows, S = W_ii and e the velocity without the block's own impulse
///   2. a force outside of Coulomb's cone takes the direction of its projection, and its size and the torques are solved anew
///   3. the centre of pressure c̃ = m/λₙ; one outside of the patch is projected on it
///   4. there a point contact takes the place of the joint: three rows in the frame of the projected place, and once more in
///      the direction of the cone where that does not hold the force
///   5. the torsion about the centre of pressure is cut at μ Σ wᵢ λₙ ‖cᵢ − p‖, with cᵢ the corners of the rectangle around the
///      patch and wᵢ the bilinear weights of p; none about one that was projected
///
/// Where patches stick, this is the law of friction/patch.h, solved at the first visit. Where they slide or spin, friction
/// follows the direction of the joint's force rather than that of slip, and the last cut is not
/// solved for: the fixed point is another one, which ends as stalled. docs/solvers/patches.md has the differences measured.
/// Other blocks take the steps of prox-gs.
class SixD final : public ContactSolver {
 public:
  struct Options {
    std::string metric = "euclidean";

    template <class Visitor>
    void visit(Visitor&& v) {
      v("metric", metric, "how a centre of pressure is projected on the patch: euclidean, or mass, that of W_ii");
    }
  };

  explicit SixD(Options);   ///< @throws Error if there is no such metric
  std::string_view name() const override { return "six-d"; }
  bool takes_patches() const override { return true; }

 protected:
  void iterate(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&) const override;

 private:
  Options options_;
  bool by_mass_;
};

}   // namespace stickslip
