#include "stickslip/solve/accelerated/pgs_subspace_paper.h"

#include <fmt/format.h>

#include <Eigen/Dense>

#include "solve/boxed_sweep.h"
#include "solve/model_option.h"
#include "solve/row_sweep.h"
#include "stickslip/solve/monitor.h"

namespace stickslip {

namespace {

struct SubspacePaperScratch {
  BlockMatrix w;
  std::vector<double> lower, upper, gamma;     ///< l, u and what is added to the diagonal, per row
  std::vector<std::uint32_t> free;             ///< A
  std::vector<double> r, direction, product;   ///< of conjugate gradients; zero outside of A
  std::vector<double> v, segment;
  Eigen::MatrixXd full;
};

/// l and u at the current normal impulses.
void update_bounds(const ContactProblem& p, std::span<const double> impulses, SubspacePaperScratch& s) {
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    for (std::uint32_t k = 0; k < p.blocks[i].dim; ++k) {
      const std::uint32_t row = p.blocks[i].row;
      std::tie(s.lower[row + k], s.upper[row + k]) = boxed_row_bounds(p, i, k, impulses.data() + row);
    }
}

double dot(const SubspacePaperScratch& s, std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (const std::uint32_t row : s.free) sum += a[row] * b[row];
  return sum;
}

/// λ_A by conjugate gradients on (W_AA + γ) λ_A = −(b + W_AL l_L + W_AU u_U)_A. Returns the number of products with W.
int conjugate_gradients(const ContactProblem& p, int most, double tolerance, std::span<double> impulses,
                        SubspacePaperScratch& s) {
  s.w.multiply(impulses, s.product);
  std::fill(s.direction.begin(), s.direction.end(), 0.0);
  for (const std::uint32_t row : s.free) {
    s.r[row] = -(s.product[row] + p.b[row] + s.gamma[row] * impulses[row]);
    s.direction[row] = s.r[row];
  }
  double size = dot(s, s.r, s.r);
  int products = 1;
  for (int k = 0; k < most && std::sqrt(size) > tolerance; ++k) {
    s.w.multiply(s.direction, s.product);
    ++products;
    for (const std::uint32_t row : s.free) s.product[row] += s.gamma[row] * s.direction[row];
    const double curvature = dot(s, s.direction, s.product);
    if (!(curvature > 0)) break;   // along a self-stress, or rounding
    const double length = size / curvature;
    for (const std::uint32_t row : s.free) {
      impulses[row] += length * s.direction[row];
      s.r[row] -= length * s.product[row];
    }
    const double next = dot(s, s.r, s.r);
    for (const std::uint32_t row : s.free) s.direction[row] = s.r[row] + next / size * s.direction[row];
    size = next;
  }
  return products;
}

/// The same by elimination. Returns its price in products with W.
double eliminate(const ContactProblem& p, std::span<double> impulses, SubspacePaperScratch& s) {
  const auto n = static_cast<Eigen::Index>(s.free.size());
  s.w.multiply(impulses, s.product);
  s.full.resize(n, n);
  Eigen::VectorXd right(n);
  std::fill(s.direction.begin(), s.direction.end(), 0.0);
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::uint32_t column = s.free[static_cast<std::size_t>(j)];
    right[j] = -(s.product[column] + p.b[column] + s.gamma[column] * impulses[column]);
    s.direction[column] = 1;
    s.w.multiply(s.direction, s.r);
    s.direction[column] = 0;
    for (Eigen::Index i = 0; i < n; ++i) s.full(i, j) = s.r[s.free[static_cast<std::size_t>(i)]];
    s.full(j, j) += s.gamma[column];
  }
  const Eigen::VectorXd change = s.full.ldlt().solve(right);
  if (change.allFinite())
    for (Eigen::Index i = 0; i < n; ++i) impulses[s.free[static_cast<std::size_t>(i)]] += change[i];
  return 1 + std::pow(static_cast<double>(n), 3) / (3 * static_cast<double>(s.w.values.size()));
}

/// L, U and A of the current iterate (19); rows at a bound are put there.
void part_rows(const ContactProblem& p, std::span<double> impulses, SubspacePaperScratch& s) {
  s.free.clear();
  for (const Block& block : p.blocks)
    for (int k = 0; k < block.dim; ++k) {
      const std::uint32_t row = block.row + static_cast<std::uint32_t>(k);
      if (!(p.diagonal(block)(k, k) > 0)) continue;   // cannot move
      if (impulses[row] <= s.lower[row]) impulses[row] = s.lower[row];
      else if (impulses[row] >= s.upper[row]) impulses[row] = s.upper[row];
      else s.free.push_back(row);
    }
}

void prepare_subspace(const ContactProblem& p, const PgsSubspacePaper::Options& options, SubspacePaperScratch& s) {
  s.w = delassus(p);
  for (std::vector<double>* v : {&s.lower, &s.upper, &s.r, &s.direction, &s.product, &s.v}) v->assign(p.rows(), 0.0);
  s.free.reserve(p.rows());
  s.segment.reserve(p.velocity_size());
  s.gamma.assign(p.rows(), options.regularisation);
  if (options.regularise == "all") return;
  for (const Block& block : p.blocks)
    for (int k = 0; k < block.dim; ++k)
      if (block.kind != BlockKind::contact || k == 0) s.gamma[block.row + static_cast<std::uint32_t>(k)] = 0;
}

}   // namespace

