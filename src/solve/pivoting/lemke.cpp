#include "stickslip/solve/pivoting/lemke.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <unordered_set>

#include "math/infinity.h"
#include "solve/pivoting/tableau.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/views.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

struct LemkeScratch {
  Lcp lcp;
  Eigen::MatrixXd m;          ///< scaled
  Eigen::VectorXd q, scale;   ///< z = scale ẑ q_size
  double q_size = 1;
  Tableau tableau;
  Eigen::VectorXd z;
  std::unordered_set<std::uint64_t> seen;

  /// Unit diagonal where it is positive; slack and excess the reciprocal of what they are linked to, so that the links stay 1.
  void scale_problem() {
    const auto n = static_cast<Eigen::Index>(lcp.size());
    scale.resize(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const Lcp::Role role = lcp.variables[j].role;
      if (role == Lcp::Role::slack || role == Lcp::Role::excess) {
        scale[j] = 1 / scale[j - 1];
        continue;
      }
      const double largest = std::max(lcp.M.row(j).cwiseAbs().maxCoeff(), lcp.M.col(j).cwiseAbs().maxCoeff());
      const double size = lcp.M(j, j) > 1e-6 * largest ? lcp.M(j, j) : largest;
      scale[j] = size > 0 ? 1 / std::sqrt(size) : 1;
    }
    m = scale.asDiagonal() * lcp.M * scale.asDiagonal();
    q = scale.asDiagonal() * lcp.q;
    q_size = n > 0 ? q.cwiseAbs().maxCoeff() : 0;
    if (!(q_size > 0)) q_size = 1;
    q /= q_size;
    z = Eigen::VectorXd::Zero(n);
  }

  void write_impulses(std::span<double> impulses) {
    for (int i = 0; i < tableau.size(); ++i) {
      const int row = tableau.row_of(tableau.size() + i);
      z[i] = row >= 0 ? std::max(tableau.value(row), 0.0) * scale[i] * q_size : 0;
    }
    lcp.impulses({z.data(), static_cast<std::size_t>(z.size())}, impulses);
  }

  /// Solves M_αα z_α = −q_α for the basis α anew. True if the result is feasible to the tolerance,
  /// relative to q; then it is what is written.
  bool solve_basis(const std::vector<char>& basis, double tolerance, std::span<double> impulses) {
    std::vector<Eigen::Index> rows;
    for (std::size_t i = 0; i < basis.size(); ++i)
      if (basis[i]) rows.push_back(static_cast<Eigen::Index>(i));
    const Eigen::MatrixXd a = m(rows, rows);
    const Eigen::VectorXd r = -q(rows);
    const Eigen::PartialPivLU<Eigen::MatrixXd> factor(a);
    Eigen::VectorXd x = factor.solve(r);
    for (int k = 0; k < 2; ++k) x += factor.solve(r - a * x);
    if (!x.allFinite()) return false;
    Eigen::VectorXd full = Eigen::VectorXd::Zero(q.size());
    full(rows) = x;
    const double error = std::max(-full.minCoeff(), (-(m * full + q)).maxCoeff());
    if (!(error <= tolerance)) return false;
    z = (full.cwiseMax(0.0).array() * scale.array() * q_size).matrix();
    lcp.impulses({z.data(), static_cast<std::size_t>(z.size())}, impulses);
    return true;
  }
};

enum class Outcome { solved, touching, ray, cycle, singular, stopped };

/// Pivots until the artificial variable leaves, starting from the tableau as it is.
Outcome run(LemkeScratch& s, const Eigen::VectorXd& cover, bool lexicographic, int& pivots, std::span<double> impulses,
            SolveMonitor& monitor) {
  Tableau& t = s.tableau;
  if (t.smallest() >= -1e-14) return Outcome::solved;
  const int rebuild_every = std::max(100, t.size());   // a rebuild costs about as much as size/2 pivots
  int until_rebuild = rebuild_every;
  s.seen.clear();
  int row = t.covering_row(), entering = t.artificial();
  while (true) {
    const int leaving = t.basic(row);
    t.exchange(row, entering);
    ++pivots;
    if (leaving == t.artificial()) return Outcome::solved;
    s.write_impulses(impulses);
    if (monitor.done(pivots, impulses, kInfinity)) return Outcome::stopped;
    if (!s.seen.insert(t.basis_hash()).second) return Outcome::cycle;
    entering = t.complement(leaving);
    if (--until_rebuild == 0) {
      if (!t.rebuild(s.m, s.q, cover)) return Outcome::singular;
      until_rebuild = rebuild_every;
    }
    row = t.blocking_row(entering, lexicographic);
    if (row < 0 && until_rebuild != rebuild_every) {   // a ray may be made of rounding
      if (!t.rebuild(s.m, s.q, cover)) return Outcome::singular;
      until_rebuild = rebuild_every;
      row = t.blocking_row(entering, lexicographic);
    }
    if (row < 0) return t.value(t.row_of(t.artificial())) < 1e-9 ? Outcome::touching : Outcome::ray;
  }
}

