#include "stickslip/solve/splitting/blocked_gauss_seidel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "math/infinity.h"
#include "solve/boxed_sweep.h"
#include "solve/row_sweep.h"
#include "solve/run_list.h"
#include "solve/splitting/block_state.h"
#include "solve/splitting/boxed_pivoting.h"
#include "solve/splitting/groups.h"
#include "solve/splitting/joint_block.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/monitor.h"
#include "stickslip/solve/registry.h"

namespace stickslip {

namespace {

constexpr std::size_t kExactRows = 96;   ///< dense pivoting beyond this costs more than sweeps

/// One group with what its sub-solver needs.
struct Group {
  std::vector<Batch> runs;              ///< of the whole problem
  std::vector<std::uint32_t> ordered;   ///< its blocks in the order of the sweep, where one is asked for
  double relaxation = 1;                ///< of Jacobi
  std::size_t size = 0;                 ///< rows
  Eigen::MatrixXd matrix;               ///< W_GG, for pivoting
  std::vector<BoxRow> rows;             ///< for pivoting
  ContactProblem problem;               ///< the group by itself, for another solver
};

std::vector<BoxRow> box_rows(const ContactProblem& p, std::span<const std::uint32_t> blocks) {
  std::vector<BoxRow> rows;
  for (const std::uint32_t i : blocks) {
    const Block& b = p.blocks[i];
    const int normal = static_cast<int>(rows.size());
    double lower[6] = {}, upper[6] = {};
    bool scales = true;
    if (b.kind == BlockKind::contact && b.dim > 1) {
      friction_box(p.laws[i], 1.0, lower, upper);
      scales = std::visit([](const auto& law) { return law.scales_with_normal(); }, p.laws[i]);
    }
    for (int k = 0; k < b.dim; ++k) {
      if (b.kind == BlockKind::bilateral) rows.push_back({-kInfinity, kInfinity});
      else if (b.kind == BlockKind::box) rows.push_back({p.lower[b.row + k], p.upper[b.row + k]});
      else if (k == 0) rows.push_back({0, kInfinity});
      else rows.push_back({lower[k - 1], upper[k - 1], scales ? normal : -1});
    }
  }
  return rows;
}

ContactProblem sub_problem(const ContactProblem& p, const BlockMatrix& w, std::span<const std::uint32_t> blocks) {
  ContactProblem sub = matrix_problem(principal_submatrix(w, blocks), BlockKind::contact);
  bool has_box = false;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    sub.blocks[n].kind = p.blocks[blocks[n]].kind;
    sub.laws[n] = p.laws[blocks[n]];
    has_box |= sub.blocks[n].kind == BlockKind::box;
  }
  if (has_box)
    for (const std::uint32_t i : blocks)
      for (int k = 0; k < p.blocks[i].dim; ++k) {
        sub.lower.push_back(p.lower[p.blocks[i].row + k]);
        sub.upper.push_back(p.upper[p.blocks[i].row + k]);
      }
  sub.h = p.h;
  sub.finalize();
  return sub;
}

void check_choice(const std::string& given, const std::vector<std::string>& choices, const char* what, const char* option) {
  if (std::find(choices.begin(), choices.end(), given) == choices.end())
    throw Error(fmt::format("'{}' is not {}. {}", given, what, suggest(given, choices))).at(option);
}

}   // namespace

struct BlockedGaussSeidel::Groups {
  GroupList list;
  std::vector<Group> groups;
  std::vector<std::uint32_t> joint_blocks;
  JointBlock joints;
  BoxedPivoting pivoting;
  Momentum momentum;
  std::vector<double> previous, ahead;   ///< what `momentum` points to
  std::vector<double> joint_velocity;
  Eigen::VectorXd velocity, change, impulses;   ///< of one group
  Workspace workspace;                          ///< of the sub-solver
  std::vector<std::uint32_t> group_of;          ///< per block; of joints that are one system: the number of groups
  std::vector<std::uint32_t> visits;            ///< groups in the order of the sweep
  double joint_relaxation = 1;
  std::vector<double> start, start_velocity, next;   ///< of Jacobi: where all groups start from; where they go
  int large = 0;                                     ///< groups too large for pivoting
  int not_pivoted = 0;                               ///< visits that pivoting failed on
  int not_solved = 0;                                ///< visits that the sub-solver broke down in

