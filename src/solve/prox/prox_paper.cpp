#include "stickslip/solve/prox/prox_paper.h"

#include <algorithm>

#include "solve/prox/prox_sweeps.h"
#include "solve/prox/r_factors.h"
#include "solve/row_sweep.h"
#include "solve/splitting/block_state.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

constexpr int kMostRows = 6;          // of a block
constexpr int kSpectrumSteps = 200;   // of power iteration

struct ProxPaperScratch {
  std::vector<double> r;   ///< R, block by block, laid out like the diagonal blocks of W
  std::vector<double> v, segment, next, velocity;
  ContactProblem renewed;   ///< the problem with the friction sets of the last visits
};

/// 1/(|λmin| + |λmax|) of W [kg].
double spectral_r(const ContactProblem& p, ProxPaperScratch& s) {
  const double largest = power_iteration(p, 0, kSpectrumSteps, s.next, s.v, s.segment);
  const double smallest = largest - power_iteration(p, largest, kSpectrumSteps, s.next, s.v, s.segment);
  const double sum = std::abs(smallest) + largest;
  return sum > 0 && std::isfinite(sum) ? 1 / sum : 1;
}

/// Writes the inverse of rows [first, dim) of a block of W into its block of R. False, with nothing written, if it has none.
bool invert_rows(const ContactProblem& p, const Block& block, int first, double* r) {
  const int n = block.dim - first;
  double a[kMostRows * kMostRows], inverse[kMostRows * kMostRows];
  const auto w = p.diagonal(block);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a[n * j + i] = w(first + i, first + j);
  for (int j = 0; j < n; ++j) {
    double* column = inverse + n * j;
    std::fill(column, column + n, 0.0);
    column[j] = 1;
    if (!solve_block(n, a, column)) return false;
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) r[block.dim * (first + j) + first + i] = inverse[n * j + i];
  return true;
}

/// R of [prox §4.2]. Returns how many blocks have no inverse though the strategy asks for it.
int fill_r_factors(const ContactProblem& p, RFactor strategy, const ProxPaper::Options& options, ProxPaperScratch& s) {
  const bool global = strategy == RFactor::global;
  const double one = !global ? 0 : options.r > 0 ? options.r : spectral_r(p, s);
  s.r.assign(p.diagonal_values.size(), 0.0);
  int singular = 0;
  for (const Block& block : p.blocks) {
    double* const r = s.r.data() + block.diagonal;
    for (int k = 0; k < block.dim; ++k)
      if (const double w = p.diagonal(block)(k, k); w > 0) r[k * (block.dim + 1)] = global ? one : options.relaxation / w;
    const int first = block.kind == BlockKind::contact ? 1 : 0;   // of the rows that are inverted together
    if (strategy != RFactor::blocked || block.kind == BlockKind::box || block.dim - first < 2) continue;
    if (!invert_rows(p, block, first, r)) {
      ++singular;
      continue;
    }
    for (int j = first; j < block.dim; ++j)
      for (int i = first; i < block.dim; ++i) r[block.dim * j + i] *= options.relaxation;
  }
  return singular;
}

/// z = λ − R v of one block.
void trial_of(const Block& block, const double* r, const double* impulse, const double* v, double* z) {
  for (int i = 0; i < block.dim; ++i) {
    z[i] = impulse[i];
    for (int j = 0; j < block.dim; ++j) z[i] -= r[block.dim * j + i] * v[j];
  }
}

/// The closest friction impulse to z_f in F(normal), or in the box around it.
void prox_friction(const FrictionSet& law, bool boxed, double normal, double* friction) {
  std::visit(
      [&]<class Law>(const Law& l) {
        Eigen::Map<typename Law::Vector> z(friction);
        const typename Law::Vector trial = z;
        z = boxed ? typename Law::Vector(l.box(normal).clamp(trial)) : typename Law::Vector(l.project(normal, trial));
      },
      law);
}