/// The artificial variable is zero to rounding but did not leave: the basis without it, with either variable of the pair that
/// is not basic, may be the solution.
bool finish_touching(LemkeScratch& s, int& pivots, std::span<double> impulses, SolveMonitor& monitor) {
  const int n = s.tableau.size();
  std::vector<char> basis(n);
  int missing = -1;
  for (int i = 0; i < n; ++i) {
    basis[i] = s.tableau.is_basic(n + i);
    if (!basis[i] && !s.tableau.is_basic(i)) missing = i;
  }
  s.write_impulses(impulses);
  if (!s.solve_basis(basis, 1e-12, impulses) && missing >= 0) {
    basis[missing] = 1;
    if (!s.solve_basis(basis, 1e-12, impulses)) {
      basis[missing] = 0;
      s.solve_basis(basis, 1e-9, impulses);
    }
  }
  return monitor.done(++pivots, impulses);
}

/// One start of the method with everything that makes its end accurate.
Outcome attempt(LemkeScratch& s, int number, int& pivots, std::span<double> impulses, SolveMonitor& monitor) {
  const auto n = static_cast<Eigen::Index>(s.lcp.size());
  Eigen::VectorXd cover = Eigen::VectorXd::Ones(n);
  // The last attempts leave the diagonal: another way round may avoid the ray.
  if (number >= 2)
    for (Eigen::Index i = 0; i < n; ++i) cover[i] = 1 + 0.9 * std::sin(1.0 + (number - 1) * static_cast<double>(i));
  s.tableau.start(s.m, s.q);
  std::vector<char> basis(n);
  s.tableau.set_cover(cover);
  for (int round = 0; round < 4; ++round) {
    if (const Outcome outcome = run(s, cover, number >= 1, pivots, impulses, monitor); outcome != Outcome::solved) {
      if (outcome == Outcome::touching && finish_touching(s, pivots, impulses, monitor)) return Outcome::stopped;
      return outcome;
    }
    // The tableau has gathered the rounding of all pivots: solve anew at this basis, and pivot on if it is not feasible there.
    for (Eigen::Index i = 0; i < n; ++i) basis[i] = s.tableau.is_basic(static_cast<int>(n + i));
    s.write_impulses(impulses);
    const bool feasible = s.solve_basis(basis, 1e-12, impulses), usable = feasible || s.tableau.rebuild(s.m, s.q, cover);
    if (!feasible && usable) s.write_impulses(impulses);
    pivots = std::max(pivots, 1);   // where there was nothing to pivot, the answer itself is the one iteration
    if (monitor.done(pivots, impulses)) return Outcome::stopped;
    if (feasible) break;
    if (!usable) return Outcome::singular;
    s.tableau.set_cover(cover);
  }
  return Outcome::solved;
}

std::string_view reason_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::cycle:
      return "The pivots came back to a basis they had left, under every rule tried.";
    case Outcome::singular:
      return "The matrix of the final basis is singular to rounding.";
    default:
      return "Pivoting ended on a ray from every start tried: the linear model has no solution, or the method cannot reach it.";
  }
}

}   // namespace

Lemke::Lemke(Options options) : options_(options) {
  if (options.directions < 4 || options.directions % 2 != 0)
    throw Error(fmt::format("{} directions do not make a friction polygon. Their number must be even and at least 4.",
                            options.directions))
        .at("directions");
}

std::string_view Lemke::cannot_solve(const ContactProblem& problem) const {
  if (no_lcp_because(problem).empty() && lcp_size(problem, options_.directions) > kMaxUnknowns)
    return "The dense tableau is limited to 2000 unknowns, that is 333 contacts with 4 directions: take bpp or a splitting "
           "method.";
  return {};
}

std::string_view Lemke::cannot_honour(const FrictionSet& law) const { return no_polygon_because(law); }

void Lemke::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                    SolveMonitor& monitor) const {
  LemkeScratch& s = workspace.scratch<LemkeScratch>();
  s.lcp = as_lcp(problem, options_.directions);
  s.scale_problem();
  if (s.lcp.size() == 0) {   // every row is held at its only value
    s.lcp.impulses({}, impulses);
    monitor.done(1, impulses);
    return;
  }
  int pivots = 0;
  Outcome outcome = Outcome::ray;
  for (int number = 0; number < 4; ++number) {
    outcome = attempt(s, number, pivots, impulses, monitor);
    if (outcome == Outcome::stopped) return;
    if (outcome == Outcome::solved) break;
  }
  if (outcome == Outcome::solved)
    monitor.give_up(impulses, SolveStatus::stalled, "The final basis is exact to rounding, which is above the tolerance.");
  else monitor.give_up(impulses, SolveStatus::failed, reason_of(outcome));
}

}   // namespace stickslip
