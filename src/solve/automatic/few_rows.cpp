#include "solve/automatic/few_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "math/infinity.h"
#include "math/small_matrices.h"
#include "problem/judgement.h"
#include "problem/kernels.h"
#include "solve/automatic/cost_model.h"
#include "solve/automatic/small_lcp.h"
#include "solve/exact/exact_sweep.h"
#include "solve/exact/solve_block.h"

namespace stickslip {

namespace {

constexpr std::size_t kMostSwept = 36;   ///< rows: a dozen contacts
constexpr int kMostSticking = 12;        ///< rows of contacts that stick: more of them cost as much as many sweeps
constexpr double kGainOfSweep = 0.6;     ///< part of the change before that a sweep may make, or others do better
constexpr int kJudgedSweeps = 2;         ///< contacts that hardly act on each other are solved by then
constexpr double kSticks = 1.01;         ///< times as much friction as there is: contacts that could bear that stick

/// Calls f(block, rows, law) for every contact. @returns false where a block is none, or its friction does not scale with what
/// presses: then 0 is not the impulse of a contact that parts
template <class F>
bool visit_simple_contacts(const ContactProblem& p, F&& f) {
  bool simple = true;
  for (const Batch& batch : p.batches) {
    if (batch.kind != BlockKind::contact || batch.dim == 1) return false;
    kernels::with_rows(batch.dim, [&](auto rows) {
      kernels::with_law(batch.law, [&]<class Law>(std::in_place_type_t<Law>) {
        if constexpr (std::is_same_v<Law, PatchFriction>) simple = false;
        else if constexpr (Law::rows == rows - 1)
          for (std::uint32_t i = batch.first; i < batch.first + batch.count && simple; ++i) {
            const Law& law = *std::get_if<Law>(&p.laws[i]);
            if (law.scales_with_normal()) f(i, rows, law);
            else simple = false;
          }
      });
    });
    if (!simple) return false;
  }
  return true;
}

/// Contacts that push, as rows of a linear problem: all of them stick.
struct Sticking {
  std::array<std::uint32_t, kMostSticking> rows;
  int count = 0, contacts = 0;
  bool all = true;   ///< none slides, and there is room for them
};

/// One sweep from 0, and which contacts stick after it. @returns false if it is none for this problem
bool sweep_once(const ContactProblem& p, std::span<double> impulses, Sticking& sticking) {
  return visit_simple_contacts(p, [&](std::uint32_t i, auto rows, const auto& law) {
    constexpr int D = rows;
    using Vector = kernels::BlockVector<D>;
    const std::uint32_t row = p.blocks[i].row;
    const Vector v = kernels::gathered_velocity<D>(p.matrix, i, impulses.data()) + Eigen::Map<const Vector>(p.b.data() + row);
    if (v[0] >= 0) return;   // it parts
    Vector impulse = Vector::Zero();
    solve_block<D>(p, i, law, v, impulse);
    Eigen::Map<Vector>(impulses.data() + row) = impulse;
    if (!(impulse[0] > 0)) return;
    ++sticking.contacts;
    if (sticking.count + D > kMostSticking) sticking.all = false;
    if (!sticking.all) return;
    const Eigen::Matrix<double, D - 1, 1> more = kSticks * impulse.template tail<D - 1>();
    sticking.all = law.project(impulse[0], more) == more;
    for (int k = 0; k < D; ++k) sticking.rows[sticking.count++] = row + static_cast<std::uint32_t>(k);
  });
}

/// The impulses at which no row of the contacts moves; the others are 0. @returns false if there are none such, or a contact
/// could not bear its own: then the impulses stay
bool let_stick(const ContactProblem& p, const Sticking& sticking, std::span<double> impulses) {
  const int n = sticking.count;
  std::array<double, kMostSticking * kMostSticking> a;
  std::array<double, kMostSticking> y;
  std::array<int, kMostSwept> place;
  place.fill(-1);
  for (int k = 0; k < n; ++k) place[sticking.rows[k]] = k;
  const BlockMatrix& w = p.matrix;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i) {
    const int to = place[p.blocks[i].row];
    if (to < 0) continue;
    for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
      const int from = place[w.offset[w.column[e]]];
      if (from < 0) continue;
      const auto entry = w.entry(i, e);
      for (int c = 0; c < entry.cols(); ++c)
        for (int r = 0; r < entry.rows(); ++r) a[to + r + n * (from + c)] = entry(r, c);
    }
  }
  for (int k = 0; k < n; ++k) {
    y[k] = -p.b[sticking.rows[k]];
    a[k * (n + 1)] += p.sigma[sticking.rows[k]];
  }
  solve_linear(n, a.data(), y.data());
  bool bears = true;
  visit_simple_contacts(p, [&](std::uint32_t i, auto rows, const auto& law) {
    constexpr int D = rows;
    const int at = place[p.blocks[i].row];
    if (at < 0) return;
    const Eigen::Map<const kernels::BlockVector<D>> own(y.data() + at);
    bears = bears && own[0] >= 0 && law.project(own[0], own.template tail<D - 1>()) == own.template tail<D - 1>();
  });
  for (int k = 0; k < n && bears; ++k) impulses[sticking.rows[k]] = y[k];
  return bears;
}