PgsSubspacePaper::PgsSubspacePaper(Options options) : options_(std::move(options)) {
  check_at_least(options_.sweeps, 1, "sweeps");
  check_at_least(options_.subspace, 0, "subspace");
  check_at_least(options_.cg_iterations, 0, "cg_iterations");
  check_at_least(options_.cg_tolerance, 0, "cg_tolerance");
  check_at_least(options_.regularisation, 0, "regularisation");
  choose(options_.linear, {"cg", "direct"}, "linear");
  choose(options_.regularise, {"all", "friction"}, "regularise");
  choose(options_.bounds, {"current", "lazy"}, "bounds");
  options_.order.check();
}

void PgsSubspacePaper::iterate(const ContactProblem& problem, std::span<double> impulses, Workspace& workspace,
                               SolveMonitor& monitor) const {
  SubspacePaperScratch& s = workspace.scratch<SubspacePaperScratch>();
  prepare_subspace(problem, options_, s);
  const bool lazy = options_.bounds == "lazy", direct = options_.linear == "direct";
  Ordering order(options_.order, problem, model(), workspace);
  Acceleration plain(problem, impulses, workspace, false);
  int iteration = 0, sweep = 0;
  while (true) {
    for (int k = 0; k < options_.sweeps; ++k) {   // line 2
      const double change = boxed_sweep(problem, order, ++sweep, impulses, workspace.velocity, plain.next());
      monitor.charge(1);
      if (monitor.done(++iteration, impulses, change)) return;
    }
    update_bounds(problem, impulses, s);
    for (int k = 0; k < options_.subspace; ++k) {   // line 6
      part_rows(problem, impulses, s);
      const int most = options_.cg_iterations > 0 ? options_.cg_iterations : static_cast<int>(s.free.size());
      monitor.charge(direct ? eliminate(problem, impulses, s)
                            : conjugate_gradients(problem, most, options_.cg_tolerance, impulses, s));
      if (!lazy) update_bounds(problem, impulses, s);   // line 13
      for (std::size_t row = 0; row < impulses.size(); ++row)
        impulses[row] = std::min(s.upper[row], std::max(s.lower[row], impulses[row]));
      if (monitor.done(++iteration, impulses)) return;
    }
    problem.contact_velocity(impulses, s.v, s.segment);   // sweeps go on from Gᵀλ
    if (problem.is_factored()) workspace.velocity = s.segment;
  }
}

}   // namespace stickslip