  void number_groups(const ContactProblem&);
  void sort(const ContactProblem&, std::span<const Batch> order);
  void relax_by_neighbours(const BlockMatrix&);
  void tell(SolveMonitor&) const;
};

void BlockedGaussSeidel::Groups::number_groups(const ContactProblem& p) {
  group_of.assign(p.blocks.size(), static_cast<std::uint32_t>(list.size()));
  visits.resize(list.size());
  for (std::uint32_t g = 0; g < list.size(); ++g) {
    visits[g] = g;
    for (const std::uint32_t i : list[g]) group_of[i] = g;
  }
}

/// Groups where the first of their blocks stands in the order, and their blocks as they stand there.
void BlockedGaussSeidel::Groups::sort(const ContactProblem& p, std::span<const Batch> order) {
  visits.clear();
  for (Group& group : groups) group.ordered.clear();
  for (const Batch& run : order)
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
      if (group_of[i] == groups.size()) continue;
      std::vector<std::uint32_t>& blocks = groups[group_of[i]].ordered;
      if (blocks.empty()) visits.push_back(group_of[i]);
      blocks.push_back(i);
    }
  for (Group& group : groups) {
    group.runs.clear();
    append_runs(p, group.ordered, RowSet::all, group.runs);
  }
}

/// ω_g = 1 / max (over the groups h that g acts on) of the number of groups that h acts on, each on itself as well.
void BlockedGaussSeidel::Groups::relax_by_neighbours(const BlockMatrix& w) {
  constexpr std::uint32_t kNone = 0xffffffff;
  const std::size_t all = list.size() + 1;   // the joints last
  std::vector<std::vector<std::uint32_t>> neighbours(all);
  std::vector<std::uint32_t> seen(all, kNone);
  const auto collect = [&](std::uint32_t g, std::span<const std::uint32_t> blocks) {
    for (const std::uint32_t i : blocks)
      for (std::uint32_t e = w.first[i]; e < w.first[i + 1]; ++e) {
        const std::uint32_t h = group_of[w.column[e]];
        if (seen[h] != g) neighbours[g].push_back(h);
        seen[h] = g;
      }
  };
  for (std::uint32_t g = 0; g < list.size(); ++g) collect(g, list[g]);
  collect(static_cast<std::uint32_t>(list.size()), joint_blocks);
  for (std::size_t g = 0; g < all; ++g) {
    std::size_t most = 1;
    for (const std::uint32_t h : neighbours[g]) most = std::max(most, neighbours[h].size());
    (g < list.size() ? groups[g].relaxation : joint_relaxation) = 1 / static_cast<double>(most);
  }
}

/// Where groups were not solved the way that the options ask for.
void BlockedGaussSeidel::Groups::tell(SolveMonitor& monitor) const {
  if (large > 0)
    monitor.note([&] { return fmt::format("{} groups of more than {} rows were swept, not pivoted.", large, kExactRows); });
  if (not_pivoted > 0)
    monitor.note([&] { return fmt::format("{} visits were sweeps, because pivoting failed.", not_pivoted); });
  if (not_solved > 0) monitor.note([&] { return fmt::format("The sub-solver broke down in {} visits.", not_solved); });
}

