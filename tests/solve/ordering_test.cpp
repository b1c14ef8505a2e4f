// Orders of visit: what they list, and what they do to Gauss–Seidel.
#include <gtest/gtest.h>

#include <numeric>

#include "../error_message.h"
#include "stacks.h"
#include "stickslip/math/error.h"
#include "stickslip/solve/ordering.h"
#include "stickslip/solve/registry.h"

namespace stickslip::ordering_test {
namespace {

OrderingOptions named(const std::string& name, int seed = 1) {
  OrderingOptions options;
  options.ordering = name;
  options.seed = seed;
  return options;
}

std::vector<std::uint32_t> blocks_of(std::span<const Batch> runs) {
  std::vector<std::uint32_t> blocks;
  for (const Batch& run : runs)
    for (std::uint32_t i = 0; i < run.count; ++i) blocks.push_back(run.first + i);
  return blocks;
}

/// Rows that runs visit, in order.
std::vector<std::uint32_t> rows_of(const ContactProblem& p, std::span<const Batch> runs) {
  std::vector<std::uint32_t> rows;
  for (const Batch& run : runs)
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i)
      for (int k = 0; k < p.blocks[i].dim; ++k)
        if (run.rows == RowSet::all || (run.rows == RowSet::normal) == (k == 0)) rows.push_back(p.blocks[i].row + k);
  return rows;
}

std::vector<std::uint32_t> first_order(const std::string& name, const ContactProblem& p, bool reverse = false, int seed = 1) {
  OrderingOptions options = named(name, seed);
  options.reverse_order = reverse;
  Workspace workspace;
  std::vector<double> impulses(p.rows());
  return blocks_of(Ordering(options, p, FrictionModel::boxed, workspace).next(1, impulses));
}

/// Contacts, a joint and a motor.
ContactProblem mixed_problem() {
  ContactProblem p = testing::box_stack(3);
  const auto add = [&](BlockKind kind, std::vector<double> jacobian, double b) {
    Block block{kind, 1,     1, static_cast<std::uint32_t>(p.rows()), static_cast<std::uint32_t>(p.jacobian_values.size()),
                0,    {1, 0}};
    p.blocks.push_back(block);
    p.jacobian_values.insert(p.jacobian_values.end(), jacobian.begin(), jacobian.end());
    p.laws.emplace_back(CircularFriction{});
    p.b.push_back(b);
    p.sigma.push_back(0);
  };
  add(BlockKind::bilateral, {0, 1, 0, 0, 0, 0}, 0.01);
  add(BlockKind::box, {0, 0, 0, 0, 0, 1}, 0.02);
  p.lower.assign(p.rows(), -0.001);
  p.upper.assign(p.rows(), 0.001);
  p.finalize();
  return p;
}

/// Its rows backwards, as a permutation.
std::string every_row_of(const ContactProblem& p) {
  std::vector<std::uint32_t> rows(p.rows());
  std::iota(rows.rbegin(), rows.rend(), 0u);
  return permutation_text(rows);
}

TEST(Ordering, every_order_visits_every_row_once_in_a_pass) {
  const ContactProblem factored = mixed_problem(), matrix = testing::as_matrix(factored);
  for (const ContactProblem* p : {&factored, &matrix})
    for (const std::string& name : ordering_names())
      for (const bool reverse : {false, true}) {
        if (name == "greedy-staggered") continue;
        OrderingOptions options = named(name);
        if (name == "permutation") options.permutation = every_row_of(*p);
        options.reverse_order = reverse;
        Workspace workspace;
        std::vector<double> impulses(p->rows());
        Ordering order(options, *p, FrictionModel::boxed, workspace);
        for (int pass = 0; pass < 3; ++pass) {
          std::vector<std::uint32_t> rows;
          for (int s = 1; s <= order.sweeps_per_pass(); ++s) {
            const auto part = rows_of(*p, order.next(pass * order.sweeps_per_pass() + s, impulses));
            rows.insert(rows.end(), part.begin(), part.end());
          }
          std::vector<std::uint32_t> all(p->rows());
          std::iota(all.begin(), all.end(), 0u);
          std::sort(rows.begin(), rows.end());
          EXPECT_EQ(rows, all) << name << (reverse ? " reversed" : "");
        }
      }
}

TEST(Ordering, backward_is_the_same_visit_from_the_end) {
  const ContactProblem p = mixed_problem();
  std::vector<double> impulses(p.rows());
  for (const char* name : {"given", "random", "layers"}) {
    Workspace workspace;
    Ordering order(named(name), p, FrictionModel::boxed, workspace);
    auto forward = blocks_of(order.next(1, impulses));
    std::reverse(forward.begin(), forward.end());
    EXPECT_EQ(blocks_of(order.backward()), forward) << name;
  }
}

TEST(Ordering, shuffles_follow_the_seed_and_only_the_seed) {
  const ContactProblem p = testing::box_stack(6);
  EXPECT_EQ(first_order("random", p, false, 7), first_order("random", p, false, 7));
  EXPECT_NE(first_order("random", p, false, 7), first_order("random", p, false, 8));
  std::vector<double> impulses(p.rows());
  Workspace workspace;
  Ordering once(named("random"), p, FrictionModel::boxed, workspace);
  const auto first = blocks_of(once.next(1, impulses));
  EXPECT_EQ(blocks_of(once.next(2, impulses)), first) << "one shuffle per solve";
  Workspace other;
  Ordering always(named("random-sweep"), p, FrictionModel::boxed, other);
  const auto sweep = blocks_of(always.next(1, impulses));
  EXPECT_NE(blocks_of(always.next(2, impulses)), sweep) << "a new shuffle every sweep";
}

TEST(Ordering, every_order_is_turned_round_by_reverse_order_sweep_by_sweep) {
  const ContactProblem p = mixed_problem();
  std::vector<double> impulses(p.rows());
  for (const char* name : {"given", "random", "random-sweep", "layers", "effective-mass"}) {
    OrderingOptions options = named(name);
    Workspace workspace, other;
    Ordering forward(options, p, FrictionModel::boxed, workspace);
    options.reverse_order = true;
    Ordering backward(options, p, FrictionModel::boxed, other);
    for (int k = 1; k <= 3; ++k) {
      auto expected = blocks_of(forward.next(k, impulses));
      std::reverse(expected.begin(), expected.end());
      EXPECT_EQ(blocks_of(backward.next(k, impulses)), expected) << name << " sweep " << k;
    }
  }
}

TEST(Ordering, grouped_and_staggered_orders_part_normal_rows_from_friction_rows) {
  const ContactProblem p = mixed_problem();
  std::vector<std::uint32_t> normal, friction;   // joints and boxes go with the normal rows
  for (const Block& b : p.blocks)
    for (std::uint32_t k = 0; k < b.dim; ++k) (b.kind == BlockKind::contact && k > 0 ? friction : normal).push_back(b.row + k);
  std::vector<std::uint32_t> both = normal;
  both.insert(both.end(), friction.begin(), friction.end());
  std::vector<double> impulses(p.rows());
  Workspace workspace, other;
  Ordering grouped(named("grouped"), p, FrictionModel::boxed, workspace);
  Ordering staggered(named("extreme-staggered"), p, FrictionModel::boxed, other);
  for (int k = 1; k <= 4; ++k) {
    EXPECT_EQ(rows_of(p, grouped.next(k, impulses)), both) << "sweep " << k;
    EXPECT_EQ(rows_of(p, staggered.next(k, impulses)), k % 2 == 1 ? normal : friction) << "sweep " << k;
  }
}

/// Boxed Gauss–Seidel over these rows with a dense W.
void dense_sweep(const ContactProblem& p, const std::vector<std::uint32_t>& rows, Eigen::VectorXd& x) {
  const Eigen::MatrixXd w = testing::dense_delassus(p);
  const Eigen::Map<const Eigen::VectorXd> b(p.b.data(), static_cast<Eigen::Index>(p.rows()));
  for (const std::uint32_t i : rows) {
    double lower = p.lower[i], upper = p.upper[i];
    for (std::size_t n = 0; n < p.blocks.size(); ++n) {
      const Block& block = p.blocks[n];
      if (i < block.row || i >= block.row + block.dim || block.kind == BlockKind::box) continue;
      upper = std::numeric_limits<double>::infinity();
      lower = block.kind == BlockKind::contact ? 0 : -upper;
      if (i > block.row && block.kind == BlockKind::contact) {
        upper = std::get<CircularFriction>(p.laws[n]).mu * x[block.row];
        lower = -upper;
      }
    }
    x[i] = std::min(std::max(x[i] - (w.row(i).dot(x) + b[i]) / w(i, i), lower), upper);
  }
}

TEST(Ordering, sweeps_visit_the_rows_that_grouped_and_staggered_orders_list) {
  const ContactProblem p = mixed_problem();
  for (const char* name : {"given", "grouped", "extreme-staggered"}) {
    std::vector<double> impulses(p.rows());
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(p.rows()));
    Workspace workspace, other;
    Ordering order(named(name), p, FrictionModel::boxed, other);
    SolveControl control;
    control.tolerance = 1e-300;
    control.max_iterations = 6;
    control.observer = [&](int k, std::span<const double> now, const Residual&) {
      if (k == 0) return;
      dense_sweep(p, rows_of(p, order.next(k, now)), expected);
      for (std::size_t i = 0; i < now.size(); ++i)
        EXPECT_NEAR(now[i], expected[static_cast<Eigen::Index>(i)], 1e-12) << name << " sweep " << k << " row " << i;
    };
    make_solver("pgs", {{"ordering", std::string(name)}})->solve(p, impulses, workspace, control);
    EXPECT_GT(expected.cwiseAbs().maxCoeff(), 1e-3) << name;
  }
}