/// z ← prox(z) of one block. @param old_normal where the friction set is taken: of λ_k; null: of λ_{k+1}
void prox_block(const ContactProblem& p, std::uint32_t i, bool boxed, const double* old_normal, double* z) {
  const Block& block = p.blocks[i];
  if (block.kind == BlockKind::contact) {
    z[0] = std::max(0.0, z[0]);
    if (block.dim > 1) prox_friction(p.laws[i], boxed, old_normal != nullptr ? *old_normal : z[0], z + 1);
  } else if (block.kind == BlockKind::box) {
    for (int k = 0; k < block.dim; ++k) z[k] = std::min(std::max(z[k], p.lower[block.row + k]), p.upper[block.row + k]);
  }
}

/// The friction set of one contact, made anew.
void renew_cone(const ProxGaussSeidelPaper::Cone& cone, std::uint32_t i, double normal, const double* v, ContactProblem& p) {
  if (p.blocks[i].kind != BlockKind::contact || p.blocks[i].dim < 2) return;
  FrictionSet set = cone(i, normal, {v + 1, p.blocks[i].dim - 1u});
  if (set.index() != p.laws[i].index())
    throw Error(fmt::format("The cone of block {} is a {}, but that of the problem a {}. Make sets of the same kind.", i,
                            law_name(set), law_name(p.laws[i])));
  p.laws[i] = std::move(set);
}

/// Those of all contacts at an iterate, for it to be judged by.
void renew_cones(const ProxGaussSeidelPaper::Cone& cone, std::span<const double> impulses, ProxPaperScratch& s) {
  s.renewed.contact_velocity(impulses, s.v, s.segment);
  for (std::uint32_t i = 0; i < s.renewed.blocks.size(); ++i) {
    const std::uint32_t row = s.renewed.blocks[i].row;
    renew_cone(cone, i, std::max(0.0, impulses[row]), s.v.data() + row, s.renewed);
  }
}

/// How far a pass has moved.
struct PassSize {
  double impulse = 0;    ///< ‖Δλ‖∞ [N s]
  double velocity = 0;   ///< max |Δλ| W_ii [m/s]

  void add(const ContactProblem& p, const Block& block, const double* now, const double* before) {
    for (int k = 0; k < block.dim; ++k) {
      const double change = std::abs(now[k] - before[k]);
      if (!(change <= impulse)) impulse = change;
      velocity = std::max(velocity, change * std::abs(p.diagonal(block)(k, k)));
    }
  }
};

void shrink_factors(std::vector<double>& r, double nu) {
  for (double& factor : r) factor *= nu;
}

double nu_of(const ProxPaper::Options& options) {
  if (options.shrink > 0) return options.shrink;
  return r_factor_of(options.r_factor) == RFactor::local ? 0.9 : 0.5;
}

ProxPaperScratch& prepare(const ContactProblem& p, const ProxPaper::Options& options, Workspace& workspace,
                          SolveMonitor& monitor) {
  ProxPaperScratch& s = workspace.scratch<ProxPaperScratch>();
  s.v.resize(p.rows());
  s.next.resize(p.rows());
  const int singular = fill_r_factors(p, r_factor_of(options.r_factor), options, s);
  if (singular > 0)
    monitor.note([&] { return fmt::format("{} blocks have no inverse: their rows take local r-factors.", singular); });
  return s;
}

}   // namespace

ProxPaper::ProxPaper(const Options& options) : settings_(options), boxed_(wants_box(options.friction)) {
  (void)r_factor_of(options.r_factor);
  check_r_factors(options.relaxation, nu_of(options), 1);
  if (!(options.shrink >= 0))
    throw Error(
        fmt::format("{} cannot shrink the r-factors. It must be between 0 and 1, or 0 for that of the paper.", options.shrink))
        .at("shrink");
  if (!(options.r >= 0 && std::isfinite(options.r)))
    throw Error(fmt::format("{} is not an r-factor. It must be finite and at least 0.", options.r)).at("r");
}