BlockedGaussSeidel::BlockedGaussSeidel(Options options) : options_(std::move(options)) {
  check_choice(options_.block, {"contact", "pair", "layer", "all"}, "a kind of block", "block");
  check_choice(options_.joints, {"direct", "pcg", "block"}, "a way to solve joints", "joints");
  if (options_.sub_iterations < 1)
    throw Error(fmt::format("{} is not a number of iterations. It must be at least 1.", options_.sub_iterations))
        .at("sub_iterations");
  check_choice(options_.scheme, {"gauss-seidel", "jacobi"}, "a scheme", "scheme");
  const bool jacobi = options_.scheme == "jacobi";
  if (!(options_.relaxation >= 0 && options_.relaxation <= 1) || (options_.relaxation > 0 && !jacobi))
    throw Error(
        fmt::format("{} is not a relaxation factor of {}. It must be between 0 and 1 with scheme=jacobi, and 0 without.",
                    options_.relaxation, options_.scheme))
        .at("relaxation");
  options_.order.check(OrderingOptions::Use::whole_blocks);
  if (jacobi && (options_.order.ordering != "given" || options_.order.reverse_order))
    throw Error("With scheme=jacobi groups have no order. Leave ordering and reverse_order out.").at("ordering");
  if (options_.sub_solver == name()) throw Error("Blocked Gauss–Seidel cannot be its own sub-solver.").at("sub_solver");
  if (options_.sub_solver == "exact" || options_.sub_solver == "sweeps") return;
  try {
    sub_solver_ = make_solver(options_.sub_solver);
  } catch (Error& e) {
    throw Error(fmt::format("{} Or take exact or sweeps.", e.message())).at("sub_solver");
  }
}

BlockedGaussSeidel::~BlockedGaussSeidel() = default;

FrictionModel BlockedGaussSeidel::model() const { return sub_solver_ ? sub_solver_->model() : FrictionModel::boxed; }

std::string_view BlockedGaussSeidel::cannot_honour(const FrictionSet& law) const {
  return sub_solver_ ? sub_solver_->cannot_honour(law) : std::string_view();
}

std::string_view BlockedGaussSeidel::cannot_hold(BlockKind kind) const {
  // Joints that are solved as a linear system never reach the sub-solver.
  const bool reaches_it = kind != BlockKind::bilateral || options_.joints == "block";
  return sub_solver_ && reaches_it ? sub_solver_->cannot_hold(kind) : std::string_view();
}

std::string_view BlockedGaussSeidel::cannot_solve(const ContactProblem& p) const {
  const std::string_view reason = options_.order.cannot_order(p);
  return reason.empty() && sub_solver_ ? sub_solver_->cannot_solve(p) : reason;
}

double BlockedGaussSeidel::visit_group(const ContactProblem& p, std::size_t g, std::span<double> impulses, Workspace& workspace,
                                       SolveMonitor& monitor) const {
  Groups& s = workspace.scratch<Groups>();
  Group& group = s.groups[g];
  const auto blocks = s.list[g];
  const auto sweep = [&] {
    double largest = 0;
    for (int n = 0; n < options_.sub_iterations; ++n) {
      const double change = boxed_sweep(p, group.runs, impulses, workspace.velocity, s.momentum);
      largest = std::max(largest, change);
      if (!(change > 0)) break;
    }
    return largest;
  };
  if (!sub_solver_ && group.rows.empty()) return sweep();

  auto velocity = s.velocity.head(static_cast<Eigen::Index>(group.size)),
       solution = s.impulses.head(static_cast<Eigen::Index>(group.size));
  Eigen::Index row = 0;
  for (const std::uint32_t i : blocks) {
    const Block& b = p.blocks[i];
    block_velocity(p, i, impulses, workspace.velocity, velocity.data() + row);
    std::copy_n(impulses.data() + b.row, b.dim, solution.data() + row);
    row += b.dim;
  }
  if (sub_solver_) {
    // b of the group: what the rest of the world does to it.
    std::vector<double>& b = group.problem.b;
    group.problem.matrix.multiply({solution.data(), group.size}, b);
    for (std::size_t k = 0; k < group.size; ++k) b[k] = velocity[static_cast<Eigen::Index>(k)] - b[k];
    SolveControl control;
    control.tolerance = 0.1 * monitor.control().tolerance;
    control.max_iterations = options_.sub_iterations;
    control.natural_map = false;
    control.notes = false;
    const SolveStatus status = sub_solver_->solve(group.problem, {solution.data(), group.size}, s.workspace, control).status;
    s.not_solved += status == SolveStatus::failed || status == SolveStatus::diverged || status == SolveStatus::unsupported;
  } else {
    s.change.noalias() = velocity - group.matrix * solution;
    if (!s.pivoting.solve(group.matrix, s.change, group.rows, solution)) {
      ++s.not_pivoted;
      return sweep();
    }
  }
  double largest = 0;
  row = 0;
  for (const std::uint32_t i : blocks) {
    const Block& b = p.blocks[i];
    if (!sub_solver_) project_on_box(p, i, solution.data() + row);
    double change[6];
    for (int k = 0; k < b.dim; ++k, ++row) {
      change[k] = solution[row] - impulses[b.row + k];
      impulses[b.row + k] = solution[row];
      largest = std::max(largest, std::abs(change[k]) * p.diagonal(b)(k, k));
    }
    push_block(p, i, change, workspace.velocity);
  }
  return largest;
}