TEST(Ordering, heights_and_layers_are_found_although_contacts_are_listed_in_disorder) {
  const std::vector<int> listed{3, 0, 4, 2, 1};
  const ContactProblem p = testing::box_stack(5, 0.5, 0.002, listed);
  for (const char* name : {"coordinate", "layers"}) {
    const auto order = first_order(name, p);
    for (std::size_t n = 0; n < order.size(); ++n) EXPECT_EQ(listed[order[n] / 4], static_cast<int>(n / 4)) << name;
  }
  const auto down = first_order("coordinate", p, true);
  EXPECT_EQ(listed[down.front() / 4], 4);
  // Along x every box has two contacts at −0.5 and two at 0.5, listed in that order.
  const auto across = first_order("coordinate-x", p);
  for (std::size_t n = 0; n < across.size(); ++n) EXPECT_EQ(across[n] % 4 < 2, n < across.size() / 2);
}

TEST(Ordering, bodies_that_touch_no_ground_are_layered_from_the_heaviest) {
  // A chain of four bodies in the air; the third is the heaviest.
  ContactProblem p;
  for (const double mass : {1.0, 1.0, 5.0, 1.0}) p.segments.push_back(testing::box_segment(mass));
  for (int i = 1; i < 4; ++i)
    testing::add_contact(p, i - 1, Vec3(0, 0, i - 0.5), i, Vec3(0, 0, i + 0.5), Vec3(0, 0, i), Vec3::UnitZ(), 0.5,
                         Vec3(-1, 0, 0));
  p.finalize();
  EXPECT_EQ(first_order("layers", p), (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(Ordering, propagation_and_effective_mass_sort_by_what_they_name) {
  ContactProblem p;
  const double mass[] = {2, 8, 1, 4}, speed[] = {-0.5, -3, 1, -2};
  for (int i = 0; i < 4; ++i) {
    p.segments.push_back({1 / mass[i], Mat3::Zero()});
    testing::add_contact(p, -1, {}, i, {}, {}, Vec3::UnitZ(), 0.5, {speed[i], 0, 0});
  }
  p.finalize();
  EXPECT_EQ(first_order("propagation", p), (std::vector<std::uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(first_order("effective-mass", p), (std::vector<std::uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(first_order("complementarity", p), (std::vector<std::uint32_t>{1, 3, 0, 2}))
      << "a contact that separates is no error";
}

TEST(Ordering, complementarity_sorts_anew_only_when_it_is_time) {
  const ContactProblem p = [] {
    ContactProblem q;
    for (int i = 0; i < 3; ++i) {
      q.segments.push_back({1, Mat3::Zero()});
      testing::add_contact(q, -1, {}, i, {}, {}, Vec3::UnitZ(), 0, {-1.0 - i, 0, 0});
    }
    q.finalize();
    return q;
  }();
  OrderingOptions options = named("complementarity");
  options.ordering_refresh = 3;
  Workspace workspace;
  Ordering order(options, p, FrictionModel::boxed, workspace);
  std::vector<double> impulses(p.rows());
  const std::vector<std::uint32_t> start{2, 1, 0}, later{1, 0, 2};
  EXPECT_EQ(blocks_of(order.next(1, impulses)), start);
  impulses[6] = 3;   // the worst contact is solved
  EXPECT_EQ(blocks_of(order.next(2, impulses)), start);
  EXPECT_EQ(blocks_of(order.next(3, impulses)), start);
  EXPECT_EQ(blocks_of(order.next(4, impulses)), later);
}

TEST(Ordering, the_greedy_one_visits_the_rows_that_are_worse) {
  const ContactProblem p = testing::particle_contact({-1, 0.5, 0}, 0.5);
  Workspace workspace;
  Ordering order(named("greedy-staggered"), p, FrictionModel::boxed, workspace);
  std::vector<double> impulses(3);
  EXPECT_EQ(rows_of(p, order.next(1, impulses)), (std::vector<std::uint32_t>{0}));
  impulses[0] = 1;
  EXPECT_EQ(rows_of(p, order.next(2, impulses)), (std::vector<std::uint32_t>{1, 2}));
  impulses[0] = 0.9;   // the normal row is off by 0.1, friction by nothing
  impulses[1] = -0.45;
  EXPECT_EQ(rows_of(p, order.next(3, impulses)), (std::vector<std::uint32_t>{0}));
}

TEST(Ordering, unknown_names_and_orders_of_no_use_are_refused) {
  const auto message = [](const char* name, OrderingOptions::Use use) {
    return testing::message_of([&] { named(name).check(use); });
  };
  using Use = OrderingOptions::Use;
  EXPECT_EQ(message("randm", Use::any), "/ordering: There is no ordering 'randm'. Did you mean 'random'?");
  EXPECT_NE(message("grouped", Use::whole_blocks).find("takes normal and friction rows apart"), std::string::npos);
  EXPECT_NE(message("random-sweep", Use::fixed).find("destroys acceleration"), std::string::npos);
  EXPECT_EQ(message("random-sweep", Use::whole_blocks), "no error");
  for (const char* name : {"given", "random", "coordinate", "layers", "propagation", "effective-mass"})
    EXPECT_EQ(message(name, Use::fixed), "no error");
  EXPECT_NE(testing::message_of([] { make_solver("pgs", {{"ordering", std::string("hilbert")}}); }), "no error");
}

TEST(Ordering, every_order_leads_to_the_same_velocities) {
  // A stack that sticks: the velocities of the boxed model are zero, however the impulses share the load.
  const ContactProblem factored = mixed_problem(), matrix = testing::as_matrix(factored);
  for (const ContactProblem* p : {&factored, &matrix}) {
    std::vector<double> reference;
    for (const std::string& name : ordering_names()) {
      std::vector<double> impulses(p->rows());
      Workspace workspace;
      SolveControl control;
      control.tolerance = 1e-10;
      control.max_iterations = 20000;
      OptionList options = {{"ordering", name}};
      if (name == "permutation") options.emplace_back("permutation", every_row_of(*p));
      const SolveReport r = make_solver("pgs", options)->solve(*p, impulses, workspace, control);
      EXPECT_LE(r.model_residual, 1e-10) << name;
      const auto v = testing::row_velocities(*p, impulses);
      if (reference.empty()) reference = v;
      for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], reference[i], 1e-8) << name;
    }
  }
}

/// The normal rows of two boxes on top of each other: the problem whose 40320 orders the literature counts out.
ContactProblem eight_normals() {
  ContactProblem p = testing::box_stack(2, 0, 0);
  ContactProblem q = p;
  q.jacobian_values.clear();
  q.b.clear();
  for (Block& block : q.blocks) {
    const double* from = p.jacobian_values.data() + block.jacobian;
    const std::uint32_t row = block.row;
    block.jacobian = static_cast<std::uint32_t>(q.jacobian_values.size());
    for (int s = 0; s < block.arity; ++s) q.jacobian_values.insert(q.jacobian_values.end(), from + 18 * s, from + 18 * s + 6);
    block.row /= 3;
    block.dim = 1;
    q.b.push_back(p.b[row] * (1 + 0.1 * block.row));   // so that the four corners differ
  }
  q.sigma.assign(q.b.size(), 0.0);
  q.finalize();
  return q;
}

/// Sweeps of dense projected Gauss–Seidel until the residual is at most 1e-4, rows visited in this order.
int sweeps_needed(const Eigen::MatrixXd& w, const Eigen::VectorXd& b, const std::vector<int>& order) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size()), v = b;
  for (int sweep = 1; sweep < 1000; ++sweep) {
    for (const int i : order) {
      const double next = std::max(0.0, x[i] - v[i] / w(i, i)), change = next - x[i];
      x[i] = next;
      v += w.col(i) * change;
    }
    double error = 0;
    for (int i = 0; i < b.size(); ++i) error = std::max(error, std::abs(std::min(v[i], w(i, i) * x[i])));
    if (error <= 1e-4) return sweep;
  }
  return 1000;
}

TEST(Ordering, named_orders_lie_between_the_best_and_the_worst_of_all_permutations) {
  const ContactProblem p = eight_normals();
  const Eigen::MatrixXd w = testing::dense_delassus(p);
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(p.b.data(), 8);
  std::vector<int> order(8);
  std::iota(order.begin(), order.end(), 0);
  int best = 1000, worst = 0;
  do {
    const int needed = sweeps_needed(w, b, order);
    best = std::min(best, needed);
    worst = std::max(worst, needed);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_LT(best, worst);
  RecordProperty("best", best);
  RecordProperty("worst", worst);
  for (const char* name : {"given", "random", "coordinate", "layers", "propagation", "effective-mass", "grouped"}) {
    const auto blocks = first_order(name, p);
    const int dense = sweeps_needed(w, b, std::vector<int>(blocks.begin(), blocks.end()));
    std::vector<double> impulses(8);
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-4;
    control.keep_history = true;   // every sweep is judged
    const int sweeps = make_solver("pgs", {{"ordering", std::string(name)}})->solve(p, impulses, workspace, control).iterations;
    RecordProperty(name, sweeps);
    EXPECT_EQ(sweeps, dense) << name;
    EXPECT_GE(sweeps, best) << name;
    EXPECT_LE(sweeps, worst) << name;
  }
}

TEST(Ordering, sweeps_to_1e_6_on_stacks_are_recorded_for_the_manual) {
  const ContactProblem two = testing::two_box_stack(1), five = testing::box_stack(5),
                       shuffled = testing::box_stack(5, 0.5, 0.002, {3, 0, 4, 2, 1});
  for (const std::string& name : ordering_names())
    for (const auto& [label, p] : {std::pair("two", &two), std::pair("five", &five), std::pair("shuffled", &shuffled)}) {
      if (name == "permutation") continue;   // one of your own
      std::vector<double> impulses(p->rows());
      Workspace workspace;
      SolveControl control;
      control.max_iterations = 20000;
      control.keep_history = true;   // every sweep is judged
      const SolveReport r = make_solver("pgs", {{"ordering", name}})->solve(*p, impulses, workspace, control);
      RecordProperty(name + "_" + label, r.iterations);
      EXPECT_LE(r.model_residual, 1e-6) << name << " " << label;
    }
}

}   // namespace
}   // namespace stickslip::ordering_test