ProxGaussSeidelPaper::ProxGaussSeidelPaper(const Options& options)
    : ProxPaper(options), order_(options.order), cone_(options.cone) {
  order_.check(OrderingOptions::Use::whole_blocks);
}

// Algorithm 1, line by line.
void ProxJacobiPaper::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                              SolveMonitor& monitor) const {
  ProxPaperScratch& s = prepare(problem, settings_, workspace, monitor);
  const double nu = nu_of(settings_);
  double r = kInfinity;   // r_k
  for (int pass = 1;; ++pass) {
    problem.contact_velocity(impulses, s.v, s.segment);   // Jw + b with w = M⁻¹Jᵀλ_k
    PassSize size;
    for (std::uint32_t i = 0; i < problem.blocks.size(); ++i) {
      const Block& block = problem.blocks[i];
      const double* old = impulses.data() + block.row;
      double* next = s.next.data() + block.row;
      trial_of(block, s.r.data() + block.diagonal, old, s.v.data() + block.row, next);
      prox_block(problem, i, boxed_, old, next);   // friction in F(λₙ) of λ_k
      size.add(problem, block, next, old);
    }
    if (!(size.impulse <= r)) {   // r_{k+1} > r_k, or not a number
      shrink_factors(s.r, nu);
      if (monitor.undone(pass, impulses)) return;
    } else {
      std::copy(s.next.begin(), s.next.end(), impulses.begin());
      r = size.impulse;
      if (monitor.done(pass, impulses, size.velocity)) return;
    }
  }
}

// Algorithm 2, line by line.
void ProxGaussSeidelPaper::iterate(const ContactProblem& given, std::span<double> impulses, Workspace& workspace,
                                   SolveMonitor& monitor) const {
  ProxPaperScratch& s = prepare(given, settings_, workspace, monitor);
  if (cone_) {
    s.renewed = given;
    monitor.judge_by(s.renewed, "The friction sets at the last iterate are met; those of the problem are others.");
  }
  const ContactProblem& problem = cone_ ? s.renewed : given;
  std::vector<double>&before = s.next, &w = workspace.velocity;   // λ_k; Gᵀλ
  Ordering order(order_, problem, model(), workspace, OrderingOptions::Use::whole_blocks);
  note_joined_rows(order, monitor);
  const double nu = nu_of(settings_);
  double r = kInfinity;   // r_k
  for (int pass = 1;; ++pass) {
    std::copy(impulses.begin(), impulses.end(), before.begin());
    s.velocity = w;
    PassSize size;
    for (const Batch& run : order.next(pass, impulses))
      for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
        const Block& block = problem.blocks[i];
        double* impulse = impulses.data() + block.row;
        double v[kMostRows], z[kMostRows], change[kMostRows];
        block_velocity(problem, i, impulses, w, v);
        trial_of(block, s.r.data() + block.diagonal, impulse, v, z);
        if (cone_) renew_cone(cone_, i, std::max(0.0, z[0]), v, s.renewed);   // line 8 of Alg. 22
        prox_block(problem, i, boxed_, nullptr, z);                           // friction in F(λₙ) of λ_{k+1}
        for (int k = 0; k < block.dim; ++k) change[k] = z[k] - impulse[k];
        push_block(problem, i, change, w);
        std::copy(z, z + block.dim, impulse);
        size.add(problem, block, impulse, before.data() + block.row);
      }
    if (!(size.impulse <= r)) {   // r_{k+1} > r_k, or not a number
      shrink_factors(s.r, nu);
      std::copy(before.begin(), before.end(), impulses.begin());
      w = s.velocity;
      if (monitor.undone(pass, impulses)) return;
    } else {
      r = size.impulse;
      if (cone_) renew_cones(cone_, impulses, s);
      if (monitor.done(pass, impulses, size.velocity)) return;
    }
  }
}

}   // namespace stickslip
