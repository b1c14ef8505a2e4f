// The Newton family: derivatives by finite differences, quadratic
// convergence, agreement with first-order solvers, hard problems.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "../problem/problems.h"
#include "places.h"
#include "solve/newton/full_rank_newton.h"
#include "solve/newton/maps.h"
#include "solve/newton/newton_engine.h"
#include "stickslip/math/error.h"
#include "stickslip/problem/files.h"
#include "stickslip/solve/registry.h"

namespace stickslip::newton_test {
namespace {

const std::vector<std::string> kFamily = {"alart-curnier", "coulomb-newton", "min-map", "fischer"};
bool is_exact(const std::string& name) { return name == "alart-curnier" || name == "coulomb-newton"; }

SolveReport solve(std::string_view name, const ContactProblem& p, std::vector<double>& impulses, double tolerance = 1e-10,
                  int max_iterations = 500, const OptionList& options = {}) {
  impulses.resize(p.rows());
  Workspace workspace;
  SolveControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  control.keep_history = true;
  return make_solver(name, options)->solve(p, impulses, workspace, control);
}

/// Blocks of every kind and law with a full-rank W that is not symmetric, of numbers from a fixed seed.
ContactProblem mixed_problem(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::vector<FrictionSet> laws = {CircularFriction{0.6},     PlanarFriction{0.4}, EllipsoidFriction{0.5, 0.3, 0.2},
                                         RollingFriction{0.5, 0.3}, CircularFriction{},  CircularFriction{},
                                         CircularFriction{}};
  const std::vector<std::uint32_t> dims = {3, 2, 4, 5, 1, 2, 3};
  std::vector<std::uint32_t> offset = {0};
  for (const std::uint32_t d : dims) offset.push_back(offset.back() + d);
  const Eigen::Index n = offset.back();
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return uniform(random); });
  const Eigen::MatrixXd w = g * g.transpose() / n + Eigen::MatrixXd::Identity(n, n) + 0.02 * (g - g.transpose());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix(offset, entries), BlockKind::contact);
  p.laws = laws;
  p.blocks[5].kind = BlockKind::bilateral;
  p.blocks[6].kind = BlockKind::box;
  p.lower.assign(static_cast<std::size_t>(n), -INFINITY);
  p.upper.assign(static_cast<std::size_t>(n), INFINITY);
  for (std::uint32_t k = offset[6]; k < offset[7]; ++k) {
    p.lower[k] = -0.3;
    p.upper[k] = 0.2;
  }
  for (double& b : p.b) b = uniform(random);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) p.b[offset[i]] -= 0.5;   // most contacts close
  p.finalize();
  return p;
}

/// Two contacts of three rows with a well-conditioned W: the 6 × 6 case.
ContactProblem well_behaved_problem(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(6, 6, [&] { return uniform(random); });
  const Eigen::MatrixXd w = 0.2 * g * g.transpose() + Eigen::MatrixXd::Identity(6, 6);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix({0, 3, 6}, entries), BlockKind::contact, CircularFriction{0.4});
  p.b = {-1, 1.5, 0.4, -1.2, -0.3, 1.1};
  p.finalize();
  return p;
}

template <FrictionSetConcept Law>
void expect_derivatives(const Law& law, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  int inside = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const double n = 0.2 + std::abs(uniform(random)), h = 1e-6;
    typename Law::Vector z;
    for (int k = 0; k < Law::rows; ++k) z[k] = 0.8 * uniform(random);
    const ProjectionDerivative<Law::rows> d = law.differentiate(n, z);
    inside += d.value == z;
    EXPECT_LT((d.value - law.project(n, z)).norm(), 1e-14);
    for (int k = 0; k < Law::rows; ++k) {
      const typename Law::Vector e = h * Law::Vector::Unit(k),
                                 difference = (law.project(n, z + e) - law.project(n, z - e)) / (2 * h);
      EXPECT_LT((difference - d.by_point.col(k)).norm(), 1e-7);
    }
    EXPECT_LT(((law.project(n + h, z) - law.project(n - h, z)) / (2 * h) - d.by_normal).norm(), 1e-7);
  }
  EXPECT_LT(inside, 40);
}

TEST(ProjectionDerivative, agrees_with_finite_differences_inside_and_outside_of_every_law) {
  std::mt19937 random(7);
  expect_derivatives(CircularFriction{0.6}, random);
  expect_derivatives(PlanarFriction{0.4}, random);
  expect_derivatives(EllipsoidFriction{0.5, 0.3, 0.1}, random);
  expect_derivatives(EllipsoidFriction{0.5, 0.3, 0}, random);
  expect_derivatives(RollingFriction{0.5, 0.1}, random);
}

