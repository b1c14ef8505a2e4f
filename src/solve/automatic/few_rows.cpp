#include "solve/automatic/few_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "math/infinity.h"
#include "math/small_matrices.h"
#include "solve/automatic/cost_model.h"
#include "solve/exact/exact_sweep.h"

namespace stickslip {

namespace {

constexpr std::size_t kMostPivoted = 12;     ///< rows: the tableau of more would not fit two kilobytes
constexpr std::size_t kMostEnumerated = 6;   ///< rows: 64 sets of rows that push
constexpr std::size_t kMostSwept = 36;       ///< rows: a dozen contacts
constexpr int kSweepsOfRows = 3;             ///< without friction: what they do not solve takes many
constexpr int kMostPivotsPerRow = 6;         ///< pivots beyond which rounding goes round in circles
constexpr double kGainOfSweep = 0.6;         ///< part of the change before that a sweep may make, or others do better
constexpr int kJudgedSweeps = 2;             ///< contacts that hardly act on each other are solved by then
constexpr double kStandsStill = 1e-14;       ///< pivot over the largest entry that is rounding

/// A row of W with Σ, of blocks of one row each; zeros to the end.
void put_row(const ContactProblem& p, std::uint32_t i, std::span<double> row) {
  const BlockMatrix& w = p.matrix;
  std::fill(row.begin(), row.end(), 0.0);
  for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) row[w.column[e]] = w.values[w.position[e]];
  row[i] += p.sigma[i];
}

/// Lemke's dictionary x_B = d + D x_N, x_N without the variable that has just left. Variables are w_i = i, z_i = n + i and the
/// artificial one, 2n.
class SmallTableau {
 public:
  /// w = Mz + q + d z₀ with d = 1, or others where that ends on a ray. @param skew of d: d_i = 1 + skew i
  SmallTableau(const ContactProblem& p, double skew) : n_(static_cast<int>(p.rows())) {
    for (int i = 0; i < n_; ++i) {
      const auto block = static_cast<std::uint32_t>(i);
      put_row(p, block, row_[i]);
      row_[i][n_] = 1 + skew * i;
      value_[i] = p.b[block];
      basic_[i] = i;
      other_[i] = n_ + i;
      for (int j = 0; j < n_; ++j) largest_ = std::max(largest_, std::abs(row_[i][j]));
    }
    other_[n_] = 2 * n_;
  }

  /// False if it ends on a ray, or does not end.
  bool solve() {
    int row = 0, column = n_;
    for (int i = 1; i < n_; ++i)
      if (value_[i] * row_[row][n_] < value_[row] * row_[i][n_]) row = i;
    if (value_[row] >= 0) return true;
    for (int pivots = 0; pivots < kMostPivotsPerRow * n_; ++pivots) {
      const int leaving = basic_[row];
      exchange(row, column);
      if (leaving == 2 * n_) return true;
      const int entering = leaving < n_ ? leaving + n_ : leaving - n_;
      column = static_cast<int>(std::find(other_.begin(), other_.begin() + n_ + 1, entering) - other_.begin());
      row = blocking_row(column);
      if (row < 0) return false;
    }
    return false;
  }

  void write(std::span<double> impulses) const {
    std::fill(impulses.begin(), impulses.end(), 0.0);
    for (int i = 0; i < n_; ++i)
      if (basic_[i] >= n_ && basic_[i] < 2 * n_) impulses[static_cast<std::size_t>(basic_[i] - n_)] = std::max(value_[i], 0.0);
  }

 private:
  void exchange(int r, int c) {
    const double pivot = 1 / row_[r][c];
    for (int k = 0; k <= n_; k += 4) four(r, k) *= -pivot;
    row_[r][c] = pivot;
    value_[r] *= -pivot;
    for (int i = 0; i < n_; ++i) {
      if (i == r) continue;
      const double factor = row_[i][c];
      row_[i][c] = 0;
      for (int k = 0; k <= n_; k += 4) four(i, k) += factor * four(r, k);
      value_[i] += factor * value_[r];
    }
    std::swap(basic_[r], other_[c]);
  }

  /// The first that becomes 0 as the variable of a column grows; of equals the artificial one, which ends the search.
  int blocking_row(int column) const {
    int best = -1;
    double least = 0;
    for (int i = 0; i < n_; ++i) {
      const double slope = -row_[i][column];
      if (!(slope > kStandsStill * largest_)) continue;
      const double ratio = std::max(value_[i], 0.0) / slope;
      if (best < 0 || ratio < least || (ratio == least && basic_[i] == 2 * n_)) best = i, least = ratio;
    }
    return best;
  }

  Eigen::Map<Eigen::Array4d> four(int row, int column) { return Eigen::Map<Eigen::Array4d>(row_[row].data() + column); }

  int n_;
  std::array<std::array<double, kMostPivoted + 4>, kMostPivoted> row_;   ///< in fours
  std::array<double, kMostPivoted> value_;
  std::array<int, kMostPivoted + 1> basic_, other_;
  double largest_ = 0;
};

/// Every set of rows that may push, until one solves the problem: where pivots end on a ray.
class Enumeration {
 public:
  explicit Enumeration(const ContactProblem& p) : p_(p), n_(static_cast<int>(p.rows())) {
    for (int i = 0; i < n_; ++i) put_row(p, static_cast<std::uint32_t>(i), row_[i]);
  }

