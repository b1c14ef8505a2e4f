#include "stickslip/solve/prox/prox_jacobi.h"

#include "math/infinity.h"
#include "problem/kernels.h"
#include "solve/patch_step.h"
#include "solve/prox/r_factors.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr int kFactorPatience = 20;   // iterations without a smallest change before the r-factors shrink

struct ProxJacobiScratch {
  std::vector<double> v, next, segment;
};

/// 1/λmax(W) by power iteration [kg].
double inverse_eigenvalue(const ContactProblem& p, ProxJacobiScratch& m) {
  const double largest = power_iteration(p, 0, 20, m.next, m.v, m.segment);
  return largest > 0 && std::isfinite(largest) ? 1 / largest : 1;
}

/// All blocks of a problem from the same v.
struct JacobiStep {
  const ContactProblem& problem;
  RFactor strategy;
  double relaxation;
  double global;   ///< r of the global strategy [kg]
  const double* v;
  const double* old;
  double* next;
  double moved = 0;   ///< max |Δλ| W_ii [m/s]

  void note(double change, double mass) {
    const double velocity = std::abs(change) / mass;
    if (!(velocity <= moved)) moved = velocity;
  }

  template <int D, class Law>
  void contact(const Law& law, std::uint32_t i) {
    const ContactScale& scale = problem.scales[i];
    const std::uint32_t row = problem.blocks[i].row;
    const bool one = strategy == RFactor::global;
    const double normal_r = relaxation * (one ? global : scale.normal_mass),
                 friction_r = relaxation * (one ? global : scale.friction_mass);
    using Vector = typename Law::Vector;
    const Vector friction = Eigen::Map<const Vector>(old + row + 1), slip = Eigen::Map<const Vector>(v + row + 1);
    next[row] = std::max(0.0, old[row] - normal_r * v[row]);
    const Vector found =
        strategy == RFactor::blocked
            ? prox_in_block_metric<D>(law, old[row], friction, Vector(relaxation * slip),
                                      problem.diagonal_values.data() + problem.blocks[i].diagonal, scale.friction_mass)
            : Vector(law.project(old[row], Vector(friction - friction_r * slip)));
    note(next[row] - old[row], scale.normal_mass);
    for (int k = 1; k < D; ++k) {
      next[row + static_cast<std::uint32_t>(k)] = found[k - 1];
      note(found[k - 1] - friction[k - 1], scale.friction_mass);
    }
  }

  void patch(const PatchFriction& law, std::uint32_t i) {
    const ContactScale& scale = problem.scales[i];
    const Block& block = problem.blocks[i];
    const PatchMap w(problem.diagonal_values.data() + block.diagonal);
    const PatchBlock before = Eigen::Map<const PatchBlock>(old + block.row);
    PatchBlock velocity = Eigen::Map<const PatchBlock>(v + block.row), impulse = before;
    PatchFactors r = PatchFactors::of(scale, relaxation);
    if (strategy == RFactor::global) r = {relaxation * global, relaxation * global};
    if (strategy == RFactor::blocked) patch_steps(law, w, r, velocity, impulse);
    else patch_step(law, w, r, RowSet::all, velocity, impulse);
    Eigen::Map<PatchBlock>(next + block.row) = impulse;
    note(patch_moved(scale, before, impulse), 1);
  }

  /// Rows with an interval of their own.
  void rows(const Block& block, std::uint32_t i) {
    for (std::uint32_t k = 0; k < block.dim; ++k) {
      const std::uint32_t row = block.row + k;
      double mass = 1 / problem.diagonal_values[block.diagonal + k * (block.dim + 1u)];
      if (block.kind == BlockKind::contact) mass = problem.scales[i].normal_mass;
      const double r = relaxation * (strategy == RFactor::global ? global : mass);
      if (!std::isfinite(r) || !(r > 0)) {
        next[row] = old[row];
        continue;
      }
      next[row] = old[row] - r * v[row];
      if (block.kind == BlockKind::contact) next[row] = std::max(next[row], 0.0);
      if (block.kind == BlockKind::box) next[row] = std::clamp(next[row], problem.lower[row], problem.upper[row]);
      note(next[row] - old[row], mass);
    }
  }

  void all() {
    for (const Batch& batch : problem.batches) {
      const std::uint32_t end = batch.first + batch.count;
      if (batch.kind != BlockKind::contact || batch.dim == 1) {
        for (std::uint32_t i = batch.first; i < end; ++i) rows(problem.blocks[i], i);
        continue;
      }
      kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
        if (batch.dim != Law::rows + 1) return;
        for (std::uint32_t i = batch.first; i < end; ++i) {
          if constexpr (std::is_same_v<Law, PatchFriction>) patch(std::get<Law>(problem.laws[i]), i);
          else contact<Law::rows + 1>(std::get<Law>(problem.laws[i]), i);
        }
      });
    }
  }
};

}   // namespace

ProxJacobi::ProxJacobi(Options options) : options_(std::move(options)) {
  check_r_factors(options_.relaxation, options_.shrink, options_.growth);
  (void)r_factor_of(options_.r_factor);
}

void ProxJacobi::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                         SolveMonitor& monitor) const {
  ProxJacobiScratch& m = workspace.scratch<ProxJacobiScratch>();
  m.v.resize(problem.rows());
  m.next.resize(problem.rows());
  const RFactor strategy = r_factor_of(options_.r_factor);
  JacobiStep step{
      problem,    strategy,        options_.relaxation, strategy == RFactor::global ? inverse_eigenvalue(problem, m) : 0,
      m.v.data(), impulses.data(), m.next.data()};
  double best_change = kInfinity;
  int since_best = 0;
  problem.contact_velocity(impulses, m.v, m.segment);
  for (int k = 1;; ++k) {
    step.moved = 0;
    step.all();
    const double change = step.moved;
    since_best = change < best_change ? 0 : since_best + 1;
    bool undone = false;
    if (change <= options_.growth * best_change && since_best < kFactorPatience) {
      best_change = std::min(best_change, change);
      std::copy(m.next.begin(), m.next.end(), impulses.begin());
      problem.contact_velocity(impulses, m.v, m.segment);
    } else {
      undone = true;
      step.relaxation *= options_.shrink;
      // One that moved little by chance must not hold all later ones to its measure, unless the rule is that of the paper.
      if (options_.growth > 1) best_change *= 2;
      since_best = 0;
    }
    if (undone ? monitor.undone(k, impulses) : monitor.done(k, impulses, change / step.relaxation)) return;
  }
}

}   // namespace stickslip