TEST(NewtonSystem, has_the_jacobian_that_finite_differences_give) {
  const ContactProblem p = mixed_problem(3);
  const BlockMatrix w = delassus(p);
  const std::vector<double> rho = row_masses(p);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const NewtonSystem* system :
       {&alart_curnier_system, &min_map_system, &fischer_system, &coulomb_min_map_system, &coulomb_fischer_system}) {
    Linearisation l;
    std::vector<std::uint8_t> slacks(p.blocks.size(), 0);
    if (system->slacks != nullptr)
      for (std::size_t i = 0; i < slacks.size(); ++i) slacks[i] = static_cast<std::uint8_t>(system->slacks(p, i));
    l.resize(p.blocks, slacks);
    NewtonMatrix h;
    h.set_up(w, l);
    const std::size_t n = l.unknowns();
    const auto evaluate = [&](const std::vector<double>& x, bool derivatives) {
      std::vector<double> impulses(p.rows()), v(p.rows());
      for (std::size_t i = 0; i < l.blocks(); ++i)
        std::copy_n(x.begin() + l.first[i], l.dim[i], impulses.begin() + p.blocks[i].row);
      w.multiply(impulses, v);
      for (std::size_t k = 0; k < v.size(); ++k) v[k] += p.b[k];
      system->evaluate(p, rho, x, v, l, derivatives);
      return l.phi;
    };
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> x(n), column(n), product(n);
      for (double& value : x) value = uniform(random);
      for (const std::size_t i : {0u, 1u, 2u, 3u}) x[l.first[i]] += 0.8;   // most contacts push
      evaluate(x, true);
      h.assemble(w, l);
      for (std::size_t k = 0; k < n; ++k) {
        const double step = 1e-7;
        std::vector<double> unit(n, 0.0), ahead = x, behind = x;
        unit[k] = 1;
        ahead[k] += step;
        behind[k] -= step;
        h.multiply(unit, product);
        const std::vector<double> up = evaluate(ahead, false), down = evaluate(behind, false);
        for (std::size_t r = 0; r < n; ++r)
          EXPECT_NEAR((up[r] - down[r]) / (2 * step), product[r], 2e-6) << "row " << r << " column " << k;
      }
    }
  }
}

TEST(Newton, converges_quadratically_on_the_well_behaved_6_by_6_case) {
  for (const std::string& name : kFamily) {
    OptionList plain = {{"alpha", 0.0}};
    if (name != "alart-curnier") plain.push_back({"sweeps", 0.0});
    int doubled = 0, at_once = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const ContactProblem p = well_behaved_problem(seed);
      std::vector<double> impulses(6);
      Workspace workspace;
      SolveControl control;
      control.tolerance = 1e-13;
      std::vector<double> errors;
      const FrictionModel model = make_solver(name)->model();
      control.observer = [&](int, std::span<const double> now, const Residual&) {
        ResidualWorkspace work;
        errors.push_back(residual(p, now, work, model).total());
      };
      const SolveReport r = make_solver(name, plain)->solve(p, impulses, workspace, control);
      EXPECT_LE(r.model_residual, 1e-13) << name << ' ' << seed << ' ' << r.reason;
      EXPECT_LE(r.iterations, 20) << name << ' ' << seed;
      for (std::size_t k = 0; k + 1 < errors.size(); ++k) {
        // From an error that is small, yet its square above rounding: the digits double.
        if (errors[k] < 1e-2 && errors[k] > 1e-6) {
          EXPECT_LT(errors[k + 1], std::max(100 * errors[k] * errors[k], 1e-14)) << name << ' ' << seed << " step " << k;
          doubled += std::log(errors[k + 1]) / std::log(errors[k]) >= 1.8;
        }
        at_once += errors[k] > 1e-2 && errors[k + 1] < 1e-13;
      }
    }
    // The minimum map is piecewise linear: with the right pieces one step ends it.
    EXPECT_GT(name == "min-map" ? at_once : doubled, 1) << name;
  }
}

TEST(Newton, finds_the_velocities_that_first_order_solvers_find) {
  for (const std::string& name : kFamily)
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const ContactProblem p = mixed_problem(seed);
      std::vector<double> newton, sweeps;
      const SolveReport r = solve(name, p, newton, 1e-11);
      EXPECT_LE(r.model_residual, 1e-11) << name << ' ' << r.reason;
      solve(is_exact(name) ? "prox-gs" : "pgs", p, sweeps, 1e-11, 20000);
      for (std::size_t k = 0; k < newton.size(); ++k) EXPECT_NEAR(newton[k], sweeps[k], 1e-8) << name << ' ' << seed;
    }
}

