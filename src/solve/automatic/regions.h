// What is off in a large problem that is nearly solved, with what lies around it, as a small problem of its own.
//
// In a heap at rest the impulses of the last step are right but for a few contacts. A sweep over all blocks would visit
// thousands for their sake. Instead the blocks that are off and those within a few bodies of them are taken out, everything
// else holds its impulses, and the small problem is solved by the same stages. What that disturbs at its border is off in the
// next round, whose region is larger. Regions that are not small next to the whole are left to the stages.
#pragma once

#include <functional>

#include "problem/incidence.h"
#include "solve/islands.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

/// The blocks of a factored problem around some of them.
class Neighbourhood {
 public:
  /// Learns which blocks act on which bodies. Memory is kept.
  void prepare(const ContactProblem& p) { incidence_.find(p); }

  /// These blocks and all that are at most `rings` bodies away, in increasing order. Stops growing at `most` blocks or more.
  std::span<const std::uint32_t> around(const ContactProblem&, std::span<const std::uint32_t> blocks, int rings,
                                        std::size_t most);

 private:
  void take(const ContactProblem&, std::uint32_t block);

  Incidence incidence_;
  std::vector<std::uint32_t> region_, queue_, next_;   ///< blocks taken; segments reached in this ring and the next
  std::vector<bool> taken_, reached_;
};

/// Solves a problem until the monitor stops the solve.
using SubSolver = std::function<void(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&)>;

/// Solves region after region until the monitor stops the solve, or regions do not help. True: it stopped the solve.
/// On false the best impulses seen are in `impulses`, with what `SolveMonitor::start` leaves
/// of a guess in the workspace.
bool solve_regions(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&, const SubSolver&);

/// Whether a problem is large enough for `mend_worst`.
bool can_be_mended(const ContactProblem&);

/// Solves the blocks that are far worse than all others, with what lies around them, until they are not. For sweeps over a
/// problem far from solved: a few contacts that give way only slowly hold its residual up. The monitor has just judged the
/// impulses. True: they changed; what the borders were given waits for the next sweeps.
bool mend_worst(const ContactProblem&, std::span<double> impulses, Workspace&, SolveMonitor&, const SubSolver&);

}   // namespace stickslip