/// As a solve that nobody looks into begins.
bool sweeps_once(const ContactProblem& p, std::span<double> impulses, SolveMonitor& monitor) {
  const std::string_view how = solve_few_rows_at_once(p, impulses, monitor.control().tolerance);
  if (!how.empty() && monitor.done(1, impulses)) {
    monitor.note([&] { return fmt::format("{} solved {} rows.", how, p.rows()); });
    return true;
  }
  std::fill(impulses.begin(), impulses.end(), 0.0);
  return false;
}

bool pivot(const ContactProblem& p, std::span<double> impulses, SolveMonitor& monitor) {
  SmallLcp lcp(p, monitor.control().tolerance);
  int step = 0;
  for (std::string_view how = lcp.next(impulses); !how.empty(); how = lcp.next(impulses)) {
    if (!monitor.done(++step, impulses)) continue;
    monitor.note([&] { return fmt::format("{} solved {} rows.", how, p.rows()); });
    return true;
  }
  return false;
}

bool sweep(const ContactProblem& p, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor) {
  const double start = monitor.best_total(), cost = cost::sweep(p);
  ExactBlocks& blocks = workspace.scratch<ExactBlocks>();
  blocks.prepare(p, 0, ManyRows::exact);
  Acceleration plain(p, impulses, workspace, false);
  double before = kInfinity;
  for (int k = 1;; ++k) {
    const double change = exact_sweep(p, blocks, p.batches, impulses, workspace.velocity, plain.next());
    monitor.add_work(cost);
    if (k <= kJudgedSweeps ? monitor.done(k, impulses) : monitor.done(k, impulses, change)) {
      monitor.note([&] {
        return fmt::format("{} plain sweeps took the residual from {:.1e} to {:.1e} m/s.", k, start, monitor.best_total());
      });
      return true;
    }
    if (!(change < kGainOfSweep * before)) return false;
    before = change;
  }
}

}   // namespace

std::string_view solve_few_rows_at_once(const ContactProblem& p, std::span<double> impulses, double tolerance) {
  if (p.is_factored() || p.rows() > kMostSwept) return {};
  if (is_lcp(p)) {
    if (SmallLcp::try_all_sets(p, tolerance, impulses)) return "A set of rows that push";
    return p.rows() <= SmallLcp::kMostRows ? SmallLcp(p, tolerance).next(impulses) : std::string_view();
  }
  Sticking sticking;
  if (!sweep_once(p, impulses, sticking)) return {};
  const bool linear = sticking.all && sticking.contacts > 1;
  return linear && let_stick(p, sticking, impulses) ? "A sweep and linear equations" : "A sweep";
}

bool solve_few_rows(const ContactProblem& p, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor) {
  const bool contacts_only =
      std::all_of(p.batches.begin(), p.batches.end(), [](const Batch& b) { return b.kind == BlockKind::contact; });
  if (p.is_factored() || p.rows() > kMostSwept || !contacts_only) return false;
  if (std::any_of(impulses.begin(), impulses.end(), [](double x) { return x != 0; })) return false;
  const bool lcp = is_lcp(p);
  if (lcp && p.rows() > SmallLcp::kMostRows) return false;
  // Where iterates are wanted, nobody has tried yet; where not, it did not do.
  if (!lcp && monitor.judges_all() && sweeps_once(p, impulses, monitor)) return true;
  if (lcp ? pivot(p, impulses, monitor) : sweep(p, impulses, workspace, monitor)) return true;
  std::copy(workspace.best.begin(), workspace.best.end(), impulses.begin());
  p.contact_velocity(impulses, workspace.residual.v, workspace.residual.segment_velocity);
  return false;
}

}   // namespace stickslip
