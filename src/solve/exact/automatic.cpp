#include "stickslip/solve/exact/automatic.h"

#include <fmt/format.h>

#include <cmath>

#include "solve/exact/joint_tactics.h"
#include "stickslip/math/error.h"

namespace stickslip {

AutomaticSolver::AutomaticSolver(Options options) : options_(options) {
  if (!(std::isfinite(options.proximal) && options.proximal >= 0))
    throw Error(fmt::format("{} is not a proximal weight. It must be finite and at least 0.", options.proximal)).at("proximal");
  if (options.window < 8) throw Error(fmt::format("{} sweeps are too few to judge progress by. Give 8 or more.", options.window)).at("window");
  if (options.direct_rows < 0) throw Error(fmt::format("{} is not a number of rows. Give 0 or more.", options.direct_rows)).at("direct_rows");
}

void AutomaticSolver::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor) const {
  JointTactics& joints = workspace.scratch<JointTactics>();
  if (options_.direct_rows > 0 && joints.setup(problem)) joints.run(impulses, workspace, monitor, options_);
  else Tactics(problem, impulses, workspace, monitor, options_).run();
}

}  // namespace stickslip