  /// The first set from `set` on, as bits, that solves the problem to the tolerance [m/s]; 2ⁿ if none does.
  unsigned next(unsigned set, double tolerance, std::span<double> impulses) const {
    while (set < 1u << n_ && !solves(set, tolerance, impulses)) ++set;
    return set;
  }
  unsigned end() const { return 1u << n_; }

 private:
  bool solves(unsigned set, double tolerance, std::span<double> impulses) const {
    std::array<int, kMostEnumerated> pushing{};
    std::array<double, kMostEnumerated * kMostEnumerated> a{};
    std::array<double, kMostEnumerated> y{};
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if ((set >> i & 1u) != 0) pushing[count++] = i;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) a[i + count * j] = row_[pushing[i]][pushing[j]];
      y[i] = -p_.b[static_cast<std::size_t>(pushing[i])];
    }
    solve_linear(count, a.data(), y.data());
    std::fill(impulses.begin(), impulses.end(), 0.0);
    for (int i = 0; i < count; ++i) {
      if (!(y[i] >= 0)) return false;
      impulses[static_cast<std::size_t>(pushing[i])] = y[i];
    }
    for (int i = 0; i < n_; ++i) {
      double v = p_.b[static_cast<std::size_t>(i)];
      for (int j = 0; j < n_; ++j) v += row_[i][j] * impulses[static_cast<std::size_t>(j)];
      if (!(v >= -tolerance)) return false;
    }
    return true;
  }

  const ContactProblem& p_;
  int n_;
  std::array<std::array<double, kMostEnumerated>, kMostEnumerated> row_;
};

bool is_lcp(const ContactProblem& p) {
  return std::all_of(p.batches.begin(), p.batches.end(),
                     [](const Batch& b) { return b.kind == BlockKind::contact && b.dim == 1; });
}

bool has_contacts_only(const ContactProblem& p) {
  return std::all_of(p.batches.begin(), p.batches.end(), [](const Batch& b) { return b.kind == BlockKind::contact; });
}

/// A few projected sweeps. Whether one of them changed nothing that counts.
bool settles_at_once(const ContactProblem& p, std::span<double> impulses, double tolerance) {
  const BlockMatrix& w = p.matrix;
  double change = kInfinity;
  for (int k = 0; k < kSweepsOfRows && change > tolerance; ++k) {
    change = 0;
    for (std::uint32_t i = 0; i < p.rows(); ++i) {
      double v = p.b[i] + p.sigma[i] * impulses[i];
      for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) v += w.values[w.position[e]] * impulses[w.column[e]];
      const double diagonal = p.diagonal_values[p.blocks[i].diagonal];
      if (!(diagonal > 0)) return false;
      const double next = std::max(0.0, impulses[i] - v / diagonal);
      change = std::max(change, std::abs(next - impulses[i]) * diagonal);
      impulses[i] = next;
    }
  }
  return change <= tolerance;
}

bool pivot(const ContactProblem& p, std::span<double> impulses, SolveMonitor& monitor) {
  int step = 0;
  if (settles_at_once(p, impulses, monitor.control().tolerance) && monitor.done(++step, impulses)) {
    monitor.note([&] { return fmt::format("Plain sweeps solved {} rows.", p.rows()); });
    return true;
  }
  for (const double skew : {0.0, 0.7}) {
    SmallTableau tableau(p, skew);
    if (!tableau.solve()) continue;
    tableau.write(impulses);
    if (!monitor.done(++step, impulses)) continue;
    monitor.note([&] { return fmt::format("Pivots solved {} rows.", p.rows()); });
    return true;
  }
  if (p.rows() > kMostEnumerated) return false;
  const Enumeration sets(p);
  for (unsigned set = sets.next(0, monitor.control().tolerance, impulses); set < sets.end();
       set = sets.next(set + 1, monitor.control().tolerance, impulses)) {
    if (!monitor.done(++step, impulses)) continue;
    monitor.note([&] { return fmt::format("A set of rows that push, found by trying, solved {} rows.", p.rows()); });
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
    if (!(change <= kGainOfSweep * before)) return false;
    before = change;
  }
}

}   // namespace

bool solve_few_rows(const ContactProblem& p, std::span<double> impulses, Workspace& workspace, SolveMonitor& monitor) {
  if (p.is_factored() || p.rows() > kMostSwept || !has_contacts_only(p)) return false;
  if (std::any_of(impulses.begin(), impulses.end(), [](double x) { return x != 0; })) return false;
  const bool lcp = is_lcp(p);
  if (lcp && p.rows() > kMostPivoted) return false;
  if (lcp ? pivot(p, impulses, monitor) : sweep(p, impulses, workspace, monitor)) return true;
  std::copy(workspace.best.begin(), workspace.best.end(), impulses.begin());
  p.contact_velocity(impulses, workspace.residual.v, workspace.residual.segment_velocity);
  return false;
}

}   // namespace stickslip