TEST(Newton, solves_redundant_stacks_sticking_and_sliding_up_to_mass_ratio_1e4) {
  for (const std::string& name : kFamily)
    for (const double ratio : {1.0, 1e4})
      for (const double drift : {0.0, 0.2, 3.0}) {
        std::vector<double> impulses;
        const SolveReport r = solve(name, testing::two_box_stack(2, ratio, drift), impulses, 1e-8);
        EXPECT_LE(r.model_residual, 1e-8) << name << " ratio " << ratio << " drift " << drift << ": " << r.reason;
        EXPECT_LT(r.iterations, 200) << name << " ratio " << ratio << " drift " << drift;
      }
}

TEST(Newton, ends_with_a_status_where_no_impulses_exist) {
  // W = 0 and an approach that nothing can stop; and two bilateral rows that contradict each other.
  const std::vector<Eigen::Triplet<double>> none;
  ContactProblem rigid = matrix_problem(block_matrix({0, 3}, none), BlockKind::contact, CircularFriction{0.5});
  rigid.b = {-1, 0.5, 0};
  rigid.finalize();
  const std::vector<Eigen::Triplet<double>> ones = {{0, 0, 1.0}, {0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 1.0}};
  ContactProblem torn = matrix_problem(block_matrix({0, 2}, ones), BlockKind::bilateral);
  torn.b = {1, -1};
  torn.finalize();
  for (const std::string& name : kFamily)
    for (const ContactProblem& p : {rigid, torn}) {
      std::vector<double> impulses;
      const SolveReport r = solve(name, p, impulses, 1e-10, 300);
      EXPECT_NE(r.status, SolveStatus::converged) << name;
      EXPECT_FALSE(r.reason.empty()) << name;
      for (const double impulse : impulses) EXPECT_TRUE(std::isfinite(impulse)) << name;
    }
}

TEST(Newton, solves_the_boxed_model_of_a_redundant_stack_with_every_linear_solver) {
  const ContactProblem p = testing::two_box_stack(2, 10, 0.2);
  for (const std::string name : {"min-map", "fischer"}) {
    int direct = 0;
    for (const std::string linear : {"direct", "gmres", "fletcher-reeves"}) {
      std::vector<double> impulses;
      const SolveReport r = solve(name, p, impulses, 1e-9, 2000, {{"linear", linear}});
      EXPECT_LE(r.model_residual, 1e-9) << name << ' ' << linear << ": " << r.reason;
      if (linear == "direct") direct = r.iterations;
      if (linear == "gmres") {
        EXPECT_LE(r.iterations, direct + 3) << name << ": solved to 1e-8, the steps are those of the direct solver";
      }
    }
  }
}

TEST(Newton, names_the_options_it_does_not_know) {
  for (const auto& [name, option] : {std::pair<std::string, OptionList>{"fischer", {{"linear", std::string("gmress")}}},
                                     {"min-map", {{"linear_tolerance", 1.0}}},
                                     {"min-map", {{"sweeps", -1.0}}},
                                     {"coulomb-newton", {{"function", std::string("max-map")}}},
                                     {"alart-curnier", {{"reduction", 1.0}}},
                                     {"alart-curnier", {{"alpha", -1.0}}},
                                     {"alart-curnier", {{"inner", 0.0}}}})
    EXPECT_THROW(make_solver(name, option), Error) << name;
}

TEST(AlartCurnier, solves_published_problems_to_a_natural_map_error_of_1e8) {
  const std::filesystem::path folder = std::filesystem::path(places::kSourceDir) / "../shared/data/fc3d";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dat" && entry.path().extension() != ".hdf5") continue;
    const ContactProblem p = load_problem(entry.path()).problem;
    std::vector<double> impulses(p.rows());
    Workspace workspace;
    SolveControl control;
    control.tolerance = 1e-8;
    control.natural_map_tolerance = 1e-8;
    const SolveReport r = make_solver("alart-curnier")->solve(p, impulses, workspace, control);
    EXPECT_EQ(r.status, SolveStatus::converged) << entry.path().filename() << ": " << r.reason;
    EXPECT_LE(r.natural_map_error, 1e-8) << entry.path().filename();
    EXPECT_LE(r.iterations, 60) << entry.path().filename();
    ++files;
  }
  EXPECT_GT(files, 0);
}

