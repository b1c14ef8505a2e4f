#include "stickslip/solve/splitting/projected_jacobi.h"

#include <fmt/format.h>

#include "solve/splitting/block_state.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

struct JacobiScratch {
  std::vector<double> step;   ///< per row: ω / dᵢ; 0 where W_ii is not positive
  std::vector<double> v, segment_velocity;
};

void fill_steps(const ContactProblem& p, const ProjectedJacobi::Options& options, std::vector<double>& step) {
  step.assign(p.rows(), 0.0);
  if (options.safe) {
    const BlockMatrix w = delassus(p);
    for (std::size_t i = 0; i < w.blocks(); ++i)
      for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e)
        Eigen::Map<Eigen::VectorXd>(step.data() + w.offset[i], w.dim(i)) += w.entry(i, e).cwiseAbs().rowwise().sum();
  } else {
    for (const Block& b : p.blocks)
      for (int k = 0; k < b.dim; ++k) step[b.row + k] = p.diagonal(b)(k, k);
  }
  for (const Block& b : p.blocks)
    for (int k = 0; k < b.dim; ++k) step[b.row + k] = p.diagonal(b)(k, k) > 0 ? options.relaxation / step[b.row + k] : 0.0;
}

}   // namespace

ProjectedJacobi::ProjectedJacobi(Options options) : options_(options) {
  if (!(options.relaxation > 0 && options.relaxation < 2))
    throw Error(fmt::format("{} is not a relaxation factor. It must be between 0 and 2.", options.relaxation)).at("relaxation");
}

void ProjectedJacobi::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                              SolveMonitor& monitor) const {
  JacobiScratch& scratch = workspace.scratch<JacobiScratch>();
  fill_steps(problem, options_, scratch.step);
  scratch.v.resize(problem.rows());
  for (int k = 1;; ++k) {
    problem.contact_velocity(impulses, scratch.v, scratch.segment_velocity);
    double change = 0;
    for (std::uint32_t i = 0; i < problem.blocks.size(); ++i) {
      const Block& b = problem.blocks[i];
      double next[6];
      for (int r = 0; r < b.dim; ++r) next[r] = impulses[b.row + r] - scratch.step[b.row + r] * scratch.v[b.row + r];
      project_on_box(problem, i, next);
      for (int r = 0; r < b.dim; ++r) {
        change = std::max(change, std::abs(next[r] - impulses[b.row + r]) * problem.diagonal(b)(r, r));
        impulses[b.row + r] = next[r];
      }
    }
    if (monitor.done(k, impulses, change)) return;
  }
}

}   // namespace stickslip