double BlockedGaussSeidel::visit_joints(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                        SolveMonitor& monitor) const {
  Groups& s = workspace.scratch<Groups>();
  std::size_t row = 0;
  for (const std::uint32_t i : s.joint_blocks) {
    block_velocity(p, i, impulses, workspace.velocity, s.joint_velocity.data() + row);
    row += p.blocks[i].dim;
  }
  if (!s.joints.solve(s.joint_velocity, 0.01 * monitor.control().tolerance)) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  row = 0;
  for (const std::uint32_t i : s.joint_blocks) {
    const Block& b = p.blocks[i];
    const double* change = s.joint_velocity.data() + row;
    for (int k = 0; k < b.dim; ++k) {
      impulses[b.row + k] += change[k];
      largest = std::max(largest, std::abs(change[k]) * p.diagonal(b)(k, k));
    }
    push_block(p, i, change, workspace.velocity);
    row += b.dim;
  }
  return largest;
}

void BlockedGaussSeidel::prepare_groups(const ContactProblem& p, const BlockMatrix& w, Groups& s) const {
  const Grouping grouping = options_.block == "contact" ? Grouping::contact
                            : options_.block == "pair"  ? Grouping::pair
                            : options_.block == "layer" ? Grouping::layer
                                                        : Grouping::all;
  s.list = group_blocks(p, grouping, options_.joints != "block");
  s.groups.resize(s.list.size());
  s.large = s.not_pivoted = s.not_solved = 0;
  std::size_t largest_group = 0;
  for (std::size_t g = 0; g < s.list.size(); ++g) {
    Group& group = s.groups[g];
    group.runs.clear();
    group.rows.clear();
    group.size = 0;
    for (const std::uint32_t i : s.list[g]) group.size += p.blocks[i].dim;
    append_runs(p, s.list[g], RowSet::all, group.runs);
    if (sub_solver_) {
      group.problem = sub_problem(p, w, s.list[g]);
    } else if (options_.sub_solver == "exact" && group.size <= kExactRows) {
      group.matrix = principal_submatrix(w, s.list[g]).dense();
      group.rows = box_rows(p, s.list[g]);
    } else {
      s.large += options_.sub_solver == "exact";
    }
    largest_group = std::max(largest_group, group.size);
  }
  s.velocity.resize(static_cast<Eigen::Index>(largest_group));
  s.impulses.resize(static_cast<Eigen::Index>(largest_group));
}

void BlockedGaussSeidel::prepare_joints(const ContactProblem& p, const BlockMatrix& w, Groups& s) const {
  s.joint_blocks.clear();
  std::size_t joint_rows = 0;
  for (std::uint32_t i = 0; i < p.blocks.size(); ++i)
    if (options_.joints != "block" && p.blocks[i].kind == BlockKind::bilateral) {
      s.joint_blocks.push_back(i);
      joint_rows += p.blocks[i].dim;
    }
  s.joint_velocity.resize(joint_rows);
  s.joints.prepare(principal_submatrix(w, s.joint_blocks), options_.joints == "direct");
}

double BlockedGaussSeidel::sweep_in_turn(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                         SolveMonitor& monitor) const {
  Groups& s = workspace.scratch<Groups>();
  double change = s.joint_blocks.empty() ? 0 : visit_joints(p, impulses, workspace, monitor);
  if (std::isnan(change)) return change;
  for (const std::uint32_t g : s.visits) change = std::max(change, visit_group(p, g, impulses, workspace, monitor));
  return change;
}

