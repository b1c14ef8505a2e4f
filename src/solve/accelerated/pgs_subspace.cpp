#include "stickslip/solve/accelerated/pgs_subspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "math/infinity.h"
#include "solve/accelerated/free_set_system.h"
#include "solve/boxed_sweep.h"
#include "solve/deadline.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr int kSubspaceRefinements = 4;
constexpr int kLongestSweeping = 16;   ///< times the sweeps asked for

enum class Side : std::int8_t { lower, free, upper };

struct PgsSubspaceScratch {
  FreeSetSystem system;
  ResidualWorkspace evaluation;   ///< v and Gᵀλ of the iterate evaluated last
  std::vector<double> lower, upper, best, best_velocity;
  std::vector<Side> side, side_before;
  std::vector<std::uint32_t> free;
  Eigen::VectorXd y, step;
};

/// Bounds of the boxed model at the current normal impulses [N s].
void find_bounds(const ContactProblem& p, std::span<const double> impulses, std::vector<double>& lower,
                 std::vector<double>& upper) {
  lower.assign(p.rows(), -kInfinity);
  upper.assign(p.rows(), kInfinity);
  for (std::size_t i = 0; i < p.blocks.size(); ++i) {
    const Block& block = p.blocks[i];
    const std::uint32_t row = block.row;
    if (block.kind == BlockKind::box) {
      std::copy_n(p.lower.begin() + row, block.dim, lower.begin() + row);
      std::copy_n(p.upper.begin() + row, block.dim, upper.begin() + row);
    } else if (block.kind == BlockKind::contact) {
      lower[row] = 0;
      if (block.dim == 1) continue;
      std::visit(
          [&](const auto& law) {
            const auto bounds = law.box(impulses[row]);
            for (int k = 1; k < block.dim; ++k) {
              lower[row + k] = bounds.lower[k - 1];
              upper[row + k] = bounds.upper[k - 1];
            }
          },
          p.laws[i]);
    }
  }
}

/// Which rows are free and which sit at a bound, from the iterate whose v stands in `s.evaluation`.
void guess_free_set(const ContactProblem& p, std::span<const double> impulses, PgsSubspaceScratch& s, bool release) {
  find_bounds(p, impulses, s.lower, s.upper);
  s.side.assign(p.rows(), Side::lower);
  s.free.clear();
  for (const Block& block : p.blocks)
    for (int k = 0; k < block.dim; ++k) {
      const std::uint32_t row = block.row + k;
      if (!(p.diagonal(block)(k, k) > 0)) continue;   // nothing can move: the row stays as it is
      const double trial = release ? impulses[row] - s.evaluation.v[row] / p.diagonal(block)(k, k) : impulses[row];
      if (trial <= s.lower[row]) continue;
      if (trial >= s.upper[row]) s.side[row] = Side::upper;
      else s.side[row] = Side::free, s.free.push_back(row);
    }
}

/// One solve on the free rows. False if there is nothing to solve.
bool minimise(const ContactProblem& p, std::span<double> impulses, PgsSubspaceScratch& s, const PgsSubspace::Options& options) {
  guess_free_set(p, impulses, s, options.release);
  if (s.free.empty() || s.side == s.side_before) return false;
  s.side_before = s.side;
  bool factorised = false;
  for (double gamma = options.regularisation; !factorised && gamma < 1e-3; gamma = std::max(100 * gamma, 1e-12))
    factorised = s.system.factorise(s.free, gamma, options.sparse_threshold);
  if (!factorised) return false;
  s.y.resize(static_cast<Eigen::Index>(s.free.size()));
  for (std::size_t i = 0; i < s.free.size(); ++i) s.y[static_cast<Eigen::Index>(i)] = -s.evaluation.v[s.free[i]];
  if (!s.system.solve(s.y, s.step, kSubspaceRefinements)) return false;
  for (std::size_t i = 0; i < s.free.size(); ++i) impulses[s.free[i]] += s.step[static_cast<Eigen::Index>(i)];

  // Normal rows first, then everything on the bounds that follow from them.
  for (const Block& block : p.blocks)
    if (block.kind == BlockKind::contact) impulses[block.row] = std::max(0.0, impulses[block.row]);
  find_bounds(p, impulses, s.lower, s.upper);
  for (const Block& block : p.blocks)
    for (int k = 0; k < block.dim; ++k) {
      const std::uint32_t row = block.row + k;
      if (s.side[row] == Side::upper) impulses[row] = s.upper[row];
      else if (s.side[row] == Side::lower && p.diagonal(block)(k, k) > 0) impulses[row] = s.lower[row];
      else impulses[row] = std::clamp(impulses[row], s.lower[row], s.upper[row]);
    }
  return true;
}

}   // namespace

PgsSubspace::PgsSubspace(Options options) : options_(options) {
  if (options.sweeps < 1)
    throw Error(fmt::format("{} sweeps cannot guess a free set. There must be at least 1.", options.sweeps)).at("sweeps");
  if (options.subspace < 1)
    throw Error(fmt::format("{} direct solves are no subspace phase. There must be at least 1.", options.subspace))
        .at("subspace");
  if (!(options.regularisation >= 0 && std::isfinite(options.regularisation)))
    throw Error(fmt::format("{} is not a regularisation. It must be finite and at least 0.", options.regularisation))
        .at("regularisation");
  if (options.sparse_threshold < 0)
    throw Error(fmt::format("{} is not a number of rows. It must be at least 0.", options.sparse_threshold))
        .at("sparse_threshold");
  options_.order.check(OrderingOptions::Use::fixed_rows);
}

void PgsSubspace::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                          SolveMonitor& monitor) const {
  auto& s = workspace.scratch<PgsSubspaceScratch>();
  s.system.prepare(problem);
  const auto merit = [&] { return residual(problem, impulses, s.evaluation, FrictionModel::boxed).total(); };
  const auto keep = [&] {
    s.best.assign(impulses.begin(), impulses.end());
    if (problem.is_factored()) s.best_velocity = s.evaluation.segment_velocity;
  };
  const double enough = monitor.control().tolerance;
  Ordering order(options_.order, problem, model(), workspace, OrderingOptions::Use::fixed_rows);
  std::optional<Acceleration> acceleration(std::in_place, problem, impulses, workspace, options_.accelerate);
  long sweeps = 0, solves = 0, longer = 1;
  for (int k = 1;; ++k) {
    for (long i = 0; i < longer * options_.sweeps; ++i, ++sweeps) {
      boxed_sweep(problem, order, static_cast<int>(sweeps) + 1, impulses, workspace.velocity, acceleration->next());
      acceleration->restart_if_opposed();
    }
    const double swept = merit();
    double best = swept;
    keep();
    s.side_before.clear();
    for (int i = 0; i < options_.subspace && best > enough && !must_stop(monitor); ++i, ++solves) {
      if (!minimise(problem, impulses, s, options_)) break;
      const double now = merit();
      if (!std::isfinite(now)) break;
      if (now < best) {
        best = now;
        keep();
      }
    }
    std::copy(s.best.begin(), s.best.end(), impulses.begin());
    if (problem.is_factored()) workspace.velocity = s.best_velocity;
    if (best < swept) {
      acceleration.emplace(problem, impulses, workspace, options_.accelerate);   // a new place: old momentum means nothing
      longer = 1;
    } else {
      longer = std::min<long>(2 * longer, kLongestSweeping);
    }
    if (monitor.done(k, impulses)) break;
  }
  monitor.note([&] { return fmt::format("{} sweeps and {} direct solves.", sweeps, solves); });
}

}   // namespace stickslip