/// Contacts with a full, symmetric W of full rank, as soft bodies have them. @param slip velocities along the contacts, over
/// those at which they approach: few slide at 0.2, most at 2
ContactProblem full_rank_problem(int contacts, double slip, double skew = 0) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const Eigen::Index n = 3 * contacts;
  const Eigen::MatrixXd g = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  const Eigen::MatrixXd w = g * g.transpose() / n + 0.3 * Eigen::MatrixXd::Identity(n, n) + skew * (g - g.transpose());
  std::vector<std::uint32_t> offset;
  for (int i = 0; i <= contacts; ++i) offset.push_back(3 * static_cast<std::uint32_t>(i));
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) entries.emplace_back(i, j, w(i, j));
  ContactProblem p = matrix_problem(block_matrix(offset, entries), BlockKind::contact, CircularFriction{0.4});
  for (std::size_t k = 0; k < p.b.size(); ++k) p.b[k] = k % 3 == 0 ? -1 + 0.8 * normal(random) : slip * normal(random);
  std::fill(p.sigma.begin(), p.sigma.end(), 0.05);
  p.finalize();
  return p;
}

/// Newton steps until the residual is below the tolerance; 0 if it does not get there.
int full_rank_steps(FullRankNewton& newton, const ContactProblem& p, std::vector<double>& impulses, MatrixSeries series = {}) {
  impulses.resize(p.rows());
  ResidualWorkspace work;
  if (!newton.prepare(p, series)) return 0;
  for (int k = 1; k <= 30; ++k) {
    residual(p, impulses, work);
    if (!newton.step(p, impulses, work.v)) return 0;
    if (residual(p, impulses, work).total() < 1e-11) return k;
  }
  return 0;
}

TEST(FullRankNewton, finds_in_few_steps_what_sweeps_find) {
  for (const double slip : {0.1, 0.6, 3.0}) {
    const ContactProblem p = full_rank_problem(30, slip);
    ASSERT_TRUE(FullRankNewton::fits(p));
    FullRankNewton newton;
    std::vector<double> impulses, swept;
    const int steps = full_rank_steps(newton, p, impulses);
    EXPECT_GT(steps, 0) << slip;
    EXPECT_LE(steps, 15) << slip;
    ASSERT_EQ(solve("nsgs", p, swept, 1e-12, 20000).status, SolveStatus::converged);
    for (std::size_t k = 0; k < swept.size(); ++k) EXPECT_NEAR(impulses[k], swept[k], 1e-9) << slip << ", row " << k;
  }
}

TEST(FullRankNewton, keeps_factors_without_a_trace_and_columns_within_a_series) {
  ContactProblem first = full_rank_problem(30, 0.6), second = first;
  for (double& b : second.b) b *= 1.1;
  second.finalize();
  FullRankNewton used, fresh, serial;
  std::vector<double> impulses, from_used, from_fresh, from_series;
  ASSERT_GT(full_rank_steps(used, first, impulses), 0);
  ASSERT_GT(full_rank_steps(used, second, from_used), 0);
  ASSERT_GT(full_rank_steps(fresh, second, from_fresh), 0);
  EXPECT_EQ(from_used, from_fresh);
  impulses.clear();
  ASSERT_GT(full_rank_steps(serial, first, impulses, {1}), 0);
  from_series = impulses;
  ASSERT_GT(full_rank_steps(serial, second, from_series, {1}), 0);
  for (std::size_t k = 0; k < from_fresh.size(); ++k) EXPECT_NEAR(from_series[k], from_fresh[k], 1e-9);
  // Another matrix, in a series of its own, is not taken for the one before.
  const ContactProblem other = full_rank_problem(29, 0.6);
  impulses.clear();
  EXPECT_GT(full_rank_steps(serial, other, impulses, {2}), 0);
}

TEST(FullRankNewton, leaves_alone_what_is_not_symmetric_or_of_full_rank) {
  FullRankNewton newton;
  EXPECT_FALSE(newton.prepare(full_rank_problem(4, 1, 0.01), {}));
  ContactProblem redundant =
      matrix_problem(delassus(testing::two_box_stack(2, 3, 0.2)), BlockKind::contact, CircularFriction{0.2});
  redundant.finalize();
  EXPECT_FALSE(FullRankNewton::fits(redundant) && newton.prepare(redundant, {}));
  EXPECT_FALSE(FullRankNewton::fits(testing::two_box_stack(2, 3, 0.2)));
  EXPECT_TRUE(newton.prepare(full_rank_problem(4, 1), {}));
}

TEST(FullRankNewton, is_what_automatic_solves_full_matrices_with) {
  const ContactProblem p = full_rank_problem(30, 0.6);
  std::vector<double> impulses(p.rows(), 0.0);
  Workspace workspace;
  SolveControl control;
  control.tolerance = 1e-11;
  control.notes = true;
  const SolveReport report = make_solver("auto", {})->solve(p, impulses, workspace, control);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_NE(report.notes.find("by the factors of W"), std::string::npos) << report.notes;
}

}   // namespace
}   // namespace stickslip::newton_test