/// Notes where blocks go by a part of their way, and puts them back to where all start from. Returns how far they go.
double BlockedGaussSeidel::relax(const ContactProblem& p, std::span<const std::uint32_t> blocks, double part,
                                 std::span<double> impulses, Workspace& workspace) const {
  Groups& s = workspace.scratch<Groups>();
  double largest = 0;
  for (const std::uint32_t i : blocks) {
    const Block& b = p.blocks[i];
    for (std::uint32_t k = 0; k < b.dim; ++k) {
      const double way = impulses[b.row + k] - s.start[b.row + k];
      s.next[b.row + k] = s.start[b.row + k] + part * way;
      impulses[b.row + k] = s.start[b.row + k];
      largest = std::max(largest, std::abs(way) * p.diagonal(b)(k, k));
    }
    for (const std::uint32_t segment : p.segments_of(b))
      std::copy(s.start_velocity.begin() + p.offsets[segment], s.start_velocity.begin() + p.offsets[segment + 1],
                workspace.velocity.begin() + p.offsets[segment]);
  }
  return largest;
}

double BlockedGaussSeidel::sweep_together(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                          SolveMonitor& monitor) const {
  Groups& s = workspace.scratch<Groups>();
  s.start.assign(impulses.begin(), impulses.end());
  s.start_velocity = workspace.velocity;
  s.next = s.start;
  const auto part = [&](double safe) { return options_.relaxation > 0 ? options_.relaxation : safe; };
  double change = 0;
  if (!s.joint_blocks.empty()) {
    if (std::isnan(visit_joints(p, impulses, workspace, monitor))) return std::numeric_limits<double>::quiet_NaN();
    change = relax(p, s.joint_blocks, part(s.joint_relaxation), impulses, workspace);
  }
  for (std::size_t g = 0; g < s.list.size(); ++g) {
    visit_group(p, g, impulses, workspace, monitor);
    change = std::max(change, relax(p, s.list[g], part(s.groups[g].relaxation), impulses, workspace));
  }
  std::copy(s.next.begin(), s.next.end(), impulses.begin());
  std::fill(workspace.velocity.begin(), workspace.velocity.end(), 0.0);
  p.add_scaled_velocity(impulses, workspace.velocity);
  return change;
}

void BlockedGaussSeidel::iterate(const ContactProblem& p, std::span<double> impulses, Workspace& workspace,
                                 SolveMonitor& monitor) const {
  Groups& s = workspace.scratch<Groups>();
  const BlockMatrix w = delassus(p);
  prepare_groups(p, w, s);
  prepare_joints(p, w, s);
  if (options_.joints == "pcg" && s.joints.is_factored())
    monitor.note([] { return "Joints were factored: conjugate gradients need a symmetric W."; });
  s.previous.assign(p.rows(), 0.0);
  s.ahead.assign(p.rows(), 0.0);
  s.momentum = {0, s.previous.data(), p.is_factored() ? nullptr : s.ahead.data(), 0};
  const bool jacobi = options_.scheme == "jacobi", given = options_.order.ordering == "given" && !options_.order.reverse_order;
  s.number_groups(p);
  if (jacobi) s.relax_by_neighbours(w);
  Ordering order(options_.order, p, model(), workspace, OrderingOptions::Use::whole_blocks);
  note_joined_rows(order, monitor);

  for (int k = 1;; ++k) {
    if (!given) s.sort(p, order.next(k, impulses));
    const double change =
        jacobi ? sweep_together(p, impulses, workspace, monitor) : sweep_in_turn(p, impulses, workspace, monitor);
    if (std::isnan(change)) {
      monitor.give_up(impulses, SolveStatus::failed, "The linear system of the joints could not be solved.");
      break;
    }
    // Exact groups cost much more than an evaluation; a few sweeps do not.
    if (options_.sub_solver == "sweeps" ? monitor.done(k, impulses, change) : monitor.done(k, impulses)) break;
  }
  s.tell(monitor);
}

}   // namespace stickslip
