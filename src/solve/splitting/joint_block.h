// All joints of a problem as one linear system.
#pragma once

#include <memory>

#include "stickslip/math/block_matrix.h"

namespace stickslip {

/// Solves W_JJ Δ = −v for the joints of a problem, all at once [course §3.2.4].
///
/// `direct`: a sparse factorisation (Cholesky; LU where W is not symmetric), made once per solve, of W_JJ with a trace of its
/// diagonal added, so that redundant joints do not make it singular. Joints that contradict each other get the impulses of
/// least squares. Otherwise conjugate gradients preconditioned with the diagonal blocks, which needs a symmetric W.
class JointBlock {
 public:
  JointBlock();
  ~JointBlock();

  void prepare(BlockMatrix joints, bool direct);
  bool empty() const;
  bool is_factored() const;   ///< though that was not asked for, where W is not symmetric
  /// @param v in: velocities of all joint rows [m/s]; out: the change of the impulses [N s]. False if the factorisation failed.
  bool solve(std::span<double> v, double tolerance);

 private:
  struct System;
  std::unique_ptr<System> system_;
};

}   // namespace stickslip
